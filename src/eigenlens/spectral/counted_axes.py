"""Sparse axes with given numbers of nonzeros, chosen so that rounding does not decide.

The search for the places of the nonzeros jumps: a difference in the last digit of a covariance, as another unit or
another order of rows makes it, can lead it to other places. It therefore runs on a matrix rounded to ten digits, which
is the same, bit for bit, for all of these. The loadings are then found on the matrix itself, from where the search
ended.

Where no penalty keeps to the numbers, the places at which the alternation is stopped are arbitrary, and may be poor.
They are compared with those of a second start, one axis after the other, and the better ones are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg

from .._core import xp as _xp
from .sparse_axes import SparseAxes, sparse_axes

BITS = 33  # of a correlation that the search sees
OFFSET = 0.37  # keeps round sizes (1, 2, ½) away from where the unit of the rounding changes
LEAST_RIDGE = 1e-7  # below it, rounding may make combinations of columns look like columns of their own
BETTER = 1e-9  # fall of the objective, relative to the trace, that is more than rounding


@dataclass(frozen=True, eq=False)
class Matrix:
    """A form G.

    Attributes
    ----------
    values : ndarray of shape (p, p) or (n, p)
        G, or a factor F with FᵀF = G.
    factored : bool
    """

    values: np.ndarray
    factored: bool

    @property
    def gram(self) -> Any:
        """G: the matrix, or its rows as they are asked for."""
        return GramRows(self.values) if self.factored else self.values

    def apply(self, M: np.ndarray) -> np.ndarray:
        """Return G M."""
        return np.asarray(self.values.T @ (self.values @ M) if self.factored else self.values @ M)

    def block(self, on: np.ndarray) -> np.ndarray:
        """Return the rows and columns of G at given places."""
        return np.asarray(self.values[:, on].T @ self.values[:, on] if self.factored else self.values[np.ix_(on, on)])

    def rounded(self) -> Matrix:
        """Return the form with its correlations rounded to `BITS`."""
        size = np.linalg.norm(self.values, axis=0) if self.factored else np.sqrt(self.values.diagonal())
        power = np.floor(np.log2(np.where(size > 0, size, 1.0)) + OFFSET)
        unit = np.ldexp(1.0, (power - BITS).astype(int))
        if not self.factored:
            unit = np.outer(unit, np.ldexp(1.0, power.astype(int)))
        return Matrix(np.round(self.values / unit) * unit, self.factored)


class GramRows:
    """FᵀF whose rows are made when they are asked for: few columns have loadings, and p × p numbers may be too many."""

    def __init__(self, F: np.ndarray) -> None:
        self.F = F

    def __len__(self) -> int:
        return int(self.F.shape[1])

    def __getitem__(self, on: np.ndarray) -> np.ndarray:
        return np.asarray(self.F[:, on].T @ self.F)


def counted_axes(form: Matrix, start: np.ndarray, counts: np.ndarray, **options: Any) -> SparseAxes:
    """Find sparse axes with given numbers of nonzeros.

    Parameters
    ----------
    form : Matrix
    start : array of shape (p, k)
        Principal axes.
    counts : array of shape (k,) of int
    **options
        Of `sparse_axes`.
    """
    ridge = options["ridge"]
    coarse, begin = form, start
    if ridge >= LEAST_RIDGE:
        coarse = form.rounded()
        begin = _principal(coarse, start)
    found = sparse_axes(coarse.apply, coarse.gram, begin, counts=counts, **options)
    if np.isnan(found.penalties).any():
        held = replace(found, B=_one_by_one(coarse.apply, begin, counts), A=begin)
        other = sparse_axes(coarse.apply, coarse.gram, begin, counts=counts, near=held, **options)
        if other.objective < found.objective - BETTER * len(start):
            found = other
    if coarse is form:
        return found
    left = max(1, options["max_iter"] - found.n_iter)
    exact = sparse_axes(form.apply, form.gram, start, counts=counts, near=found, **{**options, "max_iter": left})
    return replace(exact, n_iter=found.n_iter + exact.n_iter)


def _principal(form: Matrix, start: np.ndarray) -> np.ndarray:
    """Return as many principal axes of G, from products of rows with rows where these are kept."""
    p, k = start.shape
    if not form.factored:
        return np.asarray(scipy.linalg.eigh(form.values, subset_by_index=(p - k, p - 1))[1][:, ::-1])
    F, n = form.values, len(form.values)
    values, left = scipy.linalg.eigh(F @ F.T, subset_by_index=(max(n - k, 0), n - 1))
    if len(values) < k or values[0] <= n * _xp.EPS * values[-1]:  # fewer axes than asked for: those of before, rounded
        return np.asarray(np.round(np.ldexp(start, BITS)) * 2.0**-BITS)
    return np.asarray(F.T @ left[:, ::-1] / np.sqrt(values[::-1]))


def _one_by_one(apply: Callable[[np.ndarray], np.ndarray], start: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return axes found one after the other, each where the leading axis of what those before leave is largest."""
    p, k = start.shape
    B, told = np.zeros((p, k)), np.zeros((p, 0))  # G less told toldᵀ is what they leave

    def left(M: np.ndarray) -> np.ndarray:
        return np.asarray(apply(M) - told @ (told.T @ M))

    for j in range(k):
        within = start.T @ left(start)
        axis = start @ np.linalg.eigh((within + within.T) / 2)[1][:, -1]
        on = np.sort(np.argsort(-np.abs(axis), kind="stable")[: counts[j]])
        there = np.zeros((p, len(on)))
        there[on, np.arange(len(on))] = 1.0
        image = left(there)
        values, vectors = np.linalg.eigh((image[on] + image[on].T) / 2)
        B[on, j] = 1.0
        if values[-1] > 0:
            told = np.column_stack([told, image @ vectors[:, -1] / np.sqrt(values[-1])])
    return B
