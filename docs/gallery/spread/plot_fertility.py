"""
Fifty years of fertility: components as curves
==============================================

Each row is a country, each column a year from 1960 to 2011, each cell the number of children per woman. When
columns have an order, components are curves. Draw the mean curve plus and minus each component and read what
varies.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from eigenlens import PCA

table = sm.datasets.fertility.load_pandas().data
years = [str(year) for year in range(1960, 2012)]
table = table.dropna(subset=years)
X, countries = table[years].to_numpy(), table["Country Name"].tolist()
print(len(countries), "countries,", len(years), "years")

# %%
# All columns share one unit, children per woman, so we do not scale them. Two components carry almost everything.

pca = PCA(3).fit(X)
print("shares:", pca.explained_variance_ratio_.round(3))
fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
time = np.array([int(year) for year in years])
for j, ax in enumerate(axes):
    spread = 2 * np.sqrt(pca.explained_variance_[j]) * pca.components_[j]
    ax.plot(time, pca.mean_, color="0.2", label="mean")
    ax.plot(time, pca.mean_ + spread, color="#2166ac", label="mean + 2 sd")
    ax.plot(time, pca.mean_ - spread, color="#b2182b", label="mean − 2 sd")
    ax.set(
        title=f"component {j + 1} ({pca.explained_variance_ratio_[j]:.0%})",
        xlabel="year",
    )
axes[0].set_ylabel("children per woman")
axes[0].legend(frameon=False)
plt.show()

# %%
# Component 1 is the level. Component 2 is the decline: countries with high scores went from many children to few
# within these fifty years. Those with low scores changed little, whether they had few children all along or still
# have many.

scores = pca.transform(X)
fig, ax = plt.subplots(figsize=(8, 6), layout="constrained")
ax.scatter(scores[:, 0], scores[:, 1], s=12, color="0.75")
chosen = "Niger, China, United States, Japan, India, Brazil, Uganda, Mexico, Bangladesh"
others = ["Nigeria", "Sweden", "Thailand", "Iran, Islamic Rep.", "Korea, Rep."]
for name in [*chosen.split(", "), *others]:
    i = countries.index(name)
    ax.scatter(*scores[i, :2], s=18, color="#2166ac")
    ax.annotate(
        name, scores[i, :2], fontsize=8, xytext=(4, 3), textcoords="offset points"
    )
ax.margins(x=0.1)
ax.set(
    xlabel="component 1: level",
    ylabel="component 2: how fast it fell",
    title="Countries by the shape of their curve",
)
plt.show()

# %%
# The squared distance of a row from the three-dimensional model shows which countries have a history of their own.

error = pca.reconstruction_error(X)
print("badly described:", [countries[i] for i in np.argsort(-error)[:5]])
