"""Spark and Ray: rows are reduced where they are, the fit is that of the rows, and killed workers change no bit."""

import os
import shutil
import signal
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from eigenlens import CCA, FDA, LDA, PCA, SIR, MixedPCA, open_rows, report, write_rows
from eigenlens.exceptions import InputTypeError
from eigenlens.regress import AdaptiveSplines
from eigenlens.rows import Block, engines
from eigenlens.rows.sampled_rows import numbers_of
from eigenlens.testing import all_estimators, sample, sample_for
from eigenlens.testing.laws import outcome
from eigenlens.validation import cross_validate, leave_one_out
from eigenlens.validation.folds import DealtFolds
from variants import VARIANTS

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
    pytest.mark.filterwarnings("ignore:X does not have valid feature names"),
]

SECOND = ["u", "v", "z"]
PARTS = 3


@pytest.fixture(scope="module")
def spark():
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "20",
    }
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # a short life does not pay for the better compiler
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-java-options '{quick}' pyspark-shell"
    builder = pyspark.sql.SparkSession.builder.master("local[2,4]")  # two threads, a task may fail three times
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason="ray is not installed")
    pytest.importorskip("ray.data")
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112  (of a busy machine they would hardly get a turn)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


class Engine:
    """Hands tables to an engine, in partitions of which one is empty, and takes them back in the order of `id`."""

    def __init__(self, name, session):
        self.name, self.session = name, session

    def table(self, frame):
        frame = frame.assign(id=np.arange(len(frame)))
        whole = pa.Table.from_pandas(frame, preserve_index=False)
        if self.name == "spark":
            made = self.session.createDataFrame(whole).repartitionByRange(PARTS, "id")
            return made.union(self.session.createDataFrame([], made.schema))
        places = np.array_split(np.arange(len(frame)), PARTS)
        parts = [whole.slice(rows[0], len(rows)) for rows in places]
        return self.session.data.from_arrow([parts[0], whole.slice(0, 0), *parts[1:]])

    def frame(self, table):
        if self.name == "ray":
            table = pa.concat_tables(table.iter_batches(batch_format="pyarrow", batch_size=None))
        found = table.toArrow() if self.name == "spark" else table
        return found.to_pandas().sort_values("id", ignore_index=True)

    def without_id(self, table):
        return table.drop("id") if self.name == "spark" else table.drop_columns(["id"])

    def deadly(self, table, folder):
        """Return the table behind a step in which every partition ends its worker the first time."""
        deadly = deadly_once(str(folder), self.name == "ray")
        if self.name == "spark":
            return table.mapInArrow(deadly, table.schema)
        return table.map_batches(deadly, batch_format="pyarrow", batch_size=None)


@pytest.fixture(scope="module", params=["spark", "ray"])
def engine(request):
    return Engine(request.param, request.getfixturevalue(request.param))


