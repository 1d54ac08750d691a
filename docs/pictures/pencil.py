"""A pencil: signal A against yardstick B, and the direction where their ratio is largest."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import eigh
from sklearn.datasets import load_iris

from eigenlens import LDA

BLUE, RED = "#4477aa", "#ee6677"
COLOURS = np.array([BLUE, RED, "#228833"])
data = load_iris()
X, y = data.data[:, [0, 3]], data.target
X = X - X.mean(axis=0)
centres = np.array([X[y == k].mean(axis=0) for k in range(3)])
between, within = 50 * centres.T @ centres, sum((X[y == k] - centres[k]).T @ (X[y == k] - centres[k]) for k in range(3))
values, vectors = eigh(between, within)
turn = np.stack([np.cos(t := np.linspace(0, 2 * np.pi, 400)), np.sin(t)])


def outline(ax, matrix, **style):
    """Draw the ellipse whose shadow along each unit direction v is the root of v'Mv."""
    ax.plot(*(np.linalg.cholesky(matrix) @ turn), **style)


figure, (pencil, white, along) = plt.subplots(1, 3, figsize=(10, 3.4), width_ratios=[1, 1, 1.3], layout="constrained")
outline(pencil, between, color=RED, lw=2, label="A: between classes")
outline(pencil, within, color=BLUE, lw=2, label="B: within classes")
for v, name in ((vectors[:, 1], "first"), (vectors[:, 0], "second")):
    unit = v / np.linalg.norm(v)
    reach = 7 * unit
    pencil.plot([-reach[0], reach[0]], [-reach[1], reach[1]], color="0.6", lw=1, ls="--")
    pencil.text(*(1.02 * reach), name, fontsize=8, color="0.4")
pencil.legend(fontsize=7, loc="lower right")
pencil.set_title("A against B")

R = np.linalg.cholesky(within).T
whitened = np.linalg.solve(R.T, np.linalg.solve(R.T, between).T)
outline(white, whitened, color=RED, lw=2)
outline(white, np.eye(2), color=BLUE, lw=2)
white.set_title("the same, whitened: B is a circle")

Z = LDA().fit(X, y).transform(X)
for k, name in enumerate(data.target_names):
    along.hist(Z[y == k, 0], bins=20, color=COLOURS[k], alpha=0.7, label=name)
along.legend(fontsize=8)
along.set_title("the irises along the first direction")
along.set(yticks=[])
for ax in (pencil, white):
    ax.set_aspect("equal")
    ax.set(xticks=[], yticks=[])
