"""Tables as people keep them: each file has the outcome that its author would want, or an error with its place."""

import bz2
import gzip
import sys
import zipfile
from contextlib import suppress
from datetime import datetime
from encodings.aliases import aliases

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from eigenlens.exceptions import InputError
from eigenlens.rows import Dialect, TableFile
from eigenlens.rows.cells import parse
from eigenlens.rows.csv_text import PLAIN, _quotes_are_plain

EUROPE = {"delimiter": ";", "decimal": ","}

#: name → (content, options, the table that comes out)
GAPS_AT_THE_END = {"column 3": [None, None], "column 4": [None, None]}
RIGHT = {
    "plain": ("a,b\n1,x\n2,y\n", {}, {"a": [1, 2], "b": ["x", "y"]}),
    "no newline at the end": ("a,b\n1,2\n3,4", {}, {"a": [1, 3], "b": [2, 4]}),
    "Windows line ends": ("a,b\r\n1,2\r\n3,4\r\n", {}, {"a": [1, 3], "b": [2, 4]}),
    "old Mac line ends": ("a,b\r1,2\r3,4\r", {}, {"a": [1, 3], "b": [2, 4]}),
    "byte order mark": (b"\xef\xbb\xbfa,b\n1,2\n", {}, {"a": [1], "b": [2]}),
    "UTF-8 words": ("naïve,日本\n1,ü\n2,é\n", {}, {"naïve": [1, 2], "日本": ["ü", "é"]}),
    "UTF-16 when told": ("a,b\n1,2\n".encode("utf-16"), {"encoding": "utf-16"}, {"a": [1], "b": [2]}),
    "Latin-1 when told": ("a,b\n1,é\n2,f\n".encode("latin-1"), {"encoding": "latin-1"}, {"a": [1, 2], "b": ["é", "f"]}),
    "semicolons and decimal commas": ("a;b\n1,5;2\n-2,5e1;3\n", EUROPE, {"a": [1.5, -25], "b": [2, 3]}),
    "tabs": ("a\tb\n1\t2\n", {"delimiter": "\t"}, {"a": [1], "b": [2]}),
    "spaces around cells": ("a , b\n 1 ,\tx\n2, y \n", {}, {"a": [1, 2], "b": ["x", "y"]}),
    "quotes": ('a,b\n1,"x, ""y"""\n"2",z\n', {}, {"a": [1, 2], "b": ['x, "y"', "z"]}),
    "a line break inside quotes": ('a,b\n1,"x\ny"\n2,z\n', {}, {"a": [1, 2], "b": ["x\ny", "z"]}),
    "empty lines between rows": ("a,b\n1,2\n\n\n3,4\n\n", {}, {"a": [1, 3], "b": [2, 4]}),
    "one column": ("a\n1\n2\n", {}, {"a": [1, 2]}),
    "one column with a gap": ("a\n1\n\n3\n", {}, {"a": [1, None, 3]}),
    "spellings of missing": (
        "a,b\n1,NA\nn/a,3\n,4\nNaN,NULL\n#N/A,null\n-1,5\n",
        {},
        {"a": [1, None, None, None, None, -1], "b": [None, 3, 4, None, None, 5]},
    ),
    "a spelling of missing of one's own": (
        "a,b\n1,?\n-999,3\n",
        {"na": ("?", "-999")},
        {"a": [1, None], "b": [None, 3]},
    ),
    "numbers in all their dresses": (
        "a,b\n1e5,.5\n-1E-3,5.\n+7,1e-400\n",
        {},
        {"a": [1e5, -1e-3, 7], "b": [0.5, 5, 0]},
    ),
    "an unnamed first column names the rows": (",b\nr1,2\nr2,3\n", {}, {"row": ["r1", "r2"], "b": [2, 3]}),
    "separators at the ends of lines": ("a,b,,\n1,2,,\n3,4,,\n", {}, {"a": [1, 3], "b": [2, 4], **GAPS_AT_THE_END}),
    "years as names": (
        "country,2019,2020\nx,1,2\ny,2,3\n",
        {},
        {"country": ["x", "y"], "2019": [1, 2], "2020": [2, 3]},
    ),
    "words that are numbers, when told": ("a,b\n01,2\nA2,3\n", {"words": ("a",)}, {"a": ["01", "A2"], "b": [2, 3]}),
    "true and false are words": ("a,b\ntrue,1\nfalse,2\n", {}, {"a": ["true", "false"], "b": [1, 2]}),
    "a formula is a word": ("a,b\n=1+1,1\n@x,2\n", {}, {"a": ["=1+1", "@x"], "b": [1, 2]}),
    "semicolons": ("a;b\n1;2\n", {}, {"a": [1], "b": [2]}),
    "semicolons and decimal commas, told by the file": ("a;b\n1,5;2\n2,5;3\n", {}, {"a": [1.5, 2.5], "b": [2, 3]}),
    "a semicolon told, the decimal comma not": ("a;b\n1,5;2\n", {"delimiter": ";"}, {"a": [1.5], "b": [2]}),
    "commas and three decimals beside semicolons": ("a;b\n1,500;2\n2,125;3\n", {}, {"a": [1.5, 2.125], "b": [2, 3]}),
    "points between thousands": ("a;b\n1.500,5;2\n2.000;3\n", {}, {"a": [1500.5, 2000], "b": [2, 3]}),
    "bars": ("a|b\n1|x,y\n2|z\n", {}, {"a": [1, 2], "b": ["x,y", "z"]}),
    "tabs, told by the file": ("a\tb\n1\tx\n", {}, {"a": [1], "b": ["x"]}),
    "commas in a name of tabs": ("a, m\tb, kg\n1\t2\n", {}, {"a, m": [1], "b, kg": [2]}),
    "decimal commas in quotes": ('a,b\n"1,5",x\n"22,75",y\n', {}, {"a": [1.5, 22.75], "b": ["x", "y"]}),
    "thousands with commas": ('a,b\n"1,000",2\n"2,500,000.5",3\n', {}, {"a": [1000, 2500000.5], "b": [2, 3]}),
    "thousands with spaces": ("a,b\n1 000,2\n25,3\n2\u00a0500,4\n", {}, {"a": [1000, 25, 2500], "b": [2, 3, 4]}),
    "percentages": ("a,b\n5%,2\n6.5 %,3\n,4\n", {}, {"a": [5, 6.5, None], "b": [2, 3, 4]}),
    "amounts of money": ('a,b\n"$1,200.50",2\n-$3,3\n$-4,4\n5,5\n', {}, {"a": [1200.5, -3, -4, 5], "b": [2, 3, 4, 5]}),
    "euros": ("a;b\n1.200,50 €;2\n3,5 €;3\n", {}, {"a": [1200.5, 3.5], "b": [2, 3]}),
    "money, when told to be words": ("a,b\n$5,2\n$6,3\n", {"words": ("a",)}, {"a": ["$5", "$6"], "b": [2, 3]}),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), {}, {"a": [1], "b": [2]}),
    "UTF-16 without a mark": ("a,b\n1,é\n".encode("utf-16-le"), {}, {"a": [1], "b": ["é"]}),
    "UTF-16, big end first": ("a,b\n1,é\n".encode("utf-16-be"), {}, {"a": [1], "b": ["é"]}),
    "Latin-1": ("a,b\n1,x\n2,é\n".encode("latin-1"), {}, {"a": [1, 2], "b": ["x", "é"]}),
    "Latin-1 at the very end": ("a,b\n1,x\n2,é".encode("latin-1"), {}, {"a": [1, 2], "b": ["x", "é"]}),
    "the euro of Windows": ("a,b\n€ 1,x\n€ 2,é\n".encode("cp1252"), {}, {"a": [1, 2], "b": ["x", "é"]}),
    "no header": ("1,2\n3,5\n", {}, {"x1": [1, 3], "x2": [2, 5]}),
    "years as all names": ("2019,2020\n1,2\n", {}, {"2019": [1], "2020": [2]}),
    "counted names": ("0,1,2\n5,6,7\n", {}, {"0": [5], "1": [6], "2": [7]}),
    "an empty column": ("a,b\n,1\n,2\n", {}, {"a": [None, None], "b": [1, 2]}),
}

