"""The response against the first variates: the sufficient summary plot of inverse regression."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..rows import Labels
from .slices import single_response, slice_codes, slice_variates, variates
from .style import FOUND, INK, Display, plain, point_size


class ResponseDisplay(Display):
    """y against each of the first variates, with the mean of each slice.

    Parameters
    ----------
    scores : ndarray of shape (n, k)
        Variates of the rows.
    response : ndarray of shape (n,) or Labels
    centres : ndarray of shape (H, k)
        Variates of the slice means.
    levels : ndarray of shape (H,)
        Mean response of each slice.
    eigenvalues : ndarray of shape (k,)

    Attributes
    ----------
    ax_, axes_ : the first axes, and all of them
    figure_ : figure

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> from eigenlens.displays import ResponseDisplay
    >>> X = np.random.default_rng(0).standard_normal((200, 4))
    >>> y = np.exp(X[:, 0])
    >>> display = ResponseDisplay.from_estimator(SIR(2).fit(X, y), X, y)
    >>> len(display.axes_)
    2
    """

    needs, without_target = "X, y", "ScoresDisplay"

    def __init__(
        self, scores: np.ndarray, response: Any, centres: np.ndarray, levels: np.ndarray, eigenvalues: np.ndarray
    ) -> None:
        self.scores, self.response = scores, response
        self.centres, self.levels, self.eigenvalues = centres, levels, eigenvalues

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, n_variates: int = 2, slices: Any = None, ax: Any = None
    ) -> Self:
        """Draw the response of rows against the first variates of a fitted inverse regression.

        Parameters
        ----------
        model : fitted SIR, SAVE, DirectionalRegression or LocalizedSIR
        X, y : rows and their response
        n_variates : int
            Largest number of panels.
        slices : labels, optional
            Where the model was fitted with given slices.
        ax : axes or list of axes, optional
            One for each variate; a single one shows the first.
        """
        scores, response = variates(model, X)[:, :n_variates], single_response(y)
        numbers = response.codes.astype(float) if isinstance(response, Labels) else response
        codes = slice_codes(model, y, slices)
        levels = [numbers[codes == h].mean() if (codes == h).any() else np.nan for h in range(len(model.slices_))]
        values = np.asarray(model.eigenvalues_, dtype=float)[:n_variates]
        centres = slice_variates(model)[:, :n_variates]
        return cls(scores, response, centres, np.array(levels), values).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes or list of axes, optional
        """
        wanted = self.scores.shape[1]
        self._draw_on(ax, wanted if ax is None else min(wanted, np.size(ax)))  # the first variates, where fewer
        words = self.response if isinstance(self.response, Labels) else None
        # words are spread a little, by the golden ratio rather than by chance, so that a rerun looks the same
        spread = 0.5 * ((np.arange(len(self.scores)) * 0.6180339887) % 1 - 0.5)
        y = self.response if words is None else words.codes + spread
        for j, axes in enumerate(self.axes_):
            size = point_size(len(self.scores))
            axes.scatter(self.scores[:, j], y, s=size, color=FOUND, alpha=0.35, linewidths=0, rasterized=True)
            seen = np.isfinite(self.levels)
            joined = "none" if words is not None else "-"
            style: dict[str, Any] = {"linestyle": joined, "color": INK, "markersize": 5, "label": "slice means"}
            axes.plot(self.centres[seen, j], self.levels[seen], marker="o", **style)
            axes.set_xlabel(f"variate {j + 1}  (λ = {self.eigenvalues[j]:.2f})")
            if words is not None:
                axes.set_yticks(np.arange(len(words.classes)), [str(c) for c in words.classes])
            plain(axes)
        self.axes_[0].set_ylabel("y")
        self.axes_[0].legend(frameon=False, loc="best")
        return self
