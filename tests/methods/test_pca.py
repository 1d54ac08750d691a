"""PCA: what is its own, beyond the laws."""

import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_digits, load_wine

from eigenlens import PCA
from eigenlens.exceptions import InputError, RangeWarning, RankWarning
from eigenlens.solve import Form, Pencil, choose_solver, solve


@pytest.fixture(scope="module")
def planted():
    """Four directions above unit noise in 30 columns."""
    rng = np.random.default_rng(0)
    V, _ = np.linalg.qr(rng.standard_normal((30, 4)))
    return rng.standard_normal((600, 4)) * [6, 5, 4, 3] @ V.T + rng.standard_normal((600, 30))


@pytest.mark.parametrize("rule", ["mle", "parallel", "mp"])
def test_rules_find_the_planted_number(planted, rule):
    assert PCA(rule).fit(planted).n_components_ == 4
    wide = planted[:25]
    if rule == "mle":
        with pytest.raises(InputError, match=r"full rank.*'parallel'"):
            PCA(rule).fit(wide)
    else:
        assert 1 <= PCA(rule).fit(wide).n_components_ <= 5


@pytest.mark.filterwarnings("ignore:.*finds no direction")
@pytest.mark.parametrize("rule", ["parallel", "mp"])
def test_rules_find_nothing_in_noise(rule):
    found = [PCA(rule).fit(np.random.default_rng(seed).standard_normal((200, 40))).n_components_ for seed in range(20)]
    assert sum(k > 1 for k in found) <= 3  # one direction is always kept


@pytest.mark.filterwarnings("ignore:.*finds no direction")
def test_constant_columns_are_not_noise():
    for seed in range(5):
        noise = np.random.default_rng(seed).standard_normal((200, 30))
        assert PCA("mp").fit(np.column_stack([noise, np.ones((200, 30))])).n_components_ <= 2


def test_more_components_than_the_rank():
    X = np.random.default_rng(5).standard_normal((50, 2)) @ np.ones((2, 5))
    with pytest.warns(RankWarning, match="rank 1 but n_components=3"):
        scores = PCA(3, whiten=True).fit(X).transform(X)
    assert np.abs(scores[:, 1:]).max() < 1e-10
    with pytest.warns(RankWarning):
        model = PCA(2, solver="lanczos").fit(X)
    with pytest.raises(InputError, match="leave no variance"):
        model.score(X)


@pytest.mark.parametrize("k", [None, 1, 2, 3])
def test_two_heavy_rows_are_ten_rows(k):
    X = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankWarning)
        heavy, ten = PCA(k).fit(X, sample_weight=[5.0, 5.0]), PCA(k).fit(np.repeat(X, 5, axis=0))
    assert heavy.n_components_ == ten.n_components_ == (k or 1)
    np.testing.assert_allclose(heavy.explained_variance_, ten.explained_variance_, atol=1e-15)
    np.testing.assert_allclose(heavy.components_ @ heavy.components_.T, np.eye(k or 1), atol=1e-15)


def test_iteration_on_nothing():
    with pytest.warns(RankWarning):
        assert PCA(1, solver="lanczos").fit(np.ones((10, 3))).explained_variance_[0] == 0


def test_minka_agrees_with_scikit_learn():
    from sklearn.decomposition import PCA as Peer

    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((100, 8)) * rng.uniform(0.3, 3, 8)
        assert PCA("mle").fit(X).n_components_ == Peer("mle", svd_solver="full").fit(X).n_components_


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # the units are meant
def test_share_of_variance():
    X = load_wine().data
    ratio = np.cumsum(PCA().fit(X).explained_variance_ratio_)
    for share in (0.5, 0.99, 0.99999, 1.0):
        assert PCA(share).fit(X).n_components_ == 1 + np.count_nonzero(ratio < share * (1 - 1e-15))


def test_likelihood_is_that_of_the_normal_law_it_states(planted):
    for k in (2, 30):
        model = PCA(k).fit(planted)
        law = multivariate_normal(planted.mean(axis=0), model.get_covariance())
        np.testing.assert_allclose(model.score_samples(planted), law.logpdf(planted), rtol=1e-10)
        assert model.score(planted) == pytest.approx(law.logpdf(planted).mean())


def test_noise_variance_with_fewer_rows_than_columns():
    X = np.random.default_rng(1).standard_normal((20, 50))
    model = PCA(5).fit(X)
    S = np.cov(X.T)
    assert model.noise_variance_ == pytest.approx((np.trace(S) - model.explained_variance_.sum()) / 45)
    law = multivariate_normal(X.mean(axis=0), model.get_covariance())
    np.testing.assert_allclose(model.score_samples(X), law.logpdf(X), rtol=1e-9)


def test_likelihood_without_noise_is_refused():
    X = np.random.default_rng(2).standard_normal((20, 50))
    with pytest.raises(InputError, match="rank 19 of 50"):
        PCA().fit(X).score(X)


def test_inverse_transform_and_whitening(planted):
    for whiten in (False, True):
        model = PCA(3, whiten=whiten).fit(planted)
        back = model.inverse_transform(model.transform(planted))
        distance = np.sum((planted - back) ** 2, axis=1)
        np.testing.assert_allclose(distance, model.reconstruction_error(planted), rtol=1e-9)
    np.testing.assert_allclose(np.cov(model.transform(planted).T), np.eye(3), atol=1e-12)
    with pytest.raises(ValueError, match="4 columns but the model has 3 components"):
        model.inverse_transform(np.zeros((2, 4)))


