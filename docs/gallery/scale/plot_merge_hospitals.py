"""
Ten hospitals, one model, no row shared
=======================================

Ten hospitals may not share their patients. They can share moments: counts, means and a scatter matrix. The sum of their
moments gives the same model as all rows together, to the last digits.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from eigenlens import LDA, displays, load, save

data = load_breast_cancer(as_frame=True)
X, y = data.data.iloc[:, :10], data.target_names[data.target]
hospital = np.arange(len(X)) % 10
mailbox = Path(tempfile.mkdtemp())

# %%
# **In each hospital**: fit, look at what would leave the hospital, and write a file. It holds numbers and names, no
# code. Columns keep their names, and moments of other columns are refused.

for h in range(10):
    moments = LDA().fit(X[hospital == h], y[hospital == h]).moments_
    assert moments.weights.min() >= 15  # means of few patients reveal them: see below
    save(moments.sealed(), mailbox / f"hospital-{h}.eigenlens", about={"hospital": h})
print(moments)
print(
    "bytes for each patient:",
    (mailbox / "hospital-9.eigenlens").stat().st_size // moments.n_rows,
)

# %%
# **In the centre**: load, add, fit.

total = sum(load(path) for path in sorted(mailbox.glob("*.eigenlens")))
joined, whole = LDA().fit_moments(total), LDA().fit(X, y)
print(total)
print(
    "largest difference from a fit to all rows:",
    f"{np.abs(joined.scalings_ / whole.scalings_ - 1).max():.0e}",
)

# %%
# **What moments reveal.** They hold the number of patients, the mean of each class, and how columns vary together
# within classes: what the model itself shows, but separately for each site. Nobody can compute a patient from the
# moments of many patients. With few patients, that is possible:
#
# - A class with one patient has that patient as its mean. Do not send classes of fewer than ten or so.
# - With no more patients than columns, a ``Factor`` holds the patients themselves (minus the mean), and a scatter
#   matrix reveals the plane in which they lie. Check that ``n_rows`` is several times the number of columns.
# - ``pivot``, the point from which means are counted, is a columnwise median of seven patients: each number in it is
#   some patient's. ``moments.sealed()`` moves it to round numbers near the mean, and makes factors triangular.
# - If two mailings differ by one patient, subtraction reveals that patient. Send once, or after many have been added.

few = LDA().fit(X[:60], y[:60]).moments_
print(
    "cells of patients in the pivot:",
    int(sum(few.within().pivot[j] in X.iloc[:60, j].to_numpy() for j in range(10))),
)
sealed = few.sealed()
print(
    "sealed:",
    int(sum(sealed.within().pivot[j] in X.iloc[:60, j].to_numpy() for j in range(10))),
)

# %%
# Each hospital alone would have found a different direction. The picture shows the angles between these and the common
# one.

local = [LDA().fit(X[hospital == h], y[hospital == h]) for h in range(10)]
turned = [np.degrees(model.subspace_.angles(whole.subspace_)[0]) for model in local]
fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
axes[0].bar([chr(65 + h) for h in range(10)], turned, color="#2166ac")
axes[0].set(
    xlabel="hospital, 57 patients or so",
    ylabel="degrees from the common direction",
    title="On its own",
)
displays.discriminant(joined, X, y, ax=axes[1])
axes[1].set_title("Together")
plt.show()
