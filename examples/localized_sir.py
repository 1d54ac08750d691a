"""Where slice means fail: the Swiss roll and tai chi experiments of the localized-SIR paper.

Run it with a folder for the pictures: `python examples/localized_sir.py pictures`. It prints, for each method, the mean
squared cosine between the directions found and the true ones (1 is perfect) over a few samples, and draws the planes.

Reference: Wu, Liang, Mukherjee (2010), Localized sliced inverse regression, J. Computational and Graphical Statistics
19.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from eigenlens import SAVE, SIR, DirectionalRegression, LocalizedSIR

METHODS = {"SIR": SIR, "SAVE": SAVE, "DirectionalRegression": DirectionalRegression, "LocalizedSIR": LocalizedSIR}


def swiss_roll(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ten columns, the first three a rolled-up sheet, a response that runs along the sheet, and the angle."""
    angle, height = rng.uniform(size=n), rng.uniform(size=n)
    t = 1.5 * np.pi * (1 + 2 * angle)
    X = np.column_stack([t * np.cos(t), 21 * height, t * np.sin(t), rng.standard_normal((n, 7))])
    return X, np.sin(5 * np.pi * angle) + height**2 + 0.1 * rng.standard_normal(n), angle


def tai_chi(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return six columns, the first two a disc of yin and yang that no half plane separates, and the class."""
    P = rng.uniform(-2, 2, (3 * n, 2))
    P = P[np.hypot(*P.T) <= 2][:n]
    upper, lower = np.hypot(P[:, 0], P[:, 1] - 1), np.hypot(P[:, 0], P[:, 1] + 1)
    inside = [upper < 1 / 3, lower < 1 / 3, upper < 1, lower < 1]
    side = np.select(inside, ["yin", "yang", "yang", "yin"], np.where(P[:, 0] > 0, "yin", "yang"))
    return np.column_stack([P, rng.standard_normal((len(P), 4))]), side


def accuracy(components: np.ndarray, true_columns: int) -> float:
    """Return the mean squared cosine between unit directions and the span of the first columns."""
    unit = components / np.linalg.norm(components, axis=1, keepdims=True)
    return float(np.mean(np.sum(unit[:, :true_columns] ** 2, axis=1)))


def fit(name: str, X: np.ndarray, y: np.ndarray, k: int, n_slices: int) -> SIR | LocalizedSIR:
    """Fit a method by name; two classes allow SIR one direction only."""
    k = min(k, len(np.unique(y)) - 1) if name == "SIR" else k
    return METHODS[name](k, n_slices=n_slices).fit(X, y)


def compare(make, k: int, true_columns: int, n_slices: int, sizes: tuple[int, ...], samples: int = 10) -> dict:
    """Return the mean accuracy of each method for samples of several sizes."""
    results = {}
    for name in METHODS:
        for n in sizes:
            scores = []
            for seed in range(samples):
                X, y, *_ = make(n, np.random.default_rng(seed))
                scores.append(accuracy(fit(name, X, y, k, n_slices).components_, true_columns))
            results[name, n] = float(np.mean(scores))
    return results


def show(title: str, results: dict, sizes: tuple[int, ...]) -> None:
    """Print a table."""
    print(f"\n{title}\n{'rows':24}" + "".join(f"{n:>8}" for n in sizes))
    for name in METHODS:
        print(f"{name:24}" + "".join(f"{results[name, n]:8.2f}" for n in sizes))


def draw(folder: Path) -> None:
    """Draw the plane that SIR (or SAVE) and localized SIR see, for both experiments."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    X, y, angle = swiss_roll(1000, np.random.default_rng(0))
    figure, axes = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained")
    pictures = [("the roll itself (columns 1 and 3)", X[:, [0, 2]])]
    for name in ("SIR", "LocalizedSIR"):
        pictures.append((f"{name}, variates 1 and 2", fit(name, X, y, 2, 10).transform(X)))
    for ax, (title, Z) in zip(axes, pictures, strict=True):
        points = ax.scatter(*Z.T, c=angle, s=7, cmap="viridis", linewidths=0)
        ax.set_title(title, fontsize=11, loc="left")
    figure.colorbar(points, ax=axes, label="position along the roll", shrink=0.9)
    finish(figure, axes, folder / "swiss_roll.png")

    X, side = tai_chi(1500, np.random.default_rng(0))
    figure, axes = plt.subplots(1, 3, figsize=(12.5, 4.2), layout="constrained")
    pictures = [("yin and yang (columns 1 and 2)", X[:, :2])]
    for name in ("SAVE", "LocalizedSIR"):
        pictures.append((f"{name}, variates 1 and 2", fit(name, X, side, 2, 10).transform(X)))
    for ax, (title, Z) in zip(axes, pictures, strict=True):
        for value, colour in (("yin", "#2166ac"), ("yang", "#e08214")):
            ax.scatter(*Z[side == value].T, color=colour, s=7, linewidths=0, label=value)
        ax.set_title(title, fontsize=11, loc="left")
        ax.set_aspect("equal")
    axes[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), markerscale=2)
    finish(figure, axes, folder / "tai_chi.png")


def finish(figure, axes, path: Path) -> None:
    """Remove the top and right frame lines, and save."""
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    figure.savefig(path, dpi=110)
    print(f"wrote {path}")


def main() -> None:
    """Print both tables and draw both pictures."""
    sizes = (200, 500, 1000)
    show("Swiss roll, 3 of 10 directions", compare(swiss_roll, 3, 3, 10, sizes), sizes)
    show("Tai chi, 2 of 6 directions (SIR: 1)", compare(tai_chi, 2, 2, 10, sizes), sizes)
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "pictures"))


if __name__ == "__main__":
    main()
