"""Which directions a test shows, what it may cost, and what is said about it.

How many draws a test has is decided by the size of the table, never by a clock: the same table gets the same verdict on
every machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays.errors import InputError
from ..arrays.spelling import option
from ..inference.dimension_test import DimensionTest, drawn
from ..inference.parallel import against_refits
from ..methods.spine.about import Cost
from ..methods.spine.patterns import patterns_in
from ..moments.redrawn import work_of_draw
from .data import Data, sample_rows
from .efforts import DRAWS, LEVEL, Effort, effort, some_rows
from .methods import declared
from .plan import Plan, Progress
from .related import ALONE, Related
from .verdicts import Verdicts, of_test, untested

WORK = 2e10  # multiplications of all draws of a test: a few seconds
FEWEST_ROWS = {"none": 50, "number": 100}  # with fewer a test would see nothing
FEWEST_OF_CLASS = 10
FEWEST_WHOLE = 20  # rows without holes, beyond the number of columns
STRICT = "If the first direction carries most of the variance, parallel analysis is too strict with the next."
WEIGHTED = "Normal theory, which is not checked with weights."
PERMUTED = "parallel analysis, permutations"
UNRELATED = "The shaded band is what unrelated columns would reach (95%)."


def verdicts(
    model: Any,
    X: np.ndarray,
    y: np.ndarray | None,
    k: int,
    plan: Plan,
    progress: Progress | None,
    groups: int = 1,
    whole: np.ndarray | None = None,
    related: Related = ALONE,
    data: Data | None = None,
    names: list[str] | None = None,
) -> Verdicts:
    """Ask a fitted model which of its k directions these rows show.

    Parameters
    ----------
    model : fitted model
    X : ndarray of shape (n, p)
    y : ndarray or None
        As in the fit.
    k : int
    plan : Plan
    progress : Progress or None
    groups : int
        Classes, columns of the second set, or directions.
    whole : ndarray of bool, optional
        Rows without holes, where others have some: the test is made on these.
    related : Related
        Which rows belong together, and how much each counts.
    data : Data, optional
        Where X may be a sample of the rows of a file.
    names : list of str, optional
        Of the columns, for messages.
    """
    says, name = declared(model), type(model).__name__
    if says.test is None:
        return untested(k, says.untested or f"{name} has no test of its directions.")
    p, sampled = X.shape[1], data is not None and data.whole is not None
    n = data.n_rows if data is not None and sampled else len(X)
    if whole is not None and not whole.all():
        all_rows = _with_holes(model, k, n, plan, related)
        if all_rows is not None:
            return all_rows
        complete = related.of(whole)
        return _of_whole_rows(
            lambda m, A, b: verdicts(m, A, b, k, plan, progress, groups, None, complete), model, X, y, whole, k, names
        )
    refusal = related.refused_by(model)
    if refusal:
        return untested(k, refusal)
    if related.groups is None and related.weights is not None:
        with suppress(InputError):  # a test that needs rows is asked with rows
            return _of_moments(model, k, n, plan, says.test.draws, WEIGHTED)
    numbers, by_class = None if data is None else data.numbers, says.question == "classes"
    looked_at = some_rows(sample_rows(p), len(X), plan.seed, y if by_class else None, numbers)
    part = (X, y) if len(looked_at) == len(X) else (X[looked_at], None if y is None else y[looked_at])
    cost = says.test.cost if related.groups is not None else says.test.cost_for(model, *part)
    if cost is None and (sampled or by_class) and says.test.theory is not None:  # rows, or a sample, speak for theory
        try:
            return _of_moments(model, k, n, plan, says.test.draws)
        except InputError as error:  # of too few rows it says nothing
            if not sampled:
                return untested(k, f"{error} {says.test.advice()}".strip())
    if cost is not None and progress:
        progress("testing directions: permuting", 0, 0)
    drawn = _rows_to_test(says, cost, X, y, n, groups, plan, data)
    if drawn is None:
        why = f"The table is too large for the permutations that a test of {name} takes."
        return untested(k, f"{why} In Python: model[-1].test_dimension(X{'' if y is None else ', y'}).")
    rows, draws = drawn
    try:
        found = _tested(model, X, y, rows, Effort(draws, len(rows)), plan, related, n)
    except InputError as error:
        return untested(k, f"{error} {says.test.advice()}".strip())
    found = of_rows(found, len(rows), n).with_note(related.told if related.groups is not None else "")
    return of_test(found, k, UNRELATED if says.question == "none" else "", len(rows) if len(rows) < n else None)


def of_rows(found: DimensionTest, rows: int, n: int) -> DimensionTest:
    """Return a test that says on how many of the rows it was made."""
    if rows >= n:
        return found
    some = f"The test was made on {rows:,} of the {n:,} rows, drawn at random."
    return replace(found, about=f"{found.about} {some}")


def _rows_to_test(
    says: Any,
    cost: Cost | None,
    X: np.ndarray,
    y: np.ndarray | None,
    n: int,
    groups: int,
    plan: Plan,
    data: Data | None,
) -> tuple[np.ndarray, int] | None:
    """Return the rows that a test takes and its draws; None where even a few rows would take too long."""
    p, numbers, by_class = X.shape[1], None if data is None else data.numbers, says.question == "classes"
    if cost is None:
        if says.test.theory is None:  # it draws from the rows themselves
            return some_rows(sample_rows(p), n, plan.seed, None, numbers), says.test.draws
        return np.arange(len(X)), says.test.draws
    afforded = _affordable(says, cost, n, p, groups)
    if afforded is None:
        return None
    most = sample_rows(p) // 2 if by_class else sample_rows(p)
    sizes = data.class_sizes()[1] if data is not None and by_class else None
    rows = some_rows(min(afforded.rows, most), n, plan.seed, y if by_class else None, numbers, sizes)
    return rows, afforded.draws


def _of_moments(model: Any, k: int, n: int, plan: Plan, draws: int, about: str = "") -> Verdicts:
    """Make the test of a model from the moments of its fit."""
    says = declared(model)
    found = model.test_dimension(**_settings(model, draws, plan))
    found = replace(found, note=about)
    return of_test(found, k, UNRELATED if says.question == "none" else "")


def _with_holes(model: Any, k: int, n: int, plan: Plan, related: Related) -> Verdicts | None:
    """Test all rows, those with holes too; None where the method has no such test, or it would take too long."""
    hypothesis, moments = getattr(model, "_hypothesis", lambda: None), getattr(model, "moments_", None)
    if related.groups is not None or moments is None or getattr(model, "missing", "refuse") == "refuse":
        return None
    found = patterns_in(moments)
    cost = work_of_draw(0 if found is None else len(found.weights), model.n_features_in_)
    draws = next((draws for draws in DRAWS if draws * cost <= WORK), None)
    if draws is None or hypothesis() is None:
        return None
    about = f"All {n:,} rows were tested, those with missing numbers too."
    try:
        return _of_moments(model, k, n, plan, draws, about)
    except InputError:
        return None


def _settings(model: Any, draws: int, plan: Plan) -> dict[str, Any]:
    """Return what a test is asked with, beside rows."""
    settings: dict[str, Any] = {"alpha": LEVEL, "n_draws": draws, "random_state": plan.seed}
    if "budget" in signature(model.test_dimension).parameters:
        settings["budget"] = WORK
    return settings


def _tested(
    model: Any, X: np.ndarray, y: Any, rows: np.ndarray, spent: Effort, plan: Plan, related: Related, n: int
) -> DimensionTest:
    """Make the test of a model, on some of its n rows or all; from its moments where rows would take too long."""
    p = X.shape[1]
    settings = _settings(model, spent.draws, plan)
    of_rows = declared(model).test.rows_cost
    if of_rows is not None and related is ALONE and spent.draws * of_rows(n, p, 1) > WORK:
        with suppress(InputError):  # a model that keeps no moments is asked with rows
            return model.test_dimension(**settings)
    target = () if y is None else (y[rows],)
    given = related.of(rows).given()
    weights = {name: value for name, value in given.items() if name == "sample_weight"}
    tested = clone(model).fit(X[rows], *target, **weights) if len(rows) < n else model
    return tested.test_dimension(X[rows], *target, **settings, **given)


def _affordable(says: Any, cost: Cost, n: int, p: int, groups: int) -> Effort | None:
    """Return the effort of a test, which may take its patience where the usual work is not enough."""
    test, fewest = says.test, FEWEST_ROWS.get(says.question, FEWEST_OF_CLASS * groups)

    def of_rows(m: int) -> float:
        return cost(m, p, groups)

    usual = effort(n, of_rows, WORK, test.draws, fewest)
    return usual or effort(n, of_rows, WORK * test.patience, DRAWS[-1], fewest)


def spread_verdicts(
    model: Any,
    X: np.ndarray,
    values: np.ndarray,
    blocks: list[np.ndarray],
    plan: Plan,
    progress: Progress | None,
    whole: np.ndarray | None = None,
    related: Related = ALONE,
    data: Data | None = None,
) -> Verdicts:
    """Compare the variances of directions with those that unrelated columns would give.

    A model that has a test of its own is asked, where every column is one of the table; otherwise it is repeated on
    columns that are permuted.

    Parameters
    ----------
    model : fitted model
    X : ndarray of shape (n, p)
    values : ndarray of shape (k,)
        Variances found.
    blocks : list of arrays of int
        Columns that were made of one column of the table, and so are permuted together.
    plan : Plan
    progress : Progress or None
    whole : ndarray of bool, optional
        Rows without holes, where others have some: the test is made on these.
    related : Related
        Which rows belong together, and how much each counts.
    data : Data, optional
        Where X may be a sample of the rows of a file.
    """
    n, k = len(X) if data is None else data.n_rows, len(values)
    if len(blocks) < 2:
        return untested(k, "There is a single column, so it cannot be related to others.")
    if whole is not None and not whole.all():
        all_rows = _with_holes(model, k, n, plan, related)
        if all_rows is not None:
            return all_rows
        part = related.of(whole)
        return _of_whole_rows(
            lambda m, A, _: spread_verdicts(m, A, values, blocks, plan, progress, None, part), model, X, None, whole, k
        )
    worded = any(len(block) > 1 for block in blocks)
    if declared(model).test is not None and not worded:
        return verdicts(model, X, None, k, plan, progress, related=related, data=data)
    if related is not ALONE:
        return untested(k, f"Columns of words are permuted row by row, which {related.words} do not allow.")
    spread, name = declared(model).spread, type(model).__name__
    spent = effort(n, lambda m: spread.cost(m, X.shape[1], len(blocks)), WORK, spread.draws, FEWEST_ROWS["none"])
    if spent is None:
        return untested(k, f"The table is too large for the permutations that a test of {name} takes.")

    def variances(rows: np.ndarray) -> np.ndarray:
        return np.concatenate([spread.repeated(model, rows), np.zeros(k)])[:k]

    spent = replace(spent, rows=min(spent.rows, len(X), sample_rows(X.shape[1])))
    numbers = None if data is None else data.numbers
    rows, watched = some_rows(spent.rows, n, plan.seed, None, numbers), _watched(progress, spent.draws)
    found = against_refits(variances, X[rows], LEVEL, spent.draws, plan.seed, blocks, watched)
    about = (
        f"{name} was repeated with each column permuted separately"
        + (" (those made from one column of words together)" if worded else "")
        + f", so columns have nothing in common ({drawn(spent.draws)})."
    )
    found = of_rows(replace(found, method=PERMUTED, about=about, doubt=STRICT), spent.rows, n)
    return of_test(found, k, UNRELATED if spent.rows == n else "", spent.rows if spent.rows < n else None)


def _of_whole_rows(
    ask: Callable[[Any, np.ndarray, Any], Verdicts],
    model: Any,
    X: np.ndarray,
    y: Any,
    whole: np.ndarray,
    k: int,
    names: list[str] | None = None,
) -> Verdicts:
    """Test the directions of the rows without holes: a test keeps its level for these only."""
    m, (n, p) = int(whole.sum()), X.shape
    have = f"{m:,} of the {n:,} rows"
    if m < p + FEWEST_WHOLE:
        return untested(k, f"The test needs rows without missing numbers, and {have} are too few.")
    part = clone(model)
    if "missing" in model.get_params():
        part.set_params(missing="refuse")
    target = () if y is None else (y[whole],)
    rows: Any = X[whole] if names is None else _named(X[whole], names)  # messages name columns
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the model of all rows says what there is to say
            part.fit(rows, *target)
        found = ask(part, X[whole], *(target or (None,)))
    except InputError as error:
        why = (
            str(error)
            .removeprefix("X: ")
            .replace("Drop them, or use shrinkage.", f"Leave them out ({option('drop')}).")
        )
        return untested(k, f"The test needs rows without missing numbers. On these ({have}) it fails: {why}")
    if not found.test.name:
        return found
    about = f"{found.test.about} The test was made on {have}, those without missing numbers."
    scree = {name: part for name, part in found.scree.items() if not name.startswith("band")}  # of fewer rows
    return replace(found, test=replace(found.test, about=about, rows=found.test.rows or m), scree=scree)


def _named(X: np.ndarray, names: list[str]) -> Any:
    import pyarrow as pa

    return pa.table(list(X.T), names=names)


def _watched(progress: Progress | None, draws: int) -> Callable[[Iterator[np.ndarray]], Iterator[np.ndarray]]:
    def watched(found: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
        for b in range(draws):
            if progress:
                progress("testing directions: permuting", b, draws)
            yield next(found)

    return watched
