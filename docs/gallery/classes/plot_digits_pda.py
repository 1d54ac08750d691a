"""
Digits through smooth lenses
============================

Each digit is an image of 8 × 8 pixels. The coefficients of LDA are images too, and they look like noise, because
neighbouring pixels carry nearly the same information. PDA penalises differences between neighbours. The images
become readable, and with few rows the predictions improve.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from eigenlens import LDA, PDA

X, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(X))
train, test = order[:300], order[300:]

# %%
# ``penalty=(8, 8)`` says that the columns are pixels of an 8 × 8 grid. Generalised cross-validation chooses the
# strength.

with warnings.catch_warnings():
    # some pixels are white in all images, and LDA says so
    warnings.simplefilter("ignore")
    lda = LDA().fit(X[train], y[train])
smooth = PDA(penalty=(8, 8)).fit(X[train], y[train])
for name, model in (("LDA", lda), ("PDA", smooth)):
    print(
        f"{name}: error {1 - model.score(X[test], y[test]):.3f} on {len(test)} new digits"
    )
print(f"effective degrees of freedom: {smooth.df_:.1f} of 64")

fig, axes = plt.subplots(3, 4, figsize=(9, 7.4), layout="constrained")
# what a coefficient does depends on how much its pixel varies
spread = X[train].std(axis=0)
stiff = PDA(penalty=(8, 8), df=15).fit_moments(smooth.moments_)
for row, (name, model) in zip(
    axes, (("LDA", lda), ("PDA", smooth), ("PDA, 15 df", stiff)), strict=True
):
    for j, ax in enumerate(row):
        image = spread * model.scalings_[:, j]
        size = np.abs(image).max()
        ax.imshow(image.reshape(8, 8), cmap="RdBu_r", vmin=-size, vmax=size)
        ax.set(xticks=[], yticks=[], title=f"{name}: {j + 1}")
plt.show()

# %%
# All strengths need only one pass over the rows: the moments of the fitted model work for every other penalty.

dfs = [8, 12, 16, 20, 25, 30, 35, 40, 45, 50]
errors = [
    1 - PDA(penalty=(8, 8), df=df).fit_moments(smooth.moments_).score(X[test], y[test])
    for df in dfs
]
fig, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
ax.plot(dfs, errors, "o-", color="#2166ac")
ax.axvline(smooth.df_, color="#b2182b", ls="--")
ax.text(smooth.df_ + 0.5, max(errors), "chosen by\ncross-validation", va="top")
ax.set(
    xlabel="degrees of freedom",
    ylabel="error on new digits",
    title="Too stiff, too free",
)
plt.show()
