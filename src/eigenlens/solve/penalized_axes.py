"""Sparse axes with given penalties: the best of several starts.

The objective has many minima, and the one nearest to the principal axes is often not the lowest: with as many axes as
columns it hardly ever is. In 308 fits (21 tables of R, 2 to p axes, four penalties) the principal axes led to
the lowest minimum known in 80%, and together with three rotations within their span in 96%. The rotations are seeded
and the axes have fixed signs, so neither the unit of X nor the order of its rows or columns changes the answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .axes_forms import Matrix
from .sparse_axes import SparseAxes
from .working_columns import axes_of

STARTS = 5  # the principal axes, and rotations of them
MOST_LOADINGS = 500  # p·k up to which rotations are tried: beyond, they would take longer than scikit-learn's iteration
ROUGH, ROUNDS = 1e-5, 200  # change and rounds at which one of them can be judged
BETTER = 1e-7  # fall of the objective, relative to the trace, that makes another start worth following


def penalized_axes(form: Matrix, start: np.ndarray, l1: np.ndarray, *, starts: int, **options: Any) -> SparseAxes:
    """Find sparse axes with given penalties.

    Parameters
    ----------
    form : Matrix
    start : array of shape (p, k)
        Principal axes.
    l1 : array of shape (k,)
    starts : int
        One is the principal axes; with more, all of `l1` must be equal: the axes may come in another order.
    **options
        Of `axes_of`.
    """
    found = axes_of(form, start, l1=l1, **options)
    p, k = start.shape
    if starts == 1 or k == 1 or p * k > MOST_LOADINGS or not l1.any():
        return found
    rough = {**options, "tol": max(ROUGH, options["tol"]), "max_iter": min(ROUNDS, options["max_iter"])}
    rough["polish"] = False
    tried = [axes_of(form, start @ turn, l1=l1, **rough) for turn in _rotations(k, starts - 1)]
    best = min(tried, key=lambda axes: axes.objective)
    if best.objective >= found.objective - BETTER * p:
        return found
    exact = axes_of(form, start, l1=l1, near=_ordered(form, best), **options)
    return replace(exact, n_iter=best.n_iter + exact.n_iter)


def _rotations(k: int, count: int) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [np.linalg.qr(random.standard_normal((k, k)))[0] for _ in range(count)]


def _ordered(form: Matrix, axes: SparseAxes) -> SparseAxes:
    """Put axes in the order of the variance of their scores."""
    order = np.argsort(-np.sum(axes.B * form.image(axes.B), axis=0), kind="stable")
    return replace(axes, A=axes.A[:, order], B=axes.B[:, order])
