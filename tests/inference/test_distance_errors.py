"""Axes of a map that errors of its distances do not explain."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from eigenlens import ClassicalMDS
from eigenlens.exceptions import InputError
from eigenlens.inference import distance_errors_test


def table(n, d, size, seed):
    """Distances of points in d axes, each with an error of its own."""
    rng = np.random.default_rng(seed)
    D = squareform(pdist(rng.standard_normal((n, d)) * np.linspace(3.0, 1.5, d))) if d else 3.0 * (1 - np.eye(n))
    E = np.triu(size * rng.standard_normal((n, n)), 1)
    return np.abs(D + E + E.T)


@pytest.mark.parametrize("d", [0, 1, 2])
def test_it_finds_too_many_axes_in_one_table_of_twenty_at_most(d):
    found = np.array([distance_errors_test(table(21, d, 0.5, seed), n_draws=99).dimension for seed in range(60)])
    assert (found > d).sum() <= 7  # P(more | 5%) < 2%
    assert (found < d).sum() <= 15


def test_a_model_asks_it_for_its_own_distances():
    D = table(25, 2, 0.3, 0)
    mds = ClassicalMDS(metric="precomputed").fit(D)
    test = mds.test_dimension(D, method="errors", n_draws=99)
    alone = distance_errors_test(D, n_draws=99)
    assert test.dimension == 2
    np.testing.assert_array_equal(test.p_values, alone.p_values)
    assert "errors of the distances" in test.about
    with pytest.raises(InputError, match="pass them, test_dimension"):
        mds.test_dimension(method="errors")
    weight = np.ones(25)
    weight[3] = 0
    kept = np.flatnonzero(weight)
    weighted = ClassicalMDS(metric="precomputed").fit(D, sample_weight=weight)
    np.testing.assert_allclose(
        weighted.test_dimension(D, sample_weight=weight, method="errors", n_draws=19).statistics["eigenvalue"],
        distance_errors_test(D[np.ix_(kept, kept)], n_draws=19).statistics["eigenvalue"],
        rtol=1e-12,
    )


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_units_of_any_size(unit):
    D = table(15, 2, 0.3, 0)
    plain, scaled = distance_errors_test(D, n_draws=19), distance_errors_test(unit * D, n_draws=19)
    np.testing.assert_array_equal(plain.p_values, scaled.p_values)


def test_what_it_refuses():
    mds = ClassicalMDS(metric="precomputed").fit(table(9, 1, 0.1, 0))
    with pytest.raises(InputError, match="alpha"):
        mds.test_dimension(alpha=-1)
    with pytest.raises(InputError, match="n_draws"):
        distance_errors_test(table(9, 1, 0.1, 0), n_draws=0)
    with pytest.raises(InputError, match="negative"):
        distance_errors_test(-table(9, 1, 0.1, 0))