def test_constant_and_collinear_columns_are_told():
    with pytest.warns(RankWarning, match="X has rank 61 but 64 directions are possible: 3 direction"):
        model = PCA().fit(load_digits().data)
    assert model.n_components_ == 61


def test_all_rows_alike():
    with pytest.warns(RankWarning):
        model = PCA().fit(np.full((10, 3), 0.1))
    assert model.explained_variance_ratio_.tolist() == [0.0]
    assert np.abs(model.transform(np.full((2, 3), 0.1))).max() < 1e-15


def test_fit_moments_gives_many_numbers_of_components_from_one_pass(planted):
    moments = PCA().fit(planted).moments_
    for k in (1, 5, 0.9):
        np.testing.assert_allclose(PCA(k).fit_moments(moments).components_, PCA(k).fit(planted).components_, atol=1e-12)


def test_the_choice_of_solver_can_be_asked():
    small, large = Form(matrix=np.eye(20)), Form(matrix=np.eye(1200))
    assert choose_solver(Pencil(small, n_components=2)).solver == "eigh"
    assert choose_solver(Pencil(large, n_components=10)).solver == "lanczos"
    assert choose_solver(Pencil(large, n_components=600)).solver == "eigh"
    assert choose_solver(Pencil(Form(factor=np.eye(20)))).solver == "svd"
    assert "asked for" in str(choose_solver(Pencil(small, n_components=2), "randomized"))
    with pytest.raises(ValueError, match="solver='magic'"):
        choose_solver(Pencil(small), "magic")


def test_large_problems_take_the_iteration_and_agree():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((1300, 1100)) * np.r_[9, 8, 7, 6, 5, np.full(1095, 0.5)]
    direct, iterated = PCA(5, solver="dense").fit(X), PCA(5).fit(X)
    assert iterated.spectrum_.solver == "lanczos"
    np.testing.assert_allclose(iterated.singular_values_, direct.singular_values_, rtol=1e-12)
    np.testing.assert_allclose(iterated.components_, direct.components_, atol=1e-10)
    rough = PCA(5, solver="randomized").fit(X)
    assert 0 < rough.spectrum_.residual < 1e-3
    np.testing.assert_allclose(rough.singular_values_, direct.singular_values_, rtol=1e-4)


def test_iteration_on_a_factor_leaves_weak_directions_to_the_direct_solver():
    rng = np.random.default_rng(4)
    U, _ = np.linalg.qr(rng.standard_normal((1200, 1100)))
    V, _ = np.linalg.qr(rng.standard_normal((1100, 1100)))
    s = np.r_[1.0, 1e-3, 1e-7, np.full(1097, 1e-9)]
    spectrum = solve(Pencil(Form(factor=(U * s) @ V.T, squared=False), n_components=3), "lanczos")
    np.testing.assert_allclose(spectrum.singular_values, s[:3], rtol=1e-6)


@pytest.mark.parametrize("method", ["parallel", "permutation", "tracy-widom", "broken-stick", "mle"])
@pytest.mark.parametrize("scale", [2.0**700, 2.0**-700])
def test_tests_of_dimension_know_no_units(method, scale):
    """Also where a variance cannot be represented."""
    X = np.random.default_rng(5).standard_normal((60, 4)) * [2.5, 1, 1, 1]
    tiny_or_huge = X * scale
    with pytest.warns(RangeWarning, match="explained_variance_"):
        there = PCA(2).fit(tiny_or_huge)
    here = PCA(2).fit(X).test_dimension(X, method=method, n_draws=19)
    found = there.test_dimension(tiny_or_huge, method=method, n_draws=19)
    assert found.dimension == here.dimension
    np.testing.assert_array_equal(found.p_values, here.p_values)


@pytest.mark.parametrize("rule", ["auto", "parallel", "mp"])
@pytest.mark.parametrize("way", ["rows", "moments"])
def test_a_rule_that_finds_no_direction_says_so(rule, way):
    noise = np.random.default_rng(1).standard_normal((200, 6))
    assert PCA().fit(noise).test_dimension(noise).dimension == 0
    with pytest.warns(RankWarning, match=f"n_components='{rule}' finds no direction.*One component is kept"):
        model = PCA(rule).fit(noise) if way == "rows" else PCA(rule).fit_moments(PCA().fit(noise).moments_)
    assert model.n_components_ == 1
    assert f"1 kept by '{rule}': " in str(model.summary())


def test_cross_validation_keeps_the_smallest_number_that_is_as_good():
    """Three directions in equal noise; the largest likelihood has four in some tables."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        axes = np.linalg.qr(rng.standard_normal((10, 3)))[0]
        rows = rng.standard_normal((200, 3)) * [3, 2, 1.3] @ axes.T + 0.5 * rng.standard_normal((200, 10))
        model = PCA("cv").fit(rows)
        numbers, means, errors = model.cv_path_.T
        best = means.argmax()
        assert model.n_components_ == numbers[means >= means[best] - errors[best]].min() == 3