#: name → (content, options, what the error must say)
WRONG = {
    "nothing": ("", {}, r"it is empty"),
    "only line ends": ("\n\n\n", {}, r"it is empty"),
    "no rows": ("a,b\n", {}, r"a header but no rows"),
    "a short row": ("a,b\n1,2\n3\n", {}, r"line 3: 1 cell, but the header has 2"),
    "a long row": ("a,b\n1,2,3\n", {}, r"line 2: 3 cells, but the header has 2"),
    "a short row after a line break in quotes": ('a,b\n"x\ny",2\n3\n', {}, r"line 4: 1 cell,"),
    "decimal points where commas are told": ("a;b\n1.5;2\n2.5;3\n", EUROPE, r"line 2, column 'a': '1\.5'"),
    "a percentage among numbers": ("a,b\n5%,1\n" + "2,2\n" * 20, {}, r"line 2, column 'a': '5%' has a sign, but cells"),
    "two currencies": (
        "a,b\n$5,1\n€6,2\n",
        {},
        r"line 2, column 'a': '\$5' has a sign, but cells of the column have others",
    ),
    "damaged UTF-8": (b"a,b\n1,\xc3\xa9\n2,\xe9\n", {}, r"line 3: byte 0xe9 is not UTF-8"),
    "UTF-16 told of Latin-1": ("a,b\n1,é\n".encode("latin-1"), {"encoding": "utf-16"}, r"it is not utf-16 text"),
    "ASCII told of UTF-8": ("a,b\n1,é\n", {"encoding": "ascii"}, r"it is not ascii text"),
    "UTF-8 told of Latin-1": ("a,b\n1,x\n2,é\n".encode("latin-1"), {"encoding": "utf8"}, r"line 3: byte 0xe9"),
    "UTF-8 told of UTF-16": ("a,b\n1,2\n".encode("utf-16"), {"encoding": "utf8"}, r"begins like UTF-16.*--encoding"),
    "a comma told of semicolons": ("a;b\n1;2\n", {"delimiter": ","}, r"--delimiter ';'"),
    "a point told of decimal commas": ("a;b\n1,5;2\n", {"decimal": "."}, r"line 2, column 'a': '1,5'.*--decimal ','"),
    "an encoding that is no text": ("a,b\n1,2\n", {"encoding": "base64"}, r"there is no encoding 'base64'"),
    "underscores in numbers": ("a,b\n1_000,2\n2,3\n", {}, r"line 2, column 'a': '1_000'"),
    "hexadecimal": ("a,b\n0x10,2\n0x11,3\n", {}, r"line 2, column 'a'.*hexadecimal"),
    "Arabic digits among others": ("a,b\n1,2\n٣,4\n", {}, r"line 3, column 'a'"),
    "too large": ("a,b\n1,1e400\n", {}, r"line 2, column 'b': '1e400' is infinite or too large"),
    "infinity": ("a,b\n1,2\ninf,3\n", {}, r"line 3, column 'a': 'inf'"),
    "an encoding that is none": ("a,b\n1,2\n", {"encoding": "klingon"}, r"there is no encoding 'klingon'"),
    "NUL in a cell": ("alpha,beta\n1,x\0y\n2,z\n", {}, r"line 2, column 'beta'.*NUL"),
    "NUL in a number": ("alpha,beta\n1,3\0\n2,4\n", {}, r"line 2, column 'beta'"),
    "a terminal's control codes": ("a,b\n1,\x1b[31mx\n2,y\n", {}, r"line 2, column 'b'.*control character"),
    "control codes in a name": ("a\x1b[2J,b\n1,2\n", {}, r"line 1.*control character in its name"),
    "duplicate names": ("a,b,a\n1,2,3\n", {}, r"line 1: columns 1 and 3 are both named 'a'"),
    "duplicate names but for spaces": ("a, a\n1,2\n", {}, r"columns 1 and 2 are both named 'a'"),
    "an empty name": ("a,,c\n1,2,3\n", {}, r"line 1, column 2: the column has no name"),
    "an empty name below a title": ("A study\na,,c\n1,2,3\n2,3,4\n", {}, r"line 2, column 2: the column has no name"),
    "duplicate names below a title": ("A study\na,b,a\n1,2,3\n2,3,4\n", {}, r"line 2: columns 1 and 3"),
    "an open quote below a title": ('A study\na,"b\n1,2\n3,4\n', {"header_line": 2}, r"line 2: quotes do not match"),
    "one cell more in each line": ("a,b\nr1,1,2\nr2,3,4\n", {}, r"2 lines do not.*the header needs a name for them"),
    "blanks between quoted names": ('"a" "b"\n"1" 1 2\n"2" 3 4\n', {}, r"line 1: blanks seem to"),
    "blanks between names": ("a b\n1 1 2\n2 3 4\n", {}, r"line 1: blanks seem to separate the columns; .* In R"),
    "a field of 5 MB": ("a,b\n1," + "z" * 5_000_000 + "\n2,q\n", {}, r"line 2, column 'b'.*5,000,000 characters"),
    "an open quote": ('a,b\n1,"x\n2,z\n', {}, r"line 2: quotes do not match"),
    "a quote that closes early": ('a,b\n1,"x"y\n', {}, r"line 2: quotes do not match"),
    "an open quote in the header": ('a,"b\n1,2\n', {}, r"line 1: quotes do not match"),
    "words that are not there": (
        "a,b\n1,2\n",
        {"words": ("c",)},
        r"words='c': no such column; the columns are 'a', 'b'",
    ),
}


