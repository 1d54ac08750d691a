"""What was decided of directions, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..inference.dimension_test import DimensionTest, p_words
from ..inference.distance_errors import distance_errors_test
from ..inference.noise import above_negative, broken_stick
from ..page.findings import NOT_SHOWN, NOT_TESTED, OPEN, SHOWN, Direction, Test

MOST_POINTS = 2500  # of a table of distances whose eigenvalues are all computed
FEW_POINTS = 300  # of one whose errors are drawn, which takes a hundred times as long
NAMES = {"wilks": "Wilks"}  # of tests, where they differ from the names of methods
TAILS = {
    "ratio of variances": "The variance along this direction over the mean of those left, columns in units of their "
    "own noise."
}
IN_ORDER = "Directions count in order: after one that is not shown, none is, however small its p-value."


@dataclass(frozen=True)
class Verdicts:
    """What was decided of k directions.

    Attributes
    ----------
    test : Test
    words : list of str
        "shown", "not shown by these rows", …
    evidence : list of str
    p_values : list of float or None
    scree : dict
        "band" and "band_words", or "tails": what the picture of the directions shows of the test.
    """

    test: Test
    words: list[str]
    evidence: list[str]
    p_values: list[float | None]
    scree: dict[str, Any] = field(default_factory=dict)

    def direction(self, j: int, name: str, value: float, share: float | None) -> Direction:
        """Return the j-th direction with its verdict."""
        said, band = [self.evidence[j]] if self.evidence[j] else [], self.scree.get("band", ())
        if j < len(band) and self.words[j] != OPEN:
            said.append(f"noise reaches {band[j]:.3g}")
        return Direction(name, value, share, self.words[j], ", ".join(said), self.p_values[j])


def untested(k: int, why: str) -> Verdicts:
    """Say why nothing was tested."""
    return Verdicts(Test(about=why), [NOT_TESTED] * k, [""] * k, [None] * k)


def of_test(found: DimensionTest, k: int, band_words: str = "", rows: int | None = None) -> Verdicts:
    """Read a test: its own verdicts, what it says about itself, and what the pictures show of it.

    Where the test compares single values with those of noise, the picture gets a band, if there are words for it; where
    it has a statistic of its own for each direction, a second picture shows these.
    """
    p = [float(v) if np.isfinite(v) else None for v in found.p_values[:k]]
    p += [None] * (k - len(p))
    by = "Wilks " if found.method == "wilks" else ""
    said = ["" if v is None else f"{by}{p_words(v, found.draws)}" for v in p]
    scree: dict[str, Any] = {}
    if "bar" in found.statistics:
        tested = np.isfinite(found.statistics["bar"])
        scree["tails"] = (found.statistics["statistic"][tested], found.statistics["bar"][tested])
        scree["tails_words"] = TAILS.get(found.statistic, "What this direction and all after it carry together.")
    if "noise" in found.statistics and band_words:
        scree |= {"band": found.statistics["noise"][:k], "band_words": band_words}
    verdicts = [*found.verdicts, *[found.verdict_beyond] * k][:k]
    late = any(v is not None and v <= found.alpha for v in p[found.dimension :])
    about = " ".join(filter(None, [found.about, IN_ORDER if late else "", found.note]))
    test = Test(
        *(NAMES.get(found.method, found.method), about, found.alpha, found.draws, rows, found.doubt),
        of_the_next=found.of_the_next,
        stopped=found.stopped,
    )
    return Verdicts(test, verdicts, said, p, scree)


def map_verdicts(all_values: np.ndarray | None, k: int, distances: np.ndarray | None = None) -> Verdicts:
    """Count coordinates that carry more than a stick broken at random, and more than the largest negative one.

    Parameters
    ----------
    all_values : ndarray or None
        All eigenvalues of the centred table; None where there are too many points to compute them.
    k : int
        Coordinates of the map.
    distances : ndarray, optional
        Of which errors are drawn for coordinates that the two criteria leave open.
    """
    if all_values is None:
        why = f"All eigenvalues are needed for that, which are computed for up to {MOST_POINTS:,} points."
        return untested(k, why)
    if np.count_nonzero(all_values > 0) < 2:
        return untested(k, "There is a single coordinate, so there is nothing to compare it with.")
    stick, negative = broken_stick(all_values), above_negative(all_values)
    bars = [test.statistics["noise"][:k] for test in (stick, negative)]
    sure, most = sorted((stick.dimension, negative.dimension))
    said = [SHOWN if j < sure else OPEN if j < most else NOT_SHOWN for j in range(k)]
    only = "above the negative ones only" if stick.dimension < negative.dimension else "above the broken stick only"
    evidence = [only if w == OPEN else "" for w in said]
    if OPEN in said and distances is not None and len(distances) <= FEW_POINTS:
        found = distance_errors_test(distances)
        for j in range(min(k, found.dimension)):
            if said[j] == OPEN:
                p = p_words(float(found.p_values[j]))
                evidence[j] = f"{only}; errors of single distances do not explain it, {p}"
    about = (
        "A coordinate is shown if its eigenvalue exceeds that of a stick broken at random, and also the size of "
        "the most negative eigenvalue, which measures the error; it is left open if it exceeds one of the "
        "two. These are criteria; there is no p-value."
    )
    words = "The shaded band is what a stick broken at random has, or the most negative eigenvalue if that is larger."
    test = Test("broken stick and negative inertia", about)
    return Verdicts(test, said, evidence, [None] * k, {"band": np.maximum(*bars), "band_words": words})
