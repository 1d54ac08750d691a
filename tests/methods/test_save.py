"""SAVE: what is its own, beyond the laws."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from eigenlens import SAVE, SIR
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.moments import Scatter
from eigenlens.testing import LAWS, Sample
from inverse_models import LAWS_OF_ROWS, slice_parts, symmetric, textbook

rng = np.random.default_rng(0)
X = rng.standard_normal((400, 5)) @ rng.standard_normal((5, 5)) + 10
y = (X[:, 0] - 10) ** 2 + X[:, 1] + 0.3 * rng.standard_normal(400)


def test_is_the_textbook():
    w = rng.integers(1, 4, len(X)).astype(float)
    model = SAVE(n_slices=4).fit(X, y, w)
    shares, _, covariances, root = slice_parts(X, model._slicing.codes(y[:, None]), w)
    kernel = sum(p * (np.eye(5) - V) @ (np.eye(5) - V) for p, V in zip(shares, covariances, strict=True))
    values, directions = textbook(kernel, root)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-10)
    np.testing.assert_allclose(np.abs(model.components_), np.abs(directions), rtol=1e-7)


def test_a_squared_scatter_gives_the_same():
    model = SAVE(n_slices=4).fit(X, y)
    moments = SAVE(n_slices=4)._collect(model._open_again(X, y, None), Scatter)
    moments.meaning = model.moments_.meaning
    assert moments.squared
    assert not model.moments_.squared
    np.testing.assert_allclose(SAVE(n_slices=4).fit_moments(moments).components_, model.components_, atol=1e-10)


@pytest.mark.parametrize("law", LAWS_OF_ROWS)
def test_laws_with_a_numeric_response(law):
    LAWS[law](SAVE(2, n_slices=4), Sample(X, y))


@pytest.mark.parametrize("law", ["merge", "partial_fit"])
def test_merging_with_given_cuts(law):
    LAWS[law](SAVE(2, n_slices=[8.0, 10.0, 14.0]), Sample(X, y))


def test_finds_what_a_symmetric_response_hides_from_sir():
    A, b = symmetric(np.random.default_rng(1))
    model = SAVE(1, n_slices=5).fit(A, b)
    assert np.abs(model.components_[0, 0]) / np.linalg.norm(model.components_) > 0.99
    for method in ("chi2", "simulation", "permutation"):
        assert model.test_dimension(A, b, method=method, n_draws=99).dimension == 1


@pytest.mark.parametrize("method", ["chi2", "simulation", "permutation"])
def test_the_tests_hold_their_level(method):
    runs, rejected = (200 if method == "chi2" else 60), 0
    for seed in range(runs):
        r = np.random.default_rng(seed)
        A, b = r.standard_normal((300, 3)), r.standard_normal(300)
        rejected += SAVE(n_slices=3).fit(A, b).test_dimension(A, b, method=method, n_draws=39).dimension > 0
    assert rejected / runs < (0.1 if method == "chi2" else 0.14)


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # the units are meant
def test_directions_in_which_nothing_varies_are_no_change_of_variance():
    """With a ridge, the covariance of all rows is less than I; comparing with I would rank empty directions first."""
    r = np.random.default_rng(2)
    A = np.c_[r.standard_normal((500, 3)), 1e-6 * r.standard_normal((500, 3))]
    model = SAVE(1, n_slices=4, ridge=0.1).fit(A, A[:, 0] ** 2)
    assert np.argmax(np.abs(model.components_[0])) == 0


def test_a_slice_of_one_row():
    codes = np.r_[0, np.arange(399) % 3 + 1]
    model = SAVE().fit(X, slices=codes)
    shares, _, covariances, root = slice_parts(X, codes)
    kernel = sum(p * (np.eye(5) - V) @ (np.eye(5) - V) for p, V in zip(shares, covariances, strict=True))
    np.testing.assert_allclose(model.eigenvalues_, textbook(kernel, root)[0], rtol=1e-9)


def test_scales():
    reference = SAVE(2, n_slices=4).fit(X, y)
    size = 10.0 ** np.array([-100, 100, 0, 150, -150])
    scaled = SAVE(2, n_slices=4).fit(X * size, y)
    np.testing.assert_allclose(scaled.eigenvalues_, reference.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(np.abs(scaled.components_ * size), np.abs(reference.components_), rtol=1e-7)


def test_classes_as_slices():
    A, c = load_iris(return_X_y=True)
    model = SAVE(2).fit(A, c)
    assert model.slices_.tolist() == [0, 1, 2]
    assert model.moments_.groups[0].weight == 50


def test_moments_of_sir_are_not_enough():
    with pytest.raises(InputTypeError, match="one scatter for each group"):
        SAVE().fit_moments(SIR().fit(X, y).moments_)


def test_bad_input():
    with pytest.raises(InputError, match="the response is constant"):
        SAVE().fit(X, np.full(400, 0.5))
    with pytest.raises(InputError, match="n_components=6"):
        SAVE(6).fit(X, y)
    with pytest.raises(InputError, match="method='li'"):
        SAVE().fit(X, y).test_dimension(method="li")
    with pytest.raises(InputError, match="n_draws=0"):
        SAVE().fit(X, y).test_dimension(n_draws=0)
