"""Sparse PCA: optimality, R's figures, the two knobs, adjusted variance, bad input."""

import json
import warnings

import numpy as np
import pytest
from refs import unshipped
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import scale

from eigenlens import PCA, SparsePCA
from eigenlens.exceptions import InputError, InputTypeError, NotConvergedWarning, RankWarning, ScaleWarning
from eigenlens.methods import sparse_pca
from eigenlens.moments import Factor, Scatter
from eigenlens.rows import Block
from eigenlens.solve import Form, counted_axes, sparse_axes as sparse_axes_module
from eigenlens.solve.counted_axes import loadings_on
from eigenlens.solve.sparse_axes import regression, sparse_axes

INF = float("inf")


@pytest.fixture(scope="module")
def wine():
    return scale(load_wine().data)


@pytest.fixture(scope="module")
def pitprops():
    folder = unshipped("spca_pitprops")
    G = np.loadtxt(folder / "data.csv", delimiter=",", skiprows=1)
    return Scatter.from_covariance(G, weight=180), json.loads((folder / "expected.json").read_text())


def covariance(X):
    G = np.cov(X.T)
    return G * len(G) / np.trace(G)


# -- the defining equations -----------------------------------------------------------------------------------------


def regression_gap(G, c, l1, ridge, beta):
    """Largest violation of the optimality conditions of one regression."""
    slope = 2 * (c - G @ beta - ridge * beta)
    on = beta != 0
    inside = np.abs(slope[on] - l1 * np.sign(beta[on])).max(initial=0.0)
    return max(inside, np.maximum(np.abs(slope[~on]) - l1, 0).max(initial=0.0)) / np.abs(c).max()


@pytest.mark.parametrize("ridge", [1e-6, 0.1])
@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.5])
def test_a_fixed_point_of_both_steps(wine, alpha, ridge):
    """B solves its regressions given A, and A is the polar factor of G B."""
    model, G = SparsePCA(3, alpha=alpha, ridge=ridge).fit(wine), covariance(wine)
    B = model.components_.T
    # the scale of each axis is not published: it is the one at which the regression holds
    for _ in range(3):
        U, _, Vt = np.linalg.svd(G @ B, full_matrices=False)
        A = U @ Vt
        B = np.stack([regression(G, c, alpha, ridge, b) for c, b in zip((G @ A).T, B.T, strict=True)], axis=1)
    for j in range(3):
        assert regression_gap(G, G @ A[:, j], alpha, ridge, B[:, j]) < 1e-10
    B = B / np.linalg.norm(B, axis=0)
    signs = np.sign(np.sum(B * model.components_.T, axis=0))
    np.testing.assert_allclose(B * signs, model.components_.T, atol=1e-2)


@pytest.mark.parametrize("seed", range(5))
def test_regressions_meet_their_optimality_conditions(seed):
    rng = np.random.default_rng(seed)
    p = 30
    F = rng.standard_normal((20 if seed % 2 else 60, p))
    G, c = F.T @ F / len(F), rng.standard_normal(p)
    top = 2 * np.abs(c).max()
    for share in (0.9, 0.3, 0.05, 0.01):
        for start in (np.zeros(p), rng.standard_normal(p)):
            beta = regression(G, c, share * top, 1e-2, start)
            assert regression_gap(G, c, share * top, 1e-2, beta) < 1e-9
    assert not regression(G, c, top, 1e-2, np.ones(p)).any()


# -- reference values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("entry", "ridge"), [("tight", 1e-6), ("tight_ridge_0.1", 0.1), ("small_penalty_2pc", 1e-6)])
def test_elasticnet_of_r(pitprops, entry, ridge):
    """R package elasticnet 1.3 on the correlations of the pitprops."""
    moments, expected = pitprops
    expected = expected[entry]
    model = SparsePCA(6, alpha=expected["para_l1"], ridge=ridge).fit_moments(moments)
    loadings = np.array(expected["loadings"])
    signs = np.sign(np.sum(loadings * model.components_.T, axis=0))
    np.testing.assert_array_equal(model.components_.T != 0, loadings != 0)
    np.testing.assert_allclose(model.components_.T * signs, loadings, atol=1e-7)
    np.testing.assert_allclose(model.explained_variance_ratio_, expected["pev"], atol=1e-7)
    assert model.n_nonzero_.tolist() == expected["nonzero"]


