r"""Probabilistic PCA of a sample with holes: Σ = FFᵀ + σ²I with k columns in F, for more columns than rows can carry.

With M_o = F_oᵀF_o + σ²I, of size k, the marginals need no larger inverse:

    Σ_oo⁻¹ = (I − F_o M_o⁻¹ F_oᵀ)/σ²,     log|Σ_oo| = (|o| − k) log σ² + log|M_o|.

Tipping, Bishop (1999), Probabilistic principal component analysis, J. Royal Statistical Society B 61.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse.linalg

from ..arrays import errors, exponents, linalg
from . import estimability
from .centred import Factor
from .centring import Triangle
from .marginals import inverted
from .maximum import SCORE
from .patterns import Patterns
from .sample import Sample

MEMORY = 40  # gradients that the quasi-Newton method remembers
MOST_STEPS = 2000
NEWTON_STEPS = 5
DIFFERENCE = 1e-4  # length of the steps between which slopes are compared
NOISELESS = 1e-12  # share of the mean variance below which noise is rounding


@dataclass(frozen=True, eq=False)
class LowRankFit:
    """Probabilistic PCA of a sample with holes.

    Attributes
    ----------
    moments : Factor
        What a sample without holes would have given: the same weight, the mean of the model, the scatter W·Σ̂.
    noise_variance : float
        σ².
    log_likelihood : float
        Of the observed cells.
    score : float
        Largest entry of the slope at the end, over the weight, in units of the mean variance.
    """

    moments: Factor
    noise_variance: float
    log_likelihood: float
    score: float


def fit_low_rank(moments: Patterns, k: int, *, names: list[str] | None = None) -> LowRankFit:
    """Find the probabilistic PCA of k directions that makes the observed cells most likely.

    Parameters
    ----------
    moments : Patterns
    k : int
        Directions, fewer than columns.
    names : list of str, optional
        Columns, for messages.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.moments import Patterns
    >>> from eigenlens.moments.low_rank import fit_low_rank
    >>> from eigenlens.rows import Block
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((40, 1)) @ rng.standard_normal((1, 60)) + 0.1 * rng.standard_normal((40, 60))
    >>> X[rng.random(X.shape) < 0.3] = np.nan                 # more columns than rows, a third of the cells missing
    >>> found = fit_low_rank(Patterns().update(Block(X)), 1)
    >>> round(found.noise_variance, 2)
    0.01
    """
    estimability.require_observed([moments], None, names)
    if not 0 < k < moments.n_features:
        raise errors.InputError(
            f"k={k!r}, but directions of probabilistic PCA are at least 1 and fewer than the "
            f"{moments.n_features} columns; use k ≤ {moments.n_features - 1}."
        )
    whole = _uniform(moments)
    power = 0 if whole.exponent is None else int(whole.exponent[0])
    sample = Sample.of([whole])
    mean = sample.available_means()
    unit = float(np.sqrt(np.mean(sample.available_variances(mean))))
    if not unit > 0:
        raise errors.InputError("No column varies where it is observed, so there is no direction to find.")
    standard = sample.standardised(mean[0], np.full(moments.n_features, unit))
    with linalg.one_blas_thread():
        start = _start(standard, k)
        found = _maximised(standard, start, k)
    mu, F, noise = _unpacked(found.x, moments.n_features, k)
    score = float(np.abs(found.jac).max())
    if score > SCORE:
        errors.warn(
            errors.NotConvergedWarning(
                f"The likelihood of the observed cells was still rising when the iteration ended (slope {score:.1e} "
                f"after {found.nfev} evaluations): the cells say little about some of the {k} directions. Use fewer."
            )
        )
    cells = float(sample.pattern_weights @ sample.masks.sum(axis=1))
    return LowRankFit(
        _as_factor(whole, mean[0] + mu * unit, F.T * unit, np.sqrt(noise) * unit),
        noise * (unit * 2.0**power) ** 2,
        -found.fun * sample.weight - cells * (np.log(unit) + power * np.log(2.0)),
        score,
    )


def _as_factor(moments: Patterns, shift: np.ndarray, loadings: np.ndarray, noise: float) -> Factor:
    """Return the moments of rows without holes whose covariance is that of the model."""
    new = Factor().anchored_at(moments.pivot)
    new.weights, new.shift, new.exponent = np.array([moments.weight]), shift[None, :], moments.exponent
    rows = np.concatenate([loadings, noise * np.eye(moments.n_features)]) * np.sqrt(moments.weight)
    new.store, new.n_rows, new.dtype = Triangle(rows).compacted(), moments.n_rows, moments.dtype
    return new


def _uniform(moments: Patterns) -> Patterns:
    """Return the moments with one power of two for all columns: the noise is the same in each."""
    if moments.exponent is None:
        return moments
    top = int(np.max(moments.exponent_or_free()))
    return moments.rescaled(np.full(moments.n_features, 0 if top == exponents.FREE else top))


class _Marginals:
    """The marginals of N(·, FFᵀ + σ²I) on some patterns."""

    def __init__(self, masks: np.ndarray, F: np.ndarray, noise: float) -> None:
        self.masks, self.F, self.noise = masks, F, noise
        k = F.shape[1]
        squares = (F[:, :, None] * F[:, None, :]).reshape(len(F), k * k)
        M = (masks.astype(np.float64) @ squares).reshape(-1, k, k) + noise * np.eye(k)
        self.inverses, log_dets = inverted(np.ascontiguousarray(np.moveaxis(M, 0, 2)))
        self.log_dets = log_dets + (masks.sum(axis=1) - k) * np.log(noise)

    def factors(self, rows: np.ndarray, owner: np.ndarray) -> np.ndarray:
        """Return the expected factors of rows that are zero where nothing is observed."""
        return (self.inverses[owner] @ (rows @ self.F)[:, :, None])[:, :, 0]

    def solve(self, rows: np.ndarray, owner: np.ndarray) -> np.ndarray:
        """Return Σ_oo⁻¹ r_o for each row, zero where nothing is observed."""
        return np.where(self.masks[owner], rows - self.factors(rows, owner) @ self.F.T, 0.0) / self.noise


def _start(sample: Sample, k: int) -> np.ndarray:
    """Begin at the leading directions of what is observed of each pair."""
    mu = sample.available_means()
    rows = sample.about(mu)
    S = rows.T @ rows / np.maximum(sample.together, 1e-300) * (sample.together > 0)
    values, vectors = np.linalg.eigh(S)
    noise = max(float(np.mean(np.maximum(values[:-k], 0.0))), 0.01)
    F = vectors[:, ::-1][:, :k] * np.sqrt(np.maximum(values[::-1][:k] - noise, 0.01))
    return np.concatenate([mu[0], F.ravel(), [np.log(noise)]])


def _maximised(sample: Sample, start: np.ndarray, k: int) -> Any:
    """Climb by a quasi-Newton method with line search, then, where the likelihood no longer tells, by Newton steps."""
    found = scipy.optimize.minimize(
        _negative,
        start,
        args=(sample, k),
        jac=True,
        method="L-BFGS-B",
        options={"maxcor": MEMORY, "maxiter": MOST_STEPS, "maxfun": 2 * MOST_STEPS, "ftol": 0.0, "gtol": 1e-9},
    )
    if _unpacked(found.x, sample.masks.shape[1], k)[2] < NOISELESS:
        raise errors.InputError(
            f"{k} directions reproduce every observed cell and leave no noise to estimate; use fewer directions."
        )
    for _ in range(NEWTON_STEPS):
        if np.abs(found.jac).max() <= SCORE or not _newton_step(found, sample, k):
            break
    return found


def _newton_step(found: Any, sample: Sample, k: int) -> bool:
    """Move to where the slope vanishes, if it does become smaller there; tell whether it did.

    Conjugate gradients need no regular curvature: turning F changes nothing, and the slope has no part that way.
    """
    x, slope = found.x, found.jac

    def bent(d: np.ndarray) -> np.ndarray:
        h = DIFFERENCE / np.linalg.norm(d)
        found.nfev += 2
        return (_negative(x + h * d, sample, k)[1] - _negative(x - h * d, sample, k)[1]) / (2 * h)

    n = len(x)
    operator = scipy.sparse.linalg.LinearOperator((n, n), matvec=lambda d: bent(d.ravel()), dtype=np.float64)
    step = scipy.sparse.linalg.cg(operator, -slope, rtol=1e-3, maxiter=100)[0]
    value, new = _negative(x + step, sample, k)
    smaller = np.linalg.norm(new) < 0.5 * np.linalg.norm(slope) and value <= found.fun + 1e-12 * (1 + abs(found.fun))
    if smaller:
        found.x, found.fun, found.jac = x + step, min(value, found.fun), new
    return bool(smaller)


def _negative(x: np.ndarray, sample: Sample, k: int) -> tuple[float, np.ndarray]:
    """Return minus the log-likelihood over the weight, and its slope."""
    p, W = sample.masks.shape[1], sample.weight
    mu, F, noise = _unpacked(x, p, k)
    law, weights, n_observed = _Marginals(sample.masks, F, noise), sample.pattern_weights, sample.masks.sum(axis=1)
    rows = sample.about(mu[None, :])
    U = law.solve(rows, sample.all_owners)
    value = weights @ n_observed * np.log(2 * np.pi) + weights @ law.log_dets + np.vdot(rows, U)
    spread = (sample.masks.T * weights) @ law.inverses.reshape(-1, k * k)
    AF = np.einsum("jk,jkl->jl", F, spread.reshape(p, k, k))
    traces = (n_observed - k) / noise + np.trace(law.inverses, axis1=1, axis2=2)
    slope_F = U.T @ (U @ F) - AF
    slope_noise = 0.5 * (np.vdot(U, U) - weights @ traces) * noise
    slope_mu = sample.group_sums(U[: len(sample.weights)])[0]
    return 0.5 * value / W, -np.concatenate([slope_mu, slope_F.ravel(), [slope_noise]]) / W


def _unpacked(x: np.ndarray, p: int, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    return x[:p], x[p : p + p * k].reshape(p, k), float(np.exp(np.clip(x[-1], -60, 60)))
