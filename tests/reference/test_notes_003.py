"""Lecture notes on flexible, penalized and mixture discriminants: their steps, written out in NumPy."""

import numpy as np
import pytest
import scipy.linalg
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.preprocessing import SplineTransformer

from eigenlens import FDA, LDA, MDA, PDA
from eigenlens.regress import AdaptiveSplines, AdditiveSplines, PenalizedRegression, PolynomialRegression
from eigenlens.regress.penalties import spline_penalty

X, y = load_iris(return_X_y=True)
N, K = len(X), 3
Y = np.eye(K)[y]


def optimal_scores(Y, fits):
    """Eigenvectors Θ of (YᵀY)⁻¹YᵀŶ with ΘᵀYᵀYΘ/N = I, best first, without the constant."""
    values, theta = scipy.linalg.eigh((Y.T @ fits + fits.T @ Y) / 2, Y.T @ Y / N)
    order = np.argsort(values)[::-1][1:]
    return values[order] / N, theta[:, order]


def test_the_rule_of_linear_discriminants():
    """With equal shares the nearest centroid in the Mahalanobis metric, and boundaries that are linear in x."""
    model = LDA(priors=[1 / 3] * 3).fit(X, y)
    means = np.array([X[y == k].mean(axis=0) for k in range(K)])
    S = sum((X[y == k] - means[k]).T @ (X[y == k] - means[k]) for k in range(K)) / (N - K)
    apart = np.array([[(x - m) @ np.linalg.solve(S, x - m) for m in means] for x in X])
    np.testing.assert_allclose(model.mahalanobis(X), apart, rtol=1e-8)
    np.testing.assert_array_equal(model.predict(X), apart.argmin(axis=1))
    np.testing.assert_allclose(((model.sphere(X)[:, None] - model.sphere(means)) ** 2).sum(axis=2), apart, rtol=1e-8)
    np.testing.assert_allclose(model.coef_ @ X.T + model.intercept_[:, None], model.decision_function(X).T, atol=1e-8)


def test_sphering_and_the_subspace_of_the_centroids():
    """v = Σ_W^(−½)v*, v* eigenvectors of the covariance of the sphered centroids, which lie in K − 1 dimensions."""
    means = np.array([X[y == k].mean(axis=0) for k in range(K)])
    S = sum((X[y == k] - means[k]).T @ (X[y == k] - means[k]) for k in range(K)) / (N - K)
    D, U = np.linalg.eigh(S)
    root = U / np.sqrt(D)  # x* = D^(−½)Uᵀx
    np.testing.assert_allclose(root.T @ S @ root, np.eye(4), atol=1e-10)
    stars = (means - X.mean(axis=0)) @ root
    assert np.linalg.matrix_rank(stars, tol=1e-8) == K - 1
    v = root @ np.linalg.eigh(np.cov(stars.T))[1][:, ::-1][:, : K - 1]
    model = LDA().fit(X, y)
    np.testing.assert_allclose(np.abs(model.scalings_), np.abs(v), rtol=1e-7)
    posterior = np.exp(-0.5 * model.mahalanobis(X)) / K
    np.testing.assert_allclose(model.predict_proba(X), posterior / posterior.sum(axis=1, keepdims=True), atol=1e-10)
    for L in (1, 2):  # the reduced rule is the nearest centroid on the first L of them
        apart = ((X @ v[:, :L])[:, None] - means @ v[:, :L]) ** 2
        np.testing.assert_array_equal(LDA(L).fit(X, y).predict(X), apart.sum(axis=2).argmin(axis=1))


def test_the_rule_of_flexible_discriminants():
    """δ(x, k) = ‖D(η(x) − η̄ₖ)‖², D² = 1/(α²(1 − α²)), with η by any regression that is linear in Y."""
    H = PolynomialRegression(degree=2).fit(X, Y)
    fits = H.predict(X)
    alpha2, theta = optimal_scores(Y, fits)
    eta = fits @ theta
    centroids = np.array([eta[y == k].mean(axis=0) for k in range(K)])
    delta = ((eta[:, None] - centroids) ** 2 / (alpha2 * (1 - alpha2))).sum(axis=2)
    model = FDA(PolynomialRegression(degree=2)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), delta.argmin(axis=1))
    np.testing.assert_allclose(model.canonical_correlations_**2, alpha2, rtol=1e-8)