def test_pitprops_as_published(pitprops):
    """Zou, Hastie, Tibshirani (2006), table 3: 28.0 14.0 13.3 7.4 6.8 6.2% with 7 4 4 1 1 1 nonzeros."""
    model = SparsePCA(6, alpha=[0.06, 0.16, 0.1, 0.5, 0.5, 0.5]).fit_moments(pitprops[0])
    np.testing.assert_allclose(100 * model.explained_variance_ratio_, [28.0, 14.0, 13.3, 7.4, 6.8, 6.2], atol=0.06)
    assert model.n_nonzero_.tolist() == [7, 4, 4, 1, 1, 1]
    counted = SparsePCA(6, n_nonzero=[7, 4, 4, 1, 1, 1]).fit_moments(pitprops[0])
    assert counted.n_nonzero_.tolist() == [7, 4, 4, 1, 1, 1]
    assert counted.explained_variance_ratio_.sum() > model.explained_variance_ratio_.sum() - 0.01


# -- the knobs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ridge", [1e-6, INF])
def test_no_penalty_is_pca(wine, ridge):
    ours, pca = SparsePCA(4, alpha=0.0, ridge=ridge).fit(wine), PCA(4).fit(wine)
    np.testing.assert_allclose(ours.components_, pca.components_, atol=1e-12)
    np.testing.assert_allclose(ours.explained_variance_, pca.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(ours.explained_variance_ratio_, pca.explained_variance_ratio_, rtol=1e-10)
    nearly = SparsePCA(4, alpha=1e-7, ridge=ridge).fit(wine)
    np.testing.assert_allclose(nearly.components_, pca.components_, atol=1e-5)


@pytest.mark.parametrize("parameters", [{"alpha": 0.3}, {"n_nonzero": 4}, {"alpha": 0.3, "ridge": INF}])
def test_units_do_not_matter(wine, parameters):
    near, far = (SparsePCA(3, **parameters).fit(f * wine) for f in (1.0, 100.0))
    np.testing.assert_array_equal(far.components_ != 0, near.components_ != 0)
    np.testing.assert_allclose(far.components_, near.components_, atol=1e-9)
    np.testing.assert_allclose(far.explained_variance_, 1e4 * near.explained_variance_, rtol=1e-9)


@pytest.mark.parametrize("ridge", [1e-6, INF])
def test_a_refit_ends_early_at_the_same_places(ridge):
    rng = np.random.default_rng(3)
    X = np.cumsum(rng.standard_normal((400, 60)), axis=1)
    plain, again = (SparsePCA(3, n_nonzero=15, ridge=ridge, refit=r).fit(X) for r in (False, True))
    np.testing.assert_array_equal(again.components_ != 0, plain.components_ != 0)
    assert again.n_iter_ <= plain.n_iter_


@pytest.mark.parametrize("ridge", [None, 1e-6, 0.1, INF])
@pytest.mark.parametrize("count", [1, 5, 13, [2, 6, 9]])
def test_counts_are_exact(wine, count, ridge):
    model = SparsePCA(3, n_nonzero=count, ridge=ridge).fit(wine)
    assert np.count_nonzero(model.components_, axis=1).tolist() == np.broadcast_to(count, 3).tolist()
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("ridge", [None, 0.0, 1e-6, INF])
@pytest.mark.parametrize("kind", ["copies", "low rank", "ties"])
def test_counts_are_exact_where_columns_depend_on_each_other(kind, ridge):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, p = int(rng.integers(6, 60)), int(rng.integers(4, 9))
        X = rng.standard_normal((n, p))
        if kind == "copies":
            X = np.column_stack([X, X[:, 0], X[:, 1]])
        elif kind == "low rank":
            X = X[:, :3] @ rng.standard_normal((3, p))
        else:
            X = rng.integers(0, 2, (n, p)).astype(float)
        count = int(rng.integers(1, X.shape[1] + 1))
        model = SparsePCA(2, n_nonzero=count, ridge=ridge).fit(X)
        assert model.n_nonzero_.tolist() == [count] * 2, (seed, count)


@pytest.mark.parametrize("ridge", [None, 0.0, 1e-6, INF])
def test_one_of_equal_columns_is_taken(ridge):
    X = np.outer(np.arange(6.0), np.ones(3))
    np.testing.assert_array_equal(SparsePCA(1, n_nonzero=1, ridge=ridge).fit(X).components_, [[1.0, 0.0, 0.0]])


def test_loadings_of_rounding_are_zero_in_any_order_of_rows():
    X = np.random.default_rng(0).standard_normal((20, 3)) @ np.array([[0.3, 0, 0], [0, 1, 0.5], [0, 0, 1]])
    design = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T * [4, 3, 2, 1]  # no two columns correlate
    for table, k, count in ((X, 3, 2), (design, 4, 3)):
        found = []
        for seed in range(6):
            rows = np.random.default_rng(seed).permutation(len(table))
            with pytest.warns(RankWarning, match="add nothing"):
                model = SparsePCA(k, n_nonzero=count).fit(table[rows])
            np.testing.assert_array_equal(model.n_nonzero_, np.count_nonzero(abs(model.components_) > 1e-6, axis=1))
            found.append(model.n_nonzero_.tolist())
        assert found == found[:1] * 6


def test_a_count_that_cannot_be_met_is_told(wine):
    X = np.column_stack([wine[:, :3], np.ones(len(wine))])
    with pytest.warns(RankWarning, match="n_nonzero=4 but component 0 has 3 nonzero loading"):
        SparsePCA(1, n_nonzero=4).fit(X)


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("count", [2, 4, 8, 12])
def test_a_count_without_a_ridge_explains_most(k, count):
    X = scale(load_breast_cancer().data)[:, :20]
    model = SparsePCA(k, n_nonzero=count).fit(X)
    assert model.n_nonzero_.tolist() == [count] * k
    assert np.isnan(model.alpha_).all()
    assert model.ridge_ == INF
    others = [SparsePCA(k, n_nonzero=count, ridge=r, refit=True).fit(X) for r in (1e-6, INF)]
    explained = model.explained_variance_ratio_.sum()
    assert explained > max(other.explained_variance_ratio_.sum() for other in others) - 0.01
    assert model.objective_ == pytest.approx(20 * (1 - explained))


@pytest.mark.parametrize("k", [3, 6])
def test_columns_of_one_variance_are_chosen_by_what_they_tell(wine, k):
    """All single columns of scaled tables have the same variance, so rounding would choose among them."""
    model = SparsePCA(k, n_nonzero=1)
    places = model.fit(wine).components_ != 0
    order = np.random.default_rng(5).permutation(13)
    for other in (wine * 100, wine / 7, wine[::-1]):
        np.testing.assert_array_equal(model.fit(other).components_ != 0, places)
    np.testing.assert_array_equal(model.fit(wine[:, order]).components_ != 0, places[:, order])


def test_columns_that_do_not_vary_do_not_make_a_table_wide():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 8)) @ rng.standard_normal((8, 8))
    wide = np.hstack([X, np.ones((20, 50))])
    near, far = (SparsePCA(2, n_nonzero=3, ridge=1e-9).fit(Y) for Y in (X, wide))
    np.testing.assert_array_equal(far.components_[:, :8] != 0, near.components_ != 0)
    np.testing.assert_allclose(far.components_[:, :8], near.components_, atol=1e-9)


