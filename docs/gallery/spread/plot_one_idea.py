"""
Six names for one computation
=============================

Many methods in this field are the same eigenproblem in disguise. Here are six identities, each checked to the last
digits on a real table.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.distance import pdist
from sklearn.datasets import load_iris

from eigenlens import CCA, FDA, LDA, MDA, PCA, SIR, ClassicalMDS, KernelPCA
from eigenlens.kernels import Linear
from eigenlens.regress import PolynomialRegression

X, y = load_iris(return_X_y=True)
n, K = len(X), 3
lda, pca = LDA().fit(X, y), PCA(2).fit(X)


def gap(a, b):
    """Return the largest difference of two sets of scores, whatever their signs."""
    return np.abs(np.abs(a) - np.abs(b)).max()


# %%
# LDA is CCA with class indicators, SIR with classes as slices, FDA with a linear regression, and MDA with one
# subclass. The scores agree up to a known factor.

indicator = np.eye(K)[y][:, 1:]
ratio = lda.spectrum_.values * n / (n - K)  # between over within, as sums of squares
identities = {
    "LDA = CCA with indicators (correlations)": gap(
        np.sqrt(ratio / (1 + ratio)), CCA().fit(X, indicator).correlations_
    ),
    "LDA = SIR with classes as slices (angle)": lda.subspace_.angles(
        SIR().fit(X, slices=y).subspace_
    ).max(),
    "LDA = FDA with a linear regression": gap(
        lda.transform(X), FDA(regressor=PolynomialRegression(1)).fit(X, y).transform(X)
    ),
    "LDA = MDA with one subclass": gap(
        lda.transform(X),
        MDA(n_subclasses=1).fit(X, y).transform(X) * np.sqrt((n - K) / n),
    ),
    "PCA = scaling of Euclidean distances": gap(
        pca.transform(X), ClassicalMDS(metric="precomputed").fit_transform(pdist(X))
    ),
    "PCA = kernel PCA with a linear kernel": gap(
        pca.transform(X), KernelPCA(2, kernel=Linear()).fit_transform(X)
    ),
}
for name, difference in identities.items():
    print(f"{name:44} {difference:.0e}")

# %%
# The same as a picture: two methods, one set of points. The open circles are one method, and the dots are the other.

fig, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
pairs = {
    "PCA ○ and scaling of distances ·": (
        pca.transform(X),
        ClassicalMDS(metric="precomputed").fit_transform(pdist(X)),
    ),
    "LDA ○ and SIR with classes ·": (
        lda.transform(X),
        SIR().fit(X, slices=y).transform(X),
    ),
}
for ax, (title, (a, b)) in zip(axes, pairs.items(), strict=True):
    b = b * np.sign(np.sum(a * b, axis=0)) * a.std(axis=0) / b.std(axis=0)
    ax.scatter(*a.T, s=60, facecolors="none", edgecolors="0.6")
    ax.scatter(*b.T, s=8, c=y, cmap="viridis")
    ax.set_title(title)
plt.show()
