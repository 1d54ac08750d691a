"""Laws under the null against what they are known to be, and levels by simulation (long tables: benchmarks)."""

import numpy as np
import pytest
from scipy import integrate, stats

from eigenlens import CCA, LDA, PCA
from eigenlens.inference import wilks
from eigenlens.inference.largest_root import largest_root_survival


@pytest.mark.parametrize(
    ("m", "e", "x"), [(0.5, 10, 0.3), (-0.5, 3, 0.1), (3, 0, 0.99), (0, 1e5, 1e-4), (0.5, 10, 0.999)]
)
def test_the_largest_of_one_root_is_beta(m, e, x):
    """Far out (4e-33 in the last case) as well."""
    assert largest_root_survival(x, 1, m, e) == pytest.approx(stats.beta.sf(x, m + 1, e + 1), rel=1e-10)


@pytest.mark.parametrize(("m", "e", "x"), [(0.5, 10, 0.3), (1, 5.5, 0.5), (2, 20, 0.2), (0, 3, 0.8)])
def test_the_largest_of_two_roots_is_its_double_integral(m, e, x):
    def mass(low):
        density = lambda a, b: (a * b) ** m * ((1 - a) * (1 - b)) ** e * (b - a)  # noqa: E731
        return integrate.dblquad(density, low, 1, 0, lambda b: b, epsabs=0, epsrel=1e-9)[0]

    assert largest_root_survival(x, 2, m, e) == pytest.approx(mass(x) / mass(0), rel=1e-8)


@pytest.mark.parametrize(("n", "p", "s"), [(60, 30, 3), (30, 12, 12), (200, 10, 40)])
def test_the_largest_root_is_that_of_wishart_matrices(n, p, s):
    rng = np.random.default_rng(0)
    small, large = min(p, s), max(p, s)
    A, B = rng.standard_normal((1500, small, large)), rng.standard_normal((1500, small, n - 1 - large))
    H, E = A @ np.swapaxes(A, 1, 2), B @ np.swapaxes(B, 1, 2)
    largest = np.max(np.linalg.eigvals(np.linalg.solve(H + E, H)).real, axis=1)
    grid = np.linspace(largest.min(), largest.max(), 100)
    m, e = (large - small - 1) / 2, (n - p - s - 2) / 2
    levels = np.interp(largest, grid, [largest_root_survival(x, small, m, e) for x in grid])
    assert stats.kstest(levels, "uniform").pvalue > 0.001


def test_many_roots_follow_tracy_and_widom():
    """At the 5% point of the limit 101 pairs, which take it, and 100, which do not, say nearly the same."""
    found = [wilks([0.2, *np.zeros(q - 1)], n=20_000, p=q, s=q, method="roy").p_values[0] for q in (100, 101)]
    assert found[0] == pytest.approx(found[1], rel=0.1)
    assert wilks([1.0, 0.5], n=20, p=3, s=2, method="roy").p_values[0] == 0
    assert wilks([0.0, 0.0], n=20, p=3, s=2, method="roy").p_values[0] == 1


@pytest.mark.parametrize(("n", "p", "s"), [(200, 10, 3), (60, 30, 3), (120, 60, 5)])
def test_rao_holds_the_level_where_bartlett_cannot(n, p, s):
    """Λ is a product of independent beta variates: the level of Rao's F is 5% even where n/p = 2."""
    rng = np.random.default_rng(0)
    log = sum(np.log(rng.beta((n - 1 - p - i) / 2, p / 2, 20_000)) for i in range(s))
    grid = np.linspace(log.min(), log.max(), 60)
    rho = [[np.sqrt(-np.expm1(v)), *np.zeros(s - 1)] for v in grid]
    level = {
        method: np.mean(np.interp(log, grid, [wilks(r, n, p, s, method=method).p_values[0] for r in rho]) <= 0.05)
        for method in ("wilks", "bartlett")
    }
    assert level["wilks"] == pytest.approx(0.05, abs=0.005)
    assert (level["bartlett"] > 0.08) == (n == 2 * p)


def rejections(model, table, options, replicates=250):
    found = []
    for r in range(replicates):
        rng = np.random.default_rng([1, r])
        rows = table(rng)
        found.append(model.fit(*rows).test_dimension(**options, random_state=r).p_values[0] <= 0.05)
    return np.mean(found)


@pytest.mark.parametrize(("n", "p"), [(10, 5), (6, 12)])
@pytest.mark.parametrize("method", ["parallel", "permutation"])
def test_parallel_analysis_holds_its_level(method, n, p):
    level = rejections(PCA(), lambda rng: (rng.standard_normal((n, p)),), {"method": method, "n_draws": 19})
    assert level == pytest.approx(0.05, abs=0.042)


@pytest.mark.parametrize("model", [LDA(), CCA(ridge=0.5)], ids=repr)
def test_permutations_hold_their_level(model):
    def table(rng):
        X = rng.standard_t(3, (30, 3))
        return X, np.arange(30) % 3 if isinstance(model, LDA) else rng.standard_normal(30)

    assert rejections(model, table, {"method": "permutation", "n_draws": 19}) == pytest.approx(0.05, abs=0.042)
