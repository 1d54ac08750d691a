"""Eigenvalues against noise: the law itself, its tests, and what they find."""

import numpy as np
import pytest
from scipy.stats import ks_1samp

from eigenlens import PCA
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.inference import broken_stick, denoise, hard_threshold, noise_edge, parallel_analysis, tracy_widom_test
from eigenlens.inference.denoising import noise_level, shrink
from eigenlens.inference.distributions import TABLE, _table, quantile, ratio_quantile, survival


def spiked(n, p, spikes, seed):
    rng = np.random.default_rng(seed)
    scale = np.ones(p)
    scale[: len(spikes)] = np.sqrt(spikes)
    return rng.standard_normal((n, p)) * scale @ np.linalg.qr(rng.standard_normal((p, p)))[0]


def eigenvalues(X):
    values = np.zeros(X.shape[1])
    found = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2 / (len(X) - 1)
    values[: len(found)] = found
    return values


@pytest.mark.parametrize(("alpha", "published"), [(0.1, 0.4501), (0.05, 0.9793), (0.01, 2.0234)])
def test_tracy_widom_quantiles_are_the_published_ones(alpha, published):
    """Johnstone (2001), and tables of Bejan (2005)."""
    assert quantile(alpha) == pytest.approx(published, abs=1e-4)
    assert survival(quantile(alpha)) == pytest.approx(alpha, rel=1e-8)


def test_tracy_widom_moments_are_the_published_ones():
    """Bornemann (2010): mean −1.2065335745820, variance 1.607781034581."""
    s = np.linspace(-8.5, 8, 300)
    F = np.array([1 - survival(x) for x in s])
    mean = s[-1] - np.trapezoid(F, s)
    second = s[-1] ** 2 - np.trapezoid(2 * s * F, s)
    assert mean == pytest.approx(-1.2065335745820, abs=1e-4)
    assert second - mean**2 == pytest.approx(1.607781034581, abs=1e-3)


