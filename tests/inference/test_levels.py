"""Laws under the null against what they are known to be, and levels by simulation (long tables: benchmarks)."""

import numpy as np
import pytest

from eigenlens import CCA, LDA, PCA
from eigenlens.inference import wilks
from eigenlens.inference.distributions import largest_root_survival


@pytest.mark.parametrize(("n", "p", "s", "x"), [(100, 25, 20, 0.9615), (300, 30, 30, 0.65)])
def test_the_largest_root_far_out(n, p, s, x):
    """Where P(θ₁ > x) is below 10⁻²⁰ it is the mean number of roots above x, and falls as the weight does."""
    step = 1e-4
    one, two = largest_root_survival(x, p, s, n), largest_root_survival(x + step, p, s, n)
    assert 0 < two < one < 1e-20
    slope = np.log(one / two) / step
    steepest = (n - p - s - 2) / 2 / (1 - x - step)  # of (1 − θ)^e; all else rises
    assert 0.5 * steepest < slope < 2 * steepest


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
        found.append(model.fit(*rows).test_dimension(*rows, **options, random_state=r).p_values[0] <= 0.05)
    return np.mean(found)


@pytest.mark.parametrize(("n", "p"), [(10, 5), (6, 12)])
@pytest.mark.parametrize("method", ["parallel", "permutation"])
def test_parallel_analysis_holds_its_level(method, n, p):
    level = rejections(PCA(), lambda rng: (rng.standard_normal((n, p)),), {"method": method, "n_draws": 19})
    assert level == pytest.approx(0.05, abs=0.042)


@pytest.mark.filterwarnings("ignore:The first component is column")
@pytest.mark.parametrize(("n", "p"), [(20, 40), (60, 5)])
@pytest.mark.parametrize("ratio", [1e3, 1e5])
def test_a_column_of_another_size_does_not_decide(n, p, ratio):
    """It has nearly all variance: what permutations change lies far behind its digits in single precision."""

    def table(rng):
        rows = rng.standard_normal((n, p))
        rows[:, 0] *= ratio
        return (rows,)

    assert rejections(PCA(), table, {"method": "permutation", "n_draws": 19}) == pytest.approx(0.05, abs=0.042)
    rng = np.random.default_rng(0)
    (rows,) = table(rng)
    rows[:, 1:] += rows[:, :1] / ratio
    assert PCA().fit(rows).test_dimension(rows, method="permutation", n_draws=99).p_values[0] == 0.01


@pytest.mark.parametrize("model", [LDA(), CCA(ridge=0.5)], ids=repr)
def test_permutations_hold_their_level(model):
    def table(rng):
        X = rng.standard_t(3, (30, 3))
        return X, np.arange(30) % 3 if isinstance(model, LDA) else rng.standard_normal(30)

    assert rejections(model, table, {"method": "permutation", "n_draws": 19}) == pytest.approx(0.05, abs=0.042)
