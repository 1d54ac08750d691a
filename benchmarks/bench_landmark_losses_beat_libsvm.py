"""Losses in the coordinates of landmarks beside libsvm and scikit-learn on the same coordinates.

The note of each row has what the objective exceeds the better of the two by.
"""

import warnings
from dataclasses import replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR

from eigenlens import KernelRegressor
from eigenlens.kernels import Gaussian, interior
from eigenlens.kernels.coordinates import LandmarkCoordinates
from eigenlens.kernels.landmarks import choose_landmarks
from eigenlens.kernels.logistic import fit_logistic
from eigenlens.kernels.support import SupportProblem
from eigenlens.methods import _machine as machine
from harness import Ratio, race

EPSILON = 0.1


def losses(n: int, m: int, lam: float) -> list[Ratio]:
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((n, 5)), np.ones(n)
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)
    y, C = np.where(f > 0, 1.0, -1.0), 1 / (2 * lam)
    c = LandmarkCoordinates(choose_landmarks(Gaussian(2.0), X, m), X, w, free="constant")
    Phi = np.vstack(c.over(lambda rows, phi: phi))
    risks = {
        "hinge": lambda g: np.maximum(0, 1 - y * g).sum(),
        "ε-insensitive": lambda g: np.maximum(0, np.abs(f - g) - EPSILON).sum(),
        "logistic": lambda g: np.logaddexp(0, -y * g).sum(),
    }
    ours = {
        "hinge": lambda: interior.solve(c, SupportProblem.of(y, w, lam)),
        "ε-insensitive": lambda: interior.solve(c, SupportProblem.of(f, w, lam, EPSILON)),
        "logistic": lambda: fit_logistic(c, (y[:, None] > 0) * 1.0, w, lam),
    }
    peers = {
        "hinge": SVC(kernel="linear", C=C, tol=1e-6, cache_size=500),
        "ε-insensitive": SVR(kernel="linear", C=C, epsilon=EPSILON, tol=1e-6, cache_size=500),
        "logistic": LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10, max_iter=500),
    }
    rows = []
    for name, risk in risks.items():
        target = f if name == "ε-insensitive" else y
        beta, gamma, _ = ours[name]()
        peer = peers[name].fit(Phi, target)
        both = [(beta[:, 0], gamma[0, 0] / n**0.5), (peer.coef_[0], peer.intercept_[0])]
        mine, theirs = (risk(Phi @ v + b) + lam * v @ v for v, b in both)
        least = min(mine, theirs)
        note = f"excess {mine / least - 1:.0e} against {theirs / least - 1:.0e}"
        label, who = f"{name}, {n:,} rows, {m} landmarks, λ = {lam:g}", type(peer).__name__
        peer_fit = {who: lambda p=peers[name], t=target: p.fit(Phi, t)}
        found = race(label, ours[name], peer_fit, rounds=1, targets={who: 1.0} if n > 2000 else None)
        rows += [replace(row, note=note) for row in found]
    return rows


def stiff() -> list[Ratio]:
    """Few rows, a small λ: libsvm in the coordinates would take a hundred times as long."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 4))
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    model = KernelRegressor(Gaussian(2.0), loss="epsilon_insensitive", lam=1e-4, n_landmarks=60)

    def by_libsvm() -> None:
        kept, machine.STIFF = machine.STIFF, np.inf
        try:
            model.fit(X, f)
        finally:
            machine.STIFF = kept

    name = "ε-insensitive, 300 rows, 60 landmarks, λ = 0.0001"
    return race(name, lambda: model.fit(X, f), {"libsvm in the same coordinates": by_libsvm}, rounds=1)


def main() -> list[Ratio]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return losses(2000, 100, 0.5) + losses(2000, 100, 0.01) + losses(4000, 200, 0.5) + stiff()


if __name__ == "__main__":
    for row in main():
        print(row)
