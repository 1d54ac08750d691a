"""Do tests hold their level, do they gain power, do intervals cover? By simulation, one line for each claim.

    python benchmarks/calibration_of_inference.py [table ...] [--only TEXT] [--replicates N]

Tables: pca, canonical, inverse, permutation, fda, ranks, power, coverage, ladle, gcv, components, rivals, linear,
rule, bends; without a name, all of them. On one core each takes up to four minutes, components and rivals an hour.
What follows ± is two Monte Carlo standard errors, replicates being the unit: what is counted several times within a
replicate (loadings) is averaged there first. Replicate r depends on its table and r alone.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy import stats
from scipy.signal import lfilter

from eigenlens import CCA, FDA, LDA, PCA, PDA, SAVE, SIR, DirectionalRegression, LocalizedSIR
from eigenlens._core.errors import EigenlensWarning
from eigenlens.inference import (
    advise,
    against_normal,
    bootstrap,
    broken_stick,
    canonical_permutation_test,
    check_linearity,
    choose_slices,
    components_test,
    conditional_test,
    gap_test,
    leverages,
    li_test,
    linear_p_value,
    minka,
    tracy_widom_test,
    wilks,
    with_linear,
)
from eigenlens.regress import PolynomialRegression

Replicate = Callable[[np.random.Generator], object]  # what one simulated table says: an outcome, or an array of them
Table = Callable[[np.random.Generator], tuple]  # the arguments of fit
Line = tuple[str, Replicate, int]  # what is claimed, how it is simulated, how many replicates
LEVELS = 2000
SHAPES = ((400, 20), (100, 50), (50, 100))  # n/p = 20, 2, 0.5
CANONICAL = ("wilks", "bartlett", "pillai", "lawley-hotelling", "roy")


def simulated(replicate: Replicate, replicates: int, seed: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return means over replicates and two standard errors of them."""
    found = np.array([replicate(np.random.default_rng([*seed, r])) for r in range(replicates)], dtype=float)
    if found.ndim == 1 or set(np.unique(found)) <= {0.0, 1.0}:
        share = (found.sum(axis=0) + 2) / (replicates + 4)  # keeps an error where all replicates agree
        return found.mean(axis=0), 2 * np.sqrt(share * (1 - share) / (replicates + 4))
    return found.mean(axis=0), 2 * found.std(axis=0, ddof=1) / np.sqrt(replicates)


def rejected(model: object, table: Table, method: str, d: int = 0) -> Replicate:
    """Return whether "at most d directions" is rejected at 5% in a table drawn anew."""

    def once(rng: np.random.Generator) -> bool:
        rows = table(rng)
        return model.fit(*rows).test_dimension(*rows, **drawn(rng, method)).p_values[d] <= 0.05

    return once


def drawn(rng: np.random.Generator, method: str, n_draws: int = 19) -> dict:
    return {"method": method, "n_draws": n_draws, "random_state": int(rng.integers(2**31))}


