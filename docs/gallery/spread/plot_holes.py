"""
A survey with holes
===================

Americans placed themselves, Bill Clinton and Robert Dole between left and right in 1996. We know all answers, so we
can punch holes and see what each remedy does. Highly educated people skip the question about Dole more often. So the
holes are not random, but they depend only on what is observed.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from eigenlens import LDA, PCA
from eigenlens.inference import littles_mcar

table = sm.datasets.anes96.load_pandas().data
columns = ["selfLR", "ClinLR", "DoleLR", "PID", "TVnews", "age", "educ", "income"]
full = table[columns].to_numpy(dtype=float)
full = (full - full.mean(axis=0)) / full.std(axis=0)

rng = np.random.default_rng(0)
holes = full.copy()
chance = 1 / (1 + np.exp(-2 * full[:, columns.index("educ")]))
holes[rng.random(len(full)) < chance, columns.index("DoleLR")] = np.nan
holes[:, [0, 1, 3]] = np.where(
    rng.random((len(full), 3)) < 0.2, np.nan, holes[:, [0, 1, 3]]
)
missing = np.isnan(holes)
print(f"{missing.mean():.0%} of cells are missing")
print(f"{missing.any(axis=1).mean():.0%} of rows have a hole")

# %%
# Are cells missing completely at random? Little's test compares the means of the patterns of holes, and rightly says
# no.

print(littles_mcar(holes))

# %%
# Three remedies: drop rows with holes, fill in means, or use maximum likelihood with all observed cells
# (``missing="ml"``).

complete = holes[~np.isnan(holes).any(axis=1)]
filled = np.where(np.isnan(holes), np.nanmean(holes, axis=0), holes)
truth = PCA(3).fit(full)
models = {
    "drop rows": PCA(3).fit(complete),
    "fill means": PCA(3).fit(filled),
    "maximum likelihood": PCA(3, missing="ml").fit(holes),
}
fig, axes = plt.subplots(1, 2, figsize=(11.5, 4), layout="constrained")
axes[0].plot([1, 2, 3], truth.explained_variance_, "ko-", label="all answers")
for name, model in models.items():
    axes[0].plot([1, 2, 3], model.explained_variance_, "o--", label=name)
    turned = np.degrees(model.subspace_.angles(truth.subspace_)).max()
    axes[1].barh(name, turned, color="#2166ac")
axes[0].set(
    xticks=[1, 2, 3],
    xlabel="component",
    ylabel="variance",
    title="How large are the components?",
)
axes[0].legend(frameon=False)
axes[1].set(
    xlabel="degrees from the subspace of all answers", title="How far do they turn?"
)
plt.show()

# %%
# A model fitted this way takes new rows with holes.

ml = models["maximum likelihood"]
print(
    "scores of a row with holes:",
    ml.transform(holes[np.isnan(holes).any(axis=1)][:1]).round(2)[0],
)

# %%
# Classifiers take them too. Who voted for Dole?

vote = np.where(table["vote"] == 1, "Dole", "Clinton")
half = np.arange(len(full)) % 2 == 0
lda = LDA(missing="ml").fit(holes[half], vote[half])
plain = LDA().fit(filled[half], vote[half])
accuracy = lda.score(holes[~half], vote[~half])
print(f"maximum likelihood: right for {accuracy:.1%} of the other half")
print(f"filled means:       right for {plain.score(filled[~half], vote[~half]):.1%}")
