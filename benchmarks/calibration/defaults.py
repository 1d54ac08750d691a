"""What a straight line sees, which test is taken, and when the condition of inverse regression is doubted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from eigenlens.inference import check_linearity, wilks
from eigenlens.inference.canonical import advise, canonical_permutation_test, leverages
from eigenlens.inference.inverse import choose_slices, li_test, linear_p_value, with_linear

from .laws import cauchy, elliptical, heavy, lognormal, normal
from .simulation import LEVELS, Line


def sliced(X: np.ndarray, y: np.ndarray, H: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return variates, and the weights and means of slices of equal size."""
    n = len(X)
    Z = np.linalg.qr(X - X.mean(axis=0))[0] * n**0.5
    codes = np.argsort(np.argsort(y)) * H // n
    return Z, np.bincount(codes).astype(float), np.array([Z[codes == h].mean(axis=0) for h in range(H)])


def slices_and_line(X: np.ndarray, y: np.ndarray, H: int) -> list[float]:
    """Return p-values of "no direction": slices alone, and joined with the line."""
    Z, weights, means = sliced(X, y, H)
    values = np.linalg.svd(means * np.sqrt(weights / len(X))[:, None], compute_uv=False) ** 2
    test = li_test(values, len(X), Z.shape[1], H)
    return [test.p_values[0], with_linear(test, linear_p_value(weights, means)).p_values[0]]


def linear() -> Iterator[Line]:
    """SIR's test of "no direction", with ten slices, with as many as rows allow, and joined with the linear one."""

    def once(law: Callable, n: int, p: int, r2: float, rng: np.random.Generator) -> list[bool]:
        X = law(rng, n, p)
        signal = X @ np.ones(p) / X.sum(axis=1).std()
        y = r2**0.5 * signal + (1 - r2) ** 0.5 * rng.standard_normal(n)
        ten, chosen = slices_and_line(X, y, 10), slices_and_line(X, y, choose_slices(n, p))
        return [v <= 0.05 for v in (ten[0], chosen[0], chosen[1])]

    for law, n, p in ((normal, 43, 11), (heavy, 43, 11), (normal, 200, 20), (heavy, 400, 5)):
        for r2 in (0.0, 0.3, 0.9):
            line = f"{law.__name__}, n={n} p={p}, linear share {r2:g}"
            what = "; ".join(f"SIR {how}, {line}" for how in ("ten slices", "chosen slices", "chosen slices and line"))
            yield what, partial(once, law, n, p, r2), LEVELS


def rule() -> Iterator[Line]:
    """Wilks' test, and the one that the leverages advise; classes of unequal sizes, or two tables."""

    def wilks_p(X: np.ndarray, Y: np.ndarray) -> float:
        Q, R = (np.linalg.svd(A - A.mean(axis=0), full_matrices=False)[0] for A in (X, Y))
        rho = np.clip(np.linalg.svd(Q.T @ R, compute_uv=False), 0, 1)
        return wilks(rho, len(X), X.shape[1], Y.shape[1]).p_values[0]

    def once(table: Callable, rng: np.random.Generator) -> list[bool]:
        X, Y = table(rng)
        first = wilks_p(X, Y)
        advice = advise(leverages(X), leverages(Y), X.shape[1], Y.shape[1])
        second = first
        if advice.method == "permutation":
            second = canonical_permutation_test(X, Y, most=1, n_draws=39, seed=int(rng.integers(2**31))).p_values[0]
        return [first <= 0.05, second <= 0.05, advice.method == "permutation"]

    def rare(law: Callable, counts: tuple[int, ...], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        codes = np.repeat(np.arange(len(counts)), counts)
        return law(rng, len(codes), 4), np.eye(len(counts))[codes][:, 1:]

    def two(law: Callable, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return law(rng, n, 4), law(rng, n, 3)

    cases = [
        (f"classes of {c}, {law.__name__}", partial(rare, law, c))
        for law in (normal, lognormal, heavy)
        for c in ((90, 5, 5), (70, 65, 65))
    ]
    cases += [(f"two tables, n=100, {law.__name__}", partial(two, law, 100)) for law in (normal, heavy, cauchy)]
    for name, table in cases:
        what = "; ".join(f"{name}: {part}" for part in ("wilks", "by rule", "permutation taken"))
        yield what, partial(once, table), LEVELS


def bends() -> Iterator[Line]:
    """How often the condition of inverse regression is doubted: it holds, or X is clustered or bent."""

    def once(table: Callable, rng: np.random.Generator) -> bool:
        X, y = table(rng)
        Z, weights, means = sliced(X, y, choose_slices(*X.shape))
        turn = np.linalg.svd(means * np.sqrt(weights)[:, None])[2]
        return check_linearity(Z @ turn.T, random_state=int(rng.integers(2**31))).doubtful

    def plain(law: Callable, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = law(rng, 300, 5)
        return X, X[:, 0] + X[:, 1] + 0.3 * X.std() * rng.standard_normal(300)

    def clustered(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = normal(rng, 300, 5)
        X[:, :2] += np.array([[0, 0], [6, 0], [6, 6]])[rng.integers(0, 3, 300)]
        return X, X[:, 0] + 0.4 * X[:, 1] + rng.standard_normal(300)

    def bent(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X = normal(rng, 300, 5)
        X[:, 1] += X[:, 0] ** 2
        return X, X[:, 0] + 0.3 * rng.standard_normal(300)

    for name, table in (
        ("normal", partial(plain, normal)),
        ("elliptical", partial(plain, elliptical)),
        ("t3 columns", partial(plain, heavy)),
        ("clusters", clustered),
        ("a bent column", bent),
    ):
        yield f"linearity doubted, {name}, n=300 p=5", partial(once, table), LEVELS
