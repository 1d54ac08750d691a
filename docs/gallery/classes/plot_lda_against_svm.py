"""
LDA against the support vector machine
======================================

Both draw a straight line between two classes. LDA computes it from all rows, through means and a common covariance.
The support vector machine uses only the rows near the boundary. If the classes are normal, the two agree. If tails
are heavy, they do not.
"""

import matplotlib.pyplot as plt
import numpy as np

from eigenlens import LDA, KernelClassifier
from eigenlens.kernels import Linear

shape, means = np.array([[1.0, 0.6], [0.0, 0.8]]), np.array([[-1.0, 0.0], [1.0, 0.0]])


def draw(noise, n):
    """Return two classes with the same shape, and noise of a given kind."""
    y = np.arange(n) % 2
    return means[y] + noise((n, 2)) @ shape, y


rng = np.random.default_rng(1)
kinds = {
    "normal noise": rng.standard_normal,
    "heavy tails": lambda size: 0.5 * rng.standard_cauchy(size),
}

# %%
# One sample of each kind, both lines.

fig, axes = plt.subplots(
    1, 2, figsize=(11, 4.6), layout="constrained", sharex=True, sharey=True
)
grid = np.stack(
    np.meshgrid(np.linspace(-5, 5, 200), np.linspace(-5, 5, 200)), axis=-1
).reshape(-1, 2)
for ax, (title, noise) in zip(axes, kinds.items(), strict=True):
    X, y = draw(noise, 300)
    fresh, truth = draw(noise, 5000)
    ax.scatter(X[:, 0], X[:, 1], c=y, cmap="coolwarm", s=8, alpha=0.6)
    for name, model, colour in (
        ("LDA", LDA(), "#1b7837"),
        ("SVM", KernelClassifier(Linear(), lam=1.5), "#000000"),
    ):
        model.fit(X, y)
        side = (model.predict(grid) == 1).reshape(200, 200).astype(float)
        ax.contour(
            np.linspace(-5, 5, 200),
            np.linspace(-5, 5, 200),
            side,
            levels=[0.5],
            colors=colour,
        )
        ax.plot(
            [],
            [],
            color=colour,
            label=f"{name}: error {1 - model.score(fresh, truth):.1%}",
        )
    ax.set(title=title, xlim=(-5, 5), ylim=(-5, 5))
    ax.legend(frameon=False, loc="lower right")
plt.show()

# %%
# Twenty samples of each kind. For normal noise LDA is as good as it gets. With heavy tails, a few far rows distort its
# means and covariance, while the support vector machine limits the influence of each row.

for title, noise in kinds.items():
    fresh, truth = draw(noise, 5000)
    errors = []
    for _ in range(20):
        X, y = draw(noise, 200)
        errors.append(
            [
                1 - m.fit(X, y).score(fresh, truth)
                for m in (LDA(), KernelClassifier(Linear(), lam=1.0))
            ]
        )
    lda, svm = np.mean(errors, axis=0)
    print(f"{title:14} mean error of LDA {lda:.3f}, of the machine {svm:.3f}")
