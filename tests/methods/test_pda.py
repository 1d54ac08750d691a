"""PDA: the penalised metric, its path from moments, and its identities."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import scale

from eigenlens import FDA, LDA, PDA
from eigenlens.exceptions import InputError
from eigenlens.regress import PenalizedRegression
from eigenlens.regress.penalties import penalty_matrix

X, y = scale(load_wine().data), load_wine().target
DIGITS = load_digits(return_X_y=True)
PENALTIES = ["ridge", "smooth", "cyclic", "bspline", (13, 1), np.diag(np.arange(13.0))]


def same_up_to_sign(found, expected, tolerance):
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_the_penalised_within_scatter_is_the_metric(penalty):
    model = PDA(penalty=penalty, lam=7.0).fit(X, y)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    T = (X - means[y]).T @ (X - means[y])
    S = (T + 7.0 * penalty_matrix(penalty, 13)) / (len(X) - 3)
    B = (means * (np.bincount(y) / len(y))[:, None]).T @ means
    V = model.scalings_
    np.testing.assert_allclose(V.T @ S @ V, np.eye(2), atol=1e-11)
    np.testing.assert_allclose(B @ V, S @ V * model.spectrum_.values, atol=1e-10 * np.abs(B @ V).max())


@pytest.mark.parametrize("rank", [None, 1])
def test_without_penalty_it_is_lda(rank):
    lda, none, hardly = LDA(rank).fit(X, y), PDA(rank, lam=0).fit(X, y), PDA(rank, lam=1e-9).fit(X, y)
    np.testing.assert_allclose(none.scalings_, lda.scalings_, atol=1e-12)
    np.testing.assert_allclose(none.predict_log_proba(X), lda.predict_log_proba(X), atol=1e-10)
    np.testing.assert_allclose(hardly.scalings_, lda.scalings_, atol=1e-9)


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
@pytest.mark.parametrize("choice", [{"lam": 3.0}, {"df": 5.0}])
def test_it_is_fda_with_a_penalised_regression(penalty, choice):
    ours = PDA(penalty=penalty, **choice).fit(X, y)
    theirs = FDA(regressor=PenalizedRegression(penalty, **choice)).fit(X, y)
    same_up_to_sign(ours.transform(X), theirs.transform(X), 1e-10)
    np.testing.assert_allclose(ours.canonical_correlations_, theirs.canonical_correlations_, rtol=1e-10)
    assert ours.lam_ == pytest.approx(theirs.regressor_.lam_, rel=1e-9)
    assert ours.df_ == pytest.approx(theirs.regressor_.df_, rel=1e-9)


@pytest.mark.parametrize(
    ("p", "choice"),
    [(12, {}), (12, {"lam": 3.0}), (12, {"df": 4.0}), (12, {"lam": "cv"}), (120, {"lam": 30.0}), (120, {"df": 40.0})],
    ids=str,
)
def test_the_diagonal_penalty_is_a_ridge_on_columns_of_unit_spread_within_classes(p, choice):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.standard_normal((90, p)) + 0.5 * rng.standard_normal((3, p))[y]
    within = X - np.array([X[y == k].mean(axis=0) for k in range(3)])[y]
    Z, units = X / within.std(axis=0), 10.0 ** rng.uniform(-4, 4, p)
    found, ridge = PDA(penalty="diagonal", **choice).fit(X * units, y), PDA(**choice).fit(Z, y)
    if choice != {"lam": "cv"}:  # whose folds have spreads of their own
        np.testing.assert_allclose([found.lam_, found.df_], [ridge.lam_, ridge.df_], rtol=1e-7)
        np.testing.assert_allclose(found.transform(X * units), ridge.transform(Z), atol=1e-7)
        np.testing.assert_allclose(found.regressor_.predict(X * units), ridge.regressor_.predict(Z), atol=1e-7)
    same = PDA(penalty="diagonal", **choice).fit(X, y)
    np.testing.assert_allclose([found.lam_, found.df_], [same.lam_, same.df_], rtol=1e-7)
    np.testing.assert_allclose(found.transform(X * units), same.transform(X), atol=1e-7)
    tests = [model.test_dimension(rows, y, n_draws=19) for model, rows in ((found, X * units), (same, X))]
    np.testing.assert_allclose(*(test.p_values for test in tests))
    repeated = PDA(penalty="diagonal", lam=found.lam_).fit(X * units, y)
    np.testing.assert_allclose(repeated.transform(X * units), found.transform(X * units), atol=1e-7)


@pytest.mark.parametrize("cost", [1.0, 3.0])
@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # the units are meant
@pytest.mark.parametrize("penalty", ["ridge", (8, 8)], ids=str)
def test_gcv_is_that_of_the_score_regression(penalty, cost):
    rows, labels = DIGITS
    ours = PDA(penalty=penalty, cost=cost).fit(rows, labels)
    theirs = PenalizedRegression(penalty, cost=cost)
    from eigenlens.regress.optimal_scoring import contrasts

    theirs.fit(rows, contrasts(np.bincount(labels) / len(labels))[labels])
    np.testing.assert_allclose(ours.gcv_path_, theirs.gcv_path_, rtol=1e-6)
    assert ours.lam_ == pytest.approx(theirs.lam_, rel=1e-4)
    assert ours.gcv_path_[:, 2].min() >= theirs.gcv_ * (1 - 1e-9)


def test_moments_kept_as_squares_give_the_same_path():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 6000)
    rows = rng.standard_normal((6000, 100)) @ rng.standard_normal((100, 100)) + labels[:, None] * np.linspace(0, 1, 100)
    squares = PDA(penalty="smooth").fit(rows, labels)
    assert squares.moments_.squared
    theirs = FDA(regressor=PenalizedRegression("smooth", lam=squares.lam_)).fit(rows, labels)
    same_up_to_sign(squares.transform(rows), theirs.transform(rows), 1e-8)
    assert squares.df_ == pytest.approx(theirs.regressor_.df_, rel=1e-9)


@pytest.mark.parametrize("penalty", ["ridge", "smooth", "cyclic", (15, 20)], ids=str)
def test_more_columns_than_rows(penalty):
    rng = np.random.default_rng(1)
    labels = np.arange(60) % 3
    rows = rng.standard_normal((60, 300)) + 2 * labels[:, None] * np.sin(np.linspace(0, 3, 300))
    small = PDA(penalty=penalty, lam=50.0).fit(rows, labels)
    assert small.moments_.groups[0].factor.shape == (60, 300)  # the rows themselves, no 300 × 300
    theirs = FDA(regressor=PenalizedRegression(penalty, lam=50.0)).fit(rows, labels)
    same_up_to_sign(small.transform(rows), theirs.transform(rows), 1e-8)
    assert small.df_ == pytest.approx(theirs.regressor_.df_, rel=1e-7)
    means = np.array([rows[labels == k].mean(axis=0) for k in range(3)])
    T = (rows - means[labels]).T @ (rows - means[labels])
    S = (T + 50.0 * penalty_matrix(penalty, 300)) / 57
    np.testing.assert_allclose(small.scalings_.T @ S @ small.scalings_, np.eye(2), atol=1e-8)


def test_many_more_columns_than_rows_need_no_square_of_the_columns():
    rng = np.random.default_rng(2)
    labels = np.arange(40) % 2
    rows = rng.standard_normal((40, 20_000))
    rows[:, :500] += labels[:, None]
    model = PDA(lam=1000.0).fit(rows, labels)  # p × p would be 3 GB
    assert model.scalings_.shape == (20_000, 1)
    fresh = rng.standard_normal((200, 20_000))
    fresh[:, :500] += (np.arange(200) % 2)[:, None]
    assert model.score(fresh, np.arange(200) % 2) > 0.95


def test_many_penalties_from_one_pass():
    rows, labels = DIGITS
    moments = PDA(penalty=(8, 8)).fit(rows, labels).moments_
    dfs = [PDA(penalty=(8, 8), df=df).fit_moments(moments).df_ for df in (10.0, 30.0, 50.0)]
    np.testing.assert_allclose(dfs, [10, 30, 50], rtol=1e-9)
    omega, rough = penalty_matrix((8, 8), 64), []
    for lam in (1.0, 1e4, 1e6):
        V = PDA(penalty=(8, 8), lam=lam).fit_moments(moments).scalings_
        rough.append(np.mean(np.einsum("ij,ik,kj->j", V, omega, V) / np.sum(V**2, axis=0)))
    assert rough[0] > rough[1] > rough[2]


def test_mahalanobis_is_that_of_the_penalised_metric():
    model = PDA(lam=20.0).fit(X, y)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    S = ((X - means[y]).T @ (X - means[y]) + 20.0 * np.eye(13)) / (len(X) - 3)
    expected = np.stack([np.einsum("ij,ij->i", X - m, np.linalg.solve(S, (X - m).T).T) for m in means], axis=1)
    np.testing.assert_allclose(model.mahalanobis(X), expected, rtol=1e-9)
    np.testing.assert_allclose(X @ model.coef_.T + model.intercept_, model.decision_function(X), atol=1e-9)


def test_smooth_digits_beat_lda_on_rows_not_seen():
    rows, labels = DIGITS
    train, test = np.arange(len(rows)) < 400, np.arange(len(rows)) >= 400
    lda = LDA().fit(rows[train], labels[train])
    smooth = PDA(penalty=(8, 8)).fit(rows[train], labels[train])
    assert smooth.score(rows[test], labels[test]) > lda.score(rows[test], labels[test])


def test_far_points_have_finite_posteriors():
    model = PDA().fit(X, y)
    posterior = model.predict_proba(1e6 * np.vstack([np.ones(13), -np.eye(13)]))
    np.testing.assert_allclose(posterior.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": np.eye(4)}, r"penalty has shape \(4, 4\) but X has 13 columns"),
        ({"penalty": -np.eye(13)}, r"eigenvalue -1 but must be positive semi-definite"),
        ({"penalty": np.triu(np.ones((13, 13)))}, "not symmetric"),
        ({"penalty": (4, 4)}, "grid of 16 pixels but X has 13 columns"),
        ({"penalty": "wiggly"}, "'wiggly' is unknown"),
        ({"df": 20.0}, "df=20 but the data have 13 at most"),
        ({"df": 0}, "df=0 but it must be"),
        ({"penalty": "smooth", "df": 1.5}, "df=1.5 but 2 stay free under any penalty"),
        ({"lam": -1.0}, "lam=-1.0 but it must be"),
        ({"lam": "loo"}, "lam='loo' is not an option"),
        ({"lam": 1.0, "df": 3.0}, "both given"),
        ({"cost": -1}, "cost=-1"),
        ({"n_components": 3}, "at most 2"),
        ({"priors": [0.5, 0.5]}, "there are 3 classes"),
    ],
)
def test_bad_input(parameters, message):
    with pytest.raises(ValueError, match=message):
        PDA(**parameters).fit(X, y)


def test_a_refused_refit_leaves_the_model():
    model = PDA(df=5.0).fit(X, y)
    before = model.scalings_
    with pytest.raises(InputError):
        model.partial_fit(np.full((2, 13), np.inf), [0, 1])
    assert model.scalings_ is before


def test_columns_of_extreme_size():
    big, small = PDA(lam=3.0 * 1e200).fit(X * 1e100, y), PDA(lam=3.0).fit(X, y)
    np.testing.assert_allclose(big.transform(X * 1e100), small.transform(X), rtol=1e-9, atol=1e-10)
    assert big.df_ == pytest.approx(small.df_, rel=1e-10)


@pytest.mark.parametrize("choice", [{"lam": 10.0}, {"df": 6.0}, {}], ids=str)
def test_differences_of_many_columns_need_no_eigenvectors(choice):
    """With few rows a band is solved; the same Ω given as a matrix goes by its eigenvectors."""
    rng = np.random.default_rng(5)
    c = np.arange(40) % 3
    A = np.sin(np.linspace(0, 6, 150) + c[:, None]) + 2 * rng.standard_normal((40, 150))
    by_band = PDA(penalty="smooth", **choice).fit(A, c)
    by_eigenvectors = PDA(penalty=penalty_matrix("smooth", 150), **choice).fit(A, c)
    np.testing.assert_allclose(by_band.df_, by_eigenvectors.df_, rtol=1e-7)
    np.testing.assert_allclose(np.abs(by_band.transform(A)), np.abs(by_eigenvectors.transform(A)), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("rows", "penalty", "lam"), [(900, (8, 8), "gcv"), (50, "ridge", 3.0), (50, "smooth", "gcv")])
def test_its_regressor_is_that_of_fda(rows, penalty, lam):
    """As FDA has one: the regression of contrasts of the classes, here read off the moments."""
    X, y = load_digits(return_X_y=True)
    X, y = 10 * X[:rows] + 3, y[:rows]
    pda = PDA(penalty=penalty, lam=lam).fit(X, y)
    fda = FDA(regressor=PenalizedRegression(penalty, lam=pda.lam_)).fit(X, y)
    np.testing.assert_allclose(pda.regressor_.predict(X), fda.regressor_.predict(X), atol=1e-11)
    np.testing.assert_allclose(pda.regressor_.coef_, fda.regressor_.coef_, atol=1e-11)
    np.testing.assert_allclose(
        [pda.regressor_.gcv_, pda.regressor_.df_], [fda.regressor_.gcv_, fda.regressor_.df_], rtol=1e-10
    )


@pytest.mark.parametrize("penalty", ["ridge", "smooth"])
def test_directions_of_few_rows_are_tested(penalty):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 3
    X = rng.standard_normal((30, 50)) + 2.0 * (y == 1)[:, None] * (np.arange(50) < 10)
    test = PDA(penalty=penalty).fit(X, y).test_dimension(X, y, n_draws=99)
    assert test.p_values[0] <= 0.05


def test_a_fit_without_residuals_has_the_gcv_of_its_limit():
    """Both sides of the ratio vanish: a residual sum by subtraction was rounding, and the path hung on row order."""
    X = np.cumsum(np.random.default_rng(2).normal(size=(24, 60)), axis=1)
    y, other = np.arange(24) % 2, np.random.default_rng(0).permutation(24)
    path = PDA(penalty="smooth").fit(X, y).gcv_path_
    np.testing.assert_allclose(PDA(penalty="smooth").fit(X[other], y[other]).gcv_path_, path, rtol=1e-9)
