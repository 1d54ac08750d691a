"""Identities between methods."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from eigenlens import CCA, LDA, PCA, Subspace
from eigenlens.exceptions import RankWarning


@pytest.fixture(params=[load_iris, load_wine])
def labelled(request):
    return request.param(return_X_y=True)


def indicator(y):
    return (y[:, None] == np.unique(y)).astype(float)


def test_lda_is_cca_with_the_indicator(labelled):
    X, y = labelled
    lda = LDA().fit(X, y)
    with pytest.warns(RankWarning, match="Y has rank 2 but 3 columns vary"):
        cca = CCA().fit(X, indicator(y))
    n, K = len(X), 3
    ratio = lda.spectrum_.values * n / (n - K)  # between over within sums of squares
    np.testing.assert_allclose(cca.correlations_[: K - 1] ** 2, ratio / (1 + ratio), rtol=1e-10)
    span = Subspace(np.zeros(X.shape[1]), lda.scalings_).angles(Subspace(np.zeros(X.shape[1]), cca.x_weights_))
    assert span.max() < 1e-10
    # variates have total variance 1 in CCA, within variance 1 in LDA
    scale = np.sqrt((n - K) / (n - 1) * (1 + ratio))
    np.testing.assert_allclose(np.abs(cca.x_weights_ * scale), np.abs(lda.scalings_), rtol=1e-9)


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # the units are meant
def test_pca_is_the_svd():
    X = load_wine().data
    _, s, V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    model = PCA().fit(X)
    np.testing.assert_allclose(model.singular_values_, s, rtol=1e-12)
    np.testing.assert_allclose(np.abs(model.components_ @ V.T), np.eye(13), atol=1e-9)


def test_two_classes_are_fishers_direction(labelled):
    X, y = labelled
    X, y = X[y < 2], y[y < 2]
    m = [X[y == k].mean(axis=0) for k in (0, 1)]
    Sw = sum((X[y == k] - m[k]).T @ (X[y == k] - m[k]) for k in (0, 1)) / (len(X) - 2)
    direction = np.linalg.solve(Sw, m[1] - m[0])
    model = LDA(priors=[0.5, 0.5]).fit(X, y)
    cosine = direction @ model.scalings_[:, 0] / np.linalg.norm(direction) / np.linalg.norm(model.scalings_[:, 0])
    assert abs(cosine) == pytest.approx(1, abs=1e-10)
    np.testing.assert_allclose(model.coef_[0], direction, rtol=1e-7, atol=1e-9 * np.abs(direction).max())
    assert abs(model.decision_function([(m[0] + m[1]) / 2])[0]) < 1e-8  # the boundary is half way


def test_full_rank_lda_is_the_normal_rule(labelled):
    X, y = labelled
    model = LDA().fit(X, y)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    Sw = sum((X[y == k] - means[k]).T @ (X[y == k] - means[k]) for k in range(3)) / (len(X) - 3)
    distance = np.stack([np.einsum("ij,ij->i", X - m, np.linalg.solve(Sw, (X - m).T).T) for m in means], axis=1)
    np.testing.assert_allclose(model.mahalanobis(X), distance, rtol=1e-7)
    log_density = -0.5 * distance + np.log(np.bincount(y) / len(y))
    log_posterior = log_density - np.logaddexp.reduce(log_density, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(X), log_posterior, rtol=1e-7, atol=1e-7)


def test_cca_at_full_rank_predicts_least_squares():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((80, 5)) + 3, rng.standard_normal((80, 3))
    design = np.column_stack([np.ones(80), X])
    np.testing.assert_allclose(
        CCA().fit(X, Y).predict(X), design @ np.linalg.lstsq(design, Y, rcond=None)[0], atol=1e-12
    )


def test_ridge_cca_at_full_rank_predicts_ridge_regression():
    rng = np.random.default_rng(1)
    X, Y = rng.standard_normal((40, 6)), rng.standard_normal((40, 6))
    Xc, Yc, r = X - X.mean(axis=0), Y - Y.mean(axis=0), 0.3
    B = np.linalg.solve(Xc.T @ Xc / 39 + r * np.eye(6), Xc.T @ Yc / 39)
    np.testing.assert_allclose(CCA(ridge=r).fit(X, Y).predict(X), Y.mean(axis=0) + Xc @ B, atol=1e-12)


def test_cca_is_symmetric():
    rng = np.random.default_rng(2)
    X, Y = rng.standard_normal((60, 4)), rng.standard_normal((60, 3))
    X[:, 0] += Y[:, 0]
    there, back = CCA().fit(X, Y), CCA().fit(Y, X)
    np.testing.assert_allclose(there.correlations_, back.correlations_, rtol=1e-12)
    np.testing.assert_allclose(np.abs(there.x_weights_), np.abs(back.y_weights_), rtol=1e-8)


@pytest.mark.filterwarnings("ignore:The first component is column")
def test_reconstruction_error_is_what_the_eigenvalues_leave():
    X = load_wine().data
    for k in (1, 3, 12):
        model = PCA(k, ddof=0).fit(X)
        left = PCA(ddof=0).fit(X).explained_variance_[k:].sum()
        assert model.reconstruction_error(X).mean() == pytest.approx(left, rel=1e-9)


def test_within_and_between_add_up_to_the_total():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grouped = LDA().fit(X, y).moments_
    within = grouped.within()
    offsets = within.means - X.mean(axis=0)
    total = within.matrix + (offsets * grouped.weights[:, None]).T @ offsets
    np.testing.assert_allclose(total, PCA().fit(X).moments_.matrix, rtol=1e-12)