@pytest.mark.parametrize("knob", [{}, {"n_nonzero": 2}, {"n_nonzero": 2, "ridge": INF}, {"alpha": [0.1]}])
def test_a_constant_table_is_told_once(knob):
    with pytest.warns(RankWarning) as said:
        model = SparsePCA(1, **knob).fit(np.ones((5, 3)))
    assert [str(one.message)[:30] for one in said] == ["All columns of X are constant:"]
    assert not model.components_.any()
    assert np.isnan(model.alpha_).all() == ("alpha" not in knob)
    assert model.ridge_ == (1e-6 if "alpha" in knob else INF)


def test_a_penalty_that_kills(wine):
    kills = 2 * SparsePCA(2, alpha=0.0).fit(wine).path().alphas[-1]
    with pytest.warns(RankWarning, match="components 0, 1 have no nonzero loading"):
        dead = SparsePCA(2, alpha=kills).fit(wine)
    assert not dead.components_.any()
    assert not dead.explained_variance_ratio_.any()


@pytest.mark.parametrize("ridge", [1e-6, INF])
def test_a_refit_keeps_the_places_and_adds_most_variance_there(wine, ridge):
    plain, again = (SparsePCA(3, n_nonzero=4, ridge=ridge, refit=r).fit(wine) for r in (False, True))
    np.testing.assert_array_equal(again.components_ != 0, plain.components_ != 0)
    assert again.explained_variance_ratio_.sum() > plain.explained_variance_ratio_.sum()
    G, on = np.cov(wine.T), np.flatnonzero(again.components_[0])
    assert again.explained_variance_[0] == pytest.approx(np.linalg.eigvalsh(G[np.ix_(on, on)])[-1])


