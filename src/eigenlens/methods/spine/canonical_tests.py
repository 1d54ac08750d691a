"""How many canonical directions there are, of two tables or of classes: by normal theory, or by moving rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...arrays import errors, namespaces
from ...arrays.parameters import check_choice
from ...arrays.typing import TableLike
from ...inference.canonical import TESTS, advise, canonical_permutation_test, leverages, wilks
from ...inference.dimension_test import DimensionTest
from ...inference.units import Units
from ...moments import Grouped
from ...rows import Source
from ...solve import Form, Pencil, solve
from ..classifier import between_form
from .missing import TakesHoles
from .moments_estimator import Kept
from .rows_estimator import labels_of_kept, repeated, repeated_or_none

MOST_CELLS = 1e8  # of rows whose leverages are looked at; larger tables are tested from moments


@dataclass(frozen=True)
class Sides:
    """What a method says to the test of its canonical directions.

    Attributes
    ----------
    by_theory : function of alpha and method
        Returns the test by normal theory.
    leverages : function of y
        Returns the leverages of rows in the second table, or in the classes, and its rank: one less than classes.
    tables : function of X and y
        Returns the two tables whose canonical correlations are tested, and what is added to their sums of squares.
    penalised_by : str
        For a message: the parameter that adds to the sums of squares, which invalidates the normal theory.
    """

    by_theory: Callable[[float, Any], DimensionTest]
    leverages: Callable[[Any], tuple[np.ndarray, int]]
    tables: Callable[[np.ndarray, Any], tuple[Any, ...]]
    penalised_by: str = ""


class CanonicalTests(TakesHoles[Kept]):
    """A method whose directions are canonical: of two tables, or of a table and classes."""

    @abstractmethod
    def _sides(self, moments: Any) -> Sides:
        """Return what the test needs to know, of moments without holes."""

    def _canonical_test(
        self,
        X: TableLike | None,
        Y: Any,
        sample_weight: Any,
        alpha: float,
        method: str | None,
        groups: Any,
        block: int | None,
        n_draws: int,
        seed: Any,
    ) -> DimensionTest:
        """Test the rows that are given, or the moments of the fit; where no method is named, rows choose it."""
        self._require_fit()
        if method is not None:
            check_choice("method", method, (*TESTS, "permutation"))
        moved = check_moved(method, groups, block)
        source = self._rows_to_test(X, Y, sample_weight, "permutation", needed=moved or method == "permutation")
        moments = self._tested_moments(source)
        holed = self._holed_test(moments, method, moved, alpha, n_draws, seed)
        if holed is not None:
            return holed
        sides = self._sides(self._without_holes(moments))
        if sides.penalised_by and method not in (None, "permutation"):
            raise errors.InputError(
                f"{sides.penalised_by}: the normal theory of method={method!r} holds for plain least squares; use "
                "method='permutation', which assumes no distribution."
            )
        needed = moved or method == "permutation" or bool(sides.penalised_by)
        if source is None and needed:
            self._rows_to_test(None, None, None, "permutation", needed=True)
        by_theory = source is None or method not in (None, "permutation")
        rows = None if by_theory else of_rows(source, groups, block, needed)  # type: ignore[arg-type]
        if rows is None:
            return sides.by_theory(alpha, method or "wilks").with_note(*self._unchecked(method))
        note = ""
        if not needed:
            method, note = taken(rows.X, *sides.leverages(rows.y))
        if method == "wilks":
            return sides.by_theory(alpha, method)
        tables = sides.tables(rows.X, rows.y)
        test = canonical_permutation_test(*tables, alpha=alpha, n_draws=n_draws, seed=seed, moves=rows.moves)
        return test.with_note(note)

    def _summary_test(self) -> str:
        sides = self._sides(self._whole_moments)
        if sides.penalised_by or self._collected is not self._whole_moments:
            return ""
        return str(sides.by_theory(0.05, "wilks").with_note(*self._unchecked(None)))

    def _unchecked(self, method: str | None) -> tuple[str, ...]:
        """Return the note of a default test from moments."""
        second = "y" if self._target == "labels" else self._second_name
        return () if method else (f"The test assumes normal data; pass X and {second} to check that.",)


@dataclass(frozen=True)
class MovedRows:
    """Rows of a test, a row of weight 2 twice, and what moves together; None where each row moves by itself."""

    X: np.ndarray
    y: Any
    moves: Units | None


def check_moved(method: str | None, groups: Any, block: int | None) -> bool:
    """Tell whether rows move together; refuse it where the test does not move rows."""
    moved = groups is not None or block is not None
    if moved and method not in (None, "permutation"):
        raise errors.InputError(
            f"method={method!r} treats rows as independent; groups and block need method='permutation'."
        )
    return moved


def of_rows(source: Source, groups: Any, block: int | None, needed: bool) -> MovedRows | None:
    """Read the rows of a test; None if it does not need them and they are too many, or if weights are not counts."""
    read = repeated(source) if needed else repeated_or_none(source, MOST_CELLS)
    if read is None:
        return None
    moved = groups is not None or block is not None
    return MovedRows(read.X, read.y, Units.of(len(read.X), labels_of_kept(source, groups), block) if moved else None)


def taken(X: np.ndarray, y_leverages: np.ndarray, s: int) -> tuple[Literal["wilks", "permutation"], str]:
    """Choose between Wilks' test and permutations by the leverages of rows; say why, where it is not Wilks' test.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    y_leverages : ndarray of shape (n,)
        Of the other table, or of the classes.
    s : int
        Its rank; one less than the number of classes.
    """
    h = leverages(X)
    p = round(float(h.sum()))
    if len(X) - p - s - 1 <= 0:
        return "wilks", ""  # which says that rows are too few
    advice = advise(h, y_leverages, p, s)
    return advice.method, "" if advice.method == "wilks" else f"Permutations were used: {advice.reason}."


def codes_of(y: Any) -> np.ndarray:
    """Return the classes of rows as numbers from 0, without gaps."""
    return np.unique(np.asarray(y, dtype=np.intp), return_inverse=True)[1]


def as_columns(Y: Any) -> np.ndarray:
    """Return a table of two dimensions, of one column too."""
    return np.asarray(Y, dtype=np.float64).reshape(len(Y), -1)


def class_leverages(codes: np.ndarray) -> np.ndarray:
    """Return the leverages of rows of classes, numbered from 0."""
    return 1 / np.bincount(codes)[codes] - 1 / len(codes)


def table_leverages(Y: Any) -> tuple[np.ndarray, int]:
    """Return the leverages of rows in a table, and its rank."""
    h = leverages(as_columns(Y))
    return h, round(float(h.sum()))


def wilks_of_classes(moments: Grouped, alpha: float = 0.05, method: Any = "wilks") -> DimensionTest:
    """Test the canonical correlations of X with the classes by normal theory, each class weighted by its share."""
    K, n, within = len(moments.labels), moments.weight, moments.within()
    most = max(1, min(within.n_features, within.n_rows - K))
    B = Form.of(within, n)
    spectrum = solve(Pencil(between_form(within, moments.weights / n), B, None, within.constant_columns(), most))
    rank = spectrum.whitening.rank  # type: ignore[union-attr]
    ratios = namespaces.to_numpy(spectrum.values)[: min(rank, K - 1)]
    cosines, sines = np.sqrt(ratios / (1 + ratios)), 1 / np.sqrt(1 + ratios)
    return wilks(cosines, n, rank, K - 1, alpha, method, sines=sines)


# -- what a study asks before a test -----------------------------------------------------------------------------------


def cost_of_classes(n: int, p: int, groups: int) -> float:
    """Return the multiplications of one permutation, in as many coordinates as the smaller side has.

    Products of matrices, and 20 m³ to choose a penalty.
    """
    m = min(n, p)
    return (n * m * m + 20 * m**3) * (groups - 1)


def classes_by_theory(X: np.ndarray, y: Any) -> bool:
    """Tell whether the default test of these rows and labels makes no permutations."""
    codes = np.unique(y, return_inverse=True)[1]
    return _wilks_by_default(X, class_leverages(codes), int(codes.max()))


def pairs_by_theory(X: np.ndarray, Y: Any) -> bool:
    """Tell whether the default test of these rows of two tables makes no permutations."""
    return _wilks_by_default(X, *table_leverages(Y))


def _wilks_by_default(X: np.ndarray, y_leverages: np.ndarray, s: int) -> bool:
    """Tell whether the default test of these rows makes no permutations."""
    return X.size > MOST_CELLS or taken(X, y_leverages, s)[0] == "wilks"
