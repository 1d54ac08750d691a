"""Moments computed inside a database are those of the rows."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from eigenlens import CCA, LDA, PCA, QDA
from eigenlens.exceptions import InputError
from eigenlens.moments import to_sql
from eigenlens.testing import sample

OFFSETS = [0.0, 1e8]


def store(frame, dialect):
    if dialect == "sqlite":
        connection = sqlite3.connect(":memory:")
        frame.to_sql("t", connection, index=False)
        return connection
    connection = duckdb.connect()
    connection.register("frame", frame)
    connection.execute("CREATE TABLE t AS SELECT * FROM frame")
    return connection


def computed(frame, dialect, pooled=True, **options):
    connection = store(frame, dialect)
    query = to_sql("t", options.pop("columns", ["a", "b c", 'd"e', "f"]), dialect=dialect, **options)
    return query.moments(connection.execute(query), pooled)


def frame_of(data):
    frame = pd.DataFrame(data.X, columns=["a", "b c", 'd"e', "f"])
    if data.y is not None and data.y.ndim == 1:
        frame["kind"] = data.y
    elif data.y is not None:
        frame[["u", "v", "z"]] = data.y
    frame["w"] = 1.0 + np.arange(len(frame)) % 3
    return frame


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("estimator", [PCA(2), LDA(), QDA(), CCA(1)], ids=repr)
def test_the_model_is_that_of_the_rows(estimator, weight, offset, dialect):
    data = sample(estimator._target, n=150, p=4, offset=offset)
    frame = frame_of(data)
    options = {"table": {"second": ["u", "v", "z"]}, "labels": {"group": "kind"}, "none": {}}[estimator._target]
    moments = computed(frame, dialect, pooled=not isinstance(estimator, QDA), weight=weight, **options)
    found = clone(estimator).fit_moments(moments)
    given = None if weight is None else frame["w"].to_numpy()
    expected = clone(estimator).fit(*data.arguments(), sample_weight=given)
    digits = 1e-10 if offset == 0 else 1e-6  # of numbers at 1e8 whose spread is 1, eight digits are left
    apply = "predict_proba" if hasattr(found, "predict_proba") else "transform"
    rows = frame.iloc[:, :4]
    np.testing.assert_allclose(getattr(found, apply)(rows), getattr(expected, apply)(data.X), rtol=0, atol=digits)
    assert found.feature_names_in_.tolist() == list(rows.columns)


def test_digits_of_the_scatter_at_an_offset():
    """Whole numbers at 10⁸ keep 12 digits of their scatter, where raw squares would keep none."""
    data = np.random.default_rng(0).integers(0, 1000, (5000, 4)).astype(float)
    frame = pd.DataFrame(data + 1e8, columns=["a", "b c", 'd"e', "f"])
    exact = np.cov(data.T) * 4999
    for dialect in ("duckdb", "sqlite"):
        found = computed(frame, dialect).matrix
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12 * np.abs(exact).max())
    raw = (frame.T @ frame).to_numpy() - 5000 * np.outer(frame.mean(), frame.mean())
    assert np.abs(raw - exact).max() > 1e-6 * np.abs(exact).max()


def test_they_merge_with_others():
    data = sample("labels", n=120, p=4, offset=5.0)
    half = frame_of(data)[:60]
    moments = computed(half, "duckdb", group="kind") + LDA().fit(frame_of(data).iloc[60:, :4], data.y[60:]).moments_
    np.testing.assert_allclose(LDA().fit_moments(moments).scalings_, LDA().fit(data.X, data.y).scalings_, atol=1e-10)


def test_views_subqueries_and_schemas():
    frame = frame_of(sample("labels", n=60, p=4))
    connection = store(frame, "duckdb")
    query = to_sql("(SELECT * FROM t WHERE a > 0)", ["a", "f"])
    assert query.moments(connection.execute(query)).n_rows == int((frame["a"] > 0).sum())
    query = to_sql("main.t", ["a", "f"])
    assert query.moments(connection.sql(query)).n_rows == 60


def test_bad_cells_are_named():
    frame = frame_of(sample("none", n=60, p=4))
    frame.loc[3:5, "b c"] = np.nan
    with pytest.raises(InputError, match=r"column 'b c' has 3 cells that are missing"):
        computed(frame, "sqlite")
    connection = store(frame, "duckdb")
    connection.execute('UPDATE t SET "b c" = NULL WHERE isnan("b c")')
    query = to_sql("t", ["a", "b c"])
    with pytest.raises(InputError, match=r"column 'b c' has 3 cells"):
        query.moments(connection.execute(query))
    words = frame_of(sample("none", n=5, p=4)).astype({"f": object})
    words.loc[2, "f"] = "high"
    with pytest.raises(InputError, match=r"column 'f' has 5 cells that are missing or not numbers"):
        computed(words, "sqlite")


WRONG = {
    "no columns": (lambda: to_sql("t", []), "one column or more"),
    "twice": (lambda: to_sql("t", ["a", "a"]), "each once"),
    "a string": (lambda: to_sql("t", "ab"), "columns='ab' but it must be a list"),
    "dialect": (lambda: to_sql("t", ["a"], dialect="oracle"), "dialect='oracle' is not an option"),
    "both": (lambda: to_sql("t", ["a"], second=["b"], group="k"), "second and group were both given"),
    "too many": (lambda: to_sql("t", [f"c{j}" for j in range(90)], dialect="sqlite"), "enough for 60 columns"),
    "another result": (lambda: to_sql("t", ["a"]).moments([(1, 2)]), "execute this very statement"),
    "nothing": (lambda: to_sql("t", ["a"]).moments([(0, None, None, None, None, None)]), "have seen no row"),
}


@pytest.mark.parametrize(("attempt", "message"), WRONG.values(), ids=WRONG)
def test_wrong_input(attempt, message):
    with pytest.raises(InputError, match=message):
        attempt()
