"""Leading eigenvectors from products alone, against decompositions of the matrix."""

import numpy as np
import pytest

from eigenlens.arrays import linalg
from eigenlens.solve import Form, principal_angles
from eigenlens.solve.leading import RESIDUAL, KrylovSpace, block_width, leading
from eigenlens.solve.products import gram, krylov, lanczos, randomized

N = 400


def turned(values, seed=0):
    """A symmetric matrix with given eigenvalues."""
    Q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))
    return (Q * values) @ Q.T, Q


def of_matrix(A, k, width=None, **how):
    return leading(KrylovSpace(lambda V: V @ A, A.shape[0], k, A, width), k, **how)


SPECTRA = {
    "planted": np.r_[np.linspace(90, 40, 6), np.linspace(1.5, 0.5, N - 6)],
    "flat": np.linspace(1.3, 0.7, N) ** 2,
    "clustered": np.r_[np.full(12, 5.0), np.full(N - 12, 1.0)],
    "pairs": np.repeat(np.linspace(9, 1, N // 2), 2),
    "decaying": 1.0 / np.arange(1, N + 1) ** 2,
    "low rank": np.r_[4.0, 3.0, 2.0, np.zeros(N - 3)],
    "zero": np.zeros(N),
    "six": np.r_[np.full(6, 2.0), np.full(N - 6, 1.0)],
    "close": np.r_[np.full(4, 1.05), 1.04, 1.03, np.linspace(1, 0, N - 6)],
}


def test_equal_eigenvalues_are_all_returned():
    random = np.random.default_rng(7)  # among these LAPACK finds 8 of 10 eigenvalues once
    for _ in range(60):
        values = random.choice([2.0, 1.0, 0.0, 0.5], int(random.integers(9, 60)))
        k = int(random.integers(1, len(values)))
        A = np.linalg.qr(random.standard_normal((len(values),) * 2))[0]
        found, vectors = linalg.leading_eigh((A * values) @ A.T, k)
        np.testing.assert_allclose(found, np.sort(values)[::-1][:k], atol=1e-13)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-12)


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("k", [1, 5, 8, 30])
@pytest.mark.parametrize("width", [None, 1, 4])
def test_values_residuals_and_right_angles(name, k, width):
    values = SPECTRA[name]
    A, _ = turned(values)
    found = of_matrix(A, k, width, most_steps=2_000)
    top = values.max()
    assert found.settled
    np.testing.assert_allclose(found.values, np.sort(values)[::-1][:k], atol=1e-13 * (top or 1))
    np.testing.assert_allclose(found.vectors @ found.vectors.T, np.eye(k), atol=1e-12)
    residual = np.linalg.norm(found.vectors @ A - found.values[:, None] * found.vectors, axis=1)
    assert residual.max() <= RESIDUAL * top + 1e-14
    assert (residual <= found.residuals * top + 1e-13 * (top or 1)).all()  # as the recurrence tells it
    if width is None:
        np.testing.assert_allclose(found.residuals * top, residual, atol=1e-13 * (top or 1))


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("k", [5, 8, 30])
@pytest.mark.parametrize("width", [1, 4])
def test_residuals_are_bounds_after_several_starts(name, k, width):
    """A later start does not see what is left of the images of directions found before."""
    values = SPECTRA[name]
    A, _ = turned(values)
    found = of_matrix(A, k, width, tol=1e-4, most_steps=2_000)
    residual = np.linalg.norm(found.vectors @ A - found.values[:, None] * found.vectors, axis=1)
    top = values.max() or 1.0
    assert (residual <= found.residuals * top + 1e-13 * top).all()


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("rank", [1, 2, 3, 5])
def test_a_rank_below_the_block(rank, library):
    """From the second step on vectors are parallel, and which of them carry the rest is not known beforehand."""
    values = np.r_[np.arange(rank, 0.0, -1.0), np.zeros(N - rank)]
    found = of_matrix(pytest.importorskip(library).asarray(np.diag(values)), rank)
    np.testing.assert_allclose(found.values, values[:rank], rtol=1e-13)


def test_the_subspace_is_that_of_the_decomposition():
    A, Q = turned(SPECTRA["planted"])
    found = of_matrix(A, 6)
    assert principal_angles(found.vectors.T, Q[:, :6]).max() < 1e-8


def test_a_space_that_is_full_begins_anew(monkeypatch):
    """Few vectors are kept, and the flat spectrum is found all the same."""
    monkeypatch.setattr("eigenlens.solve.leading.SIZES", (10, 10))
    A, _ = turned(SPECTRA["flat"])
    found = of_matrix(A, 3)
    assert found.settled
    assert found.steps > 6
    np.testing.assert_allclose(found.values, np.sort(SPECTRA["flat"])[::-1][:3], rtol=1e-13)


def test_steps_that_are_not_enough_are_told():
    A, _ = turned(SPECTRA["flat"])
    found = of_matrix(A, 4, most_steps=3)
    assert not found.settled
    assert found.steps == 3
    assert found.residuals.max() > RESIDUAL


def test_a_rerun_gives_the_same_bits():
    A, _ = turned(SPECTRA["decaying"])
    one, two = (of_matrix(A, 7) for _ in range(2))
    np.testing.assert_array_equal(one.vectors, two.vectors)
    np.testing.assert_array_equal(one.values, two.values)


def test_fewer_dimensions_than_a_block():
    A, _ = turned(np.arange(1.0, 6.0))
    found = of_matrix(A, 4)
    np.testing.assert_allclose(found.values, [5, 4, 3, 2], rtol=1e-13)
    assert block_width(4) > 5


@pytest.mark.parametrize("solver", [gram, krylov, lanczos])
@pytest.mark.parametrize("shape", [(60, 300), (300, 60)])
def test_a_factor_is_decomposed(solver, shape):
    if solver is gram and shape[0] > shape[1]:
        pytest.skip("for few rows")
    F = np.random.default_rng(1).standard_normal(shape) @ np.diag(np.linspace(9, 1, shape[1]))
    s, V, left, _ = solver(Form(factor=F, squared=False), 4)[:4]
    _, exact, Vt = np.linalg.svd(F, full_matrices=False)
    np.testing.assert_allclose(s, exact[:4], rtol=1e-12)
    assert principal_angles(V, Vt[:4].T).max() < 1e-7
    np.testing.assert_allclose(F @ V, left * s, atol=1e-6 * s[0])


@pytest.mark.parametrize("shape", [(60, 300), (300, 60), None])
def test_the_approximate_solver_tells_its_residual(shape):
    rng = np.random.default_rng(4)
    F = rng.standard_normal(shape or (90, 90))
    S = F.T @ F
    s, V, _, residual = randomized(Form(factor=F) if shape else Form(matrix=S), 3)[:4]
    gaps = np.linalg.norm(S @ V - V * s**2, axis=0) / s[0] ** 2
    assert 1e-12 < gaps.max() <= residual * (1 + 1e-9) < 0.3


def test_weak_directions_of_few_rows_go_to_the_decomposition():
    rng = np.random.default_rng(2)
    U, _ = np.linalg.qr(rng.standard_normal((40, 40)))
    V, _ = np.linalg.qr(rng.standard_normal((500, 40)))
    s = np.r_[1.0, 1e-2, 1e-7, np.full(37, 1e-9)]
    found = gram(Form(factor=(U * s) @ V.T, squared=False), 3)
    np.testing.assert_allclose(found[0][:3], s[:3], rtol=1e-6)