def written(tmp_path, content, name="table.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf8"))
    return path


def as_read(file):
    names = list(file.profile())
    return file.read(names).to_pydict()


@pytest.mark.parametrize(("content", "options", "expected"), RIGHT.values(), ids=RIGHT.keys())
def test_the_right_parse(content, options, expected, tmp_path):
    assert as_read(TableFile(written(tmp_path, content), Dialect(**options))) == expected


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        ("a,b\n1,2\n", []),
        ("a;b\n1,5;2\n", ["separated by semicolons", "a decimal comma, as in '1,5'"]),
        ("a,b\n1,é\n".encode("latin-1"), ["read as cp1252, since it is not UTF-8 (--encoding overrides this)"]),
        ("1.5,2\n3,4\n", ["it counts as a row, and columns are named x1 to x2"]),
    ],
)
def test_what_was_assumed_is_said(content, notes, tmp_path):
    said = TableFile(written(tmp_path, content)).notes
    assert len(said) == len(notes)
    assert all(words in note for words, note in zip(notes, said, strict=True))


def test_numbers_in_a_dress_are_remarked_on(tmp_path):
    column = TableFile(written(tmp_path, 'a\n"$1,200"\nunknown\n$7\n$8\n')).profile()["a"]
    assert (column.kind, column.numbers, column.odd) == ("number", 3, 1)
    assert column.remark.startswith(
        "'a' holds numbers such as '$1,200', which is read as 1200. 'a' holds numbers, except 1"
    )


