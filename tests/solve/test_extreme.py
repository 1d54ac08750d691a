"""Extreme eigenvalues and inertia of matrices of any signs."""

import numpy as np
import pytest
import torch

from eigenlens.solve import Form, ends, inertia


def symmetric(values, seed=0):
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))[0]
    B = (Q * values) @ Q.T
    return (B + B.T) / 2


@pytest.mark.parametrize("top", [3.0, 0.0, -0.5])
def test_largest_by_iteration_whatever_its_sign(top):
    """ARPACK's own criterion is relative to the value, and would never end at 0."""
    values = np.concatenate([[top], np.linspace(-1.0, -200.0, 1099)])
    B = symmetric(values)
    size = float(np.linalg.norm(B))
    found = ends.largest(lambda v: B @ v, len(B), size, lambda: B)
    assert found.solver == "lanczos"
    assert found.value == pytest.approx(top, abs=1e-9)


def test_inertia_is_the_sum_of_eigenvalues():
    found = inertia(Form(matrix=symmetric(np.array([5.0, 2.0, 0.0, -1.0, -2.0]))))
    assert (found.positive, found.negative) == pytest.approx((7.0, 3.0))
    assert found.exact
    assert found.share == pytest.approx(0.3)


@pytest.mark.parametrize("spread", ["one", "few", "many"])
def test_estimated_inertia(spread):
    n = 1600
    rng = np.random.default_rng(1)
    negative = {"one": [-40.0], "few": [-40.0, -20.0, -10.0], "many": -rng.uniform(0, 1, 600)}[spread]
    values = np.concatenate([[300.0, 200.0], rng.uniform(0, 1, n - 2 - len(negative)), negative])
    B = symmetric(values)
    found = inertia(Form(matrix=B))
    assert not found.exact
    assert found.negative == pytest.approx(-np.sum(negative), rel=0.1)
    assert found.positive - found.negative == pytest.approx(np.trace(B), rel=1e-9)
    assert inertia(Form(matrix=torch.tensor(B))).negative == pytest.approx(found.negative, rel=1e-6)
