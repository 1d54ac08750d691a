"""
Misplaced decimals: a table with typing errors
==============================================

Someone copied the monthly sea temperatures of 61 years by hand, and now and then moved the decimal point. A handful
of cells is enough to ruin ordinary components. Robust PCA finds the cells and puts the right numbers back.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from eigenlens import PCA, RobustPCA

table = sm.datasets.elnino.load_pandas().data
years, truth = (
    table["YEAR"].astype(int).to_numpy(),
    table.drop(columns="YEAR").to_numpy(),
)
rng = np.random.default_rng(1)
wrong = rng.random(truth.shape) < 0.02
copied = np.where(wrong, truth * 10, truth)
print(
    f"{wrong.sum()} of {truth.size} cells have their decimal point in the wrong place"
)

# %%
# Robust PCA does not centre rows. We subtract the median of each column, which a few wrong cells cannot move.

middle = np.median(copied, axis=0)
model = RobustPCA().fit(copied - middle)
cleaned = model.low_rank_ + middle

fig, axes = plt.subplots(1, 3, figsize=(11, 5.2), layout="constrained", sharey=True)
size = 4
pictures = (copied - middle, model.low_rank_, model.sparse_)
for ax, picture, title in zip(
    axes, pictures, ("as copied", "low-rank part", "sparse part"), strict=True
):
    drawn = ax.imshow(
        picture,
        cmap="RdBu_r",
        vmin=-size,
        vmax=size,
        aspect="auto",
        extent=(0.5, 12.5, 2010.5, 1949.5),
    )
    ax.set(title=title, xlabel="month")
fig.colorbar(drawn, ax=axes, label="degrees from the median")
plt.show()

# %%
# The largest cells of the sparse part are the errors.

suspects = np.argsort(-np.abs(model.sparse_), axis=None)[: wrong.sum()]
found = wrong.ravel()[suspects].sum()
print(f"{found} of the {wrong.sum()} largest cells are planted errors")

# %%
# What the errors do to the first component, and what robust PCA sees instead.

angles = {
    "PCA of the copy": PCA(1).fit(copied).subspace_,
    "PCA of the cleaned copy": PCA(1).fit(cleaned).subspace_,
}
for name, subspace in angles.items():
    turned = np.degrees(subspace.angles(PCA(1).fit(truth).subspace_)[0])
    print(f"{name:26} {turned:5.1f}° from the component of the true table")
