"""Penalised regression: normal equations, scikit-learn, refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import svd
from sklearn.linear_model import LinearRegression, Ridge

from eigenlens.exceptions import ConditionWarning
from eigenlens.regress import PenalizedRegression
from eigenlens.regress.penalties import penalty_matrix, penalty_root
from eigenlens.solve.few_rows import dual_basis

PENALTIES = ["ridge", "smooth", "cyclic", (2, 3)]


def problem(seed=0, n=50, p=6, q=2, offset=0.0):
    rng = np.random.default_rng(seed)
    X = offset + rng.normal(size=(n, p))
    return X, X @ rng.normal(size=(p, q)) + rng.normal(size=(n, q)), rng.integers(1, 4, size=n).astype(float)


def normal_equations(X, Y, w, omega, lam):
    Xc = X - np.average(X, axis=0, weights=w)
    G = Xc.T @ (w[:, None] * Xc)
    B = np.linalg.solve(G + lam * omega, Xc.T @ (w[:, None] * Y))
    return B, np.trace(np.linalg.solve(G + lam * omega, G))


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("lam", [0.0, 0.1, 10.0, 1e5])
def test_solves_the_normal_equations(penalty, lam):
    X, Y, w = problem()
    model = PenalizedRegression(penalty, lam=lam).fit(X, Y, sample_weight=w)
    B, df = normal_equations(X, Y, w, penalty_matrix(penalty, 6), lam)
    assert_allclose(model.coef_, B.T, atol=1e-11)
    assert_allclose(model.df_, df, rtol=1e-10)
    assert_allclose(model.predict(X), model.intercept_ + X @ model.coef_.T, atol=1e-10)
    # the intercept is free: weighted residuals add to nothing
    assert_allclose(w @ (Y - model.predict(X)), 0, atol=1e-10)


def test_ridge_is_scikit_learns():
    for n, p in ((50, 6), (20, 40)):
        X, Y, w = problem(n=n, p=p, offset=100.0)
        ours = PenalizedRegression(lam=3.0).fit(X, Y, sample_weight=w)
        theirs = Ridge(alpha=3.0).fit(X, Y, sample_weight=w)
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-11)
        assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)


def test_a_ridge_of_few_rows_is_as_large_as_the_rows(monkeypatch):
    """All of its coefficients lie in the span of the rows; 560 × 500 was decomposed for 60 rows of 500 columns."""
    X, Y, w = problem(n=20, p=300)
    X = X * np.logspace(-3, 3, 300)
    sizes = []

    def counted(Z, **options):
        sizes.append(np.size(Z))
        return svd(Z, **options)

    monkeypatch.setattr("eigenlens.solve.linear_smoother.svd", counted)
    for lam in (1e-3, 3.0, 1e4):
        ours = PenalizedRegression(lam=lam).fit(X, Y, sample_weight=w)
        theirs = Ridge(alpha=lam, solver="svd").fit(X, Y, sample_weight=w)
        assert_allclose(ours.coef_ * X.std(axis=0), theirs.coef_ * X.std(axis=0), atol=1e-11)
        values = np.linalg.svd(np.sqrt(w)[:, None] * (X - np.average(X, axis=0, weights=w)), compute_uv=False) ** 2
        assert_allclose(ours.df_, (values / (values + lam)).sum(), rtol=1e-10)
    assert max(sizes) <= 2 * 20 * 20


def test_fewer_rows_than_features_with_a_singular_penalty():
    X, Y, w = problem(n=20, p=50)
    model = PenalizedRegression("smooth", lam=2.0).fit(X, Y, sample_weight=w)
    B, df = normal_equations(X, Y, w, penalty_matrix("smooth", 50), 2.0)
    assert_allclose(model.coef_, B.T, atol=1e-11)
    assert_allclose(model.df_, df, rtol=1e-9)


def test_no_penalty_is_least_squares_in_any_units():
    X, Y, w = problem()
    Z = X * 10.0 ** np.array([0, 8, -8, 3, 100, -100])
    model = PenalizedRegression(lam=0.0).fit(Z, Y, sample_weight=w)
    assert_allclose(model.predict(Z), LinearRegression().fit(X, Y, sample_weight=w).predict(X), atol=1e-10)
    assert model.df_ == pytest.approx(6)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_degrees_of_freedom_are_met(penalty):
    X, Y, w = problem()
    for df in (2.5, 4.0, 5.99):
        assert_allclose(PenalizedRegression(penalty, df=df).fit(X, Y, sample_weight=w).df_, df, rtol=1e-9)
    assert PenalizedRegression(penalty, df=6).fit(X, Y).lam_ == 0


def test_gcv_is_the_least_on_the_path():
    X, Y, w = problem(n=40, p=10)
    for cost in (1.0, 2.0):
        model = PenalizedRegression("ridge", cost=cost).fit(X, Y, sample_weight=w)
        W = w.sum()
        E = Y - model.predict(X)
        assert_allclose(model.gcv_, np.sum(w @ E**2) / W / (1 - (1 + cost * model.df_) / W) ** 2, rtol=1e-10)
        lam, df, score = model.gcv_path_.T
        assert np.all(np.diff(lam) > 0)
        assert np.all(np.diff(df) < 0)
        assert model.gcv_ <= score.min() * (1 + 1e-12)


def test_smooth_penalty_leaves_straight_lines_alone():
    X, _, w = problem(p=6)
    line = np.linspace(1, 2, 6)
    model = PenalizedRegression("smooth", lam=1e8).fit(X, X @ line, sample_weight=w)
    assert_allclose(model.coef_, line, atol=1e-6)
    assert_allclose(model.df_, 2, atol=1e-5)


def test_penalties_are_what_they_say():
    b = np.random.default_rng(0).normal(size=12)
    assert_allclose(b @ penalty_matrix("ridge", 12) @ b, b @ b)
    assert_allclose(b @ penalty_matrix("smooth", 12) @ b, np.sum(np.diff(b, n=2) ** 2))
    around = np.concatenate([b[-1:], b, b[:1]])
    assert_allclose(b @ penalty_matrix("cyclic", 12) @ b, np.sum(np.diff(around, n=2) ** 2))
    image = b.reshape(3, 4)
    neighbours = np.sum(np.diff(image, axis=0) ** 2) + np.sum(np.diff(image, axis=1) ** 2)
    assert_allclose(b @ penalty_matrix((3, 4), 12) @ b, neighbours)
    omega = penalty_matrix("smooth", 12)
    root = penalty_root(omega, 12)
    assert root.shape == (10, 12)
    assert_allclose(root.T @ root, omega, atol=1e-12)


def test_own_matrix_is_the_named_one():
    X, Y, w = problem()
    a = PenalizedRegression("smooth", lam=5.0).fit(X, Y, sample_weight=w)
    b = PenalizedRegression(penalty_matrix("smooth", 6), lam=5.0).fit(X, Y, sample_weight=w)
    assert_allclose(a.coef_, b.coef_, atol=1e-10)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"lam": -1.0}, "lam=-1"),
        ({"lam": "best"}, "lam='best'"),
        ({"lam": 1.0, "df": 2.0}, r"lam=1.0 and df=2.0 are both given, .*\.$"),
        ({"df": 7.0}, "at most"),
        ({"penalty": "smooth", "df": 1.0}, "stay free"),
        ({"penalty": "rough"}, "penalty='rough'"),
        ({"penalty": (2, 2)}, "4 pixels"),
        ({"penalty": np.eye(3)}, "6×6"),
        ({"penalty": -np.eye(6)}, "eigenvalue -1"),
        ({"penalty": np.triu(np.ones((6, 6)))}, "symmetric"),
        ({"cost": -1.0}, "cost=-1"),
    ],
)
def test_bad_parameters_are_named(given, words):
    X, Y, _ = problem()
    with pytest.raises(ValueError, match=words):
        PenalizedRegression(**given).fit(X, Y)


def test_bspline_penalty_is_the_curvature_of_the_spline():
    from scipy.integrate import quad
    from scipy.interpolate import BSpline

    beta = np.random.default_rng(0).standard_normal(9)
    second = BSpline(np.arange(13.0), beta, 3).derivative(2)
    expected = sum(quad(lambda t: float(second(t)) ** 2, a, a + 1)[0] for a in range(3, 9))
    assert beta @ penalty_matrix("bspline", 9) @ beta == pytest.approx(expected, rel=1e-10)
    with pytest.raises(ValueError, match="at least 4 columns"):
        penalty_matrix("bspline", 3)


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e6, 1e12])
def test_a_basis_of_dependent_rows_is_orthonormal_and_spans_them(condition):
    rng = np.random.default_rng(0)
    rows = np.geomspace(1.0, condition, 30)[:, None] * rng.normal(size=(30, 200))
    rows = np.vstack([rows, rows.sum(axis=0)])
    basis, root, seen = dual_basis(rows, None)
    assert np.allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=1e-13)
    assert np.allclose(rows @ basis @ basis.T, rows, rtol=0, atol=1e-13 * np.abs(rows).max())
    assert np.array_equal(root, np.eye(basis.shape[1]))
    size = np.linalg.norm(rows, axis=1)[:, None]
    assert np.allclose(seen / size, rows @ basis / size, rtol=0, atol=1e-13)


@pytest.mark.parametrize("lam", ["gcv", 0.0])
@pytest.mark.parametrize("size", [1e12, 1e14, 1e20])
def test_a_row_far_beyond_the_others_is_told(lam, size):
    """Its mean takes the digits of the others: predictions hung on the order of rows without a word."""
    X, Y, _ = problem(n=80, p=3)
    X[5] *= size
    with pytest.warns(ConditionWarning, match="Row 5 of column .* far from the others"):
        PenalizedRegression(lam=lam).fit(X, Y)


@pytest.mark.filterwarnings("error")
def test_words_in_one_row_and_far_offsets_are_no_far_rows():
    X, Y, _ = problem(n=80, p=3, offset=1e12)
    X[:, 1] = 0.0
    X[7, 1] = 1.0
    PenalizedRegression().fit(X, Y)
    PenalizedRegression().fit(X[:2], Y[:2])