def test_axes_that_coincide_for_a_moment_do_not_leave_the_choice_to_rounding(wine):
    model = SparsePCA(2, n_nonzero=1, ridge=INF).fit(wine)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(wine))
        np.testing.assert_allclose(SparsePCA(2, n_nonzero=1, ridge=INF).fit(wine[order]).components_, model.components_)


def test_soft_threshold_form_for_many_columns():
    rng = np.random.default_rng(0)
    V = np.zeros((2000, 2))
    V[:30, 0], V[40:80, 1] = 1.0, 1.0
    X = rng.standard_normal((60, 2)) * [3, 2] @ V.T + rng.standard_normal((60, 2000))
    model = SparsePCA(2, n_nonzero=[30, 40], ridge=INF).fit(X)
    assert np.count_nonzero(model.components_[0, :30]) >= 29
    assert np.count_nonzero(model.components_[1, 40:80]) >= 38
    assert type(model.moments_).__name__ == "Factor"  # the table itself, no p × p matrix
    assert model.moments_.factor.shape[0] <= 60


# -- variance, scores -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["rows", "covariance"])
def test_adjusted_variance_is_what_each_score_adds(wine, kind):
    model = SparsePCA(4, alpha=0.2)
    model = model.fit(wine) if kind == "rows" else model.fit_moments(Scatter.from_covariance(np.cov(wine.T), len(wine)))
    scores = (wine - wine.mean(axis=0)) @ model.components_.T
    R = np.linalg.qr(scores, mode="r")
    np.testing.assert_allclose(model.explained_variance_, np.diag(R) ** 2 / (len(wine) - 1), rtol=1e-9)
    total = np.var(wine, axis=0, ddof=1).sum()
    np.testing.assert_allclose(model.explained_variance_ratio_, model.explained_variance_ / total, rtol=1e-9)


@pytest.mark.parametrize("kind", [Factor, Scatter])
def test_a_component_that_vanished_takes_no_variance_from_the_next(wine, kind):
    moments = kind().update(Block(wine))
    with pytest.warns(RankWarning):
        model = SparsePCA(3, alpha=[100.0, 0.1, 0.1]).fit_moments(moments)
    scores = (wine - wine.mean(axis=0)) @ model.components_[1:].T
    R = np.linalg.qr(scores, mode="r")
    np.testing.assert_allclose(model.explained_variance_, [0.0, *np.diag(R) ** 2 / (len(wine) - 1)], rtol=1e-9)


def test_scores_there_and_back(wine):
    model = SparsePCA(3, alpha=0.3).fit(wine)
    scores = model.transform(wine)
    np.testing.assert_allclose(scores, (wine - wine.mean(axis=0)) @ model.components_.T, atol=1e-12)
    np.testing.assert_allclose(model.transform(model.inverse_transform(scores)), scores, atol=1e-10)
    with pytest.raises(ValueError, match="4 columns but the model has 3 components"):
        model.inverse_transform(np.zeros((2, 4)))


