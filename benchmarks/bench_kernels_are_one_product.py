"""Kernels and kernel machines beside the product they contain, and beside scikit-learn, on the same rows."""

import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.decomposition import KernelPCA as Peer
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV

from eigenlens import KernelClassifier, KernelPCA, KernelRegressor
from eigenlens.kernels import Gaussian
from harness import Ratio, race, seconds


def evaluation() -> list[Ratio]:
    rows = []
    for n, p in ((3000, 100), (3000, 400), (3000, 1000)):
        X, Z = (np.random.default_rng(s).standard_normal((n, p)) for s in (0, 1))
        k = Gaussian(p**0.5)
        peers = {"X @ Z.T": lambda X=X, Z=Z: X @ Z.T}
        claim = f"Gaussian {n}×{n}, p = {p}"
        rows += race(claim, lambda k=k, X=X, Z=Z: k(X, Z), peers, rounds=9, targets={"X @ Z.T": 0.67})
    return rows


def components() -> list[Ratio]:
    X = np.random.default_rng(0).standard_normal((4000, 20))
    peers = {
        f"scikit-learn, {solver}": lambda solver=solver: Peer(
            2, kernel="rbf", gamma=1 / 40, eigen_solver=solver, random_state=0
        ).fit(X)
        for solver in ("arpack", "randomized")
    }
    ours = KernelPCA(2, kernel=Gaussian(20**0.5))
    return race("KernelPCA 4,000×20, 2 axes", lambda: ours.fit(X), peers, rounds=7, targets=dict.fromkeys(peers, 1.0))


def path() -> list[Ratio]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 5))
    y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.standard_normal(2000)
    lams = np.geomspace(1e-4, 1e2, 50)
    search = GridSearchCV(KernelRidge(kernel="rbf", gamma=0.1), {"alpha": lams}, cv=5, refit=False)
    ours = KernelRegressor(Gaussian(5**0.5), lam="loo", lams=lams)
    peers = {"KernelRidge, 5-fold, 50 λ": lambda: search.fit(X, y)}
    return race("LOO path, 50 λ, n = 2,000", lambda: ours.fit(X, y), peers, rounds=1, targets=dict.fromkeys(peers, 20))


LANDMARKS = """
import resource, time, numpy as np
from eigenlens import KernelPCA
from eigenlens.kernels import Gaussian
X = np.random.default_rng(0).standard_normal((50_000, 10))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
KernelPCA(10, kernel=Gaussian(3.0), n_landmarks=1000).fit(X)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, before / 2**20)
"""


def memory() -> list[Ratio]:
    took, peak, before = map(float, subprocess.check_output([sys.executable, "-c", LANDMARKS], text=True).split())
    note = f"{took:.1f} s, {peak:.2f} GiB at most for the whole process ({before:.2f} before the fit); target 1 GB"
    return [Ratio("KernelPCA 50,000×10, 1,000 landmarks", note=note)]


def linear() -> list[Ratio]:
    rows = []
    for name, make in {
        "KernelRegressor": lambda: KernelRegressor(Gaussian(2.0), lam="gcv", n_landmarks=200),
        "KernelClassifier, hinge": lambda: KernelClassifier(Gaussian(2.0), lam=0.5, n_landmarks=200),
        "KernelClassifier, logistic": lambda: KernelClassifier(Gaussian(2.0), loss="logistic", n_landmarks=200),
    }.items():
        times = []
        for n in (50_000, 200_000):
            rng = np.random.default_rng(0)
            X = rng.standard_normal((n, 5))
            f = np.sin(2 * X[:, 0]) + X[:, 1]
            y = f + 0.3 * rng.standard_normal(n)
            target = y if "Regressor" in name else y > 0
            times.append(seconds(lambda X=X, target=target, make=make: make().fit(X, target)))
        note = (
            f"{times[0]:.1f} s for 50,000 rows, {times[1]:.1f} s for 200,000: {times[1] / times[0]:.1f} times as long"
        )
        rows.append(Ratio(f"{name}, 200 landmarks", note=note))
    return rows


def main() -> list[Ratio]:
    return evaluation() + components() + path() + memory() + linear()


if __name__ == "__main__":
    start = time.perf_counter()
    for part in (evaluation, components, path, memory, linear):
        print(*part(), sep="\n", flush=True)
    print(f"{time.perf_counter() - start:.0f} s, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")
