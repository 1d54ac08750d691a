"""The response against the directions along which it bends, with the parabolas that were found."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..arrays import errors, namespaces
from ..rows import Labels
from .slices import single_response, variates
from .style import FOUND, INK, Display, plain, point_size


class CurvatureDisplay(Display):
    """y against each of the first principal Hessian directions, with the parabola of its slope and curvature.

    Parameters
    ----------
    scores : ndarray of shape (n, k)
        Variates of the rows.
    response : ndarray of shape (n,)
    level : float
        Mean response.
    slopes, curvatures : ndarray of shape (k,)
        The parabola is level + slope·z + curvature·(z² − 1)/2.

    Attributes
    ----------
    ax_, axes_ : the first axes, and all of them
    figure_ : figure

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import PrincipalHessianDirections
    >>> X = np.random.default_rng(0).standard_normal((300, 4))
    >>> y = X[:, 0] ** 2 + X[:, 1]
    >>> len(PrincipalHessianDirections(2).fit(X, y).plot(X, y).axes_)
    2
    """

    needs, without_target = "X, y", "ScoresDisplay"

    def __init__(
        self, scores: np.ndarray, response: np.ndarray, level: float, slopes: np.ndarray, curvatures: np.ndarray
    ) -> None:
        self.scores, self.response = scores, response
        self.level, self.slopes, self.curvatures = level, slopes, curvatures

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any, *, n_variates: int = 2, ax: Any = None) -> Self:
        """Draw the response of rows against the first variates of a fitted model.

        Parameters
        ----------
        model : fitted PrincipalHessianDirections
        X, y : rows and their response
        n_variates : int
            Largest number of panels.
        ax : axes or list of axes, optional
            One for each variate; a single one shows the first.
        """
        response = single_response(y)
        if isinstance(response, Labels):
            raise errors.InputError("y holds words, and the response of this model is a number; pass the numbers.")
        slopes, curvatures = (
            namespaces.to_numpy(v).astype(float)[:n_variates] for v in (model.slopes_, model.curvatures_)
        )
        return cls(variates(model, X)[:, :n_variates], response, model.y_mean_, slopes, curvatures).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it.

        Parameters
        ----------
        ax : axes or list of axes, optional
        """
        wanted = self.scores.shape[1]
        self._draw_on(ax, wanted if ax is None else min(wanted, np.size(ax)))  # the first variates, where fewer
        for j, axes in enumerate(self.axes_):
            z, size = self.scores[:, j], point_size(len(self.scores))
            axes.scatter(z, self.response, s=size, color=FOUND, alpha=0.35, linewidths=0, rasterized=True)
            low, high = axes.get_ylim()
            grid = np.linspace(z.min(), z.max(), 100)
            curve = self.level + self.slopes[j] * grid + self.curvatures[j] * (grid**2 - 1) / 2
            axes.plot(grid, curve, color=INK, label="slope and curvature found")
            axes.set_ylim(low, high)  # a parabola may leave the rows at their ends
            axes.set_xlabel(f"direction {j + 1}  (curvature {self.curvatures[j]:.3g})")
            plain(axes)
        self.axes_[0].set_ylabel("y")
        self.axes_[0].legend(frameon=False, loc="best")
        return self
