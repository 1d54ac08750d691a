"""
Wines twice: with and without the labels
========================================

A chemist took 13 measurements of each of 178 wines from three growers. PCA ignores the growers and asks where the
table spreads. LDA knows the growers and asks what separates them. The questions differ, and so do the pictures.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from eigenlens import CCA, LDA, PCA, displays

wine = load_wine(as_frame=True)
X = (wine.data - wine.data.mean()) / wine.data.std()
X.columns = [
    name.replace("_of_diluted_wines", "").replace("_", " ") for name in X.columns
]
growers = np.array(["grower A", "grower B", "grower C"])[wine.target]

# %%
# The same rows through two lenses. In the LDA picture the circles hold half of each class, and the shading marks
# the region in which a new wine would go to a grower.

pca, lda = PCA(2).fit(X), LDA().fit(X, growers)
fig, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained")
displays.scores(pca, X, growers, ax=axes[0])
axes[0].set_title("PCA: where the table spreads")
displays.discriminant(lda, X, growers, ax=axes[1])
axes[1].set_title("LDA: what separates the growers")
plt.show()

# %%
# How much do the two pictures share? Ask canonical correlation analysis of the scores. The growers differ mostly in
# the directions in which the table spreads anyway, so the answer is: a lot. That is luck, not a rule.

shared = CCA().fit(pca.transform(X), lda.transform(X))
print("correlations between the two pictures:", shared.correlations_.round(2))

# %%
# What does a direction mean? Look at the correlation of each column with the scores, not at the coefficients: related
# columns can trade coefficients with each other.

Z = lda.transform(X)
correlation = np.corrcoef(X.T, Z.T)[:13, 13:]
order = np.argsort(correlation[:, 0])
fig, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
height = np.arange(13)
ax.barh(
    height + 0.2, correlation[order, 0], 0.4, label="discriminant 1", color="#2166ac"
)
ax.barh(
    height - 0.2, correlation[order, 1], 0.4, label="discriminant 2", color="#e08214"
)
ax.set_yticks(height, X.columns[order])
ax.axvline(0, color="0.3", lw=0.8)
ax.set(
    xlabel="correlation of the column with the scores",
    title="What the directions measure",
)
ax.legend(frameon=False)
plt.show()
