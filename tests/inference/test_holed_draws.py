"""Tests of rows with holes draw no more samples than their decision needs."""

import numpy as np
import pytest

from eigenlens.inference.incomplete import Hypothesis, holed_test


class Counted:
    """A sample whose draws are numbers, and counts them."""

    weight = 50.0
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
        test = holed_test(sample, hypothesis(found), n_draws=199)
        everything = np.random.default_rng(seed).standard_normal(199)
        whole = (1 + np.sum(everything >= found)) / 200
        assert (test.p_values[0] <= 0.05) == (whole <= 0.05)
        assert sample.drawn <= most
        assert test.p_values[0] == pytest.approx(whole, abs=0.25)
