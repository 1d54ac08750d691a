"""SIR: what is its own, beyond the laws."""

import pickle
import warnings

import array_api_strict
import numpy as np
import pytest
import torch
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from eigenlens import LDA, SAVE, SIR, DirectionalRegression, LocalizedSIR, Subspace
from eigenlens.exceptions import InputError, InputTypeError, RankWarning, SliceWarning
from eigenlens.moments import Factor
from eigenlens.testing import LAWS, Sample
from inverse_models import LAWS_OF_ROWS, li, slice_parts, symmetric, textbook, trace_correlation

rng = np.random.default_rng(0)
X = rng.standard_normal((300, 5)) @ rng.standard_normal((5, 5)) + 10
y = np.sin(X[:, 0] - 10) + (X[:, 1] - 10) ** 3 / 9 + 0.3 * rng.standard_normal(300)


def test_is_the_textbook():
    w = rng.integers(1, 4, len(X)).astype(float)
    codes = np.searchsorted(SIR(n_slices=6).fit(X, y, w)._slicing.cuts[0], y)
    shares, means, _, root = slice_parts(X, codes, w)
    values, directions = textbook((means * shares[:, None]).T @ means, root)
    model = SIR(n_slices=6).fit(X, y, w)
    np.testing.assert_allclose(model.eigenvalues_, values[:5], rtol=1e-10)
    np.testing.assert_allclose(np.abs(model.components_), np.abs(directions), rtol=1e-8)
    np.testing.assert_allclose(model.slice_weights_ / w.sum(), shares)
    np.testing.assert_allclose(
        model.slice_means_, [w[codes == h] @ X[codes == h] / w[codes == h].sum() for h in range(6)]
    )


def test_variates_are_uncorrelated_with_variance_one_and_eigenvalues_are_shares_between_slices():
    model = SIR(n_slices=5).fit(X, y)
    Z = model.transform(X)
    np.testing.assert_allclose(np.cov(Z.T, ddof=0), np.eye(4), atol=1e-12)
    codes = model._slicing.codes(y[:, None])
    between = sum(np.mean(codes == h) * Z[codes == h].mean(axis=0) ** 2 for h in range(5))
    np.testing.assert_allclose(between, model.eigenvalues_, rtol=1e-10)


@pytest.mark.parametrize("law", LAWS_OF_ROWS)
@pytest.mark.parametrize("estimator", [SIR(2), SIR(n_slices=4, ridge=0.1), SIR(2, between="slices")], ids=repr)
def test_laws_with_a_numeric_response(estimator, law):
    LAWS[law](estimator, Sample(X, y))


@pytest.mark.parametrize("law", ["merge", "partial_fit"])
def test_merging_with_given_cuts(law):
    LAWS[law](SIR(2, n_slices=[-1.0, 0.0, 0.4, 1.3]), Sample(X, y))


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_class_slices_span_the_space_of_lda(load):
    A, c = load(return_X_y=True)
    lda = LDA().fit(A, c)
    for model in (SIR().fit(A, c), SIR().fit(A, slices=c.astype(str)), SIR().fit(A, c + 0.0)):
        assert model.subspace_.distance(Subspace(np.zeros(A.shape[1]), lda.scalings_)) < 1e-10
        ratio = lda.spectrum_.values * len(A) / (len(A) - 3)  # between over within; SIR's is between over total
        np.testing.assert_allclose(model.eigenvalues_, ratio / (1 + ratio), rtol=1e-10)


def test_slices_that_count_alike():
    """Of equal size they are those that count by their rows; else the tests are by permutations."""
    equal = np.argsort(np.argsort(y)) % 4
    one, other = (SIR(between=between).fit(X, slices=equal) for between in ("weighted", "slices"))
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, rtol=1e-9)
    cuts = np.linspace(y.min(), y.max(), 6)[1:-1]
    model = SIR(2, n_slices=cuts, between="slices").fit(X, y)
    assert model.subspace_.distance(SIR(2, n_slices=cuts).fit(X, y).subspace_) > 1e-3
    seen = np.searchsorted(cuts, y) < 4  # rows of weight 0 leave a slice out
    without = SIR(2, n_slices=cuts, between="slices").fit(X, y, seen.astype(float))
    np.testing.assert_allclose(
        without.eigenvalues_, SIR(2, n_slices=cuts, between="slices").fit(X[seen], y[seen]).eigenvalues_, rtol=1e-9
    )
    assert model.test_dimension(X, y, n_draws=19).method.startswith("permutation")
    with pytest.raises(InputError, match="reads rows"):
        model.test_dimension()
    with pytest.raises(InputError, match="method='chi2' is not an option; use one of 'permutation'"):
        model.test_dimension(X, y, method="chi2")
    assert "χ²" not in str(model.summary())


