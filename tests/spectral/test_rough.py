"""Directions found in single precision and made exact: as good as those that were never rounded."""

import importlib

import numpy as np
import pytest

from eigenlens import PCA, roads
from eigenlens._core.tiles import Tiles
from eigenlens.moments import Outline
from eigenlens.sources import Block
from eigenlens.spectral import block_krylov, block_space, principal_angles, rough
from eigenlens.spectral.block_krylov import RESIDUAL, leading
from eigenlens.spectral.block_space import Leading, Way

PRODUCTS = importlib.import_module("eigenlens.moments.row_products")
N, K = 600, 6


@pytest.fixture
def taken(monkeypatch):
    """Go on in single precision after three steps, whatever the table; return what was corrected."""
    for module, name, value in (
        (roads, "SHORT", 0),
        (roads, "LEAST", 0),
        (roads, "KEPT", 0),
        (roads, "THIN", 1e-3),
        (rough, "COPIED", 0.0),
        (rough, "CORRECTED", 0.0),
        (rough, "THIN", 1e9),
        (block_space, "SLOW", -1.0),
        (PRODUCTS, "MOST_GRAM", 0),
    ):
        monkeypatch.setattr(module, name, value)
    corrected = []

    def refined(*arguments):
        corrected.append(rough.refined(*arguments))
        return corrected[-1]

    monkeypatch.setattr(block_krylov, "refined", refined)
    return corrected


def turned(values, seed=0):
    Q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))
    return (Q * values) @ Q.T, Q


def rough_way(A):
    single = A.astype(np.float32)
    return Way(lambda: lambda V: (V.astype(np.float32) @ single).astype(np.float64), 0.0, 0.1, rough.ROUND_OFF)


@pytest.mark.parametrize("shape", [(1, 1), (63, 64), (64, 65), (1000, 200), (1001, 130), (2100, 70), (5, 2000)])
@pytest.mark.parametrize("width", [1, 12, 32])
def test_tiles_multiply(shape, width):
    rng = np.random.default_rng(0)
    M, V = rng.standard_normal(shape).astype(np.float32), rng.standard_normal((width, shape[0])).astype(np.float32)
    by_rows, by_columns = Tiles(*shape, width), Tiles(*shape, width)
    for low in range(0, shape[0], 300):
        by_rows.write_rows(low, M[low : low + 300])
    for low in range(0, shape[1], 64):
        by_columns.write_columns(low, M.T[low : low + 64])
    exact = V.astype(float) @ M.astype(float)
    np.testing.assert_allclose(by_rows.under(V), exact, atol=1e-5 * shape[0] ** 0.5 * 10)
    np.testing.assert_array_equal(by_rows.under(V), by_columns.under(V))


