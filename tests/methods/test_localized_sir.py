"""Localized SIR: what is its own, beyond the laws."""

import numpy as np
import pandas as pd
import pytest
import scipy.linalg

from eigenlens import SIR, LocalizedSIR, load, save
from eigenlens.exceptions import InputError, InputTypeError, SliceWarning
from eigenlens.moments import local_means
from eigenlens.testing import LAWS, Sample
from inverse_models import LAWS_OF_ROWS, symmetric

rng = np.random.default_rng(0)
X = rng.standard_normal((240, 4)) @ rng.standard_normal((4, 4)) + 10
y = np.sin(X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(240)


def by_hand(X, codes, k, ridge=0.0):
    """The formula, row by row, over all rows and over the labelled ones."""
    m = X.mean(axis=0)
    M = np.zeros((X.shape[1],) * 2)
    for i in np.flatnonzero(codes >= 0):
        pool = X[(codes == codes[i]) | (codes < 0)]
        nearest = np.argsort(((pool - X[i]) ** 2).sum(axis=1), kind="stable")[:k]
        M += np.outer(pool[nearest].mean(axis=0) - m, pool[nearest].mean(axis=0) - m) / len(X)
    S = np.cov(X.T, ddof=0) + ridge * np.eye(X.shape[1])
    L = np.linalg.inv(np.linalg.cholesky(S))
    return np.linalg.eigvalsh(L @ M @ L.T)[::-1]


@pytest.mark.filterwarnings("ignore:Directions 1 and 2 have the same:eigenlens.exceptions.RankWarning")
@pytest.mark.parametrize(("k", "ridge"), [(1, 0.0), (4, 0.0), (11, 0.5)])
def test_is_the_formula(k, ridge):
    model = LocalizedSIR(n_slices=6, n_neighbors=k, ridge=ridge).fit(X, y)
    np.testing.assert_allclose(model.eigenvalues_, by_hand(X, model._slicing.codes(y[:, None]), k, ridge), rtol=1e-9)
    if k == 1 and not ridge:
        np.testing.assert_allclose(model.eigenvalues_, 1)  # each row is its own local mean


def test_rows_without_a_response_join_every_slice():
    hidden = np.where(np.arange(240) % 3 == 0, np.nan, y)
    model = LocalizedSIR(n_slices=4, n_neighbors=5).fit(X, hidden)
    codes = np.where(np.isnan(hidden), -1, model._slicing.codes(np.nan_to_num(hidden)[:, None]))
    np.testing.assert_allclose(model.eigenvalues_, by_hand(X, codes, 5), rtol=1e-9)
    np.testing.assert_allclose(model.mean_, X.mean(axis=0))
    np.testing.assert_allclose(model.slice_means_, [X[codes == h].mean(axis=0) for h in range(4)])
    assert model.slice_weights_.sum() == 160
    words = np.array([None if c < 0 else f"slice {c}" for c in codes], dtype=object)
    np.testing.assert_allclose(LocalizedSIR(n_neighbors=5).fit(X, words).components_, model.components_, rtol=1e-10)


def test_with_all_neighbours_it_is_sir():
    plain = SIR(n_slices=6).fit(X, y)
    again = LocalizedSIR(n_slices=6, n_neighbors=40).fit(X, y)  # six slices of 40
    np.testing.assert_allclose(again.eigenvalues_, plain.eigenvalues_, rtol=1e-11)
    np.testing.assert_allclose(again.components_, plain.components_, rtol=1e-9)


@pytest.mark.parametrize("law", LAWS_OF_ROWS)
@pytest.mark.parametrize("between", ["weighted", "slices"])
def test_laws_with_a_numeric_response(law, between):
    LAWS[law](LocalizedSIR(2, n_slices=4, n_neighbors=6, between=between), Sample(X, y))


def test_local_means_count_weight():
    rows, codes = X[:60], np.arange(60) % 2
    times = np.arange(60) % 3 + 1
    repeated = local_means(np.repeat(rows, times, axis=0), np.repeat(codes, times), np.ones(times.sum()), 7)
    weighted = local_means(rows, codes, times.astype(float), 7)
    np.testing.assert_allclose(np.repeat(weighted, times, axis=0), repeated, rtol=1e-12)
    tiny = local_means(rows, codes, np.full(60, 0.01), 0.07)  # seven rows of weight 0.01 are as seven rows
    np.testing.assert_allclose(tiny, local_means(rows, codes, np.ones(60), 7), rtol=1e-9)


def test_ties_do_not_depend_on_the_order_of_rows():
    grid = np.array([(i, j) for i in range(6) for j in range(6)], dtype=float)
    order = np.random.default_rng(1).permutation(36)
    there = local_means(grid[order], np.zeros(36, dtype=int), np.ones(36), 3)
    np.testing.assert_allclose(there, local_means(grid, np.zeros(36, dtype=int), np.ones(36), 3)[order], atol=1e-12)
    # of four neighbours at distance 1, two are wanted: each counts half, and the mean stays in the middle
    np.testing.assert_allclose(local_means(grid, np.zeros(36, dtype=int), np.ones(36), 3)[14], grid[14], atol=1e-12)


@pytest.mark.parametrize("p", [3, 40])
def test_many_columns_are_searched_alike(p):
    rows = np.random.default_rng(2).standard_normal((80, p)) + 5
    distance = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    expected = [rows[np.argsort(d)[:9]].mean(axis=0) for d in distance]
    np.testing.assert_allclose(local_means(rows, np.zeros(80, dtype=int), np.ones(80), 9), expected, rtol=1e-10)


def test_finds_what_a_symmetric_response_hides_from_sir():
    A, b = symmetric(np.random.default_rng(1))
    model = LocalizedSIR(1, n_slices=5).fit(A, b)
    assert np.abs(model.components_[0, 0]) / np.linalg.norm(model.components_) > 0.95
    assert model.test_dimension(A, b, n_draws=39).dimension == 1


def test_the_test_holds_its_level():
    rejected = 0
    for seed in range(20):
        r = np.random.default_rng(seed)
        A, b = r.standard_normal((60, 3)), r.standard_normal(60)
        rejected += LocalizedSIR(1, n_slices=3, n_neighbors=8).fit(A, b).test_dimension(A, b, n_draws=19).dimension > 0
    assert rejected / 20 < 0.16


def test_other_ridges_without_another_search():
    model = LocalizedSIR(n_slices=4).fit(X, y)
    ridged = LocalizedSIR(2, n_slices=4, ridge=0.3).fit_moments(model.moments_)
    np.testing.assert_allclose(
        ridged.components_, LocalizedSIR(2, n_slices=4, ridge=0.3).fit(X, y).components_, rtol=1e-10
    )
    with pytest.raises(InputTypeError, match="those of 10"):
        LocalizedSIR(n_neighbors=5).fit_moments(model.moments_)
    with pytest.raises(InputTypeError, match="LocalMoments"):
        LocalizedSIR().fit_moments(SIR().fit(X, y).moments_)


@pytest.mark.parametrize("size", [1e-160, 1e160])
def test_scales(size):
    reference, scaled = (LocalizedSIR(2, n_slices=4).fit(A, y) for A in (X, X * size))
    np.testing.assert_allclose(scaled.eigenvalues_, reference.eigenvalues_, rtol=1e-9)


def test_more_neighbours_than_the_smallest_slice_has():
    codes = np.r_[np.zeros(5, dtype=int), np.ones(235, dtype=int)]
    with pytest.warns(SliceWarning, match="n_neighbors=10 but the smallest slice has a weight of 5"):
        model = LocalizedSIR().fit(X, slices=codes)
    small = model.moments_.local
    assert small.weight == 240


def test_bad_input():
    with pytest.raises(InputError, match="missing in all 240 rows"):
        LocalizedSIR().fit(X, np.full(240, np.nan))
    with pytest.raises(InputError, match="the response is constant"):
        LocalizedSIR().fit(X, np.full(240, 0.5))
    with pytest.raises(InputError, match="n_neighbors=0"):
        LocalizedSIR(n_neighbors=0).fit(X, y)
    with pytest.raises(InputError, match="n_neighbors='some'"):
        LocalizedSIR(n_neighbors="some").fit(X, y)
    with pytest.raises(InputError, match=r"n_neighbors='cv' .*a positive whole number"):
        LocalizedSIR(n_neighbors="cv").fit(X, y)
    with pytest.raises(InputError, match="X contains NaN"):
        LocalizedSIR().fit(np.where(np.arange(4) == 2, np.nan, X), y)
    assert not hasattr(LocalizedSIR(), "partial_fit")


@pytest.mark.filterwarnings("error")
def test_differences_beyond_float64_name_their_column():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = X[:, 0].copy()
    X[:, 1] = 1.7e308 * np.sign(X[:, 1])
    with pytest.raises(ValueError, match="differences within column 1 go beyond float64"):
        LocalizedSIR(1).fit(X, y)


def test_its_moments_are_moments(tmp_path):
    """They had no view in a notebook, no sum that says why there is none, and could not be saved by themselves."""
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    moments = LocalizedSIR(n_slices=4).fit(frame, y).moments_
    assert "slices, with means of 10 neighbours" in repr(moments)
    assert "c0" in moments._repr_html_()
    loaded = load(save(moments, tmp_path / "moments.eigenlens"))
    model = LocalizedSIR(n_slices=4).fit_moments(loaded)
    assert np.array_equal(model.components_, LocalizedSIR(n_slices=4).fit(frame, y).components_)
    with pytest.raises(ValueError, match="neighbours are found among all rows at once"):
        moments + moments


def test_slices_that_count_alike():
    """With all rows as neighbours this is SIR; the permutation test weights its draws in the same way."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4)) * [1, 2, 1, 1]
    y = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.2 * rng.standard_normal(300)
    cuts = np.linspace(y.min(), y.max(), 6)[1:-1]
    alike = {"n_slices": cuts, "between": "slices"}
    slices = np.searchsorted(cuts, y)
    least = int(np.bincount(slices).min())
    with pytest.warns(SliceWarning, match="all rows are neighbours"):
        whole = LocalizedSIR(2, n_neighbors=300, **alike).fit(X, y)
    np.testing.assert_allclose(whole.eigenvalues_, SIR(2, **alike).fit(X, y).eigenvalues_, rtol=1e-9)
    model = LocalizedSIR(2, n_neighbors=least, **alike).fit(X, y)
    heavy = 1 / np.bincount(slices)[slices]
    assert model.moments_.weight == 300
    local = local_means(X, slices, np.ones(300), least) - X.mean(axis=0)
    M = (local * heavy[:, None]).T @ local / 5
    values = scipy.linalg.eigh(M, np.cov(X.T, ddof=0))[0][::-1]
    np.testing.assert_allclose(model.eigenvalues_, values[:2], rtol=1e-9)
    assert model.test_dimension(X, y, n_draws=19).dimension >= 1
    with pytest.raises(InputTypeError, match=r"(?s)keep between='slices' but .* needs between='weighted'"):
        LocalizedSIR(2, n_slices=cuts, n_neighbors=least).fit_moments(model.moments_)
    with pytest.raises(InputError, match="between='rows' is not an option"):
        LocalizedSIR(between="rows").fit(X, y)
