"""Do tests hold their level, do they gain power, do intervals cover? By simulation, one line for each claim.

python benchmarks/calibration_of_inference.py [levels] [permutations] [ranks] [coverage]; all of it takes some minutes
on one core. Under the null a test at 5% is to reject 5% ± 1.0% (two standard errors of 2,000 replicates).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from eigenlens import CCA, FDA, LDA, PCA, PDA, SIR
from eigenlens.inference import bootstrap, wilks
from eigenlens.inference.counting import tracy_widom_test
from eigenlens.regress import PolynomialRegression

REPLICATES = 2000


def say(what: str, share: float, replicates: int, start: float) -> None:
    error = 2 * np.sqrt(max(share * (1 - share), 1e-4) / replicates)
    print(f"{what:62} {share:7.2%} ± {error:.2%}  ({replicates} replicates, {time.time() - start:.0f} s)", flush=True)


def rejected(what: str, p_value: Callable[[np.random.Generator], float], replicates: int = REPLICATES) -> None:
    start = time.time()
    found = [p_value(np.random.default_rng([7, r])) <= 0.05 for r in range(replicates)]
    say(what, float(np.mean(found)), replicates, start)


def values_of(X: np.ndarray) -> np.ndarray:
    values = np.zeros(X.shape[1])
    found = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2 / (len(X) - 1)
    values[: len(found)] = found
    return values


def levels() -> None:
    for n, p in ((400, 20), (100, 50), (50, 100)):
        rejected(
            f"PCA tracy-widom, n={n} p={p}",
            lambda rng, n=n, p=p: tracy_widom_test(values_of(rng.standard_normal((n, p))), n - 1).p_values[0],
        )
        rejected(
            f"PCA parallel (normal null), n={n} p={p}",
            lambda rng, n=n, p=p: (
                PCA()
                .fit(rng.standard_normal((n, p)))
                .test_dimension(n_draws=19, random_state=rng.integers(2**31))
                .p_values[0]
            ),
        )
    for n, p, s in ((200, 10, 3), (60, 30, 3)):
        start, found = time.time(), []
        methods = ("wilks", "bartlett", "pillai", "lawley-hotelling", "roy")
        for r in range(REPLICATES):
            rng = np.random.default_rng([8, r])
            Q, R = (
                np.linalg.qr(A - A.mean(axis=0))[0] for A in (rng.standard_normal((n, p)), rng.standard_normal((n, s)))
            )
            rho = np.clip(np.linalg.svd(Q.T @ R, compute_uv=False), 0, 1)
            found.append([wilks(rho, n, p, s, method=m).p_values[0] <= 0.05 for m in methods])
        for m, share in zip(methods, np.mean(found, axis=0), strict=True):
            say(f"CCA {m}, n={n} p={p} s={s}", float(share), REPLICATES, start)
    for n, p in ((200, 10), (60, 30)):
        rejected(
            f"LDA wilks, three classes, n={n} p={p}",
            lambda rng, n=n, p=p: LDA().fit(rng.standard_normal((n, p)), np.arange(n) % 3).test_dimension().p_values[0],
        )

    def second(rng: np.random.Generator) -> float:
        A, B = rng.standard_normal((200, 10)), rng.standard_normal((200, 3))
        return CCA().fit(A, B + 3 * A[:, :1]).test_dimension().p_values[1]

    rejected("CCA wilks, one true pair: the second, n=200 p=10 s=3", second)
    rejected(
        "SIR chi2, 5 slices, n=400 p=20",
        lambda rng: (
            SIR(n_slices=5).fit(rng.standard_normal((400, 20)), rng.standard_normal(400)).test_dimension().p_values[0]
        ),
    )


def permutations() -> None:
    def draws(rng: np.random.Generator) -> dict:
        return {"n_draws": 19, "random_state": int(rng.integers(2**31))}

    def heavy(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
        return rng.standard_t(3, (n, p))

    def classes(n: int) -> np.ndarray:
        return np.arange(n) % 3

    for n, p in ((200, 10), (40, 20), (25, 50)):
        rejected(
            f"ridge CCA permutation, heavy tails, n={n} p={p}",
            lambda rng, n=n, p=p: (
                CCA(ridge=0.5)
                .fit(heavy(rng, n, p), heavy(rng, n, 3))
                .test_dimension(method="permutation", **draws(rng))
                .p_values[0]
            ),
        )
        rejected(
            f"PDA permutation, heavy tails, n={n} p={p}",
            lambda rng, n=n, p=p: (
                PDA(lam=5.0).fit(heavy(rng, n, p), classes(n)).test_dimension(**draws(rng)).p_values[0]
            ),
        )
    rejected(
        "FDA (quadratic) permutation, n=60 p=3",
        lambda rng: (
            FDA(regressor=PolynomialRegression(2))
            .fit(heavy(rng, 60, 3), classes(60))
            .test_dimension(**draws(rng))
            .p_values[0]
        ),
        1000,
    )

    def second(rng: np.random.Generator) -> float:
        y = classes(150)
        X = heavy(rng, 150, 5)
        X[:, 0] += 3.0 * (y == 1)
        return LDA().fit(X, y).test_dimension(method="permutation", **draws(rng)).p_values[1]

    rejected("LDA permutation, one true direction: the second, n=150 p=5", second)
    rejected(
        "SIR permutation, heavy tails, n=100 p=5",
        lambda rng: (
            SIR(n_slices=5)
            .fit(heavy(rng, 100, 5), rng.standard_normal(100))
            .test_dimension(method="permutation", **draws(rng))
            .p_values[0]
        ),
    )


def ranks() -> None:
    for n, p in ((400, 20), (100, 50), (50, 100)):
        edge = 1 + np.sqrt(p / n)
        for method in ("parallel", "permutation", "tracy-widom"):
            start, found = time.time(), []
            for r in range(200):
                rng = np.random.default_rng([9, r])
                scale = np.ones(p)
                scale[:3] = np.sqrt(np.array([12.0, 8.0, 6.0]) * edge)
                X = rng.standard_normal((n, p)) * scale @ np.linalg.qr(rng.standard_normal((p, p)))[0]
                found.append(PCA().fit(X).test_dimension(0.01, method, n_draws=99).dimension == 3)
            say(f"three planted components found at 1%, {method}, n={n} p={p}", float(np.mean(found)), 200, start)
    for spike in (1.0, 1.5, 2.0, 2.5, 3.0):
        rejected(
            f"power of tracy-widom, n=200 p=50 (edge at 1.5), spike {spike:g}",
            lambda rng, spike=spike: tracy_widom_test(
                values_of(rng.standard_normal((200, 50)) * np.r_[spike**0.5, np.ones(49)]), 199
            ).p_values[0],
            400,
        )


def coverage() -> None:
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    scale = np.sqrt([12.0, 5.0, 2.0, 1.0, 1.0, 1.0])
    V = V * np.where(np.abs(V).max(axis=0) == V.max(axis=0), 1, -1)
    means = 1.5 * rng.standard_normal((3, 6))
    B = (means - means.mean(axis=0)).T @ (means - means.mean(axis=0)) / 3
    values, D = np.linalg.eigh(B)
    D = D[:, ::-1][:, :2]
    for name, replicates in (("PCA", 300), ("LDA", 300)):
        start, inside, values_inside = time.time(), [], []
        for r in range(replicates):
            rng = np.random.default_rng([10, r])
            if name == "PCA":
                result = bootstrap(PCA(2), rng.standard_normal((300, 6)) * scale @ V.T, n_boot=399, random_state=r)
                truth, lam = V[:, :2].T, scale[:2] ** 2
            else:
                y = np.arange(300) % 3
                result = bootstrap(LDA(), rng.standard_normal((300, 6)) + means[y], y, n_boot=399, random_state=r)
                truth, lam = D.T, values[::-1][:2]
            truth = truth * np.sign(np.sum(truth * result.estimate, axis=1))[:, None]
            inside.append((result.low <= truth) & (truth <= result.high))
            values_inside.append((result.value_low <= lam) & (lam <= result.value_high))
        say(f"95% intervals cover loadings of {name}, n=300 p=6", float(np.mean(inside)), replicates * 12, start)
        print("   each:", np.mean(inside, axis=0).round(3).tolist())
        say(
            f"95% intervals cover eigenvalues of {name}, n=300 p=6",
            float(np.mean(values_inside)),
            replicates * 2,
            start,
        )


if __name__ == "__main__":
    for part in sys.argv[1:] or ("levels", "permutations", "ranks", "coverage"):
        {"levels": levels, "permutations": permutations, "ranks": ranks, "coverage": coverage}[part]()
