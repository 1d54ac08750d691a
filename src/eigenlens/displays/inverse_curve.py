"""The inverse regression curve: how the slice means travel through the plane of the first two variates."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .slices import is_ordered, slice_codes, slice_variates, variates
from .style import INK, QUIET, Display, plain, point_size, slice_colours


class InverseCurveDisplay(Display):
    """Rows in the plane of two variates, coloured by slice, with the slice means joined in the order of y.

    Parameters
    ----------
    scores : ndarray of shape (n, 2)
    codes : ndarray of shape (n,)
        Slice of each row, −1 for none.
    centres : ndarray of shape (H, 2)
    weights : ndarray of shape (H,)
    names : list of str
    ordered : bool
        Whether the slices have an order to be joined in.
    eigenvalues : ndarray of shape (2,)
    kept : tuple of int
        Which variates these are.

    Attributes
    ----------
    ax_ : axes
    figure_ : figure

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> from eigenlens.displays import InverseCurveDisplay
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> y = np.exp(X[:, 0])
    >>> display = InverseCurveDisplay.from_estimator(SIR(2).fit(X, y), X, y)
    >>> display.ax_.get_xlabel()
    'variate 1  (λ = 0.96)'
    """

    def __init__(
        self,
        scores: np.ndarray,
        codes: np.ndarray,
        centres: np.ndarray,
        weights: np.ndarray,
        names: list[str],
        ordered: bool,
        eigenvalues: np.ndarray,
        kept: tuple[int, int] = (0, 1),
    ) -> None:
        self.scores, self.codes, self.centres, self.weights = scores, codes, centres, weights
        self.names, self.ordered, self.eigenvalues, self.kept = names, ordered, eigenvalues, kept

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, variates_shown: tuple[int, int] = (0, 1), slices: Any = None, ax: Any = None
    ) -> Self:
        """Draw rows and slice means in the plane of two variates of a fitted inverse regression.

        Parameters
        ----------
        model : fitted SIR, SAVE, DirectionalRegression or LocalizedSIR
            With at least two components.
        X, y : rows and their response
        variates_shown : pair of int
        slices : labels, optional
            Where the model was fitted with given slices.
        ax : axes, optional
        """
        pair = list(variates_shown)
        return cls(
            variates(model, X)[:, pair],
            slice_codes(model, y, slices),
            slice_variates(model)[:, pair],
            np.asarray(model.slice_weights_, dtype=float),
            model.slice_names_,
            is_ordered(model),
            np.asarray(model.eigenvalues_, dtype=float)[pair],
            (pair[0], pair[1]),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes, optional
        """
        self._draw_on(ax, 1, 6.4, 4.4)
        colours, size = slice_colours(len(self.centres), self.ordered), point_size(len(self.scores))
        lost, (x, y) = self.codes < 0, self.scores.T
        self.ax_.scatter(x[lost], y[lost], s=size, color=QUIET, linewidths=0, rasterized=True)
        for h, colour in enumerate(colours):
            own = self.codes == h
            self.ax_.scatter(x[own], y[own], s=size, color=colour, alpha=0.45, linewidths=0, rasterized=True)
        if self.ordered:
            self.ax_.plot(*self.centres.T, color=INK, linewidth=1.2, zorder=3)
        area = 30 + 120 * self.weights / self.weights.max()
        for h, colour in enumerate(colours):
            label = self.names[h] if len(colours) <= 12 else None
            self.ax_.scatter(
                self.centres[h, 0], self.centres[h, 1], s=area[h], color=colour, edgecolor=INK, zorder=4, label=label
            )
        for axis, j, value in zip("xy", self.kept, self.eigenvalues, strict=True):
            getattr(self.ax_, f"set_{axis}label")(f"variate {j + 1}  (λ = {value:.2f})")
        if len(colours) <= 12:
            self.ax_.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), title="slice means")
        plain(self.ax_)
        return self
