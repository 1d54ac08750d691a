"""R's dr 3.0.11 on given slices, and the authors' localized SIR under Octave (with the paper's formula), up to sign."""

import csv
import json

import numpy as np
import pytest
from refs import figures, unshipped

from eigenlens import SAVE, SIR, LocalizedSIR, PrincipalHessianDirections


def read(folder):
    path = unshipped(folder)
    with open(path / "data.csv", newline="") as file:
        names, *rows = list(csv.reader(file))
    return names, np.array(rows, dtype=float), json.loads((path / "expected.json").read_text())


def assert_same_directions(components, expected, tolerance):
    found = (components / np.linalg.norm(components, axis=1, keepdims=True)).T
    expected = np.asarray(expected)[:, : found.shape[1]]
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("run", ["h5", "h8", "h20", "save_h5"])
def test_dr_on_ais(run):
    names, rows, expected = read("sir_ais")
    X, expected = rows[:, [names.index(c) for c in ("Ht", "Wt", "logRCC", "WCC")]], expected[run]
    slices = np.array(expected["slice_of_row"])
    model = (SAVE() if run.startswith("save") else SIR()).fit(X, slices=slices)
    np.testing.assert_allclose(model.eigenvalues_, expected["evalues"], rtol=1e-10)
    assert_same_directions(model.components_, expected["evectors_unit_norm"], 1e-10)
    assert model.slice_weights_.tolist() == expected["slice_sizes"]
    if expected["test"]:
        test = model.test_dimension()
        np.testing.assert_allclose(test.statistics["chi2"], expected["test"]["Stat"], rtol=1e-10)
        assert test.statistics["df"].tolist() == expected["test"]["df"]
        np.testing.assert_allclose(test.p_values, expected["test"]["p.value"], atol=1e-10)


def test_printed_figures_of_dr_on_ais():
    """summary(dr(LBM ~ Ht + Wt + log(RCC) + WCC, method = "phdres")), as the manual of dr prints it."""
    names, rows, _ = read("sir_ais")
    X = rows[:, [names.index(c) for c in ("Ht", "Wt", "logRCC", "WCC")]]
    model = PrincipalHessianDirections().fit(X, rows[:, names.index("LBM")])
    np.testing.assert_allclose(np.abs(model.curvatures_), [1.4303, 1.1750, 1.1244, 0.3999], atol=5.1e-5)
    printed = [
        [0.12764, -0.0003378, 0.005550, 0.02549],
        [-0.02163, 0.0326138, -0.007342, -0.01343],
        [-0.74348, 0.9816463, 0.999930, -0.99909],
        [0.65611, -0.1879008, -0.007408, -0.03157],
    ]
    assert_same_directions(model.components_, printed, 6e-6)
    test = model.test_dimension()
    np.testing.assert_allclose(test.statistics["chi2"], [35.015, 20.248, 10.281, 1.155], atol=5.1e-4)
    assert test.statistics["df"].tolist() == [10, 6, 3, 1]
    np.testing.assert_allclose(test.p_values, [0.0001241, 0.0025012, 0.0163211, 0.2825955], atol=5.1e-8)


@pytest.mark.parametrize("run", range(6))
def test_localized_sir_on_tai_chi(run):
    given = figures("lsir_taichi")
    rows, expected = np.array(given["rows"]), given["runs"][run]
    X, y = rows[:, :6], rows[:, 6]
    k, s = expected["k_including_self"], expected["s_ridge_on_XXt"]
    model = LocalizedSIR(2, n_neighbors=k, ridge=s / len(X)).fit(X, y)
    np.testing.assert_allclose(model.eigenvalues_ * k**2, expected["top2_eigenvalues_raw"], rtol=1e-10)
    assert_same_directions(model.components_, expected["edr_unit_norm"], 1e-10)
