"""Do intervals cover?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from eigenlens import CCA, LDA, PCA, SIR
from eigenlens.inference import bootstrap

from .laws import normal
from .simulation import Line, Replicate


def covered(result: object, truth: np.ndarray, values: np.ndarray) -> list[float]:
    truth = truth * np.sign(np.sum(truth * result.estimate, axis=1))[:, None]
    inside = (result.low <= truth) & (truth <= result.high)
    return [inside.mean(), np.mean((result.value_low <= values) & (values <= result.value_high))]


def coverage() -> Iterator[Line]:
    rng = np.random.default_rng(0)
    V = np.linalg.qr(normal(rng, 6, 6))[0]
    variances = np.array([12.0, 5.0, 2.0, 1.0, 1.0, 1.0])
    root = V * np.sqrt(variances)  # rows z of unit covariance become z rootᵀ,
    back = np.linalg.inv(root)  # whose rows give the variates z again
    means = 1.5 * normal(rng, 3, 6)
    means -= means.mean(axis=0)
    between, D = np.linalg.eigh(means.T @ means / 3)
    rho = np.array([0.8, 0.5])
    cuts = stats.norm.pdf(stats.norm.ppf(np.linspace(0, 1, 6)))
    kept = np.array([np.mean((5 * np.diff(cuts)) ** 2) / 1.25])  # variance of slice means of z₁, where y = z₁ + ε/2

    def resampled(model: object, truth: np.ndarray, values: np.ndarray, table: Callable) -> Replicate:
        def once(rng: np.random.Generator) -> list[float]:
            return covered(
                bootstrap(model, *table(rng), n_boot=399, random_state=int(rng.integers(2**31))), truth, values
            )

        return once

    def pairs(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        z = normal(rng, n, 6)
        return z @ root.T, z[:, :2] * rho + normal(rng, n, 2) * np.sqrt(1 - rho**2)

    def curve(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        z = normal(rng, n, 6)
        return z @ root.T, z[:, 0] + 0.5 * rng.standard_normal(n)

    def groups(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = rng.integers(0, 3, n)  # drawn with the rows, as the bootstrap draws them
        return normal(rng, n, 6) + means[y], y

    for n in (150, 300):
        for model, truth, values, table in (
            (PCA(2), V[:, :2].T, variances[:2], lambda rng, n: (normal(rng, n, 6) @ root.T,)),
            (LDA(), D[:, :-3:-1].T, between[:-3:-1], groups),
            (CCA(2), back[:2], rho, pairs),
            (SIR(1, n_slices=5), back[:1], kept, curve),
        ):
            name = type(model).__name__
            what = "; ".join(f"95% intervals cover {part} of {name}, n={n} p=6" for part in ("loadings", "eigenvalues"))
            yield what, resampled(model, truth, values, lambda rng, n=n, table=table: table(rng, n)), 300
