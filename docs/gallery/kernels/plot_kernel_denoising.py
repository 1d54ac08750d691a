"""
Noisy digits, cleaned by kernel PCA
===================================

Learn the shape of the digits from clean ones, project noisy ones onto it, and map them back. PCA maps them back to a
plane; kernel PCA maps them back to where digits lie.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from eigenlens import PCA, KernelPCA
from eigenlens.exceptions import ScaleWarning
from eigenlens.kernels import Gaussian

digits = load_digits()
clean, rest = digits.data[:500], digits.data[500:700]
noisy = rest + 6 * np.random.default_rng(0).standard_normal(rest.shape)

# %%
# The inverse map is itself learned, by a regression on the scores. Pixels differ in spread, but they have one unit, so
# the warning about units does not matter here.

warnings.simplefilter("ignore", ScaleWarning)
pca, kernel = PCA(25).fit(clean), KernelPCA(60, kernel=Gaussian(40.0)).fit(clean)
results = {
    "true": rest,
    "noisy": noisy,
    "PCA": pca.inverse_transform(pca.transform(noisy)),
    "kernel PCA": kernel.inverse_transform(kernel.transform(noisy)),
}
for name, images in results.items():
    print(
        f"{name:12} root mean square error {np.sqrt(np.mean((images - rest) ** 2)):.2f}"
    )
fig, axes = plt.subplots(4, 10, figsize=(10, 4.3), layout="constrained")
for row, (name, images) in zip(axes, results.items(), strict=True):
    for ax, image in zip(row, images[:10], strict=True):
        ax.imshow(image.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        ax.set(xticks=[], yticks=[])
    row[0].set_ylabel(name, rotation=0, ha="right", va="center")
plt.show()
