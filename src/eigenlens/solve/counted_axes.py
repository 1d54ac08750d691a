"""Sparse axes with given numbers of nonzeros, chosen so that rounding does not decide.

The alternation lowers the penalty of each axis until one more loading would enter. That is no descent: the places of
the nonzeros may alternate for ever, and a difference in the last digit, as another unit or another order of columns
makes it, then decides where they are when it is stopped. So only an alternation that settles soon counts.
Otherwise three sets of places are compared: those of hard thresholds, which descend, those of axes found one after the
other, and those of the first regressions on principal scores. The best are held, and the loadings at them are found
without a penalty.

Of more columns than rows, regressions that may take any fit the scores of the start with columns that say little. There
the places are those of thresholds from the beginning. If columns are so much alike that loadings at them cancel, which
rounding would show too, the ridge is raised until they do not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import linalg
from .adjusted import adjusted_variance
from .axes_forms import AxesForm, Matrix
from .axes_space import AxesSpace, is_large, suits
from .pencil import Form
from .pursued_axes import MOST as PURSUED
from .pursued_axes import pursued_axes
from .refitted_axes import NOTHING, best_axis, pseudoinverse, refitted
from .sparse_axes import SparseAxes, largest_places
from .working_columns import axes_of

WORTH = 0.9  # of the variance of thresholds that loadings at their places must keep: of columns alike they cancel
RIDGES = (1e-4, 1e-2, 1.0, 1e2, np.inf)  # tried one after the other where loadings cancel
BETTER = 1e-9  # fall of the objective, relative to the trace, that is more than rounding
DESCENTS, FALL = 50, 1e-7  # changes of places, the most, and relative fall of the objective that is worth another
ROUGH, ROUNDS = 1e-4, 200  # change of the loadings, and rounds, at which their places can be judged


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
        Rank of the form, at most.
    **options
        Of `axes_of`.
    """
    if np.isinf(options["ridge"]):
        found = _thresholds(form, start, counts, options)
    elif n_rows < form.varying:
        found = _of_few_rows(form, start, counts, options)
    else:
        found = axes_of(form, start, counts=counts, **options)
        if np.isnan(found.penalties).any() and not found.converged:
            found = _places_compared(form, start, counts, options)
    return _uncorrelated(form, found)


def most_telling_axes(form: Matrix, start: np.ndarray, counts: np.ndarray, tol: float, max_iter: int) -> SparseAxes:
    """Find axes with given numbers of nonzeros whose scores explain as much as they can.

    Thresholds choose places, soft or hard, and so do axes found one after the other, where that costs little. All get
    the loadings that add most variance, and the best are taken.

    Parameters
    ----------
    form : Matrix
    start : array of shape (p, k)
        Principal axes.
    counts : array of shape (k,) of int
    tol, max_iter
        Of the soft thresholds.
    """
    options = {"ridge": np.inf, "tol": tol, "max_iter": max_iter, "polish": False}
    found = _thresholds(form, start, counts, options)
    places = [found.B]
    if not is_large(form):
        places.append(_hard(form, start, counts).B)
        few = len(start) <= PURSUED
        places.append(pursued_axes(form.gram, counts) if few else _one_by_one(form, start, counts))
    best, explained = np.zeros_like(start), -np.inf
    for B in places:
        loadings = refitted(form, B)
        more = _explained(form, loadings)
        if more > explained + BETTER * len(start):
            best, explained = np.where((loadings == 0) & (B != 0), np.finfo(float).eps, loadings), more
    none = np.full(len(counts), np.nan)
    left = -explained  # without tr G, as in other objectives
    return SparseAxes(best, found.A, none, found.n_iter, found.moved, True, left, np.inf)


def _of_few_rows(form: Matrix, start: np.ndarray, counts: np.ndarray, options: dict[str, Any]) -> SparseAxes:
    """Return axes at the places of thresholds, with a larger ridge where loadings cancel."""
    near = _thresholds(form, start, counts, {**_rough(options), "ridge": np.inf})
    least = WORTH * _explained(form, near.B)
    for ridge in (options["ridge"], *(x for x in RIDGES if x > options["ridge"])):
        found = _held(form, near, counts, {**_rough(options), "ridge": ridge})
        if _explained(form, found.B) >= least:
            break
    return _held(form, found, counts, {**options, "ridge": ridge})