@pytest.mark.parametrize("ridge", [1e-6, 0.5, INF])
@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_the_objective_is_the_sum_that_is_minimised(wine, ridge, alpha):
    model, G = SparsePCA(2, ridge=ridge, alpha=alpha).fit(wine), covariance(wine)
    axes = sparse_axes(
        Form(matrix=G),
        model.spectrum_.vectors[:, :2],
        model.alpha_,
        ridge=ridge,
        tol=1e-10,
        max_iter=5000,
    )
    A, B = axes.A, axes.B
    square = np.sum(B * B) if ridge == INF else np.trace(G) + np.trace(B.T @ G @ B) + ridge * np.sum(B * B)
    said = square - 2 * np.trace(A.T @ G @ B) + np.sum(model.alpha_ * np.abs(B).sum(axis=0))
    assert model.objective_ == pytest.approx(said, rel=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_nearly_free_axes_settle_in_few_rounds(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X, rounds = rng.standard_normal((5, 2)) @ rng.standard_normal((2, 2)), []

    def counted(*args, **options):
        rounds.append(sparse_axes(*args, **options))
        return rounds[-1]

    monkeypatch.setattr(sparse_pca, "STARTS", 1)
    monkeypatch.setattr(sparse_pca, "sparse_axes", counted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankWarning)
        SparsePCA().fit(X).path()
    assert sum(axes.n_iter for axes in rounds) < 600  # twice as many and more without long turns
    assert all(axes.converged for axes in rounds)


@pytest.mark.parametrize("alpha", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("k", [3, 13])
def test_no_start_of_many_finds_a_lower_minimum(wine, k, alpha):
    model, G = SparsePCA(k, alpha=alpha).fit(wine), np.corrcoef(wine.T)
    options = {"l1": np.full(k, alpha), "ridge": 1e-6, "tol": 1e-8, "max_iter": 500}
    for seed in range(10):
        start = np.linalg.qr(np.random.default_rng(seed).standard_normal((13, k)))[0]
        other = sparse_axes(Form(matrix=G), start, **options)
        assert model.objective_ <= other.objective + 13 + 1e-6
    spread = np.var(wine @ model.components_.T, axis=0)
    assert k == 13 or (np.diff(spread) <= 0).all()


def test_a_path_shares_its_rounds(monkeypatch):
    monkeypatch.setattr(sparse_pca, "PATH_ROUNDS", 2)
    rng = np.random.default_rng(0)
    model = SparsePCA(max_iter=50, alpha=1.0, n_components=1).fit(
        rng.standard_normal((30, 5)) @ rng.standard_normal((5, 5))
    )
    rounds = []

    def counted(*args, **options):
        rounds.append(sparse_axes(*args, **options).n_iter)
        return sparse_axes(*args, **options)

    monkeypatch.setattr(sparse_pca, "sparse_axes", counted)
    with pytest.warns(NotConvergedWarning):
        model.path()
    assert sum(rounds) <= 30 * 2 + 50


@pytest.mark.parametrize("k", [1, 3, 6])
@pytest.mark.parametrize(
    "knob",
    [{"alpha": 0.0178}, {"n_nonzero": 3}, {"n_nonzero": 3, "ridge": 1e-6}],
)
def test_units_change_no_place(wine, k, knob):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankWarning)
        one, other = (SparsePCA(k, **knob).fit(wine * unit) for unit in (1.0, 100.0))
    assert np.array_equal(one.components_ != 0, other.components_ != 0)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)


@pytest.mark.parametrize("ridge", [None, 1e-6, INF])
@pytest.mark.parametrize(("k", "count"), [(13, 2), (13, 3), (13, 6), (4, 2)])
def test_neither_units_nor_the_order_of_rows_change_the_places_of_a_count(wine, k, count, ridge):
    model = SparsePCA(k, n_nonzero=count, ridge=ridge)
    places = model.fit(wine).components_ != 0
    for other in (wine * 100, wine / 3, wine[::-1], wine * 1e5):
        np.testing.assert_array_equal(model.fit(other).components_ != 0, places)


def factor(n, p):
    rng = np.random.default_rng(0)
    F = rng.standard_normal((n, p))
    F[:, :10] += 2 * rng.standard_normal((n, 1))
    F[:, 10:20] += 1.5 * rng.standard_normal((n, 1))
    return F * (p / np.sum(F**2)) ** 0.5


@pytest.mark.parametrize(("l1", "ridge"), [(0.0, 1e-3), (3.0, 1e-3), (0.3, INF)])
def test_no_matrix_of_columns_by_columns_is_made_of_few_rows(l1, ridge, monkeypatch):
    F = factor(20, 3000)
    monkeypatch.setattr(Form, "dense", lambda form: pytest.fail("p × p"))
    start = np.linalg.svd(F, full_matrices=False)[2][:2].T
    sparse_axes(Form(factor=F), start, np.full(2, l1), ridge=ridge, tol=1e-8, max_iter=500)


@pytest.mark.parametrize("ridge", [1e-3, 0.1])
@pytest.mark.parametrize("l1", [0.3, 2.0, 8.0])
def test_columns_at_work_find_what_all_columns_find(l1, ridge, monkeypatch):
    monkeypatch.setattr(sparse_axes_module, "LEAST", 4)
    F = factor(30, 150)
    start = np.linalg.svd(F)[2][:2].T
    options = {"ridge": ridge, "tol": 1e-10, "max_iter": 2000}
    every = sparse_axes(Form(factor=F), start, np.full(2, l1), **options)
    monkeypatch.setattr(sparse_axes_module, "FORMED", 0)
    some = sparse_axes(Form(factor=F), start, np.full(2, l1), **options)
    assert some.objective == pytest.approx(every.objective, rel=1e-9)
    np.testing.assert_allclose(some.B, every.B, atol=1e-7)
    np.testing.assert_allclose(some.A, every.A, atol=1e-7)


def test_a_large_form_is_multiplied_a_few_times(monkeypatch):
    products = []
    apply = Form.apply

    def counted(self, A):
        products.append(A.shape[1] if A.ndim > 1 else 1)
        return apply(self, A)

    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 900))
    X[:, :200] += rng.standard_normal((300, 1))
    X[:, 200:350] += rng.standard_normal((300, 1))
    monkeypatch.setattr(Form, "apply", counted)
    SparsePCA(2, n_nonzero=300).fit(X)
    assert len([width for width in products if width > 1]) < 20


