"""Which test speaks of the directions of which method, and what it may cost.

Budgets are in cells (rows × columns) of all draws together, set so that a test takes a few seconds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from ..inference import above_negative, against_normal, against_refits, broken_stick, wilks
from ..report.findings import Test
from .contest import Progress
from .data import Plan
from .methods import Entry
from .verdicts import LEVEL, Effort, Verdicts, effort, of_test, some_rows, untested

PERMUTED = {"fda": 7e5, "robust-pca": 4e5, "sparse-pca": 8e5, "kernel-pca": 8e5, "localized-sir": 4e5}
PRODUCTS = 2e10  # multiplications of a test that is made of products of matrices
EIGENVALUES = 3  # such multiplications, over p³, that eigenvalues take (1.6 to 2.7 as measured)
PERMUTATION = 1e5  # such multiplications that permuting one column takes, however few rows it has
PATH = 20  # such multiplications, over p³, that choosing a penalty takes
MOST_POINTS = 2500  # of a table of distances whose eigenvalues are all computed
PARALLEL = 99  # tables of noise


# -- no target -----------------------------------------------------------------------------------------------------


def spread_verdicts(
    entry: Entry,
    model: Any,
    X: np.ndarray,
    values: np.ndarray,
    blocks: list[np.ndarray],
    plan: Plan,
    progress: Progress | None,
) -> Verdicts:
    """Compare the variances of directions with those that unrelated columns would give.

    Parameters
    ----------
    entry : Entry
    model : fitted model
    X : ndarray of shape (n, p)
    values : ndarray of shape (k,)
        Variances found.
    blocks : list of arrays of int
        Columns that were made of one column of the table, and so are permuted together.
    plan : Plan
    progress : Progress or None
    """
    n, k = len(X), len(values)
    if len(blocks) < 2:
        return untested(k, "There is a single column, so that nothing can be related to anything.")
    worded = any(len(block) > 1 for block in blocks)
    if entry.name == "pca" and not worded:
        found = against_normal(values, n - 1, X.std(axis=0, ddof=1), LEVEL, PARALLEL, plan.seed)
        about = (
            f"Components are compared with those of {PARALLEL} tables of unrelated normal columns of the same spread "
            f"(parallel analysis, 95%), so that p-values are multiples of {1 / (1 + PARALLEL):.3g}."
        )
        return of_test(found, k, Test("parallel analysis", about, LEVEL, PARALLEL), "", _UNRELATED)
    spent = _spread_effort(entry, n, X.shape[1], len(blocks))
    if spent is None:
        return untested(k, f"The table is too large for the permutations that a test of {entry.class_name} takes.")
    rows = some_rows(spent.rows, n, plan.seed)
    found = against_refits(
        _variances_of(entry, model, k), X[rows], LEVEL, spent.draws, plan.seed, blocks, _watched(progress, spent.draws)
    )
    about = (
        f"{entry.class_name} was repeated on the same columns, each permuted by itself"
        + (" (those made of one column of words together)" if worded else "")
        + ", which leaves nothing that they have in common"
    )
    test = spent.test(n, "parallel analysis, permutations", about)
    return of_test(found, k, test, "", _UNRELATED if spent.rows == n else "")


_UNRELATED = "The shaded band is what unrelated columns would reach (95%)."


def _spread_effort(entry: Entry, n: int, p: int, blocks: int) -> Effort | None:
    if entry.name == "pca":
        return effort(n, lambda m: _permuted_pca(m, p, blocks), PRODUCTS, 99, 50)
    if entry.name == "kernel-pca":
        return effort(n, lambda m: m * max(m, p) / 10, PERMUTED[entry.name], 39, 50)
    return effort(n, lambda m: m * p, PERMUTED[entry.name], 39, 50)


def _permuted_pca(n: int, p: int, blocks: int) -> float:
    """Return the multiplications of one draw: permuting, a product of matrices, and its eigenvalues."""
    side = min(n, p)
    return PERMUTATION * blocks + n * p * side + EIGENVALUES * side**3


def _variances_of(entry: Entry, model: Any, k: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from rows to the variances of the k directions of a model fitted to them."""
    coarse = {"tol": 1e-4, "max_iter": 300} if entry.name == "robust-pca" else {}  # of noise and of the rows alike

    def found(X: np.ndarray) -> np.ndarray:
        if entry.name == "pca":
            values = _spreads(X - X.mean(axis=0)) / (len(X) - 1)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the model that is kept says what there is to say
                fitted = clone(model).set_params(**coarse).fit(X)
                values = variances(fitted, np.asarray(fitted.transform(X)))
        return np.concatenate([values, np.zeros(k)])[:k]

    return found


