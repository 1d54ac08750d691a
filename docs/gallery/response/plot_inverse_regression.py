"""
Two directions out of ten: sliced inverse regression
====================================================

A response may depend on many columns through a few combinations of them. SIR finds those combinations without a
model of the response: it cuts the response into slices and follows the mean of the columns from slice to slice.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import SIR, displays

# %%
# The classic example of Li (1991): two of ten columns matter, one of them in a denominator.

rng = np.random.default_rng(0)
X = rng.standard_normal((500, 10))
y = X[:, 0] / (0.5 + (X[:, 1] + 1.5) ** 2) + 0.3 * rng.standard_normal(500)
sir = SIR().fit(X, y)
print(sir.test_dimension())

# %%
# The response against the two variates found. Each shows part of the function.

displays.response(SIR(2).fit(X, y), X, y)
plt.show()

# %%
# The inverse curve: the slice means in the plane of the first two variates, from small responses to large ones. If
# the curve were a straight line, one direction would be enough.

fig, axes = plt.subplots(1, 2, figsize=(11.5, 4.4), layout="constrained")
displays.inverse_curve(sir, X, y, ax=axes[0])
displays.dimension(sir, ax=axes[1])
plt.show()

# %%
# Two columns carry both directions.

print("loadings of the first four columns:")
print(sir.components_[:2, :4].round(2))
