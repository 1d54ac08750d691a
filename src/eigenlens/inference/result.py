"""What a test of dimension returns."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np

from .._core import errors


@dataclass(frozen=True)
class DimensionTest:
    """Sequential tests of "at most d directions", d = 0, 1, …

    Attributes
    ----------
    dimension : int
        The first d that is not rejected.
    p_values : ndarray
        One for each d.
    statistics : dict of str to ndarray
        What the tests computed, one entry for each d.
    alpha : float
        Level.
    method : str
        Name of the test.
    """

    dimension: int
    p_values: np.ndarray
    statistics: dict[str, np.ndarray]
    alpha: float
    method: str

    @classmethod
    def sequential(cls, p_values: np.ndarray, statistics: dict[str, np.ndarray], alpha: float, method: str) -> Self:
        """Find the dimension: the first d that is not rejected, or all of them."""
        kept = p_values > alpha
        return cls(int(np.argmax(kept)) if kept.any() else len(p_values), p_values, statistics, alpha, method)

    def __str__(self) -> str:
        q = len(self.p_values)
        return f"{self.dimension} of {q} directions stand above noise at {self.alpha:.0%} ({self.method})."

    def to_frame(self) -> Any:
        """Return the tests as a pandas DataFrame, a row for each d."""
        import pandas as pd

        columns = {"at most": np.arange(len(self.p_values)), **self.statistics, "p_value": self.p_values}
        return pd.DataFrame(columns).set_index("at most")

    def plot(self, ax: Any = None) -> Any:
        """Draw the p-values with the level, and return the axes."""
        import matplotlib.pyplot as plt

        ax = plt.gca() if ax is None else ax
        d = np.arange(len(self.p_values))
        found = d < self.dimension
        floor = np.maximum(self.p_values, 1e-300)
        ax.semilogy(d, floor, color="0.7", zorder=1)
        ax.scatter(d[found], floor[found], color="C0", zorder=2, label="rejected: there are more")
        ax.scatter(d[~found], floor[~found], facecolor="white", edgecolor="C0", zorder=2, label="not rejected")
        ax.axhline(self.alpha, color="C3", linestyle="--", label=f"level {self.alpha:g}")
        ax.set(xlabel="at most d directions", ylabel="p-value", title=str(self))
        ax.set_xticks(d)
        ax.legend()
        return ax


def check_level(alpha: Any) -> None:
    """Refuse a level that is none."""
    if not isinstance(alpha, Real) or not 0 < float(alpha) < 1:
        raise errors.number("alpha", alpha, "a number between 0 and 1")
