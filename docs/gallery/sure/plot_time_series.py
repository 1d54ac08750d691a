"""
Neighbours are alike: components of a time series
=================================================

The table has quarterly figures of the American economy from 1959 to 2009. A quarter resembles the one before it, so
200 quarters are worth fewer independent rows. A bootstrap that draws single quarters promises too much. Draw blocks of
quarters instead.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm
from sklearn.preprocessing import scale

from eigenlens import PCA
from eigenlens.inference import bootstrap

table = sm.datasets.macrodata.load_pandas().data
levels = table[["realgdp", "realcons", "realinv", "realdpi"]]
growth = 400 * np.log(levels).diff()
growth = growth.join(table[["unemp", "infl", "tbilrate"]])
growth.columns = [
    "output",
    "consumption",
    "investment",
    "income",
    "unemployment",
    "inflation",
    "interest",
]
growth = growth.iloc[1:]
X = growth.copy()
X[:] = scale(growth.to_numpy())

# %%
# How alike are neighbours? If r is the correlation between a quarter and the next, n quarters say as much about the
# correlation of two such columns as n (1 − r²)/(1 + r²) independent ones (Bartlett 1935).

for name in X.columns:
    r = X[name].autocorr()
    print(f"{name:13} r = {r:+.2f}, worth {len(X) * (1 - r**2) / (1 + r**2):.0f} rows")

# %%
# Two components: growth, and the price of money.

pca = PCA(2).fit(X)
scores = pca.transform(X)
year = 1959 + (np.arange(len(X)) + 1) / 4
fig, axes = plt.subplots(2, 1, figsize=(10, 5), layout="constrained", sharex=True)
for j, ax in enumerate(axes):
    ax.plot(year, scores[:, j], color="#2166ac")
    ax.axhline(0, color="0.6", lw=0.8)
    top = np.argsort(-np.abs(pca.components_[j]))[:3]
    ax.set_ylabel(f"component {j + 1}")
    ax.set_title(
        ", ".join(f"{pca.components_[j, i]:+.2f} {X.columns[i]}" for i in top),
        fontsize=10,
    )
plt.show()

# %%
# Intervals of the loadings of the second component, with single quarters drawn and with blocks of two years. Blocks
# keep neighbours together. Their intervals are wider, and they are the ones to believe.

fig, axes = plt.subplots(
    1, 2, figsize=(11, 3.6), layout="constrained", sharex=True, sharey=True
)
for ax, (title, block) in zip(
    axes, {"single quarters": None, "blocks of two years": 8}.items(), strict=True
):
    result = bootstrap(PCA(2), X, n_boot=300, block=block)
    result.plot(1, ax=ax)
    ax.set_title("")
    ax.set_title(title, loc="left")
    turned = np.degrees(np.quantile(result.angles.max(axis=1), 0.95))
    print(f"{title:20} the plane turns by up to {turned:.0f}°")
plt.show()
