"""Tests of rows with holes draw no more samples than their decision needs."""

import numpy as np
import pytest

from eigenlens import LDA, SIR
from eigenlens.inference.incomplete import Hypothesis, incomplete_test


class Counted:
    """A sample whose draws are numbers, and counts them."""

    weight = 50.0
    work = 10.0  # multiplications of a draw
    law = (np.zeros((1, 1)), np.eye(1))

    def __init__(self, seed):
        self.rng, self.drawn = np.random.default_rng(seed), 0

    def draw(self, law, rng):
        self.drawn += 1
        return np.full((1, 1), self.rng.standard_normal()), np.eye(1)


def hypothesis(found):
    def statistic(law, d):
        return found if law is Counted.law else float(law[0][0, 0])

    return Hypothesis("toy", 1, lambda law: np.ones(1), "value", statistic, lambda law, d: (law[0], law[1]))


@pytest.mark.parametrize(("found", "most"), [(0.0, 60), (0.7, 90), (2.5, 199)])
def test_a_direction_that_cannot_be_shown_any_more_ends_the_draws(found, most):
    for seed in range(20):
        sample = Counted(seed)
        test = incomplete_test(sample, hypothesis(found), n_draws=199)
        everything = np.random.default_rng(seed).standard_normal(199)
        whole = (1 + np.sum(everything >= found)) / 200
        assert (test.p_values[0] <= 0.05) == (whole <= 0.05)
        assert sample.drawn <= most
        assert test.p_values[0] == pytest.approx(whole, abs=0.25)


@pytest.mark.parametrize("model", [LDA(missing="ml"), SIR(missing="ml")], ids=repr)
def test_fewer_columns_than_classes_leave_as_many_directions_as_columns(model):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((120, 2)), np.arange(120) % 5
    X[:, 0] += 5 * y
    X[:, 1] += 5 * (y == 2)
    X[3, 1] = X[50, 0] = np.nan
    test = model.fit(X, y).test_dimension(n_draws=19)
    assert test.dimension == len(test.p_values) == 2
    assert str(test).startswith("2 of 2 directions are significant at the 5% level (")
    assert "with missing cells: −log Λ = " in str(test)
