"""Polynomial regression: least squares on monomials, digits at an offset, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import PolynomialFeatures

from eigenlens.regress import PolynomialRegression


def table(n=50, p=6, q=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, X @ rng.normal(size=(p, q)) + rng.normal(size=(n, q)), rng.integers(1, 4, size=n).astype(float)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_polynomial_is_least_squares_on_monomials(degree):
    X, Y, w = table(n=80, p=3)
    monomials = PolynomialFeatures(degree, include_bias=False).fit(X)
    theirs = LinearRegression().fit(monomials.transform(X), Y, sample_weight=w)
    ours = PolynomialRegression(degree).fit(X, Y, sample_weight=w)
    assert_array_equal(ours.powers_, monomials.powers_)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-10)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-10)
    assert_allclose(ours.predict(X), theirs.predict(monomials.transform(X)), atol=1e-10)
    assert ours.df_ == len(ours.powers_)


def test_powers_only():
    X, y, _ = table(p=3, q=1)
    model = PolynomialRegression(4, interactions=False).fit(X, y)
    assert_array_equal(np.count_nonzero(model.powers_, axis=1), 1)
    assert len(model.powers_) == 12


@settings(max_examples=25, deadline=None)
@given(
    offset=st.sampled_from([0.0, 1e3, -1e6, 1e9]),
    scale=st.sampled_from([1e-100, 1e-3, 1.0, 1e100]),
    seed=st.integers(0, 99),
)
def test_digits_survive_an_offset(offset, scale, seed):
    """Degree 5 in data at 10⁶ ± 1: the fit is exact to the digits that x itself carries."""
    rng = np.random.default_rng(seed)
    u = rng.uniform(-1, 1, size=(60, 1))
    x = scale * (u + offset)
    u = x / scale - offset
    y = np.polynomial.polynomial.polyval(u[:, 0], rng.normal(size=6))
    error = np.abs(PolynomialRegression(5).fit(x, y).predict(x) - y).max()
    assert error < 1e-12 + 100 * np.spacing(abs(offset))


def test_dependent_terms_are_harmless():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, size=50), rng.normal(size=50), np.ones(50)])
    y = X[:, 0] + X[:, 1] ** 2
    model = PolynomialRegression(2).fit(X, y)
    assert_allclose(model.predict(X), y, atol=1e-10)
    assert model.df_ == 4  # x, z, xz, z²


def test_more_terms_than_rows():
    X, y, _ = table(n=10, p=5, q=1)
    model = PolynomialRegression(3).fit(X, y)
    assert_allclose(model.predict(X), y, atol=1e-9)
    assert model.df_ == 9


@pytest.mark.parametrize(
    ("change", "words"),
    [({"degree": 0}, "degree=0"), ({"degree": 2.0}, "degree=2.0 .*integer"), ({"interactions": 2}, "interactions=2")],
)
def test_bad_parameters_are_named(change, words):
    X, y, _ = table()
    with pytest.raises(ValueError, match=words):
        PolynomialRegression(**change).fit(X, y)