def test_discriminants_by_optimal_scoring():
    """Initialise, regress, score, update: the directions of LDA up to d = 1/√(α²(1 − α²)); ASR is Σ(1 − α²)."""
    A = np.column_stack([np.ones(N), X])
    B = np.linalg.lstsq(A, Y, rcond=None)[0]
    alpha2, theta = optimal_scores(Y, A @ B)
    B = (B @ theta)[1:]
    lda, fda = LDA().fit(X, y), FDA(PolynomialRegression(degree=1)).fit(X, y)
    np.testing.assert_allclose(fda.canonical_correlations_**2, alpha2, rtol=1e-9)
    np.testing.assert_allclose(np.abs(fda.scores_), np.abs(theta), atol=1e-8)
    scaled = B / np.sqrt(alpha2 * (1 - alpha2)) * np.sqrt((N - K) / N)
    np.testing.assert_allclose(np.abs(lda.scalings_), np.abs(scaled), rtol=1e-8)
    residual = Y @ theta - (X - X.mean(axis=0)) @ B
    assert fda.asr_ == pytest.approx(np.sum((residual - residual.mean(axis=0)) ** 2) / N, rel=1e-9)
    assert fda.asr_ == pytest.approx(2 - alpha2.sum(), rel=1e-9)
    np.testing.assert_allclose(np.abs(fda.transform(X)), np.abs(lda.transform(X)), atol=1e-8)


OMEGA = np.diag([1.0, 2.0, 3.0, 4.0]) + 0.3
CENTRED = X - X.mean(axis=0)


def test_penalised_discriminants():
    """S_λ = H(HᵀH + Ω)⁻¹Hᵀ in place of the projection; Σ_B U = (Σ_W + Ω)UΛ."""
    fits = CENTRED @ np.linalg.solve(CENTRED.T @ CENTRED + 2.0 * OMEGA, CENTRED.T @ Y) + Y.mean(axis=0)
    alpha2, theta = optimal_scores(Y, fits)
    model = PDA(penalty=OMEGA, lam=2.0).fit(X, y)
    np.testing.assert_allclose(model.canonical_correlations_**2, alpha2, rtol=1e-8)
    np.testing.assert_allclose(np.abs(model.scores_), np.abs(theta), atol=1e-7)
    assert model.asr_ == pytest.approx(np.trace(theta.T @ Y.T @ (Y - fits) @ theta) / N, rel=1e-8)
    means = np.array([X[y == k].mean(axis=0) for k in range(K)])
    within = sum((X[y == k] - means[k]).T @ (X[y == k] - means[k]) for k in range(K)) + 2.0 * OMEGA
    between = (means - X.mean(axis=0)).T @ (means - X.mean(axis=0)) * N / K
    U = scipy.linalg.eigh(between, within)[1][:, ::-1][:, :2]
    np.testing.assert_allclose(np.cos(scipy.linalg.subspace_angles(U, model.scalings_)), 1, atol=1e-12)
    np.testing.assert_allclose(model.scalings_.T @ within @ model.scalings_ / (N - K), np.eye(2), atol=1e-9)
    apart = np.array([[(x - m) @ np.linalg.solve(within / (N - K), x - m) for m in means] for x in X])
    np.testing.assert_allclose(model.mahalanobis(X), apart, rtol=1e-7)


@pytest.mark.parametrize("cost", [1.0, 2.0, 3.0])
def test_generalised_cross_validation(cost):
    """RSS(λ)/N over (1 − (1 + c·df)/N)², df = tr S_λ without the constant."""
    rng = np.random.default_rng(0)
    response = X @ rng.standard_normal((4, 2)) + rng.standard_normal((N, 2))
    model = PenalizedRegression(OMEGA, lam=5.0, cost=cost).fit(X, response)
    S = CENTRED @ np.linalg.solve(CENTRED.T @ CENTRED + 5.0 * OMEGA, CENTRED.T)
    left = response - response.mean(axis=0) - S @ response
    assert model.df_ == pytest.approx(np.trace(S), rel=1e-9)
    assert model.gcv_ == pytest.approx(np.sum(left**2) / N / (1 - (1 + cost * np.trace(S)) / N) ** 2, rel=1e-9)


