"""
Model files without pickle
==========================

``save`` writes a fitted model as numbers and names, and ``load`` restores it to the last bit. Reading a file runs
no code. The loaded model can do everything the old one could, including learning from new rows.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from eigenlens import LDA, load, save
from eigenlens.files import describe

X, y = load_wine(return_X_y=True)
first, later = np.arange(len(X)) % 2 == 0, np.arange(len(X)) % 2 == 1
path = save(
    LDA().fit(X[first], y[first]),
    Path(tempfile.mkdtemp()) / "wine.eigenlens",
    about={"data": "every second wine"},
)

# %%
# What is in the file, without loading the model:

found = describe(path)
print(found["classes"][0], found["about"])
print(f"{Path(path).stat().st_size:,} bytes")

# %%
# Load it, predict, and continue learning where the old model stopped.

model = load(path)
before = model.score(X[later], y[later])
grown = load(path).partial_fit(X[later], y[later])
same = LDA().fit(np.vstack([X[first], X[later]]), np.concatenate([y[first], y[later]]))
print(f"right on wines it has not seen: {before:.1%}")
print(
    "grown model equals a fit to all rows:",
    bool(np.allclose(grown.scalings_, same.scalings_)),
)

fig, axes = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
for ax, (title, m) in zip(
    axes, {"as loaded": model, "after partial_fit": grown}.items(), strict=True
):
    Z = m.transform(X)
    ax.scatter(*Z[first].T, c=y[first], cmap="viridis", s=18, label="in the file")
    ax.scatter(
        *Z[later].T, c=y[later], cmap="viridis", s=18, marker="x", label="came later"
    )
    ax.set(title=title, xlabel="discriminant 1", ylabel="discriminant 2")
axes[0].legend(frameon=False)
plt.show()
