"""Whole numbers with more digits than float64 has are rounded, and that is told."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse
from sklearn.base import clone

from eigenlens import LDA, PCA, KernelPCA, open_rows
from eigenlens.exceptions import InputError, RangeWarning
from eigenlens.regress import PolynomialRegression

LONG = np.column_stack([2**60 + np.arange(20) * 3, np.arange(20) ** 2])
KINDS = {
    "array": lambda X, folder: X,
    "unsigned": lambda X, folder: X.astype(np.uint64),
    "lists": lambda X, folder: X.tolist(),
    "objects": lambda X, folder: X.astype(object),
    "frame": lambda X, folder: pd.DataFrame({"id": X[:, 0], "b": X[:, 1] / 2}),
    "sparse": lambda X, folder: scipy.sparse.csr_array(X),
    "npy": lambda X, folder: npy(X, folder),
    "parquet": lambda X, folder: parquet(X, folder),
    "csv": lambda X, folder: csv(X, folder),
}


def csv(X, folder):
    pd.DataFrame({"id": X[:, 0], "b": X[:, 1]}).to_csv(folder / "rows.csv", index=False)
    return open_rows(folder / "rows.csv")


def npy(X, folder):
    np.save(folder / "rows.npy", X)
    return open_rows(folder / "rows.npy")


def parquet(X, folder):
    pq.write_table(pa.table({"id": X[:, 0], "b": X[:, 1]}), folder / "rows.parquet")
    return open_rows(folder / "rows.parquet")


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.RankWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_rounded_digits_are_told(kind, tmp_path):
    with pytest.warns(RangeWarning, match=r"X holds whole numbers beyond 2\*\*53 \(column (0|id)\)"):
        PCA(1).fit(KINDS[kind](LONG, tmp_path))


@pytest.mark.parametrize("kind", KINDS)
def test_others_are_not(kind, tmp_path, recwarn):
    PCA(1).fit(KINDS[kind](LONG - [2**60, 0], tmp_path))
    assert not [w for w in recwarn if issubclass(w.category, RangeWarning)]


def test_a_response_is_a_table_too():
    with pytest.warns(RangeWarning, match="y holds whole numbers beyond"):
        PolynomialRegression(1).fit(np.arange(20.0)[:, None], LONG[:, 0])


@pytest.mark.parametrize("model", [PCA(), LDA(), KernelPCA(2)], ids=repr)
def test_integers_beyond_float64_are_refused(model):
    rows = np.random.default_rng(0).standard_normal((30, 3)).tolist()
    fitted = clone(model).fit(rows, [0, 1, 2] * 10)
    rows[0][0] = 10**400
    with pytest.raises(InputError, match=r"whole number beyond 1\.8e308"):
        clone(model).fit(rows, [0, 1, 2] * 10)
    with pytest.raises(InputError, match=r"whole number beyond 1\.8e308"):
        fitted.transform(rows)