def _places_compared(form: Matrix, start: np.ndarray, counts: np.ndarray, options: dict[str, Any]) -> SparseAxes:
    """Return axes at the best of three sets of places."""
    rough, none = _rough(options), np.full(len(counts), np.nan)
    tried = [_hard(form, start, counts)]
    tried.append(SparseAxes(_one_by_one(form, start, counts), start, none, 0, np.inf, False, np.inf))
    tried.append(axes_of(form, start, counts=counts, **{**rough, "max_iter": 1}))
    found, *others = [_held(form, axes, counts, rough) for axes in tried]
    for other in others:
        found = other if other.objective < found.objective - BETTER * len(start) else found
    return _held(form, found, counts, options)


def _rough(options: dict[str, Any]) -> dict[str, Any]:
    few = {"tol": max(ROUGH, options["tol"]), "max_iter": min(ROUNDS, options["max_iter"]), "polish": False}
    return {**options, **few}


def _thresholds(form: Matrix, start: np.ndarray, counts: np.ndarray, options: dict[str, Any]) -> SparseAxes:
    """Return where soft thresholds lead, or hard ones where these do not settle."""
    soft = axes_of(form, start, counts=counts, **options)
    if soft.converged or np.isfinite(soft.penalties).all():
        return soft
    hard = _hard(form, start, counts)
    return _held(form, hard, counts, options) if options["polish"] else hard


def _hard(form: Matrix, start: np.ndarray, counts: np.ndarray) -> SparseAxes:
    """Return axes at the largest entries of G A, chosen again as long as the soft-threshold objective falls."""
    found = SparseAxes(np.zeros_like(start), start, np.full(len(counts), np.nan), 0, 0.0, True, np.inf, np.inf)
    if not suits(form, len(counts)):
        return _descended(form, found, counts)
    space = AxesSpace(form, start)
    found = replace(found, A=space.Q.T @ start)
    while True:
        before, found = found, _descended(space, found, counts)
        if before.n_iter and found.n_iter <= before.n_iter + 1:  # nothing that was outside has changed anything
            return replace(found, A=space.Q @ found.A)
        found, _ = space.grow(found)


def _descended(form: AxesForm, found: SparseAxes, counts: np.ndarray) -> SparseAxes:
    while found.n_iter < DESCENTS:
        found = replace(found, n_iter=found.n_iter + 1)
        C = form.image(found.A)
        new = np.where(largest_places(C, counts), C, 0.0)
        lower, same = -float(np.sum(new**2)), np.array_equal(new != 0, found.B != 0)
        if same or lower >= found.objective - FALL * abs(lower):
            break
        left, _, right = linalg.thin_svd(form.turned(new)[0])
        found = replace(found, A=left @ right, B=new, objective=lower)
    return found


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
        values, turn = np.linalg.eigh((inner + inner.T) / 2)
        if values[0] <= NOTHING * values[-1]:  # an axis without variance would have loadings of rounding
            continue
        turn = turn[:, ::-1]
        turned = B[:, same] @ turn
        if (np.count_nonzero(turned, axis=0) == np.count_nonzero(B[:, same], axis=0)).all():
            A[:, same], B[:, same] = A[:, same] @ turn, turned
    return replace(found, A=A, B=B)


def _one_by_one(form: Matrix, start: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return axes found one after the other, each where the leading axis of what those before leave is largest."""
    B, images = np.zeros_like(start), form.image(start)
    for j, count in enumerate(counts):
        before = B[:, :j]
        told = images.T @ before
        left = start.T @ images - told @ pseudoinverse(before.T @ form.image(before)) @ told.T
        axis = start @ np.linalg.eigh((left + left.T) / 2)[1][:, -1]
        on = np.flatnonzero(largest_places(axis[:, None], np.array([count])))
        B[on, j] = best_axis(form, on, before[:, before.any(axis=0)])
    return B
