"""A problem: everything that a method asks of its moments, said once.

A method poses it, and the spine reads it: what to solve, how far digits can be trusted, which directions were dropped,
and how the answer becomes directions of the columns again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ._core import errors
from ._core import xp as _xp
from ._core.parameters import is_number
from ._core.typing import Array
from .moments import Centred, Outline
from .moments.store import INCOMPLETE
from .spectral import Form, Pencil, Spectrum, Whitening, solve
from .spectral.products import ProductForm


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
    """

    pencil: Pencil
    moments: Any
    centred: Centred
    names: Sequence[str] | None = None
    asked: Any = None

    condition_of: ClassVar[str] = "X"  # for a message: what the condition is that of
    metric: ClassVar[str] = "X"  # for a message: what B is
    signal: ClassVar[str] = ""  # for a message: what A is, where its rank is worth a word
    metric_advice: ClassVar[str] = "Use fewer columns if these directions matter."
    signal_advice: ClassVar[str] = ""

    def solve(self) -> Spectrum:
        """Return the directions that are wanted."""
        return solve(self.pencil)

    @property
    def rows_are_few(self) -> bool:
        """Whether there are fewer rows than directions: rank says nothing as long as more rows may come."""
        return self.pencil.most is not None and self.pencil.most < self.pencil.dimension

    def condition(self, spectrum: Spectrum) -> float:
        """Return the condition of what the answer depends on."""
        return spectrum.condition

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
            elif is_number(self.asked) and found < min(self.asked, columns):
                yield errors.RankWarning(
                    f"n_components={self.asked} but {found} of the {columns} columns of {table} vary: {max(found, 1)} "
                    f"direction(s) found. The other columns are constant; drop them, and ask for n_components ≤ "
                    f"{max(found, 1)}."
                )
        if self.signal and spectrum.rank < len(spectrum):
            kept = max(spectrum.rank, 1)
            yield errors.rank_deficient(self.signal, kept, len(spectrum), "were asked for", self.signal_advice)

    def directions(self, vectors: Array) -> Array:
        """Return vectors of the pencil as directions of the columns, each column in its own unit."""
        return in_units(vectors, self.centred.unit, self.names)


def in_units(vectors: Array, unit: Array, names: Sequence[str] | None) -> Array:
    """Return directions for the columns as they are, from those for columns over a power of two."""
    with np.errstate(over="ignore"):
        found = vectors / unit[:, None]
    if not _xp.all_finite(found):
        small = column_names(names, ~np.isfinite(_xp.to_numpy(found)).all(axis=1))
        raise errors.InputError(
            f"X: column {small} is so small that its coefficient overflows; multiply it by a large number."
        )
    return found


def covariance_form(moments: Centred, divisor: float) -> Form:
    """Return the sum of squares of moments over a divisor, over 2^exponent."""
    if isinstance(moments, Outline):
        return _product_form(moments)
    if moments.factor is None:
        return Form(matrix=moments.matrix / divisor)
    factor = moments.factor if divisor == 1.0 else moments.factor / divisor**0.5
    return Form(factor=factor, squared=moments.squared)


def _product_form(moments: Outline) -> ProductForm:
    """Return the sum of squares of rows that are at hand to be multiplied."""
    if moments.products is None:
        raise errors.InputError(INCOMPLETE)
    squares, steps = moments.store.diagonal(), moments.most_steps
    return ProductForm(products=moments.products, squares=squares, rows=moments.n_rows, most_steps=steps)


def column_names(names: Sequence[str] | None, marked: np.ndarray) -> str:
    """List marked columns for a message: as the user named them, or by their numbers."""
    columns = np.flatnonzero(marked)
    return errors.listed(repr(str(names[j])) if names is not None else str(j) for j in columns.tolist())