def deadly_once(folder, one_by_one):
    """Return a function of batches that ends its process once for each partition; it travels whole, by value."""

    def kill_once(batch):
        try:
            os.close(os.open(f"{folder}/{batch.column('id')[0].as_py()}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    def of_stream(batches):
        for k, batch in enumerate(batches):
            if k == 1 and batch.num_rows:  # when rows before it have been folded
                kill_once(batch)
            yield batch

    def of_batch(batch):
        if batch.num_rows:
            kill_once(batch)
        return batch

    return of_batch if one_by_one else of_stream


def columns(p):
    return [f"c {j}" for j in range(p)]


def frame_of(data):
    frame = pd.DataFrame(data.X, columns=columns(data.X.shape[1]))
    if data.y is not None and data.y.ndim == 1:
        frame["label"] = data.y
    elif data.y is not None:
        frame[SECOND] = data.y
    return frame


def options(estimator):
    return {"none": {}, "labels": {"target": "label"}, "table": {"target": SECOND}}[estimator._target]


def opened(table, estimator, p=4, **more):
    return open_rows(table, columns=columns(p), **options(estimator), **more)


LAW = [VARIANTS.get(method, [method()])[0] for method in all_estimators()]
LAW += [PCA(2, missing="ml"), LDA(shrinkage="ledoit-wolf")]  # kinds of moments that no method keeps by default


@pytest.fixture(scope="module")
def tables():
    """Tables that an engine holds already, by what is in them: to make one takes as long as a fit."""
    return {}


@pytest.mark.parametrize("estimator", LAW, ids=repr)
def test_the_fit_is_that_of_the_rows(estimator, engine, tables):
    data = sample_for(estimator, n=150, p=4, offset=5.0)
    frame = frame_of(data)
    key = (engine.name, frame.to_csv())
    if key not in tables:
        tables[key] = engine.table(frame)
    target = {} if data.y is None else {"target": "label" if data.y.ndim == 1 else SECOND}
    found = clone(estimator).fit(open_rows(tables[key], columns=columns(4), **target))
    expected = outcome(clone(estimator).fit(frame[columns(4)], *data.arguments()[1:]), data.X)
    for name, value in outcome(found, data.X).items():
        if value.dtype.kind in "fiu":
            limit = 1e-12 * np.abs(expected[name]).max(initial=0)
            np.testing.assert_allclose(value, expected[name], rtol=0, atol=limit, err_msg=name)
    assert found.feature_names_in_.tolist() == columns(4)


def test_weights_and_empty_rows(engine):
    data = sample("labels", n=150, p=4)
    weight = np.where(np.arange(150) < 60, 0, np.arange(150) % 3)  # a whole partition that does not count
    rows = opened(engine.table(frame_of(data).assign(w=weight)), LDA(), weight="w")
    expected = LDA().fit(data.X, data.y, sample_weight=weight)
    np.testing.assert_allclose(LDA().fit(rows).scalings_, expected.scalings_, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        LDA().fit(opened(engine.table(frame_of(data).assign(w=0.0)), LDA(), weight="w"))


def test_a_table_goes_to_fit_and_results_stay_with_it(engine):
    data = sample("labels", n=150, p=4)
    frame = frame_of(data)
    table = engine.table(frame)
    model = LDA().fit(open_rows(table, columns=columns(4), target="label"))
    again = LDA().fit(open_rows(table, columns=columns(4), target="label"))
    assert np.array_equal(model.scalings_, again.scalings_)  # the same bits
    X = frame[columns(4)]
    found = engine.frame(model.predict(model.transform(table)))
    assert found.columns.tolist() == [*columns(4), "label", "id", "lda0", "lda1", "prediction"]
    np.testing.assert_allclose(found[["lda0", "lda1"]], model.transform(X), rtol=0, atol=1e-12)
    assert np.array_equal(found["prediction"], model.predict(X))
    probabilities = engine.frame(model.predict_proba(table))
    named = [f"probability_{label}" for label in model.classes_]
    np.testing.assert_allclose(probabilities[named], model.predict_proba(X), rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match=r"columns prediction already.*drop or rename"):
        model.predict(model.predict(table))


@pytest.mark.parametrize("estimator", [PCA(1), FDA(), CCA(1)], ids=repr)
def test_fit_with_a_target(estimator, engine):
    """The target names its column, all others are X."""
    data = sample_for(estimator, n=60, p=3)
    frame = frame_of(data)
    target = {"target": columns(3)[2], **options(estimator)}
    found = clone(estimator).fit(engine.without_id(engine.table(frame)), **target)
    expected = clone(estimator).fit(frame, **target)
    assert found.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    if hasattr(expected, "spectrum_"):
        np.testing.assert_allclose(found.spectrum_.values, expected.spectrum_.values, rtol=1e-9)
    if hasattr(expected, "score"):
        assert found.score(engine.table(frame)) == pytest.approx(expected.score(frame), rel=1e-9)


def test_folds_are_reduced_where_the_rows_are(engine, monkeypatch):
    """The fold of a row depends on its cells, so it is the same in both passes, however partitions come."""
    data = sample("labels", n=150, p=4, offset=5.0)
    rows = opened(engine.table(frame_of(data)), LDA())
    monkeypatch.setattr(engines.EngineSource, "fetched", None)
    grid = {"shrinkage": [0.0, 0.2, 0.7]}
    found = cross_validate(LDA(), rows, cv=3, settings=grid)
    codes = np.unique(data.y, return_inverse=True)[1]
    folds = DealtFolds(3, 0)(Block(data.X, codes, classes=np.unique(data.y), numbers=numbers_of(data.X)))
    expected = cross_validate(LDA(), data.X, data.y, cv=folds, settings=grid)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.model.scalings_, expected.model.scalings_, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match=r"predictions: the rows of this table have no fixed order.*adds a column"):
        _ = found.predictions


def test_a_parameter_chooses_itself(engine):
    data = sample("labels", n=150, p=4, offset=5.0)
    found = LDA(shrinkage="cv").fit(opened(engine.table(frame_of(data)), LDA()))
    assert 0 <= found.shrinkage_ <= 1
    assert len(found.cv_path_) > 3


def test_methods_that_need_all_rows_are_validated_here(engine):
    table = engine.table(frame_of(sample("labels", n=90, p=4)))
    assert cross_validate(FDA(), opened(table, FDA()), cv=3).scores.shape == (1, 3)


def test_regressors_fetch_the_rows(engine):
    frame = frame_of(sample("none", n=60, p=3))
    table = engine.without_id(engine.table(frame))
    found, expected = (AdaptiveSplines().fit(rows, target="c 2") for rows in (table, frame))
    assert found.score(table) == pytest.approx(expected.score(frame), rel=1e-9)


@pytest.mark.parametrize("estimator", [FDA(), CCA(1)], ids=repr)
def test_scores_need_no_columns_of_X_here(estimator, engine, monkeypatch):
    data = sample_for(estimator, n=150, p=4, offset=5.0)
    weight = np.arange(150) % 4
    frame = frame_of(data).assign(w=weight)
    model = clone(estimator).fit(frame[columns(4)], *data.arguments()[1:])
    rows = opened(engine.table(frame), estimator, weight="w")
    asked, fetched = [], type(rows).fetched
    monkeypatch.setattr(type(rows), "fetched", lambda self, names: fetched(self, asked.extend(names) or names))
    found = model.score(rows)
    assert asked
    if not hasattr(estimator, "regressor"):
        assert not set(columns(4)) & set(asked)
    assert found == pytest.approx(model.score(frame[columns(4)], data.y, sample_weight=weight), rel=1e-12)


def test_wide_moments_are_merged_in_executors(engine):
    """Beyond so many columns Spark merges the moments of neighbours before they come here."""
    X = np.random.default_rng(0).standard_normal((300, 70)) + 5
    table = engine.table(pd.DataFrame(X, columns=columns(70)))
    rows = open_rows(table, columns=columns(70))
    first, second = PCA(3).fit(rows), PCA(3).fit(rows)
    assert np.array_equal(first.components_, second.components_)
    np.testing.assert_allclose(np.abs(first.components_ @ PCA(3).fit(X).components_.T), np.eye(3), rtol=0, atol=1e-9)


def test_words_are_read_where_they_are(engine):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(list("xyz"), 90), "b": rng.choice(["u", "v"], 90), "c": rng.normal(size=90)})
    table = engine.table(frame)
    model = MixedPCA(2).fit(open_rows(table, columns=["a", "b", "c"]))
    expected = MixedPCA(2).fit(frame)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, rtol=0, atol=1e-12)
    scores = engine.frame(model.transform(table))[["mixedpca0", "mixedpca1"]]
    np.testing.assert_allclose(np.abs(scores), np.abs(expected.transform(frame)), rtol=0, atol=1e-12)


