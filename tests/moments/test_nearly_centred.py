"""Blocks whose columns are nearly centred are squared where they are; no digits are lost by it."""

import numpy as np
import pytest

from eigenlens.moments import Scatter
from eigenlens.moments.centring import LARGE, centre_block
from eigenlens.rows import Block

N, P = 20_000, 40


def rows(offset):
    return np.random.default_rng(0).standard_normal((N, P)) + offset


def test_only_nearly_centred_blocks_are_left_where_they_are():
    for offset, copied in ((0.0, False), (0.05, False), (0.2, True), (1e6, True)):
        X = rows(offset)
        assert X.size >= LARGE
        assert (centre_block(X, None, None, 1, X[0], exact=False).rows is not X) is copied


def test_one_column_far_off_is_enough_for_a_copy():
    X = rows(0.0)
    X[:, 3] += 1e8
    assert centre_block(X, None, None, 1, X[0], exact=False).rows is not X


@pytest.mark.parametrize("offset", [0.0, 0.05, 0.0999])
def test_digits(offset):
    X = rows(offset)
    found = Scatter().update(Block(X))
    exact = X.astype(np.longdouble)
    centred = exact - exact.mean(axis=0)
    S = np.array([[float(centred[:, i] @ centred[:, j]) for j in range(4)] for i in range(4)])
    np.testing.assert_allclose(found.matrix[:4, :4], S, atol=4e-15 * N)
    np.testing.assert_allclose(found.means[0], exact.mean(axis=0).astype(float), atol=1e-15)
    np.testing.assert_array_equal(X, rows(offset))  # the caller's rows are left as they are


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_extreme_sizes(size):
    X = rows(0.0) * size
    found = Scatter().update(Block(X))
    np.testing.assert_allclose(found.store.diagonal() * (np.asarray(found.unit) / size) ** 2, N, rtol=0.1)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float16, np.bool_])
def test_numbers_of_other_types_are_not_squared_as_they_are(dtype):
    """Squares of most would overflow."""
    X = np.random.default_rng(0).integers(-100, 100, (N, P))
    X = X * 10**8 if dtype is np.int64 else X
    X = X % 20 == 0 if dtype is np.bool_ else X.astype(dtype)
    centred = X - X.mean(axis=0, dtype=np.float64)
    exact = centred.T @ centred
    np.testing.assert_allclose(Scatter().update(Block(X)).matrix, exact, atol=1e-11 * exact.max())
