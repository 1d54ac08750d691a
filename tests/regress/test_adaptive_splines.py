"""Adaptive splines: laws, R's earth and mda::mars, Friedman's example, refusals."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_friedman1
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from eigenlens.regress import AdaptiveSplines, adaptive_splines
from eigenlens.regress.hinges import pruning
from eigenlens.regress.hinges.pruning import Subset, cost
from eigenlens.regress.hinges.terms import Factor, Term, evaluate
from eigenlens.solve.linear_smoother import gcv

REFERENCE = Path(__file__).parents[1] / "reference"
R = json.loads((REFERENCE / "mars.json").read_text())
CASES = [(d, k) for d in ("mars_trees", "mars_airquality") for k in R[d] if k != "response"]


def table(name):
    frame = pd.read_csv(REFERENCE / f"{name.removeprefix('mars_')}.csv")
    return frame, frame.pop(R[name]["response"])


def used(model):
    return {j for term in model.basis_ for j in term.features}


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(300, 7, noise=1.0, random_state=3)


# R


@pytest.mark.parametrize(("data", "case"), CASES)
def test_terms_and_criterion_are_those_of_r(data, case):
    X, y = table(data)
    r = R[data][case]
    names = list(X.columns)
    terms = [
        Term(
            tuple(  # R's sign 2 is the feature itself
                Factor(names.index(v), *((0.0, 0) if s == 2 else (t, s)), v)
                for v, s, t in zip(a["variables"], a["sign"], a["knots"], strict=True)
            )
        )
        for a in r["terms"]
    ]
    B, y = evaluate(terms, X.to_numpy(dtype=float)), np.asarray(y, dtype=float)
    coef, rss = least_squares(B, y)
    assert_allclose(coef, r["coefficients"], rtol=1e-8)
    assert_allclose((B @ coef)[: len(r["fitted_first"])], r["fitted_first"], rtol=1e-8)
    penalty = r.get("penalty", 3.0 if "degree2" in case else 2.0)
    assert_allclose([gcv(rss, cost(len(terms), penalty), len(y)), rss], [r["gcv"], r["rss"]], rtol=1e-8)


def least_squares(B, y, w=1.0):
    """Return the coefficients of the columns of B, brought to one size, and the residual sum of squares."""
    size, root = np.linalg.norm(B, axis=0), np.sqrt(w * np.ones(len(B)))
    coef = np.linalg.lstsq(root[:, None] * B / size, root * y, rcond=None)[0] / size
    return coef, float(((root * (y - B @ coef)) ** 2).sum())


@pytest.mark.parametrize(("data", "case"), CASES)
def test_search_is_as_good_as_r(data, case):
    X, y = table(data)
    options = {"degree": 2 if "degree2" in case else 1}
    if "plain" in case:
        options |= {"min_span": 1, "end_span": 1, "fast_k": None, "allow_linear": False, "max_terms": 21}
    if "noprune" in case:
        options["prune"] = None
    model = AdaptiveSplines(**options).fit(X, y)
    assert model.gcv_ <= R[data][case]["gcv"] * (1.05 if len(X) > 100 else 1.25)


@pytest.mark.parametrize("seed", range(5))
def test_friedman_example(seed):
    X, y = make_friedman1(500, 10, noise=1.0, random_state=seed)
    Xt, ft = make_friedman1(2000, 10, noise=0.0, random_state=100 + seed)
    model = AdaptiveSplines(degree=2).fit(X, y)
    assert used(model) == {0, 1, 2, 3, 4}
    assert model.score(Xt, ft) >= 0.98
    assert model.feature_importances_[5:].sum() == 0


# laws


@pytest.mark.parametrize("degree", [1, 2])
def test_integer_weights_are_repeated_rows(friedman, degree):
    X, y = friedman
    w = np.random.default_rng(0).integers(0, 4, size=len(X))
    a = AdaptiveSplines(degree=degree).fit(X, y, sample_weight=w)
    b = AdaptiveSplines(degree=degree).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert [str(t) for t in a.basis_] == [str(t) for t in b.basis_]
    assert_allclose(a.predict(X), b.predict(X), rtol=1e-8)
    assert_allclose([a.gcv_, a.rss_, a.df_], [b.gcv_, b.rss_, b.df_], rtol=1e-9)


@pytest.mark.parametrize("change", [(1e100, 0.0), (1e-100, 0.0), (-3.7, 0.0), (1.0, 1e6), (0.3, -50.0)])
def test_units_of_a_feature_do_not_matter(friedman, change):
    X, y = friedman
    scale, shift = change
    Z = X.copy()
    Z[:, 2] = scale * Z[:, 2] + shift
    a, b = AdaptiveSplines(degree=2).fit(X, y), AdaptiveSplines(degree=2).fit(Z, y)
    assert_allclose(a.predict(X), b.predict(Z), rtol=1e-6)
    assert_allclose(a.gcv_, b.gcv_, rtol=1e-7)


def test_units_of_the_response_scale_the_fit(friedman):
    X, y = friedman
    a = AdaptiveSplines().fit(X, y)
    for scale, shift in ((1e120, 0.0), (1e-120, 0.0), (1.0, 1e6)):
        b = AdaptiveSplines().fit(X, scale * y + shift)
        assert_allclose(b.predict(X), scale * a.predict(X) + shift, rtol=1e-9)


def test_order_of_rows_does_not_matter_and_reruns_are_bitwise(friedman):
    X, y = friedman
    order = np.random.default_rng(1).permutation(len(X))
    a, again, b = (AdaptiveSplines(degree=2).fit(X[i], y[i]) for i in (slice(None), slice(None), order))
    assert_array_equal(a.predict(X), again.predict(X))
    assert_allclose(a.predict(X), b.predict(X), rtol=1e-9)


def test_threads_change_nothing(friedman, monkeypatch):
    X, y = friedman
    alone = AdaptiveSplines(degree=2).fit(X, y)
    asked, pool = [], adaptive_splines.ThreadPoolExecutor
    monkeypatch.setattr(adaptive_splines, "MANY_ROWS", len(X))
    monkeypatch.setattr(adaptive_splines, "thread_count", lambda: 3)
    monkeypatch.setattr(adaptive_splines, "ThreadPoolExecutor", lambda n: asked.append(n) or pool(n))
    assert_array_equal(AdaptiveSplines(degree=2).fit(X, y).predict(X), alone.predict(X))
    assert asked == [3]


def test_rotating_the_responses_rotates_the_fit(friedman):
    """The criterion is the sum of squares over responses, so only their span and metric count."""
    X, y = friedman
    rng = np.random.default_rng(4)
    Y = np.column_stack([y, 3 * X[:, 4] + rng.normal(size=len(X)), rng.normal(size=len(X))])
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    a, b = AdaptiveSplines(degree=2).fit(X, Y), AdaptiveSplines(degree=2).fit(X, Y @ turn)
    assert [str(t) for t in a.basis_] == [str(t) for t in b.basis_]
    assert_allclose(a.predict(X) @ turn, b.predict(X), atol=1e-8)
    assert_allclose(a.gcv_, b.gcv_, rtol=1e-10)


def test_one_response_in_two_shapes(friedman):
    X, y = friedman
    a, b = AdaptiveSplines().fit(X, y), AdaptiveSplines().fit(X, y[:, None])
    assert a.predict(X).shape == (len(X),)
    assert b.predict(X).shape == (len(X), 1)
    assert_array_equal(a.predict(X), b.predict(X)[:, 0])


def test_attributes_agree_with_each_other(friedman):
    X, y = friedman
    model = AdaptiveSplines(degree=2).fit(X, y)
    M, n = len(model.basis_), len(X)
    assert model.coef_.shape == (M, 1)
    assert_allclose(model.basis(X) @ model.coef_[:, 0], model.predict(X), rtol=1e-10)
    assert_allclose(model.basis(X)[:, 0], 1)
    assert_allclose(model.rss_, np.sum((y - model.predict(X)) ** 2), rtol=1e-10)
    assert model.df_ == M + 3 * (M - 1) / 2
    assert_allclose(model.gcv_, model.rss_ / n / (1 - model.df_ / n) ** 2)
    assert_allclose(model.rsq_, model.score(X, y))
    sizes, rss, scores = model.pruning_path_.T
    assert np.all(np.diff(rss) <= 0)
    assert sizes[np.argmin(scores)] == M
    assert_allclose([rss[M - 1], scores[M - 1]], [model.rss_, model.gcv_])
    assert np.all(np.diff(model.forward_path_[:, 1]) < 0)
    assert_allclose(model.forward_path_[-1], [len(model.forward_terms_), rss[-1]])


# parameters


@pytest.mark.parametrize("max_terms", [1, 2, 3, 6, 11])
@pytest.mark.parametrize("allow_linear", [True, False])
def test_max_terms_counts_the_constant(friedman, max_terms, allow_linear):
    X, y = friedman
    model = AdaptiveSplines(max_terms=max_terms, prune=None, allow_linear=allow_linear).fit(X, y)
    assert len(model.basis_) <= max_terms
    if max_terms == 1:
        assert_allclose(model.predict(X), y.mean())


def test_a_pair_takes_two_places_of_max_terms_as_in_r():
    x = np.random.default_rng(0).random((300, 1))
    model = AdaptiveSplines(max_terms=31, tol=0, prune=None, allow_linear=False).fit(x, np.sin(20 * x[:, 0]))
    knots = {f.knot for t in model.basis_ for f in t.factors}
    assert len(knots) == 15  # (31 − 1)/2 pairs
    assert len(model.basis_) == 1 + 2 + 14  # of the later pairs one hinge each: the straight line is there
    assert model.stopped_ == "max_terms=31 reached"


def test_negative_penalty_prunes_nothing(friedman):
    X, y = friedman
    model = AdaptiveSplines(penalty=-1).fit(X, y)
    assert len(model.basis_) == len(model.forward_terms_)
    assert_allclose(model.gcv_, model.rss_ / len(X))


def test_higher_penalty_never_keeps_more(friedman):
    X, y = friedman
    sizes = [len(AdaptiveSplines(penalty=c).fit(X, y).basis_) for c in (0, 2, 6, 30)]
    assert sizes == sorted(sizes, reverse=True)


def test_spans_keep_knots_apart():
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(200))
    y = np.sin(20 * x) + 0.1 * rng.normal(size=200)
    options = {"max_terms": 31, "tol": 0, "prune": None, "allow_linear": False}
    model = AdaptiveSplines(min_span=12, end_span=15, **options).fit(x[:, None], y)
    places = np.searchsorted(x, sorted({f.knot for t in model.basis_ for f in t.factors}))
    assert len(places) > 5
    assert np.diff(places).min() >= 12
    assert places[0] >= 15
    assert places[-1] <= 200 - 16


def test_straight_features_enter_straight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = 2 * X[:, 0] - X[:, 1] + rng.normal(size=200) / 10
    model = AdaptiveSplines().fit(X, y)
    assert {f.sign for t in model.basis_ for f in t.factors} == {0}
    assert used(model) == {0, 1}
    bent = AdaptiveSplines(allow_linear=False).fit(X, y)
    assert 0 not in {f.sign for t in bent.basis_ for f in t.factors}


def test_linear_keeps_a_feature_straight(friedman):
    X, y = friedman
    model = AdaptiveSplines(degree=2, linear=[2, 3]).fit(X, y)
    assert all(f.sign == 0 for t in model.basis_ for f in t.factors if f.feature in (2, 3))
    assert any(f.sign != 0 for t in model.basis_ for f in t.factors)


def test_interactions_allowed_and_forbidden(friedman):
    X, y = friedman
    frame = pd.DataFrame(X, columns=list("abcdefg"))
    free = AdaptiveSplines(degree=2).fit(frame, y)
    assert any(t.features == {0, 1} for t in free.basis_)
    apart = AdaptiveSplines(degree=2, forbidden=[("a", "b")]).fit(frame, y)
    assert not any(t.features == {0, 1} for t in apart.basis_)
    some = AdaptiveSplines(degree=2, interactions=["c", 3]).fit(frame, y)
    assert all(t.features <= {2, 3} for t in some.basis_ if t.degree == 2)
    none = AdaptiveSplines(degree=2, interactions=[], penalty=2).fit(frame, y)
    assert all(t.degree < 2 for t in none.basis_)


def test_fast_k_loses_little(friedman):
    X, y = friedman
    all_, few = (AdaptiveSplines(degree=2, fast_k=k).fit(X, y) for k in (None, 3))
    assert few.gcv_ <= 1.1 * all_.gcv_


def test_pruning_by_cross_validation(friedman):
    X, y = friedman
    model = AdaptiveSplines(degree=2, prune="cv", cv=5).fit(X, y)
    assert {0, 1, 2, 3, 4} <= used(model)
    assert 1 < len(model.basis_) <= len(model.forward_terms_)


def test_importances(friedman):
    X, y = friedman
    model = AdaptiveSplines(degree=2).fit(X, y)
    found = model.feature_importances_
    assert_allclose(found.sum(), 1)
    assert set(np.flatnonzero(found)) == used(model)
    assert np.argmax(found) == 3


def test_importance_is_that_of_evimp():
    """What earth's evimp makes of its own subsets for trees (nk = 21, no spans, all parents, thresh = 0.001)."""
    girth, height = Factor(0, 0.0, 1), Factor(1, 0.0, 1)
    features = "GGHHGGGHHGGG"  # of terms 2 to 13
    terms = [Term(), *(Term((girth if f == "G" else height,)) for f in features)]
    kept = [[], [3], [2, 3], [2, 3, 5], [2, 3, 5, 6], [2, 3, 5, 7, 11], [2, 3, 5, 6, 7, 11]]
    rss = np.array([8106.08387, 1684.05885, 302.45045, 227.45380, 183.66030, 141.29838, 110.42465])
    path = [Subset([0, *(k - 1 for k in ks)], rss[i : i + 1], np.zeros((1, 1))) for i, ks in enumerate(kept)]
    gcvs = np.array([gcv(r, cost(k + 1, 2), 31) for k, r in enumerate(rss)])
    found = [pruning.credits(path, score, terms, 7, 2) for score in (-np.arange(7.0), gcvs, rss)]
    assert found[0].tolist() == [6, 4]
    assert_allclose(pruning.scaled(found[1], root=True), [100, 11.0907443837], rtol=1e-7)
    assert_allclose(pruning.scaled(found[2], root=True), [100, 15.4971792824], rtol=1e-7)
    assert_allclose(pruning.scaled(found[1], root=False)[1], 1.23004610984, rtol=1e-7)
    assert_allclose(pruning.scaled(found[2], root=False)[1], 2.40162565711, rtol=1e-7)


