"""How far robust PCA goes: rank against the share of gross errors.

Run it with a folder for the picture: `python examples/phase_diagram.py pictures`. It takes a few minutes.
Each cell of the picture is the share of samples whose low-rank part is recovered to 10⁻³.

Reference: Candès, Li, Ma, Wright (2011), Robust principal component analysis?, figure 1.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

from eigenlens import RobustPCA

RANKS, SHARES = np.arange(0.025, 0.5, 0.05), np.arange(0.025, 0.5, 0.05)


def recovered(n: int, rank: int, share: float, seed: int) -> bool:
    """Plant a matrix, corrupt it, and return whether it is recovered."""
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, n)) / n
    X = L + np.where(rng.random((n, n)) < share, rng.choice([-1.0, 1.0], (n, n)), 0.0)
    model = RobustPCA(tol=1e-6, max_iter=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # beyond the edge nothing settles: that is what is looked for
        found = model.fit(X).low_rank_
    return bool(np.linalg.norm(found - L) <= 1e-3 * np.linalg.norm(L))


def diagram(n: int = 60, samples: int = 3, ranks=RANKS, shares=SHARES) -> np.ndarray:
    """Return the share of samples recovered: a row for each share of errors, a column for each rank."""
    return np.array(
        [
            [np.mean([recovered(n, max(1, round(r * n)), s, seed) for seed in range(samples)]) for r in ranks]
            for s in shares
        ]
    )


def draw(shares_recovered: np.ndarray, n: int, folder: Path) -> Path:
    """Draw the diagram."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    figure, ax = plt.subplots(figsize=(5.2, 4.2), layout="constrained")
    drawn = ax.imshow(shares_recovered, origin="lower", extent=(0, 0.5, 0, 0.5), cmap="gray", vmin=0, vmax=1)
    ax.set(xlabel="rank / n", ylabel="share of gross errors")
    ax.set_title("principal component pursuit", fontsize=11, loc="left")
    figure.colorbar(drawn, ax=ax, label=f"share recovered, n = {n}", shrink=0.85)
    figure.savefig(folder / "phase_diagram.png", dpi=110)
    return folder / "phase_diagram.png"


def main() -> None:
    """Compute the diagram and draw it."""
    n = 60
    found = diagram(n)
    print(f"recovers {found.mean():.0%} of the square")
    print(f"wrote {draw(found, n, Path(sys.argv[1] if len(sys.argv) > 1 else 'pictures'))}")


if __name__ == "__main__":
    main()
