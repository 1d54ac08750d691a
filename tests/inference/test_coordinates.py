"""Tests of columns in sliced inverse regression."""

import numpy as np
import pandas as pd
import pytest

from eigenlens import SIR
from eigenlens.exceptions import InputError


def test_columns_that_matter_are_needed_whatever_their_neighbours():
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((500, 5))
    Z[:, 2] = Z[:, 0] + 0.3 * Z[:, 2]  # tells of the first, and adds nothing
    X = pd.DataFrame(Z * [1, 1e200, 1e-3, 5, 1], columns=list("abcde"))
    found = SIR().fit(X, np.exp(Z[:, 0]) + Z[:, 1]).test_columns()
    assert found.needed.tolist() == [True, True, False, False, False]
    assert str(found).startswith("2 of 5 columns are needed at 5%: a (χ²(")
    assert found.to_frame().index.tolist() == list("abcde")


def test_it_is_the_between_share_of_what_others_do_not_tell():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 3)) @ rng.standard_normal((3, 3))
    y = rng.integers(0, 4, 200)
    found = SIR().fit(X, y).test_columns()
    others = np.column_stack([np.ones(200), X[:, 1:]])
    e = X[:, 0] - others @ np.linalg.lstsq(others, X[:, 0], rcond=None)[0]
    between = sum(np.sum(y == h) * e[y == h].mean() ** 2 for h in range(4))
    np.testing.assert_allclose(found.statistics[0], between / e.var(), rtol=1e-10)
    assert found.freedom == 3


def test_it_keeps_its_level():
    rng = np.random.default_rng(2)
    rejected = []
    for _ in range(400):
        X = rng.standard_normal((200, 4))
        rejected.append(SIR(n_slices=6).fit(X, X[:, 0] + 0.5 * rng.standard_normal(200)).test_columns().needed)
    shares = np.mean(rejected, axis=0)
    assert shares[0] == 1.0
    assert ((shares[1:] > 0.025) & (shares[1:] < 0.075)).all()


def test_what_it_cannot_judge_it_refuses():
    X = np.random.default_rng(3).standard_normal((100, 3))
    y = X[:, 0]
    with pytest.raises(InputError, match=r"ridge=0\.1"):
        SIR(ridge=0.1).fit(X, y).test_columns()
    with pytest.raises(InputError, match="rank 3 of 4"), pytest.warns(UserWarning, match="rank"):
        SIR().fit(np.column_stack([X, X.sum(axis=1)]), y).test_columns()
    with pytest.raises(InputError, match="alpha=2"):
        SIR().fit(X, y).test_columns(alpha=2)


def test_columns_tested_together():
    """One column together is that column by itself; the rest of a signal in one column is not needed, the column is."""
    draw = np.random.default_rng(4)
    X = draw.standard_normal((400, 5)) @ draw.standard_normal((5, 5))
    sir = SIR().fit(X, X[:, 0] + 0.5 * draw.standard_normal(400))
    each = sir.test_columns()
    one = sir.test_columns(together=[0])
    assert str(one).startswith("x0 is needed at 5%")
    assert str(sir.test_columns(together=[1])).startswith("x1 is not needed at 5%")
    assert (one.statistics[0], one.freedom) == (pytest.approx(each.statistics[0]), each.freedom)
    rest = sir.test_columns(together=[1, 2, 3, 4])
    assert rest.freedom == 4 * each.freedom
    assert not rest.needed[0]
    assert str(rest).startswith("None of x1, x2, x3, x4 is needed at 5% (χ²(")
    assert str(sir.test_columns(together=[0, 3])).startswith("At least one of x0, x3 is needed")
    moved = SIR().fit(X @ np.diag([1, 3, -2, 0.1, 7.0]), X[:, 0]).test_columns(together=[1, 2])
    assert moved.statistics == pytest.approx(SIR().fit(X, X[:, 0]).test_columns(together=[2, 1]).statistics)
    for columns in (["nope"], "x1", [], 2, [["x1"]], [True, False, True, False, False]):
        with pytest.raises(ValueError, match="must be a list of columns of X, by name or position"):
            sir.test_columns(together=columns)
    with pytest.raises(TypeError, match="write together="):
        sir.test_columns(["x1"])


def test_independent_responses_hold_the_level_together():
    shares = []
    for seed in range(200):
        draw = np.random.default_rng(seed)
        sir = SIR(n_slices=5).fit(draw.standard_normal((150, 4)), draw.standard_normal(150))
        shares.append(sir.test_columns(together=[0, 1, 2]).needed[0])
    assert 0.02 <= np.mean(shares) <= 0.09
