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
    assert "2 of 5 columns are needed at 5%: a, b." in str(found)
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
