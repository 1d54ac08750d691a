"""Levels: how often tests reject where there is nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from eigenlens import CCA, FDA, LDA, PCA, PDA, SAVE, SIR, DirectionalRegression
from eigenlens.inference import wilks
from eigenlens.regress import PolynomialRegression

from .laws import classes, heavy, normal
from .simulation import CANONICAL, LEVELS, SHAPES, Line, rejected


def pca() -> Iterator[Line]:
    for n, p in SHAPES:
        for method in ("tracy-widom", "parallel", "permutation"):
            yield f"PCA {method}, n={n} p={p}", rejected(PCA(), partial(_alone, normal, n, p), method), LEVELS
        line = f"PCA permutation, heavy tails, n={n} p={p}"
        yield line, rejected(PCA(), partial(_alone, heavy, n, p), "permutation"), LEVELS


def canonical() -> Iterator[Line]:
    def pairs(n: int, p: int, s: int, rng: np.random.Generator) -> list[bool]:
        Q, R = (np.linalg.qr(A - A.mean(axis=0))[0] for A in (normal(rng, n, p), normal(rng, n, s)))
        rho = np.clip(np.linalg.svd(Q.T @ R, compute_uv=False), 0, 1)
        return [wilks(rho, n, p, s, method=m).p_values[0] <= 0.05 for m in CANONICAL]

    for n, p, s in ((200, 10, 3), (60, 30, 3)):
        what = "; ".join(f"CCA {m}, n={n} p={p} s={s}" for m in CANONICAL)
        yield what, partial(pairs, n, p, s), 5 * LEVELS
    for n, p in ((200, 10), (60, 30)):
        table = partial(_labelled, normal, n, p)
        yield f"LDA wilks, three classes, n={n} p={p}", rejected(LDA(), table, "wilks"), LEVELS

    def related(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        A = normal(rng, 200, 10)
        return A, normal(rng, 200, 3) + 3 * A[:, :1]

    yield "CCA wilks, one true pair: the second, n=200 p=10 s=3", rejected(CCA(), related, "wilks", 1), LEVELS


def inverse() -> Iterator[Line]:
    def table(n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return normal(rng, n, p), rng.standard_normal(n)

    for n, p in ((400, 20), (100, 20), (40, 20)):
        for method in ("chi2", "permutation"):
            yield (
                f"SIR {method}, 5 slices, n={n} p={p}",
                rejected(SIR(n_slices=5), partial(table, n, p), method),
                LEVELS,
            )
    for n, p in ((400, 4), (80, 4)):
        for model, method in (
            (SAVE(n_slices=5), "chi2"),
            (SAVE(n_slices=5), "simulation"),
            (DirectionalRegression(n_slices=5), "simulation"),
        ):
            line = f"{type(model).__name__} {method}, 5 slices, n={n} p={p}"
            yield line, rejected(model, partial(table, n, p), method), LEVELS

    def one(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = normal(rng, 400, 10)
        return X, X[:, 0] + 0.5 * rng.standard_normal(400)

    for method in ("chi2", "permutation"):
        line = f"SIR {method}, one true direction: the second, n=400 p=10"
        yield line, rejected(SIR(n_slices=5), one, method, 1), LEVELS


def permutation() -> Iterator[Line]:
    for n, p in ((200, 10), (40, 20), (25, 50)):
        line = f"ridge CCA permutation, heavy tails, n={n} p={p}"
        table = lambda rng, n=n, p=p: (heavy(rng, n, p), heavy(rng, n, 3))  # noqa: E731
        yield line, rejected(CCA(ridge=0.5), table, "permutation"), LEVELS
        line = f"PDA permutation, heavy tails, n={n} p={p}"
        yield line, rejected(PDA(lam=5.0), partial(_labelled, heavy, n, p), "permutation"), LEVELS

    def moved(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X, y = _labelled(heavy, 150, 5, rng)
        X[:, 0] += 3.0 * (y == 1)
        return X, y

    yield "LDA permutation, one true direction: the second, n=150 p=5", rejected(LDA(), moved, "permutation", 1), LEVELS
    yield (
        "SIR permutation, heavy tails, n=100 p=5",
        rejected(SIR(n_slices=5), lambda rng: (heavy(rng, 100, 5), rng.standard_normal(100)), "permutation"),
        LEVELS,
    )


def gcv() -> Iterator[Line]:
    """λ chosen from the same rows, and chosen again in each permutation."""
    for n, p in ((60, 10), (25, 50)):
        table = partial(_labelled, normal, n, p)
        yield f"PDA permutation, λ by GCV, n={n} p={p}", rejected(PDA(), table, "permutation"), LEVELS

    def moved(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X, y = _labelled(normal, 60, 10, rng)
        X[:, 0] += 3.0 * (y == 1)
        return X, y

    line = "PDA permutation, λ by GCV, one true direction: the second, n=60 p=10"
    yield line, rejected(PDA(), moved, "permutation", 1), LEVELS
    for a in ("oas", "ledoit-wolf"):
        line = f"LDA permutation, shrinkage={a!r}, n=60 p=10"
        yield line, rejected(LDA(shrinkage=a), partial(_labelled, normal, 60, 10), "permutation"), LEVELS


def fda() -> Iterator[Line]:
    for name, regressor, n, p in (("adaptive splines", None, 30, 2), ("quadratic", PolynomialRegression(2), 60, 3)):
        line = f"FDA ({name}) permutation, heavy tails, n={n} p={p}"
        yield line, rejected(FDA(regressor=regressor), partial(_labelled, heavy, n, p), "permutation"), LEVELS


def _alone(law: Callable, n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray]:
    return (law(rng, n, p),)


def _labelled(law: Callable, n: int, p: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return law(rng, n, p), classes(n)
