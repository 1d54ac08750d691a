"""
One kernel, three losses
========================

A kernel machine is a loss and a kernel. The hinge loss gives the support vector machine, the logistic loss gives
probabilities, and the squared loss has a closed form. Their boundaries differ less than one might think.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from eigenlens import KernelClassifier, displays
from eigenlens.kernels import Gaussian, Linear

X, y = make_moons(300, noise=0.25, random_state=0)
fresh, truth = make_moons(3000, noise=0.25, random_state=1)

# %%
# The same Gaussian kernel under three losses. Rings mark the support vectors: the hinge loss needs only these rows.

fig, axes = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
for ax, loss in zip(axes, ("hinge", "logistic", "squared"), strict=True):
    model = KernelClassifier(Gaussian(0.7), loss=loss, lam=0.5).fit(X, y)
    displays.decision(model, X, y, ax=ax)
    ax.set_title(f"{loss}: error {1 - model.score(fresh, truth):.1%}")
plt.show()

# %%
# Kernels add and multiply. A line plus a bend:

both = Gaussian(0.7) + 0.5 * Linear()
model = KernelClassifier(both, loss="logistic", lam=0.5).fit(X, y)
print(f"sum of kernels: error {1 - model.score(fresh, truth):.1%}")
print("its parameters:", sorted(both.get_params())[:4])

# %%
# Many rows need landmarks. Work then grows linearly with the rows.

many, labels = make_moons(5_000, noise=0.25, random_state=2)
marked = KernelClassifier(Gaussian(0.7), n_landmarks=60, lam=0.5).fit(many, labels)
print(f"5,000 rows, 60 landmarks: error {1 - marked.score(fresh, truth):.1%}")
print(f"share of the kernel that the landmarks miss: {marked.landmark_error_:.1e}")
