"""What a normal law says of missing cells: by definition, a row at a time, and by integration."""

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from test_patterns import holey

from eigenlens.moments.completion import NEARLY_SINGULAR
from eigenlens.moments.conditional import Conditional, nearly_singular


def law_of(p, seed=0, n_groups=2):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((p, 2 * p))
    return rng.standard_normal((n_groups, p)), A @ A.T / p


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("p", [3, 30])
def test_every_answer_by_its_definition(p, share):
    means, S = law_of(p)
    X = holey(n=25, p=p, share=share)
    X[4] = np.nan
    law = Conditional(means, S)
    filled, errors = law.filled(X, group=1), law.standard_errors(X)
    density, squares = law.log_density(X), law.mahalanobis(X)
    for i, x in enumerate(X):
        o, m = ~np.isnan(x), np.isnan(x)
        B = np.linalg.solve(S[np.ix_(o, o)], S[np.ix_(o, m)]).T
        C = np.zeros((p, p))
        C[np.ix_(m, m)] = S[np.ix_(m, m)] - B @ S[np.ix_(o, m)]
        np.testing.assert_array_equal(filled[i, o], x[o])
        np.testing.assert_allclose(filled[i, m], means[1, m] + B @ (x[o] - means[1, o]), atol=1e-10)
        np.testing.assert_allclose(errors[i] ** 2, C.diagonal(), atol=1e-10)
        for g in range(2):
            d = x[o] - means[g, o]
            if o.any():
                expected = scipy.stats.multivariate_normal(means[g, o], S[np.ix_(o, o)]).logpdf(x[o])
                np.testing.assert_allclose(density[i, g], expected, rtol=1e-10)
            np.testing.assert_allclose(squares[i, g], d @ np.linalg.solve(S[np.ix_(o, o)], d), rtol=1e-9)


def test_the_density_of_the_observed_cells_is_an_integral():
    means, S = law_of(2, n_groups=1)
    whole = scipy.stats.multivariate_normal(means[0], S)
    integral = scipy.integrate.quad(lambda t: whole.pdf([0.7, t]), -np.inf, np.inf, epsabs=1e-12)[0]
    found = Conditional(means, S).log_density(np.array([[0.7, np.nan]]))[0, 0]
    assert np.exp(found) == pytest.approx(integral, rel=1e-8)


def test_units_and_constants():
    means, S = law_of(4, n_groups=1)
    X = holey(n=30, p=4)
    unit = np.array([1e-100, 1.0, 1e100, 1e8])
    plain, scaled = Conditional(means, S), Conditional(means * unit, S * unit * unit[:, None])
    np.testing.assert_allclose(scaled.filled(X * unit) / unit, plain.filled(X), rtol=1e-9)
    np.testing.assert_allclose(scaled.mahalanobis(X * unit), plain.mahalanobis(X), rtol=1e-9)
    S[2] = S[:, 2] = 0.0
    rest = [0, 1, 3]
    held, without = Conditional(means, S), Conditional(means[:, rest], S[np.ix_(rest, rest)])
    np.testing.assert_allclose(held.filled(X)[:, rest], without.filled(X[:, rest]), rtol=1e-12)
    assert (held.filled(X)[np.isnan(X[:, 2]), 2] == means[0, 2]).all()


def test_a_singular_covariance_is_refused():
    with pytest.raises(ValueError, match="covariance is singular"):
        Conditional(np.zeros((1, 2)), np.ones((2, 2)))


@pytest.mark.parametrize("depth", [1e-1, 1e-5])
def test_a_nearly_singular_covariance_is_known_without_a_decomposition(depth, monkeypatch):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((40, 40))
    A[:, 1] = A[:, 0] + depth * A[:, 1]
    law = Conditional(np.zeros((1, 40)), A.T @ A)
    assert (np.linalg.svd(law.L, compute_uv=False)[-1] < NEARLY_SINGULAR) == (depth < 1e-3)
    monkeypatch.setattr(np.linalg, "svd", None)
    assert nearly_singular(law.L) == (depth < 1e-3)
