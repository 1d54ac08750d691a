"""What a test of dimension returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Self

import numpy as np

from ..arrays import errors, optional
from ..arrays.parameters import is_number
from ..arrays.stored import stored
from ..arrays.typing import Axes, Frame
from ..drawing import Display

HEAD = 15  # rows of a table that a notebook shows
SHOWN, NOT_SHOWN, TOO_FEW = "shown", "not shown by these rows", "too few rows to tell"
NOT_TESTED = "not tested"
DEGENERATE = 1e-9  # a smaller size that would be found is that of draws without any spread
NOTICEABLE_SHARE = 0.25  # of the variance, or of a squared correlation: rows that would miss this much are too few
LEVEL = "a number between 0 and 1, such as 0.05"


class Result(ABC):
    """Base of all results: they print as a sentence, and in notebooks with the head of their table."""

    @abstractmethod
    def to_frame(self) -> Frame:
        """Return a pandas DataFrame."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def _repr_html_(self) -> str:
        try:
            table = self.to_frame()
        except ImportError:  # pandas is not installed: the sentence is enough
            return f"<p>{escape(str(self))}</p>"
        more = f"<p>… {len(table) - HEAD:,} more rows: to_frame()</p>" if len(table) > HEAD else ""
        return f"<div><p>{escape(str(self))}</p>{table.head(HEAD).to_html(float_format='{:.4g}'.format)}{more}</div>"


