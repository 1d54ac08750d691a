"""
Bent classes
============

No straight line separates two half moons. FDA replaces the linear regression inside LDA with any other, and the
boundary bends as the regression bends. The result has everything that LDA has: coordinates, centroids, posteriors.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from eigenlens import FDA, LDA, displays
from eigenlens.regress import AdaptiveSplines, AdditiveSplines, PolynomialRegression

X, y = make_moons(400, noise=0.22, random_state=0)
fresh, truth = make_moons(4000, noise=0.22, random_state=1)

# %%
# Four regressions, four boundaries.

models = {
    "LDA": LDA(),
    "FDA, cubic polynomials": FDA(regressor=PolynomialRegression(3)),
    "FDA, additive splines": FDA(regressor=AdditiveSplines()),
    "FDA, MARS of degree 2": FDA(regressor=AdaptiveSplines(2)),
}
fig, axes = plt.subplots(
    2, 2, figsize=(9.5, 7), layout="constrained", sharex=True, sharey=True
)
for ax, (name, model) in zip(axes.ravel(), models.items(), strict=True):
    model.fit(X, y)
    displays.decision(model, X, y, ax=ax)
    ax.set_title(f"{name}: error {1 - model.score(fresh, truth):.1%}")
plt.show()

# %%
# What did the additive splines learn? The panels show the coordinate as a function of each column. The first is a
# wave, the second a line: that is the shape of the moons.

displays.functions(models["FDA, additive splines"], X, n_components=1)
plt.show()

# %%
# This single coordinate separates the classes nearly as well as the two columns can.

Z = models["FDA, additive splines"].transform(X)[:, 0]
fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for k, colour in enumerate(("#2166ac", "#e08214")):
    ax.hist(
        Z[y == k],
        bins=np.linspace(Z.min(), Z.max(), 41),
        color=colour,
        alpha=0.7,
        label=f"moon {k}",
    )
ax.set(xlabel="discriminant 1")
ax.legend(frameon=False)
plt.show()