@pytest.mark.parametrize("factored", [False, True])
def test_many_loadings_are_refitted_together(factored, monkeypatch):
    rng = np.random.default_rng(1)
    F = rng.standard_normal((60, 90)) * np.geomspace(3, 0.1, 90)
    form, B = Form(factor=F) if factored else Form(matrix=F.T @ F), np.zeros((90, 4))
    for j in (0, 1, 3):  # one axis has vanished
        B[rng.choice(90, 30, replace=False), j] = rng.standard_normal(30)
    one_by_one = loadings_on(form, B)
    monkeypatch.setattr(counted_axes, "DENSE", 10)
    together = loadings_on(form, B)
    assert not together[:, 2].any()
    np.testing.assert_array_equal(together != 0, B != 0)
    np.testing.assert_allclose(np.abs(together), np.abs(one_by_one), atol=1e-7)


@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("dense", [1, 400])
@pytest.mark.parametrize("same", [[0], [0, 4], [0, 4, 7]])
def test_an_axis_that_adds_nothing_takes_nothing_from_those_after_it(factored, dense, same, monkeypatch):
    """Its scores depend on earlier ones, and a basis of all of them had a direction of rounding."""
    monkeypatch.setattr(counted_axes, "DENSE", dense)
    F = np.random.default_rng(0).standard_normal((10, 30))
    form, k = Form(factor=F) if factored else Form(matrix=F.T @ F), len(same)
    B = np.zeros((30, k + 2))
    B[same, : k + 1] = 1.0
    B[[1, 2, 3], k + 1] = 1.0
    found = loadings_on(form, B)
    without = loadings_on(form, np.delete(B, k, axis=1))
    np.testing.assert_allclose(np.abs(found[:, k + 1]), np.abs(without[:, k]), atol=1e-12)
    np.testing.assert_allclose(np.abs(found[:, k]), np.abs(found[:, 0]), atol=1e-9)


def test_path(wine):
    model = SparsePCA(3).fit(wine)
    path = model.path(np.linspace(0.0, 2.0, 8))
    assert path.n_nonzero.shape == (8, 3)
    explained = path.explained_variance_ratio.sum(axis=1)
    assert path.dense == pytest.approx(PCA(3).fit(wine).explained_variance_ratio_.sum())
    assert np.all(explained <= path.dense + 1e-9)
    assert path.n_nonzero[0].sum() > path.n_nonzero[-1].sum()
    frame = path.to_frame()
    assert frame.columns.tolist() == ["alpha", "n_nonzero", "explained", "lost"]
    one = SparsePCA(3, alpha=0.4).fit(wine)
    np.testing.assert_allclose(model.path([0.4]).components[0], one.components_, atol=1e-9)


