"""Arrays that are cut short during a fit: an exception, not the end of the process."""

import subprocess
import sys

import numpy as np
import pytest

from eigenlens import PCA, open_rows
from eigenlens.exceptions import InputError

CUT = """
import os, sys
from eigenlens import PCA, open_rows
from eigenlens.rows.stream import RowSource
path = sys.argv[1]
source = open_rows(path, batch_rows=500)
checked, calls = RowSource._checked, []
def cutting(self, piece):
    batch = checked(self, piece)
    calls.append(piece)
    if len(calls) == 3:
        os.truncate(path, 5000)
    return batch
RowSource._checked = cutting
try:
    PCA(1).fit(source)
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_truncated_during_a_fit(tmp_path, order):
    path = tmp_path / "rows.npy"
    np.save(path, np.asarray(np.random.default_rng(0).standard_normal((100_000, 8)), order=order))
    command = [sys.executable, "-c", CUT, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
    assert "has changed since it was opened" in run.stdout


@pytest.mark.parametrize("dtype", ["f8", "f4", "i2", ">f8"])
def test_columns_together_are_read_as_they_are(tmp_path, dtype):
    X = (np.random.default_rng(0).standard_normal((1000, 7)) * 100).astype(dtype)
    np.save(tmp_path / "rows.npy", np.asfortranarray(X))
    found = PCA(2).fit(open_rows(tmp_path / "rows.npy", batch_rows=64)).components_
    np.testing.assert_allclose(found, PCA(2).fit(X).components_, rtol=1e-5 if dtype == "f4" else 1e-12)


@pytest.mark.parametrize("shape", [(0, 2**61), (0, 2**50), (2**61, 0), (2**61, 3), (2**63, 2)])
def test_shapes_that_no_file_has(tmp_path, shape):
    """Columns of a table without rows were counted one by one, without end."""
    with (tmp_path / "rows.npy").open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with pytest.raises(InputError, match=r"rows\.npy cannot be read: its header gives an impossible shape"):
        open_rows(tmp_path / "rows.npy")