# Mean squared trace correlations over 100 samples, n = 400, p = 10, ten slices of 40. On given slices SIR equals R's dr
# to round-off (tests/reference), and a continuous y leaves only one way to make ten slices of 40.
@pytest.mark.parametrize(("model", "expected"), [("product", 0.862), ("ratio", 0.921)])
def test_on_the_models_of_li(model, expected):
    found, by_hand = [], []
    for seed in range(100):
        A, b, truth = li(model, np.random.default_rng(seed))
        found.append(trace_correlation(SIR(2).fit(A, b).components_, truth))
        shares, means, _, root = slice_parts(A, np.argsort(np.argsort(b)) // 40)
        by_hand.append(trace_correlation(textbook((means * shares[:, None]).T @ means, root)[1][:2], truth))
    np.testing.assert_allclose(found, by_hand, rtol=1e-9)
    assert np.mean(found) == pytest.approx(expected, abs=3 * np.std(found) / 10)


def test_a_symmetric_response_defeats_it():
    A, b = symmetric(np.random.default_rng(1))
    model = SIR(1).fit(A, b)
    assert abs(model.components_[0, 0]) < 0.9
    assert model.test_dimension().dimension == 0


def test_ill_conditioned_columns_are_read_again_as_a_factor():
    A = np.random.default_rng(2).standard_normal((20_000, 60))
    b = A[:, 1].copy()
    A[:, 1] = A[:, 0] + 1e-6 * A[:, 1]
    model = SIR(1).fit(A, b)
    assert model.moments_.of is Factor
    assert model.eigenvalues_[0] > 0.95


def test_more_columns_than_rows():
    A = np.random.default_rng(3).standard_normal((60, 100))
    A[:, 0] *= 4
    b = A[:, 0] + 0.1 * np.random.default_rng(4).standard_normal(60)
    with pytest.warns(RankWarning, match=r"X has rank 59 but 100 columns vary.*Use ridge"):
        SIR(1).fit(A, b)
    assert np.argmax(np.abs(SIR(1, ridge=1.0).fit(A, b).components_[0])) == 0


def test_scales_and_offsets():
    reference = SIR(2).fit(X, y)
    size = 10.0 ** np.array([-100, 100, 0, 150, -150])
    scaled = SIR(2).fit(X * size, y)
    np.testing.assert_allclose(scaled.eigenvalues_, reference.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(np.abs(scaled.components_ * size), np.abs(reference.components_), rtol=1e-7)
    np.testing.assert_allclose(scaled.slice_means_, reference.slice_means_ * size, rtol=1e-12)
    grid = np.round(X * 2**16) / 2**16  # moving these rows costs them no digit
    near, far = SIR(2).fit(grid, y), SIR(2).fit(grid + 2.0**30, y)
    np.testing.assert_allclose(far.eigenvalues_, near.eigenvalues_, rtol=1e-10)


# -- pieces ----------------------------------------------------------------------------------------------------------


def test_the_first_batch_fixes_the_cuts():
    batches = SIR(2).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    cuts = SIR(2).fit(X[:100], y[:100])._slicing.cuts[0]
    np.testing.assert_allclose(batches.components_, SIR(2, n_slices=cuts).fit(X, y).components_, rtol=1e-9)


def test_the_number_of_directions_may_be_found_from_batches():
    cuts = [-1.0, 0.0, 0.4, 1.3]
    batches = SIR("auto", n_slices=cuts).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    np.testing.assert_allclose(batches.components_, SIR("auto", n_slices=cuts).fit(X, y).components_, rtol=1e-9)


def test_moments_cut_differently_do_not_merge():
    here, there = SIR().fit(X[:150], y[:150]).moments_, SIR().fit(X[150:], y[150:]).moments_
    with pytest.raises(InputError, match=r"have different meanings \(cuts at .* and 4 more; cuts at"):
        here.merge(there)


def test_fit_moments_for_many_dimensions_and_ridges():
    whole = SIR().fit(X, y)
    np.testing.assert_array_equal(SIR(2).fit_moments(whole.moments_).components_, whole.components_[:2])
    ridged = SIR(2, ridge=0.5).fit_moments(whole.moments_)
    np.testing.assert_allclose(ridged.components_, SIR(2, ridge=0.5).fit(X, y).components_, rtol=1e-10)
    assert ridged.slice_names_ == whole.slice_names_
    later = SIR(2).fit_moments(SIR().fit(X[:200], y[:200]).moments_).partial_fit(X[200:], y[200:])  # cuts come along
    assert later.moments_.weight == 300
    from_save = SIR().fit_moments(SAVE().fit(X, y).moments_)
    np.testing.assert_allclose(from_save.components_, whole.components_, atol=1e-10)


def test_whole_numbers_that_stop_being_few():
    model = SIR(n_slices=4).partial_fit(X[:50], np.arange(50) % 3)
    model.partial_fit(X[50:100], np.arange(50) % 4)
    with pytest.raises(InputError, match="now it has others"):
        model.partial_fit(X[100:150], np.arange(50) % 7)
    with pytest.raises(InputError, match="now it has others"):
        model.partial_fit(X[100:150], y[100:150])
    assert model.moments_.weight == 100


# -- how many --------------------------------------------------------------------------------------------------------


def test_the_tests_hold_their_level_and_find_the_plane():
    rejected = {"chi2": 0, "permutation": 0}
    for seed in range(200):
        r = np.random.default_rng(seed)
        A, b = r.standard_normal((100, 4)), r.standard_normal(100)
        model = SIR(n_slices=5).fit(A, b)
        rejected["chi2"] += model.test_dimension().dimension > 0
        if seed < 60:
            rejected["permutation"] += model.test_dimension(A, b, method="permutation", n_draws=39).dimension > 0
    assert rejected["chi2"] / 200 < 0.09
    assert rejected["permutation"] / 60 < 0.13
    A, b, _ = li("ratio", np.random.default_rng(5))
    assert SIR().fit(A, b).test_dimension().dimension == 2
    assert SIR(2).fit(A, b).test_dimension(A, b, method="permutation").dimension == 2


def test_a_table_a_person_can_read():
    result = SIR(n_slices=5).fit(X, y).test_dimension()
    assert list(result.to_frame().columns) == ["eigenvalue", "chi2", "df", "linear_p_value", "p_value", "detectable"]
    assert result.statistics["df"].tolist() == [20, 12, 6, 2]
    assert "at the 5% level (χ²(" in str(result)
    assert "linear regression p = 0.0012, together p = 0.0023" in str(result)


def test_permutations_need_the_rows():
    model = SIR().fit(X, y)
    again = model.test_dimension(X, y, method="permutation", n_draws=19)
    loaded = pickle.loads(pickle.dumps(model)).test_dimension(X, y, method="permutation", n_draws=19)
    np.testing.assert_array_equal(again.p_values, loaded.p_values)
    with pytest.raises(InputError, match="a model keeps none: pass them"):
        model.test_dimension(method="permutation")
    assert len(pickle.dumps(model)) < 20_000  # the rows are not in the file
    weight = np.full(len(X), 0.5)
    weighted = SIR().fit(X, y, weight)
    with pytest.raises(InputError, match=r"sample_weight holds 0\.5"):
        weighted.test_dimension(X, y, weight, method="permutation")


# -- other arrays, and scikit-learn ----------------------------------------------------------------------------------


@pytest.mark.parametrize("library", [torch.tensor, array_api_strict.asarray])
@pytest.mark.parametrize("method", [SIR, SAVE, DirectionalRegression, LocalizedSIR])
def test_arrays_of_other_libraries(method, library):
    hidden = np.where(np.arange(300) % 5 == 0, np.nan, y) if method is LocalizedSIR else y
    here, there = method(2, n_slices=4).fit(X, hidden), method(2, n_slices=4).fit(library(X), library(hidden))
    assert type(there.components_) is type(library(X))
    assert type(there.transform(library(X))) is type(library(X))
    np.testing.assert_allclose(np.asarray(there.components_), here.components_, rtol=1e-10, atol=1e-12)
    for test in here._slices.tests:
        found = (
            here.test_dimension(X, hidden, method=test, n_draws=19).p_values,
            there.test_dimension(library(X), library(hidden), method=test, n_draws=19).p_values,
        )
        np.testing.assert_allclose(*found, atol=1e-9)


def test_in_a_pipeline_with_grid_search():
    A, b, _ = li("ratio", np.random.default_rng(6))
    pipeline = make_pipeline(SIR(), KNeighborsRegressor(15))
    search = GridSearchCV(pipeline, {"sir__n_components": [1, 2, 4], "sir__n_slices": [5, 10]}, cv=3).fit(A, b)
    plain = GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [15]}, cv=3).fit(A, b)
    assert search.best_score_ > plain.best_score_ + 0.1
    assert search.best_estimator_[0].get_feature_names_out()[0] == "sir0"
    assert make_pipeline(SIR(1), LinearRegression()).fit(A, b).score(A, b) > 0.3


