"""Repairs: the least constant, against the definition and against the classical 2n × 2n eigenproblem."""

import tracemalloc

import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist, squareform

from eigenlens.distances import cailliez, clip, double_center, is_squared_distance, lingoes
from eigenlens.distances.repairs import cailliez_constant, lingoes_constant
from eigenlens.exceptions import InputError


def table(n, metric="cityblock", seed=0):
    X = np.abs(np.random.default_rng(seed).standard_normal((n, 4)))
    return squareform(pdist(X, metric))


TABLES = [table(12), table(30, "braycurtis", 1), table(60, "chebyshev", 2), table(25, "correlation", 3)]


def off_diagonal(D):
    return D[~np.eye(len(D), dtype=bool)]


@pytest.mark.parametrize("D", TABLES)
def test_cailliez_solves_the_classical_problem(D):
    n = len(D)
    zero = np.zeros((n, n))
    block = np.block([[zero, 2 * double_center(D**2)], [-np.eye(n), -4 * double_center(D)]])
    values = np.linalg.eigvals(block)
    expected = values[np.abs(values.imag) < 1e-9 * np.abs(values).max()].real.max()
    repaired, c = cailliez(D**2)
    assert c == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(off_diagonal(repaired), off_diagonal((D + c) ** 2), rtol=1e-14)


@pytest.mark.parametrize("D", TABLES)
@pytest.mark.parametrize("repair", [lingoes, cailliez])
def test_the_constant_is_enough_and_no_less_is(D, repair):
    repaired, c = repair(D**2)
    assert c > 0
    assert is_squared_distance(repaired, tol=1e-12)
    np.testing.assert_array_equal(np.diag(repaired), 0.0)
    less = 0.999 * c
    short = D**2 + 2 * less if repair is lingoes else (D + less) ** 2
    np.fill_diagonal(short, 0.0)
    assert not is_squared_distance(short, tol=1e-12)


@pytest.mark.parametrize("D", TABLES)
def test_lingoes_moves_every_eigenvalue_by_its_constant(D):
    repaired, c = lingoes(D**2)
    before, after = (np.linalg.eigvalsh(double_center(M)) for M in (D**2, repaired))
    H = np.eye(len(D)) - 1 / len(D)
    np.testing.assert_allclose(double_center(repaired), double_center(D**2) + c * H, atol=1e-12 * after[-1])
    assert c == pytest.approx(-before[0], rel=1e-12)


@pytest.mark.parametrize("D", TABLES)
def test_clipping_is_the_nearest_positive_form(D):
    repaired, dropped = clip(D**2)
    values = np.linalg.eigvalsh(double_center(D**2))
    assert dropped == pytest.approx(-values[values < 0].sum(), rel=1e-9)
    assert is_squared_distance(repaired, tol=1e-12)
    np.testing.assert_allclose(
        np.linalg.norm(double_center(repaired) - double_center(D**2)) ** 2, np.sum(values[values < 0] ** 2), rtol=1e-9
    )


@pytest.mark.parametrize("repair", [lingoes, cailliez, clip])
def test_euclidean_tables_are_left_alone(repair):
    D2 = table(20, "sqeuclidean")
    repaired, c = repair(D2)
    assert c == 0
    np.testing.assert_allclose(repaired, D2, atol=1e-12)
    assert repaired is not D2


@pytest.mark.parametrize("repair", [lingoes, cailliez, clip])
def test_torch(repair):
    repaired, c = repair(torch.tensor(TABLES[0] ** 2))
    assert isinstance(repaired, torch.Tensor)
    assert c == pytest.approx(repair(TABLES[0] ** 2).constant, rel=1e-12)


def test_large_tables_by_iteration():
    """The constants of 1,100 points, found by Lanczos, against direct solvers."""
    D = table(1100, "chebyshev", 5)
    assert lingoes(D**2).constant == pytest.approx(-np.linalg.eigvalsh(double_center(D**2))[0], rel=1e-9)
    c = cailliez(D**2).constant
    Q = double_center((D + c * (1 - np.eye(len(D)))) ** 2)
    lowest, highest = np.linalg.eigvalsh(Q)[[0, -1]]
    assert abs(lowest) < 1e-10 * highest


@pytest.mark.parametrize("constant", [lingoes_constant, cailliez_constant])
def test_constants_of_large_tables_need_no_second_table(constant):
    D2 = squareform(pdist(np.random.default_rng(0).standard_normal((1200, 6)), "cityblock")) ** 2
    before = D2.copy()
    tracemalloc.start()
    constant(D2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.25 * D2.nbytes
    np.testing.assert_allclose(D2, before, rtol=1e-15)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
@pytest.mark.parametrize("repair", [lingoes, cailliez, clip])
def test_constants_of_extreme_squares(repair, scale):
    D2 = squareform(pdist(np.random.default_rng(0).standard_normal((30, 6)), "cityblock")) ** 2
    near, far = repair(D2), repair(D2 * scale)
    unit = scale**0.5 if repair is cailliez else scale
    assert far.constant / unit == pytest.approx(near.constant, rel=1e-12)
    np.testing.assert_allclose(far.distances / scale, near.distances, rtol=1e-9, atol=1e-12)


def test_negative_squares_have_no_roots():
    with pytest.raises(InputError, match=r"D holds -1, but Cailliez' constant is added to distances.*D\*\*2"):
        cailliez(np.array([[0.0, -1.0], [-1.0, 0.0]]))
