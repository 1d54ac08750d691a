"""
How much shrinkage is best for new rows?
========================================

Cross-validation scores a model on rows that it has not seen. Folds are moments too: one pass collects them, every
setting is fitted to the merged moments of the other folds, and one more pass scores each row. Fifty settings cost
little more than one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

from eigenlens import LDA, PCA
from eigenlens.validation import cross_validate, leave_one_out

X, y = load_digits(return_X_y=True)
few, rest, labels, other = train_test_split(
    X, y, train_size=300, random_state=0, stratify=y
)

# %%
# 300 handwritten digits have 64 pixels each, so the covariance within classes is uncertain, and shrinking it helps. The
# red point is the best setting. The white one is the simplest setting within one standard error of it.

grid = np.geomspace(1e-4, 1, 40)
result = cross_validate(
    LDA(), few, labels, cv=10, settings={"shrinkage": grid}, scoring="neg_log_loss"
)
print(result)
fig, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
result.plot(ax=ax)
plt.show()

# %%
# The model of the best setting, and plain LDA, on digits that neither has seen.

for name, model in {
    "plain": LDA(shrinkage=1e-4).fit(few, labels),
    "chosen": result.model,
}.items():
    print(f"{name}: {model.score(rest, other):.1%} right")

# %%
# How many components do the wines have? Ask the likelihood of unseen rows.

wine = scale(load_wine().data)
counts = cross_validate(
    PCA(), wine, cv=10, settings={"n_components": list(range(1, 13))}
)
print(counts)
fig, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
counts.plot(ax=ax)
plt.show()

# %%
# Leaving out each row in turn needs no refits either: one row changes the scatter by rank one.

print(leave_one_out(LDA(shrinkage=result.best["shrinkage"]), few, labels))
