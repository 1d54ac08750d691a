"""Lecture notes on LDA and CCA (Shashua): what they derive, written out in NumPy, beside the library."""

import numpy as np
import pytest
import scipy.linalg
from sklearn.datasets import load_breast_cancer, load_iris, load_linnerud

from eigenlens import CCA, LDA

X, y = load_iris(return_X_y=True)


def same_direction(a, b):
    return abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b) == pytest.approx(1, abs=1e-10)


def test_centres_alone_are_not_sufficient():
    """The figure 10.1: two long clouds side by side; the line between the centres mixes them, Fisher's does not."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 500)
    rows = rng.standard_normal((1000, 2)) * [4, 0.5] + np.where(labels[:, None] == 0, -1, 1) * [2, 1.5]
    apart = rows[labels == 1].mean(axis=0) - rows[labels == 0].mean(axis=0)
    along = rows @ apart > (rows @ apart).mean()
    fisher = LDA().fit(rows, labels)
    assert np.mean(along == labels) < 0.85
    assert fisher.score(rows, labels) > 0.99
    centres_only = LDA(shrinkage=1.0, priors=[0.5, 0.5]).fit(rows, labels)
    assert np.mean(centres_only.predict(rows) == along) > 0.999  # the same rule
    assert fisher.rayleigh(apart) < 0.2 * fisher.rayleigh(fisher.scalings_[:, 0])


def test_the_general_derivation():
    """S_w is the sum of class covariances with divisors l_j, S_b is (1/q) Σ (μ_j − μ)(μ_j − μ)ᵀ."""
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    Sw = sum(np.cov(X[y == k].T, ddof=0) for k in range(3))
    B = means - X.mean(axis=0)
    values, vectors = scipy.linalg.eigh(B.T @ B / 3, Sw)
    model = LDA(within="equal", between="classes").fit(X, y)
    np.testing.assert_allclose(model.spectrum_.values, 3 * values[::-1][:2], rtol=1e-9)  # ours is their mean
    for k in range(2):
        assert same_direction(model.scalings_[:, k], vectors[:, -1 - k])


def test_two_classes():
    """w ∝ S_w⁻¹(μ₁ − μ₂), and the boundary (10.2) half way between the centres."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :10]
    mu = [X[y == k].mean(axis=0) for k in range(2)]
    Sw = sum(np.cov(X[y == k].T, ddof=0) for k in range(2))
    w = np.linalg.solve(Sw, mu[1] - mu[0])
    model = LDA(within="equal", priors=[0.5, 0.5]).fit(X, y)
    assert same_direction(model.scalings_[:, 0], w)
    boundary = X @ w - (mu[0] + mu[1]) @ w / 2
    np.testing.assert_array_equal(model.predict(X), (boundary > 0).astype(int))


def notes_cca(A, B):
    """Q and R of both tables, the singular values of Q_AᵀQ_B, and the axes R⁻¹U and R⁻¹V."""
    QA, RA = np.linalg.qr(A)
    QB, RB = np.linalg.qr(B)
    U, cosines, Vt = np.linalg.svd(QA.T @ QB, full_matrices=False)
    return cosines, np.linalg.solve(RA, U), np.linalg.solve(RB, Vt.T)


def test_canonical_correlations_by_factors():
    body, sport = load_linnerud().target, load_linnerud().data
    A, B = body - body.mean(axis=0), sport - sport.mean(axis=0)
    cosines, U, V = notes_cca(A, B)
    model = CCA().fit(body, sport)
    np.testing.assert_allclose(model.correlations_, cosines, rtol=1e-9)
    np.testing.assert_allclose(model.angles_, np.arccos(cosines), rtol=1e-7)
    for k in range(3):
        assert same_direction(model.x_weights_[:, k], U[:, k])
        assert same_direction(model.y_weights_[:, k], V[:, k])
    np.testing.assert_allclose(np.cos(scipy.linalg.subspace_angles(A, B))[::-1], cosines, rtol=1e-9)


def test_the_variates_of_a_new_row_give_its_response():
    """Uᵀx = Vᵀy is solved for y: predictions without shrinkage, where there are as many pairs as responses."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5))
    Y = X[:, :3] @ rng.standard_normal((3, 3)) + 0.1 * rng.standard_normal((200, 3))
    model = CCA().fit(X, Y)
    scores = (X - model.x_mean_) @ model.x_weights_
    expected = np.linalg.solve(model.y_weights_.T, scores.T).T + model.y_mean_
    np.testing.assert_allclose(model.predict(X, shrink=False), expected, rtol=1e-8, atol=1e-10)
