"""Dask: partitions are reduced where they are, and nothing that happens to workers changes a bit of the result."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from clusters import Killer, P, rows_of, start
from eigenlens import CCA, LDA, PCA
from eigenlens.rows import as_source, dask as source_of


@pytest.fixture(scope="module")
def client():
    with start() as client:
        yield client
        client.cluster.close()


def parts(table):
    return table[:, :P], table[:, P]


def same_bits(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("scalings_", "means_", "priors_"))


def test_cluster_and_threads_give_the_same_bits(client, monkeypatch):
    table = rows_of(20)
    X, y = parts(table)
    assert source_of._client() is client
    there = LDA().fit(X, y)
    whole = table.compute()
    np.testing.assert_allclose(there.scalings_, LDA().fit(whole[:, :P], whole[:, P]).scalings_, rtol=1e-11)
    assert same_bits(there, LDA().fit(X, y))
    monkeypatch.setattr(source_of, "_client", lambda: None)
    for scheduler in ("threads", "synchronous"):
        with dask.config.set(scheduler=scheduler):
            assert same_bits(there, LDA().fit(X, y))


@pytest.mark.parametrize("seed", [0])
def test_killed_workers_change_no_bit(client, seed):
    X, y = parts(rows_of(40, pause=0.04))
    expected = LDA().fit(*parts(rows_of(40)))
    with Killer(client, seed, 0.3, 0.8, most=2) as killer:
        model = LDA().fit(X, y)
    assert killer.kills >= 1
    assert model.moments_.groups[0].n_rows == 40 * 400
    assert same_bits(model, expected)


def test_rows_stay_where_they_are(client, monkeypatch):
    """The client receives moments, never a partition, and nothing is scattered."""
    sizes = []
    gathered = source_of._outlived

    def watched(*args):
        result = gathered(*args)
        sizes.append(len(__import__("pickle").dumps(result)))
        return result

    monkeypatch.setattr(source_of, "_outlived", watched)
    monkeypatch.setattr(client, "scatter", None)
    PCA(2).fit(parts(rows_of(10, rows=5000))[0])
    assert max(sizes) < 5000 * P  # bytes: far below one partition of 5000·P·8


def test_runs_bound_what_is_alive(monkeypatch):
    monkeypatch.setattr(source_of, "_client", lambda: None)
    monkeypatch.setattr(source_of, "RUNS", 4)
    seen = []
    results = source_of._results
    monkeypatch.setattr(source_of, "_results", lambda runs, places: (seen.append(len(runs)), results(runs, places))[1])
    X, y = parts(rows_of(50))
    model = LDA().fit(X, y)
    assert max(seen) <= 4
    assert model.moments_.groups[0].n_rows == 50 * 400


def test_poison_partition_is_named(client):
    def poison(block, block_info=None):
        k = block_info[0]["chunk-location"][0]
        if k == 7:
            block = block.copy()
            block[11, 2] = np.nan
        return block

    X = parts(rows_of(12))[0].map_blocks(poison, dtype=float)
    with pytest.raises(ValueError, match=r"partition 7: X contains NaN \(the first in row 11, column 2\)"):
        PCA(2).fit(X)


def test_classes_that_come_late(client):
    X = np.random.default_rng(0).standard_normal((90, 3))
    y = np.repeat(["a", "b", "c"], 30)
    X[:, 0] += np.repeat([0, 2, 4], 30)
    model = LDA().fit(da.from_array(X, chunks=(20, 3)), da.from_array(y, chunks=20))
    np.testing.assert_allclose(model.scalings_, LDA().fit(X, y).scalings_, rtol=1e-11)
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_empty_partitions_and_weights(client):
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((60, 3)), columns=list("abc"))
    frame["w"] = np.arange(60) % 3
    lazy = dd.from_pandas(frame, npartitions=5)
    lazy = lazy[lazy["w"] >= 0]
    few = dd.concat([lazy[lazy["a"] > 1e9], lazy])
    model = PCA(2).fit(few[["a", "b", "c"]], sample_weight=few["w"])
    expected = PCA(2).fit(frame[["a", "b", "c"]], sample_weight=frame["w"])
    np.testing.assert_allclose(model.components_, expected.components_, rtol=1e-11)


def test_one_weight_for_all(monkeypatch):
    """As for tables in memory; the lengths of the partitions need not be known."""
    monkeypatch.setattr(source_of, "_client", lambda: None)
    X = parts(rows_of(4))[0]
    for rows in (X, X[X[:, 0] < 1e9]):
        twice = PCA(2).fit(rows, sample_weight=da.full(len(X), 2.0, chunks=400))
        np.testing.assert_allclose(PCA(2).fit(rows, sample_weight=2.0).components_, twice.components_, atol=1e-12)


def test_results_are_lazy(client):
    X, y = parts(rows_of(6))
    model = LDA().fit(X, y)
    scores = model.transform(X)
    assert isinstance(scores, da.Array)
    assert scores.chunks[0] == X.chunks[0]
    np.testing.assert_allclose(scores.compute(), model.transform(X.compute()), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X).compute(), model.predict(X.compute()))
    cca = CCA().fit(X[:, :4], X[:, 4:])
    there, here = cca.transform(X[:, :4], X[:, 4:]), cca.transform(X[:, :4].compute(), X[:, 4:].compute())
    for a, b in zip(there, here, strict=True):
        np.testing.assert_allclose(a.compute(), b, rtol=0, atol=1e-12)


BAD = {
    "y missing": (lambda X: LDA().fit(X), "requires y"),
    "y too short": (lambda X: LDA().fit(X, np.zeros(5)), "X has 2000 rows but y has 5"),
    "y of other length": (lambda X: LDA().fit(X, da.zeros(7, chunks=7)), "X has 2000 rows but y has 7"),
    "y cut differently": (
        lambda X: LDA().fit(X[X[:, 0] > 0], da.zeros(7, chunks=7)),
        "y cannot be matched with the partitions of X: it has 1 partitions and X has 5",
    ),
    "y in memory": (lambda X: LDA().fit(X[X[:, 0] > 0], np.zeros(5)), "lengths of the partitions are not known"),
    "one dimension": (lambda X: PCA().fit(X[:, 0]), "Expected 2D array, got 1D"),
    "words": (
        lambda X: PCA().fit(dd.from_pandas(pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}), npartitions=1)),
        "columns that are not numbers: a",
    ),
    "a series": (lambda X: PCA().fit(dd.from_pandas(pd.Series([1.0, 2]), npartitions=1)), "Expected 2D array"),
    "no rows": (lambda X: PCA().fit(X[X[:, 0] > 1e9]), "0 sample"),
    "y where X has no rows": (
        lambda X: LDA().fit(X[X[:, 0] > 1e9], da.zeros(2000, chunks=400, dtype=int)[X[:, 1] > 0]),
        "partition 0: .*X has 0 rows but y has",
    ),
    "lazy y beside an array": (lambda X: LDA().fit(np.eye(3), da.zeros(3)), "y is a Array, whose rows have not been"),
    "lazy whole numbers": (lambda X: LDA().fit(np.eye(3), da.arange(3)), "y is a Array, whose rows have not been"),
}


@pytest.mark.parametrize(("attempt", "message"), BAD.values(), ids=BAD)
def test_bad_input(attempt, message, monkeypatch):
    monkeypatch.setattr(source_of, "_client", lambda: None)
    with pytest.raises(ValueError, match=message):
        attempt(parts(rows_of(5))[0])


def test_source_is_what_is_asked_for():
    assert isinstance(as_source(parts(rows_of(2))[0]), source_of.DaskSource)
