"""
Rows that do not fit: odd handwriting
=====================================

PCA describes the bulk of a table. The squared distance of a row from the subspace, ``reconstruction_error``, measures
how badly the description fits that row. Here it finds the sevens that are hard to read.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from eigenlens import PCA

digits = load_digits()
sevens = digits.data[digits.target == 7]
pca = PCA(12).fit(sevens)
error = pca.reconstruction_error(sevens)
order = np.argsort(error)

# %%
# Top: the sevens that twelve components describe best. Bottom: those that they describe worst, with the reconstruction
# below each.

fig, axes = plt.subplots(3, 9, figsize=(10, 3.8), layout="constrained")
for column, (good, odd) in enumerate(zip(order[:9], order[::-1][:9], strict=True)):
    pictures = (
        sevens[good],
        sevens[odd],
        pca.inverse_transform(pca.transform(sevens[[odd]]))[0],
    )
    for ax, picture in zip(axes[:, column], pictures, strict=True):
        ax.imshow(picture.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        ax.set(xticks=[], yticks=[])
for ax, label in zip(
    axes[:, 0], ("typical", "odd", "as the model\nsees it"), strict=True
):
    ax.set_ylabel(label, rotation=0, ha="right", va="center")
plt.show()

# %%
# The components are images too: the ways in which sevens differ.

fig, axes = plt.subplots(1, 6, figsize=(10, 2), layout="constrained")
for j, ax in enumerate(axes):
    size = np.abs(pca.components_[j]).max()
    ax.imshow(pca.components_[j].reshape(8, 8), cmap="RdBu_r", vmin=-size, vmax=size)
    ax.set(xticks=[], yticks=[], title=f"{pca.explained_variance_ratio_[j]:.0%}")
plt.show()

# %%
# A new row has an error as well. A four is not a seven, and the model can tell by distance alone.

fours = pca.reconstruction_error(digits.data[digits.target == 4])
limit = np.quantile(error, 0.95)
print(
    f"{np.mean(fours > limit):.0%} of the fours lie further away than 95% of the sevens"
)