def normal(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.standard_normal((n, p))


def heavy(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.standard_t(3, (n, p))


def classes(n: int) -> np.ndarray:
    return np.arange(n) % 3


# -- levels --------------------------------------------------------------------------------------------------------


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


# -- planted directions --------------------------------------------------------------------------------------------


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


# -- shared directions ---------------------------------------------------------------------------------------------

RATIOS = ((500, 10), (500, 50), (100, 50), (30, 100))  # n/p = 50, 10, 2, 0.3
PLANTED = ((0, 0.0), (1, 1.0), (1, 3.0), (1, 100.0), (3, 3.0), (3, 100.0))  # how many, in units of the detection limit


def unequal(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return normal(rng, n, p) * np.exp(np.linspace(-1, 1, p))


def binary(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return ((rng.random((n, p)) < 0.1) - 0.1) / 0.3


def lognormal(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return (np.exp(normal(rng, n, p)) - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e)


def elliptical(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return normal(rng, n, p) / np.sqrt(rng.chisquare(5, (n, 1)) / 3)


def series(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Rows follow each other: each column is an AR(0.5) of its own."""
    return lfilter([0.75**0.5], [1, -0.5], normal(rng, n + 50, p), axis=0)[50:]


def chain(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Columns follow each other: each row is an AR(0.5)."""
    return lfilter([0.75**0.5], [1, -0.5], normal(rng, n, p + 50), axis=1)[:, 50:]


LAWS = (normal, heavy, unequal, binary, lognormal, elliptical, series, chain)


def planted(law: Callable, n: int, p: int, k: int, size: float, rng: np.random.Generator) -> np.ndarray:
    """Add k directions to noise, in units of its columns: the last at `size` times √(p/n), the first at half more."""
    E = law(rng, n, p)
    unit = np.exp(np.linspace(-1, 1, p)) if law is unequal else np.full(p, 3**0.5 if law is heavy else 1.0)
    V = np.linalg.qr(normal(rng, p, max(k, 1)))[0][:, :k] * unit[:, None]
    return E + normal(rng, n, k) * np.sqrt(size * np.sqrt(p / n) * np.linspace(1.5, 1, k)) @ V.T


def too_many_and_right(find: Callable, table: Callable, k: int) -> Replicate:
    def once(rng: np.random.Generator) -> list[bool]:
        found = find(table(rng), int(rng.integers(2**31)))
        return [found > k, found == k]

    return once


def components() -> Iterator[Line]:
    """The test of shared directions: P(more than there are), and P(as many)."""
    for law in LAWS:
        block = 10 if law is series else None
        for n, p in RATIOS:
            for k, size in PLANTED:
                if law is chain and k:
                    continue
                line = f"{law.__name__}, n={n} p={p}, {k} planted" + (f" at {size:g}" if k else "")
                find = partial(
                    _shared, "permutation" if block else "flips", block if n // 4 >= 10 else 5 if block else None
                )
                replicate = too_many_and_right(find, partial(planted, law, n, p, k, size), k)
                yield f"{line}: more; {line}: as many", replicate, LEVELS


def rivals() -> Iterator[Line]:
    """The same of other tests, at one shape."""
    for law in (normal, heavy, unequal, lognormal, elliptical, chain):
        for k, size in ((0, 0.0), (1, 3.0), (3, 100.0)):
            for name, find in RIVALS.items():
                line = f"{name}, {law.__name__}, n=200 p=40, {k} planted" + (f" at {size:g}" if k else "")
                replicate = too_many_and_right(find, partial(planted, law, 200, 40, k, size), k)
                yield f"{line}: more; {line}: as many", replicate, LEVELS


def _shared(noise: str, block: int | None, X: np.ndarray, seed: int) -> int:
    return components_test(X, noise=noise, block=block, n_draws=39, random_state=seed).dimension


def _by_values(test: Callable, X: np.ndarray, seed: int) -> int:
    return test(np.linalg.eigvalsh(np.cov(X.T))[::-1], len(X) - 1).dimension


def _horn(X: np.ndarray, seed: int) -> int:
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    return against_normal(values, len(X) - 1, X.std(axis=0, ddof=1), 0.05, 39, seed).dimension


RIVALS = {
    "shared directions": partial(_shared, "flips", None),
    "shared directions, permutation": partial(_shared, "permutation", None),
    "shared directions, normal": partial(_shared, "normal", None),
    "parallel analysis": _horn,
    "tracy-widom": partial(_by_values, tracy_widom_test),
    "conditional": partial(_by_values, conditional_test),
    "gap": partial(_by_values, gap_test),
    "broken stick": partial(_by_values, lambda values, n: broken_stick(values)),
    "mle": lambda X, seed: minka(np.linalg.eigvalsh(np.cov(X.T))[::-1], len(X)),
}


# -- what a straight line sees, and which test is taken ------------------------------------------------------------


def cauchy(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    return rng.standard_cauchy((n, p))


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


# -- intervals -----------------------------------------------------------------------------------------------------


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


TABLES = {
    f.__name__: f
    for f in (
        *(pca, canonical, inverse, permutation, fda, ranks, power, coverage, ladle, gcv),
        *(components, rivals, linear, rule, bends),
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], metavar="table")
    parser.add_argument("--replicates", type=int, help="instead of those of the page, for a quick look")
    parser.add_argument("--only", default="", help="lines that hold this text")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore", EigenlensWarning)
    for name in wanted.tables or TABLES:
        for number, (what, replicate, count) in enumerate(TABLES[name]()):
            if wanted.only not in what:
                continue
            start, count = time.time(), wanted.replicates or count
            shares, errors = (np.atleast_1d(a) for a in simulated(replicate, count, [list(TABLES).index(name), number]))
            for line, share, error in zip(what.split("; "), shares, errors, strict=True):
                print(f"| {line} | {share:.2%} ± {error:.2%} |", flush=True)
            print(f"    {count} replicates, {time.time() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
