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
LINEAR = " and linear"  # ends the name of a test that a linear regression takes part in
POWER = 0.8  # with which a test finds what is called detectable
NOTICEABLE_SHARE = 0.25  # of the variance, or of a squared correlation: rows that would miss this much are too few
LEVEL = "a number between 0 and 1, such as 0.05"
#: What the statistics of a test are called in a sentence, and when they are named again.
LABELS = {
    "wilks": ("Wilks' Λ", "Λ"),
    "pillai": ("Pillai's trace", "trace"),
    "lawley_hotelling": ("Hotelling–Lawley trace", "trace"),
    "roy": ("Roy's largest root", "root"),
    "tracy_widom": ("Tracy–Widom statistic", "statistic"),
    "gap": ("ratio of gaps", "ratio"),
}
#: What tests are called in a sentence, where their statistics do not say it.
CALLED = {
    "bartlett": "Bartlett's test",
    "malinvaud": "Malinvaud's test",
    "parallel": "parallel analysis",
    "parallel, permutation": "parallel analysis, permuted columns",
    "permutation": "permutation test",
    "simulation": "simulated normal noise",
    "slices, missing cells": "test of slices with missing cells",
    "wilks, missing cells": "Wilks' test with missing cells",
}
ONE_BY_ONE = "Directions are tested one after the other "
NORMAL = "The test assumes columns that are roughly normal; long tails make it find too much."


