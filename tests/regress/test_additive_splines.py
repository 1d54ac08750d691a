"""BRUTO: its defining equations, its laws, and R's mda::bruto."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import make_smoothing_spline
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import SplineTransformer

from eigenlens.regress import AdditiveSplines, PenalizedRegression
from eigenlens.regress.penalties import spline_penalty

REFERENCE = Path(__file__).parents[1] / "reference"
R = json.loads((REFERENCE / "bruto_airquality.json").read_text())
R_WORD = {"excluded": "out", "linear": "linear", "smooth": "smooth"}


@pytest.fixture(scope="module")
def airquality():
    table = np.loadtxt(REFERENCE / "airquality.csv", delimiter=",", skiprows=1)
    return table[:, 1:], table[:, 0]


@pytest.fixture(scope="module")
def additive():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(300, 4))
    X[:, 3] = np.round(X[:, 3])
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.4 * (X[:, 3] == 1) + 0.2 * rng.normal(size=300)
    return X, y


# -- the defining equations ----------------------------------------------------------------------------------


def test_each_part_smooths_its_partial_residuals(additive):
    X, y = np.round(additive[0], 1), additive[1]  # few enough values for exact smoothing splines
    w = np.random.default_rng(2).uniform(0.5, 1.5, size=300)
    model = AdditiveSplines(tol=1e-13, max_iter=2000).fit(X, y, sample_weight=w)
    parts = model.partial(X)
    residual = y - model.predict(X)
    assert {"smooth", "linear"} <= set(model.kind_)
    for j in np.flatnonzero(model.kind_ != "out"):
        target = residual + parts[:, j]
        if model.kind_[j] == "linear":
            expected = np.polynomial.Polynomial.fit(X[:, j], target, 1, w=np.sqrt(w))(X[:, j])
        else:
            u, inverse = np.unique(X[:, j], return_inverse=True)
            total = np.bincount(inverse, w)
            mean = np.bincount(inverse, w * target) / total
            lam = model.lam_[j] * np.ptp(u) ** 3
            expected = make_smoothing_spline(u, mean, total, lam=lam)(X[:, j])
        assert_allclose(parts[:, j], expected, atol=1e-8)


def test_gcv_is_its_formula_and_parts_are_centred(additive):
    X, y = additive
    model = AdditiveSplines(cost=1.5).fit(X, y)
    rss = np.sum((y - model.predict(X)) ** 2)
    assert model.rss_ == pytest.approx(rss, rel=1e-10)
    assert model.gcv_ == pytest.approx(rss / 300 / (1 - 1.5 * model.df_.sum() / 300) ** 2, rel=1e-10)
    assert_allclose(model.partial(X).mean(axis=0), 0, atol=1e-12)
    assert_allclose(model.partial(X).sum(axis=1) + model.intercept_, model.predict(X), rtol=1e-12)


def test_no_feature_would_choose_otherwise(additive):
    """At the fixed point no other kind or smoothness of one feature has a lower GCV, the others held."""
    X, y = additive
    model = AdditiveSplines(tol=1e-12, max_iter=500).fit(X, y)
    for j in range(4):
        for other in (0.0, 1.0, model.df_[j] + 0.3, model.df_[j] - 0.3):
            if other not in (0.0, 1.0) and other <= 1.05:
                continue
            target = y - model.predict(X) + model.partial(X)[:, j]
            if other == 0:
                fit = np.zeros(300)
            elif other == 1:
                fit = np.polynomial.Polynomial.fit(X[:, j], target, 1)(X[:, j])
            else:
                if np.unique(X[:, j]).size < 6:
                    continue
                from eigenlens.regress.smoothing_spline import SplineSmoother

                s = SplineSmoother(X[:, j], np.ones(300))
                fit = s.fit_values(s.lam_for_df(other), *s.coordinates(target[:, None]))[:, 0]
            df = model.df_.sum() - model.df_[j] + other
            score = np.mean((target - fit) ** 2) / (1 - 2 * df / 300) ** 2
            assert score >= model.gcv_ * (1 - 1e-7)


# -- laws ----------------------------------------------------------------------------------------------------


def test_integer_weights_are_repeated_rows(additive):
    X, y = additive
    w = np.random.default_rng(3).integers(0, 4, size=300)
    again = np.random.default_rng(4).permutation(np.repeat(np.arange(300), w))
    weighted = AdditiveSplines().fit(X, y, sample_weight=w)
    repeated = AdditiveSplines().fit(X[again], y[again])
    assert_array_equal(weighted.kind_, repeated.kind_)
    assert_allclose(weighted.df_, repeated.df_, atol=1e-6)
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-8)


def test_units_of_a_feature_do_not_matter(additive):
    X, y = additive
    scale, shift = np.array([1e-9, 1e6, 3.0, -7.0]), np.array([0, 5e6, -2, 1])
    plain = AdditiveSplines().fit(X, y)
    other = AdditiveSplines().fit(X * scale + shift, y)
    assert_array_equal(plain.kind_, other.kind_)
    assert_allclose(plain.predict(X), other.predict(X * scale + shift), atol=1e-7)


def test_responses_share_smoothness_and_rotate_with_it(additive):
    X, y = additive
    Y = np.column_stack([y, np.cos(X[:, 2]) + 0.1 * y])
    Q = np.array([[0.6, -0.8], [0.8, 0.6]])
    plain, turned = AdditiveSplines().fit(X, Y), AdditiveSplines().fit(X, Y @ Q)
    assert_allclose(plain.predict(X) @ Q, turned.predict(X), atol=1e-7)
    assert plain.partial(X).shape == (300, 4, 2)
    twice = AdditiveSplines().fit(X, np.column_stack([y, y]))
    assert_allclose(twice.predict(X), np.column_stack([AdditiveSplines().fit(X, y).predict(X)] * 2), atol=1e-8)


def test_a_straight_truth_is_least_squares():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(50, 3))
    y = 1.0 + X @ [1.0, -2.0, 0.5]
    model = AdditiveSplines(tol=1e-12, max_iter=500).fit(X, y)
    assert_array_equal(model.kind_, ["linear"] * 3)
    assert_allclose(model.predict(2 * X), 1.0 + 2 * X @ [1.0, -2.0, 0.5], atol=1e-5)


def test_few_distinct_values():
    rng = np.random.default_rng(6)
    X = np.column_stack([np.ones(200), rng.integers(0, 2, 200), rng.integers(0, 3, 200), rng.integers(0, 9, 200)])
    y = 2 * X[:, 1] + (X[:, 2] == 1) + np.sin(X[:, 3]) + 0.1 * rng.normal(size=200)
    model = AdditiveSplines().fit(X, y)
    assert_array_equal(model.kind_, ["out", "linear", "smooth", "smooth"])
    assert model.df_[2] <= 2 + 1e-9
    assert model.df_[3] <= 8 + 1e-9
    assert model.score(X, y) > 0.95


def test_a_constant_response_and_too_many_features_leave_nothing_in():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(20, 3))
    assert_array_equal(AdditiveSplines().fit(X, np.ones(20)).kind_, ["out"] * 3)
    wide = AdditiveSplines().fit(rng.normal(size=(12, 40)), rng.normal(size=12))
    assert np.isfinite(wide.gcv_)
    assert 2 * wide.df_.sum() < 12


def test_max_df_per_feature(additive):
    X, y = additive
    free = AdditiveSplines().fit(X, y)
    assert free.df_[0] > 3
    model = AdditiveSplines(max_df=[3, 1, 0, 1]).fit(X, y)
    assert model.df_[0] == pytest.approx(3, abs=1e-3)
    assert model.kind_[2] == "out"
    assert model.kind_[3] in ("out", "linear")


def test_same_answer_every_time_and_a_failed_fit_changes_nothing(additive):
    X, y = additive
    model = AdditiveSplines().fit(X, y)
    assert_array_equal(model.predict(X), AdditiveSplines().fit(X, y).predict(X))
    before = model.predict(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((300, 7), np.nan), y)
    assert_array_equal(model.predict(X), before)
    assert model.n_features_in_ == 4
    assert_array_equal(clone(model).fit(X, y).predict(X), before)


def test_smoothness_that_is_given(additive):
    X, y = np.round(additive[0], 1), additive[1]
    model = AdditiveSplines(df=[5, 1, 0, 2.5], tol=1e-13, max_iter=2000).fit(X, y)
    assert_array_equal(model.kind_, ["smooth", "linear", "out", "smooth"])
    assert_allclose(model.df_, [5, 1, 0, 2.5], rtol=1e-9)
    again = AdditiveSplines(lam=model.lam_, tol=1e-13, max_iter=2000).fit(X, y)
    assert_array_equal(again.kind_, model.kind_)
    assert_allclose(again.predict(X), model.predict(X), atol=1e-10)
    A = np.column_stack([X, np.ones(300)])
    assert_allclose(AdditiveSplines(df=1).fit(X, y).predict(X), A @ np.linalg.lstsq(A, y, rcond=None)[0], atol=1e-10)
    assert_allclose(AdditiveSplines(df=0).fit(X, y).predict(X), y.mean(), rtol=1e-12)
    few = AdditiveSplines(df=1000).fit(X, y)  # as near as the values allow, whatever GCV says
    assert (few.df_ > 3).all()
    assert few.df_[3] < 4
    flat = AdditiveSplines(lam=0.1).fit(np.column_stack([X[:, 0], np.ones(300), X[:, 0] > 0]), y)
    assert_array_equal(flat.kind_, ["smooth", "out", "linear"])


def test_given_smoothness_is_a_penalised_fit_of_b_splines(additive):
    """min Σ(y − Hβ)² + βᵀΩβ, Ω = diag(λⱼΩⱼ), H cubic B-splines with a knot at each value."""
    X, y = np.round(additive[0][:, :2], 1), additive[1]
    lam = [1e-3, 0.05]
    model = AdditiveSplines(lam=lam, tol=1e-14, max_iter=2000).fit(X, y)
    knots = np.column_stack([np.unique(X[:, 0]), np.unique(X[:, 1])])
    splines = SplineTransformer(knots=knots, include_bias=False, extrapolation="linear").fit(X)
    H, omega = splines.transform(X), spline_penalty(splines, lam)
    direct = PenalizedRegression(omega, lam=1.0).fit(H, y)
    assert_allclose(direct.predict(H), model.predict(X), atol=1e-7)
    assert direct.df_ <= model.df_.sum() + 1e-9
    omega_whole = spline_penalty(SplineTransformer(knots=knots).fit(X), lam)
    assert omega_whole.shape == (2 * 43, 2 * 43)
    assert_allclose(omega_whole @ np.ones(86), 0, atol=1e-8)  # a constant has no curvature
    other = SplineTransformer(knots=1000 * knots, include_bias=False).fit(1000 * X)
    assert_allclose(spline_penalty(other, lam), omega, atol=1e-12 * omega.max())


@pytest.mark.parametrize("kind", ["periodic", "constant"])
def test_spline_penalty_is_the_integral_of_squared_curvature(kind):
    x = np.linspace(0, 3, 3001)
    splines = SplineTransformer(7, extrapolation=kind).fit(x[:, None])
    beta = np.random.default_rng(0).standard_normal(splines.n_features_out_)
    f = splines.transform(x[:, None]) @ beta
    bend = np.diff(f, 2) / (x[1] - x[0]) ** 2
    assert beta @ spline_penalty(splines, 2.0) @ beta == pytest.approx(2 * 27 * np.sum(bend**2) * 1e-3, rel=2e-3)


@pytest.mark.parametrize(
    ("splines", "lam", "match"),
    [
        (SplineTransformer(), 1.0, "must be a fitted SplineTransformer of degree 3"),
        (SplineTransformer(degree=2).fit(np.eye(5)), 1.0, "of degree 3"),
        ("bspline", 1.0, "splines='bspline'"),
        (SplineTransformer().fit(np.eye(5)), [1.0, 2.0], r"one per column \(5\)"),
        (SplineTransformer().fit(np.eye(5)), -1.0, "lam=-1.0 but"),
        (SplineTransformer().fit(np.eye(5)), np.inf, "one finite number"),
    ],
)
def test_splines_without_a_penalty(splines, lam, match):
    with pytest.raises(ValueError, match=match):
        spline_penalty(splines, lam)


@pytest.mark.parametrize(
    ("change", "error", "word"),
    [
        ({"cost": -1}, ValueError, "cost=-1"),
        ({"cost": "two"}, TypeError, "cost='two'"),
        ({"max_iter": 0}, ValueError, "max_iter=0"),
        ({"max_iter": 2.5}, TypeError, "max_iter=2.5"),
        ({"tol": -1e-3}, ValueError, "tol=-0.001"),
        ({"max_df": [1, 2]}, ValueError, r"one per feature \(4\)"),
        ({"max_df": -2}, ValueError, "max_df=-2"),
        ({"df": 0.5}, ValueError, r"df=0.5 but df must be one number or one per feature \(4\): 0, 1 or more"),
        ({"df": [1, 2]}, ValueError, r"one per feature \(4\)"),
        ({"df": np.inf}, ValueError, "df=inf"),
        ({"df": "few"}, ValueError, "df='few'"),
        ({"lam": [1, -1, 1, 1]}, ValueError, "lam=.* at least 0, infinite for a line"),
        ({"lam": 1.0, "df": 2}, ValueError, "pass one of them"),
        ({"max_df": 1, "df": 2}, ValueError, "pass one of them"),
    ],
)
def test_bad_parameters_are_named(additive, change, error, word):
    with pytest.raises(error, match=word):
        AdditiveSplines(**change).fit(*additive)


def test_warnings_carry_their_numbers(additive):
    X, y = additive
    with pytest.warns(ConvergenceWarning, match="max_iter=2 .* raise max_iter"):
        AdditiveSplines(tol=0.0, max_iter=2).fit(X, y)
    with pytest.warns(UserWarning, match="sums to 2 over 300 rows"):
        AdditiveSplines().fit(X, y, sample_weight=np.full(300, 2 / 300))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        AdditiveSplines().fit(X, y)


def test_plot_has_a_panel_per_feature(additive):
    import matplotlib

    matplotlib.use("Agg")
    X, y = additive
    model = AdditiveSplines().fit(X, y)
    shown = model.plot(X, y, features=[0, "x2"]).axes_
    assert [ax.get_xlabel() for ax in shown] == ["x0", "x2"]
    assert f"df {model.df_[0]:.3g}" in shown[0].get_title("left")
    assert [len(ax.lines) for ax in shown] == [2, 2]
    assert len(model.plot().axes_) == np.sum(model.kind_ != "out")
    with pytest.raises(ValueError, match="'nothing'"):
        model.plot(features=["nothing"])


# -- reference figures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "parameters"),
    [
        ("cost2_default", {}),
        ("cost1", {"cost": 1}),
        ("dfmax4", {"max_df": 3}),
        ("thresh_1e_8", {"tol": 1e-8, "max_iter": 200}),
    ],
)
def test_airquality_as_in_r(airquality, case, parameters):
    X, y = airquality
    expected = R[case]
    model = AdditiveSplines(**parameters).fit(X, y)
    assert_array_equal(model.kind_, [R_WORD[t] for t in expected["type"]])
    assert_allclose(model.df_, expected["df"], atol=0.05)
    fitted = np.array(expected["fitted"])
    assert np.linalg.norm(model.predict(X) - fitted) <= 1e-3 * np.linalg.norm(fitted)
    assert np.max(np.abs(model.predict(X) - fitted)) <= 1e-2 * np.std(y)
    new = np.array([[100, 8, 70], [250, 12, 85], [200, 3, 95]])
    assert_allclose(model.predict(new), expected["predict_at"], rtol=1e-2)


def test_airquality_two_responses_as_in_r(airquality):
    X, y = airquality
    expected = R["two_responses"]
    model = AdditiveSplines().fit(X, np.column_stack([np.cbrt(y), y]))
    assert_array_equal(model.kind_, [R_WORD[t] for t in expected["type"]])
    assert_allclose(model.df_, expected["df"], atol=0.05)
    assert_allclose(model.predict(X)[:20], expected["fitted_first"], rtol=1e-2)


def test_iris_scores_as_in_r():
    expected = json.loads((REFERENCE / "bruto_iris.json").read_text())
    X, labels = (a[::2] for a in load_iris(return_X_y=True))
    scores = np.array(expected["optimal_scores_K_by_dim"])[labels]
    with pytest.warns(ConvergenceWarning):
        model = AdditiveSplines().fit(X, scores)
    assert_array_equal(model.kind_, [R_WORD[t] for t in expected["type"]])
    assert_allclose(model.df_, expected["df"], atol=0.05)
    M = scores.T @ model.predict(X) / 75
    values = np.linalg.eigvalsh((M + M.T) / 2)[::-1]
    assert_allclose(values, expected["values_squared_canonical_correlations"], atol=1e-3)
