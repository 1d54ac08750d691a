"""
Bending distances: Schoenberg transforms
========================================

Some functions turn squared distances into squared distances between points in another Euclidean space. They shrink
large distances. On the map this pulls outliers in and makes clusters visible.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import ClassicalMDS
from eigenlens.distances import Exponential, Logarithm, Power, Rational

# %%
# The transforms as functions of the distance.

d = np.linspace(0, 4, 200)
transforms = {
    "Power(0.5)": Power(0.5),
    "Logarithm(1)": Logarithm(1.0),
    "Rational(1)": Rational(1.0),
    "Exponential(1)": Exponential(1.0),
}
fig, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
ax.plot(d, d, color="0.6", ls="--", label="as it is")
for name, transform in transforms.items():
    ax.plot(d, np.sqrt(transform(d**2)), label=name)
ax.set(
    xlabel="distance", ylabel="transformed distance", title="What is far comes nearer"
)
ax.legend(frameon=False)
plt.show()

# %%
# Three clusters, and twelve rows far outside. The plain map spends its axes on the far rows.

rng = np.random.default_rng(0)
group = np.repeat([0, 1, 2], 60)
X = rng.standard_normal((180, 6)) * 0.5
X[np.arange(180), group] += 3
far = 25 * rng.standard_normal((12, 6))
X, group = np.vstack([X, far]), np.append(group, np.full(12, 3))
fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for ax, (name, transform) in zip(
    axes,
    {
        "as it is": None,
        "Logarithm(1)": Logarithm(1.0),
        "Exponential(0.1)": Exponential(0.1),
    }.items(),
    strict=True,
):
    mds = ClassicalMDS(metric="euclidean", schoenberg=transform).fit(X)
    ax.scatter(*mds.embedding_.T, c=group, cmap="tab10", vmax=9, s=14)
    ax.set(
        title=f"{name}: negative inertia {mds.negative_inertia_:.0%}",
        xticks=[],
        yticks=[],
    )
plt.show()

# %%
# Transforms compose with ``@``, and the negative inertia stays 0 because each keeps distances Euclidean.

print(ClassicalMDS(schoenberg=Logarithm(1.0) @ Power(0.5)).fit(X).negative_inertia_)
