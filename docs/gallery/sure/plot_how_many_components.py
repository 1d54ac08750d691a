"""
How many components are real?
=============================

Every table has as many components as columns. Most of them are noise. Several rules answer the question under
different assumptions; when they disagree, the disagreement itself is information.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from eigenlens import PCA

# %%
# A table whose answer we know
# ----------------------------
# Three strong directions in twenty columns, plus noise of equal size in each. Most rules find three. The broken
# stick finds none: three directions of equal strength look like pieces of a stick.

rng = np.random.default_rng(0)
axes_of_signal = np.linalg.qr(rng.standard_normal((20, 3)))[0]
known = 2 * rng.standard_normal((400, 3)) @ axes_of_signal.T + rng.standard_normal(
    (400, 20)
)

# %%
# A table whose answer we do not know
# -----------------------------------
# Thirty measurements of cell nuclei, ten of them taken as mean, standard error and worst value. The columns differ
# in how noisy they are, so the rules that assume equal noise find far too much.

cells = scale(load_breast_cancer().data)
rules = (
    "shared",
    "parallel",
    "permutation",
    "tracy-widom",
    "gavish-donoho",
    "broken-stick",
    "mle",
)
found = {}
for name, X in (("known", known), ("cells", cells)):
    model = PCA().fit(X)
    found[name] = [
        model.test_dimension(X, method=rule, n_draws=99).dimension for rule in rules
    ]
print(f"{'rule':16}{'known':>8}{'cells':>8}")
for rule, *numbers in zip(rules, *found.values(), strict=True):
    print(f"{rule:16}{numbers[0]:8}{numbers[1]:8}")

# %%
# The picture behind the default, ``"shared"``: what each direction carries beyond those before it, and the bar that the
# columns' own noise sets. Count the points above the bar. The test stops at the first that is not above it.

fig, panels = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for ax, (title, X) in zip(
    panels,
    {"three planted directions": known, "cell nuclei": cells}.items(),
    strict=True,
):
    frame = PCA().fit(X).test_dimension(X, n_draws=99).to_frame().dropna(subset="bar")
    axis = np.arange(1, len(frame) + 1)
    ax.fill_between(axis, 0, frame["bar"], color="#b2182b", alpha=0.15, label="noise")
    ax.plot(axis, frame["statistic"], "o-", color="#2166ac", label="directions")
    ax.set(title=title, xlabel="direction", ylabel="what it carries", ylim=(0, None))
panels[0].legend(frameon=False)
plt.show()

# %%
# When the rules disagree, look at their assumptions. ``"tracy-widom"`` and ``"mle"`` assume noise of
# the same variance in every column. ``"parallel"`` and ``"permutation"`` are too strict after a large first
# direction, which leaves little variance for the others. ``"shared"`` allows each column its own noise. The
# printed sentence of a test tells you what was shown, and what these rows could have shown.

for X in (known, cells):
    print(PCA().fit(X).test_dimension(X, n_draws=99))