# -- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -0.1}, "alpha=-0.1 but it must be a finite number of at least 0"),
        ({"alpha": [0.1, 0.2]}, r"one for each of the 3 component"),
        ({"alpha": np.nan}, "alpha=nan"),
        ({"n_nonzero": 14}, "n_nonzero=14 but it must be at most 13"),
        ({"n_nonzero": 0}, "n_nonzero=0 but it must be an integer of at least 1"),
        ({"n_nonzero": 2.5}, "n_nonzero=2.5"),
        ({"ridge": -1.0}, "ridge=-1.0"),
        ({"tol": 0.0}, "tol=0.0"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"relative": True}, "SparsePCA has no parameter relative=True: give alpha; path"),
    ],
)
def test_bad_parameters(wine, parameters, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        SparsePCA(3, **parameters).fit(wine)


def test_more_components_than_directions(wine):
    with pytest.raises(InputError, match="178 rows and 13 columns give at most 13"):
        SparsePCA(14).fit(wine)
    doubled = np.hstack([wine[:, :3], wine[:, :3]])
    with pytest.warns(RankWarning, match="rank 3 but 5"):
        assert SparsePCA(5).fit(doubled).n_components_ == 3


def test_max_iter_is_told_with_the_residual(wine):
    with pytest.warns(NotConvergedWarning, match=r"max_iter=2 .* residual of \d"):
        SparsePCA(3, alpha=0.05, max_iter=2).fit(wine)


@pytest.mark.parametrize("method", ["parallel", "permutation", "tracy-widom", "gavish-donoho", "broken-stick", "mle"])
def test_how_many_directions_is_asked_of_the_table(wine, method):
    sparse, dense = (model.fit(wine).test_dimension(wine, method=method) for model in (SparsePCA(3), PCA(3)))
    assert sparse.dimension == dense.dimension
    np.testing.assert_allclose(sparse.p_values, dense.p_values, rtol=1e-9)


@pytest.mark.parametrize("ridge", [None, 1e-6])
def test_axes_on_the_same_places_have_uncorrelated_scores(wine, ridge):
    model = SparsePCA(2, n_nonzero=2, ridge=ridge).fit(wine[:, [0, 12]])
    assert model.components_.all()
    assert abs(np.corrcoef(model.transform(wine[:, [0, 12]]).T)[0, 1]) < 1e-6


def test_one_large_column_is_taken_once():
    """One large column (covariances of USArrests): both axes took it, and a third of the variance was lost."""
    covariance = np.array([[19, 291, 4.4, 23], [291, 6945, 312, 519], [4.4, 312, 210, 56], [23, 519, 56, 88]])
    rows = np.random.default_rng(0).standard_normal((50, 4))
    rows = np.linalg.qr(rows - rows.mean(axis=0))[0]
    X = 7.0 * rows @ np.linalg.cholesky(covariance).T
    model = SparsePCA(2, n_nonzero=2, ridge=1e-6).fit(X)
    assert model.explained_variance_ratio_.sum() > 0.98
    assert not np.signbit(model.components_[model.components_ == 0]).any()


@pytest.mark.parametrize("ridge", [None, 1e-6])
@pytest.mark.parametrize("seed", [0, 1])
def test_few_loadings_of_a_wide_table_are_those_that_were_planted(seed, ridge):
    """From principal axes, regressions on more columns than rows took columns that fit scores and say little."""
    rng = np.random.default_rng(seed)
    n, p, k, m = 200, 1000, 3, 20
    V = np.zeros((k, p))
    for row in V:
        row[rng.choice(p, m, replace=False)] = rng.standard_normal(m)
    X = rng.standard_normal((n, k)) * np.linspace(3, 1.5, k) @ V + rng.standard_normal((n, p))
    model = SparsePCA(k, n_nonzero=m, ridge=ridge).fit(X)
    soft = SparsePCA(k, n_nonzero=m, ridge=np.inf).fit(X)
    assert model.n_nonzero_.tolist() == [m] * k
    assert model.explained_variance_ratio_.sum() > 0.96 * soft.explained_variance_ratio_.sum()


def test_nearly_as_many_loadings_as_rows_take_the_places_of_thresholds():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 60))
    X[:, :15] += 5 * rng.standard_normal((20, 1))
    X[:, 15:30] += 3 * rng.standard_normal((20, 1))
    model = SparsePCA(2, n_nonzero=15).fit(X)
    assert np.isnan(model.alpha_).all()
    assert np.flatnonzero(model.components_[0]).tolist() == list(range(15))
    assert np.flatnonzero(model.components_[1]).tolist() == list(range(15, 30))


