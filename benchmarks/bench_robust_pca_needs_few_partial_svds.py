"""RobustPCA of 1000 × 1000, rank 50, 5% gross errors, against tensorly and a plain inexact augmented Lagrangian."""

import numpy as np
from tensorly.decomposition import robust_pca

from eigenlens import RobustPCA
from harness import Ratio, race

N, RANK, SHARE, TOL = 1000, 50, 0.05, 1e-7


def planted() -> tuple[np.ndarray, np.ndarray]:
    """The experiment of Candès, Li, Ma and Wright (2011), section 4.1."""
    rng = np.random.default_rng(0)
    L = rng.standard_normal((N, RANK)) @ rng.standard_normal((RANK, N)) / N
    return L, np.where(rng.random((N, N)) < SHARE, rng.choice([-1.0, 1.0], (N, N)), 0.0)


def full_svd_alm(X: np.ndarray, tol: float = TOL) -> np.ndarray:
    """Solve the same problem with full decompositions and a growing μ (Lin, Chen, Ma 2010)."""
    lam, spectral, size = 1 / np.sqrt(max(X.shape)), np.linalg.norm(X, 2), np.linalg.norm(X)
    Y, S, mu = X / max(spectral, np.abs(X).max() / lam), np.zeros_like(X), 1.25 / spectral
    while True:
        U, s, Vt = np.linalg.svd(X - S + Y / mu, full_matrices=False)
        L = (U * np.maximum(s - 1 / mu, 0)) @ Vt
        R = X - L + Y / mu
        S = np.sign(R) * np.maximum(np.abs(R) - lam / mu, 0)
        gap = X - L - S
        Y, mu = Y + mu * gap, mu * 1.5
        if np.linalg.norm(gap) <= tol * size:
            return L


def main() -> list[Ratio]:
    L, S = planted()
    X, found = L + S, {}

    def keep(name, fit):
        def run():
            found[name] = fit()

        return run

    reg = 1 / np.sqrt(N)
    peers = {
        "tensorly robust_pca": lambda: robust_pca(X, reg_E=reg, tol=TOL, n_iter_max=1000, verbose=False)[0],
        "inexact ALM, full SVDs": lambda: full_svd_alm(X),
    }
    targets = {"tensorly robust_pca": 5, "inexact ALM, full SVDs": 3}
    claim = f"RobustPCA {N}×{N}, rank {RANK}"
    ours = keep("pursuit", lambda: RobustPCA(tol=TOL).fit(X).low_rank_)
    rows = []
    for (name, fit), rounds in zip(peers.items(), (1, 3), strict=True):  # tensorly takes minutes
        rows += race(claim, ours, {name: keep(name, fit)}, rounds, targets)
    errors = {name: np.linalg.norm(A - L) / np.linalg.norm(L) for name, A in found.items()}
    rows.append(Ratio(f"{claim}, error", note="; ".join(f"{name} {error:.1e}" for name, error in errors.items())))
    return rows


if __name__ == "__main__":
    print(*main(), sep="\n")