def test_evimp_counts_subsets():
    X, y = table("mars_airquality")
    model = AdaptiveSplines(degree=2).fit(X, y)
    frame = model.evimp().to_frame()
    assert frame.index[0] == "Temp"
    assert frame["subsets"].max() == len(model.basis_) - 1
    assert frame["GCV"].max() == frame["RSS"].max() == 100
    assert_allclose((model.evimp().values[:, 1] / 10) ** 2, model.evimp(root=False).values[:, 1])


@pytest.mark.parametrize("weighted", [False, True])
def test_anova_is_that_of_refits(weighted):
    X, y = table("mars_airquality")
    w = np.arange(len(X)) % 3 + 1.0 if weighted else np.ones(len(X))
    model = AdaptiveSplines(degree=2).fit(X, y, w)
    B, W = np.asarray(model.basis(X)), w.sum()
    frame = model.anova().to_frame()
    assert frame["terms"].sum() == len(model.basis_) - 1
    for features, ks in pruning.groups(model.basis_).items():
        line = frame.loc[", ".join(model._feature_names()[j] for j in features)]
        others = [k for k in range(B.shape[1]) if k not in ks]
        _, rss = least_squares(B[:, others], np.asarray(y, dtype=float), w)
        part = B[:, ks] @ model.coef_[ks, 0]
        spread = np.sqrt(w @ (part - w @ part / W) ** 2 / (W - 1))
        assert_allclose(line["GCV without"], gcv(rss, cost(len(others), 3.0), W), rtol=1e-8)
        assert_allclose(line["standard deviation"], spread, rtol=1e-8)