def test_rows_stay_where_they_are(engine, monkeypatch):
    """What comes here are a few rows for the pivot, and moments."""
    table = engine.table(pd.DataFrame(np.random.default_rng(0).standard_normal((3000, 4)), columns=columns(4)))
    monkeypatch.setattr(engines.EngineSource, "in_memory", None)
    sizes, received = [], engines.received
    monkeypatch.setattr(engines, "received", lambda part: (sizes.append(len(part)), received(part))[1])
    monkeypatch.setattr(engines.EngineSource, "fetched", None)
    assert PCA(2).fit(open_rows(table, columns=columns(4))).moments_.n_rows == 3000
    assert len(sizes) <= PARTS + 2  # empty partitions among them
    assert max(sizes) < 4000  # bytes; a partition has 32,000


def test_killed_workers_change_no_bit(engine, tmp_path):
    """The pass over y is under fire too."""
    table = engine.table(frame_of(sample_for(SIR(), n=150, p=4)))
    expected = SIR(1, n_slices=3).fit(opened(table, SIR()))
    found = SIR(1, n_slices=3).fit(opened(engine.deadly(table, tmp_path), SIR()))
    assert len(list(tmp_path.iterdir())) == PARTS  # a worker died in every partition
    assert np.array_equal(found.components_, expected.components_)


