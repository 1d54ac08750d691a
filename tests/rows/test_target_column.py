"""`fit(frame, target="y")`: y is a column of X."""

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

import eigenlens
from eigenlens import (
    CCA,
    FDA,
    LDA,
    MDA,
    PCA,
    SIR,
    ClassicalMDS,
    CorrespondenceAnalysis,
    KernelClassifier,
    KernelPCA,
    KernelRegressor,
    MixedPCA,
    RobustPCA,
    open_rows,
)
from eigenlens.regress import AdaptiveSplines, AdditiveSplines, PenalizedRegression
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


CLASSIFIERS = [LDA(), FDA(), MDA(n_subclasses=1), KernelClassifier(lam=0.1)]
REGRESSORS = [KernelRegressor(lam=0.1), AdaptiveSplines(), AdditiveSplines(), PenalizedRegression()]


@pytest.mark.parametrize("table", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_classifiers_fit_predict_and_score_a_table_that_holds_y(model, table):
    X, y = FRAME[list("abc")], FRAME["kind"]
    expected = clone(model).fit(X, y)
    found = clone(model).fit(table(), target="kind")
    assert np.array_equal(np.asarray(found.predict(table())), expected.predict(X))
    assert found.score(table()) == found.score(X, y) == found.score(table(), target="kind")


@pytest.mark.parametrize("table", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_regressors_too(model, table):
    frame = table()
    if not hasattr(frame, "select"):  # pandas and Dask
        frame = frame[list("abc")]
    else:
        frame = frame.select(["a", "b", "c"]) if isinstance(frame, pa.Table) else frame.select("a", "b", "c")
    X, y = FRAME[["a", "b"]], FRAME["c"]
    expected = clone(model).fit(X, y)
    found = clone(model).fit(frame, target="c")
    np.testing.assert_allclose(np.asarray(found.predict(frame)), expected.predict(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.score(frame), expected.score(X, y), rtol=1e-12)


def test_every_method_that_predicts_takes_a_target():
    from inspect import signature

    public = [getattr(eigenlens, name) for name in eigenlens.__all__]
    predicting = [cls for cls in public if isinstance(cls, type) and hasattr(cls, "predict")]
    assert len(predicting) >= 8
    for cls in predicting:
        assert "target" in signature(cls.fit).parameters, cls
        assert "target" in signature(cls.score).parameters, cls


def test_new_tables_may_hold_the_target_or_not():
    model = LDA().fit(FRAME, target="kind")
    scores = model.transform(FRAME[list("abc")])
    assert np.array_equal(model.transform(FRAME), scores)
    assert np.array_equal(LDA().fit_transform(FRAME, target="kind"), scores)
    assert model.test_dimension(FRAME, method="permutation").dimension >= 1
    with pytest.raises(ValueError, match="unseen at fit time"):
        model.predict(FRAME[list("abc")].assign(other=1.0))
    again = model.fit(FRAME[["a", "b"]], FRAME["kind"])  # a fit without target forgets it
    with pytest.raises(ValueError, match="kind"):
        again.predict(FRAME[["a", "b", "kind"]])


def test_variates_of_two_tables_in_one():
    numbers = FRAME[list("abc")]
    both = CCA(1).fit_transform(numbers, target=["b", "c"])
    for found, expected in zip(both, CCA(1).fit_transform(numbers[["a"]], numbers[["b", "c"]]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_frames_as_they_come():
    """Sparse columns, names that are numbers, categories in an order of their own, an index without a name."""
    expected = LDA().fit(DATA.X, DATA.y).scalings_
    sparse = FRAME[list("abc")].astype(pd.SparseDtype("float64", 0.0)).assign(kind=DATA.y)
    np.testing.assert_allclose(LDA().fit(sparse, target="kind").scalings_, expected, rtol=0, atol=1e-12)
    numbered = FRAME.set_axis(range(4), axis=1)
    np.testing.assert_allclose(LDA().fit(numbered, target=3).scalings_, expected, rtol=0, atol=1e-12)
    order = FRAME["kind"].unique()[::-1]
    ordered = FRAME.assign(kind=pd.Categorical(FRAME["kind"], categories=order))
    assert LDA().fit(ordered, target="kind").classes_.tolist() == LDA().fit(DATA.X, ordered["kind"]).classes_.tolist()
    indexed = FRAME.assign(**{"Unnamed: 0": range(90)})
    model = LDA().fit(indexed, target="kind")
    assert model.n_features_in_ == 3
    assert np.array_equal(model.predict(indexed), LDA().fit(FRAME, target="kind").predict(FRAME))


def test_a_source_with_y_is_scored():
    rows = open_rows(FRAME, target="kind")
    model = LDA().fit(rows)
    assert model.score(rows) == model.score(FRAME[list("abc")], FRAME["kind"])
    weighted = FRAME.assign(w=np.arange(90.0))
    expected = model.score(FRAME[list("abc")], FRAME["kind"], sample_weight=np.arange(90.0))
    assert model.score(open_rows(weighted, target="kind", weight="w")) == pytest.approx(expected, rel=1e-14)
    once = pa.Table.from_pandas(FRAME).to_reader()
    with pytest.raises(ValueError, match="read once, and score needs y"):
        model.score(open_rows(once, target="kind"))


def test_a_saved_model_knows_its_target(tmp_path):
    model = LDA().fit(FRAME, target="kind")
    eigenlens.save(model, tmp_path / "model.el")
    assert np.array_equal(eigenlens.load(tmp_path / "model.el").predict(FRAME), model.predict(FRAME))


WRONG = {
    "both": (lambda: LDA().fit(FRAME, DATA.y, target="kind"), "y and target='kind' were both given"),
    "a source": (lambda: LDA().fit(open_rows(FRAME), target="kind"), r"open_rows\(..., target='kind'\)"),
    "no such column": (lambda: LDA().fit(FRAME, target="q"), "target='q': no such column"),
    "nothing left": (lambda: LDA().fit(FRAME[["kind"]], target="kind"), "no columns|0 columns"),
    "no y": (lambda: LDA().fit(FRAME[list("abc")], DATA.y).score(FRAME[list("abc")]), "requires y"),
    "lazy": (lambda: LDA().fit(pl.from_pandas(FRAME).lazy(), target="kind"), r"LazyFrame.*X\.collect\(\)"),
    "no names": (lambda: LDA().fit(DATA.X, target="kind"), "target='kind'"),
}


@pytest.mark.parametrize(("attempt", "message"), WRONG.values(), ids=WRONG)
def test_wrong_input(attempt, message):
    with pytest.raises((ValueError, TypeError), match=message):
        attempt()


@pytest.mark.parametrize("model", [LDA(), SIR(), PCA(2)], ids=repr)
def test_more_rows_bring_their_target_with_them(model):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((60, 3)), columns=list("abc"))
    table["y"] = np.arange(60) % 3
    first, more = table[:30], table[30:]
    batches = clone(model).fit(first, target="y").partial_fit(more)
    labels = None if isinstance(model, PCA) else more["y"]
    beside = clone(model).fit(first, target="y").partial_fit(more[list("abc")], labels)
    np.testing.assert_array_equal(batches.transform(table), beside.transform(table))
    assert batches.moments_.n_rows == 60


WITHOUT_A_RESPONSE = [PCA(2), KernelPCA(2), RobustPCA(1), ClassicalMDS(2), MixedPCA(2), CorrespondenceAnalysis(2)]
FRAMES = {"pandas": pd.DataFrame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}


@pytest.mark.parametrize("model", WITHOUT_A_RESPONSE, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("kind", FRAMES.values(), ids=FRAMES)
def test_methods_that_ignore_y_leave_the_target_out(model, kind):
    counts = pd.DataFrame(np.random.default_rng(0).poisson(5.0, (40, 4)).astype(float) + 1, columns=list("abcy"))
    whole, rest = kind(counts), kind(counts.drop(columns="y"))
    found, expected = clone(model).fit(whole, target="y"), clone(model).fit(rest)
    assert found.n_features_in_ == 3
    scores = expected.transform(rest)
    for rows in (whole, rest):
        np.testing.assert_array_equal(found.transform(rows), scores)
    np.testing.assert_array_equal(clone(model).fit_transform(whole, target="y"), clone(model).fit_transform(rest))
    if isinstance(model, ClassicalMDS):
        np.testing.assert_array_equal(found.distances_among(whole), expected.distances_among(rest))
    assert clone(model).fit(whole, target="y").fit(whole).n_features_in_ == 4  # a refit forgets it


@pytest.mark.parametrize("model", [ClassicalMDS(metric="precomputed"), KernelPCA(1, kernel="precomputed")], ids=repr)
def test_a_column_beside_a_table_of_pairs_is_left_out(model):
    points = np.random.default_rng(0).standard_normal((6, 2))
    apart = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    pairs = pd.DataFrame(points @ points.T if isinstance(model, KernelPCA) else apart, columns=list("abcdef"))
    found = clone(model).fit(pairs.assign(kind=list("xyxyxy")), target="kind")
    np.testing.assert_allclose(found.embedding_, clone(model).fit(pairs).embedding_, atol=1e-14)  # laid out otherwise


@pytest.mark.parametrize("model", [MixedPCA(2), CorrespondenceAnalysis(2)], ids=repr)
def test_rows_to_come_may_hold_the_target_that_was_left_out(model):
    counts = pd.DataFrame(np.random.default_rng(0).poisson(5.0, (40, 4)) + 1.0, columns=list("abcy"))
    found = clone(model).fit(counts[:20], target="y").partial_fit(counts[20:])
    expected = clone(model).fit(counts[list("abc")])
    np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=1e-10)
