"""
Any distance will do: a map of the states
=========================================

Scaling works with any distances. Here the distance between two states is the sum of the differences of their columns
(city block), not the straight line that PCA uses. A few extreme values then count less. (The District of Columbia is a
city, far from all states on either map, and is left out.)
"""

import matplotlib.pyplot as plt
import statsmodels.api as sm

from eigenlens import PCA, ClassicalMDS, displays

table = sm.datasets.statecrime.load_pandas().data.drop("District of Columbia")
X = ((table - table.mean()) / table.std()).to_numpy()
print(table.columns.tolist())

# %%
# The city-block map, aligned with the PCA map. Short lines mean that the two agree about a state.

mds = ClassicalMDS(metric="cityblock").fit(X)
fig, ax = plt.subplots(figsize=(9.5, 8), layout="constrained")
displays.configuration(mds, labels=table.index, target=PCA(2).fit_transform(X), ax=ax)
ax.legend(*ax.get_legend_handles_labels()[:1], ["PCA", "city block"], frameon=False)
ax.set(title="Seven columns about crime and society, 2009", xticks=[], yticks=[])
plt.show()

# %%
# How good is the map? City-block distances are not Euclidean, so a little of them cannot be drawn. Two axes lose more
# than that.

print(f"negative inertia {mds.negative_inertia_:.1%}")
print(
    f"two axes show {mds.goodness_of_fit_[1]:.0%} of the rest; stress {mds.stress_:.2f}"
)