def test_transform_under_kills(engine, tmp_path):
    table = engine.table(frame_of(sample("none", n=150, p=4)))
    model = PCA(2).fit(open_rows(table, columns=columns(4)))
    expected = engine.frame(model.transform(table))
    found = engine.frame(model.transform(engine.deadly(table, tmp_path)))
    assert len(list(tmp_path.iterdir())) == PARTS
    assert np.array_equal(found[["pca0", "pca1"]], expected[["pca0", "pca1"]])


def test_what_is_wrong_is_said_in_our_words(engine):
    data = sample("labels", n=60, p=4)
    table = engine.table(frame_of(data))
    with pytest.raises(ValueError, match=r"requires y to be passed.*target="):
        LDA().fit(table)
    with pytest.raises(ValueError, match=r"y was passed with a .* table, whose rows have no fixed order"):
        LDA().fit(table, np.zeros(60))
    with pytest.raises(ValueError, match="target='q': no such column; there are c 0, c 1"):
        LDA().fit(table, target="q")
    with pytest.raises(ValueError, match="column 'label' occurs or is named twice"):
        open_rows(table, columns=["c 0", "label"], target="label")
    with pytest.raises(ValueError, match=r"y was passed with a .* table"):
        LDA().fit(opened(table, LDA())).score(table, data.y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        LDA().fit(opened(table, LDA())).score(table)
    with pytest.raises(ValueError, match=r"cv=KFold.*have no fixed order.*give a number of folds"):
        cross_validate(LDA(), opened(table, LDA()), cv=KFold(3))
    with pytest.raises(ValueError, match=r"scoring='f1_macro' is a function of the rows of whole folds"):
        cross_validate(LDA(), opened(table, LDA()), cv=3, scoring="f1_macro")
    with pytest.raises(ValueError, match=r"requires y to be passed.*open_rows\(frame, target="):
        leave_one_out(LDA(), table)
    with pytest.raises(TypeError, match=r"stay with its engine.*write"):
        write_rows(PCA(2).fit(open_rows(table, columns=columns(4))).transform, table, "scores.npy")
    bad = frame_of(data)
    bad.iloc[41, 2] = np.nan
    with pytest.raises(ValueError, match=r"X contains NaN.*column c 2"):
        PCA(2).fit(open_rows(engine.table(bad), columns=columns(4)))
    with pytest.raises(TypeError, match=r"^X has columns that are not numbers: a \(String\)"):
        PCA(1).fit(open_rows(engine.table(pd.DataFrame({"a": list("xyz"), "b": [1.0, 2.0, 3.0]})), columns=["a", "b"]))


@pytest.mark.parametrize("name", ["Column", "GroupedData", "RDD"])
def test_parts_of_spark_are_told_to_become_frames(name):
    """A column of Spark answers every question with another column: it was taken for a frame."""
    module = "pyspark.core.rdd" if name == "RDD" else "pyspark.sql.classic.column"

    def any_attribute(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    part = type(name, (), {"__module__": module, "__getattr__": any_attribute})()
    with pytest.raises(InputTypeError, match=f"X is a Spark {name}, not a data frame; pass a frame: frame.select"):
        PCA(2).fit(part)
    with pytest.raises(InputTypeError, match=f"a Spark {name}, not a data frame"):
        open_rows(part)


def test_a_report_names_the_way_through_files(engine):
    table = engine.table(pd.DataFrame({"a": [1.0, 2.0, 5.0], "b": [0.0, 3.0, 1.0]}))
    with pytest.raises(InputTypeError, match=r"data is a table of (pyspark|ray), .* folder of Parquet files"):
        report(table)
