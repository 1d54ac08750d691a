"""
Perfect correlation from pure noise
===================================

With as many columns as rows, canonical correlation analysis always finds a correlation of 1. The number means
nothing. A ridge prevents that, and cross-validation shows how strong it must be.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import CCA

rng = np.random.default_rng(0)

# %%
# Left: two tables of noise with 60 rows, and more and more columns in the first. Right: one hidden direction drives
# both tables. Without a ridge, the training rows promise a correlation of 0.95, and new rows show almost none
# of it.

columns = [2, 5, 10, 20, 30, 40, 50]
noise, other = rng.standard_normal((60, 50)), rng.standard_normal((60, 8))
fig, axes = plt.subplots(1, 2, figsize=(11.5, 4.2), layout="constrained")
for ridge, colour in ((0.0, "#b2182b"), (1.0, "#e08214"), (10.0, "#2166ac")):
    found = [
        CCA(1, ridge=ridge).fit(noise[:, :p], other).correlations_[0] for p in columns
    ]
    axes[0].plot(columns, found, "o-", color=colour, label=f"ridge {ridge:g}")
axes[0].set(
    xlabel="columns of the first table",
    ylabel="first correlation",
    title="Nothing is there",
    ylim=(0, 1.02),
)
axes[0].legend(frameon=False)

hidden = rng.standard_normal((260, 1))
X = 0.7 * hidden * rng.standard_normal(40) + rng.standard_normal((260, 40))
Y = 0.7 * hidden * rng.standard_normal(8) + rng.standard_normal((260, 8))
ridges = np.geomspace(1e-3, 1e3, 19)
seen, new = [], []
for ridge in ridges:
    model = CCA(1, ridge=ridge).fit(X[:60], Y[:60])
    for values, rows in ((seen, slice(0, 60)), (new, slice(60, None))):
        x_scores, y_scores = model.transform(X[rows], Y[rows])
        values.append(np.corrcoef(x_scores[:, 0], y_scores[:, 0])[0, 1])
axes[1].semilogx(ridges, seen, color="0.6", label="60 rows of the fit")
axes[1].semilogx(ridges, new, color="#2166ac", label="200 new rows")
axes[1].set(
    xlabel="ridge",
    ylabel="correlation of the first pair",
    title="One hidden direction",
    ylim=(0, 1.02),
)
axes[1].legend(frameon=False)
plt.show()

# %%
# Choose the ridge by cross-validation. Above 10 nothing changes any more in this table, so a large ridge is safe.

best = ridges[int(np.argmax(new))]
print(f"best ridge for new rows: {best:.2g}, with a correlation of {max(new):.2f}")
