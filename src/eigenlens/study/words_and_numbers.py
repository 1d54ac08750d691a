"""No target, and words among the columns: the axes that words and numbers share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ..arrays.errors import InputError, listed
from ..arrays.spelling import option, refused
from ..inference.dimension_test import drawn
from ..page.findings import Findings, percent
from ..rows import Preparation
from ..rows.selection import Selection
from .data import Data
from .dimension_tests import FEWEST_ROWS, PERMUTED, STRICT, UNRELATED, WORK, of_rows
from .efforts import LEVEL, effort, some_rows
from .gaps import holes_in
from .methods import declared, made
from .missing_cells import tell_missing_words
from .plan import Plan, Progress
from .preparing import prepared
from .related import related_rows
from .sentences import base, correlations, spread_words
from .verdicts import Verdicts, of_test, untested

MOST_AXES = 10
MOST_COLUMNS = 1_000  # with words as columns of 0 and 1: a method for words decomposes the products of all of them
FEWEST_LEVELS = 3  # words of two levels are as well told by one column of 0 and 1


def asks_for_words(data: Data) -> bool:
    """Tell whether a table without a target holds words that a method for words should have as they are."""
    import pyarrow as pa

    if data.kind != "none" or all(map(pa.types.is_floating, data.table.schema.types)):
        return False
    found = Preparation(standardise=False, missing="keep", full=True).fit(data.table)
    if len(found.names_out_) > MOST_COLUMNS:
        return False
    numbers = [j for j, name in enumerate(data.table.column_names) if name not in found.levels_]
    numbers_have_holes = bool(holes_in(data.table)[:, numbers].any())
    return not numbers_have_holes and any(len(levels) >= FEWEST_LEVELS for levels in found.levels_.values())


def answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    """Fit a method that takes words as they are, and tell its axes from those of unrelated columns."""
    preparation = prepared(data, plan, full=True)
    names, table = preparation.names_out_, data.table.select(preparation.columns_)
    _require_numbers(cls, data, [name for name in preparation.columns_ if name not in preparation.levels_])
    free = sum(max(len(block) - 1, 1) for block in preparation.blocks())
    model = made(cls, plan.seed).set_params(n_components=max(1, min(MOST_AXES, free, data.n_rows - 1)))
    model.fit(table, sample_weight=data.weights)
    scores = np.asarray(model.transform(table))
    values, shares = np.asarray(model.eigenvalues_), np.asarray(model.explained_variance_ratio_)
    found = _verdicts(cls, data, table, len(names), len(values), plan, progress)
    axes = [f"axis {j + 1}" for j in range(len(values))]
    directions = [found.direction(j, axes[j], float(values[j]), float(shares[j])) for j in range(len(values))]
    loadings = correlations(preparation.transform(data.table), scores, data.weights)
    findings = base(data, plan, cls, directions, axes, scores, names, loadings)
    tell_missing_words(findings, data, preparation)
    findings.value_name, findings.loading_kind = "inertia", "correlation with the axis"
    findings.scree, findings.test = {"values": values, **found.scree}, found.test
    spread_words(findings, standardised=True)
    adjusted = getattr(model, "adjusted_inertia_", None)
    if adjusted is not None and len(adjusted) > 1:
        two = percent(float(adjusted[:2, 1].sum()))
        findings.summary.append(f"Shares of words alone are pessimistic: adjusted (Greenacre), two axes carry {two}.")
    findings.doubts.append(
        "Where words are steps of one scale, the second axis often bends the first (an arch): it is the same scale."
    )
    words = [name for name in preparation.columns_ if name in preparation.levels_]
    select = Selection(list(preparation.columns_), words)
    return findings, Pipeline([("select", select), ("model", model)])


def _require_numbers(cls: Any, data: Data, names: list[str]) -> None:
    """Refuse numbers that are missing: the method counts missing words as a word, and has no such way for numbers."""
    holed = [name for name in names if holes_in(data.table.select([name])).any()]
    if holed:
        rule = f"it needs all numbers, and some are missing in {listed(map(repr, holed))}"
        way_out = f"use {option('method', 'pca')}, or leave the rows out ({option('missing', 'drop')})"
        raise refused("method", declared(cls).name, f"{rule}; {way_out}")


def _verdicts(
    cls: Any, data: Data, table: Any, columns: int, k: int, plan: Plan, progress: Progress | None
) -> Verdicts:
    n, related = data.n_rows, related_rows(data)
    if table.num_columns < 2:
        return untested(k, "There is a single column, so it cannot be related to others.")
    if related.groups is not None:
        return untested(k, "Columns are permuted row by row, which groups do not allow.")
    spent = effort(n, lambda m: m * columns * min(m, columns), WORK, 199, FEWEST_ROWS["none"])
    if spent is None:
        return untested(k, "The table is too large for the permutations that a test takes.")
    if progress:
        progress("testing directions: permuting", 0, 0)
    rows = some_rows(spent.rows, n, plan.seed)
    some, part = table.take(rows), related.of(rows)
    try:
        tested = made(cls, plan.seed).fit(some, sample_weight=part.weights)
        found = tested.test_dimension(
            some, sample_weight=part.weights, alpha=LEVEL, n_draws=spent.draws, random_state=plan.seed
        )
    except InputError as error:
        return untested(k, str(error))
    about = (
        "The axes were compared with those of the same columns, each permuted separately (a column of words as a "
        f"whole), so columns have nothing in common ({drawn(spent.draws)})."
    )
    found = of_rows(replace(found, method=PERMUTED, about=about, doubt=STRICT), spent.rows, n)
    return of_test(found, k, UNRELATED if spent.rows == n else "", spent.rows if spent.rows < n else None)
