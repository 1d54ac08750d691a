"""Faults of reading and saving, each found once and kept: what the table holds is read, or refused in plain words."""

import sqlite3

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest

import eigenlens
from eigenlens import PCA, MixedPCA, load, open_rows, save, write_rows
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.rows import Preparation, TableFile, as_source

X = np.random.default_rng(0).normal(size=(30, 3))
WORDED = pd.DataFrame({"kind": list("abc") * 10, "x": X[:, 0], "y": X[:, 1]})
HOLED = pd.DataFrame(X, columns=list("abc")).mask(np.arange(90).reshape(30, 3) % 17 == 4)


@pytest.mark.parametrize("name", ["a.db?v=2", "50%41.db", "x#1.db", "plain.db"])
def test_a_database_is_the_file_that_is_named(tmp_path, name):
    for path, value in ((tmp_path / name, 7.0), (tmp_path / "a.db", 1.0), (tmp_path / "50A.db", 1.0)):
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE t (v REAL)")
            connection.execute("INSERT INTO t VALUES (?)", (value,))
    before = set(tmp_path.iterdir())
    rows = open_rows(f"sqlite:///{tmp_path / name}", query="SELECT v FROM t")
    assert as_source(rows).in_memory().table.rows(0, 1).item() == 7.0
    assert set(tmp_path.iterdir()) == before


def test_a_gap_is_one_to_every_reader(tmp_path):
    path, gaps = tmp_path / "t.csv", ["nA", "Null", "#NA", "#N/A", "-NaN", "1.#IND", "-1.#QNAN", "NAN", "n/A", ""]
    path.write_text("a,b\n" + "".join(f"{gap},{j}\n" for j, gap in enumerate(gaps)) + "1,2\n3,4\n")
    column = TableFile(path).profile()["a"]
    assert (column.kind, column.missing, column.numbers) == ("number", len(gaps), 2)
    values = as_source(open_rows(path), missing="ml").in_memory().table.rows(0, 12)[:, 0]
    assert np.isnan(values).sum() == len(gaps)


def test_a_digit_that_is_not_ascii_is_named_with_its_place(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n٣,3\n", encoding="utf8")
    with pytest.raises(InputError, match=r"line 3, column 'a': '٣' is not a number"):
        PCA(1).fit(open_rows(path))


def test_a_sheet_without_its_dimension_is_read(tmp_path, monkeypatch):
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, "x"], [2, "y"]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    monkeypatch.setattr("openpyxl.worksheet._reader.WorkSheetParser.parse_dimensions", lambda self: None)
    frozen = openpyxl.load_workbook(tmp_path / "t.xlsx", read_only=True).active
    assert frozen.max_row is None
    assert TableFile(tmp_path / "t.xlsx").read(["a", "b"]).to_pydict() == {"a": [1.0, 2.0], "b": ["x", "y"]}


def test_whole_numbers_may_name_columns():
    frame = pd.DataFrame(X * 9).round().astype("Int64")
    named = frame.rename(columns=str)
    for each in (frame, named):
        each.iloc[3, 1] = pd.NA
    of = [PCA(2, missing="ml").fit(each).explained_variance_ for each in (frame, named)]
    np.testing.assert_array_equal(*of)
    for missing in ("keep", "mean"):
        of = [np.asarray(Preparation(missing=missing).fit_transform(each)) for each in (frame, named)]
        np.testing.assert_array_equal(*of)
    worded = WORDED.set_axis([0, 1, 2], axis=1)
    assert np.shape(Preparation().fit(worded).transform(worded)) == (30, 4)


def test_write_rows_reads_rows_as_the_model_does(tmp_path):
    for model, rows in ((MixedPCA(2).fit(WORDED), WORDED), (PCA(2, missing="ml").fit(HOLED), HOLED)):
        path = write_rows(model.transform, rows, tmp_path / "scores.npy", overwrite=True)
        np.testing.assert_allclose(np.load(path), model.transform(rows), rtol=1e-12, atol=1e-12)


def test_missing_numbers_beside_words_are_allowed_in_memory_as_in_a_stream(tmp_path):
    holed = WORDED.assign(x=WORDED["x"].mask(WORDED["x"] > 1))
    holed.to_parquet(tmp_path / "t.parquet")
    for rows in (holed, open_rows(tmp_path / "t.parquet")):
        source = as_source(rows, words="auto", missing="ml").in_memory()
        found = source.table.rows(0, 30)
        assert int(np.isnan(found.numbers).sum()) == int(holed["x"].isna().sum())
        assert len(found.words) == 1
        assert sum(block.X.shape[0] for segment in source.map_segments(list) for block in segment) == 30


def test_a_preparation_fills_with_the_mean_that_it_centres_by():
    weights = np.arange(30.0)
    made = Preparation(missing="mean").fit(HOLED, sample_weight=weights)
    np.testing.assert_allclose(made.fill_, made.centre_)
    gap = np.flatnonzero(HOLED["b"].isna())[0]
    np.testing.assert_allclose(np.asarray(made.transform(HOLED))[gap, 1], 0.0, atol=1e-14)
    for wrong in ([1.0, 2.0], -np.ones(30), np.zeros(30)):
        with pytest.raises(InputError, match="sample_weight"):
            Preparation().fit(HOLED.fillna(0), sample_weight=wrong)


def test_a_lazy_frame_names_the_ways_out(tmp_path):
    pl.DataFrame(X, schema=list("abc")).write_parquet(tmp_path / "t.parquet")
    lazy = pl.scan_parquet(tmp_path / "t.parquet")
    for reads in (PCA(1).fit, eigenlens.report):
        with pytest.raises(InputTypeError, match=r"collect\(\).*open_rows"):
            reads(lazy)


def test_a_column_without_a_name_is_called_so():
    with pytest.raises(InputTypeError, match=r"not numbers: one without a name \(String\)"):
        PCA(1).fit(pd.DataFrame({"": list("abc"), "a": [1, 2, 4]}))


def test_names_that_no_file_has_and_folders_that_are_not_there(tmp_path):
    model = PCA(1).fit(X)
    for call in (lambda p: save(model, p), load, lambda p: write_rows(model.transform, X, p)):
        with pytest.raises(InputError, match="NUL"):
            call("a\0b.csv")
    page = eigenlens.report(pd.DataFrame(X), cv=0)
    calls = {"m.eigenlens": lambda p: save(model, p), "m.html": page.save, "m.csv": lambda p: write_rows(abs, X, p)}
    for name, call in calls.items():
        with pytest.raises(FileNotFoundError, match=r"there is no folder '.*absent'; make it first") as caught:
            call(tmp_path / "absent" / name)
        assert ".part" not in str(caught.value)


def test_an_address_that_cannot_be_reached_is_said_so():
    with pytest.raises(InputError, match="cannot be reached"):
        open_rows("ftp://127.0.0.1:1/rows.parquet")
