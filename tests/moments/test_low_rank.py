"""Probabilistic PCA with holes: closed form without holes first, the slope second, rows third."""

import numpy as np
import pytest
import scipy.optimize
from test_patterns import holey

from eigenlens.moments import Patterns
from eigenlens.moments.conditional import Conditional
from eigenlens.moments.low_rank import _start, fit_low_rank
from eigenlens.moments.marginals import Sample
from eigenlens.rows import Block


def patterns(X):
    return Patterns().update(Block(X))


def wide(n=30, p=50, share=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, p)) * 2 + 0.5 * rng.standard_normal((n, p)) + 5.0
    return np.where(rng.random((n, p)) < share, np.nan, X)


def test_the_slope_is_the_derivative():
    sample = Sample.of(patterns(holey(n=40, p=6)))
    model = _start(sample, 2)
    slope = scipy.optimize.approx_fprime(model.place, lambda z: model.at(z).log_likelihood / sample.weight, 1e-7)
    np.testing.assert_allclose(model.slope, slope, atol=1e-5)


@pytest.mark.parametrize("k", [1, 3])
def test_without_holes_it_is_the_closed_form(k):
    X = holey(n=200, p=6, share=0.0)
    found = fit_low_rank(patterns(X), k)
    values, vectors = np.linalg.eigh(np.cov(X.T, ddof=0))
    values, vectors = values[::-1], vectors[:, ::-1]
    noise = np.linalg.eigvalsh(found.moments.matrix / 200)[:-k]
    np.testing.assert_allclose(noise, values[k:].mean(), rtol=1e-6)
    model = vectors[:, :k] * (values[:k] - values[k:].mean()) @ vectors[:, :k].T + values[k:].mean() * np.eye(6)
    np.testing.assert_allclose(found.moments.matrix / 200, model, atol=1e-5)
    np.testing.assert_allclose(found.moments.mean, X.mean(axis=0), atol=1e-7)


def test_more_columns_than_rows():
    X = wide()
    found = fit_low_rank(patterns(X), 2)
    assert found.score <= 1e-8
    Sigma = found.moments.matrix / len(X)
    noise = np.linalg.eigvalsh(Sigma)[:-2]
    np.testing.assert_allclose(noise, noise.mean(), rtol=1e-10)
    density = Conditional(found.moments.mean[None, :], Sigma).log_density(X)
    assert found.log_likelihood == pytest.approx(density.sum(), rel=1e-10)


def _over_trace(matrix):
    return matrix / np.trace(matrix)


@pytest.mark.parametrize("size", [1e-150, 1e-5, 1e5, 1e150])
def test_units_change_nothing(size):
    power = 2.0 ** np.round(np.log2(size))
    plain, scaled = fit_low_rank(patterns(wide()), 2), fit_low_rank(patterns(wide() * power), 2)
    np.testing.assert_allclose(scaled.moments.mean / power, plain.moments.mean, rtol=1e-6)
    assert scaled.moments.exponent is None or (scaled.moments.exponent == scaled.moments.exponent[0]).all()
    np.testing.assert_allclose(_over_trace(scaled.moments.matrix), _over_trace(plain.moments.matrix), atol=1e-8)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match=r"k=6, .* use k ≤ 5"):
        fit_low_rank(patterns(holey(p=6)), 6)
    with pytest.raises(ValueError, match="No column varies"):
        fit_low_rank(patterns(np.ones((4, 3))), 1)
    X = wide(n=5, share=0.0)
    with pytest.raises(ValueError, match="use fewer directions"):
        fit_low_rank(patterns(X), 6)
