"""Draw the pictures of the user guide: `python docs/guide/make_pictures.py` writes docs/guide/pictures/*.png.

The pictures are committed, so that the guide can be read without building anything. A function draws one picture.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import Ellipse
from sklearn.datasets import load_wine, make_moons
from sklearn.preprocessing import scale

from eigenlens import (
    CCA,
    FDA,
    LDA,
    MDA,
    PCA,
    SIR,
    ClassicalMDS,
    CorrespondenceAnalysis,
    KernelPCA,
    MixedPCA,
    SparsePCA,
    displays,
)
from eigenlens.inference import bootstrap
from eigenlens.kernels import Gaussian

BLUE, ORANGE, RED, GREY = "#2166ac", "#e08214", "#b2182b", "0.65"
FOLDER = Path(__file__).parent / "pictures"


def panels(count: int, width: float = 3.6, height: float = 3.0, **options):
    """Return a figure with panels in a row."""
    return plt.subplots(1, count, figsize=(width * count, height), layout="constrained", **options)


def clean(ax, title: str = "") -> None:
    """Take away what carries no data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.set(xticks=[], yticks=[])
    ax.set_title(title, fontsize=10)


def spread():
    """A cloud, its axes, and the cloud seen along them."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((250, 2)) @ np.array([[2.0, 1.1], [0.0, 0.6]])
    pca = PCA(2).fit(X)
    figure, (left, right) = panels(2)
    left.scatter(*X.T, s=6, color=GREY)
    for v, sd in zip(pca.components_, np.sqrt(pca.explained_variance_), strict=True):
        left.annotate("", 2 * sd * v, (0, 0), arrowprops={"arrowstyle": "->", "color": RED, "lw": 2})
    right.scatter(*pca.transform(X).T, s=6, color=BLUE)
    for ax, title in ((left, "the table"), (right, "seen along its components")):
        ax.set(xlim=(-6, 6), ylim=(-5, 5))
        clean(ax, title)
    right.set(xlabel="component 1", ylabel="component 2")
    return figure


def how_many():
    """Eigenvalues of a table and of unrelated columns."""
    X = scale(load_wine().data)
    frame = PCA().fit(X).test_dimension().to_frame().iloc[:7]
    figure, ax = panels(1, 6.4, 3.2)
    axis = np.arange(1, 8)
    ax.fill_between(axis, 0, frame["bar"], color=RED, alpha=0.15, label="what noise of the columns' own gives")
    ax.plot(axis, frame["statistic"], "o-", color=BLUE, label="thirteen columns of wine")
    ax.set(xlabel="direction", ylabel="what it carries", ylim=(0, None))
    last = (6, frame["statistic"].iloc[5])
    ax.annotate("six directions are shown", last, (4.6, 3.0), arrowprops={"arrowstyle": "->"})
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return figure


def classes():
    """PCA and LDA of two long, parallel clouds."""
    rng = np.random.default_rng(1)
    y = np.arange(240) % 2
    X = rng.standard_normal((240, 2)) * [2.4, 0.45] + np.array([[0, -0.8], [0, 0.8]])[y]
    X = X @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    figure, axes = panels(3)
    axes[0].scatter(*X.T, c=np.where(y, BLUE, ORANGE), s=7)
    clean(axes[0], "two classes")
    for ax, model, title in (
        (axes[1], PCA(1).fit(X), "PCA: the widest direction"),
        (axes[2], LDA().fit(X, y), "LDA: the one that separates"),
    ):
        z = model.transform(X)[:, 0]
        for k, colour in enumerate((ORANGE, BLUE)):
            ax.hist(z[y == k], bins=np.linspace(z.min(), z.max(), 31), color=colour, alpha=0.7)
        clean(ax, title)
    return figure


def bent():
    """A straight boundary, a bent one, and classes in pieces."""
    X, y = make_moons(250, noise=0.2, random_state=0)
    rng = np.random.default_rng(0)
    corner = rng.integers(0, 4, 250)
    Z = 4 * np.column_stack([corner // 2, corner % 2]) + rng.standard_normal((250, 2))
    z = np.isin(corner, [0, 3]).astype(int)
    figure, axes = panels(3)
    for ax, model, rows, labels, title in (
        (axes[0], LDA(), X, y, "LDA: a line"),
        (axes[1], FDA(), X, y, "FDA: bent"),
        (axes[2], MDA(n_subclasses=2), Z, z, "MDA: lumpy"),
    ):
        displays.decision(model.fit(rows, labels), rows, labels, ax=ax, support=False)
        ax.get_legend().remove()
        ax.set(xlabel="", ylabel="")
        clean(ax, title)
    return figure


def response():
    """A response against a column, and against the direction that SIR finds."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 8))
    u = X @ np.array([1, 1, 1, 1, 0, 0, 0, 0]) / 2
    y = np.exp(0.7 * u) + 0.25 * rng.standard_normal(400)
    z = SIR(1).fit_transform(X, y)[:, 0]
    figure, axes = panels(2, sharey=True)
    shown = {"one of eight columns": X[:, 0], "the direction of SIR": z * np.sign(z @ y)}
    for ax, (label, x) in zip(axes, shown.items(), strict=True):
        ax.scatter(x, y, s=6, color=BLUE)
        clean(ax)
        ax.set_xlabel(label)
    axes[0].set_ylabel("response")
    return figure