SPECTRA = {
    "flat": np.linspace(1.3, 0.7, N) ** 2,
    "planted": np.r_[np.linspace(9, 2, K), np.linspace(1.5, 0.5, N - K)],
    "close": np.r_[np.full(4, 1.05), 1.04, 1.03, np.linspace(1, 0, N - 6)],
    "pairs": np.repeat(np.linspace(1.2, 1, N // 2), 2),
    "cluster": np.r_[np.full(30, 1.0), np.linspace(0.98, 0.5, N - 30)],
}


@pytest.mark.parametrize("name", SPECTRA)
def test_what_single_precision_finds_is_made_exact(taken, name):
    A, _ = turned(SPECTRA[name])
    found = leading(lambda V: V @ A, N, K, A, ways=[rough_way(A)], most_steps=2_000)
    assert found.settled
    np.testing.assert_allclose(found.values, np.sort(SPECTRA[name])[::-1][:K], rtol=1e-13)
    np.testing.assert_allclose(found.vectors @ found.vectors.T, np.eye(K), atol=1e-12)
    residual = np.linalg.norm(found.vectors @ A - found.values[:, None] * found.vectors, axis=1)
    assert residual.max() <= RESIDUAL * found.values[0]
    np.testing.assert_allclose(found.residuals * found.values[0], residual, atol=1e-13)


def test_noise_needs_one_round_of_corrections(taken):
    A, Q = turned(SPECTRA["flat"])
    products = []

    def exact(V):
        products.append(len(V))
        return V @ A

    found = leading(exact, N, K, A, ways=[rough_way(A)])
    assert taken[0].settled
    assert len(products) == block_space.EARLY + 2  # and one to see that it is right
    assert principal_angles(found.vectors.T, Q[:, :K]).max() < 1e-5


def test_products_that_are_wrong_are_not_believed(taken):
    """A rough way that multiplies with another matrix: its directions are refused, and the search is made again."""
    A, _ = turned(SPECTRA["flat"])
    wrong, _ = turned(SPECTRA["flat"], seed=1)
    found = leading(lambda V: V @ A, N, K, A, ways=[rough_way(wrong)], most_steps=2_000)
    assert not taken[0].settled
    assert found.settled
    np.testing.assert_allclose(found.values, np.sort(SPECTRA["flat"])[::-1][:K], rtol=1e-13)


def test_directions_that_are_exact_need_no_correction():
    A, Q = turned(SPECTRA["planted"])
    start = Leading(SPECTRA["planted"][: K + 4], Q[:, : K + 4].T, np.zeros(K + 4), 0, True)
    found = rough.refined(lambda V: V @ A, rough_way(A).make(), start, K, 1e-8, 1e-4)
    assert found.settled
    assert found.steps == 1


def noise(n, p, seed=0):
    return np.random.default_rng(seed).standard_normal((n, p))


def fits(X, weight=None, scale=False):
    exact = PCA(K, solver="dense", scale=scale).fit(X, sample_weight=weight)
    return PCA(K, scale=scale).fit(X, sample_weight=weight), exact


TABLES = {
    "long": lambda: noise(900, 300),
    "wide": lambda: noise(300, 900),
    "square": lambda: noise(400, 400),
    "far away": lambda: noise(700, 300) + 1e8,
    "far away, wide": lambda: noise(300, 700) + 1e8 * noise(1, 700),
    "tiny": lambda: noise(500, 300) * 1e-55,
    "huge": lambda: noise(500, 300) * 1e55,
    "repeated rows": lambda: np.repeat(noise(200, 300), 3, axis=0),
    "repeated columns": lambda: np.repeat(noise(500, 100), 3, axis=1),
    "columns first": lambda: np.asfortranarray(noise(500, 300)),
    "every other row": lambda: np.repeat(noise(500, 300), 2, axis=0)[::2],
    "float32": lambda: noise(500, 300).astype(np.float32),
    "float32, wide": lambda: noise(300, 500).astype(np.float32),
    "small cells beside large ones": lambda: noise(500, 300) * np.r_[np.ones(150), np.full(150, 1e-42)],
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("formed", [False, True])
def test_tables_of_noise(taken, monkeypatch, name, formed):
    monkeypatch.setattr(rough, "RoughTable" if formed else "RoughSquare", None)
    monkeypatch.setattr(rough, "THIN", 1e9 if formed else 1e-9)
    X = TABLES[name]()
    model, exact = fits(X)
    assert isinstance(model.moments_, Outline)
    assert taken[0].settled
    assert model.spectrum_.residual <= 1e-8
    digits = 1e-6 if X.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(model.explained_variance_, exact.explained_variance_, rtol=digits)
    assert np.max(exact.subspace_.angles(model.subspace_)) < 1e-5


@pytest.mark.parametrize("shape", [(700, 300), (300, 700)])
@pytest.mark.parametrize("scale", [False, True])
def test_weights_and_scales(taken, shape, scale):
    X = noise(*shape) * (np.geomspace(1e-3, 1e3, shape[1]) if scale else 1.0)
    weight = np.random.default_rng(1).uniform(0.5, 3, shape[0])
    model, exact = fits(X, weight, scale)
    assert taken[0].settled
    np.testing.assert_allclose(model.explained_variance_, exact.explained_variance_, rtol=1e-12)
    assert np.max(exact.subspace_.angles(model.subspace_)) < 1e-5


@pytest.mark.filterwarnings("ignore:The first component is column 0 alone")
def test_columns_of_very_different_units_keep_their_digits(taken):
    """The weakest of six directions has 1e-12 of the variance of the first: nothing of it is in single precision."""
    X = noise(700, 300) * np.r_[np.geomspace(1e6, 1, K), np.full(300 - K, 0.3)]
    model, exact = fits(X)
    np.testing.assert_allclose(model.explained_variance_, exact.explained_variance_, rtol=1e-9)


def test_more_components_than_there_is_rank(taken):
    X = noise(500, 4) @ noise(4, 300, seed=1)
    with pytest.warns(Warning, match="rank 4"):
        model = PCA(K).fit(X)
    exact = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(model.singular_values_[:4], exact[:4], rtol=1e-12)


def test_a_rerun_gives_the_same_bits(taken):
    X = noise(500, 400)
    one, two = PCA(K).fit(X), PCA(K).fit(X)
    np.testing.assert_array_equal(one.components_, two.components_)


def test_noise_of_two_thousand_rows_and_columns_takes_this_way_of_its_own_accord(monkeypatch):
    corrected = []
    monkeypatch.setattr(block_krylov, "refined", lambda *a: corrected.append(rough.refined(*a)) or corrected[-1])
    X = noise(2000, 2000).astype(np.float32)
    model = PCA(10).fit(X)
    assert corrected[0].settled
    assert model.spectrum_.passes < 20
    rows = X - X.mean(axis=0, dtype=np.float64)
    V = model.spectrum_.vectors
    gap = rows.T @ (rows @ V) - V * model.spectrum_.values
    assert np.linalg.norm(gap, axis=0).max() <= 1e-8 * model.spectrum_.values[0]


def test_planted_directions_stay_in_double_precision(monkeypatch):
    monkeypatch.setattr(block_krylov, "refined", None)  # it would be called
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.standard_normal((m, 10)))[0] for m in (2000, 2000))
    X = rng.standard_normal((2000, 2000)) + (U * 90 * np.linspace(11, 1.5, 10)) @ V.T
    assert PCA(10).fit(X).spectrum_.residual <= 1e-8


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_centred_rows(weighted, offset):
    X = noise(50, 20) + offset
    weight = np.random.default_rng(0).uniform(1, 2, 50) if weighted else None
    products = PRODUCTS.ArrayProducts(X, Outline().update(Block(X, weight=weight)), weight)
    w = np.ones(50) if weight is None else weight
    near = X - offset
    rows = np.sqrt(w)[:, None] * (near - np.average(near, axis=0, weights=w))
    np.testing.assert_allclose(products.centred(10, 30), rows[10:30], atol=1e-7 if offset else 1e-13)
    factor = np.linspace(1, 2, 20)
    np.testing.assert_allclose(products.scaled(factor).centred(0, 50), products.centred(0, 50) * factor)