def test_a_wrong_encoding_is_an_error_and_never_a_traceback(tmp_path):
    for right, text in (("latin_1", "a,b\n1,é\n2,ü\n"), ("utf_8", "a,b\n1,é\n"), ("utf_16", "a,b\n1,é\n")):
        path = written(tmp_path, text.encode(right))
        read = {}
        for encoding in sorted(set(aliases.values())):
            with suppress(InputError):
                read[encoding] = as_read(TableFile(path, Dialect(encoding=encoding)))
        assert read[right]["b"][0] == "é"
        assert "ascii" not in read


#: name → (content, kind of the column 'b', what is remarked on it)
MIXED = {
    "late text": ("a,b\n" + "1,2\n" * 5000 + "1,oops\n", "number", "except 1 of 5,001 cells ('oops', line 5,002)"),
    "early text": (
        "a,b\n1,x\n" + "2,2\n" * 20,
        "number",
        "except 1 of 21 cells ('x', line 2), which counts as missing",
    ),
    "one word of three": ("a,b\n1,x\n2,3\n4,5\n", "number", "words='b' reads the column as words"),
    "one word of two": (
        "a,b\n1,x\n2,3\n",
        "word",
        "numbers in 1 of 2 cells and words in the others (such as 'x', line 2)",
    ),
    "many words": (
        "a,b\n" + "1,x\n2,3\n4,5\n7,8\n" * 5,
        "word",
        "numbers='b' reads numbers, and words as missing",
    ),
}


