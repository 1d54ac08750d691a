"""Lecture notes on dimensionality reduction (PCA and LDA of two classes): their equations, beside the library."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from eigenlens import LDA, PCA

X, y = load_iris(return_X_y=True)


def test_the_best_line():
    """With divisor n: the variance of the projected points is λ₁, and the mean squared error is var(D) − λ₁."""
    sigma = np.cov(X.T, ddof=0)
    pca = PCA(1, ddof=0).fit(X)
    u = pca.components_[0]
    np.testing.assert_allclose(sigma @ u, pca.explained_variance_[0] * u, rtol=1e-9)
    assert u @ sigma @ u == pytest.approx(pca.explained_variance_[0], rel=1e-12)
    assert np.var(pca.transform(X)[:, 0]) == pytest.approx(pca.explained_variance_[0], rel=1e-12)
    error = pca.reconstruction_error(X).mean()
    assert error == pytest.approx(np.trace(sigma) - pca.explained_variance_[0], rel=1e-10)
    for other in np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0].T:
        assert other @ sigma @ other <= pca.explained_variance_[0]


def test_the_best_subspace():
    """A second direction orthogonal to the first; coordinates a = Uᵀx, and P = UUᵀ projects."""
    values = np.linalg.eigvalsh(np.cov(X.T, ddof=0))[::-1]
    pca = PCA(4, ddof=0).fit(X)
    np.testing.assert_allclose(pca.explained_variance_, values, rtol=1e-9)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(4), atol=1e-12)
    P = pca.components_[:2].T @ pca.components_[:2]
    np.testing.assert_allclose(P @ P, P, atol=1e-12)
    two = PCA(2, ddof=0).fit(X)
    np.testing.assert_allclose(two.inverse_transform(two.transform(X)), (X - X.mean(axis=0)) @ P + X.mean(axis=0))


def test_fisher_for_two_classes():
    """Bw = λSw with sums of squares, λ = (m₁ − m₂)²/(s₁² + s₂²); w ∝ S⁻¹(μ₁ − μ₂)."""
    one = y == 0  # setosa against the others
    mu1, mu2 = X[one].mean(axis=0), X[~one].mean(axis=0)
    S = sum((part - part.mean(axis=0)).T @ (part - part.mean(axis=0)) for part in (X[one], X[~one]))
    w = np.linalg.solve(S, mu1 - mu2)
    quotient = ((mu1 - mu2) @ w) ** 2 / (w @ S @ w)
    model = LDA(between="equal").fit(X, one)
    v = model.scalings_[:, 0]
    assert abs(v @ w) / np.linalg.norm(v) / np.linalg.norm(w) == pytest.approx(1, abs=1e-12)
    # ours divides S by n − 2, and (μ₁ − μ₂)(μ₁ − μ₂)ᵀ by 4: two classes of weight ½ about their middle
    assert model.rayleigh(w) == pytest.approx(quotient * 148 / 4, rel=1e-9)
    assert model.spectrum_.values[0] == pytest.approx(quotient * 148 / 4, rel=1e-9)
    a = X @ w
    scatter = sum(((a[part] - a[part].mean()) ** 2).sum() for part in (one, ~one))
    assert quotient == pytest.approx((a[one].mean() - a[~one].mean()) ** 2 / scatter, rel=1e-9)


def test_scatter_of_the_projected_points():
    """a = wᵀx, mᵢ = wᵀμᵢ, sᵢ² = nᵢσᵢ² = wᵀSᵢw, and J(w) is largest at Fisher's w."""
    one = y == 0
    rng = np.random.default_rng(0)
    model = LDA(between="equal").fit(X, one)

    def J(w):
        a = X @ w
        return (a[one].mean() - a[~one].mean()) ** 2 / sum(part.sum() * np.var(a[part]) for part in (one, ~one))

    best = J(model.scalings_[:, 0])
    for w in rng.standard_normal((50, 4)):
        assert J(w) <= best
        assert model.rayleigh(w) == pytest.approx(J(w) * 148 / 4, rel=1e-8)
