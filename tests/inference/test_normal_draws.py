"""Eigenvalues of draws of unrelated normal columns: by squares where tables are large."""

import numpy as np
import pytest

from eigenlens.inference import parallel


@pytest.mark.parametrize("n", [60, 40, 25])
@pytest.mark.parametrize("spread", [1.0, 1e2, 1e8])
def test_squares_give_the_same_eigenvalues(monkeypatch, n, spread):
    scales = np.geomspace(1.0, spread, 40)
    exact = parallel._wishart_eigenvalues(np.random.default_rng(0), n, scales)
    monkeypatch.setattr(parallel, "SQUARED_SIDE", 10)
    found = parallel._wishart_eigenvalues(np.random.default_rng(0), n, scales)
    assert found.shape == exact.shape
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-14 * exact[0])
