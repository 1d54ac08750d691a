"""A constant column gives no direction: a method that was asked for more directions than columns vary says so."""

import numpy as np
import pytest

from eigenlens import CCA, LDA, SAVE, SIR, DirectionalRegression, LocalizedSIR
from eigenlens.exceptions import RankWarning


def one_column_varies():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.standard_normal(90), np.full(90, 3.0)])


@pytest.mark.parametrize("model", [LDA(2), SIR(2), SAVE(2), DirectionalRegression(2), LocalizedSIR(2, n_neighbors=5)])
def test_fewer_directions_than_asked_for_are_told(model):
    X = one_column_varies()
    y = np.arange(90) % 3 if isinstance(model, LDA) else X[:, 0]
    with pytest.warns(RankWarning, match=r"n_components=2 but 1 of the 2 columns of X vary"):
        model.fit(X, y)
    assert model.transform(X).shape == (90, 1)


@pytest.mark.parametrize("constant", ["X", "Y"])
def test_fewer_pairs_than_asked_for_are_told(constant):
    first, second = one_column_varies(), np.random.default_rng(1).standard_normal((90, 2))
    with pytest.warns(RankWarning, match=rf"n_components=2 but 1 of the 2 columns of {constant} vary"):
        CCA(2).fit(*((first, second) if constant == "X" else (second, first)))
