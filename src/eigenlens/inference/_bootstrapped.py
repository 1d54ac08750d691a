"""What a bootstrap found: intervals of loadings and values, and angles of the subspace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import optional
from ..arrays.parameters import check_number
from ..arrays.typing import Axes, Frame
from ..drawing import Display
from .alignment import angles_between
from .dimension_test import Result


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap(Result):
    """The results of a bootstrap: how far a fit varies over resamples.

    Attributes
    ----------
    components : ndarray of shape (n_boot, k, p)
        Loadings of each resample, in the order and with the signs of the fit.
    estimate : ndarray of shape (k, p)
        Loadings of the fit.
    low, high : ndarray of shape (k, p)
        Ends of the intervals of the loadings.
    standard_error : ndarray of shape (k, p)
    angles : ndarray of shape (n_boot, k)
        Principal angles, in radians, between the subspace of each resample and that of the fit, smallest first.
    values : ndarray of shape (n_boot, k)
        Eigenvalues (correlations, for CCA) of each resample.
    value, value_low, value_high : ndarray of shape (k,)
        Values of the fit, and the ends of their intervals; within a tied block, an interval includes that of the mean.
    blocks : list of (first, last)
        Components with eigenvalues too close to separate, numbered from 0; they were aligned together.
    level : float
    unit : str
        What was drawn: "rows", "blocks of 10 rows", "groups".
    kind : {"loading", "score", "coordinate"}
        What the bootstrap follows: loadings of columns; scores of p classes or subclasses, if there is a regression
        between columns and coordinates (`FDA`, `MDA`); or coordinates of p rows on a map.
    names : list of str
        Names of the columns, of the classes, or of the rows of a map.
    model : estimator
        The fit to all rows.
    axis : str
        What a direction is called: a component, or a factor if components were rotated.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import PCA
    >>> from eigenlens.inference import bootstrap
    >>> result = bootstrap(PCA(2), load_iris().data, n_boot=200)
    >>> result.low.shape, result.angles.shape
    ((2, 4), (200, 2))
    """

    components: np.ndarray
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray
    standard_error: np.ndarray
    angles: np.ndarray
    values: np.ndarray
    value: np.ndarray
    value_low: np.ndarray
    value_high: np.ndarray
    blocks: list[tuple[int, int]]
    level: float
    unit: str
    kind: str
    names: list[str]
    model: Any
    axis: str = "component"

    @property
    def n_boot(self) -> int:
        """Number of resamples."""
        return len(self.components)

    def __str__(self) -> str:
        k = len(self.estimate)
        if self.kind == "coordinate":
            moved = float(np.sqrt(np.sum(self.standard_error**2, axis=0).mean()))
            size = float(np.sqrt(np.sum((self.estimate - self.estimate.mean(axis=1)[:, None]) ** 2, axis=0).mean()))
            return (
                f"Points of the map move by {moved / size:.0%} of its spread (root mean square) in {self.n_boot:,} "
                f"resamples of {self.unit}."
            )
        away = int(np.count_nonzero(((self.low > 0) | (self.high < 0))[~self.tied]))
        turn = np.degrees(np.quantile(self.angles[:, -1], 0.95))
        plane = "direction" if k == 1 else f"{k}-dimensional subspace"
        return (
            f"{away} of {self.estimate[~self.tied].size} {self.kind}s are away from zero at {self.level:.0%}; the "
            f"{plane} turns by up to {turn:.0f}° in 95% of {self.n_boot:,} resamples of {self.unit}."
            + "".join(f" {sentence}" for sentence in self._tied_words())
        )

    @property
    def tied(self) -> np.ndarray:
        """Whether the eigenvalue of each component is too close to that of a neighbour, shape (k,).

        Such components are not determined individually, and neither are their loadings: treat them as a subspace.
        """
        found = np.zeros(len(self.estimate), dtype=bool)
        for first, last in self.blocks if self.kind != "coordinate" else []:
            found[first : last + 1] = True
        return found

    def block_angles(self) -> list[np.ndarray]:
        """Return, for each of `blocks`, the principal angles between its subspace in resamples and in the fit."""
        return [
            angles_between(self.components[:, first : last + 1], self.estimate[first : last + 1])
            for first, last in self.blocks
        ]

    def _tied_words(self) -> list[str]:
        sentences = []
        for (first, last), angles in zip(self.blocks, self.block_angles(), strict=True):
            turn = np.degrees(np.quantile(angles[:, -1], 0.95))
            sentences.append(
                f"Components {first + 1} to {last + 1} have eigenvalues too close to separate: read them as one "
                f"subspace, which turns by up to {turn:.0f}°."
            )
        return sentences

    def to_frame(self) -> Frame:
        """Return loadings with standard errors and intervals as a pandas DataFrame, a row for each loading."""
        pd = optional.pandas()

        k = len(self.estimate)
        whose = {"loading": "column", "score": "class", "coordinate": "row"}[self.kind]
        index = pd.MultiIndex.from_product([np.arange(1, k + 1), self.names], names=[self.axis, whose])
        columns = {
            self.kind: self.estimate,
            "standard_error": self.standard_error,
            "low": self.low,
            "high": self.high,
            "tied": np.repeat(self.tied[:, None], self.estimate.shape[1], axis=1),
        }
        return pd.DataFrame({name: part.ravel() for name, part in columns.items()}, index=index)

    def plot(self, component: int = 0, ax: Axes | None = None) -> Display:
        """Draw the loadings of a component with their intervals, or a map with ellipses; return the display.

        Parameters
        ----------
        component : int
            Counted from 0; a map shows the first two.
        ax : axes, optional
        """
        from . import result_figures

        check_number("component", component, 0, len(self.estimate) - 1, integer=True)
        if self.kind == "coordinate" and len(self.estimate) > 1:
            return Display(result_figures.draw_map(self, ax))
        return Display(result_figures.draw_loadings(self, component, ax))
