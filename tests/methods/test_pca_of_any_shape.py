"""Wide, sparse and huge tables: directions from products with the rows, equal to those of whole decompositions."""

import importlib
import tracemalloc
from pathlib import Path

import dask.array as da
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import torch
import zarr

from eigenlens import LDA, PCA, open_rows
from eigenlens.exceptions import NotConvergedWarning, RankWarning
from eigenlens.moments import Outline
from eigenlens.solve import strategy
from eigenlens.solve.strategy import choose_road

K = 5
PRODUCTS = importlib.import_module("eigenlens.moments.row_products")


@pytest.fixture
def products(monkeypatch):
    """Take the road of products for tables that are small enough for a test."""
    for name in ("SIDE", "SPARSE_SIDE", "SPARSE_ROWS", "REREAD"):
        monkeypatch.setattr(strategy, name, 0)
    monkeypatch.setattr(strategy, "SHARES", (4, 4))
    monkeypatch.setattr(PRODUCTS, "SMALL", 0)


def planted(n, p, seed=0, strongest=12.0):
    rng = np.random.default_rng(seed)
    U, V = (np.linalg.qr(rng.standard_normal((m, K)))[0] for m in (n, p))
    s = (n**0.5 + p**0.5) * np.linspace(strongest, 1.6, K)
    return rng.standard_normal((n, p)) + (U * s) @ V.T


def sparse(n, p, filled=0.05, seed=0):
    made = scipy.sparse.random(n, p, filled, format="csr", random_state=seed)
    made.data *= np.linspace(1, 6, p)[made.indices]
    return made


def same(model, exact, angle=1e-6, solver="krylov"):
    assert model.spectrum_.solver == solver
    assert model.spectrum_.residual <= 1e-8
    assert isinstance(model.moments_, Outline)
    assert np.max(np.asarray(exact.subspace_.angles(model.subspace_))) < angle
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "noise_variance_"):
        np.testing.assert_allclose(getattr(model, name), getattr(exact, name), rtol=1e-10, err_msg=name)


TABLES = {
    "long": lambda: planted(500, 120),
    "wide": lambda: planted(120, 500),
    "flat": lambda: np.random.default_rng(1).standard_normal((300, 150)),
    "clustered": lambda: np.random.default_rng(2).standard_normal((400, 150)) * np.r_[np.full(9, 20.0), np.ones(141)],
    "far away": lambda: planted(300, 150) + 1e8,
    "far away, wide": lambda: planted(150, 300) + 1e8 * np.random.default_rng(3).standard_normal(300),
    "repeated rows": lambda: np.repeat(planted(100, 150), 3, axis=0),
    "repeated columns": lambda: np.repeat(planted(300, 50), 3, axis=1),
    "single precision": lambda: planted(300, 150).astype(np.float32).astype(np.float64),
    "columns first": lambda: np.asfortranarray(planted(300, 150)),
    "every other row": lambda: np.repeat(planted(300, 150), 2, axis=0)[::2],
}


@pytest.mark.parametrize("name", TABLES)
def test_subspaces_of_dense_tables(products, name):
    X = TABLES[name]()
    same(PCA(K).fit(X), PCA(K, solver="dense").fit(X), 1e-5 if name == "flat" else 1e-6)


