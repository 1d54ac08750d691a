"""
Lumpy classes: how many kinds of two?
=====================================

A class may be made of several clouds. MDA gives every class its own mixture of normal distributions, all with one
common shape. Here we ask which digits come in several kinds.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from eigenlens import LDA, MDA, PCA, displays

# %%
# First a picture of the idea: two classes in four corners. LDA can do no better than toss a coin.

rng = np.random.default_rng(0)
corner = rng.integers(0, 4, 500)
X = 4 * np.column_stack([corner // 2, corner % 2]) + rng.standard_normal((500, 2))
y = np.where(np.isin(corner, [0, 3]), "same", "different")
mda = MDA(n_subclasses=2).fit(X, y)
fig, ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
displays.discriminant(mda, X, y, ax=ax)
straight = LDA().fit(X, y).score(X, y)
ax.set_title(f"MDA right for {mda.score(X, y):.0%} of rows, LDA for {straight:.0%}")
plt.show()

# %%
# The Bayesian information criterion finds the number of clouds.

print(
    "subclasses by BIC:",
    dict(
        zip(
            mda.classes_.tolist(),
            MDA(n_subclasses="bic").fit(X, y).n_subclasses_.tolist(),
            strict=True,
        )
    ),
)

# %%
# Now the digits, reduced to twenty principal components so that the mixtures have enough rows.

digits = load_digits()
pca = PCA(20).fit(digits.data)
Z = pca.transform(digits.data)
train, test = np.arange(len(Z)) % 2 == 0, np.arange(len(Z)) % 2 == 1
lda = LDA().fit(Z[train], digits.target[train])
mixture = MDA(n_subclasses=3, n_init=1, max_iter=30, tol=1e-3).fit(
    Z[train], digits.target[train]
)
for name, model in (("LDA", lda), ("MDA, 3 kinds of each", mixture)):
    print(f"{name:22} error {1 - model.score(Z[test], digits.target[test]):.3f}")

# %%
# The means of the subclasses are images again. Each column shows the three kinds of a digit that MDA found.

means = mixture.subclass_means_ @ pca.components_ + pca.mean_
fig, axes = plt.subplots(3, 10, figsize=(10, 3.4), layout="constrained")
for k in range(10):
    for r in range(3):
        axes[r, k].imshow(
            means[3 * k + r].reshape(8, 8), cmap="gray_r", vmin=0, vmax=16
        )
        axes[r, k].set(xticks=[], yticks=[])
plt.show()
