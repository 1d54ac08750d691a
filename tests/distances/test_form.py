"""Tests of form against eigenvalues, Young–Householder–Schoenberg as a law, and alignment of maps."""

import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from scipy.spatial.distance import pdist, squareform

from eigenlens.distances import (
    double_center,
    is_conditionally_negative_definite,
    is_positive_semidefinite,
    is_squared_distance,
    procrustes,
)
from eigenlens.exceptions import InputError

rng = np.random.default_rng(3)


def cityblock(n, p=6, seed=0):
    return squareform(pdist(np.random.default_rng(seed).standard_normal((n, p)), "cityblock"))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(n=st.integers(2, 12), euclidean=st.booleans(), seed=st.integers(0, 10**6))
def test_young_householder_schoenberg(n, euclidean, seed):
    """B is positive semidefinite for one signed α, and then for all, if and only if D is c.n.d."""
    rng = np.random.default_rng(seed)
    if euclidean:
        D = squareform(pdist(rng.standard_normal((n, 3)), "sqeuclidean"))
    else:
        D = rng.uniform(0.1, 1.0, (n, n)) ** 2
        D = D + D.T
        np.fill_diagonal(D, 0.0)
    truth = bool(is_conditionally_negative_definite(D, tol=1e-9))
    assert truth or not euclidean
    assert bool(is_squared_distance(D, tol=1e-9)) == truth
    for _ in range(3):
        alpha = rng.standard_normal(n) + 2.0 / n
        alpha /= alpha.sum()
        if np.abs(alpha).sum() > 50:
            continue
        B = double_center(D, alpha)
        np.testing.assert_allclose(alpha @ B, 0, atol=1e-10 * max(1.0, np.abs(alpha).max() ** 2))
        b = np.diag(B)
        np.testing.assert_allclose(b[:, None] + b - 2 * B, D, atol=1e-10 * np.abs(B).max())
        assert bool(is_positive_semidefinite((B + B.T) / 2, tol=1e-9)) == truth


@pytest.mark.parametrize("n", [2, 7, 40, 1200])
def test_extreme_eigenvalues_and_witnesses(n):
    D = cityblock(n) ** 2
    H = np.eye(n) - 1 / n
    values = np.linalg.eigvalsh(H @ D @ H)
    found = is_conditionally_negative_definite(D)
    v = found.witness
    assert found.solver == ("eigh" if n < 1000 else "lanczos")
    assert found.eigenvalue == pytest.approx(v @ D @ v, rel=1e-9, abs=1e-9)
    assert np.linalg.norm(v) == pytest.approx(1.0, rel=1e-12)
    assert abs(v.sum()) < 1e-10
    if n > 2:
        assert found.eigenvalue == pytest.approx(values[-1], rel=1e-9)
        assert not found
    B = double_center(D)
    smallest = is_positive_semidefinite(B)
    assert smallest.eigenvalue == pytest.approx(np.linalg.eigvalsh(B)[0], rel=1e-9, abs=1e-9)
    assert smallest.witness @ B @ smallest.witness == pytest.approx(smallest.eigenvalue, rel=1e-8, abs=1e-9)


def test_strictly_negative_definite_tables_do_not_hide_behind_the_constant_vector():
    D = 1.0 - np.eye(30)
    found = is_conditionally_negative_definite(D)
    assert found
    assert found.eigenvalue == pytest.approx(-1.0, rel=1e-12)


@pytest.mark.parametrize("n", [300, 2000])
def test_euclidean_distances_pass_and_the_smallest_flaw_is_seen(n):
    X = np.random.default_rng(0).standard_normal((n, 5))
    D = squareform(pdist(X, "sqeuclidean"))
    found = is_squared_distance(D)
    assert found, str(found)
    assert found.tolerance == pytest.approx(16 * n * np.finfo(float).eps * np.linalg.norm(D), rel=1e-6)
    D[0, 1] = D[1, 0] = D[0, 1] + 1e-3
    assert not is_squared_distance(D)


def test_large_tables_need_no_second_table():
    n = 2000
    D = cityblock(n) ** 2
    tracemalloc.start()
    is_conditionally_negative_definite(D)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.25 * D.nbytes