@pytest.mark.filterwarnings("ignore:The first component is column 0 alone")
def test_a_weak_direction_of_rows_in_memory_is_read_again_with_all_its_digits(products):
    """It warned of lost digits, and asked for an array, which it was."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((700, 300)) * np.r_[np.geomspace(1e7, 1, K), np.full(295, 0.1)]
    X = X @ np.linalg.qr(rng.standard_normal((300, 300)))[0]
    model = PCA(K).fit(X)
    assert type(model.moments_).__name__ == "Factor"
    np.testing.assert_allclose(
        model.singular_values_, np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[:K], rtol=1e-8
    )


@pytest.mark.parametrize("shape", [(400, 150), (150, 400)])
@pytest.mark.parametrize("form", ["csr_matrix", "csr_array", "csc_matrix", "coo_array"])
def test_subspaces_of_sparse_tables(products, shape, form):
    X = sparse(*shape)
    same(PCA(K).fit(getattr(scipy.sparse, form)(X)), PCA(K, solver="dense").fit(X.toarray()), 1e-5)


@pytest.mark.parametrize("weighted", [False, True])
def test_products_of_few_sparse_rows_with_each_other(products, monkeypatch, weighted):
    monkeypatch.setattr(PRODUCTS, "SMALL", 200)
    X = sparse(150, 400)
    weight = np.random.default_rng(0).uniform(1, 3, 150) if weighted else None
    exact = PCA(K, solver="dense").fit(X.toarray(), sample_weight=weight)
    same(PCA(K).fit(X, sample_weight=weight), exact, 1e-6, "gram")


@pytest.mark.parametrize("shape", [(400, 150), (150, 400)])
def test_solvers_that_are_asked_for_multiply_sparse_rows_too(products, shape):
    X = sparse(*shape)
    exact = PCA(K, solver="dense").fit(X.toarray())
    same(PCA(K, solver="lanczos").fit(X), exact, 1e-6, "lanczos")
    near = PCA(K, solver="randomized").fit(X)
    assert isinstance(near.moments_, Outline)
    assert near.spectrum_.solver == "randomized"
    assert 1e-8 < near.spectrum_.residual < 0.2
    np.testing.assert_allclose(near.explained_variance_, exact.explained_variance_, rtol=0.1)


def test_squares_of_few_sparse_rows_are_not_formed_where_they_cost_digits(products, monkeypatch):
    monkeypatch.setattr(PRODUCTS, "SMALL", 200)
    X = sparse(150, 400).tolil()
    X[:, 3] = 1e4 + np.random.default_rng(0).standard_normal((150, 1))
    same(PCA(K).fit(X.tocsr()), PCA(K, solver="dense").fit(X.toarray()), 1e-5)


def test_directions_of_one_variance_are_all_found(products):
    """Six equal parts of a table: each eigenvalue is there five or six times, and one vector at a time sees it once."""
    part = sparse(60, 40, 0.2)
    X = scipy.sparse.block_diag([part] * 6, format="csr")
    model, exact = PCA(14).fit(X), PCA(14, solver="dense").fit(X.toarray())
    assert model.spectrum_.solver == "krylov"
    np.testing.assert_allclose(model.explained_variance_, exact.explained_variance_, rtol=1e-10)


def test_a_full_column_far_from_the_origin_keeps_its_digits(products):
    X = sparse(400, 150).tolil()
    X[:, 3] = 1e8 + np.random.default_rng(0).standard_normal((400, 1))
    model, exact = PCA(K).fit(X.tocsr()), PCA(K, solver="dense").fit(X.toarray())
    same(model, exact, 1e-5)
    np.testing.assert_allclose(np.abs(model.transform(X.tocsr())), np.abs(exact.transform(X.toarray())), atol=1e-6)


def test_cells_that_are_stored_twice_are_added(products):
    X = sparse(300, 120).tocoo()
    rows, columns = (np.concatenate([part, part]) for part in (X.row, X.col))
    twice = scipy.sparse.csr_matrix((400, 120))
    twice = scipy.sparse.coo_matrix((np.concatenate([X.data, X.data]), (rows, columns)), shape=X.shape)
    raw = scipy.sparse.csr_matrix(X.shape)
    order = np.lexsort((columns, rows))
    raw.data, raw.indices = np.concatenate([X.data, X.data])[order], columns[order]
    raw.indptr = np.searchsorted(rows[order], np.arange(301))
    same(PCA(K).fit(raw), PCA(K, solver="dense").fit(twice.toarray()), 1e-5)


@pytest.mark.parametrize("kind", ["dense", "wide", "sparse"])
def test_a_row_of_weight_two_counts_twice(products, kind):
    X = {"dense": planted(300, 150), "wide": planted(150, 300), "sparse": sparse(300, 150)}[kind]
    weight = np.random.default_rng(0).integers(0, 3, X.shape[0])
    rows = X.toarray() if kind == "sparse" else X
    same(PCA(K).fit(X, sample_weight=weight), PCA(K, solver="dense").fit(np.repeat(rows, weight, axis=0)), 1e-5)


def sources(X, folder):
    np.save(folder / "rows.npy", X)
    yield "npy", open_rows(folder / "rows.npy")
    pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]).to_parquet(folder / "rows.parquet")
    yield "parquet", open_rows(folder / "rows.parquet")
    stored = zarr.open(str(folder / "rows.zarr"), mode="w", shape=X.shape, chunks=(70, X.shape[1]), dtype="f8")
    stored[:] = X
    yield "zarr", open_rows(folder / "rows.zarr")
    yield "dask", da.from_array(X, chunks=(90, X.shape[1]))
    yield "torch", torch.tensor(X)
    yield "frame", pd.DataFrame(X)
    yield "sparse", scipy.sparse.csr_matrix(X)
    for layout in (torch.sparse_csr, torch.sparse_coo, torch.sparse_csc):
        yield str(layout), torch.tensor(X, requires_grad=True).to_sparse(layout=layout)


@pytest.mark.filterwarnings("ignore:Sparse (CSR|CSC) tensor support is in beta")
@pytest.mark.parametrize("shape", [(400, 120), (120, 400)])
def test_every_kind_of_source_gives_the_same(products, tmp_path, shape):
    X = planted(*shape)
    here = PCA(K).fit(X)
    for name, source in sources(X, tmp_path):
        there = PCA(K).fit(source)
        assert isinstance(there.moments_, Outline), name
        np.testing.assert_allclose(np.asarray(there.components_), here.components_, atol=1e-7, err_msg=name)
        np.testing.assert_allclose(np.asarray(there.explained_variance_), here.explained_variance_, rtol=1e-12)
        if name in ("npy", "parquet", "zarr", "dask"):
            assert there.spectrum_.passes == there.spectrum_.steps  # one pass over the rows a step


def test_a_rerun_gives_the_same_bits(products):
    for X in (planted(300, 150), sparse(150, 300)):
        one, two = PCA(K).fit(X), PCA(K).fit(X)
        np.testing.assert_array_equal(one.components_, two.components_)


@pytest.mark.parametrize("shape", [(300, 150), (150, 300)])
def test_more_components_than_rank(products, shape):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((shape[0], 3)) @ rng.standard_normal((3, shape[1]))
    with pytest.warns(RankWarning, match="rank 3 but n_components=6"):
        model = PCA(6).fit(X)
    assert model.spectrum_.rank == 3
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(6), atol=1e-10)
    np.testing.assert_allclose(model.explained_variance_[3:], 0, atol=1e-12)


def test_weak_directions_go_to_the_dense_road(products):
    """Products with rows leave no digits of a direction with a millionth of the spread."""
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.standard_normal((m, 100)))[0] for m in (300, 150))
    X = (U * np.r_[1.0, 1e-2, 1e-7, np.full(97, 1e-9)]) @ V.T
    model, exact = PCA(3).fit(X), PCA(3, solver="dense").fit(X)
    assert not isinstance(model.moments_, Outline)
    np.testing.assert_allclose(model.singular_values_, exact.singular_values_, rtol=1e-9)


def test_steps_that_are_not_enough_are_told_where_nothing_else_fits(products, monkeypatch):
    monkeypatch.setattr(strategy, "STEPS", (2, 2))
    X = TABLES["flat"]()
    assert not isinstance(PCA(K).fit(X).moments_, Outline)  # the dense road fits
    monkeypatch.setattr("eigenlens.methods._spread_problem.fits", lambda source, kind: False)
    with pytest.warns(NotConvergedWarning, match="after 2 products with the rows"):
        model = PCA(K).fit(X)
    assert model.spectrum_.residual > 1e-8


def test_standardised_columns(products):
    for X in (planted(300, 150) * np.linspace(1, 9, 150), sparse(150, 300)):
        rows = X.toarray() if scipy.sparse.issparse(X) else X
        model, exact = PCA(K, scale=True).fit(X), PCA(K, scale=True, solver="dense").fit(rows)
        assert isinstance(model.moments_, Outline)
        np.testing.assert_allclose(model.components_, exact.components_, atol=1e-5)
        np.testing.assert_allclose(model.structure_, exact.structure_, atol=1e-5)
        np.testing.assert_allclose(model.transform(X), exact.transform(rows), atol=1e-4)


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600])
def test_extreme_units_go_to_the_dense_road(products, scale):
    X = planted(200, 120)
    with pytest.warns(Warning, match="explained_variance_"):
        model = PCA(K).fit(X * scale)
    np.testing.assert_allclose(model.components_, PCA(K, solver="dense").fit(X).components_, atol=1e-10)


def test_what_is_not_kept_is_told(products):
    X = planted(300, 150)
    model = PCA(K).fit(X)
    for ask in (lambda: model.partial_fit(X), model.test_dimension):
        with pytest.raises(ValueError, match="means and variances only"):
            ask()
    with pytest.raises(TypeError, match="means and variances only"):
        PCA(K).fit_moments(model.moments_)
    assert model.moments_.merge(PCA(K).fit(X + 1).moments_).n_rows == 600
    assert model.test_dimension(X, method="tracy-widom").dimension >= K


@pytest.mark.parametrize("rule", [None, 0.9, "mp", "parallel"])
def test_rules_that_need_all_eigenvalues_take_the_whole_form(products, rule):
    X = planted(150, 60)
    model = PCA(rule).fit(X)
    assert not isinstance(model.moments_, Outline)
    np.testing.assert_allclose(model.components_, PCA(rule, solver="dense").fit(X).components_, atol=1e-9)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ((100_000, 50, 5), "Scatter"),
        ((500, 50_000, 10), "Factor"),
        ((20_000, 20_000, 10), "Outline"),
        ((20_000, 20_000, 15_000), "Factor"),
        ((50_000, 5_000, 10), "Outline"),
        ((50_000, 5_000, None), "Scatter"),
        ((5_000, 20_000, 10, 0.01), "Outline"),
        ((100_000, 100, 10, 0.05), "Scatter"),
        ((100_000, 2_000, 10, None, False), "Scatter"),
        ((100_000, 20_000, 10, None, False), "Outline"),
    ],
)
def test_the_rule(question, kind):
    road = choose_road(*question)
    assert road.kind.__name__ == kind
    assert str(road).startswith(f"{kind}: ")


def test_the_map_of_roads_times_every_road(monkeypatch):
    """It replaces the rule, which once had moved: all of its roads were then the rule's own."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    taken, fit = set(), PCA.fit
    monkeypatch.setattr(PCA, "fit", lambda self, X: taken.add(type(fit(self, X).moments_).__name__))
    importlib.import_module("map_of_roads").times(planted(80, 120))
    assert taken == {"Outline", "Scatter", "Factor"}