def test_says_what_parameters_of_earth_are_called():
    with pytest.raises(TypeError, match=r"FDA\(regressor=AdaptiveSplines\(\)\)"):
        AdaptiveSplines(glm={"family": "binomial"})
    with pytest.raises(TypeError, match="max_terms="):
        AdaptiveSplines(nk=5)
    with pytest.raises(TypeError, match=r"no parameter importance: .* evimp"):
        AdaptiveSplines(importance="rss")
    X, y = table("mars_airquality")
    with pytest.raises(TypeError, match=r"FDA\(regressor=AdaptiveSplines\(\)\)"):
        AdaptiveSplines().fit(X, np.where(np.asarray(y) > 40, "high", "low"))


def test_prediction_intervals_cover():
    rng = np.random.default_rng(0)
    X, Xt = rng.random((400, 3)), rng.random((4000, 3))
    f = lambda X: 10 * np.abs(X[:, 0] - 0.5) + 3 * X[:, 1]  # noqa: E731
    model = AdaptiveSplines().fit(X, f(X) + rng.normal(size=400))
    low, high = model.predict_interval(Xt, level=0.9)
    yt = f(Xt) + rng.normal(size=4000)
    assert 0.87 < np.mean((low < yt) & (yt < high)) < 0.93
    assert_allclose((low + high) / 2, model.predict(Xt))