def two_tables():
    """First pair of wines: minerals against phenols."""
    wine = load_wine()
    X, Y = wine.data[:, [0, 1, 2, 3, 4, 12]], wine.data[:, 5:12]
    cca = CCA().fit(X, Y)
    a, b = cca.transform(X, Y)
    figure, axes = panels(3)
    for j, ax in enumerate(axes):
        ax.scatter(a[:, j], b[:, j], s=7, color=BLUE)
        clean(ax, f"pair {j + 1}: correlation {cca.correlations_[j]:.2f}")
        ax.set(xlabel="acids, minerals, alcohol", ylabel="phenols, colour" if j == 0 else "")
    return figure


def distances():
    """A table of distances becomes a map."""
    cities = ["Boston", "New York", "Washington", "Miami", "Chicago", "Seattle", "San Francisco", "Los Angeles"]
    cities += ["Denver"]
    miles = [206, 429, 1504, 963, 2976, 3095, 2979, 1949, 233, 1308, 802, 2815, 2934, 2786, 1771, 1075, 671, 2684,
             2799, 2631, 1616, 1329, 3273, 3053, 2687, 2037, 2013, 2142, 2054, 996, 808, 1131, 1307, 379, 1235,
             1059]  # fmt: skip
    table = np.zeros((9, 9))
    table[np.triu_indices(9, 1)] = miles
    Y = -ClassicalMDS(metric="precomputed").fit(miles).embedding_
    Y = Y * np.sign(Y[0]) * [1, 1]  # Boston in the north-east
    figure, axes = panels(2, 4.0, 3.4)
    axes[0].imshow(table + table.T, cmap="Blues")
    axes[0].set_yticks(range(9), cities, fontsize=8)
    axes[0].set_xticks([])
    axes[0].set_title("distances …", fontsize=10)
    axes[1].scatter(*Y.T, s=14, color=BLUE)
    for name, (a, b) in zip(cities, Y, strict=True):
        below = name in ("Washington", "New York")  # their names would run into others above
        place = {"xytext": (0, -11 if below else 4), "textcoords": "offset points", "ha": "center"}
        axes[1].annotate(name, (a, b), fontsize=8, **place)
    axes[1].margins(0.2)
    clean(axes[1], "… become a map")
    return figure


def kernels():
    """Two rings, and the first two axes of kernel PCA."""
    rng = np.random.default_rng(0)
    ring = np.repeat([0, 1], 150)
    angle = rng.uniform(0, 2 * np.pi, 300)
    X = (1 + 2 * ring)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.12 * rng.standard_normal((300, 2))
    figure, axes = panels(3)
    colours = np.where(ring, ORANGE, BLUE)
    for ax, Z, title in (
        (axes[0], X, "two rings"),
        (axes[1], PCA(2).fit_transform(X), "PCA turns them"),
        (axes[2], KernelPCA(2, kernel=Gaussian(1.0)).fit_transform(X), "kernel PCA separates them"),
    ):
        ax.scatter(*Z.T, s=7, c=colours)
        clean(ax, title)
    return figure


