"""Inner products, kernels and similarities become squared distances, and inner products points."""

import numpy as np
import pytest
import torch

from eigenlens.distances import (
    double_center,
    from_kernel,
    from_similarity,
    gram_factor,
    is_conditionally_negative_definite,
    is_positive_semidefinite,
    is_squared_distance,
)
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.kernels import Gaussian, Linear, Precomputed, ThinPlate

rng = np.random.default_rng(0)
X = rng.standard_normal((30, 4))
D = ((X[:, None] - X) ** 2).sum(axis=2)


def test_inner_products_are_squared_distances():
    np.testing.assert_allclose(from_similarity(X @ X.T), D, atol=1e-12)
    np.testing.assert_allclose(from_similarity(double_center(D, np.eye(30)[3])), D, atol=1e-12)
    assert (from_similarity(X @ X.T).diagonal() == 0).all()


def test_a_table_with_any_diagonal_of_the_notes():
    d = rng.standard_normal(30)
    odd = D + (d[:, None] + d) / 2
    C = from_similarity(-odd / 2)
    np.testing.assert_allclose(C, odd - np.diag(odd)[:, None] / 2 - np.diag(odd) / 2, atol=1e-12)
    assert is_conditionally_negative_definite(odd)
    assert is_squared_distance(C)


def test_what_is_below_zero_stays_but_for_rounding():
    S = np.array([[1.0, 1.0 + 1e-16, 3.0], [1.0 + 1e-16, 1.0, 3.0], [3.0, 3.0, 1.0]])
    D2 = from_similarity(S)
    assert D2[0, 1] == 0
    assert D2[0, 2] == -4
    assert not is_squared_distance(D2)


@pytest.mark.parametrize("kernel", [Gaussian(), Linear(), ThinPlate(1).on([0]), Linear() * Gaussian(2.0)], ids=repr)
def test_distances_of_a_kernel(kernel):
    K = kernel(X)
    expected = np.diag(K)[:, None] + np.diag(K) - 2 * K
    np.testing.assert_allclose(from_kernel(kernel, X), expected, atol=1e-12)
    np.testing.assert_allclose(from_kernel(lambda A, B: kernel.fitted(X)(A, B), X), expected, atol=1e-12)
    np.testing.assert_allclose(from_kernel(K), expected, atol=1e-12)
    np.testing.assert_allclose(from_kernel(Precomputed(), K), expected, atol=1e-12)
    assert is_squared_distance(from_kernel(kernel, X), tol=1e-12)


@pytest.mark.parametrize("A", [X @ X.T, Gaussian(1.0)(X), np.eye(3), np.zeros((3, 3)), np.array([[4.0]])])
def test_a_factor_gives_its_matrix_back(A):
    Y = gram_factor(A)
    assert Y.shape == (len(A), np.linalg.matrix_rank(A))
    np.testing.assert_allclose(Y @ Y.T, A, atol=1e-12 * np.abs(A).max())
    sizes = (Y**2).sum(axis=0)
    assert (np.diff(sizes) < 1e-12).all()
    np.testing.assert_allclose(Y.T @ Y, np.diag(sizes), atol=1e-10 * max(sizes, default=0))


def test_a_factor_is_not_centred():
    turned = np.linalg.lstsq(gram_factor(X @ X.T), X, rcond=None)[0]
    np.testing.assert_allclose(turned @ turned.T, np.eye(4), atol=1e-10)


def test_no_factor_without_a_witness():
    A = np.eye(4)
    A[1, 2] = A[2, 1] = 3.0
    with pytest.raises(InputError, match=r"an eigenvalue is -2 .* vᵀAv = -2, where .* are .*1: -?0\.707, 2: -?0\.707"):
        gram_factor(A)
    assert not is_positive_semidefinite(A)
    with pytest.raises(InputError, match="go through double_center first"):
        gram_factor(D)


def test_other_libraries():
    there = torch.from_numpy(X @ X.T)
    assert isinstance(from_similarity(there), torch.Tensor)
    np.testing.assert_allclose(gram_factor(there).numpy(), gram_factor(X @ X.T), atol=1e-10)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: from_kernel("gaussian", X), InputTypeError, "kernel='gaussian' is not a kernel"),
        (lambda: from_kernel(Gaussian, X), InputTypeError, "is not a kernel; pass one of eigenlens.kernels"),
        (lambda: from_kernel(X @ X.T, X), InputTypeError, "or a square kernel matrix alone"),
        (lambda: from_kernel(Gaussian()), InputError, "needs rows"),
        (lambda: from_kernel(X), InputError, "square"),
        (lambda: from_similarity(np.triu(D)), InputError, "S is not symmetric"),
        (lambda: from_similarity(np.full((2, 2), np.nan)), InputError, "S contains NaN"),
        (lambda: gram_factor(X), InputError, "A should be a square matrix"),
    ],
)
def test_wrong_input(call, error, match):
    with pytest.raises(error, match=match):
        call()
