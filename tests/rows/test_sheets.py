"""Workbooks of Excel as people and programs leave them."""

import zipfile

import openpyxl
import pytest

from eigenlens.exceptions import InputError, TooLargeError
from eigenlens.rows import TableFile


def workbook(path, *rows, **sheets):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return book


def with_part(path, part, change):
    """Change the text of one part of a workbook."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert change(parts[part]) != parts[part]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, change(text) if name == part else text)


SHEET = "xl/worksheets/sheet1.xml"


def test_formulas_that_nobody_has_computed_are_not_missing_cells(tmp_path):
    path = tmp_path / "rows.xlsx"
    workbook(path, ["a", "b"], [1, "=A2*2"], [2, "=A3*2"])
    with pytest.raises(InputError, match=r"sheet 'Sheet', cell B2: the formula has no value.*and save it"):
        TableFile(path)
    with_part(path, SHEET, lambda text: text.replace(b"<f>A2*2</f><v />", b"<f>A2*2</f><v>2</v>"))
    assert TableFile(path).read(["a", "b"]).to_pydict() == {"a": [1, 2], "b": [2, None]}  # as one that returns ""


def test_hidden_sheets_are_not_read(tmp_path):
    path = tmp_path / "rows.xlsx"
    book = workbook(path, ["list"], [7])
    for row in (["a", "b"], [1, 2], [3, 5]):
        book.create_sheet("data").append(row) if "data" not in book.sheetnames else book["data"].append(row)
    book["Sheet"].sheet_state, book.active = "hidden", 1
    book.save(path)
    file = TableFile(path)
    assert file.names == ["a", "b"]
    assert file.notes == ["The first visible one of 2 sheets, 'data', is read."]


@pytest.mark.parametrize("claimed", [b"A1:B2", b"A1", b"A1:XFD1048576"])
def test_the_size_that_a_sheet_claims_does_not_matter(claimed, tmp_path):
    path = tmp_path / "rows.xlsx"
    workbook(path, ["a", "b"], [1, 2], [3, 4], [5, 6])
    with_part(path, SHEET, lambda text: text.replace(b'ref="A1:B4"', b'ref="' + claimed + b'"'))
    assert TableFile(path).read(["a", "b"]).to_pydict() == {"a": [1, 3, 5], "b": [2, 4, 6]}


DAMAGE = {
    "entities": lambda text: (
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hosts">]>'
        + text.replace(b"<v>1</v>", b"<v>&e;</v>")
    ),
    "cut": lambda text: text[: len(text) // 2],
    "not XML": lambda text: b"a,b\n1,2\n",
    "a row beyond the last": lambda text: text.replace(b'<row r="3"', b'<row r="30000000000"'),
    "a number that is none": lambda text: text.replace(b"<v>1</v>", b"<v>one</v>"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_sheet_is_refused(damage, tmp_path):
    path = tmp_path / "rows.xlsx"
    workbook(path, ["a", "b"], [1, 2], [3, 4])
    with_part(path, SHEET, damage)
    with pytest.raises(InputError, match=r"rows\.xlsx cannot be read: "):
        TableFile(path)


def test_a_workbook_that_unpacks_to_more_than_the_memory_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "rows.xlsx"
    workbook(path, ["a", "b"], *[[k, 1] for k in range(20_000)])
    monkeypatch.setattr("eigenlens.arrays.memory.host_bytes", lambda root: 2**20)
    with pytest.raises(TooLargeError, match=r"Reading .*rows\.xlsx.*save the sheet as CSV or Parquet"):
        TableFile(path)
