"""What tests of dimension refuse, in their own words, and what seeds they take."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from eigenlens import CCA, FDA, LDA, PCA, PDA, SAVE, SIR, DirectionalRegression, LocalizedSIR
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.inference import (
    above_negative,
    bootstrap,
    broken_stick,
    denoise,
    hard_threshold,
    minka,
    noise_edge,
    parallel_analysis,
    tracy_widom_test,
    wilks,
)
from eigenlens.regress import PolynomialRegression

X, y = load_iris(return_X_y=True)
Y = np.column_stack([y, y**2])
OF_VALUES = {
    "minka": lambda v: minka(v, 100),
    "noise_edge": lambda v: noise_edge(v, 100),
    "tracy_widom_test": lambda v: tracy_widom_test(v, 100),
    "broken_stick": broken_stick,
    "hard_threshold": lambda v: hard_threshold(v, 100),
    "above_negative": above_negative,
}
TESTED = {
    "PCA": (PCA(2), None),
    "LDA": (LDA(), y),
    "LDA shrunk": (LDA(shrinkage=0.2), y),
    "PDA": (PDA(), y),
    "FDA": (FDA(regressor=PolynomialRegression(1)), y),
    "CCA": (CCA(), Y),
    "CCA ridge": (CCA(ridge=0.1), Y),
    "SIR": (SIR(1), y),
    "SAVE": (SAVE(1), y),
    "DirectionalRegression": (DirectionalRegression(1), y),
    "LocalizedSIR": (LocalizedSIR(1), y),
}


def dimension_of(name, **options):
    model, target = TESTED[name]
    return model.fit(X, target).test_dimension(X, target, **options)


@pytest.mark.parametrize("name", OF_VALUES)
def test_eigenvalues_may_come_in_any_order_and_as_a_list(name):
    values = [3.0, 0.2, 1.0, 0.9]
    one, two = OF_VALUES[name](values), OF_VALUES[name](np.sort(values)[::-1])
    assert str(one) == str(two)


@pytest.mark.parametrize("name", OF_VALUES)
@pytest.mark.parametrize(
    "values", [[3, np.nan, 1], "abc", 3.0, np.eye(3), PCA().fit(X)], ids=["nan", "word", "number", "matrix", "model"]
)
def test_what_are_no_eigenvalues_is_refused(name, values):
    with pytest.raises(InputError, match=r"values=.*takes one row of finite numbers"):
        OF_VALUES[name](values)


@pytest.mark.parametrize("name", OF_VALUES)
def test_too_few_eigenvalues_are_refused(name):
    with pytest.raises(InputError, match=r"needs at least . eigenvalues and got 0"):
        OF_VALUES[name]([])


def test_eigenvalues_of_no_covariance_are_refused():
    for name in ("minka", "noise_edge", "tracy_widom_test", "hard_threshold"):
        with pytest.raises(InputError, match="values holds -1"):
            OF_VALUES[name]([3, 2, -1])
    with pytest.raises(InputError, match=r"values holds 0: .* of full rank"):
        minka([3, 2, 0], 100)
    for n in ("x", None, float("nan")):
        with pytest.raises(InputError if isinstance(n, float) else InputTypeError, match="n="):
            noise_edge([3, 2, 1], n)
    assert tracy_widom_test(np.zeros(4), 100).dimension == 0  # no variance is no direction


def test_correlations_that_are_none_are_refused():
    for wrong, words in (
        ("abc", "correlations='abc'"),
        ([], "correlations="),
        ([[0.8]], "correlations="),
        ([0.2, 0.8], "sorted, largest first"),
        ([0.8, 0.2, 0.1, 0.05], "3 pairs"),
        (CCA, "of a fitted model, use"),
    ):
        with pytest.raises((InputError, InputTypeError), match=words):
            wilks(wrong, 20, 3, 3)
    for sizes, words in (
        ((20, 0, 3), "p=0"),
        ((20, 2.5, 3), "p=2.5"),
        (("x", 3, 3), "n='x'"),
        ((np.nan, 3, 3), "n=nan"),
    ):
        with pytest.raises((InputError, InputTypeError), match=words):
            wilks([0.8], *sizes)
    with pytest.raises(InputError, match="sines"):
        wilks([0.8, 0.2], 20, 3, 3, sines=[0.1])
    for method in ("wilks", "bartlett", "pillai", "lawley-hotelling", "roy"):
        np.testing.assert_array_equal(wilks([1.0, 1.0, 1.0], 20, 3, 3, method=method).p_values, 0)


@pytest.mark.parametrize("alpha", [0, 1, 5, -0.1, float("nan"), "x", None])
@pytest.mark.parametrize("name", TESTED)
def test_a_level_lies_between_0_and_1(name, alpha):
    with pytest.raises((InputError, InputTypeError), match=r"alpha=.* between 0 and 1"):
        dimension_of(name, alpha=alpha)


@pytest.mark.parametrize("name", TESTED)
def test_unknown_methods_are_told_all_that_there_are(name):
    with pytest.raises(InputError, match=r"method='x' is not an option; use one of .*'permutation'"):
        dimension_of(name, method="x")


@pytest.mark.filterwarnings("ignore:X is clustered or curved")  # as irises are
@pytest.mark.parametrize("name", TESTED)
def test_seeds_of_every_kind(name):
    def found(seed):
        return dimension_of(name, random_state=seed, method="permutation", n_draws=39).statistics

    def same(a, b):
        return all(np.array_equal(a[key], b[key], equal_nan=True) for key in a)

    assert same(found(3), found(np.int64(3)))
    assert same(found(np.random.default_rng(3)), found(np.random.default_rng(3)))
    assert same(found(np.random.RandomState(3)), found(np.random.RandomState(3)))
    assert not same(found(None), found(None))
    for wrong in (-1, 1.5, "x", True, [1, 2]):
        with pytest.raises((InputError, InputTypeError), match="random_state="):
            found(wrong)


def test_parallel_analysis_of_what_it_cannot_read():
    for model in (PCA, PCA().fit(X), LDA().fit(X, y)):
        with pytest.raises(InputTypeError, match=r"X is a model.*model\.test_dimension\(\)"):
            parallel_analysis(model)
    with pytest.raises(InputError, match="needs at least 2 columns and X has 1"):
        parallel_analysis(X[:, :1])
    with pytest.raises(InputError, match="needs at least 2 columns and X has 1"):
        PCA().fit(X[:, :1]).test_dimension()
    with pytest.raises(InputError, match="needs at least 4 rows and X has 3"):
        PCA(1).fit(X[:3]).test_dimension()
    with pytest.raises(InputError, match="every column is constant; there are no directions"):
        parallel_analysis(np.ones((9, 3)))


@pytest.mark.parametrize("null", ["permutation", "normal"])
def test_parallel_analysis_knows_no_units_and_no_more_directions_than_there_are(null):
    plain = parallel_analysis(X, null=null)
    for unit in (2.0**500, 2.0**-500):
        np.testing.assert_allclose(parallel_analysis(X * unit, null=null).p_values, plain.p_values)
    wide = np.random.default_rng(0).standard_normal((20, 60))
    assert len(parallel_analysis(wide, null=null).p_values) == 19


def test_a_test_goes_on_beyond_what_the_model_keeps():
    """A model of one direction is told of all that there are, not of the next alone."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((400, 5))
    b = A[:, 0] ** 2 + 2 * A[:, 1] + 0.1 * rng.standard_normal(400)
    few, all_ = (DirectionalRegression(k, n_slices=4).fit(A, b).test_dimension() for k in (1, None))
    np.testing.assert_array_equal(few.p_values, all_.p_values)
    permuted = SIR(1, n_slices=4).fit(A, b).test_dimension(A, b, method="permutation", n_draws=39)
    assert len(permuted.p_values) == 3


@pytest.mark.filterwarnings("ignore:.*finds no direction")
def test_auto_keeps_what_the_default_test_finds():
    rng = np.random.default_rng(0)
    for _ in range(40):  # many of them on the brink
        A = rng.standard_normal((60, 6))
        A[:, 1] += rng.uniform(0.2, 0.5) * A[:, 0]
        assert PCA("auto").fit(A).n_components_ == max(1, PCA().fit(A).test_dimension().dimension)


@pytest.mark.parametrize("model", [PCA, "PCA", None, 3, X], ids=["class", "word", "None", "number", "table"])
def test_the_bootstrap_asks_for_an_estimator(model):
    with pytest.raises(InputTypeError, match=r"model is .*must be an estimator"):
        bootstrap(model, X, n_boot=200)


def test_denoise_takes_rounding_for_nothing():
    table = np.outer(np.arange(50.0), np.arange(1.0, 11.0))
    found = denoise(table)
    assert found.rank == 1
    np.testing.assert_allclose(found.signal, table, atol=1e-10)
