"""How many directions columns share: the fit, its tests, and what rows that belong together do to them."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import norm
from sklearn.datasets import load_iris
from sklearn.decomposition import FactorAnalysis

from eigenlens import PCA
from eigenlens.exceptions import InputError
from eigenlens.inference import components_test, gap_test
from eigenlens.inference.sequential import against_draws
from eigenlens.inference.shared_directions import (
    Standardised,
    components_test_of_moments,
    fit_factors,
    most_directions,
    share_found,
)

NOISES = ("permutation", "flips", "normal")
CRABS = [
    [12.2173, 8.1580, 24.3567, 26.5508, 11.8226],
    [8.1580, 6.6221, 16.3547, 18.2396, 7.8367],
    [24.3567, 16.3547, 50.6799, 55.7614, 23.9714],
    [26.5508, 18.2396, 55.7614, 61.9677, 26.0919],
    [11.8226, 7.8367, 23.9714, 26.0919, 11.7291],
]


def planted(rng, n, p, k, size):
    V = np.linalg.qr(rng.standard_normal((p, max(k, 1))))[0][:, :k]
    return rng.standard_normal((n, p)) + rng.standard_normal((n, k)) * np.sqrt(size * np.sqrt(p / n)) @ V.T


def standardised(X):
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    n, p = Z.shape
    return Standardised(Z, Z.T @ Z / (n - 1) if p < n else None, n - 1)


@pytest.mark.parametrize(("n", "p", "d"), [(200, 8, 2), (200, 80, 3), (40, 90, 2)])
def test_what_the_fit_leaves_has_the_noise_of_each_column(n, p, d):
    fit = fit_factors(standardised(planted(np.random.default_rng(0), n, p, d, 20)), d)
    P = np.eye(p) - fit.vectors @ fit.vectors.T
    left = 1 / fit.noise - np.sum(fit.vectors**2 * fit.values[:d], axis=1)
    np.testing.assert_allclose(left, np.diag(P), rtol=1e-3)


def test_the_fit_is_that_of_maximum_likelihood():
    X = planted(np.random.default_rng(1), 300, 9, 2, 20)
    table = standardised(X)
    peer = FactorAnalysis(2, tol=1e-10, max_iter=20_000, svd_method="lapack").fit(table.rows)
    np.testing.assert_allclose(fit_factors(table, 2).noise, peer.noise_variance_ * 300 / 299, rtol=1e-3)


def test_how_many_directions_few_columns_can_show():
    assert [most_directions(p) for p in (2, 3, 4, 5, 6)] == [1, 1, 2, 3, 3]
    assert components_test(load_iris().data).dimension == 2


@pytest.mark.parametrize("noise", NOISES)
def test_units_do_not_matter(noise):
    X = planted(np.random.default_rng(2), 60, 8, 1, 5)
    one, two = (components_test(A, noise=noise, n_draws=39) for A in (X, X * 10.0 ** np.arange(-4, 4) + 7))
    np.testing.assert_allclose(one.p_values, two.p_values)
    np.testing.assert_allclose(one.statistics["statistic"], two.statistics["statistic"], rtol=1e-6)


def test_moments_are_enough_for_normal_noise():
    X = planted(np.random.default_rng(3), 80, 6, 1, 20)
    one, two = components_test(X, noise="normal"), components_test_of_moments(np.cov(X.T), 80)
    np.testing.assert_allclose(one.p_values, two.p_values)
    np.testing.assert_allclose(one.statistics["eigenvalue"], two.statistics["eigenvalue"], rtol=1e-8)
    assert one.dimension == two.dimension == 1


def test_small_directions_beside_a_large_one_are_found():
    """Five measurements of 200 crabs (Campbell, Mahon 1974; covariance printed by R from MASS::crabs).

    The first component has 98% of the variance. The second and third separate the sexes and the species.
    """
    S = np.array(CRABS)
    test = components_test_of_moments(S, 200)
    assert test.dimension == 3
    assert test.verdicts[:3] == ["shown"] * 3


@pytest.mark.parametrize("noise", NOISES)
def test_one_factor_is_one_factor(noise):
    """A second is found one time in twenty, not in seven of twenty-four."""
    tables = [planted(np.random.default_rng(r), 500, 50, 1, 10) for r in range(10)]
    found = np.array([components_test(X, noise=noise, n_draws=19).dimension for X in tables])
    assert (found >= 1).all()
    assert np.count_nonzero(found > 1) <= 2


@pytest.mark.parametrize(("n", "p"), [(60, 6), (20, 40)])
@pytest.mark.parametrize("k", [0, 1])
def test_levels(n, p, k):
    """ "At most k" is true, and rejected one time in twenty, however large the direction is."""
    rejected = []
    for r in range(120):
        rng = np.random.default_rng([4, r])
        X = planted(rng, n, p, k, 100)
        test = components_test(X, n_draws=19, random_state=r)
        rejected.append(test.dimension > k)
    assert np.mean(rejected) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 120)


@pytest.mark.parametrize("k", [0, 1])
def test_rows_of_unequal_spread_are_no_directions(k):
    """Rows multiplied by a size of their own: more are found one time in twenty, where it was one in five."""
    more = []
    for r in range(120):
        rng = np.random.default_rng([8, r])
        sizes = 1 / np.sqrt(rng.chisquare(5, (30, 1)) / 3)
        X = sizes * rng.standard_normal((30, 100)) + k * np.outer(rng.standard_normal(30), np.full(100, 3.0))
        more.append(components_test(X, n_draws=19, random_state=r).dimension > k)
    assert np.mean(more) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 120)


def test_columns_of_unequal_noise_are_no_directions():
    X = np.random.default_rng(5).standard_normal((100, 10)) * np.exp(np.linspace(-3, 3, 10))
    assert components_test(X, 0.01, n_draws=99).dimension == 0


def test_series_are_shifted():
    """Columns that have nothing in common but each a memory: what looks shared is not."""
    rng = np.random.default_rng(6)
    X = lfilter([1.0], [1, -0.9], rng.standard_normal((450, 12)), axis=0)[50:]
    assert components_test(X, n_draws=39).dimension > 0
    assert components_test(X, 0.01, n_draws=99, block=40).dimension == 0


def test_groups_move_as_wholes():
    rng = np.random.default_rng(7)
    groups = np.repeat(np.arange(50), rng.integers(2, 8, 50))
    X = rng.standard_normal((50, 15))[groups] + 0.1 * rng.standard_normal((len(groups), 15))
    assert components_test(X, n_draws=39).dimension > 0
    assert components_test(X, 0.01, n_draws=99, groups=groups).dimension == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": [0] * 20}, "groups holds 1 distinct"),
        ({"block": 6}, "block=6"),
        ({"groups": list(range(20)), "block": 2}, "both given"),
        ({"noise": "uniform"}, "noise='uniform'"),
        ({"n_draws": 9}, "n_draws"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        components_test(np.random.default_rng(0).standard_normal((20, 3)), **options)


def test_too_few_rows_are_called_so():
    rng = np.random.default_rng(8)
    few, many = components_test(rng.standard_normal((8, 5))), components_test(rng.standard_normal((300, 5)))
    assert few.verdicts == ["too few rows to tell"] * 5
    assert many.verdicts == ["not shown by these rows"] * 5


def test_the_smallest_share_found_is_found_four_times_in_five():
    n, p, found = 100, 10, []
    share = components_test(np.random.default_rng(9).standard_normal((n, p))).detectable[0]
    size = p * share / (1 - share)
    for r in range(60):
        rng = np.random.default_rng([10, r])
        X = rng.standard_normal((n, p))
        X += np.sqrt(size / p) * rng.standard_normal((n, 1)) * np.ones(p)
        found.append(components_test(X, n_draws=39).dimension > 0)
    assert 0.6 < np.mean(found) < 0.97
    assert share_found(1e9, n, p) == 1.0


def test_gaps_do_not_mind_correlated_noise():
    rejected = []
    for r in range(100):
        X = lfilter([1.0], [1, -0.5], np.random.default_rng([12, r]).standard_normal((100, 130)), axis=1)[:, 50:]
        rejected.append(gap_test(np.linalg.eigvalsh(np.cov(X.T))[::-1], 99).dimension > 0)
    assert np.mean(rejected) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)


def test_a_budget_ends_the_tests_and_says_so():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200, 12)) @ rng.standard_normal((12, 80)) + 0.1 * rng.standard_normal((200, 80))
    every = components_test(X, n_draws=39)
    some = components_test(X, n_draws=39, budget=1e8)
    assert 0 < some.dimension < every.dimension
    assert some.stopped
    assert not every.stopped
    assert str(some).startswith(f"At least {some.dimension} of")
    assert some.verdicts == ["shown"] * some.dimension + ["not tested"] * (80 - some.dimension)
    np.testing.assert_array_equal(some.p_values[: some.dimension], every.p_values[: some.dimension])


def test_a_budget_that_is_not_reached_changes_nothing():
    X = np.random.default_rng(4).standard_normal((60, 5))
    one, other = components_test(X), components_test(X, budget=1e12)
    assert (one.dimension, other.stopped) == (other.dimension, False)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_what_a_statistic_must_exceed_does_not_depend_on_when_the_draws_end(alpha):
    """Far beyond the first 19 draws no more are made, and the largest of these is no 99% quantile."""

    def bar(seed):
        made = against_draws(
            50.0, lambda rng: rng.standard_normal(), np.random.default_rng(seed), alpha, 999, early=True
        )
        assert len(made[1]) == 19
        return made[0].bar

    np.testing.assert_allclose(np.mean([bar(seed) for seed in range(200)]), norm.isf(alpha), rtol=0.03)


def test_repeated_rows_add_no_direction():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((25, 40))
    weight = 1.0 + np.arange(25) % 3
    test = PCA(2).fit(X, sample_weight=weight).test_dimension()
    assert test.dimension <= 23
    assert np.isnan(test.p_values[23:]).all()
