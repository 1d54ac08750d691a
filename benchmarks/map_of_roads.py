"""Which road to ten components takes the least time, for each shape of a table, and which one the rule takes.

    python benchmarks/map_of_roads.py [most_cells] [picture]

Every road is timed on the same rows in the same process: a scatter (p × p), a factor (the rows, and their products with
each other), and products with a few vectors. Writes the map as a picture.
"""

import sys
import warnings
from itertools import product
from unittest.mock import patch

import matplotlib
import numpy as np
import scipy.sparse

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from bench_any_shape_needs_few_products import planted
from eigenlens import PCA
from eigenlens.moments import Factor, Outline, Scatter
from eigenlens.solve.strategy import Road, choose_road
from harness import seconds

K = 10
SIDES = (500, 1_000, 2_000, 5_000, 10_000)
LONG = 60.0  # seconds for a scatter, estimated, beyond which it is not tried
COLOURS = {"Scatter": "#2166ac", "Factor": "#e08214", "Outline": "#1b7837"}
WORDS = {"Scatter": "scatter, p × p", "Factor": "factor, rows × rows", "Outline": "products with vectors"}


def times(X) -> dict[str, float]:
    n, p = X.shape
    roads = {"Outline": Outline}
    if n * p * p < 4e10 * LONG and p <= 5_000:
        roads["Scatter"] = Scatter
    if n <= p and n * n * p < 4e10 * LONG:
        roads["Factor"] = Factor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: least(kind, X) for name, kind in roads.items()}


def least(kind, X) -> float:
    """Return the time of PCA on one road, whatever the rule would take."""
    with patch("eigenlens.methods.pca.road_of", lambda *_, **__: Road(kind, "for the map", 6_400)):
        return min(seconds(lambda: PCA(K).fit(X)) for _ in range(2))


def draw(ax, found, title) -> None:
    for (n, p), (taken, rule) in found.items():
        best = min(taken, key=taken.get)
        i, j = SIDES.index(p), SIDES.index(n)
        ax.add_patch(plt.Rectangle((i - 0.5, j - 0.5), 1, 1, color=COLOURS[best], alpha=0.75, lw=0))
        loss = taken.get(rule, np.nan) / taken[best]
        ax.text(
            i,
            j,
            f"{taken[best]:.2g} s\n" + ("rule" if rule == best else f"rule: ×{loss:.1f}"),
            ha="center",
            va="center",
            fontsize=7,
            color="white",
        )
    ax.set(xlim=(-0.5, len(SIDES) - 0.5), ylim=(-0.5, len(SIDES) - 0.5), title=title, xlabel="columns", ylabel="rows")
    ax.set_xticks(range(len(SIDES)), [f"{s:,}" for s in SIDES], fontsize=8)
    ax.set_yticks(range(len(SIDES)), [f"{s:,}" for s in SIDES], fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def main(most_cells: float = 2.5e7, picture: str = "roads.png") -> None:
    rng, dense, sparse = np.random.default_rng(0), {}, {}
    for n, p in product(SIDES, SIDES):
        if n * p <= most_cells:
            dense[n, p] = times(planted(n, p, rng)), choose_road(n, p, K).kind.__name__
            print(f"dense {n:,} × {p:,}:", dense[n, p], flush=True)
        if n * p <= 4 * most_cells:
            X = scipy.sparse.random(n, p, 0.01, format="csr", random_state=0)
            sparse[n, p] = times(X), choose_road(n, p, K, 0.01).kind.__name__
            print(f"sparse {n:,} × {p:,}:", sparse[n, p], flush=True)
    draw_map(dense, sparse, picture)


def draw_map(dense, sparse, picture) -> None:
    _, axes = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
    draw(axes[0], dense, "dense, ten directions stand out")
    draw(axes[1], sparse, "sparse, 1% filled, no structure")
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[name], alpha=0.75) for name in WORDS]
    axes[0].figure.legend(handles, WORDS.values(), loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    plt.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*(float(a) if k == 0 else a for k, a in enumerate(sys.argv[1:])))
