"""The problem that the profiles of a table of counts pose, and the ways to its axes where the table lies in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import partial

from ..arrays import errors
from ..moments import Profiles
from ..moments.count_table import CountTable
from ..solve import Form, Pencil, Spectrum, solve
from ..solve.leading import WIDTHS
from ..solve.products import ProductForm
from .spine.problem import REREAD_CONDITION, Problem

FEW_OF_MANY = 4  # columns for each axis from which the others are not solved for
SMALL_SIDE = 16  # rows, or columns, below which all axes take no longer than a few
MANY_CELLS = 2**17  # of a table that is multiplied with, rather than squared
WEAK_INERTIA = 1e-6  # of a table whose departures from independence are digits that products with its counts would lose


@dataclass(frozen=True, eq=False)
class ProfilesProblem(Problem):
    """The scatter of row profiles in the metric of the margin.

    Attributes
    ----------
    wanted : int
        How many directions are kept.
    exact : function or None
        Returns the form as a factor, for directions so weak that their squares have lost digits.
    """

    wanted: int = 1
    exact: Callable[[], Form] | None = None

    condition_of = "The table of profiles, along the axes that are kept,"

    def solve(self) -> Spectrum:
        spectrum = solve(self.pencil)
        if self.exact is not None and self.condition(spectrum) > REREAD_CONDITION:
            spectrum = solve(replace(self.pencil, A=self.exact()))
        k = max(1, min(self.wanted, spectrum.rank) if self.asked is None else self.wanted)
        return spectrum if k == len(spectrum) else spectrum.first(k)

    def condition(self, spectrum: Spectrum) -> float:
        first, last = float(spectrum.singular_values[0]), float(spectrum.singular_values[-1])
        return first / last if last > 0 else 1.0

    def drops_weak(self, spectrum: Spectrum) -> bool:
        return self.asked is None

    def shortfalls(self, spectrum: Spectrum) -> Iterator[Warning]:
        if not spectrum.rank:
            yield errors.RankWarning(
                "All rows of X have the same profile: no axis has inertia. Check that these are the right rows and "
                "columns."
            )
        elif spectrum.rank < len(spectrum):
            yield errors.RankWarning(
                f"X has {spectrum.rank} axes with inertia but n_components={len(spectrum)}; ask for fewer. Rows of the "
                f"same profile count as one."
            )


def table_problem(moments: Profiles, table: CountTable, asked: int | None, k: int, most: int) -> ProfilesProblem:
    """Return the problem of a table in memory: few axes of many need no more than products with it, or of it."""
    few = asked is not None and max(FEW_OF_MANY * k, SMALL_SIDE) <= table.side
    few = few and bool(table.column_squares.sum() > WEAK_INERTIA)
    form: Form
    exact = None
    if few and table.counts.size >= MANY_CELLS:
        table = copy(table)  # which the moments share with the model that they came from
        table.width = k + 1 if k < WIDTHS[0] else None
        form = ProductForm(products=table, squares=table.column_squares, rows=table.shape[0])
    elif few and not table.over_rows:
        form, exact = Form(matrix=table.gram()), partial(_residual_form, table, k)
    else:
        form = _residual_form(table, k)
    pencil = Pencil(form, n_components=None if asked is None else k, most=most, leading=few)
    return ProfilesProblem(pencil, moments, moments.of(), None, asked, k, exact)


def _residual_form(table: CountTable, k: int) -> Form:
    return Form(factor=table.residuals, squared=False).with_rows(min(k, table.shape[1]))
