"""Elastic-net regressions: a given number of entries."""

import numpy as np
import pytest

from eigenlens.solve.elastic_net import ElasticNet


@pytest.mark.parametrize("count", [24, 40, 55])
def test_many_entries_are_those_of_the_whole_walk(count):
    """A walk that begins near its end comes to the same place as one that takes in one entry after the other."""
    random = np.random.default_rng(count)
    F = random.standard_normal((60, 150)) @ np.diag(random.uniform(0.5, 2.0, 150))
    c = F.T @ (F @ (random.standard_normal(150) * (random.random(150) < 0.2)))
    net = ElasticNet(F.T @ F, 0.1)
    beta, level = net.with_count(c, count, np.zeros(150), 0.0)
    walked, other = net._walk(c, count, np.zeros(150), 2 * np.abs(c).max())
    assert np.count_nonzero(beta) == count
    assert level == pytest.approx(other, rel=1e-9)
    np.testing.assert_allclose(beta, walked, atol=1e-9 * np.abs(walked).max())
