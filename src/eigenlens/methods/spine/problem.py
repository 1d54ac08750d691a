"""A pencil that moments pose, and everything that is known about it: what to solve, what was dropped, the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ...arrays import errors, namespaces
from ...arrays.exponents import extreme_exponent, power
from ...arrays.parameters import is_number
from ...arrays.typing import Array
from ...inference.incomplete import Hypothesis
from ...moments import Centred, Factor
from ...moments.redrawn import Redrawn
from ...rows import Source
from ...solve import Pencil, Spectrum, Whitening, solve

UNLIKE = 100.0  # times the standard deviation of another column: they have other units
SCALE_ITSELF = "Use scale=True"
SCALE_FIRST = "Put sklearn.preprocessing.StandardScaler() before it in a pipeline"
REREAD_CONDITION = 1e3  # moments square it: above this they keep fewer than 10 digits of the weakest direction


@dataclass(frozen=True, eq=False)
class Problem:
    """A pencil that moments pose, and what is known about it.

    Attributes
    ----------
    pencil : Pencil
        A v = λ B v in the units of `centred`.
    moments : Moments
        What the problem was posed from.
    centred : Centred
        Its means and sums of squares in the units of the pencil, powers of two taken out of the columns.
    names : sequence of str, optional
        Names of the columns, for messages.
    asked : int, str or None
        `n_components` as it was given.
    log_likelihood : float, optional
        Of the observed cells, where others were missing.
    """

    pencil: Pencil
    moments: Any
    centred: Centred
    names: Sequence[str] | None = None
    asked: Any = None
    log_likelihood: float | None = field(default=None, kw_only=True)

    condition_of: ClassVar[str] = "X"  # for a message: what the condition is that of
    metric: ClassVar[str] = "X"  # for a message: what B is
    signal: ClassVar[str] = ""  # for a message: what A is, where its rank is worth a word
    metric_advice: ClassVar[str] = "Use fewer columns if these directions matter."
    signal_advice: ClassVar[str] = ""

    @property
    def given(self) -> Any:
        """The moments of the columns as they are, where the problem was posed of others."""
        return self.moments

    def solve(self) -> Spectrum:
        """Return the directions that are wanted."""
        return solve(self.pencil)

    @property
    def side_by_side(self) -> tuple[tuple[slice, Sequence[str] | None], ...]:
        """The columns of `centred`, table by table, and their names."""
        return ((slice(None), self.names),)

    @property
    def rows_are_few(self) -> bool:
        """Whether there are fewer rows than directions: the rank means little while more rows may come."""
        return self.pencil.most is not None and self.pencil.most < self.pencil.dimension

    def condition(self, spectrum: Spectrum) -> float:
        """Return the condition of what the answer depends on."""
        return spectrum.condition

    def condition_of_metric(self, spectrum: Spectrum) -> float:
        """Return the condition of what is whitened; 1 where nothing is."""
        return 1.0 if spectrum.whitening is None else spectrum.condition

    def better_kind(self, spectrum: Spectrum, source: Source) -> type[Centred] | None:
        """Return what another pass should keep, where digits were lost and rows can be read again."""
        lost = self.condition(spectrum) > REREAD_CONDITION and self.moments.squared
        return Factor if lost and source.rereadable else None

    @property
    def hypothesis(self) -> Callable[[Redrawn], Hypothesis] | None:
        """What "at most d directions" says about a sample with holes; None if there is no test of it."""
        return None

    def whitenings(self, spectrum: Spectrum) -> Iterator[tuple[str, str, Whitening]]:
        """Yield the metrics that were turned into the identity, each with its name and that of its table."""
        if spectrum.whitening is not None:
            yield self.metric, "X", spectrum.whitening

    def drops_weak(self, spectrum: Spectrum) -> bool:
        """Tell whether weak directions are dropped, with a warning of their own, rather than given with few digits."""
        return any(whitening.rank < whitening.varying for _, _, whitening in self.whitenings(spectrum))

    def shortfalls(self, spectrum: Spectrum) -> Iterator[Warning]:
        """Yield a warning for each set of directions that was dropped."""
        for name, table, whitening in self.whitenings(spectrum):
            found, columns = whitening.varying, int(whitening.matrix.shape[0])
            if whitening.rank < found:
                yield errors.rank_deficient(name, whitening.rank, found, "columns vary", self.metric_advice)
            elif found < columns and is_number(self.asked) and found < self.asked:
                yield errors.RankWarning(
                    f"n_components={self.asked} but {found} of the {columns} columns of {table} vary: {max(found, 1)} "
                    f"direction(s) found. The other columns are constant; drop them, and ask for n_components ≤ "
                    f"{max(found, 1)}."
                )
        found = int(spectrum.singular_values.shape[0])
        if self.signal and spectrum.rank < found:
            kept = max(spectrum.rank, 1)
            yield errors.rank_deficient(self.signal, kept, found, "were asked for", self.signal_advice)

    def of_columns(self, spectrum: Spectrum) -> Spectrum:
        """Return a spectrum of the pencil with directions of the columns, each in its own unit."""
        found = self.directions(spectrum.vectors)
        return spectrum if found is spectrum.vectors else spectrum.mapped(found)

    def directions(self, vectors: Array, unit: Array | None = None) -> Array:
        """Return vectors of the pencil as directions of the columns, each in its own unit (that of `centred`)."""
        if unit is None:
            if self.centred.exponent is None:
                return vectors
            unit = self.centred.unit[: vectors.shape[0]]  # columns of a second table come after those of X
        with np.errstate(over="ignore"):
            found = vectors / unit[:, None]
        if not namespaces.all_finite(found):
            small = column_names(self.names, ~np.isfinite(namespaces.to_numpy(found)).all(axis=1))
            raise errors.InputError(
                f"X: column {small} is so small that its coefficient overflows; multiply it by a large number."
            )
        return found


def column_names(names: Sequence[str] | None, marked: np.ndarray) -> str:
    """List marked columns for a message: as the user named them, or by their numbers."""
    columns = np.flatnonzero(marked)
    return errors.listed(repr(str(names[j])) if names is not None else str(j) for j in columns.tolist())


def spread_of_rows(X: Array) -> np.ndarray:
    """Return how far columns spread, all in one unit; 0 of constant columns."""
    xp = namespaces.namespace(X)
    apart = X - X[:1, :]  # of a constant column exactly 0
    unit = power(extreme_exponent(xp.max(xp.abs(apart))))  # squares of 1e200 overflow
    return namespaces.to_numpy(xp.std(apart if unit == 1 else apart / unit, axis=0))


def warn_of_spread(spread: np.ndarray, names: Sequence[str] | None, advice: str) -> None:
    """Warn where columns differ so much in standard deviation that those of a small unit hardly count."""
    varying = spread > 0
    if np.count_nonzero(varying) < 2:
        return
    large, small = float(spread.max()), float(spread[varying].min())
    if large > UNLIKE * small:
        most, least = (
            column_names(names, np.arange(len(spread)) == np.flatnonzero(spread == s)[0]) for s in (large, small)
        )
        errors.warn(
            errors.ScaleWarning(
                f"Columns differ in their units: the standard deviation of column {most} is {large / small:,.0f} times "
                f"that of column {least}, which hardly counts. {advice}, unless all columns have the same unit."
            )
        )
