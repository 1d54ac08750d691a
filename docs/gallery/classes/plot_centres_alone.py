"""
Centres alone are not enough
============================

Two classes, and a line on which to see them apart. The line through their centres looks natural. Fisher's line also
asks how far the rows of a class spread along it, and finds a view in which the classes hardly overlap.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from eigenlens import LDA

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 300)
X = rng.standard_normal((600, 2)) * [4, 0.5]  # wide clouds,
X += np.where(y[:, None] == 0, -1, 1) * [2, 1.5]  # one above the other

# %%
# The quotient R(w) = variance between classes over variance within them, in the two directions. Fisher's direction
# makes it largest.

lda = LDA().fit(X, y)
centres = lda.means_[1] - lda.means_[0]
fisher = lda.scalings_[:, 0]
for name, w in (("centres", centres), ("Fisher", fisher)):
    scores = X @ w
    middle = lda.means_.mean(axis=0) @ w
    right = np.mean((scores > middle) == y)
    print(f"{name:8} R = {lda.rayleigh(w):6.2f}, {right:.1%} of rows on their side")

# %%
# The rows, the two lines through the middle, and what is seen on each.

fig, axes = plt.subplot_mosaic(
    [["rows", "rows"], ["centres", "Fisher"]], figsize=(8.5, 7), layout="constrained"
)
for k in range(2):
    axes["rows"].scatter(*X[y == k].T, s=8, color=f"C{k}")
for name, w in (("centres", centres), ("Fisher", fisher)):
    along = w / np.linalg.norm(w)
    if along[1] < 0:
        along = -along
    ends = lda.mean_ + np.outer([-4, 4], along)
    axes["rows"].plot(*ends.T, color="black", lw=1)
    axes["rows"].annotate(
        name, ends[1], (4, 0), textcoords="offset points", va="center"
    )
    for k in range(2):
        axes[name].hist(X[y == k] @ along, bins=40, color=f"C{k}", alpha=0.6)
    axes[name].set(title=f"Seen along “{name}”", yticks=[])
axes["rows"].set(title="Two wide classes", aspect="equal")
plt.show()

# %%
# The same with irises: a good and a bad direction in which to look at versicolor and virginica.

iris = load_iris()
two = iris.target > 0
X, y = iris.data[two], iris.target_names[iris.target[two]]
lda = LDA().fit(X, y)
bad = np.linalg.svd(X - X.mean(axis=0))[2][-1]  # the direction of least spread
fig, axes = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained", sharey=True)
for ax, w, name in zip(axes, (lda.scalings_[:, 0], bad), ("Good", "Bad"), strict=True):
    for k, species in enumerate(lda.classes_):
        ax.hist(X[y == species] @ w, bins=18, color=f"C{k}", alpha=0.6, label=species)
    ax.set(title=f"{name}: R = {lda.rayleigh(w):.2g}", yticks=[])
axes[0].legend(frameon=False)
plt.show()
