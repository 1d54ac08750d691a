"""
Waveforms: a race of discriminants
==================================

The waveform problem of Breiman and others is a textbook classic. Each row is a random mixture of two of three
triangles, measured with noise at 21 points, and the class is the pair of triangles. With 300 rows, smooth
coefficients help more than bent boundaries.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import FDA, LDA, MDA, PDA, displays
from eigenlens.regress import AdditiveSplines, PenalizedRegression


def waveform(n, rng):
    """Draw n rows and their classes."""
    points = np.arange(1, 22)
    triangles = np.array(
        [np.maximum(6 - np.abs(points - middle), 0) for middle in (11, 15, 7)]
    )
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    y = rng.integers(0, 3, n)
    share = rng.uniform(size=(n, 1))
    return share * triangles[pairs[y, 0]] + (1 - share) * triangles[
        pairs[y, 1]
    ] + rng.standard_normal((n, 21)), y


rng = np.random.default_rng(2)
X, y = waveform(300, rng)
fresh, truth = waveform(4000, rng)

# %%
# Five rows of each class. They are hard to tell apart by eye.

fig, axes = plt.subplots(1, 3, figsize=(12, 3), layout="constrained", sharey=True)
for k, ax in enumerate(axes):
    ax.plot(np.arange(1, 22), X[y == k][:5].T, lw=0.9)
    ax.set(title=f"class {k}", xlabel="point")
plt.show()

# %%
# Learn from 300 rows and test on 4,000 others. Noise alone causes an error of about 14%.

models = {
    "LDA": LDA(),
    "PDA, smooth": PDA(penalty="smooth"),
    "FDA, additive splines": FDA(regressor=AdditiveSplines()),
    "MDA, 3 subclasses": MDA(n_subclasses=3, n_init=2),
    "MDA, smooth": MDA(
        n_subclasses=3,
        n_init=2,
        regressor=PenalizedRegression("smooth", df=5),
        max_iter=5,
        tol=0,
    ),
}
errors = {
    name: 1 - model.fit(X, y).score(fresh, truth) for name, model in models.items()
}
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.barh(list(errors), list(errors.values()), color="#2166ac")
ax.axvline(0.14, color="#b2182b", ls="--", label="Bayes error, about 14%")
ax.set_xlim(0, 0.29)
ax.invert_yaxis()
ax.set(xlabel="error on 4,000 new rows", title="Straight, smooth, bent and lumpy")
ax.legend(frameon=False, loc="center right")
plt.show()

# %%
# The classes form a triangle in the plane of the two discriminants: each class is an edge, because it is a mixture
# of two corners.

displays.discriminant(models["MDA, smooth"], X, y)
plt.show()

# %%
# The coefficients explain why the penalty helps. Those of LDA jump from point to point, although neighbouring
# points measure nearly the same.

fig, axes = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
for ax, name in zip(axes, ("LDA", "PDA, smooth"), strict=True):
    ax.plot(np.arange(1, 22), models[name].scalings_, "o-")
    ax.axhline(0, color="0.4", lw=0.8)
    ax.set(title=f"{name}: coefficients", xlabel="point")
plt.show()
