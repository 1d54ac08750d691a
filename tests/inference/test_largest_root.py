"""Roy's largest root: its law against closed forms, plain integrals and simulation."""

import numpy as np
import pytest
from scipy import integrate, stats

from eigenlens.inference import wilks
from eigenlens.inference.distributions import largest_root_survival


@pytest.mark.parametrize(("p", "n", "x"), [(3, 20, 0.3), (1, 500, 0.2), (3, 6, 0.9), (4, 1e6, 1e-5), (2, 30.5, 0.4)])
def test_one_column_is_the_beta_law_of_r_squared(p, n, x):
    expected = stats.beta.sf(x, p / 2, (n - 1 - p) / 2)
    assert largest_root_survival(x, p, 1, n) == pytest.approx(expected, rel=1e-9)
    assert largest_root_survival(x, 1, p, n) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("p", "n"), [(2, 30), (3, 12), (7, 40)])
def test_two_columns_are_a_double_integral(p, n):
    a, b = (p - 3) / 2, (n - p - 4) / 2

    def density(y, x):
        return (x * y) ** a * ((1 - x) * (1 - y)) ** b * (x - y)

    def mass(top):  # x = u² takes the root out of the density at 0
        return integrate.dblquad(lambda v, u: 4 * u * v * density(v * v, u * u), 0, top**0.5, 0, lambda u: u)[0]

    for x in (0.1, 0.4, 0.7):
        assert largest_root_survival(x, p, 2, n) == pytest.approx(1 - mass(x) / mass(1.0), rel=1e-5, abs=1e-9)


def test_a_uniform_law_with_an_elementary_answer():
    """Exponents 0 of θ and of 1 − θ: the largest of s such values is at most x with probability x^(s + s(s − 1)/2)."""
    for s in (2, 3, 7, 20):
        for x in (0.3, 0.9, 0.99):
            expected = -np.expm1((s + s * (s - 1) / 2) * np.log(x))
            assert largest_root_survival(x, s, s + 1, 2 * s + 3) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(("n", "p", "s"), [(60, 30, 3), (40, 5, 5), (150, 40, 12)])
def test_p_values_of_unrelated_tables_are_uniform(n, p, s):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        X, Y = (np.linalg.qr(rng.standard_normal((n - 1, k)))[0] for k in (p, s))
        found.append(largest_root_survival(np.linalg.svd(X.T @ Y, compute_uv=False)[0] ** 2, p, s, n))
    assert stats.kstest(found, "uniform").pvalue > 0.001


def test_tails_keep_their_digits_and_never_fall_below_the_bound():
    """A root whose p-value is 7·10⁻⁶ (Chiani's incomplete beta functions say so too), where F alone says 2·10⁻⁷."""
    x = 0.592007902492455 / 1.592007902492455
    test = wilks([x**0.5, 0.3, 0.1], n=90, p=5, s=3, method="roy")
    assert test.p_values[0] == pytest.approx(7.14374135e-06, rel=1e-8)
    assert (wilks([0.9999, 0.3, 0.1], n=1000, p=5, s=3, method="roy").p_values >= 0).all()
    bound = stats.f.sf(test.statistics["F"], test.statistics["df1"], test.statistics["df2"])
    assert (test.p_values >= bound).all()
