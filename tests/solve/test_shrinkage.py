"""A ridge on few rows: directions without a matrix of columns by columns."""

import numpy as np
import pytest

from eigenlens.solve import Form, Pencil, solve
from eigenlens.solve.shrinkage import RidgedForm, plus_ridge, whiten_for

P, R, K = 600, 80, 4


@pytest.fixture
def pieces():
    rng = np.random.default_rng(0)
    return rng.standard_normal((R, P)) * np.linspace(3, 0.1, P), rng.standard_normal((K, P))


@pytest.mark.parametrize("ridge", [1e-6, 0.3, 1e4])
def test_the_defining_equation(pieces, ridge):
    F, M = pieces
    found = solve(Pencil(Form(factor=M, squared=False), plus_ridge(Form(factor=F, squared=False), ridge)))
    B = F.T @ F + ridge * np.eye(P)
    V = found.vectors
    assert V.shape == (P, K)
    np.testing.assert_allclose((F @ V).T @ (F @ V) + ridge * V.T @ V, np.eye(K), atol=1e-9)
    digits = 1e-12 + 1e-15 * np.linalg.norm(F, 2) ** 2 / ridge  # what the condition leaves
    size = np.abs(M.T @ (M @ V)).max(axis=0)
    image = (F.T @ (F @ V) + ridge * V) * found.values
    np.testing.assert_allclose(M.T @ (M @ V) / size, image / size, atol=digits)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(M @ np.linalg.solve(B, M.T))[::-1], rtol=digits)


def test_it_is_the_form_with_a_row_for_each_column(pieces):
    F, _ = pieces
    short, long = plus_ridge(Form(factor=F), 0.5), Form(factor=F).plus_identity(0.5)
    assert isinstance(short, RidgedForm)
    V = np.random.default_rng(1).standard_normal((P, 3))
    for number in (short.times(2.0), long.times(2.0)):
        np.testing.assert_allclose(number.apply(V), 2 * long.apply(V), atol=1e-10)
    np.testing.assert_allclose(short.diagonal(), long.diagonal(), rtol=1e-13)
    np.testing.assert_allclose(short.plus_identity(1.0).trace(), long.trace() + P, rtol=1e-13)
    np.testing.assert_allclose(short.dense(), long.dense(), atol=1e-12)
    np.testing.assert_allclose(short.seen_through(V).dense(), long.seen_through(V).dense(), rtol=1e-11)


def test_small_problems_keep_their_form():
    F = np.ones((3, 10))
    assert not isinstance(plus_ridge(Form(factor=F), 0.5), RidgedForm)
    assert not isinstance(plus_ridge(Form(matrix=np.eye(600)), 0.5), RidgedForm)
    assert plus_ridge(Form(factor=np.ones((3, 600))), 0.0).factor.shape == (3, 600)


def test_rows_that_depend_on_each_other_are_counted_once(pieces):
    F, M = pieces
    M = np.vstack([M[:2], M[0] + M[1]])
    assert whiten_for(RidgedForm(rows=F, ridge=0.5), M).rank == 2


@pytest.mark.parametrize("ridge", [1e-14, 1e-6, 0.3, 1e4])
def test_rows_of_the_form_itself_are_whitened_under_any_ridge(pieces, ridge):
    F = np.vstack([pieces[0], pieces[0][0] - pieces[0][1]])
    B = RidgedForm(rows=F, ridge=ridge, share=0.7)
    found = whiten_for(B)
    assert found.rank == R
    np.testing.assert_allclose(found.matrix.T @ B.apply(found.matrix), np.eye(R), atol=1e-9)
    inside = found.matrix @ np.linalg.lstsq(found.matrix, F.T, rcond=None)[0]
    np.testing.assert_allclose(inside, F.T, atol=1e-9)
