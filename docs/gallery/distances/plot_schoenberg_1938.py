"""
Are these distances Euclidean? Ask every exponential
====================================================

Schoenberg (1938): distances d are those of points in a Hilbert space if and only if the table e^(−λd²) is positive
definite for every λ > 0, and it is enough to look at λ near 0. One wrong distance shows there, and only there.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens.distances import is_squared_distance

# %%
# Squared distances of 20 points, and the same table with one distance that is three times too long.

rng = np.random.default_rng(0)
X = rng.standard_normal((20, 30))
good = ((X[:, None] - X) ** 2).sum(axis=2)
spoiled = good.copy()
spoiled[0, 1] = spoiled[1, 0] = 9 * good[0, 1]
tables = {"Euclidean": good, "one distance spoiled": spoiled}
for name, D in tables.items():
    print(f"{name}: {is_squared_distance(D)}")

# %%
# The smallest eigenvalue of e^(−λd²) against λ. For large λ every table passes, since it becomes the identity.
# For small λ it is 1 − λd², so that the smallest eigenvalue over λ tends to that of −D among v with vᵀ1 = 0, which is
# what ``is_squared_distance`` looks at.

lam = np.geomspace(1e-5, 1, 80)
fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for name, D in tables.items():
    smallest = np.array([np.linalg.eigvalsh(np.exp(-v * D))[0] for v in lam])
    axes[0].plot(lam, smallest, label=name)
    (line,) = axes[1].plot(lam, smallest / lam)
    limit = -is_squared_distance(D).eigenvalue
    axes[1].axhline(limit, color=line.get_color(), ls=":")
for ax in axes:
    ax.axhline(0, color="0.6", lw=0.8)
    ax.set(xscale="log", xlabel="λ")
axes[0].set(ylabel="smallest eigenvalue", title="exp(−λd²)")
axes[1].set(ylabel="smallest eigenvalue / λ", title="Near 0: that of −D (dotted)")
axes[0].legend(frameon=False)
plt.show()