def test_tolerance_is_the_callers():
    D = np.array([[0.0, 1.0, 4.01], [1.0, 0.0, 1.0], [4.01, 1.0, 0.0]])  # a line, but for the second digit
    assert not is_squared_distance(D)
    assert is_squared_distance(D, tol=0.01)


def test_negative_entries_have_a_witness():
    D = np.array([[0.0, -1.0], [-1.0, 0.0]])
    found = is_squared_distance(D)
    assert not found
    assert found.eigenvalue == pytest.approx(1.0)


def test_torch_stays_torch():
    D = torch.tensor(cityblock(10) ** 2)
    found = is_squared_distance(D)
    assert isinstance(found.witness, torch.Tensor)
    assert float(found.witness @ D @ found.witness) == pytest.approx(found.eigenvalue)
    assert isinstance(double_center(D), torch.Tensor)


BAD = {
    "not square": (np.ones((2, 3)), r"should be a square matrix.*shape \(2, 3\)"),
    "asymmetric": (
        np.array([[0, 1.0, 2], [1, 0, 3], [2, 3.5, 0]]),
        r"not symmetric: entry \(1, 2\) is 3 but entry \(2, 1\) is 3.5, a difference of 0.5",
    ),
    "NaN": (np.array([[0, np.nan], [np.nan, 0]]), r"contains NaN \(2 entries, the first in row 0, column 1\)"),
    "infinite": (np.array([[0, np.inf], [np.inf, 0]]), "contains infinity"),
    "words": ([["a", "b"], ["c", "d"]], "must hold numbers"),
    "condensed of no table": (np.ones(5), r"5 entries, which is not a number of pairs"),
}


@pytest.mark.parametrize("function", [is_positive_semidefinite, is_squared_distance, double_center])
@pytest.mark.parametrize(("table", "match"), BAD.values(), ids=BAD)
def test_tables_that_are_none(function, table, match):
    with pytest.raises(ValueError, match=match):
        function(table)


def test_rounding_is_no_asymmetry():
    D = cityblock(20) ** 2
    D[3, 4] *= 1 + 1e-13
    before = D.copy()
    assert not is_squared_distance(D)
    np.testing.assert_array_equal(D, before)


def test_centre_coefficients():
    D = cityblock(4) ** 2
    with pytest.raises(InputError, match=r"weights sum to 2 but those of a centre sum to 1"):
        double_center(D, [0.5, 0.5, 0.5, 0.5])
    with pytest.raises(InputError, match=r"weights has shape \(3,\) but must be one number per point, shape \(4,\)"):
        double_center(D, [0.5, 0.25, 0.25])


# -- Procrustes --------------------------------------------------------------------------------------------------


def test_procrustes_undoes_a_similarity():
    target = rng.standard_normal((30, 3))
    turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    laid = procrustes(2.5 * target @ turn + [1, 2, 3], target)
    np.testing.assert_allclose(laid.aligned, target, atol=1e-12)
    assert laid.scale == pytest.approx(0.4)
    assert laid.disparity < 1e-24
    np.testing.assert_allclose(laid(2.5 * target @ turn + [1, 2, 3]), target, atol=1e-12)


def test_procrustes_agrees_with_scipy():
    from scipy.spatial import procrustes as theirs

    Y, target = rng.standard_normal((2, 25, 2))
    assert procrustes(Y, target).disparity == pytest.approx(theirs(target, Y)[2], rel=1e-12)


def test_procrustes_without_mirror_and_with_weights():
    target = rng.standard_normal((30, 2))
    mirrored = target * [1, -1]
    assert procrustes(mirrored, target).residual < 1e-12
    kept = procrustes(mirrored, target, reflection=False)
    assert kept.residual > 0.1
    assert np.linalg.det(kept.rotation) == pytest.approx(1.0)
    weight = rng.integers(0, 3, 30)
    repeated = np.repeat(np.arange(30), weight)
    Y = target + 0.1 * rng.standard_normal((30, 2))
    np.testing.assert_allclose(
        procrustes(Y, target, sample_weight=weight).rotation, procrustes(Y[repeated], target[repeated]).rotation
    )


def test_procrustes_of_other_points():
    with pytest.raises(InputError, match=r"target has shape \(4, 2\) but the map has \(5, 2\)"):
        procrustes(np.ones((5, 2)), np.ones((4, 2)))
