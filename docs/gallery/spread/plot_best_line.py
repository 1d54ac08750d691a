"""
The best line, and a digit as a sum
===================================

The first principal component is the line through the mean on which rows keep most of their variance, which is also
the line closest to them. With more components, every row is the mean plus a few numbers times a few patterns.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_iris

from eigenlens import PCA

# %%
# Three columns of the irises, the line, and the errors: the variance along the line and the mean squared error add up
# to all variance.

X = load_iris().data[:, [0, 1, 2]]
pca = PCA(1, ddof=0).fit(X)
foot = pca.inverse_transform(pca.transform(X))
error = pca.reconstruction_error(X).mean()
print(f"along the line {pca.explained_variance_[0]:.3f}, error {error:.3f}")
print(f"together {pca.explained_variance_[0] + error:.3f}, the total variance")

fig, axes = plt.subplots(1, 2, figsize=(8.5, 3.8), layout="constrained")
for ax, (i, j) in zip(axes, ((0, 2), (0, 1)), strict=True):
    for row, on_line in zip(X[:, [i, j]], foot[:, [i, j]], strict=True):
        ax.plot(*np.array([row, on_line]).T, color="0.8", lw=0.7)
    ax.scatter(X[:, i], X[:, j], s=10)
    ends = pca.mean_ + np.outer([-4, 4], pca.components_[0])
    ax.plot(ends[:, i], ends[:, j], color="C3")
    ax.set(
        xlabel=load_iris().feature_names[i],
        ylabel=load_iris().feature_names[j],
        xlim=(X[:, i].min() - 0.4, X[:, i].max() + 0.4),
        ylim=(X[:, j].min() - 0.4, X[:, j].max() + 0.4),
    )
fig.suptitle("The best line in three dimensions, seen from two sides")
plt.show()

# %%
# A handwritten three is the mean of all threes, plus three numbers times three patterns, plus what they leave out.

digits = load_digits()
threes = digits.data[digits.target == 3]
pca = PCA(3).fit(threes)
scores = pca.transform(threes)
row = int(np.argmin(pca.reconstruction_error(threes)))
a = scores[row] / np.sqrt(pca.explained_variance_)  # in standard deviations
patterns = pca.components_ * np.sqrt(pca.explained_variance_)[:, None]
images = [threes[row], pca.mean_, *patterns, pca.inverse_transform(scores[[row]])[0]]
terms = [f"{'+' if value > 0 else '−'} {abs(value):.2f} ×" for value in a]
titles = ["this three", "≈ mean", *terms, "the sum"]

fig, axes = plt.subplots(1, 6, figsize=(8.5, 1.9), layout="constrained")
for ax, image, title in zip(axes, images, titles, strict=True):
    signed = title[0] in "+−"
    limit = np.abs(patterns).max()
    kind = (
        {"cmap": "PuOr", "vmin": -limit, "vmax": limit}
        if signed
        else {"cmap": "gray_r"}
    )
    ax.imshow(image.reshape(8, 8), **kind)
    ax.set(title=title, xticks=[], yticks=[])
plt.show()
