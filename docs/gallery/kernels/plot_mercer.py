"""
What a kernel believes: Mercer's expansion
==========================================

A kernel is a weighted sum of products of functions: k(x, z) = Σ γᵢ φᵢ(x) φᵢ(z). The weights show how wavy the
kernel's preferred functions are. For Brownian motion they are known exactly.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import displays
from eigenlens.kernels import Brownian, Gaussian, Matern, legendre, mercer

nodes = legendre(300)
expansion = mercer(Brownian(), *nodes, n_components=5)
displays.mercer(expansion)
plt.show()

# %%
# The eigenvalues of Brownian motion are 1/((i − ½)²π²). Ours agree.

exact = 1 / ((np.arange(1, 6) - 0.5) * np.pi) ** 2
print("computed:", expansion.eigenvalues.round(5))
print("exact:   ", exact.round(5))
print(expansion)

# %%
# How fast do the weights fall? The faster, the smoother the functions.

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, kernel in (
    ("Brownian", Brownian()),
    ("Matérn 3/2", Matern(1.5, 0.3)),
    ("Gaussian", Gaussian(0.3)),
):
    values = mercer(kernel, *nodes, n_components=12).eigenvalues
    ax.semilogy(np.arange(1, len(values) + 1), values / values[0], "o-", label=name)
ax.set(title="How fast the weights fall", xlabel="i", ylabel="γᵢ / γ₁")
ax.legend(frameon=False)
plt.show()