@pytest.mark.parametrize(("content", "kind", "words"), MIXED.values(), ids=MIXED.keys())
def test_numbers_and_words_in_one_column_are_settled_by_their_share(content, kind, words, tmp_path):
    file = TableFile(written(tmp_path, content))
    column = file.profile()["b"]
    assert column.kind == kind
    assert words in column.remark
    cells = [line.split(",")[1] for line in content.splitlines()[1:]]
    read = file.read(["b"]).column("b").to_pylist()
    if kind == "word":
        assert read == cells
        assert sum(column.levels.values()) == len(cells)
    else:
        assert read == [None if cell in ("x", "oops") else float(cell) for cell in cells]
        assert column.missing == column.odd == 1


@pytest.mark.parametrize(("content", "options", "words"), WRONG.values(), ids=WRONG.keys())
def test_an_error_that_names_the_place(content, options, words, tmp_path):
    path = written(tmp_path, content)
    with pytest.raises(InputError, match=words) as caught:
        TableFile(path, Dialect(**options)).profile()
    assert "table.csv" in str(caught.value) or "words=" in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("day", ["2020-01-31", "2020/1/31", "31.01.2020", "1/31/20", "2020-01-31T10:00:00Z"])
def test_dates_are_told_from_words(day, tmp_path):
    column = TableFile(written(tmp_path, f"a,b\n{day},1\n,2\n{day},3\n")).profile()["a"]
    assert (column.kind, column.missing) == ("date", 1)
    column = TableFile(written(tmp_path, f"a,b\n{day},1\nlater,2\n")).profile()["a"]
    assert column.kind == "word"


def test_dates_in_parquet(tmp_path):
    when = pa.array([0, None], pa.timestamp("us", tz="UTC"))
    pq.write_table(pa.table({"when": when, "day": pa.array([0, 1], pa.date32())}), tmp_path / "t.parquet")
    assert [c.kind for c in TableFile(tmp_path / "t.parquet").profile().values()] == ["date", "date"]


def test_there_are_thirty_and_more():
    assert len(RIGHT) + len(WRONG) >= 60