def test_interval_of_straight_line_is_the_textbook_one():
    x = np.arange(10.0)
    y = 2 * x + np.array([0.3, -0.2, 0.1, 0.4, -0.5, 0.2, -0.1, -0.3, 0.2, 0.1])
    model = AdaptiveSplines(penalty=0, linear=[0]).fit(x[:, None], y)
    low, high = model.predict_interval([[4.5]], level=0.95)
    s = np.sqrt(model.rss_ / 8)
    assert_allclose((high - low)[0] / 2, 2.306004135204166 * s * np.sqrt(1 + 1 / 10), rtol=1e-10)


# shown


def test_summary_names_terms_and_figures():
    X, y = table("mars_airquality")
    model = AdaptiveSplines(degree=2).fit(X, y)
    text = str(model.summary())
    for term in model.basis_:
        assert str(term) in text
    assert f"{model.gcv_:.6g}" in text
    assert "Temp" in text
    two = AdaptiveSplines().fit(X, np.column_stack([y, y]))
    assert "response 1" in str(two.summary())


def test_plot_draws_a_panel_per_group():
    import matplotlib

    matplotlib.use("Agg")
    X, y = table("mars_airquality")
    model = AdaptiveSplines(degree=2).fit(X, y)
    axes = model.plot().axes_
    assert len(axes) == len({t.features for t in model.basis_ if t.factors})
    labels = {ax.get_xlabel() for ax in axes}
    assert labels <= {"Solar.R", "Wind", "Temp"}
    with pytest.raises(ValueError, match="axes holds 1 axes but this picture draws on"):
        model.plot(axes=axes[:1])
    matplotlib.pyplot.close("all")


