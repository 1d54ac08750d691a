"""
A map of many rows by a few landmarks
=====================================

A table of distances between 4,000 rows has 16 million cells. With 200 landmarks we need only 4,000 × 200: the
landmarks are scaled, and all rows are placed by their distances to them. The model estimates the loss of accuracy.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import ClassicalMDS

rng = np.random.default_rng(0)
group = rng.integers(0, 5, 4000)
X = 4 * rng.standard_normal((5, 6))[group] + rng.standard_normal((4000, 6))

# %%
# City-block distances, 25 and 200 landmarks.

fig, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for ax, m in zip(axes, (25, 200), strict=True):
    mds = ClassicalMDS(metric="cityblock", n_landmarks=m, landmarks="maxmin").fit(X)
    ax.scatter(*mds.embedding_.T, c=group, cmap="tab10", vmax=9, s=3)
    ax.set(
        title=f"{m} landmarks, estimated error {mds.landmark_error_:.1%}",
        xticks=[],
        yticks=[],
    )
plt.show()