def test_compressed_and_cut_short(tmp_path):
    whole = gzip.compress(("a,b\n" + "1,2\n" * 20_000).encode(), mtime=0)
    assert TableFile(written(tmp_path, whole, "t.csv.gz")).profile()["a"].numbers == 20_000
    with pytest.raises((InputError, OSError)):
        TableFile(written(tmp_path, whole[: len(whole) // 2], "cut.csv.gz")).profile()


def test_numbers_come_back_as_they_were_written(tmp_path):
    values = np.random.default_rng(0).standard_normal(1000) * 10.0 ** np.arange(-100, 100, 0.2)[:1000]
    path = written(tmp_path, "x\n" + "".join(f"{v!r}\n" for v in values.tolist()))
    assert np.array_equal(TableFile(path).read(["x"]).column("x").to_numpy(), values)


def test_some_rows_of_many_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("eigenlens.rows.csv_text.BLOCK_BYTES", 1000)
    path = written(tmp_path, "x,y\n" + "".join(f"{i},w{i % 3}\n" for i in range(5000)))
    rows = np.array([0, 7, 999, 4999])
    table = TableFile(path).read(["x", "y"], rows)
    assert table.to_pydict() == {"x": [0.0, 7.0, 999.0, 4999.0], "y": ["w0", "w1", "w0", "w1"]}


def test_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(
        pa.table(
            {
                "number": [1, None, 3],
                "truth": [True, False, None],
                "word": pa.array(["a", "b", None]).dictionary_encode(),
                "text of numbers": ["1", "2", "3"],
            }
        ),
        path,
    )
    assert as_read(TableFile(path)) == {
        "number": [1, None, 3],
        "truth": [1, 0, None],
        "word": ["a", "b", None],
        "text of numbers": [1, 2, 3],
    }
    pq.write_table(pa.table({"long": pa.array([0], pa.duration("s"))}), path)
    with pytest.raises(InputError, match=r"column 'long' holds duration.*drop='long'"):
        TableFile(path).profile()
    pq.write_table(pa.table({"x": [1.0, float("inf")]}), path)
    with pytest.raises(InputError, match=r"column 'x': 'inf'"):
        TableFile(path).profile()
    path.write_bytes(b"PAR1 but not really")
    with pytest.raises(InputError, match="cannot be read"):
        TableFile(path)


def test_other_files_are_refused(tmp_path):
    for name in ("t.xls", "t", "t.gz", "t.parquet.gz"):
        with pytest.raises(InputError, match=r"must end in \.csv"):
            TableFile(written(tmp_path, "a\n1\n", name))
    with pytest.raises((InputError, OSError)):
        TableFile(tmp_path / "nothing.csv")


def test_new_rows_must_be_of_the_same_kind(tmp_path):
    file = TableFile(written(tmp_path, "a,b\n1,x\nq,y\n"))
    with pytest.raises(InputError, match=r"line 3, column 'a': 'q' is not a number, but the model"):
        list(file.batches({"a": "number", "b": "word"}, ["a", "b"]))
    with pytest.raises(InputError, match="no such column; the columns are 'a', 'b'"):
        list(file.batches({"c": "number"}, ["c"]))


def test_packed_files(tmp_path):
    content = b"a;b\n1,5;x\n2,5;y\n"
    expected = {"a": [1.5, 2.5], "b": ["x", "y"]}
    assert as_read(TableFile(written(tmp_path, bz2.compress(content), "t.csv.bz2"))) == expected
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("__MACOSX/._t.csv", "no")
        archive.writestr("folder/t.csv", content)
    assert as_read(TableFile(tmp_path / "t.zip")) == expected
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.csv", content)
        archive.writestr("b.csv", content)
    with pytest.raises(InputError, match=r"a \.zip must hold one table, and it holds 2 \(a\.csv, b\.csv\)"):
        TableFile(tmp_path / "two.zip")
    with pytest.raises(InputError, match="cannot be read"):
        TableFile(written(tmp_path, b"PK but not really", "bad.zip"))


def test_a_folder_speaks_for_a_column_of_its_sheets(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    for year in (2024, 2025):
        (tmp_path / f"year={year}").mkdir()
        book = openpyxl.Workbook()
        for row in (("size", "year"), (1.5, 0), (2.5, 0)):
            book.active.append(row)
        book.save(tmp_path / f"year={year}" / "rows.xlsx")
    several = TableFile(tmp_path)
    assert several.names == ["size", "year"]
    assert several.read(["size", "year"]).to_pydict() == {"size": [1.5, 2.5] * 2, "year": [2024, 2024, 2025, 2025]}


def test_an_excel_sheet(tmp_path, monkeypatch):
    book = openpyxl.Workbook()
    rows = [
        ["size", "kind", "when", "both"],
        [1.5, "a", datetime(2020, 1, 1), 1],
        [None, "b", datetime(2020, 1, 2), "x"],
    ]
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "one.xlsx")
    file = TableFile(tmp_path / "one.xlsx")
    assert [column.kind for column in file.profile().values()] == ["number", "word", "date", "word"]
    assert file.read(["size", "kind", "both"]).to_pydict() == {
        "size": [1.5, None],
        "kind": ["a", "b"],
        "both": ["1", "x"],
    }
    book.create_sheet("more")
    book.save(tmp_path / "two.xlsx")
    assert TableFile(tmp_path / "two.xlsx").notes == ["The first of 2 sheets, 'Sheet', is read."]
    with pytest.raises(InputError, match="cannot be read"):
        TableFile(written(tmp_path, b"no workbook", "bad.xlsx"))
    (tmp_path / "bad.xlsx").unlink()
    several = TableFile(tmp_path)
    assert several.read(["both", "size"]).to_pydict() == {"both": ["1", "x"] * 2, "size": [1.5, None] * 2}
    assert several.notes == ["The first of 2 sheets, 'Sheet', is read."]
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match="needs openpyxl, which is not installed: pip install openpyxl, or save"):
        TableFile(tmp_path / "one.xlsx")


@pytest.mark.parametrize(
    ("rest", "plain"),
    [
        ('"x",1\n"y, z",2\n', True),
        ('"say ""no""",1\nb,2\n', True),
        ('"two\nlines",1\n', True),
        ('"x" ,1\n', False),
        ('"abc\nb,"def",2\n', False),
        ('5" nail,1\n', False),
        ('"open,1\n', False),
    ],
)
def test_quotes_are_looked_into_line_by_line_only_where_they_are_odd(tmp_path, rest, plain):
    path = tmp_path / "quoted.csv"
    path.write_text(f"name,size\n{rest}")
    assert _quotes_are_plain(path, PLAIN) is plain


@pytest.mark.parametrize("odd", ["nan", "-nan", "inf", "1e400", " 7", "1_0", "٣", "n/a", "word"])
def test_the_fast_way_reads_cells_as_the_careful_one(odd):
    column = pa.array(["1.5", "", "-2e3", odd, "NA"])
    fast, careful = parse(column), parse(column, na=("no such cell",))
    for name in ("numbers", "missing", "words"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(careful, name))


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_number_that_stands_for_a_missing_cell_is_compared_as_a_number(tmp_path, ending):
    path = tmp_path / f"t{ending}"
    table = pa.table({"a": [1.5, 999.0, 3.0, 4.0], "b": [999.0, 1.0, 2.0, 3.5]})
    pq.write_table(table, path) if ending == ".parquet" else path.write_text("a,b\n1.5,999\n999.0,1\n3,2\n4,3.5\n")
    found = TableFile(path, Dialect(na=("999",)))
    assert {name: column.missing for name, column in found.profile().items()} == {"a": 1, "b": 1}
    assert found.read(["a", "b"]).column("a").to_pylist() == [1.5, None, 3.0, 4.0]
    one = TableFile(path, Dialect(na=("a=999.00",)))
    assert {name: column.missing for name, column in one.profile().items()} == {"a": 1, "b": 0}


def test_a_value_for_missing_cells_that_stands_in_no_cell_is_named_and_not_repeated(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1.5,x\n-,y\n3,z\n")
    found = TableFile(path, Dialect(na=("-", "banana", "NA", "b=7")))
    found.profile()
    assert "na='banana', 'b=7': no cell" in " ".join(found.notes)
    assert found.asked.na == ("-", "NA")


ROWS = "".join(f"{j},{j * j % 7}.5,{'ab'[j % 2]}\n" for j in range(40))


@pytest.mark.parametrize(
    ("above", "delimiter"),
    [
        ("Exported from the register 2024-03-01\n\n", ","),
        ("Exported from the register; 2024-03-01\n", ","),
        ("Exported from the register,,\n,,\n", ","),
        ('"A title, with commas, in quotes\nover two lines"\n', ","),
        ("\n", ","),
        ("Ausgabe vom 1. März, 10 Uhr\n\n", ";"),
    ],
)
def test_lines_above_the_header_are_found(tmp_path, above, delimiter):
    path = tmp_path / "t.csv"
    path.write_text(above + ("id,size,kind\n" + ROWS).replace(",", delimiter), encoding="utf8")
    table = TableFile(path)
    profile = table.profile()
    assert {name: column.kind for name, column in profile.items()} == {"id": "number", "size": "number", "kind": "word"}
    assert table.n_rows == 40
    assert f"names of the columns are in line {above.count(chr(10)) + 1}" in " ".join(table.notes)
    path.write_text(path.read_text(encoding="utf8") + f"40{delimiter}many{delimiter}a\n", encoding="utf8")
    remark = TableFile(path).profile()["size"].remark
    assert f"'many', line {above.count(chr(10)) + 42}" in remark


@pytest.mark.parametrize("text", ["x\n1,2\n3,4\n5,6\n7,8\n", ",x\na,1\nb,2\nc,3\n", "a,b,c\n1,2,3\n4,5,6\n"])
def test_a_first_line_that_may_be_a_header_is_one(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with suppress(InputError):
        assert not [note for note in TableFile(path).notes if "above the table" in note]


def test_the_line_of_the_header_can_be_given(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("first,second,third\nid,size,kind\n" + ROWS)
    assert TableFile(path, Dialect(header_line=2)).names == ["id", "size", "kind"]
