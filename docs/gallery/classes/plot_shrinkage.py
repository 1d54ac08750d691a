"""
Few rows, many columns: shrinkage
=================================

The covariance within classes has p(p + 1)/2 entries. With few rows they are mostly noise, but LDA trusts them.
Shrinkage blends the covariance with a round one. Two formulas choose the amount from the data, in the same pass.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenlens import LDA

X, y = load_breast_cancer(return_X_y=True)

# %%
# Learn from 40, 80, 160 or 320 patients and test on the others. Thirty columns are a lot for 40 rows.

settings = {"none": None, "0.2": 0.2, "ledoit-wolf": "ledoit-wolf", "oas": "oas"}
sizes = (40, 80, 160, 320)
errors = {name: [] for name in settings}
for n in sizes:
    samples = {name: [] for name in settings}
    for seed in range(12):
        order = np.random.default_rng(seed).permutation(len(X))
        few, rest = order[:n], order[n:]
        for name, shrinkage in settings.items():
            model = make_pipeline(StandardScaler(), LDA(shrinkage=shrinkage)).fit(
                X[few], y[few]
            )
            samples[name].append(1 - model.score(X[rest], y[rest]))
    for name, values in samples.items():
        errors[name].append(np.mean(values))

fig, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for name, values in errors.items():
    ax.plot(sizes, values, "o-", label=f"shrinkage {name}")
ax.set(
    xscale="log",
    xlabel="rows learned from",
    ylabel="error on the others",
    title="Shrinkage pays when rows are few",
)
ax.set_xticks(sizes, sizes)
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()

# %%
# Shrinking towards a round shape makes sense only for columns in comparable units. Scale them first, as the
# pipeline does.
