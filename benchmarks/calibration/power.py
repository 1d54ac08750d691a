"""Planted directions: are as many found as there are?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from eigenlens import PCA, SAVE, SIR, DirectionalRegression, LocalizedSIR

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


def ladle() -> Iterator[Line]:
    def found(model: type, dimension: int, law: Callable) -> Replicate:
        def right(rng: np.random.Generator) -> bool:
            X = normal(rng, 400, 6)
            y = law(X) + 0.3 * rng.standard_normal(400)
            X[:, -1] *= 5  # one wide column, which neighbours go by
            test = model(n_slices=5).fit(X, y).test_dimension(X, y, **drawn(rng, "ladle", 50))
            return test.dimension == dimension

        return right

    bend, valley = (lambda X: X[:, 0] ** 3 / 3), (lambda X: X[:, 0] ** 2)
    ratio = lambda X: X[:, 0] / (0.5 + (X[:, 1] + 1.5) ** 2)  # noqa: E731
    saddle = lambda X: X[:, 0] ** 2 - X[:, 1] ** 2  # noqa: E731
    for model, one, two in (
        (SIR, bend, ratio),
        (SAVE, valley, saddle),
        (DirectionalRegression, valley, saddle),
        (LocalizedSIR, valley, saddle),
    ):
        for dimension, law in ((0, lambda X: 0.0), (1, one), (2, two)):
            line = f"ladle of {model.__name__} is right, n=400 p=6, dimension {dimension}"
            yield line, found(model, dimension, law), 100 if model is LocalizedSIR else 500