# shapes of data


def test_categories_by_one_hot():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(list("uvw"), 300), "x": rng.random(300)})
    y = np.where(frame.kind == "v", 2.0, 0.0) + np.maximum(frame.x - 0.5, 0) * 4 * (frame.kind == "u")
    columns = make_column_transformer((OneHotEncoder(sparse_output=False), ["kind"]), remainder="passthrough")
    model = make_pipeline(columns, AdaptiveSplines(degree=2)).fit(frame, y)
    assert model.score(frame, y) > 0.99


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_very_few_rows(n):
    X, y = np.arange(2.0 * n).reshape(n, 2), np.arange(float(n))
    model = AdaptiveSplines(degree=2).fit(X, y)
    assert np.all(np.isfinite(model.predict(X)))


def test_constant_and_repeated_features():
    rng = np.random.default_rng(0)
    x = rng.random(100)
    X = np.column_stack([np.ones(100), x, x, np.round(x)])
    y = np.abs(x - 0.5)
    model = AdaptiveSplines(degree=2, min_span=1, end_span=1).fit(X, y)
    assert 0 not in used(model)
    assert model.score(X, y) > 0.99
    flat = AdaptiveSplines().fit(X, np.full(100, 7.0))
    assert len(flat.basis_) == 1
    assert_allclose(flat.predict(X), 7.0)
    nothing = AdaptiveSplines().fit(X[:, :1], y)
    assert_allclose(nothing.predict(X[:, :1]), y.mean())