@stored("DimensionTest")
@dataclass(frozen=True, eq=False, repr=False)
class DimensionTest(Result):
    """How many directions are shown: sequential tests of "at most d directions", d = 0, 1, …, or a criterion.

    Attributes
    ----------
    dimension : int
        The first d that is not rejected; for a criterion, the number that it prefers.
    p_values : ndarray
        One for each d; NaN if the method is a criterion rather than a test.
    statistics : dict of str to ndarray
        The statistics, one entry for each d. If "eigenvalue" and "noise" are among them, "noise" is the value that
        noise alone would give.
    alpha : float
        Level; NaN for a criterion.
    method : str
        Name of the test.
    detectable : ndarray, optional
        One for each d: the smallest size at which one more direction would have been found four times in five. NaN if
        it is not known.
    measure : str
        What this size measures: a "share of the variance left", a "squared correlation" for canonical pairs, or an
        "eigenvalue" for slices.
    note : str
        What else a reader of the verdict should know, in sentences: why this test was chosen, and what it assumes.
    stopped : bool
        Whether a budget ended the tests before one of them was not rejected: there may be more directions.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import wilks
    >>> test = wilks([0.9, 0.1], n=100, p=4, s=2)
    >>> print(test)
    1 of 2 directions is shown at 5% (wilks). The next is not shown by these rows, which would usually show a squared
    correlation of 0.1 or more.
    >>> test.dimension, (test.p_values < 0.05).tolist()
    (1, [True, False])
    """

    dimension: int
    p_values: np.ndarray
    statistics: dict[str, np.ndarray]
    alpha: float
    method: str
    detectable: np.ndarray | None = None
    measure: str = "share of the variance left"
    note: str = ""
    stopped: bool = False

    @classmethod
    def sequential(
        cls,
        p_values: np.ndarray,
        statistics: dict[str, np.ndarray],
        alpha: float,
        method: str,
        detectable: np.ndarray | None = None,
        measure: str = "share of the variance left",
        stopped: bool = False,
    ) -> Self:
        """Find the dimension: the first d that is not rejected, or all of them."""
        kept = ~(p_values <= alpha)  # what was not tested is not rejected
        dimension = int(np.argmax(kept)) if kept.any() else len(p_values)
        return cls(dimension, p_values, statistics, alpha, method, detectable, measure, stopped=stopped)

    @classmethod
    def chosen(cls, dimension: int, statistics: dict[str, np.ndarray], method: str) -> Self:
        """Make the result of a criterion, which has no p-values and no level."""
        length = len(next(iter(statistics.values())))
        return cls(int(dimension), np.full(length, np.nan), statistics, float("nan"), method)

    def in_unit(self, unit: float) -> Self:
        """Return the same test for columns that were divided by a number: variances are multiplied by its square."""
        if unit == 1:
            return self
        with np.errstate(over="ignore", under="ignore"):  # the square of the unit may overflow where they do not
            variances = {
                name: v * unit * unit for name, v in self.statistics.items() if name in ("eigenvalue", "noise")
            }
        return replace(self, statistics=self.statistics | variances)

    @property
    def is_test(self) -> bool:
        """Whether there are p-values."""
        return bool(np.isfinite(self.alpha))

    @property
    def verdicts(self) -> list[str]:
        """The verdict on each direction: "shown", "not shown by these rows", "too few rows to tell" or "not tested".

        There are too few rows if even a direction with a quarter of what is left would have been missed more than once
        in five times. A criterion, which has no level, never gives this verdict.
        """
        return [SHOWN if j < self.dimension else self.verdict_beyond for j in range(len(self.p_values))]

    @property
    def verdict_beyond(self) -> str:
        """The verdict on directions that are not shown."""
        if self.stopped:
            return NOT_TESTED
        power = self._detectable_next()
        return TOO_FEW if np.isfinite(power) and power > NOTICEABLE_SHARE else NOT_SHOWN

    def _detectable_next(self) -> float:
        """Return the share with which the first direction that is not shown would have been found."""
        if self.detectable is None or self.dimension >= len(self.detectable):
            return float("nan")
        return float(self.detectable[self.dimension])

    def with_note(self, *sentences: str) -> Self:
        """Return the same test with another sentence in its note."""
        return replace(self, note=" ".join(part for part in (self.note, *sentences) if part))

    def __str__(self) -> str:
        return " ".join(filter(None, [self.headline, self.of_the_next, self.note]))

    @property
    def headline(self) -> str:
        """How many directions there are and by which test, as a sentence."""
        q, d = len(self.p_values), self.dimension
        found = f"{d} of {q} direction{'' if q == 1 else 's'} {'is' if d == 1 or q == 1 else 'are'}"
        shown = f"shown at {100 * self.alpha:g}%" if self.is_test else "kept"
        found = f"At least {found}" if self.stopped else found
        return f"{found} {shown} ({self.method})."

    @property
    def of_the_next(self) -> str:
        """Why there are no more, with the smallest that would have been found, as a sentence; else empty."""
        if not self.is_test or self.dimension >= len(self.p_values):
            return ""
        if self.stopped:
            return "No more were tested: the work would exceed the budget."
        if np.isnan(self.p_values[self.dimension]):
            return "No more can be tested."
        place = "The next" if self.dimension else "The first"
        power = self._detectable_next()
        if not np.isfinite(power) or power < DEGENERATE:
            return f"{place} is {NOT_SHOWN}."
        least = f"{_a(self.measure)} of {power:.2g} or more"
        if power <= NOTICEABLE_SHARE:
            return f"{place} is {NOT_SHOWN}, which would usually show {least}."
        more = "if there are more" if self.dimension else "if there are any"
        if power >= 1:
            return f"There are {TOO_FEW} {more}: they would miss even a large direction."
        return f"There are {TOO_FEW} {more}: they would usually show {least}."

    def to_frame(self) -> Frame:
        """Return the tests as a pandas DataFrame, a row for each d."""
        pd = optional.pandas()

        columns = {"at most": np.arange(len(self.p_values)), **self.statistics}
        if self.is_test:
            columns["p_value"] = self.p_values
        if self.detectable is not None:
            columns["detectable"] = self.detectable
        return pd.DataFrame(columns).set_index("at most")

    def plot(self, ax: Axes | None = None) -> Display:
        """Draw the eigenvalues with those of noise, or the p-values with the level; return the display.

        Parameters
        ----------
        ax : axes, optional
        """
        from . import result_figures

        return Display(result_figures.draw_dimension(self, ax))


def check_level(alpha: Any) -> None:
    """Refuse a level that is none."""
    if not is_number(alpha):
        raise errors.number_kind("alpha", alpha, LEVEL)
    if not 0 < alpha < 1:
        raise errors.number("alpha", alpha, LEVEL)


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