def _spreads(X: np.ndarray) -> np.ndarray:
    """Return the squared singular values; from products, which are several times cheaper and exact enough for noise."""
    G = X.T @ X if X.shape[1] <= len(X) else X @ X.T
    return np.maximum(np.linalg.eigvalsh(G)[::-1], 0.0)


def variances(model: Any, scores: np.ndarray) -> np.ndarray:
    """Return the variance along each direction; where wrong cells were set aside, that of what is left."""
    if hasattr(model, "low_rank_"):
        scores = np.asarray(model.low_rank_) @ np.asarray(model.components_).T
    return np.asarray(getattr(model, "explained_variance_", scores.var(axis=0, ddof=1)))


def _watched(progress: Progress | None, draws: int) -> Callable[[Iterator[np.ndarray]], Iterator[np.ndarray]]:
    def watched(found: Iterator[np.ndarray]) -> Iterator[np.ndarray]:
        for b in range(draws):
            if progress:
                progress("real or noise? permuting", b, draws)
            yield next(found)

    return watched


# -- classes -------------------------------------------------------------------------------------------------------


def class_verdicts(
    entry: Entry, model: Any, X: np.ndarray, y: np.ndarray, r2: np.ndarray, plan: Plan, progress: Progress | None
) -> Verdicts:
    """Test how many discriminant directions there are, given their squared canonical correlations."""
    n, K, k = len(X), len(np.unique(y)), len(r2)
    if entry.name == "lda" and model.shrinkage is None:
        rank = int(np.linalg.matrix_rank(X))
        if n <= rank + K or k != min(rank, K - 1):
            return untested(k, f"{n:,} rows are too few for Wilks' test of {rank:,} columns; --method pda has another.")
        test = Test("Wilks", "Directions are tested one after the other by Wilks' Λ, with Rao's F, at 5%.", LEVEL)
        return of_test(wilks(np.sqrt(r2), n, rank, K - 1), k, test, "Wilks")
    if entry.name == "mda":
        why = (
            "MDA has no test of single directions: its subclasses are clusters that the fit itself has found, whose "
            "centres differ even where there are none to find. What speaks for it is its accuracy on rows left out."
        )
        return untested(k, why)
    p = X.shape[1]
    if hasattr(model, "moments_"):  # a draw is a few products of matrices
        spent = effort(n, lambda m: (m * p * p + PATH * p**3) * (K - 1), PRODUCTS, 199, 10 * K)
    else:
        spent = effort(n, lambda m: m * p * (K - 1), PERMUTED["fda"], 39, 10 * K)
        spent = spent or effort(n, lambda m: m * p * (K - 1), 4 * PERMUTED["fda"], 19, 10 * K)
    if spent is None:
        why = f"The table is too large for the permutations that a test of {entry.class_name} takes."
        return untested(k, f"{why} In Python: model[-1].test_dimension(X, y).")
    rows = some_rows(spent.rows, n, plan.seed, y)
    if progress:
        progress("real or noise? permuting", 0, 0)
    tested = clone(model).fit(X[rows], y[rows]) if len(rows) < n else model
    found = tested.test_dimension(X[rows], y[rows], alpha=LEVEL, n_draws=spent.draws, random_state=plan.seed)
    if found.method != "permutation":  # a penalty of zero: the normal theory holds
        return of_test(found, k, Test(found.method.capitalize(), "Directions are tested by Wilks' Λ at 5%.", LEVEL))
    about = "Rows were moved to other classes, and " + (
        "the regression repeated" if entry.name == "fda" else "the problem solved again, with a penalty chosen anew"
    )
    return of_test(found, k, Effort(spent.draws, len(rows)).test(n, "permutation", about))


