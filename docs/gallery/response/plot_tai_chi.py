"""
Tai chi: two classes that no half plane separates
=================================================

Yin and yang share a disc. Their means nearly agree, and so do their covariances. Four more columns are noise.
Localized SIR finds the disc, because it compares every row with its neighbours of the same class.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import SAVE, LocalizedSIR

rng = np.random.default_rng(0)
P = rng.uniform(-2, 2, (3000, 2))
P = P[np.hypot(*P.T) <= 2][:1500]
upper, lower = np.hypot(P[:, 0], P[:, 1] - 1), np.hypot(P[:, 0], P[:, 1] + 1)
inside = [upper < 1 / 3, lower < 1 / 3, upper < 1, lower < 1]
side = np.select(
    inside, ["yin", "yang", "yang", "yin"], np.where(P[:, 0] > 0, "yin", "yang")
)
X = np.column_stack([P, rng.standard_normal((len(P), 4))])

# %%
# SAVE compares covariances and sees a blur. Localized SIR shows the emblem, up to a rotation.

pictures = {"columns 0 and 1": P}
for model in (SAVE(2), LocalizedSIR(2)):
    pictures[type(model).__name__] = model.fit(X, side).transform(X)
fig, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
for ax, (title, Z) in zip(axes, pictures.items(), strict=True):
    for name, colour in (("yin", "0.1"), ("yang", "#e08214")):
        ax.scatter(*Z[side == name].T, s=7, color=colour, label=name)
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])
axes[0].legend(frameon=False, loc="lower right", markerscale=2)
plt.show()

# %%
# The number of neighbours matters little over a wide range. (With as many neighbours as the largest class has rows, the
# method is SIR.)

for k in (3, 10, 30, 100):
    model = LocalizedSIR(2, n_neighbors=k).fit(X, slices=side)
    unit = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    print(f"{k:5} neighbours: accuracy {np.mean(np.sum(unit[:, :2] ** 2, axis=1)):.2f}")