def test_memory_of_a_sparse_fit():
    """No more than half of the table beside it, and a few vectors."""
    n, p, k = 3_000, 40_000, 3
    X = scipy.sparse.random(n, p, 0.005, format="csr", random_state=0)
    held = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    tracemalloc.start()
    model = PCA(k).fit(X)
    model.transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(model.moments_, Outline)
    assert peak <= 0.5 * held + 8 * (n + p) * k * 20 + 8 * n * 450


def test_sparse_frames_stay_sparse(products):
    X = sparse(200, 120)
    frame = pd.DataFrame.sparse.from_spmatrix(X, columns=[f"c{j}" for j in range(120)])
    model = PCA(K).fit(frame)
    assert isinstance(model.moments_, Outline)
    assert model.feature_names_in_[0] == "c0"
    np.testing.assert_allclose(model.transform(frame), PCA(K).fit(X).transform(X), atol=1e-10)
    y = np.arange(200) % 3
    np.testing.assert_array_equal(LDA().fit(frame, y).predict(frame), LDA().fit(X.toarray(), y).predict(X.toarray()))


@pytest.mark.filterwarnings("ignore:Sparse (CSR|CSC) tensor support is in beta")
@pytest.mark.parametrize("layout", ["sparse_csr", "sparse_coo", "sparse_csc"])
def test_sparse_tensors_stay_sparse(products, layout):
    X = sparse(200, 120)
    tensor, y = torch.tensor(X.toarray()).to_sparse(layout=getattr(torch, layout)), np.arange(200) % 3
    model = PCA(K).fit(tensor)
    assert isinstance(model.moments_, Outline)
    np.testing.assert_allclose(model.transform(tensor), PCA(K).fit(X).transform(X), atol=1e-10)
    np.testing.assert_array_equal(LDA().fit(tensor, y).predict(tensor), LDA().fit(X.toarray(), y).predict(X.toarray()))


def test_a_frame_with_another_fill_value_is_read_as_it_is():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([1.0, 1.0, 5.0, 2.0], fill_value=1.0), "b": [1.0, 2.0, 3.0, 5.0]})
    np.testing.assert_allclose(PCA(1).fit(frame).mean_, [2.25, 2.75])


def test_the_table_of_sparse_products_is_not_copied():
    """Counting cells of columns took a copy of their places in eight bytes each, more than tables on disk leave."""
    X = scipy.sparse.random(20_000, 3_000, 0.05, format="csr", random_state=0)
    outline = PCA(2).fit(X).moments_
    tracemalloc.start()
    PRODUCTS.SparseRows(X, outline)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(outline, Outline)
    assert peak < 0.1 * X.data.nbytes


def test_cells_of_columns_are_counted_in_pieces(monkeypatch):
    X = sparse(200, 120)
    monkeypatch.setattr(PRODUCTS, "PIECE_BYTES", 7)
    np.testing.assert_array_equal(PRODUCTS._cells_of_columns(X.tocsr()), (X.toarray() != 0).sum(axis=0))