def test_the_interpolated_law_has_the_published_moments_and_slopes():
    """Bornemann (2010), as above; derivatives against differences of the law itself."""
    F = _table()
    mean = TABLE[1] - F.integ(lbnd=TABLE[0])(TABLE[1])
    assert mean == pytest.approx(-1.2065335745820, abs=1e-8)
    s, h = np.linspace(-4, 3, 15), 1e-3
    below, here, above = (np.array([1 - survival(x) for x in s + step]) for step in (-h, 0, h))
    np.testing.assert_allclose(F(s), here, atol=1e-12)
    np.testing.assert_allclose(F.deriv(1)(s), (above - below) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(F.deriv(2)(s), (above - 2 * here + below) / h**2, atol=1e-6)


def test_a_ratio_spreads_less_than_its_largest_eigenvalue_at_levels_beyond_the_table_too():
    for alpha in (1e-7, 1e-10):
        assert quantile(alpha) - 1 < ratio_quantile(alpha, 100, 100) < quantile(alpha)


def test_the_far_tail_keeps_its_digits():
    assert 0 < survival(12.0) < 1e-13
    assert survival(12.0) / survival(12.1) == pytest.approx(np.exp(0.1 * 12.05**0.5), rel=0.05)


@pytest.mark.parametrize(("n", "p"), [(401, 20), (101, 50), (51, 100)])
def test_tracy_widom_p_values_are_uniform_under_noise(n, p):
    rng = np.random.default_rng(n)
    found = [tracy_widom_test(eigenvalues(rng.standard_normal((n, p))), n - 1).p_values[0] for _ in range(150)]
    assert ks_1samp(found, lambda x: x).pvalue > 0.01


@pytest.mark.parametrize(("n", "p"), [(400, 20), (200, 100), (80, 160)])
@pytest.mark.parametrize("method", ["tracy-widom", "parallel"])
def test_planted_ranks_are_found_well_above_the_edge(n, p, method):
    edge = 1 + np.sqrt(p / n)
    spikes = np.array([9.0, 6.0, 4.0]) * edge
    for seed in range(5):
        model = PCA().fit(spiked(n, p, spikes, seed))
        assert model.test_dimension(alpha=0.01, method=method).dimension == 3


def test_power_rises_with_the_spike():
    found = [
        np.mean(
            [PCA().fit(spiked(200, 50, [s], seed)).test_dimension(method="tracy-widom").dimension for seed in range(40)]
        )
        for s in (1.0, 1.5, 2.0, 3.0)
    ]
    assert found[0] < 0.3
    assert found[0] <= found[1] <= found[2] <= found[3] == pytest.approx(1.0, abs=0.1)


def test_methods_agree_on_what_the_edge_is():
    X = spiked(300, 30, [8.0, 4.0], 0)
    values = eigenvalues(X)
    test = PCA().fit(X).test_dimension(method="tracy-widom")
    assert np.count_nonzero(values > noise_edge(values, 299)) == test.dimension == PCA("mp").fit(X).n_components_ == 2
    np.testing.assert_allclose(test.statistics["noise"][2], noise_edge(values, 299))
    assert PCA("auto").fit(X).n_components_ == PCA("parallel").fit(X).n_components_ == 2


def test_parallel_analysis_from_rows_and_from_moments():
    X = spiked(300, 12, [8.0, 4.0], 1) * np.array([1.0, 100.0] * 6)
    by_hand = parallel_analysis(X, null="normal", n_draws=199)
    model = PCA().fit(X)
    found = model.test_dimension(method="parallel")
    np.testing.assert_allclose(by_hand.p_values, found.p_values)
    np.testing.assert_allclose(by_hand.statistics["noise"], found.statistics["noise"], rtol=1e-8)
    permuted = model.test_dimension(X, method="permutation")
    np.testing.assert_allclose(permuted.statistics["noise"], by_hand.statistics["noise"], rtol=0.1)
    np.testing.assert_array_equal(permuted.p_values[0], parallel_analysis(X, n_draws=199).p_values[0])


def test_permutations_keep_the_columns_and_nothing_else():
    rng = np.random.default_rng(0)
    X = np.exp(rng.standard_normal((400, 6)))
    X[:, 1] = X[:, 0]
    scaled = parallel_analysis(X, scale=True)
    assert scaled.dimension == 1
    assert scaled.statistics["noise"][0] < 1.6  # of 2.0 for the pair
    np.testing.assert_allclose(scaled.statistics["eigenvalue"].sum(), 6, rtol=1e-10)  # of a correlation matrix


def test_broken_stick_by_hand():
    expected = np.array([1 + 1 / 2 + 1 / 3, 1 / 2 + 1 / 3, 1 / 3]) / 3
    test = broken_stick([0.7, 0.2, 0.1])
    np.testing.assert_allclose(test.statistics["noise"], expected)
    assert test.dimension == 1
    assert np.isnan(test.p_values).all()
    assert "p_value" not in test.to_frame()
    assert PCA().fit(spiked(200, 10, [50.0, 30.0], 0)).test_dimension(method="broken-stick").dimension == 2


@pytest.mark.parametrize("loss", ["frobenius", "operator", "nuclear"])
@pytest.mark.parametrize(("n", "p"), [(300, 60), (60, 300), (150, 150)])
def test_shrinkage_undoes_the_lift_and_comes_near_the_best(n, p, loss):
    rng = np.random.default_rng(2)
    U, V = np.linalg.qr(rng.standard_normal((n, 2)))[0], np.linalg.qr(rng.standard_normal((p, 2)))[0]
    signal = (U * np.array([5.0, 3.0]) * np.sqrt(max(n, p))) @ V.T
    found = denoise(signal + rng.standard_normal((n, p)) + 7, loss=loss)
    assert found.rank == 2
    assert found.noise == pytest.approx(1, abs=0.05)
    error = np.linalg.norm(found.signal - 7 - signal)
    truncated = np.linalg.norm(denoise(signal + rng.standard_normal((n, p)), noise=1e-9).signal - signal)
    assert error < 0.5 * truncated
    if loss == "operator":
        np.testing.assert_allclose(found.shrunk_values[:2], np.array([5.0, 3.0]) * np.sqrt(max(n, p)), rtol=0.06)


def test_frobenius_shrinkage_is_the_published_formula():
    """Square tables: η(y) = √(y² − 4) above 2 (Gavish, Donoho 2017)."""
    y = np.array([3.0, 2.5, 1.9])
    np.testing.assert_allclose(shrink(y * 10, 100, 100, 1.0), 10 * np.array([5**0.5, 1.5, 0.0]))
    assert noise_level(
        np.linalg.svd(np.random.default_rng(0).standard_normal((200, 400)))[1], 200, 400
    ) == pytest.approx(1, abs=0.02)


def test_what_cannot_be_tested_is_refused():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 4))
    model = PCA().fit(X)
    with pytest.raises(InputError, match="alpha=2"):
        model.test_dimension(alpha=2)
    with pytest.raises(InputError, match="method='scree'"):
        model.test_dimension(method="scree")
    with pytest.raises(InputError, match="n_draws=10 gives p-values of"):
        model.test_dimension(n_draws=10)
    with pytest.raises(InputError, match="at least 2 columns and X has 1"):
        PCA().fit(X[:, :1]).test_dimension()
    with pytest.raises(InputError, match="needs at least 4 rows"):
        noise_edge([2.0, 1.0], 2)
    with pytest.raises(InputError, match="a model keeps none: pass them"):
        PCA().fit_moments(model.moments_).test_dimension(method="permutation")
    weight = rng.random(50) + 1
    with pytest.raises(InputError, match="weights must be whole numbers"):
        PCA().fit(X, sample_weight=weight).test_dimension(X, sample_weight=weight, method="permutation")
    with pytest.raises(InputError, match="every column is constant"):
        parallel_analysis(np.ones((10, 3)))
    with pytest.raises(InputTypeError, match="n_draws='many'"):
        parallel_analysis(X, n_draws="many")
    with pytest.raises(InputError, match="loss="):
        denoise(X, loss="huber")
    with pytest.raises(ValueError, match="not fitted"):
        PCA().test_dimension()