@pytest.mark.parametrize("ridge", [None, 1e-6])
@pytest.mark.parametrize("n_nonzero", [3, 8, 33])
def test_smooth_columns_do_not_make_rounding_show(n_nonzero, ridge):
    X = np.random.default_rng(0).standard_normal((60, 401)).cumsum(axis=1)
    first = SparsePCA(3, n_nonzero=n_nonzero, ridge=ridge).fit(X).components_
    for other in (X * 100, X + 1000.0, X[::-1]):
        found = SparsePCA(3, n_nonzero=n_nonzero, ridge=ridge).fit(other).components_
        assert np.array_equal(found != 0, first != 0)
        assert np.abs(np.abs(found) - np.abs(first)).max() < 1e-7


@pytest.mark.parametrize("ridge", [1e-6, 0.1, INF])
def test_a_ridge_with_a_count_minimises_the_sum_at_the_same_places(wine, ridge):
    """B solves its regressions on the places given A, and A is the polar factor of G B."""
    model, G = SparsePCA(3, n_nonzero=5, ridge=ridge).fit(wine), covariance(wine)
    places = model.components_.T != 0
    np.testing.assert_array_equal(places, SparsePCA(3, n_nonzero=5).fit(wine).components_.T != 0)
    image = G @ model.components_.T
    size = np.linalg.norm(model.components_.T, axis=0)
    for _ in range(100):  # the scale of each axis is not published
        U, _, Vt = np.linalg.svd(image * size, full_matrices=False)
        A, B = U @ Vt, np.zeros((13, 3))
        for j, on in enumerate(places.T):
            C = (G @ A)[on, j]
            B[on, j] = C if ridge == INF else np.linalg.solve(G[np.ix_(on, on)] + ridge * np.eye(5), C)
        size = np.linalg.norm(B, axis=0)
    B = B / size * np.sign(np.sum(B * model.components_.T, axis=0))
    np.testing.assert_allclose(B, model.components_.T, atol=1e-6)


def bands(n, p, seed):
    """Spectra: a few smooth bands, so that neighbours are nearly the same column."""
    rng, t = np.random.default_rng(seed), np.linspace(0, 1, p)
    centres, widths = rng.uniform(0, 1, 8), rng.uniform(0.02, 0.1, 8)
    shapes = np.exp(-(((t - centres[:, None]) / widths[:, None]) ** 2))
    return 1.0 + rng.standard_normal((n, 8)) * np.geomspace(1, 0.02, 8) @ shapes + 1e-4 * rng.standard_normal((n, p))


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # the columns have one unit
@pytest.mark.parametrize("ridge", [None, 1e-6, 1e-2, INF])
@pytest.mark.parametrize("n_nonzero", [2, 5, 20])
@pytest.mark.parametrize(("n", "p"), [(60, 402), (28, 270), (300, 60)])
def test_neither_units_nor_the_order_of_columns_choose_among_neighbours(n, p, n_nonzero, ridge):
    X = bands(n, p, seed=p)
    order = np.random.default_rng(0).permutation(p)
    model = SparsePCA(3, n_nonzero=n_nonzero, ridge=ridge)
    places = model.fit(X).components_ != 0
    for other in (X * 100, X / 7, X[::-1]):
        np.testing.assert_array_equal(model.fit(other).components_ != 0, places)
    np.testing.assert_array_equal(model.fit(X[:, order]).components_ != 0, places[:, order])


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # the columns have one unit
def test_powers_of_two_change_no_bit():
    X = bands(40, 90, seed=2)
    for knob in ({"alpha": 0.1}, {"n_nonzero": 7}, {"n_nonzero": 3}, {"n_nonzero": 3, "ridge": INF, "refit": True}):
        one, other = (SparsePCA(3, **knob).fit(X * unit).components_ for unit in (1.0, 4.0))
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("unit", [1.0, "raw"])
def test_without_a_penalty_or_a_number_components_are_sparse_and_never_empty(wine, unit):
    X = load_wine().data if unit == "raw" else wine
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScaleWarning)
        model, counted = SparsePCA(3).fit(X), SparsePCA(3, n_nonzero=4).fit(X)
    assert model.n_nonzero_.tolist() == [4, 4, 4]  # ⌈√13⌉
    assert np.all(model.explained_variance_ > 0)
    np.testing.assert_array_equal(model.components_, counted.components_)
