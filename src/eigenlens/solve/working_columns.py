"""Sparse axes of a wide table: the alternation runs on the few columns that may have loadings.

What a column without loadings says about the others is in the principal axes of the rows. So a round costs as much as
the columns at work, and all columns are looked at only once the axes on these have settled: those whose loading should
not be zero join them, and the alternation goes on, until there are none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import linalg
from .axes_forms import Matrix, SomeColumns
from .sparse_axes import SparseAxes, sparse_axes

LEAST = 64  # columns at work
MOST = 0.5  # of all columns: with more at work, thresholds of all cost no more, and the space of the rows is not needed
BESIDE = 2  # times as many columns as loadings are at work first
NEAR = 0.5  # share of its bound from which on a column may soon be beyond it
BEYOND = 1e-9  # of a bound that is more than rounding
ROUGH = 1e-4  # change at which axes tell which columns are missing


def axes_of(
    form: Matrix,
    start: np.ndarray,
    *,
    l1: np.ndarray | None = None,
    near: SparseAxes | None = None,
    **options: Any,
) -> SparseAxes:
    """Find sparse axes as `sparse_axes` does, by way of columns at work where the form is given by its rows."""
    p, k = start.shape
    free = l1 is not None and not l1.any()
    if not form.factored or free:
        return sparse_axes(form, start, l1=l1, near=near, **options)
    found = near
    if found is None:
        found = SparseAxes(start, start, np.zeros(k) if l1 is None else l1, 0, np.inf, False, np.inf)
    work = _first(form.image(found.A), found, l1, len(form.values), options["ridge"])
    if np.isinf(options["ridge"]) and len(work) > MOST * p:
        return sparse_axes(form, start, l1=l1, near=near, **options)
    P, space = form.factor.T, form.row_space
    left, _, right = linalg.thin_svd(space.coordinates(found.A))
    found = replace(found, A=left @ right)
    rounds, rough = 0, l1 is not None
    while True:
        some = SomeColumns(P[work], space.L)
        now = {**options, "max_iter": max(1, options["max_iter"] - rounds)}
        if rough:
            now |= {"tol": max(ROUGH, options["tol"]), "polish": False}
        inner = sparse_axes(some, start[work], l1=l1, near=replace(found, B=found.B[work]), **now)
        rounds += inner.n_iter
        B = np.zeros_like(start)
        B[work] = inner.B
        found = replace(inner, B=B, n_iter=rounds)
        missing = _missing(P, space.L, found, work, options["ridge"])
        if not len(missing) and not rough:
            break
        rough = rough and len(missing) > 0
        work = np.union1d(work, missing[: len(work)])
        if rounds >= options["max_iter"]:
            break
    return replace(found, A=space.lifted(found.A))


def _first(C: np.ndarray, near: SparseAxes, l1: np.ndarray | None, rank: int, ridge: float) -> np.ndarray:
    """Return the columns to begin with: those that have loadings, and those that are likely to get them."""
    p, k = C.shape
    loaded = np.flatnonzero(near.B.any(axis=1))
    if np.isnan(near.penalties).any():  # their places are held
        return loaded
    order = np.argsort(-np.abs(C), axis=0, kind="stable")
    assert l1 is not None
    wanted = np.count_nonzero(np.abs(C) > NEAR * l1 / 2, axis=0)
    wanted = wanted if np.isinf(ridge) else np.minimum(wanted, BESIDE * rank)
    chosen = [order[: max(int(wanted[j]), LEAST), j] for j in range(k)]
    return np.unique(np.concatenate([*chosen, loaded if 2 * len(loaded) < p else []]).astype(int))


def _missing(P: np.ndarray, L: np.ndarray, found: SparseAxes, work: np.ndarray, ridge: float) -> np.ndarray:
    """Return the columns, the worst first, whose loading is zero because they are not at work."""
    if np.isnan(found.penalties).any():  # the places of loadings are held
        return np.zeros(0, dtype=int)
    inner = L @ found.A
    if np.isfinite(ridge):
        inner = inner - P.T @ found.B
    beyond = (2 * np.abs(P @ inner) - (1 + BEYOND) * found.penalties).max(axis=1)
    beyond[work] = 0.0
    order = np.argsort(-beyond, kind="stable")
    return order[beyond[order] > 0]
