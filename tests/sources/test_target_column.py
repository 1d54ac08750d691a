"""`fit(frame, target="y")`: y is a column of X."""

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from eigenlens import CCA, LDA, PCA, SIR, open_rows
from eigenlens.testing import sample

DATA = sample("labels", n=90, p=3, offset=2.0)
FRAME = pd.DataFrame(DATA.X, columns=list("abc")).assign(kind=DATA.y)
KINDS = {
    "pandas": lambda: FRAME,
    "polars": lambda: pl.from_pandas(FRAME),
    "arrow": lambda: pa.Table.from_pandas(FRAME),
    "duckdb": lambda: duckdb.from_df(FRAME),
    "dask": lambda: dd.from_pandas(FRAME, npartitions=3),
}


@pytest.mark.parametrize("table", KINDS.values(), ids=KINDS)
def test_a_column_is_y(table):
    model = LDA().fit(table(), target="kind")
    np.testing.assert_allclose(model.scalings_, LDA().fit(DATA.X, DATA.y).scalings_, rtol=0, atol=1e-12)
    assert model.feature_names_in_.tolist() == list("abc")


def test_other_methods():
    assert PCA(2).fit(FRAME, target="kind").n_features_in_ == 3
    numbers = FRAME[list("abc")]
    cca, expected = CCA(1).fit(numbers, target=["b", "c"]), CCA(1).fit(numbers[["a"]], numbers[["b", "c"]])
    np.testing.assert_allclose(cca.correlations_, expected.correlations_, rtol=1e-12)
    sir = SIR(1).fit(numbers, target="c")
    np.testing.assert_allclose(sir.components_, SIR(1).fit(numbers[["a", "b"]], numbers["c"]).components_, atol=1e-12)


WRONG = {
    "both": (lambda: LDA().fit(FRAME, DATA.y, target="kind"), "y and target='kind' were both given"),
    "a source": (lambda: LDA().fit(open_rows(FRAME), target="kind"), r"open_rows\(..., target='kind'\)"),
    "no such column": (lambda: LDA().fit(FRAME, target="q"), "target='q': no such column"),
    "no names": (lambda: LDA().fit(DATA.X, target="kind"), "target='kind'"),
}


@pytest.mark.parametrize(("attempt", "message"), WRONG.values(), ids=WRONG)
def test_wrong_input(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt()
