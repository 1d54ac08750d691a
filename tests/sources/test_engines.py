"""Spark and Ray: partitions are reduced where they are, and the fit is that of the rows, bit by bit on a rerun."""

import os
import signal
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone

from eigenlens import CCA, LDA, PCA, QDA, SIR, open_rows
from eigenlens.testing import sample

SECOND = ["u", "v", "z"]


def frame_of(data):
    frame = pd.DataFrame(data.X, columns=[f"c {j}" for j in range(data.X.shape[1])])
    if data.y is not None and data.y.ndim == 1:
        frame["label"] = data.y
    elif data.y is not None:
        frame[SECOND] = data.y
    frame["w"] = 1.0 + np.arange(len(frame)) % 3
    return frame


def parts_of(frame):
    places = np.array_split(np.arange(len(frame)), 4)
    return [pa.Table.from_pandas(frame.iloc[rows], preserve_index=False) for rows in places]


@pytest.fixture(scope="module")
def spark():
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = pyspark.sql.SparkSession.builder.master("local[2,4]")  # two threads, a task may fail three times
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason="ray is not installed")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


@pytest.fixture(params=["spark", "ray"])
def engine(request):
    """Return a function that hands a frame to the engine, in five partitions of which one is empty."""
    session = request.getfixturevalue(request.param)

    def handed(frame):
        if request.param == "spark":
            made = session.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False))
            return made.repartitionByRange(5, "c 0")
        parts = parts_of(frame)
        return session.data.from_arrow([*parts[:2], parts[0].slice(0, 0), *parts[2:]])

    return handed


def options(estimator):
    return {"none": {}, "labels": {"target": "label"}, "table": {"target": SECOND}}[estimator._target]


@pytest.mark.parametrize("estimator", [PCA(2), LDA(), QDA(), CCA(1), SIR(1)], ids=repr)
def test_the_fit_is_that_of_the_rows(estimator, engine):
    data = sample(estimator._target, n=150, p=4, offset=5.0)
    table = engine(frame_of(data))
    columns = [f"c {j}" for j in range(4)]
    rows = open_rows(table, columns=columns, weight="w", **options(estimator))
    found = clone(estimator).fit(rows)
    expected = clone(estimator).fit(*data.arguments(), sample_weight=frame_of(data)["w"].to_numpy())
    apply = "predict_proba" if hasattr(found, "predict_proba") else "transform"
    X = pd.DataFrame(data.X, columns=columns)
    np.testing.assert_allclose(getattr(found, apply)(X), getattr(expected, apply)(data.X), rtol=0, atol=1e-12)
    assert found.feature_names_in_.tolist() == columns
    again = clone(estimator).fit(rows)
    assert np.array_equal(getattr(again, apply)(X), getattr(found, apply)(X))  # the same bits


def test_a_table_of_an_engine_goes_to_fit(engine):
    data = sample("labels", n=150, p=4)
    table = engine(frame_of(data).drop(columns="w"))
    model = LDA().fit(table, target="label")
    np.testing.assert_allclose(model.means_, LDA().fit(data.X, data.y).means_, rtol=0, atol=1e-12)
    rows = open_rows(table, columns=[f"c {j}" for j in range(4)])
    scores = np.asarray(model.transform(rows))
    expected = model.transform(pd.DataFrame(data.X, columns=rows.feature_names))
    np.testing.assert_allclose(np.sort(scores[:, 0]), np.sort(expected[:, 0]), rtol=0, atol=1e-12)


def test_wrong_input(engine):
    table = engine(frame_of(sample("labels", n=60, p=4)))
    with pytest.raises(ValueError, match=r"requires y to be passed.*target="):
        LDA().fit(table)
    with pytest.raises(ValueError, match=r"y was passed beside a .* table, whose rows have no fixed order"):
        LDA().fit(table, np.zeros(60))
    with pytest.raises(ValueError, match="target='q': no such column; there are c 0, c 1"):
        LDA().fit(table, target="q")


def deadly_once(marker, one_by_one):
    """Return a function of batches that ends its process the first time; it travels whole, as workers have no tests."""

    def kill_once():
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    def of_stream(batches):
        for batch in batches:
            kill_once()
            yield batch

    def of_batch(batch):
        kill_once()
        return batch

    return of_batch if one_by_one else of_stream


def test_a_killed_worker_of_spark_changes_no_bit(spark, tmp_path):
    data = sample("none", n=150, p=4)
    table = spark.createDataFrame(pa.Table.from_pandas(frame_of(data), preserve_index=False)).repartitionByRange(
        5, "c 0"
    )
    expected = PCA(2).fit(open_rows(table, columns=["c 0", "c 1"]))
    marker = str(tmp_path / "killed")

    deadly = deadly_once(marker, one_by_one=False)
    found = PCA(2).fit(open_rows(table.mapInArrow(deadly, table.schema), columns=["c 0", "c 1"]))
    assert os.path.exists(marker)
    assert np.array_equal(found.components_, expected.components_)
    assert found.moments_.n_rows == 150


def test_a_killed_worker_of_ray_changes_no_bit(ray, tmp_path):
    data = sample("none", n=150, p=4)
    parts = parts_of(frame_of(data))
    expected = PCA(2).fit(open_rows(ray.data.from_arrow(parts), columns=["c 0", "c 1"]))
    marker = str(tmp_path / "killed")

    deadly = deadly_once(marker, one_by_one=True)
    table = ray.data.from_arrow(parts).map_batches(deadly, batch_format="pyarrow", batch_size=None)
    found = PCA(2).fit(open_rows(table, columns=["c 0", "c 1"]))
    assert os.path.exists(marker)
    assert np.array_equal(found.components_, expected.components_)
    assert found.moments_.n_rows == 150
