"""Files that are small when packed and huge when not: readers refuse them within memory."""

import gzip
import tracemalloc

import numpy as np
import pytest

from eigenlens import PCA, load, open_rows
from eigenlens.app.main import run
from eigenlens.exceptions import InputError
from eigenlens.rows import TableFile
from eigenlens.study import Plan
from eigenlens.study.data import reads_in_pieces

PIECE, PIECES = 2**24, 24
#: What a file begins with, what is repeated after it, and what the error says.
ENDLESS = {
    "a header of one name": (b"", b"a", r"line 1: the row has more than 16,777,216 characters"),
    "a header of many names": (b"a", b",a", r"line 1: the row has more than"),
    "a cell": (b"a,b\n1,2\n", b"1", r"line 3: the row has more than"),
    "a row of many cells": (b"a,b\n1,2\n", b"1,", r"line 3: the row has more than"),
    "a row that is not UTF-8": (b"a,b\n1,2\n\xff", b"1", r"line 3: (the row has more than|byte 0xff)"),
}
READERS = {"open_rows": lambda path: PCA(1).fit(open_rows(path)), "TableFile": lambda path: TableFile(path).profile()}


def packed(path, begin, again, size, pieces):
    """Write a file of pieces of some size, packed once."""
    path.write_bytes(gzip.compress(begin) + gzip.compress(again * (size // len(again))) * pieces)
    return path


@pytest.mark.parametrize(("begin", "again", "said"), ENDLESS.values(), ids=ENDLESS.keys())
@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_a_line_without_end_is_refused_within_memory(begin, again, said, read, tmp_path):
    path = packed(tmp_path / "rows.csv.gz", begin, again, PIECE, PIECES)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=said):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < PIECE * PIECES  # the whole line was never in memory
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_a_row_over_lines_without_end_is_refused(read, tmp_path, monkeypatch):
    monkeypatch.setattr("eigenlens.rows.csv_text.BLOCK_BYTES", 2**16)
    with pytest.raises(InputError, match=r"line \d+: the row has more than 65,536 characters"):
        read(packed(tmp_path / "header.csv.gz", b"", b'"\n",', 2**16, 16))
    with pytest.raises(InputError, match=r"line \d+: (the row has more than|a cell is too long)"):
        read(packed(tmp_path / "cell.csv.gz", b'a,b\n1,2\n"', b"x\n", 2**16, 16))


def test_many_blank_lines_between_rows_change_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("eigenlens.rows.csv_text.PLAIN_BYTES", 2**12)
    rows = np.random.default_rng(0).integers(0, 100, (20, 3))  # steps of whole numbers are looked at
    lines = [",".join(map(str, row)) for row in rows.tolist()]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,c", *lines[:10], "\n" * 2**15, *lines[10:]]))
    assert run(["fit", str(path), "--stream", "--out", str(tmp_path / "model.eigenlens")]) == 0
    model = load(tmp_path / "model.eigenlens")
    assert model[-1].moments_.n_rows == 20


def test_a_packed_table_is_read_in_pieces_as_its_text_would_be(tmp_path):
    rows = b"".join(b"%d,%d\n" % (k % 7, k % 11) for k in range(77))
    path = packed(tmp_path / "rows.csv.gz", b"a,b\n", rows, PIECE, 6)
    assert path.stat().st_size < PIECE
    assert reads_in_pieces(TableFile(path), Plan())
    path = packed(tmp_path / "few.csv.gz", b"a,b\n", rows, PIECE, 1)
    assert not reads_in_pieces(TableFile(path), Plan())
