"""
Rings: kernel PCA
=================

PCA finds planes. Kernel PCA maps the rows into another space and finds planes there. It never computes the map, only
its inner products: the kernel. Three rings become three separate groups.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import PCA, KernelPCA
from eigenlens.kernels import Gaussian, Polynomial

rng = np.random.default_rng(0)
ring = np.repeat([0, 1, 2], 150)
angle = rng.uniform(0, 2 * np.pi, 450)
X = (1 + 2 * ring)[:, None] * np.column_stack(
    [np.cos(angle), np.sin(angle)]
) + 0.15 * rng.standard_normal((450, 2))

# %%
# The first axis of each method, one histogram for each ring. A Gaussian kernel separates the rings.

models = {
    "PCA": PCA(1),
    "kernel PCA, quadratic": KernelPCA(1, kernel=Polynomial(2, 1.0, 0.0)),
    "kernel PCA, Gaussian": KernelPCA(1, kernel=Gaussian(1.5)),
}
fig, axes = plt.subplots(2, 3, figsize=(12, 6), layout="constrained")
for column, (name, model) in zip(axes.T, models.items(), strict=True):
    z = model.fit_transform(X)[:, 0]
    column[0].scatter(X[:, 0], X[:, 1], c=z, cmap="viridis", s=10)
    column[0].set(title=name, aspect="equal", xticks=[], yticks=[])
    for k in range(3):
        column[1].hist(z[ring == k], bins=np.linspace(z.min(), z.max(), 40), alpha=0.7)
    column[1].set_xlabel("first axis")
plt.show()

# %%
# The bandwidth is the scale at which the kernel looks. The default is the median distance between rows, which is too
# coarse here.

automatic = KernelPCA(2).fit(X)
print("automatic bandwidth:", round(automatic.kernel_.bandwidth, 2))