# -- a number ------------------------------------------------------------------------------------------------------


def number_verdicts(
    entry: Entry, model: Any, X: np.ndarray, y: np.ndarray, k: int, plan: Plan, progress: Progress | None
) -> Verdicts:
    """Test on how many directions a number depends."""
    n, p = X.shape
    if entry.name != "localized-sir":
        found = model.test_dimension(alpha=LEVEL)
        how = "χ²" if found.method == "chi2" else "normal noise drawn through its moments"
        about = f"Directions are tested one after the other against {how}, at 5%."
        return of_test(found, k, Test(found.method, about, LEVEL))
    spent = effort(n, lambda m: m * min(p, k), PERMUTED[entry.name], 39, 100)
    if spent is None:
        return untested(k, "The table is too large for the permutations that a test of LocalizedSIR takes.")
    rows = some_rows(spent.rows, n, plan.seed)
    if progress:
        progress("real or noise? permuting", 0, 0)
    tested = clone(model).fit(X[rows], y[rows]) if len(rows) < n else model
    found = tested.test_dimension(X[rows], y[rows], alpha=LEVEL, n_draws=spent.draws, random_state=plan.seed)
    about = "Directions after the first, the second, … were moved to other rows, and neighbours searched again"
    return of_test(found, k, spent.test(n, "permutation", about))


# -- two sets ------------------------------------------------------------------------------------------------------


def view_verdicts(model: Any, n: int, p: int, q: int, k: int) -> Verdicts:
    """Test how many canonical pairs there are."""
    if n <= p + q:
        return untested(k, f"{n:,} rows are too few for Wilks' test of {p:,} and {q:,} columns.")
    about = "Pairs are tested one after the other by Wilks' Λ, with Rao's F, at 5%."
    return of_test(model.test_dimension(alpha=LEVEL), k, Test("Wilks", about, LEVEL), "Wilks")


# -- a map ---------------------------------------------------------------------------------------------------------


def map_verdicts(all_values: np.ndarray | None, k: int) -> Verdicts:
    """Count coordinates that carry more than a stick broken at random, and more than the largest negative one.

    Parameters
    ----------
    all_values : ndarray or None
        All eigenvalues of the centred table; None where there are too many points to compute them.
    k : int
        Coordinates of the map.
    """
    if all_values is None:
        why = f"All eigenvalues are needed for that, which are computed for up to {MOST_POINTS:,} points."
        return untested(k, why)
    if np.count_nonzero(all_values > 0) < 2:
        return untested(k, "There is a single coordinate, so that there is nothing to compare it with.")
    stick, negative = broken_stick(all_values), above_negative(all_values)
    bars = [test.statistics["noise"][:k] for test in (stick, negative)]
    sure, most = sorted((stick.dimension, negative.dimension))
    real: list[bool | None] = [True if j < sure else None if j < most else False for j in range(k)]
    only = "above the negative ones only" if stick.dimension < negative.dimension else "above the broken stick only"
    evidence = [only if r is None else f"noise reaches {max(b):.3g}" for r, *b in zip(real, *bars, strict=False)]
    about = (
        "A coordinate is called real if its eigenvalue exceeds that of a stick broken at random, and also the size of "
        "the most negative eigenvalue, which is what error alone has made; it is left open if it exceeds one of the "
        "two. These are criteria; there is no p-value."
    )
    words = "The shaded band is what a stick broken at random has, or the most negative eigenvalue where that is more."
    test = Test("broken stick and negative inertia", about)
    evidence += [""] * (k - len(evidence))
    return Verdicts(test, real, evidence, [None] * k, {"band": np.maximum(*bars), "band_words": words})
