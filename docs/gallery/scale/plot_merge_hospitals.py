"""
Five hospitals, one model, no row shared
========================================

Five hospitals may not share their patients. They can share moments: counts, means and a scatter matrix. Merged
moments give the same model as all rows together, to the last digits.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from eigenlens import LDA
from eigenlens.report import DiscriminantDisplay

data = load_breast_cancer()
X, y = scale(data.data[:, :10]), data.target_names[data.target]
hospital = np.random.default_rng(0).choice(5, size=len(X), p=[0.4, 0.3, 0.15, 0.1, 0.05])

# %%
# Each hospital fits its own model and sends ``moments_``.

local = [LDA().fit(X[hospital == h], y[hospital == h]) for h in range(5)]
total = local[0].moments_.copy()
for model in local[1:]:
    total = total.merge(model.moments_)
joined, whole = LDA().fit_moments(total), LDA().fit(X, y)
print("largest difference from a fit to all rows:", f"{np.abs(joined.scalings_ - whole.scalings_).max():.0e}")

# %%
# Each hospital on its own would have come to another direction. The picture shows the angles between these and the
# common one.

turned = [np.degrees(model.subspace_.angles(whole.subspace_)[0]) for model in local]
sizes = np.bincount(hospital)
fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
axes[0].bar([f"{chr(65 + h)}\n{n} rows" for h, n in enumerate(sizes)], turned, color="#2166ac")
axes[0].set(ylabel="degrees from the common direction", title="On its own")
DiscriminantDisplay.from_estimator(joined, X, y, ax=axes[1])
axes[1].set_title("Together")
plt.show()
