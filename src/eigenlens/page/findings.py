"""What a study found, as plain numbers and words: what the terminal and the page show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np

from ..inference.dimension_test import NOT_SHOWN, NOT_TESTED, SHOWN, TOO_FEW

OPEN = "open"


@dataclass(frozen=True)
class Direction:
    """One direction of an answer.

    Attributes
    ----------
    name : str
    value : float
        Variance, eigenvalue or correlation.
    share : float or None
        Of the total.
    verdict : str
        What a test says about it: "shown", "not shown by these rows" or "too few rows to tell"; "open" if two criteria
        disagree, "not tested" where there is no test.
    evidence : str
        Why: a p-value, a threshold.
    p_value : float or None
        Of "at most the directions before it"; None where there is none.
    """

    name: str
    value: float
    share: float | None
    verdict: str = NOT_TESTED
    evidence: str = ""
    p_value: float | None = None

    @property
    def shown(self) -> bool | None:
        """Whether it is shown; None where no test says so or denies it."""
        return {SHOWN: True, NOT_SHOWN: False, TOO_FEW: False}.get(self.verdict)


@dataclass(frozen=True)
class Test:
    """How directions were tested, or why they were not.

    Attributes
    ----------
    name : str
        Empty where no test was made.
    about : str
        A sentence for readers: what was compared with what; or why nothing was.
    level : float or None
        None for a criterion, which has none.
    draws : int or None
        Permutations, or tables of noise; p-values are multiples of 1/(1 + draws).
    rows : int or None
        Rows that were tested, where those are not all.
    doubt : str
        What the test assumes, if anything.
    of_the_next : str
        Why there are no more directions, with the smallest that would have been found.
    stopped : bool
        Whether there may be more directions than were tested.
    """

    name: str = ""
    about: str = ""
    level: float | None = None
    draws: int | None = None
    rows: int | None = None
    doubt: str = ""
    of_the_next: str = ""
    stopped: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return what a program would want to read."""
        finest = None if self.draws is None else 1 / (1 + self.draws)
        return {
            "name": self.name or None,
            "about": self.about,
            "level": self.level,
            "draws": self.draws,
            "smallest_p_value": finest,
            "rows": self.rows,
            "next": self.of_the_next or None,
            "stopped": self.stopped,
        }


@dataclass(frozen=True)
class ComparedMethod:
    """A method in a comparison: its cross-validated score with an interval.

    Attributes
    ----------
    name : str
    score, low, high : float
    seconds : float
    note : str
        Why there is no score.
    ours : bool
        Whether it is the method of the study.
    advantage : str
        What it has, where it predicts better.
    fills : bool
        Whether missing cells were filled for it.
    """

    name: str
    score: float
    low: float
    high: float
    seconds: float
    note: str = ""
    ours: bool = False
    advantage: str = ""
    fills: bool = False

    @property
    def written(self) -> str:
        """The score in words: an R² far below zero says only that the mean does better."""
        return percent(self.score)

    @property
    def interval(self) -> str:
        """The interval in words; empty where it says nothing."""
        return "" if self.score < -1 else f"{percent(self.low)} to {percent(self.high)}"


@dataclass(frozen=True)
class NextStep:
    """A step that follows from the findings: what it is for, and the command."""

    what: str
    command: str


def percent(value: float) -> str:
    """Write a share; how far below -100% an R² lies means nothing."""
    return "below -100%" if value < -1 else f"{value:.1%}"


def number(value: float, digits: int = 4) -> str:
    """Write a number with some of its digits; from 10,000 to a billion with marks between thousands, and no exponent.

    Examples
    --------
    >>> from eigenlens.page.findings import number
    >>> number(117_693.4), number(1234.2), number(0.01236), number(3.2e12)
    ('117,700', '1234', '0.01236', '3.2e+12')
    """
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if 1e4 <= abs(rounded) < 1e9 else f"{value:.{digits}g}"


