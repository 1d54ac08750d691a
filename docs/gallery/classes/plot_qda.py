"""
Classes of different shape: from QDA to LDA
===========================================

LDA gives all classes one covariance, and QDA gives each its own. With many rows QDA is right; with few rows it
learns noise. ``pooling`` mixes the two, and cross-validation tells you how much.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import LDA, QDA, displays

# %%
# A round class inside a long one. LDA draws a line between the means, and QDA draws a curve around the round class.


def classes(n, rng, p=2):
    """Return a long and a round cloud in p columns."""
    y = np.arange(n) % 2
    size = np.where(y[:, None] == 0, np.linspace(2.5, 0.8, p), 0.6)
    return rng.standard_normal((n, p)) * size + 0.8 * y[:, None] * np.eye(p)[0], y


rng = np.random.default_rng(0)
X, y = classes(300, rng)
fresh, truth = classes(4000, rng)
fig, axes = plt.subplots(
    1, 2, figsize=(11, 4.4), layout="constrained", sharex=True, sharey=True
)
for ax, model in zip(axes, (LDA(), QDA()), strict=True):
    displays.decision(model.fit(X, y), X, y, ax=ax)
    ax.set_title(f"{type(model).__name__}: error {1 - model.score(fresh, truth):.1%}")
plt.show()

# %%
# Twelve columns and few rows: each class has 78 numbers in its covariance. Pooling 0 is QDA, 1 is LDA. With 40 or
# 80 rows a little pooling helps a lot; with 400 it is not needed.

pooling = np.linspace(0, 1, 11)
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for n in (40, 80, 400):
    errors = np.zeros(len(pooling))
    for _ in range(6):
        X, y = classes(n, rng, p=12)
        fresh, truth = classes(2000, rng, p=12)
        errors += [1 - QDA(pooling=a).fit(X, y).score(fresh, truth) for a in pooling]
    ax.plot(pooling, errors / 6, "o-", label=f"{n} rows")
ax.set(xlabel="pooling", ylabel="error on new rows", title="From QDA to LDA")
ax.legend(frameon=False)
plt.show()