class Result(ABC):
    """Base of all results: they print as a sentence, and in notebooks with the head of their table."""

    @abstractmethod
    def to_frame(self) -> Frame:
        """Return a pandas DataFrame."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def _repr_html_(self) -> str:
        said = f"<p>{escape(str(self), quote=False)}</p>"
        try:
            table = self.to_frame()
        except ImportError:  # pandas is not installed: the sentence is enough
            return said
        more = f"<p>… {len(table) - HEAD:,} more rows: to_frame()</p>" if len(table) > HEAD else ""
        return f"<div>{said}{table.head(HEAD).to_html(float_format='{:.4g}'.format)}{more}</div>"


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
    about : str
        What was compared with what, as a sentence.
    doubt : str
        What the test assumes, as a sentence; empty where nothing is worth one.
    draws : int or None
        Permutations, or tables of noise: p-values are multiples of 1/(1 + draws).
    rows : float or None
        Rows that were tested, a row of weight 2 counted twice.
    statistic : str
        What "statistic" among the statistics is.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference import wilks
    >>> test = wilks([0.9, 0.1], n=100, p=4, s=2)
    >>> print(test)
    1 of 2 directions is significant at the 5% level (Wilks' Λ = 0.19, F(8, 188) = 30.7, p < 0.001); the next is not
    significant (Λ = 0.99, F(3, 95) = 0.32, p = 0.81), and these rows would usually detect a squared correlation of 0.1
    or more (80% power).
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
    about: str = ""
    doubt: str = ""
    draws: int | None = None
    rows: float | None = None
    statistic: str = ""

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

    def told(self, about: str, doubt: str = "", **known: Any) -> Self:
        """Return the same test with what it compared, what it assumes, and what else is known of it."""
        return replace(self, about=about, doubt=doubt, **known)

    def __str__(self) -> str:
        quoted = "; ".join(filter(None, [f"{self._found} ({self._quoted})", self._next_clause]))
        return " ".join(filter(None, [f"{quoted}.", self.note]))

    @property
    def headline(self) -> str:
        """How many directions there are and by which test, as a sentence."""
        return f"{self._found} ({self.method})."

    @property
    def of_the_next(self) -> str:
        """Why there are no more, with the smallest that would have been found, as a sentence; else empty."""
        clause = self._next_clause
        return f"{clause[0].upper()}{clause[1:]}." if clause else ""

    @property
    def _found(self) -> str:
        q, d = len(self.p_values), self.dimension
        found = f"{d} of {q} direction{'' if q == 1 else 's'} {'is' if d == 1 or q == 1 else 'are'}"
        found = f"At least {found}" if self.stopped else found
        return f"{found} significant at the {100 * self.alpha:g}% level" if self.is_test else f"{found} kept"

    @property
    def _quoted(self) -> str:
        """The tests of the directions that were found, or of the first: statistics, degrees of freedom and p-values."""
        if not self.is_test:
            return self.method
        d, base = self.dimension, self.method.removesuffix(LINEAR)
        tested = np.flatnonzero(np.isfinite(self.p_values[: max(d, 1)]))
        said = [self.evidence(int(j), again=bool(j > 0)) for j in tested]
        if d > 3:
            said[1:-1] = ["…"]  # of many, the first and the last are quoted
        if self.draws is not None and said:
            said.append(f"{self.draws:,} {'permutations' if 'permutation' in base else 'draws'}")
        what, comma, moved = base.partition(", ")
        called = CALLED.get(base) or CALLED.get(what, what) + comma + moved
        named = what in CALLED or not (LABELS.keys() | {"chi2"}) & self.statistics.keys()
        return ": ".join(filter(None, [called if named or not said else "", "; ".join(said)]))

    def evidence(self, d: int, again: bool = True) -> str:
        """Return the test of "at most d directions" in words: statistic, degrees of freedom, p-value.

        Parameters
        ----------
        d : int
        again : bool
            Whether the statistic has been named in full before.
        """
        found = {name: float(values[d]) for name, values in self.statistics.items() if d < len(values)}
        said = [f"{names[again]} = {_short(found[name])}" for name, names in LABELS.items() if name in found]
        if "wilks" in found:  # two digits of a share are enough
            said = [f"{LABELS['wilks'][again]} = {found['wilks']:.2g}"]
        if "F" in found and "roy" not in found:  # the F of Roy's root is a bound
            said.append(f"F({_degrees(found['df1'])}, {_degrees(found['df2'])}) = {_short(found['F'])}")
        elif "chi2" in found:
            said.append(chi2_words(found["chi2"], found["df"]))
        elif "statistic" in found and not said:
            said.append(f"{self.statistic or 'statistic'} = {_short(found['statistic'])}")
        elif "noise" in found and not said:
            said.append(f"eigenvalue {_short(found['eigenvalue'])} against {_short(found['noise'])}")
        line, p = found.get("linear_p_value", np.nan), self.p_values[d]
        if np.isfinite(line):
            said.append(f"linear regression {p_words(line)}, together")
            return f"{', '.join(said)} {p_words(p, self.draws)}"
        return ", ".join([*said, p_words(p, self.draws)])

    @property
    def _next_clause(self) -> str:
        d = self.dimension
        if not self.is_test or d >= len(self.p_values):
            return ""
        if self.stopped:
            return "no more were tested: the work would exceed the budget"
        if np.isnan(self.p_values[d]):
            return "no more can be tested" if d else "none can be tested"
        said = [f"the next is not significant ({self.evidence(d)})"] if d else []
        power = self._detectable_next()
        if np.isfinite(power) and power >= 1e-9:  # less comes of draws without any spread
            least = f"would usually detect {_a(self.measure)} of {power:.2g} or more ({POWER:.0%} power)"
            if power <= NOTICEABLE_SHARE:
                said.append(f"these rows {least}")
            else:
                more = "if there are more" if d else "if there are any"
                they = "would miss even a large direction" if power >= 1 else least
                said.append(f"there are {TOO_FEW} {more}: they {they}")
        return ", and ".join(said)

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


def p_words(p: float, draws: int | None = None) -> str:
    """Return a p-value in words, as finely as the draws allow."""
    finer = draws is None or p < 1 / (1 + draws)  # a linear regression, joined with draws, may be
    return "p < 0.001" if p < 0.001 and finer else f"p = {p:.2g}"


def chi2_words(statistic: float, df: float) -> str:
    """Return a statistic with its degrees of freedom, as papers write them."""
    return f"χ²({_degrees(df)}) = {_short(statistic)}"


def drawn(n_draws: int, what: str = "permutations") -> str:
    """Return how many draws there were, and how fine p-values are."""
    return f"{n_draws:,} {what}, so p-values are multiples of {1 / (1 + n_draws):.3g}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value + 0.0:.3g}"  # −0 is 0


def _degrees(df: float) -> str:
    return f"{df:.1f}".removesuffix(".0")


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
