"""
The Swiss roll
==============

A sheet is rolled up in three of ten columns, and the response runs along the sheet. Rows with the same response lie
in several places of the roll, so their mean is meaningless and SIR fails. Localized SIR uses means of neighbours
within a slice.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import SIR, LocalizedSIR

rng = np.random.default_rng(0)
n = 1000
along, height = rng.uniform(size=n), rng.uniform(size=n)
t = 1.5 * np.pi * (1 + 2 * along)
X = np.column_stack(
    [t * np.cos(t), 21 * height, t * np.sin(t), rng.standard_normal((n, 7))]
)
y = np.sin(5 * np.pi * along) + height**2 + 0.1 * rng.standard_normal(n)

# %%
# The roll, and the planes of the two methods.

pictures = {"the roll: columns 0 and 2": X[:, [0, 2]]}
for model in (SIR(2), LocalizedSIR(2)):
    pictures[f"{type(model).__name__}: variates 1 and 2"] = model.fit(X, y).transform(X)
fig, axes = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained")
for ax, (title, Z) in zip(axes, pictures.items(), strict=True):
    points = ax.scatter(Z[:, 0], Z[:, 1], c=along, s=7, cmap="viridis")
    ax.set_title(title)
fig.colorbar(points, ax=axes, label="position along the sheet", shrink=0.9)
plt.show()

# %%
# Most responses may be missing. Rows without a response still show where the neighbours are.

few = np.where(np.arange(n) < 150, y, np.nan)
with_rest, alone = (
    LocalizedSIR(3, n_slices=5).fit(X, few),
    LocalizedSIR(3, n_slices=5).fit(X[:150], y[:150]),
)
for name, model in (
    ("150 rows", alone),
    ("150 rows and 850 without a response", with_rest),
):
    unit = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    print(f"{name:38} accuracy {np.mean(np.sum(unit[:, :3] ** 2, axis=1)):.2f}")
