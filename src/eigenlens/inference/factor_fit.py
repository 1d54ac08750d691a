r"""A table as d shared directions plus noise of each column's own: x = L f + e, e with independent columns.

The fit is that of maximum likelihood. With Ψ the noise variances, the d leading eigenvectors V and eigenvalues θ of
W = Ψ^(−1/2) C Ψ^(−1/2) give L, and Ψ is such that what they leave has, in each column, the noise of that column:

.. math:: \mathrm{diag}\,(P W P) = \mathrm{diag}\,(P), \qquad P = I - VV^T .

Newton's step for it is (P∘P) δ = diag(PWP) − diag(P), a relative change of Ψ.

References
----------
Lawley, Maxwell (1971), Factor Analysis as a Statistical Method. Jöreskog (1967), Some contributions to maximum
likelihood factor analysis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import linalg

STEPS, SETTLED = 40, 1e-5
FEW_STEPS, ROUGH = 6, 1e-3  # of many columns, which begin where the fit of one direction less has ended
LEAST_OWN_VARIANCE = 1e-3  # share of its variance that is a column's own, at least: no column is free of noise
DENSE = 64  # columns above which P∘P is close enough to its diagonal
FIT_WORK, MOVING = 25, 50  # decompositions of a fit in multiplications, and the price of moving a cell: as measured
RIDGE = 1e-6  # P∘P is singular where there are as many free numbers as correlations


def most_directions(p: int) -> int:
    """Return how many directions p columns can show, each column having noise of its own (Ledermann 1937).

    "At most d" can be refuted while p(p − 1)/2 correlations are more than the d·p − d(d − 1)/2 numbers in L, so that
    one more than the last such d can be shown.
    """
    d = np.arange(p)
    return int(np.count_nonzero((p - d) ** 2 > p + d))


@dataclass(frozen=True)
class Standardised:
    """A table of unit variances, by its rows or by its correlations.

    Attributes
    ----------
    rows : ndarray of shape (n, p), optional
        Centred.
    correlations : ndarray of shape (p, p), optional
        Left out where there are more columns than rows.
    freedom : float
        Rows minus one for the mean.
    """

    rows: np.ndarray | None
    correlations: np.ndarray | None
    freedom: float

    @property
    def p(self) -> int:
        """Number of columns."""
        part = self.rows if self.correlations is None else self.correlations
        assert part is not None
        return int(part.shape[1])

    def work(self) -> tuple[float, float]:
        """Return about how many multiplications a fit takes, and a table drawn with it."""
        n, p = self.p if self.rows is None else len(self.rows), self.p
        m = min(n, p)
        return FIT_WORK * m * m * (m + (p if p > n else 0)), n * p * (m + MOVING)

    def spectrum(self, noise: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Return all eigenvalues of W, descending, zeros left out, and the d leading vectors (p, d).

        Of many columns the leading d + 1 are computed, and the others are given their mean.
        """
        if self.correlations is not None:
            return _leading(self.correlations / np.sqrt(noise * noise[:, None]), d, self.p)
        assert self.rows is not None
        Y = self.rows / np.sqrt(noise * self.freedom)
        values, U = _leading(Y @ Y.T, d, int(min(self.freedom, len(Y))))
        return values, (Y.T @ U) / np.sqrt(np.maximum(values[:d], np.finfo(float).tiny))


def _leading(S: np.ndarray, d: int, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues, as many as the rank, and d leading vectors; those after the d + 1st by their mean."""
    m = len(S)
    if m <= DENSE:
        values, V = np.linalg.eigh(S)
        return np.maximum(values[::-1], 0.0)[:rank], V[:, ::-1][:, :d]
    top, V = linalg.leading_eigh(S, d + 1)
    top = np.maximum(top, 0.0)
    left = max(rank - d - 1, 1)
    rest = np.full(left, max(float(np.trace(S)) - float(top.sum()), 0.0) / left)
    return np.concatenate([top, rest])[:rank], V[:, :d]


@dataclass(frozen=True)
class FactorFit:
    """d shared directions: noise variances (p,), all eigenvalues of W, the d leading vectors (p, d) of W."""

    noise: np.ndarray
    values: np.ndarray
    vectors: np.ndarray

    @property
    def loadings(self) -> np.ndarray:
        """Shared part of the columns, in units of their noise, (p, d)."""
        return self.vectors * np.sqrt(np.maximum(self.values[: self.vectors.shape[1]] - 1, 0.0))


def fit_factors(table: Standardised, d: int, start: np.ndarray | None = None) -> FactorFit:
    """Fit d shared directions to a table of unit variances.

    Parameters
    ----------
    table : Standardised
    d : int
    start : ndarray of shape (p,), optional
        Noise variances of d − 1 directions, where those of more columns than `DENSE` begin: a fit of few columns may
        have found a bound that it does not leave again.
    """
    noise = np.ones(table.p)
    if d > 1 and start is not None and table.p > DENSE:
        noise = start
    elif d > 0:
        values, V = table.spectrum(noise, d)
        noise = np.clip(1 - 0.98 * np.sum(V**2 * values[:d], axis=1), 0.02, 1.0)
    values, V = table.spectrum(noise, d)
    many = table.p > DENSE
    for _ in range((FEW_STEPS if many else STEPS) if d > 0 else 0):
        new = np.clip(noise * changed(1 / noise, values[:d], V), LEAST_OWN_VARIANCE, 1.0)
        moved, noise = float(np.abs(np.log(new / noise)).max()), new
        values, V = table.spectrum(noise, d)
        if moved < (ROUGH if many else SETTLED):
            break
    return FactorFit(noise, values, V)


def changed(diagonal: np.ndarray, values: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return what Newton's step multiplies the noise variances by, for one W or a stack of them.

    Parameters
    ----------
    diagonal : ndarray of shape (..., p)
        Of W.
    values : ndarray of shape (..., d)
    V : ndarray of shape (..., p, d)
    """
    p = V.shape[-2]
    taken = np.sum(V**2, axis=-1)
    gap = diagonal - np.sum(V**2 * values[..., None, :], axis=-1) - (1 - taken)
    if p > DENSE:
        step = gap / np.maximum(1 - taken, LEAST_OWN_VARIANCE) ** 2
    else:
        P = np.eye(p) - V @ np.swapaxes(V, -1, -2)
        step = np.linalg.solve(P * P + RIDGE * np.eye(p), gap[..., None])[..., 0]
    return np.clip(1 + step, 0.5, 2.0)