def test_more_features_than_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 100))
    y = 3 * np.maximum(X[:, 7], 0) + rng.normal(size=40) / 10
    model = AdaptiveSplines().fit(X, y)
    assert np.argmax(model.feature_importances_) == 7


# refusals


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"degree": 0}, "degree=0"),
        ({"max_terms": 0}, "max_terms=0"),
        ({"min_span": 0}, "min_span=0"),
        ({"end_span": 0}, "end_span=0"),
        ({"fast_k": -1}, "fast_k=-1"),
        ({"tol": -0.1}, "tol=-0.1"),
        ({"penalty": -2}, "penalty=-2"),
        ({"prune": "aic"}, "prune='aic'"),
        ({"linear": [99]}, "linear holds 99"),
        ({"linear": ["nobody"]}, "linear holds 'nobody'"),
        ({"forbidden": [(0, 1, 2)]}, "list of pairs"),
        ({"interactions": [1.5]}, "interactions holds 1.5"),
    ],
)
def test_bad_parameters_are_named(friedman, given, words):
    with pytest.raises(ValueError, match=words):
        AdaptiveSplines(**given).fit(*friedman)


def test_nan_is_refused_and_a_failed_fit_changes_nothing(friedman):
    X, y = friedman
    model = AdaptiveSplines().fit(X, y)
    before = model.predict(X)
    bad = X[:, :3].copy()
    bad[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.fit(bad, y)
    assert model.n_features_in_ == 7
    assert_array_equal(model.predict(X), before)
    with pytest.raises(ValueError, match="negative"):
        model.fit(X, y, sample_weight=np.full(len(X), -1.0))
    assert_array_equal(model.predict(X), before)


def test_relative_weights_are_told(friedman):
    X, y = friedman
    with pytest.warns(UserWarning, match="weights count rows"):
        AdaptiveSplines().fit(X, y, sample_weight=np.full(len(X), 2 / len(X)))
    shares = AdaptiveSplines().fit(X, y, sample_weight=np.full(len(X), 1 / len(X)))
    assert_allclose(shares.predict(X), AdaptiveSplines().fit(X, y).predict(X), rtol=1e-10)


def test_clone_and_refit_forget_the_past(friedman):
    X, y = friedman
    model = clone(AdaptiveSplines(degree=2)).fit(X, y)
    first = model.predict(X)
    model.fit(X[:, :2], y)
    assert_array_equal(model.fit(X, y).predict(X), first)


def test_pictures_of_terms_have_the_colours_of_all_pictures():
    from eigenlens.drawing import FOUND, INK

    x = np.linspace(0, 1, 80)
    display = AdaptiveSplines().fit(x[:, None], np.abs(x - 0.5)).plot()
    assert display.ax_.lines[0].get_color() == FOUND
    assert {line.get_color() for line in display.ax_.lines[1:]} <= {INK}