# -- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_slices": 1}, "n_slices=1 but it must be at least 2"),
        ({"n_slices": "many"}, "n_slices='many'"),
        ({"n_slices": [2.0, 1.0]}, "ascending"),
        ({"n_slices": []}, "n_slices="),
        ({"n_slices": 2.5}, "n_slices=2.5"),
        ({"ridge": -1}, "ridge=-1"),
        ({"n_components": 0}, "n_components=0"),
        ({"between": "equal"}, "between='equal' is not an option; use one of 'weighted', 'slices'"),
        ({"between": "slices", "n_components": "auto"}, "n_components='auto'"),
        ({"n_components": 6}, "n_components=6 but .* use n_components between 1 and 5"),
        ({"n_components": 3, "n_slices": 3}, "3 slices of 5 columns give at most 2 directions"),
    ],
)
def test_parameters_that_cannot_work(parameters, message):
    with pytest.raises(InputError, match=message):
        SIR(**parameters).fit(X, y)


@pytest.mark.parametrize("constant", [np.full(300, 2.5), np.full(300, 3), np.full(300, "a")])
def test_constant_y(constant):
    with pytest.raises(InputError, match="the response is constant"):
        SIR().fit(X, constant)


def test_y_that_cannot_be_sliced():
    with pytest.raises(InputError, match="y is None"):
        SIR().fit(X)
    with pytest.raises(InputError, match="missing in all 300 rows"):
        SIR().fit(X, np.full(300, np.nan))
    with pytest.raises(InputError, match="LocalizedSIR"):
        SIR().fit(X, np.where(np.arange(300) == 7, np.nan, y))
    with pytest.raises(InputError, match="X has 300 rows but y has 299"):
        SIR().fit(X, y[:-1])
    with pytest.raises(InputError, match="X has 300 rows but y has 299"):
        SIR().fit(X, y[:-1], sample_weight=np.ones(300))
    with pytest.raises(InputTypeError, match="slices must be"):
        SIR().fit(X, slices=y)
    with pytest.raises(InputError, match=r"X contains NaN \(the first in row 3, column 1\)"):
        SIR().fit(np.where((np.arange(300) == 3)[:, None] & (np.arange(5) == 1), np.nan, X), y)
    with pytest.raises(InputError, match="every column is constant"):
        SIR().fit(np.ones((300, 2)), y)


