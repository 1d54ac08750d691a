"""Tables of other libraries, addresses, databases and odd columns: taken as they are, or refused in a sentence."""

import os
import sqlite3
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from eigenlens import LDA, PCA, open_rows
from eigenlens.rows import queries, stream

rng = np.random.default_rng(3)
FRAME = pd.DataFrame(rng.standard_normal((200, 3)).round(6) + 5, columns=list("abc"))
LABELLED = FRAME.assign(kind=np.array(["x", "y", "z"])[np.arange(200) % 3])
EXPECTED = PCA(2).fit(FRAME).components_


def as_decimals():
    return pa.table({c: pa.array([Decimal(f"{v:.6f}") for v in FRAME[c]], pa.decimal128(20, 6)) for c in FRAME})


TABLES = {
    "objects": lambda: FRAME.astype(object),
    "objects beside numbers": lambda: FRAME.astype({"b": object}),
    "sparse columns": lambda: FRAME.astype(pd.SparseDtype(float, 0.0)),
    "sparse columns around NaN": lambda: FRAME.astype(pd.SparseDtype(float)),
    "one sparse column": lambda: FRAME.astype({"a": pd.SparseDtype(float, 0.0)}),
    "Arrow decimals": as_decimals,
    "polars decimals": lambda: pl.from_arrow(as_decimals()),
    "Decimal objects": lambda: FRAME.map(lambda v: Decimal(f"{v:.6f}")).astype(object),
    "a record batch": lambda: pa.RecordBatch.from_pandas(FRAME),
    "a relation": lambda: duckdb.from_df(FRAME),
    "an Arrow reader": lambda: pa.Table.from_pandas(FRAME).to_reader(max_chunksize=31),
    "decimals of a reader": lambda: open_rows(as_decimals().to_reader(max_chunksize=31)),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tables_are_taken_as_they_are(table):
    model = PCA(2).fit(table())
    np.testing.assert_allclose(model.components_, EXPECTED, rtol=0, atol=1e-12)
    assert model.feature_names_in_.tolist() == list("abc")
    np.testing.assert_allclose(model.transform(table()), model.transform(FRAME), rtol=0, atol=1e-12)


def test_missing_cells_of_objects_and_sparse_columns():
    holes = FRAME.astype(object)
    holes.loc[3, "b"] = None
    with pytest.raises(ValueError, match=r"X contains NaN \(the first in row 3, column b\)"):
        PCA(2).fit(holes)


@pytest.mark.parametrize(
    "table",
    [LABELLED, LABELLED.astype(object), pl.from_pandas(LABELLED), duckdb.from_df(LABELLED)],
    ids=["pandas", "objects", "polars", "duckdb"],
)
def test_words_are_named(table):
    with pytest.raises(ValueError, match=r"not numbers: kind \("):
        PCA(2).fit(table)


def test_a_relation_is_read_as_often_as_needed_and_a_reader_once():
    rows = open_rows(duckdb.from_df(LABELLED), target="kind")
    assert np.array_equal(LDA().fit(rows).scalings_, LDA().fit(rows).scalings_)
    once = open_rows(pa.Table.from_pandas(LABELLED).to_reader(), target="kind")
    LDA().fit(once)
    with pytest.raises(ValueError, match="is a stream that has already been read"):
        LDA().fit(once)


def test_a_query_that_fails_on_its_way_says_so():
    relation = duckdb.sql("SELECT a, CASE WHEN a > 6 THEN error('no such sensor') ELSE b END AS b FROM FRAME")
    with pytest.raises(ValueError, match="no such sensor"):
        PCA(1).fit(relation)


def test_partitions_are_columns(tmp_path):
    LABELLED.assign(year=np.repeat([2020, 2021], 100)).to_parquet(tmp_path / "rows", partition_cols=["kind", "year"])
    rows = open_rows(tmp_path / "rows", target="kind")
    assert rows.feature_names == ["a", "b", "c", "year"]
    model = LDA().fit(open_rows(tmp_path / "rows", columns=list("abc"), target="kind"))
    assert model.classes_.tolist() == ["x", "y", "z"]
    np.testing.assert_allclose(model.means_, LABELLED.groupby("kind").mean(), rtol=1e-12)
    (tmp_path / "rows" / "kind=x" / "odd").mkdir()
    FRAME.to_parquet(tmp_path / "rows" / "kind=x" / "odd" / "rows.parquet")
    with pytest.raises(ValueError, match=r"has partitions kind, year but .* has partitions kind;"):
        open_rows(tmp_path / "rows")


def test_folders_above_say_nothing(tmp_path):
    (tmp_path / "run=7").mkdir()
    FRAME.to_parquet(tmp_path / "run=7" / "rows.parquet")
    assert open_rows(tmp_path / "run=7" / "rows.parquet").feature_names == list("abc")
    assert open_rows(tmp_path / "run=7").feature_names == list("abc")
    assert open_rows(str(tmp_path / "run=*" / "*.parquet")).feature_names == [*"abc", "run"]


def test_remote_files_that_change_are_refused():
    FRAME.to_parquet("memory://changing/rows.parquet")
    rows = open_rows("memory://changing/rows.parquet")
    FRAME[:100].to_parquet("memory://changing/rows.parquet")
    with pytest.raises(ValueError, match=r"memory://.*rows.parquet has changed since it was opened"):
        PCA(2).fit(rows)


def empty_database(folder):
    with sqlite3.connect(folder / "y.db") as connection:
        connection.execute("CREATE TABLE t(a)")
    return folder / "y.db"


def duck(folder):
    duckdb.connect(str(folder / "z.db")).close()
    return f"duckdb:///{folder / 'z.db'}"


TWO_TYPES = "SELECT 1.5 a UNION ALL SELECT 'x'"
OPENING = {
    "pattern": (lambda d: open_rows(str(d / "part-*.csv")), "nothing to read there"),
    "remote": (lambda d: open_rows("memory://nowhere/rows.csv"), "memory://nowhere.*nothing to read there"),
    "scheme": (lambda d: open_rows("gopher://old/rows.csv"), "fsspec cannot reach gopher://"),
    "no query": (lambda d: open_rows(f"duckdb:///{d / 'x.db'}"), "does not say which rows to read.*SELECT"),
    "no database": (lambda d: open_rows(f"sqlite:///{d / 'x.db'}", query="SELECT 1"), "nothing to read there"),
    "query of a file": (lambda d: open_rows(d / "x.csv", query="SELECT 1"), "is not a database.*ADBC"),
    "no table": (lambda d: open_rows(f"sqlite:///{empty_database(d)}", query="SELECT a FROM u"), "no such table: u"),
    "same names": (lambda d: open_rows(duckdb.sql("SELECT 1 AS a, 2 AS a").fetch_record_batch()), "same name"),
    "same names of a relation": (lambda d: open_rows(duckdb.sql("SELECT 1 AS a, 2 AS a")), "same name"),
    "same names of a query": (lambda d: open_rows(duck(d), query="SELECT 1 AS a, 2 AS a"), "same name"),
    "no rows of SQLite asked for": (
        lambda d: open_rows(f"sqlite:///{empty_database(d)}", query=";"),
        "is not a SELECT",
    ),
    "two types": (
        lambda d: open_rows(f"sqlite:///{empty_database(d)}", query=TWO_TYPES),
        "'a' holds .* float, str; .*CAST",
    ),
    "bytes": (
        lambda d: open_rows(f"sqlite:///{empty_database(d)}", query="SELECT x'00ff' a"),
        "'a' holds .* bytes; .*CAST",
    ),
    "no rows asked for": (lambda d: open_rows(duck(d), query="-- SELECT 1"), "is not a SELECT"),
}


@pytest.mark.parametrize(("attempt", "message"), OPENING.values(), ids=OPENING)
def test_opening(attempt, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        attempt(tmp_path)


@pytest.mark.parametrize(
    "query", ["ATTACH '{}' AS n", "VACUUM INTO '{}'", "COPY (SELECT 1 AS a) TO '{}'", "EXPORT DATABASE '{}'"]
)
def test_a_query_writes_no_files(query, tmp_path):
    url = f"sqlite:///{empty_database(tmp_path)}" if query[0] in "AV" else duck(tmp_path)
    with pytest.raises(
        ValueError, match=r"not authorized|authorization denied|COPY and EXPORT write files; give a SELECT"
    ):
        open_rows(url, query=query.format(tmp_path / "made"))
    assert not (tmp_path / "made").exists()


def test_a_column_of_sqlite_that_changes_its_kind_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("eigenlens.rows.queries.FETCHED", 2)
    with sqlite3.connect(tmp_path / "x.db") as connection:
        connection.execute("CREATE TABLE t(a)")
        connection.executemany("INSERT INTO t VALUES (?)", [(1,), (2,), (2.5,), (4,)])
    url = f"sqlite:///{tmp_path / 'x.db'}"
    with pytest.raises(ValueError, match=r"column 'a' began with values of type int64.*CAST\(a AS REAL\)"):
        PCA(1).fit(open_rows(url, query="SELECT a FROM t"))
    assert PCA(1).fit(open_rows(url, query="SELECT CAST(a AS REAL) AS a FROM t")).mean_ == pytest.approx(2.375)


def test_excel_by_way_of_pandas(tmp_path):
    pytest.importorskip("openpyxl")
    FRAME.to_excel(tmp_path / "rows.xlsx", index=False)
    with pytest.raises(ValueError, match=r"Excel workbook.*pandas.read_excel"):
        open_rows(tmp_path / "rows.xlsx")
    np.testing.assert_allclose(PCA(2).fit(pd.read_excel(tmp_path / "rows.xlsx")).components_, EXPECTED, atol=1e-12)


def test_damaged_zstd_is_named(tmp_path):
    path = tmp_path / "rows.csv.zst"
    with pa.output_stream(str(path), compression="zstd") as file:
        file.write(FRAME.to_csv(index=False).encode() * 100)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(ValueError, match=r"rows.csv.zst"):
        PCA(2).fit(open_rows(path))


def test_a_stream_of_many_batches_is_read_to_its_end():
    """Looking at its first rows must not close it."""
    X = np.random.default_rng(0).standard_normal((5000, 4)) + 3
    table = pa.table({f"c{j}": X[:, j] for j in range(4)})
    model = PCA(2).fit(open_rows(table.to_reader(max_chunksize=600)))
    assert model.moments_.n_rows == 5000
    np.testing.assert_allclose(model.components_, PCA(2).fit(X).components_, rtol=0, atol=1e-12)


def test_a_query_runs_once_for_a_fit(monkeypatch):
    """First rows and pass are one stream, and it is closed at the end: its connection is free again."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE stored AS SELECT random() AS a, random() AS b FROM range(5000)")
    rows = open_rows(connection.sql("FROM stored"))
    opened = []
    run = rows.reader._opened
    monkeypatch.setattr(rows.reader, "_opened", lambda: (opened.append(1), run())[1])
    first = PCA(1).fit(rows)
    assert len(opened) == 1
    assert connection.sql("SELECT count(*) FROM stored").fetchall() == [(5000,)]
    assert np.array_equal(PCA(1).fit(rows).components_, first.components_)


def test_what_is_beside_rows_is_said():
    connection = duckdb.connect()
    relation = connection.sql("SELECT random() AS a, random() AS b FROM range(20)")
    with pytest.raises(TypeError, match=r"y is a DuckDBPyRelation, whose rows have no fixed order.*target="):
        LDA().fit(relation, relation)
    with pytest.raises(TypeError, match=r"X is a DuckDBPyConnection, not rows; pass a relation"):
        PCA(1).fit(connection)
    with pytest.raises(ValueError, match="Expected 2D array"):
        PCA(1).fit(pa.array([1.0, 2.0]))


def test_a_database_that_is_open_for_writing(tmp_path):
    connection = duckdb.connect(str(tmp_path / "rows.db"))
    connection.execute("CREATE TABLE rows AS SELECT 1.0 AS a, 2.0 AS b")
    with pytest.raises(ValueError, match=r"already open in this process.*connection\.sql"):
        open_rows(f"duckdb:///{tmp_path / 'rows.db'}", query="SELECT * FROM rows")


def test_a_query_runs_once(tmp_path, monkeypatch):
    """The columns of a query are asked without running it; a pass runs it once."""
    with duckdb.connect(str(tmp_path / "rows.db")) as connection:
        connection.execute("CREATE TABLE rows AS SELECT random() AS a, random() AS b FROM range(100)")
    opened = []
    duckdb_rows = queries._duckdb
    monkeypatch.setattr(queries, "_duckdb", lambda *given: (opened.append(given), duckdb_rows(*given))[1])
    PCA(1).fit(open_rows(f"duckdb:///{tmp_path / 'rows.db'}", query="SELECT * FROM rows"))
    assert len(opened) == 1


def test_batches_of_a_query_are_blocks(monkeypatch):
    """Blocks that end in the middle of a batch are joined from two, which costs a copy of the rows."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows AS SELECT random() AS a, random() AS b, random() AS c FROM range(200000)")
    joined, parts = stream._joined, []
    monkeypatch.setattr(stream, "_joined", lambda arrays: (parts.append(len(arrays)), joined(arrays))[1])
    assert PCA(2).fit(open_rows(connection.sql("FROM rows"))).moments_.n_rows == 200_000
    assert len(parts) > 2
    assert sum(count > 1 for count in parts) <= 1  # beside the first rows
