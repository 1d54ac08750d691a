"""LDA against the support vector machine: the same boundary for Gaussian classes, a different one for heavy tails.

Run it with a folder for the picture: `python examples/lda_against_svm.py pictures`.

LDA uses all rows, through means and one covariance; the support vector machine uses only those near the boundary. If
the classes are Gaussian with one covariance, LDA's line is the best possible, and the machine converges to it as the
number of rows grows. If tails are heavy, a few far rows distort LDA's means and covariance, but hardly affect the
machine.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from eigenlens import LDA, KernelClassifier
from eigenlens.kernels import Linear

SHAPE = np.array([[1.0, 0.6], [0.0, 0.8]])  # rows are noise @ SHAPE: one covariance for both classes
MEANS = np.array([[-1.0, 0.0], [1.0, 0.0]])


def gaussian(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two Gaussian classes with one covariance."""
    y = np.arange(n) % 2
    return MEANS[y] + rng.standard_normal((n, 2)) @ SHAPE, y


def heavy(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The same classes, their noise with the tails of a Cauchy distribution."""
    y = np.arange(n) % 2
    return MEANS[y] + rng.standard_cauchy((n, 2)) @ SHAPE * 0.5, y


def directions(X: np.ndarray, y: np.ndarray) -> dict[str, tuple[np.ndarray, object]]:
    """Return the unit normal of each boundary, and the model."""
    lda = LDA().fit(X, y)
    svm = KernelClassifier(Linear(), lam=0.005 * len(y)).fit(X, y)
    normals = {"LDA": lda.coef_.ravel(), "SVM": svm.function_.coefficients @ svm.function_.points}
    return {name: (v / np.linalg.norm(v), m) for (name, v), m in zip(normals.items(), (lda, svm), strict=True)}


def compare(make, sizes=(100, 400, 1600), samples: int = 20, seed: int = 0) -> list[tuple[int, float, float, float]]:
    """Return for each size: the mean angle between the boundaries in degrees, and both errors on fresh rows."""
    rng = np.random.default_rng(seed)
    test_X, test_y = make(20_000, rng)
    table = []
    for n in sizes:
        angles, errors = [], {"LDA": [], "SVM": []}
        for _ in range(samples):
            found = directions(*make(n, rng))
            cosine = abs(found["LDA"][0] @ found["SVM"][0])
            angles.append(np.degrees(np.arccos(min(cosine, 1.0))))
            for name, (_, model) in found.items():
                errors[name].append(np.mean(model.predict(test_X) != test_y))
        table.append((n, float(np.mean(angles)), float(np.mean(errors["LDA"])), float(np.mean(errors["SVM"]))))
    return table


def draw(folder: Path, n: int = 300) -> Path:
    """Draw both boundaries on both kinds of data."""
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(1)
    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
    for ax, make, title in zip(axes, (gaussian, heavy), ("Gaussian classes", "heavy tails"), strict=True):
        X, y = make(n, rng)
        for k, colour in enumerate(("#0072b2", "#d55e00")):
            ax.scatter(*X[y == k].T, s=12, color=colour, alpha=0.6, linewidth=0, label=f"class {k}")
        grid = np.stack(np.meshgrid(np.linspace(-5, 5, 200), np.linspace(-5, 5, 200)), axis=-1)
        for (name, (_, model)), style in zip(directions(X, y).items(), ("-", "--"), strict=True):
            values = model.decision_function(grid.reshape(-1, 2)).reshape(200, 200)
            ax.contour(
                grid[..., 0], grid[..., 1], values, levels=[0.0], colors="0.15", linestyles=style, linewidths=1.6
            )
            ax.plot([], [], color="0.15", linestyle=style, label=name)
        ax.set(xlim=(-5, 5), ylim=(-5, 5), aspect="equal", title=title)
        ax.spines[["top", "right"]].set_visible(False)
    axes[1].legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    path = folder / "lda_against_svm.png"
    figure.savefig(path, dpi=150)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("pictures"), help="for the picture")
    folder = parser.parse_args().folder
    for make in (gaussian, heavy):
        print(f"{make.__name__}:\n{'rows':>8} {'angle':>8} {'LDA error':>10} {'SVM error':>10}")
        for n, angle, lda, svm in compare(make):
            print(f"{n:8d} {angle:7.1f}° {lda:10.3f} {svm:10.3f}")
    folder.mkdir(parents=True, exist_ok=True)
    print(f"wrote {draw(folder)}")


if __name__ == "__main__":
    main()
