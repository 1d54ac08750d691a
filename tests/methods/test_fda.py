"""FDA: optimal scoring, its identities, and regressors of every kind."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from eigenlens import FDA, LDA
from eigenlens.exceptions import ConstantFitWarning, InputError, InputTypeError, PerfectFitWarning, RankWarning
from eigenlens.regress import AdaptiveSplines, AdditiveSplines, PenalizedRegression, PolynomialRegression
from eigenlens.regress.optimal_scoring import contrasts, indicator, score

X, y = load_wine(return_X_y=True)
IRIS = load_iris(return_X_y=True)


def same_up_to_sign(found, expected, tolerance):
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("regressor", [LinearRegression(), PolynomialRegression(1), PenalizedRegression(lam=0)])
@pytest.mark.parametrize("parameters", [{}, {"n_components": 1}, {"n_components": 1, "priors": [0.6, 0.3, 0.1]}])
@pytest.mark.parametrize("data", [(X, y), IRIS], ids=["wine", "iris"])
def test_linear_regression_is_lda(regressor, parameters, data):
    rows, labels = data
    ours, lda = FDA(regressor=regressor, **parameters).fit(rows, labels), LDA(**parameters).fit(rows, labels)
    same_up_to_sign(ours.transform(rows), lda.transform(rows), 1e-10)
    np.testing.assert_allclose(ours.predict_log_proba(rows), lda.predict_log_proba(rows), atol=1e-8)
    np.testing.assert_allclose(ours.explained_variance_ratio_, lda.explained_variance_ratio_, rtol=1e-10)
    same_up_to_sign(ours.centroids_, lda.centroids_, 1e-10)


def test_linear_regression_is_lda_also_with_weights():
    w = np.random.default_rng(0).integers(0, 4, len(X))
    ours, lda = FDA(regressor=LinearRegression()).fit(X, y, w), LDA().fit(X, y, w)
    same_up_to_sign(ours.transform(X), lda.transform(X), 1e-10)


def test_scores_solve_the_eigenproblem_they_are_defined_by():
    model = FDA(regressor=PolynomialRegression(2, interactions=False)).fit(X, y)
    Y = np.eye(3)[y]
    D = Y.T @ Y / len(y)
    fits = PolynomialRegression(2, interactions=False).fit(X, Y).predict(X)
    M = Y.T @ fits / len(y)
    theta = model.scores_
    np.testing.assert_allclose(theta.T @ D @ theta, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(M @ theta, D @ theta * model.canonical_correlations_**2, atol=1e-11)
    # the variates are the fits over √(α²(1 − α²)), the divisor W − K counted in
    a2 = model.canonical_correlations_**2
    variates = fits @ theta / np.sqrt(a2 * (1 - a2)) * np.sqrt((len(y) - 3) / len(y))
    np.testing.assert_allclose(model.transform(X), variates, atol=1e-9)
    np.testing.assert_allclose(
        model.centroids_, theta * np.sqrt(a2 / (1 - a2)) * np.sqrt((len(y) - 3) / len(y)), atol=1e-9
    )


@pytest.mark.parametrize(
    "regressor",
    [
        AdaptiveSplines(),
        AdaptiveSplines(2),
        KNeighborsRegressor(9),
        RandomForestRegressor(20, min_samples_leaf=4, random_state=0),
        make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(8,), solver="lbfgs", alpha=3, random_state=0)),
        make_pipeline(StandardScaler(), KernelRidge(alpha=1.0, kernel="rbf")),
        GradientBoostingRegressor(n_estimators=10, random_state=0),  # takes one response only
    ],
    ids=lambda r: type(r[-1] if hasattr(r, "steps") else r).__name__,
)
def test_within_covariance_is_the_identity_with_any_regressor(regressor):
    rows, labels = scale(X), y
    model = FDA(regressor=regressor).fit(rows, labels)
    residual = model.transform(rows) - model.centroids_[labels]
    np.testing.assert_allclose(residual.T @ residual / (len(rows) - 3), np.eye(model.scores_.shape[1]), atol=1e-8)
    np.testing.assert_allclose(residual.T @ np.eye(3)[labels], 0, atol=1e-8)  # centroids are the means of the classes
    assert model.score(rows, labels) > 0.9
    posterior = model.predict_proba(rows)
    np.testing.assert_allclose(posterior.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("regressor", [AdditiveSplines(), PenalizedRegression(lam=5.0), Ridge(alpha=5.0)])
def test_shrinking_smoothers_are_measured_with_their_penalty(regressor):
    rows, labels = IRIS
    scoring = score(regressor, rows, indicator(labels, 3), np.ones(len(rows)))
    assert scoring.symmetric
    a2 = FDA(regressor=regressor).fit(rows, labels).canonical_correlations_ ** 2
    theta = contrasts(np.full(3, 1 / 3))
    wanted = theta[labels]
    fits = type(regressor)(**regressor.get_params()).fit(rows, wanted).predict(rows)
    M = wanted.T @ fits / len(rows)
    np.testing.assert_allclose(a2, np.sort(np.linalg.eigvalsh((M + M.T) / 2))[::-1], rtol=2e-3)


def test_neighbours_are_measured_as_they_are():
    rows, labels = X, y
    assert not score(KNeighborsRegressor(9), rows, indicator(labels, 3), np.ones(len(rows))).symmetric


def test_a_ring_is_seen():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((600, 2))
    labels = (np.hypot(*rows.T) < 1.2).astype(int)
    assert LDA().fit(rows, labels).score(rows, labels) < 0.7
    assert FDA().fit(rows, labels).score(rows, labels) > 0.95


def test_perfect_fits_are_reported():
    with pytest.warns(PerfectFitWarning, match=r"KNeighborsRegressor.*more neighbours"):
        model = FDA(regressor=KNeighborsRegressor(1)).fit(X, y)
    assert model.score(X, y) == 1.0
    assert np.isfinite(model.predict_log_proba(X)).all()
    np.testing.assert_allclose(model.canonical_correlations_, 1, atol=1e-9)


@pytest.mark.parametrize("regressor", [None, PolynomialRegression(2), AdditiveSplines(), KNeighborsRegressor(5)])
def test_far_points_have_finite_posteriors(regressor):
    rows, labels = X[:, [0, 6, 9, 12]], y
    model = FDA(regressor=regressor).fit(rows, labels)
    far = rows.mean(axis=0) + 1e6 * rows.std(axis=0) * np.array([[1, 1, 1, 1], [-1, 1, -1, 1], [0, 0, 0, 1]])
    posterior = model.predict_proba(far)
    assert np.isfinite(model.predict_log_proba(far)).all()
    np.testing.assert_allclose(posterior.sum(axis=1), 1, atol=1e-12)


def test_fewer_directions_than_classes_allow():
    rng = np.random.default_rng(1)
    labels = np.arange(300) % 5
    rows = rng.standard_normal((300, 2)) + np.array([[0, 0], [4, 0], [0, 4], [4, 4], [8, 0]])[labels]
    model = FDA(regressor=LinearRegression()).fit(rows, labels)
    assert model.scores_.shape == (5, 2)
    with pytest.warns(RankWarning, match="rank 2 but 3"):
        FDA(3, regressor=LinearRegression()).fit(rows, labels)


def test_bad_input():
    with pytest.raises(InputError, match="n_components=3 but 3 classes give at most 2"):
        FDA(3).fit(X, y)
    with pytest.raises(InputTypeError, match=r"regressor=.*is a classifier.*AdaptiveSplines"):
        FDA(regressor=LogisticRegression()).fit(X, y)
    with pytest.raises(InputTypeError, match="is a class"):
        FDA(regressor=AdaptiveSplines).fit(X, y)
    with pytest.raises(InputTypeError, match="no regressor"):
        FDA(regressor="mars").fit(X, y)
    with pytest.raises(InputError, match="KNeighborsRegressor takes no weights"):
        FDA(regressor=KNeighborsRegressor()).fit(X, y, np.arange(len(y)) % 3 + 1.0)
    with pytest.raises(InputError, match="one class"):
        FDA().fit(X, np.zeros(len(y), int))
    with pytest.raises(InputError, match="nothing in it separates the classes"):
        FDA(regressor=PenalizedRegression(lam=1.0)).fit(np.ones_like(X), y)
    with pytest.raises(InputError, match="NaN"):
        FDA().fit(np.where(X > 1000, np.nan, X), y)


def test_containers_and_names():
    import pandas as pd
    import torch

    frame = pd.DataFrame(IRIS[0], columns=list("abcd"))
    model = FDA().fit(frame, IRIS[1])
    assert list(model.feature_names_in_) == list("abcd")
    assert model.get_feature_names_out().tolist() == ["fda0", "fda1"]
    scores = FDA().fit(torch.tensor(IRIS[0]), torch.tensor(IRIS[1])).transform(torch.tensor(IRIS[0]))
    assert isinstance(scores, torch.Tensor)
    np.testing.assert_allclose(scores.numpy(), model.transform(frame), atol=1e-12)


def test_a_regression_that_sees_nothing_gives_way_to_a_linear_one():
    rng = np.random.default_rng(0)
    noise, labels = rng.standard_normal((60, 3)), np.arange(60) % 2
    with pytest.warns(ConstantFitWarning, match="DummyRegressor fits every class score by a constant"):
        model = FDA(regressor=DummyRegressor()).fit(noise, labels)
    linear = FDA(regressor=PolynomialRegression(1)).fit(noise, labels)
    np.testing.assert_allclose(model.predict_proba(noise), linear.predict_proba(noise), rtol=1e-10)