def wide():
    """Loadings of PCA and of sparse PCA on a wide table."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 400))
    true = np.sort(rng.choice(400, 12, replace=False))
    X[:, true] += 1.5 * rng.standard_normal((40, 1))
    figure, axes = panels(2, 4.0, 2.6, sharey=True)
    models = {"PCA: 400 loadings": PCA(1), "sparse PCA: 12 loadings": SparsePCA(1, n_nonzero=12, ridge=np.inf)}
    for ax, (title, model) in zip(axes, models.items(), strict=True):
        v = np.abs(model.fit(X).components_[0])
        ax.vlines(np.arange(400), 0, v, color=GREY, lw=0.7)
        ax.vlines(true, 0, v[true], color=RED, lw=1.5)
        clean(ax, title)
        ax.set_xlabel("column")
    return figure


def words():
    """Words of the passengers of the Titanic, and a table of counts."""
    counts = [("1st", "men", 175), ("2nd", "men", 168), ("3rd", "men", 462), ("crew", "men", 862)]
    counts += [("1st", "women", 144), ("2nd", "women", 93), ("3rd", "women", 165), ("crew", "women", 23)]
    counts += [("1st", "children", 6), ("2nd", "children", 24), ("3rd", "children", 79)]
    people = pd.DataFrame(counts, columns=["class", "who", "count"])
    hair = pd.DataFrame(
        [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]],
        index=["black hair", "brown hair", "red hair", "blond hair"],
        columns=["brown eyes", "blue eyes", "hazel eyes", "green eyes"],
    )
    figure, (left, right) = panels(2, 4.8, 3.8)
    MixedPCA(2).fit(people[["class", "who"]], sample_weight=people["count"]).plot(ax=left)
    CorrespondenceAnalysis(2).fit(hair).plot(ax=right)
    for text in left.texts:
        if text.get_text() == "men":  # to the right: the crew is on its left
            text.set(position=(5, 4), ha="left")
    left.margins(y=0.12)
    right.margins(x=0.2)
    left.set_title("a table of words", fontsize=10)
    right.set_title("a table of counts", fontsize=10)
    return figure


def files():
    """Rows in pieces, moments, merge."""
    figure, ax = plt.subplots(figsize=(7.2, 2.7), layout="constrained")
    ax.set(xlim=(0, 10), ylim=(0, 3.2))
    ax.axis("off")

    def box(x, y, w, h, text, colour):
        ax.add_patch(plt.Rectangle((x, y), w, h, facecolor=colour, edgecolor="0.3", alpha=0.35))
        ax.text(x + w / 2, y + h / 2, text, ha="center", va="center", fontsize=9)

    for j, name in enumerate(("file", "batch", "worker")):
        y = 2.3 - j
        box(0.1, y, 1.9, 0.75, f"{name}: rows", GREY)
        box(3.0, y, 1.7, 0.75, "moments", BLUE)
        ax.annotate("", (3.0, y + 0.37), (2.0, y + 0.37), arrowprops={"arrowstyle": "->"})
        ax.annotate("", (5.9, 1.68), (4.7, y + 0.37), arrowprops={"arrowstyle": "->"})
    box(5.9, 1.3, 1.6, 0.75, "merge", BLUE)
    box(8.3, 1.3, 1.6, 0.75, "model", ORANGE)
    ax.annotate("", (8.3, 1.68), (7.5, 1.68), arrowprops={"arrowstyle": "->"})
    ax.text(3.85, 0.02, "O(p²) numbers each", ha="center", fontsize=8, color="0.3")
    return figure


def holes():
    """Two related columns, the second missing where the first is large, and three estimates of their ellipse."""
    rng = np.random.default_rng(0)
    full = rng.standard_normal((600, 2)) @ np.array([[1, 0.8], [0, 0.6]])
    X = full.copy()
    X[(full[:, 0] > 0) & (rng.random(600) < 0.85), 1] = np.nan
    lost = np.isnan(X[:, 1])
    ml = PCA(missing="ml").fit(X)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    estimates = {
        "dropped rows": (X[~lost].mean(axis=0), np.cov(X[~lost].T)),
        "filled means": (filled.mean(axis=0), np.cov(filled.T)),
        "maximum likelihood": (ml.mean_, ml.covariance_),
    }
    figure, axes = panels(3, sharex=True, sharey=True)
    for ax, (title, (mean, covariance)) in zip(axes, estimates.items(), strict=True):
        ax.scatter(*full[lost].T, s=5, color="0.85")
        ax.scatter(*full[~lost].T, s=5, color=BLUE)
        for (m, S), colour in (((full.mean(axis=0), np.cov(full.T)), "0.4"), ((mean, covariance), RED)):
            values, vectors = np.linalg.eigh(S)
            turn = np.degrees(np.arctan2(*vectors[::-1, 1]))
            size = 4 * np.sqrt(values[::-1])
            ax.add_patch(Ellipse(m, *size, angle=turn, fill=False, color=colour, lw=2))
        clean(ax, title)
    return figure


def how_sure():
    """Loadings with intervals, and the planes of resamples."""
    wine = load_wine()
    X = scale(wine.data)
    result = bootstrap(LDA(), X, wine.target, n_boot=400)
    first = result.to_frame().loc[1]
    v, low, high = (first[name].to_numpy() for name in ("loading", "low", "high"))
    figure, axes = panels(2, 4.2, 3.4)
    away = (low > 0) | (high < 0)
    axes[0].hlines(np.arange(13), low, high, color=np.where(away, BLUE, GREY), lw=2.5)
    axes[0].scatter(v, np.arange(13), color=np.where(away, BLUE, GREY), s=16, zorder=3)
    axes[0].axvline(0, color="0.3", lw=0.8)
    axes[0].spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(np.arange(13), [name.replace("_", " ")[:20] for name in wine.feature_names], fontsize=7)
    axes[0].set_title("which loadings are away from zero?", fontsize=10)
    axes[1].hist(np.degrees(result.angles).max(axis=1), bins=30, color=BLUE)
    axes[1].set_xlabel("degrees")
    axes[1].set_title("how far does the plane turn?", fontsize=10)
    axes[1].spines[["top", "right"]].set_visible(False)
    return figure


PICTURES = (
    spread,
    how_many,
    classes,
    bent,
    response,
    two_tables,
    distances,
    kernels,
    wide,
    words,
    holes,
    files,
    how_sure,
)


def main() -> None:
    """Draw all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for draw in PICTURES:
        figure = draw()
        figure.savefig(FOLDER / f"{draw.__name__}.png", dpi=100, metadata={"Software": None})
        plt.close("all")


if __name__ == "__main__":
    main()
