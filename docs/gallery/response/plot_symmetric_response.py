"""
A response that SIR cannot see
==============================

If large and small values of a direction give the same response, the slice means do not move and SIR finds nothing.
The spread within slices does change, and SAVE looks at that. Directional regression looks at both.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import SAVE, SIR, DirectionalRegression

rng = np.random.default_rng(0)
X = rng.standard_normal((800, 6))
y = X[:, 0] ** 2 + 0.3 * np.exp(X[:, 1]) + 0.2 * rng.standard_normal(800)

# %%
# The first column acts through its square, the second through an exponential. Each method gets two directions.

methods = (
    SIR(2, n_slices=6),
    SAVE(2, n_slices=6),
    DirectionalRegression(2, n_slices=6),
)
fig, axes = plt.subplots(2, 3, figsize=(11.5, 6), layout="constrained", sharey=True)
for column, model in zip(axes.T, methods, strict=True):
    z = model.fit(X, y).transform(X)
    plane = np.linalg.qr(model.components_.T)[0]
    nearness = np.linalg.norm(plane[:2]) ** 2 / 2
    for j, ax in enumerate(column):
        ax.scatter(z[:, j], y, s=6, color="#2166ac", alpha=0.5)
        ax.set_xlabel(f"variate {j + 1}")
    column[0].set_title(f"{type(model).__name__}: {nearness:.2f} of the true plane")
for ax in axes[:, 0]:
    ax.set_ylabel("response")
plt.show()

# %%
# SIR finds the exponential, and then only noise. SAVE and directional regression find both. With fewer rows,
# directional regression is the better of the two. One pass is enough for all three: they can share the moments of SAVE.

save = SAVE(n_slices=6).fit(X, y)
for kind in (SIR, SAVE, DirectionalRegression):
    print(
        f"{kind.__name__:22}",
        kind(n_slices=6).fit_moments(save.moments_).test_dimension(),
    )
