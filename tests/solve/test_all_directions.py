"""All directions of a large factor: from its squares where that costs no digits that count."""

import importlib

import numpy as np
import pytest

from eigenlens.solve import Form, whiten
from eigenlens.solve.solve import all_directions

SOLVE = importlib.import_module("eigenlens.solve.solve")  # the package has a function of that name


def factor(s, n=90, seed=0):
    rng = np.random.default_rng(seed)
    U, V = (np.linalg.qr(rng.standard_normal((m, len(s))))[0] for m in (n, len(s)))
    return (U * s) @ V.T


SPECTRA = {
    "even": (np.linspace(3, 1, 60), True),
    "a thousand": (np.geomspace(9e2, 1, 60), True),
    "without some": (np.r_[np.linspace(3, 1, 57), np.zeros(3)], True),
    "weak": (np.r_[np.linspace(3, 1, 59), 1e-7], False),
    "very weak": (np.r_[np.linspace(3, 1, 59), 1e-11], False),
    "graded": (np.geomspace(1e8, 1, 60), False),
}


@pytest.mark.parametrize("name", SPECTRA)
def test_values_directions_and_images(monkeypatch, name):
    s, squared = SPECTRA[name]
    F = factor(s)
    monkeypatch.setattr(SOLVE, "ITERATED_DIMENSION", 50)
    assert (SOLVE._by_squares(F) is not None) == squared
    found, V, left = all_directions(Form(factor=F, squared=False))
    np.testing.assert_allclose(found, s, rtol=1e-9, atol=1e-13 * s[0])
    np.testing.assert_allclose(V.T @ V, np.eye(60), atol=1e-12)
    np.testing.assert_allclose((left * found) @ V.T, F, atol=1e-12 * s[0])


def test_what_is_whitened_does_not_depend_on_it(monkeypatch):
    F = factor(np.r_[np.linspace(3, 1, 57), np.zeros(3)])
    exact = whiten(Form(factor=F, squared=False))
    monkeypatch.setattr(SOLVE, "ITERATED_DIMENSION", 50)
    found = whiten(Form(factor=F, squared=False))
    assert found.rank == exact.rank == 57
    np.testing.assert_allclose(np.abs(found.matrix), np.abs(exact.matrix), atol=1e-8)
