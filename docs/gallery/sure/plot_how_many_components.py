"""
How many components are real?
=============================

Every table has as many components as columns. Most of them are noise. Six rules answer the question under different
assumptions; when they disagree, the disagreement itself is information.
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
known = 2 * rng.standard_normal((400, 3)) @ axes_of_signal.T + rng.standard_normal((400, 20))

# %%
# A table whose answer we do not know
# -----------------------------------
# Thirty measurements of cell nuclei, ten of them taken as mean, standard error and worst value. The columns differ
# in how noisy they are, so the rules that assume equal noise find far too much.

cells = scale(load_breast_cancer().data)
rules = ("parallel", "permutation", "tracy-widom", "gavish-donoho", "broken-stick", "mle")
found = {}
for name, X in (("known", known), ("cells", cells)):
    model = PCA().fit(X)
    found[name] = [model.test_dimension(X, method=rule, n_draws=99).dimension for rule in rules]
print(f"{'rule':16}{'known':>8}{'cells':>8}")
for rule, *numbers in zip(rules, *found.values(), strict=True):
    print(f"{rule:16}{numbers[0]:8}{numbers[1]:8}")

# %%
# The picture behind parallel analysis: eigenvalues as they are, and the band that unrelated columns of the same
# variances would fill. Count the points above the band.

fig, panels = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for ax, (title, X) in zip(panels, {"three planted directions": known, "cell nuclei": cells}.items(), strict=True):
    PCA().fit(X).test_dimension().plot(ax=ax)
    ax.set_xlabel(f"direction ({title})")
plt.show()

# %%
# When the rules disagree, the equal-noise model does not hold, and ``"parallel"`` or ``"permutation"`` is the safer
# guide. ``PCA("auto")`` keeps what parallel analysis finds.

print("kept by PCA('auto'):", PCA("auto").fit(cells).n_components_)
