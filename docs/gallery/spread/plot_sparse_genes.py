"""
Twenty-five genes of three thousand
===================================

Forty samples, three thousand columns, and a pattern in 25 of them. The first component of PCA has three thousand
loadings, nearly all of them noise. Sparse PCA with an infinite ridge is made for such tables: it needs no 3000 ×
3000 matrix.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import PCA, SparsePCA

rng = np.random.default_rng(0)
genes = rng.standard_normal((40, 3000))
pattern = rng.choice(3000, 25, replace=False)
genes[:, pattern] += 1.3 * rng.standard_normal((40, 1))

# %%
# Loadings of the first component, true genes in red.

dense, sparse = PCA(1).fit(genes), SparsePCA(1, n_nonzero=25, ridge=np.inf).fit(genes)
fig, axes = plt.subplots(2, 1, figsize=(9, 5), layout="constrained", sharex=True)
for ax, (title, model) in zip(
    axes, {"PCA": dense, "sparse PCA": sparse}.items(), strict=True
):
    v = np.abs(model.components_[0])
    ax.vlines(np.arange(3000), 0, v, color="0.6", lw=0.6)
    ax.vlines(pattern, 0, v[pattern], color="#b2182b", lw=1.4)
    ax.set(title=title, ylabel="|loading|")
axes[1].set_xlabel("gene")
plt.show()

found = np.flatnonzero(sparse.components_[0])
print(f"of 25 genes chosen, {np.isin(found, pattern).sum()} belong to the pattern")

# %%
# How many genes should you ask for? Try several numbers on both halves of the samples and compare. If you ask for too
# few, any choice is as good, and the halves choose differently. If you ask for too many, the rest is noise. At the true
# number they agree.

for k in (5, 15, 25, 50, 100):
    halves = [
        set(
            np.flatnonzero(
                SparsePCA(1, n_nonzero=k, ridge=np.inf).fit(genes[h::2]).components_[0]
            )
        )
        for h in (0, 1)
    ]
    print(f"{k:4} genes: {len(halves[0] & halves[1]) / k:.0%} chosen in both halves")
