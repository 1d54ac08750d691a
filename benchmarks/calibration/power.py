"""Planted directions: are as many found as there are?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from eigenlens import PCA

from .laws import normal
from .simulation import SHAPES, Line, Replicate, drawn, rejected


def ranks() -> Iterator[Line]:
    def found(n: int, p: int, rank: int, method: str) -> Replicate:
        variances = np.ones(p)
        variances[:rank] = (1 + np.sqrt(p / n)) * np.linspace(12, 6, rank)  # the weakest at six times the edge

        def right(rng: np.random.Generator) -> bool:
            X = normal(rng, n, p) * np.sqrt(variances) @ np.linalg.qr(normal(rng, p, p))[0]
            return PCA().fit(X).test_dimension(X, alpha=0.01, **drawn(rng, method, 99)).dimension == rank

        return right

    for n, p in SHAPES:
        for method in ("parallel", "permutation", "tracy-widom"):
            for rank in (1, 3, 5):
                line = f"{rank} planted component{'s' * (rank > 1)} found at 1%, {method}, n={n} p={p}"
                yield line, found(n, p, rank, method), 200


def power() -> Iterator[Line]:
    def spiked(spike: float, rng: np.random.Generator) -> tuple[np.ndarray]:
        X = normal(rng, 200, 50)
        common = X.mean(axis=1, keepdims=True)  # in no single column: parallel analysis takes their variances as given
        return (X + (spike**0.5 - 1) * common,)

    for method in ("tracy-widom", "parallel"):
        for spike in (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0):
            line = f"power of {method}, n=200 p=50 (edge at 1.5), spike {spike:g}"
            yield line, rejected(PCA(), partial(spiked, spike), method), 1000