def test_parallel_analysis_of_a_table_knows_no_units():
    rows = np.random.default_rng(0).standard_normal((40, 3))
    plain, large = parallel_analysis(rows), parallel_analysis(rows * 3e153)
    np.testing.assert_array_equal(large.p_values, plain.p_values)
    np.testing.assert_allclose(large.statistics["eigenvalue"] / 3e153 / 3e153, plain.statistics["eigenvalue"])


def test_a_weight_counts_rows_also_in_permutations():
    rng = np.random.default_rng(0)
    X, times = rng.standard_normal((60, 4)), rng.integers(1, 4, 60)
    one = PCA().fit(X, sample_weight=times).test_dimension(X, sample_weight=times, method="permutation")
    repeated = np.repeat(X, times, axis=0)
    two = PCA().fit(repeated).test_dimension(repeated, method="permutation")
    np.testing.assert_allclose(one.p_values, two.p_values)


def test_units_do_not_matter():
    X = spiked(100, 5, [6.0], 0)
    for method in ("parallel", "permutation", "tracy-widom", "broken-stick"):
        large = X * 1e100
        big = PCA().fit(large).test_dimension(large, method=method)
        assert big.dimension == PCA().fit(X).test_dimension(X, method=method).dimension == 1


@pytest.mark.parametrize(("n", "p"), [(100, 100), (100, 50), (50, 100), (200, 20), (2000, 100)])
def test_the_hard_threshold_is_the_published_one(n, p):
    """Gavish and Donoho (2014): ω(1) = 2.858, and 0.56β³ − 0.95β² + 1.82β + 1.43 to 0.02 elsewhere."""
    X = np.random.default_rng(0).standard_normal((n + 1, p))
    values = eigenvalues(X)
    test = hard_threshold(values, n)
    beta = min(n, p) / max(n, p)
    omega = np.sqrt(test.statistics["noise"][0] * n) / np.median(np.sqrt(values[: min(n, p)] * n))
    assert omega == pytest.approx(0.56 * beta**3 - 0.95 * beta**2 + 1.82 * beta + 1.43, abs=0.02)
    if beta == 1:
        assert omega == pytest.approx(2.858, abs=1e-3)
    assert test.dimension == 0
    assert PCA().fit(spiked(n, p, [30.0, 20.0], 1)).test_dimension(method="gavish-donoho").dimension == 2
