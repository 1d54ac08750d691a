"""Tables of many columns open in a time that grows with their number, not with its square."""

import time

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from sklearn.decomposition import PCA as ScikitPCA

from eigenlens import PCA, open_rows
from eigenlens.rows import TableFile

P = 40_000
NAMES = [f"c{j}" for j in range(P)]
X = np.random.default_rng(0).standard_normal((2, P))
WAYS = {
    "npy": lambda folder: open_rows(folder / "rows.npy", columns=range(P - 1), target=P - 1),
    "parquet": lambda folder: open_rows(folder / "rows.parquet", columns=NAMES[1:], target=NAMES[0]),
    "csv": lambda folder: open_rows(folder / "rows.csv", columns=NAMES[1:], target=NAMES[0]),
    "batches": lambda folder: open_rows([X], columns=range(P - 1), target=P - 1),
    "table": lambda folder: TableFile(folder / "rows.parquet"),
    "table of text": lambda folder: TableFile(folder / "rows.csv"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wide")
    np.save(folder / "rows.npy", X)
    table = pa.table(dict(zip(NAMES, X.T, strict=True)))
    pq.write_table(table, folder / "rows.parquet")
    pa.feather.write_feather(table, folder / "rows.arrow")
    (folder / "rows.csv").write_text("\n".join([",".join(NAMES), *(",".join(map(str, row)) for row in X)]))
    return folder


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_opening(way, folder):
    start = time.process_time()
    way(folder)
    assert time.process_time() - start < 2.0  # 12 seconds and more where each name is looked for among all


READERS = {
    "npy": lambda folder: open_rows(folder / "rows.npy"),
    "parquet": lambda folder: open_rows(folder / "rows.parquet"),
    "csv": lambda folder: open_rows(folder / "rows.csv"),
    "arrow": lambda folder: open_rows(folder / "rows.arrow"),
}


@pytest.mark.parametrize("kind", READERS)
def test_reading(kind, folder):
    """A Parquet file of 40,000 columns took minutes: the list of their names was made anew for each of them."""
    source = READERS[kind](folder)
    start = time.process_time()
    model = PCA(1).fit(source)
    assert time.process_time() - start < 20.0
    np.testing.assert_allclose(model.components_, PCA(1).fit(X).components_, atol=1e-12)


def best_of(times, work):
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def test_one_row_of_a_wide_polars_frame():
    rows = pl.DataFrame(np.random.default_rng(0).standard_normal((20, 20_000)), schema=NAMES[:20_000])
    ours, theirs, one = PCA(2).fit(rows), ScikitPCA(2, svd_solver="full").fit(rows), rows[:1]
    np.testing.assert_allclose(np.abs(ours.transform(one)), np.abs(theirs.transform(one)), rtol=1e-9)
    assert best_of(7, lambda: ours.transform(one)) < 3 * best_of(7, lambda: theirs.transform(one))
