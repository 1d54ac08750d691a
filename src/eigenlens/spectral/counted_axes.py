"""Sparse axes with given numbers of nonzeros, chosen so that rounding does not decide.

The search for the places of the nonzeros jumps: a difference in the last digit of a covariance, as another unit or
another order of rows makes it, can lead it to other places. It therefore runs on a matrix rounded to ten digits, which
is the same, bit for bit, for all of these. The loadings are then found on the matrix itself, from where the search
ended.

Where no penalty keeps to the numbers, the places at which the alternation is stopped are arbitrary, and may be poor.
They are compared with those of a second start, one axis after the other, and the better ones are taken. Where columns
are more than rows and soft thresholds of the principal axes settle, the search starts from these instead, and their
places are the ones it is compared with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .._core import xp as _xp
from .adjusted import adjusted_variance
from .axes_forms import BITS, Matrix
from .pencil import Form
from .refitted_axes import best_axis
from .sparse_axes import SparseAxes
from .working_columns import axes_of

LEAST_RIDGE = 1e-7  # below it, rounding may make combinations of columns look like columns of their own
SOFT_ROUNDS = 40  # in which soft thresholds settle, or else lead anywhere: columns are too much alike
MOST_LOADINGS = 0.5  # of the number of rows: with more, a penalised regression fits whatever it is given
WORTH = 0.9  # of the variance of thresholds that loadings at their places must keep: of columns alike they cancel
BETTER = 1e-9  # fall of the objective, relative to the trace, that is more than rounding


def counted_axes(
    form: Matrix, start: np.ndarray, counts: np.ndarray, n_rows: float = np.inf, **options: Any
) -> SparseAxes:
    """Find sparse axes with given numbers of nonzeros.

    Parameters
    ----------
    form : Matrix
    start : array of shape (p, k)
        Principal axes.
    counts : array of shape (k,) of int
    n_rows : float
        Rank of the form, at most; where columns are more, the search begins where the soft-threshold form ends.
    **options
        Of `axes_of`.
    """
    ridge = options["ridge"]
    coarse, begin = form, start
    if ridge >= LEAST_RIDGE:
        coarse = form.rounded()
        begin = _principal(coarse, start)
    soft = _thresholds(coarse, begin, counts, options) if n_rows < len(start) and np.isfinite(ridge) else None
    found = None
    if soft is not None and counts.max() > MOST_LOADINGS * n_rows:
        found = _held(coarse, soft, counts, options)
        if _explained(coarse, found.B) < WORTH * _explained(coarse, soft.B):
            found, soft = None, None
    if found is None:
        found = axes_of(coarse, begin if soft is None else soft.A, counts=counts, **options)
        if np.isnan(found.penalties).any():
            places = replace(found, B=_one_by_one(coarse, begin, counts), A=begin) if soft is None else soft
            found = _better(found, _held(coarse, places, counts, options))
    if coarse is not form:
        left = max(1, options["max_iter"] - found.n_iter)
        exact = axes_of(form, start, counts=counts, near=found, **{**options, "max_iter": left})
        found = replace(exact, n_iter=found.n_iter + exact.n_iter)
    return _uncorrelated(form, found)


def _thresholds(form: Matrix, start: np.ndarray, counts: np.ndarray, options: dict[str, Any]) -> SparseAxes | None:
    """Return where soft thresholds of the principal axes lead; None where they do not settle soon.

    Of more columns than rows, regressions that may take any fit the scores of the start with columns that say little,
    and end in a poorer minimum. With nearly as many loadings as rows they would fit anything: the places of the
    thresholds stay.
    """
    few = {"ridge": np.inf, "polish": False, "max_iter": min(SOFT_ROUNDS, options["max_iter"])}
    soft = axes_of(form, start, counts=counts, **{**options, **few})
    return soft if soft.converged and np.isfinite(soft.penalties).all() else None


def _held(form: Matrix, near: SparseAxes, counts: np.ndarray, options: dict[str, Any]) -> SparseAxes:
    """Find axes without a penalty at the places of the loadings of others."""
    near = replace(near, penalties=np.full(len(counts), np.nan))
    return axes_of(form, near.A, counts=counts, near=near, **options)


def _explained(form: Matrix, B: np.ndarray) -> float:
    """Return the adjusted variance of axes of unit length."""
    size = np.linalg.norm(B, axis=0)
    V = B / np.where(size > 0, size, 1.0)
    inner = V.T @ form.image(V)
    return float(adjusted_variance(Form(matrix=(inner + inner.T) / 2)).sum())


def _better(found: SparseAxes, other: SparseAxes) -> SparseAxes:
    return other if other.objective < found.objective - BETTER * len(found.B) else found


def _uncorrelated(form: Matrix, found: SparseAxes) -> SparseAxes:
    """Turn axes on the same places so that their scores are uncorrelated, the largest variance first.

    Nothing but the start had decided how they are turned: numbers of nonzeros are the same, and so is the objective.
    """
    A, B = found.A.copy(), found.B.copy()
    places, group = np.unique(B != 0, axis=1, return_inverse=True)
    for same in (np.flatnonzero(group.ravel() == j) for j in range(places.shape[1])):
        if len(same) < 2:
            continue
        inner = B[:, same].T @ form.image(B[:, same])
        turn = np.linalg.eigh((inner + inner.T) / 2)[1][:, ::-1]
        turned = B[:, same] @ turn
        if (np.count_nonzero(turned, axis=0) == np.count_nonzero(B[:, same], axis=0)).all():
            A[:, same], B[:, same] = A[:, same] @ turn, turned
    return replace(found, A=A, B=B)


def _principal(form: Matrix, start: np.ndarray) -> np.ndarray:
    """Return as many principal axes of G."""
    k = start.shape[1]
    if not form.factored:
        return _xp.leading_eigh(form.values, k)[1]
    L = form.row_space.L
    if L.shape[1] < k:  # fewer axes than asked for: those of before, rounded
        return np.asarray(np.round(np.ldexp(start, BITS)) * 2.0**-BITS)
    return form.row_space.lifted(_xp.leading_eigh(L.T @ L, k)[1])


def _one_by_one(form: Matrix, start: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return axes found one after the other, each where the leading axis of what those before leave is largest."""
    B, images = np.zeros_like(start), form.image(start)
    for j, count in enumerate(counts):
        before = B[:, :j]
        told = images.T @ before
        left = start.T @ images - told @ np.linalg.pinv(before.T @ form.image(before), hermitian=True) @ told.T
        axis = start @ np.linalg.eigh((left + left.T) / 2)[1][:, -1]
        on = np.sort(np.argsort(-np.abs(axis), kind="stable")[:count])
        B[on, j] = best_axis(form, on, before[:, before.any(axis=0)])
    return B
