"""
Any distance will do: a map of the states
=========================================

Scaling works with any distances. Here the distance between two states is the sum of the differences of their columns
(city block), not the straight line that PCA uses. A few extreme values then count less.
"""

import matplotlib.pyplot as plt
import statsmodels.api as sm

from eigenlens import PCA, ClassicalMDS
from eigenlens.distances import procrustes

table = sm.datasets.statecrime.load_pandas().data
X = ((table - table.mean()) / table.std()).to_numpy()
print(table.columns.tolist())

# %%
# The city-block map, aligned with the PCA map. Short lines mean that the two agree about a state.

mds = ClassicalMDS(metric="cityblock").fit(X)
laid = procrustes(PCA(2).fit_transform(X), mds.embedding_)
fig, ax = plt.subplots(figsize=(9, 6.5), layout="constrained")
for name, (a, b), (u, v) in zip(table.index, mds.embedding_, laid.aligned, strict=True):
    ax.plot([a, u], [b, v], color="0.8", lw=1, zorder=0)
    ax.annotate(name, (a, b), fontsize=7, ha="center", va="center")
ax.scatter(*laid.aligned.T, s=8, color="#b2182b", label="PCA")
ax.scatter([], [], color="k", marker="$a$", label="city block")
ax.set(title="Seven columns about crime and society, 2009", xticks=[], yticks=[])
ax.legend(frameon=False)
plt.show()

# %%
# The District of Columbia is far from all states in either map. How good are they? City-block distances are not
# Euclidean, so a little of them cannot be drawn. Two axes lose more than that.

print(f"negative inertia {mds.negative_inertia_:.1%}")
print(f"two axes show {mds.goodness_of_fit_[1]:.0%} of the rest; stress {mds.stress_:.2f}")
