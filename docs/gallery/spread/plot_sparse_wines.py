"""
Components that can be named
============================

A principal component mixes all columns, which makes it hard to name. Sparse PCA keeps few columns in each component
and shows what that costs in variance. Thirteen measurements of wine become two short recipes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from eigenlens import PCA, SparsePCA, displays

wine = load_wine()
X, names = scale(wine.data), [name.replace("_", " ") for name in wine.feature_names]

# %%
# Four columns for each component, and the loadings of PCA next to them.

dense, sparse = PCA(2).fit(X), SparsePCA(2, n_nonzero=4, refit=True).fit(X)
fig, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained", sharey=True)
for ax, (title, model) in zip(
    axes, {"PCA": dense, "sparse PCA": sparse}.items(), strict=True
):
    for j, colour in enumerate(("#2166ac", "#e08214")):
        ax.barh(
            np.arange(13) + 0.2 - 0.4 * j,
            model.components_[j],
            0.4,
            color=colour,
            label=f"component {j + 1}",
        )
    ax.axvline(0, color="0.4", lw=0.8)
    ax.set_title(
        f"{title}: {model.explained_variance_ratio_.sum():.0%} of the variance"
    )
axes[0].set_yticks(range(13), names)
fig.legend(
    *axes[1].get_legend_handles_labels(),
    loc="outside lower center",
    ncols=2,
    frameon=False,
)
plt.show()

# %%
# The trade-off: how much variance do we lose for how many loadings? The path needs only the moments of one fit; the
# rows are not read again.

displays.sparse_path(SparsePCA(2).fit(X))
plt.show()