def counted(k: int, noun: str) -> str:
    """Write how many: “1 column”, “1,000 rows”."""
    return f"{k:,} {noun}{'' if k == 1 else 's'}"


@dataclass
class Findings:
    """Everything a report shows.

    Attributes
    ----------
    title, source, method, kind : str
        `kind` is what was asked: "none", "classes", "number", "views" or "distances".
    n_rows, n_columns : int
        Analysed.
    notes : list of str
        What was found in the table, and done to it.
    value_name : str
        What the value of a direction is called.
    directions : list of Direction
    axes : list of str
        What the columns of `scores` are, in words.
    score_names : list of str
        What they are called in files and frames.
    scores : ndarray of shape (n, k)
    columns : dict of str to ndarray
        Of the table, for colours and the list of rows: numbers, or words as objects.
    row_names : list of str or None
    target : str or None
    loading_names : list of str
    loadings : ndarray of shape (p, k)
    loading_kind : str
        What an entry of `loadings` is.
    scree : dict
        "values", and "band" (same length, may be shorter) or None, with "band_words" that say what it is. Where a test
        is about all directions from one on: "tails", a pair of what they carry and what permutations reach.
    test : Test
    score_name : str
        What is compared: accuracy, R².
    baseline : tuple (str, float) or None
        The rule that knows nothing, and its score.
    comparison : list of ComparedMethod
    confusion : tuple (classes, matrix) or None
    numbers : ndarray or None
        Of the rows in the file, where those are not 0, 1, …
    files : sequence of (str, int, str)
        Name, bytes and SHA-256 of what was read.
    misfits : dict or None
        "rows" that do not fit, of "count" in all, beyond limits of "level" for so many "components".
    gaps : dict or None
        "names" of columns, which cells are missing ("gaps", of some rows), and "of" how many rows.
    regions : dict or None
        "x" and "y", the ends of the plane of the first two directions, and "codes" of the classes on a grid there.
    class_sizes : dict of str to int
    told_apart : list of str
        Methods whose predictions differ from ours by more than chance.
    left_out : str
        Why the scores are those of rows left out of the fit; empty where they are not.
    curve : dict or None
        "y", "z" and "half": the mean of the first direction in slices of the response, and half of its interval.
    pairs, split : int or None
        Pairs of directions of two sets of columns, and columns of the first set.
    second : object
        What prepares the second set.
    shepard : dict or None
        Distances "given" and "drawn".
    euclidean : bool or None
        Whether the distances are.
    is_map : bool
        Whether both axes of the picture have one unit.
    summary, doubts : list of str
        What was found and what to doubt, in sentences.
    code : str
        Python that repeats the fit.
    next_steps : list of NextStep
    """

    title: str
    source: str
    method: str
    kind: str
    n_rows: int
    n_columns: int
    notes: list[str]
    value_name: str
    directions: list[Direction]
    axes: list[str]
    scores: np.ndarray
    loading_names: list[str]
    loadings: np.ndarray
    loading_kind: str
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    row_names: list[str] | None = None
    target: str | None = None
    scree: dict[str, Any] = field(default_factory=dict)
    test: Test = Test()
    score_name: str = ""
    baseline: tuple[str, float] | None = None
    comparison: list[ComparedMethod] = field(default_factory=list)
    confusion: tuple[list[str], np.ndarray] | None = None
    numbers: np.ndarray | None = None
    files: Sequence[tuple[str, int, str]] = ()
    misfits: dict[str, Any] | None = None
    gaps: dict[str, Any] | None = None
    regions: dict[str, Any] | None = None
    class_sizes: dict[str, int] = field(default_factory=dict)
    told_apart: list[str] = field(default_factory=list)
    left_out: str = ""
    curve: dict[str, list[float]] | None = None
    pairs: int | None = None
    split: int | None = None
    second: Any = None
    shepard: dict[str, np.ndarray] | None = None
    euclidean: bool | None = None
    is_map: bool = False
    summary: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    code: str = ""
    warnings: list[str] = field(default_factory=list)
    score_names: list[str] = field(default_factory=list)
    next_steps: list[NextStep] = field(default_factory=list)

    @property
    def shown_directions(self) -> int | None:
        """Directions that are shown, None where nothing was tested."""
        shown = [d.shown for d in self.directions]
        tested = self.test.name or any(v is not None for v in shown)
        return sum(bool(v) for v in shown) if tested else None

    @property
    def too_few_rows(self) -> bool:
        """Whether rows are too few to tell whether there is another direction."""
        return any(d.verdict == TOO_FEW for d in self.directions)

    @property
    def ours(self) -> ComparedMethod | None:
        """The method of the study in the comparison, where it took part and could be fitted."""
        return next((c for c in self.comparison if c.ours and np.isfinite(c.score)), None)

    def named_axes(self) -> list[tuple[str, str]]:
        """Return each axis in words, with the name of its column of scores."""
        return list(zip(self.axes, self.score_names, strict=False))

    @property
    def row_numbers(self) -> np.ndarray:
        """The numbers of the rows in the file, from 0."""
        return np.arange(len(self.scores)) if self.numbers is None else self.numbers

    def columns_of(self, j: int) -> np.ndarray:
        """Return the places of the columns that axis j is made of: of two sets, those of its own."""
        places = np.arange(len(self.loading_names))
        if self.split is None or self.pairs is None:
            return places
        return places[: self.split] if j < self.pairs else places[self.split :]

    def shown_axes(self, most: int) -> list[int]:
        """Return the first axes; of two sets, those of each pair together."""
        if self.pairs is None:
            return list(range(min(most, len(self.axes), self.loadings.shape[1])))
        return [side * self.pairs + j for j in range(min(most, self.pairs)) for side in (0, 1)]

    def top_loadings(self, j: int, limit: int = 5) -> list[tuple[str, float]]:
        """Return the columns that weigh most in an axis, without those that would be written as 0.00."""
        own = self.columns_of(j)
        weights = self.loadings[own, j]
        order = np.argsort(-np.abs(weights), kind="stable")[:limit]
        return [(self.loading_names[own[i]], float(weights[i])) for i in order if abs(weights[i]) >= 0.005]

    def to_dict(self) -> dict[str, Any]:
        """Return what a program would want to read: all but the rows."""
        return {
            "title": self.title,
            "source": self.source,
            "method": self.method,
            "kind": self.kind,
            "rows": self.n_rows,
            "columns": self.n_columns,
            "target": self.target,
            "notes": self.notes,
            "directions": [
                {
                    "name": d.name,
                    self.value_name: d.value,
                    "share": d.share,
                    "verdict": d.verdict,
                    "p_value": d.p_value,
                    "evidence": d.evidence,
                    "column": name,
                }
                for d, name in zip_longest(self.directions, self.score_names[: len(self.directions)])
            ],
            "shown_directions": self.shown_directions,
            "test": self.test.to_dict(),
            "loadings": {
                axis: {self.loading_names[i]: float(self.loadings[i, j]) for i in self.columns_of(j)}
                for j, axis in enumerate(self.axes[: min(10, self.loadings.shape[1])])
            },
            "score": self.score_name or None,
            "baseline": None if self.baseline is None else {"rule": self.baseline[0], "score": self.baseline[1]},
            "comparison": [
                {"method": c.name, "score": c.score, "low": c.low, "high": c.high, "note": c.note}
                for c in self.comparison
            ],
            "confusion": None
            if self.confusion is None
            else {"classes": self.confusion[0], "counts": self.confusion[1].tolist()},
            "summary": self.summary,
            "doubts": self.doubts,
            "warnings": self.warnings,
            "rows_that_do_not_fit": self.misfits,
            "next": [{"what": step.what, "command": step.command} for step in self.next_steps],
        }