def test_words_of_many_levels():
    names = np.array([f"person {i}" for i in range(300)])
    with pytest.raises(InputError, match="Each of the 300 rows is a slice of its own"):
        SIR().fit(X, names)
    with pytest.warns(SliceWarning, match="200 slices of 300 rows"):
        SIR().fit(X, names[np.arange(300) % 200])


def test_a_slice_of_one_row_is_weighted_by_its_share():
    codes = np.r_[0, np.arange(299) % 3 + 1]
    model = SIR().fit(X, slices=codes)
    shares, means, _, root = slice_parts(X, codes)
    np.testing.assert_allclose(
        model.eigenvalues_, textbook((means * shares[:, None]).T @ means, root)[0][:3], rtol=1e-9
    )
    np.testing.assert_allclose(model.slice_means_[0], X[0])


def test_slices_that_differ_in_one_direction_only():
    codes = np.arange(300) % 4
    A = X - np.array([X[codes == h].mean(axis=0) for h in range(4)])[codes]
    A[:, 0] += codes
    with pytest.warns(RankWarning, match="What differs between slices has rank 1 but 2 were asked for"):
        assert SIR(2).fit(A, slices=codes).components_.shape == (1, 5)


def test_a_constant_column_is_harmless():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SIR(2).fit(np.c_[X, np.full(300, 7.0)], y)
    np.testing.assert_allclose(model.components_[:, :5], SIR(2).fit(X, y).components_, rtol=1e-9)
    assert np.all(model.components_[:, 5] == 0)


def test_tests_with_a_ridge_are_refused():
    with pytest.raises(InputError, match=r"ridge=0\.1"):
        SIR(ridge=0.1).fit(X, y).test_dimension()
    with pytest.raises(InputError, match="method='wilks'"):
        SIR().fit(X, y).test_dimension(method="wilks")
    with pytest.raises(InputError, match=r"n_draws=9 gives p-values of 0\.1 at best.*at least 19"):
        SIR().fit(X, y).test_dimension(X, y, method="permutation", n_draws=9)
    with pytest.raises(InputError, match="alpha=2"):
        SIR().fit(X, y).test_dimension(alpha=2)


def test_a_ridge_that_is_to_be_chosen_is_told_how():
    from eigenlens.validation import cross_validate

    for model in (SIR, SAVE, DirectionalRegression):
        with pytest.raises(InputTypeError, match=rf"does not choose it.*cross_validate\({model.__name__}\(\), X, y"):
            model(ridge="cv").fit(X, y)
        assert "ridge" in cross_validate(model(), X, y, settings={"ridge": [0, 1e-3, 0.1]}).best
