"""Every penalty from one decomposition: normal equations, GCV and the λ that it likes best."""

import numpy as np
import pytest

from eigenlens.solve.linear_smoother import LinearSmoother, Path, gcv


def problem(n=40, p=7, q=2, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, p))
    E = A @ (np.sin(np.arange(p))[:, None] * [1.0, -0.5]) + rng.standard_normal((n, q))
    return A - A.mean(axis=0), E - E.mean(axis=0), np.diff(np.eye(p), n=2, axis=0)


def paths(A, E, L):
    """Return the path from rows and the path from products."""
    total = float(np.sum(E * E))
    return Path.of_rows(A, E, L, 40.0), LinearSmoother.of_products(A.T @ A, L, 40.0).path(A.T @ E, total)


@pytest.mark.parametrize("lam", [0.0, 1e-3, 1.0, 1e4])
@pytest.mark.parametrize("kind", [0, 1])
def test_it_solves_the_normal_equations(lam, kind):
    A, E, L = problem()
    path, S = paths(A, E, L)[kind], A.T @ A + lam * L.T @ L
    B = np.linalg.solve(S, A.T @ E)
    np.testing.assert_allclose(path.coef(lam), B, atol=1e-12)
    np.testing.assert_allclose(path.rss(lam), np.sum((E - A @ B) ** 2), rtol=1e-12)
    np.testing.assert_allclose(path.smoother.df(lam), np.trace(np.linalg.solve(S, A.T @ A)), rtol=1e-12)
    hat = np.einsum("ij,ji->i", A, np.linalg.solve(S, A.T))
    np.testing.assert_allclose(path.smoother.leverage(A, lam), 1 / 40 + hat, rtol=1e-11)


@pytest.mark.parametrize("kind", [0, 1])
def test_the_best_penalty_is_a_minimum_of_gcv(kind):
    A, E, L = problem()
    path = paths(A, E, L)[kind]
    lam = path.best(2.0)
    around = lam * np.array([0.9, 0.999, 1.0, 1.001, 1.1])
    assert np.argmin(path.gcv(around, 2.0)) == 2
    lams, df, scores = path.table(2.0).T
    assert path.gcv(lam, 2.0) <= scores.min()
    np.testing.assert_allclose(scores, gcv(path.rss(lams), 1 + 2 * df, 40.0))
    np.testing.assert_allclose(path.smoother.df(path.smoother.lam_for(4.5)), 4.5)


def test_rows_that_nothing_penalises_know_no_units():
    A, E, L = problem()
    units = 10.0 ** np.arange(-9, 12, 3)
    found = Path.of_rows(A * units, E, L[:0], 40.0).coef(0.0) * units[:, None]
    np.testing.assert_allclose(found, np.linalg.lstsq(A, E, rcond=None)[0], atol=1e-12)


def test_all_parameters_used_up_cost_without_bound():
    assert gcv(1.0, 5.0, 5.0) == np.inf
    np.testing.assert_allclose(gcv([1.0, 2.0], [0.0, 2.5], 5.0), [0.2, 1.6])