def test_cost_for_each_degree_of_freedom():
    """GCV with 1 + c·df: BRUTO leaves the constant out, MARS of degree 1 has c = 2 and needs penalty=4 for c = 3."""
    response = X[:, 0] + np.sin(X[:, 2]) + 0.3 * np.random.default_rng(1).standard_normal(N)

    def gcv(rss, parameters):
        return rss / N / (1 - parameters / N) ** 2

    additive = AdditiveSplines(cost=2.0).fit(X, response)
    assert additive.gcv_ == pytest.approx(gcv(additive.rss_, 2.0 * additive.df_.sum()), rel=1e-10)
    for model, c in ((AdaptiveSplines(), 2.0), (AdaptiveSplines(degree=2, penalty=4), 3.0)):
        model.fit(X, response)
        assert model.gcv_ == pytest.approx(gcv(model.rss_, 1 + c * (len(model.basis_) - 1)), rel=1e-10)


def test_additive_splines_in_their_finite_form():
    """‖Θ* − HB‖² + tr BᵀΩB with Ω = diag(λⱼΩⱼ), one λⱼ for all responses: H has B-splines with a knot at each value."""
    lam, Q = np.array([1e-3, 1e-2, 1e-3, 0.1]), Y @ np.random.default_rng(0).standard_normal((K, 2))
    model = AdditiveSplines(lam=lam, tol=1e-14, max_iter=3000).fit(X, Q)
    fits = np.full((N, 2), Q.mean(axis=0))
    H, omega = [], []
    for x, own in zip(X.T, lam, strict=True):
        splines = SplineTransformer(knots=np.unique(x)[:, None], include_bias=False).fit(x[:, None])
        H.append(splines.transform(x[:, None]))
        omega.append(spline_penalty(splines, own))
    H, omega = np.hstack(H), scipy.linalg.block_diag(*omega)
    centred = H - H.mean(axis=0)
    fits += centred @ np.linalg.lstsq(centred.T @ centred + omega, centred.T @ Q, rcond=None)[0]
    np.testing.assert_allclose(model.predict(X), fits, atol=1e-5)
    flexible = FDA(AdditiveSplines(lam=lam, tol=1e-14, max_iter=3000)).fit(X, y)
    penalised = PDA(penalty=omega, lam=1.0).fit(H, y)
    np.testing.assert_allclose(flexible.canonical_correlations_, penalised.canonical_correlations_, rtol=1e-5)
    np.testing.assert_array_equal(flexible.predict(X), penalised.predict(H))


def test_mixtures_step_by_step():
    """E: responsibilities within classes. M: shares, means and one covariance, here with divisor N."""
    rng = np.random.default_rng(0)
    Z = np.zeros((N, 6))
    for k in range(K):
        Z[y == k, 2 * k : 2 * k + 2] = rng.dirichlet([1, 1], np.sum(y == k))
    owner, first = np.repeat(np.arange(K), 2), Z
    for _ in range(3):  # M-steps, an E-step after each
        mass = Z.sum(axis=0)
        shares = mass / np.array([mass[owner == k].sum() for k in owner])
        means = (Z.T @ X) / mass[:, None]
        S = sum((Z[:, r, None] * (X - means[r])).T @ (X - means[r]) for r in range(6)) / N
        density = np.column_stack([multivariate_normal(means[r], S).pdf(X) for r in range(6)]) * shares
        Z = density * (owner == y[:, None])
        likelihood = np.log(Z.sum(axis=1)).sum()
        Z = Z / Z.sum(axis=1, keepdims=True)
    model = MDA(n_subclasses=2, init=first, max_iter=3, tol=0).fit(X, y)
    np.testing.assert_allclose(model.subclass_means_, means, rtol=1e-7)
    np.testing.assert_allclose(model.subclass_weights_, shares, rtol=1e-7)
    np.testing.assert_allclose(model.covariance_, S, rtol=1e-7)
    assert model.log_likelihood_[-1] == pytest.approx(likelihood, rel=1e-9)
    posterior = np.column_stack([density[:, owner == k].sum(axis=1) for k in range(K)])  # classes of equal size
    np.testing.assert_allclose(model.predict_proba(X), posterior / posterior.sum(axis=1, keepdims=True), atol=1e-8)
