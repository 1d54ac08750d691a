"""Where rows come from makes no difference: every kind of input gives the fit of the NumPy array."""

from __future__ import annotations

import pickle
from functools import partial

import array_api_strict
import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenlens import CCA, LDA, PCA
from eigenlens.rows.source import typical_rows

rng = np.random.default_rng(3)
N, P = 60, 4
y = np.arange(N) % 3
# Whole numbers, so that every type holds them exactly.
X = np.round(20 * rng.standard_normal((N, P)) + 12 * y[:, None] * [1, -1, 0, 0.5] + 100)
Y = np.round(X[:, :2] + 15 * rng.standard_normal((N, 2)))
WEIGHT = rng.integers(1, 4, N).astype(float)
NAMES = ["a", "b", "c", "d"]
METHODS = {"PCA": PCA, "LDA": LDA, "CCA": CCA}


def to_numpy(values) -> np.ndarray:
    return values.detach().numpy() if isinstance(values, torch.Tensor) else np.asarray(values)


def answers(model, table) -> dict[str, object]:
    """Everything a model says about itself and about rows."""
    asked = {
        PCA: ("components_", "singular_values_", "explained_variance_", "mean_"),
        LDA: ("scalings_", "means_", "mean_", "priors_", "centroids_", "coef_", "intercept_"),
        CCA: ("x_weights_", "y_weights_", "correlations_", "angles_", "x_mean_", "y_mean_"),
    }[type(model)]
    verbs = {
        PCA: ("transform", "reconstruction_error", "score_samples"),
        LDA: ("transform", "predict_proba", "predict_log_proba", "decision_function", "mahalanobis", "sphere"),
        CCA: ("transform", "predict"),
    }[type(model)]
    return {name: getattr(model, name) for name in asked} | {verb: getattr(model, verb)(table) for verb in verbs}


def fit(method: str, table, second=None, **kwargs):
    target = {"PCA": (), "LDA": (y,), "CCA": (Y if second is None else second,)}[method]
    return new(method).fit(table, *target, **kwargs)


def new(method: str):
    """A model that leaves something out, so that errors and likelihoods are not zero or rounding."""
    return PCA(2) if method == "PCA" else METHODS[method]()


def assert_same(found: dict, expected: dict, rtol: float = 1e-12) -> None:
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        scale = np.max(np.abs(to_numpy(values)))
        np.testing.assert_allclose(to_numpy(found[name]), to_numpy(values), rtol=0, atol=rtol * scale, err_msg=name)


# -- tables ------------------------------------------------------------------------------------------------------


def strided(values):
    wide = np.zeros((2 * values.shape[0], 3 * values.shape[1]))
    wide[::2, ::3] = values
    return wide[::2, ::3]


def backwards(values):
    return np.ascontiguousarray(values[::-1, ::-1])[::-1, ::-1]


def read_only(values):
    values = values.copy()
    values.flags.writeable = False
    return values


def frame(values, **options):
    return pd.DataFrame(values, columns=NAMES[: values.shape[1]], **options)


def mixed(values):
    kinds = ["float64", "int32", "float32", "Int64"]
    return frame(values).astype(dict(zip(NAMES[: values.shape[1]], kinds, strict=False)))


def arrow(values):
    return pa.table(dict(zip(NAMES, values.T, strict=False)))


def chunked(values):
    table = arrow(values)
    return pa.concat_tables([table[:7], table[7:8], table[8:]])


def with_gradient(values):
    return torch.tensor(values, requires_grad=True)


TABLES = {  # exact in float64
    "lists": np.ndarray.tolist,
    "tuples": lambda values: tuple(map(tuple, values)),
    "list of rows": list,
    "objects": partial(np.ndarray.astype, dtype=object),
    "int64": partial(np.ndarray.astype, dtype=np.int64),
    "int16": partial(np.ndarray.astype, dtype=np.int16),
    "float16": partial(np.ndarray.astype, dtype=np.float16),
    "longdouble": partial(np.ndarray.astype, dtype=np.longdouble),
    "big-endian": partial(np.ndarray.astype, dtype=">f8"),
    "Fortran order": np.asfortranarray,
    "strided": strided,
    "backwards": backwards,
    "read-only": read_only,
    "matrix": lambda values: values.view(np.matrix),
    "memoryview": memoryview,
    "pandas": frame,
    "pandas mixed": mixed,
    "pandas ints": partial(frame, dtype="int64"),
    "pandas nullable": partial(frame, dtype="Float64"),
    "pandas Arrow": partial(frame, dtype="double[pyarrow]"),
    "pandas index": lambda values: frame(values).set_index(np.arange(N)[::-1]),
    "pandas numbered": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars ints": lambda values: pl.DataFrame(values.astype(np.int64)),
    "Arrow": arrow,
    "Arrow in chunks": chunked,
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "coo": sp.coo_matrix,
    "csr array": sp.csr_array,
    "csc array": sp.csc_array,
    "coo array": sp.coo_array,
    "dia array": sp.dia_array,
    "sparse ints": lambda values: sp.csr_array(values.astype(np.int64)),
    "torch": torch.tensor,
    "torch gradient": with_gradient,
    "torch ints": lambda values: torch.tensor(values.astype(np.int64)),
    "torch strided": lambda values: torch.tensor(values.T.copy()).T,
    "strict": array_api_strict.asarray,
    "strict ints": lambda values: array_api_strict.asarray(values.astype(np.int64)),
}
SINGLE = {  # float32 in, float32 out
    "NumPy": lambda values: values.astype(np.float32),
    "pandas": lambda values: frame(values.astype(np.float32)),
    "polars": lambda values: pl.DataFrame(values.astype(np.float32)),
    "Arrow": lambda values: arrow(values.astype(np.float32)),
    "sparse": lambda values: sp.csr_array(values.astype(np.float32)),
    "torch": lambda values: torch.tensor(values, dtype=torch.float32),
    "strict": lambda values: array_api_strict.asarray(values.astype(np.float32)),
}


def library(values) -> str:
    return type(values).__module__.split(".")[0]


def expected_library(table) -> str:
    return library(table) if library(table) in ("torch", "array_api_strict") else "numpy"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_table(make, method):
    table = make(X)
    found = answers(fit(method, table, make(Y)), table)
    assert {library(values) for values in found.values()} == {expected_library(table)}
    assert {str(values.dtype).split(".")[-1] for values in found.values()} == {"float64"}
    assert_same(found, answers(fit(method, X), X))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", SINGLE.values(), ids=SINGLE)
def test_single_precision(make, method):
    table = make(X)
    found = answers(fit(method, table, make(Y)), table)
    dtypes = {name: str(values.dtype).split(".")[-1] for name, values in found.items()}
    probabilities = {name for name in found if "proba" in name}
    assert {name for name, dtype in dtypes.items() if dtype == "float64"} == probabilities
    assert set(dtypes.values()) <= {"float32", "float64"}
    assert {library(values) for values in found.values()} == {expected_library(table)}
    assert_same(found, answers(fit(method, X), X), rtol=2e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "make",
    [
        lambda values: values,
        lambda values: values.astype(int),
        np.ndarray.tolist,
        frame,
        pl.DataFrame,
        torch.tensor,
        array_api_strict.asarray,
        sp.csr_array,
    ],
    ids=["bool", "0 and 1", "list", "pandas", "polars", "torch", "strict", "sparse"],
)
def test_yes_and_no(make, method):
    flags = X > 105
    table = make(flags)
    assert_same(answers(fit(method, table), table), answers(fit(method, flags.astype(float)), flags.astype(float)))


@pytest.mark.parametrize("method", METHODS)
def test_memory_map(method, tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, X)
    rows = np.load(path, mmap_mode="r")
    assert_same(answers(fit(method, rows), rows), answers(fit(method, X), X))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("there", [torch.tensor, array_api_strict.asarray, frame], ids=["torch", "strict", "pandas"])
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
def test_used_where_it_was_not_fitted(there, method):
    here, away = fit(method, X), fit(method, there(X), there(Y))
    verbs = {"PCA": ["transform", "score_samples"], "LDA": ["transform", "predict_proba"], "CCA": ["predict"]}[method]
    for verb in verbs:
        expected = getattr(here, verb)(X)
        new = getattr(here, verb)(there(X))
        assert library(new) == expected_library(there(X))
        np.testing.assert_allclose(to_numpy(new), expected, rtol=0, atol=1e-11)
        back = getattr(away, verb)(X)
        assert library(back) == "numpy"
        np.testing.assert_allclose(back, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("first", "second"), [(np.array, torch.tensor), (torch.tensor, np.array)], ids=["there", "back"]
)
def test_parts_from_two_libraries(first, second, method):
    parts = new(method)
    for make, rows in ((first, slice(0, 25)), (second, slice(25, N))):
        parts.partial_fit(make(X[rows]), *{"PCA": (), "LDA": (y[rows],), "CCA": (make(Y[rows]),)}[method])
    whole = new(method).fit(X, *{"PCA": (), "LDA": (y,), "CCA": (Y,)}[method])
    assert_same(answers(parts, X), answers(whole, X), rtol=1e-11)


@pytest.mark.parametrize("other", [Y, torch.tensor(Y), pl.DataFrame(Y), sp.csr_array(Y)], ids=library)
@pytest.mark.parametrize("make", [np.array, torch.tensor, frame], ids=["NumPy", "torch", "pandas"])
def test_two_tables_from_two_libraries(make, other):
    model = CCA().fit(make(X), other)
    assert {library(values) for values in (model.x_weights_, model.y_weights_)} == {expected_library(make(X))}
    np.testing.assert_allclose(to_numpy(model.correlations_), CCA().fit(X, Y).correlations_, rtol=1e-12)


@pytest.mark.parametrize(
    "single", [Y[:, 0], pd.Series(Y[:, 0]), pl.Series(Y[:, 0]), torch.tensor(Y[:, 0]), Y[:, 0].tolist()]
)
def test_single_response(single):
    whole = CCA().fit(X, Y[:, :1])
    parts = CCA().partial_fit(X[:30], single[:30]).partial_fit(X[30:], single[30:])
    for model in (CCA().fit(X, single), parts):
        assert model.predict(X).shape == (N,)
        np.testing.assert_allclose(model.predict(X), whole.predict(X)[:, 0], rtol=1e-12)


# -- labels ------------------------------------------------------------------------------------------------------


def named(*names):
    return np.array(names)[y]


LABELS = {  # labels, and the classes in their order
    "ints": (y, [0, 1, 2]),
    "list": (y.tolist(), [0, 1, 2]),
    "whole floats": (y.astype(float), [0.0, 1.0, 2.0]),
    "negative": (named(-5, 0, 7), [-5, 0, 7]),
    "int8 far apart": (np.int8([-120, 0, 120])[y], [-120, 0, 120]),
    "uint8": (np.uint8([3, 200, 255])[y], [3, 200, 255]),
    "big": (named(2**53, 2**53 + 1, 2**62), [2**53, 2**53 + 1, 2**62]),
    "unsigned big": (np.uint64([2**63, 2**63 + 1, 2**63 + 5])[y], [2**63, 2**63 + 1, 2**63 + 5]),
    "strings": (named("x", "yy", "zzz"), ["x", "yy", "zzz"]),
    "list of strings": (named("x", "yy", "zzz").tolist(), ["x", "yy", "zzz"]),
    "unsorted strings": (named("z", "x", "y"), ["x", "y", "z"]),
    "bytes": (named(b"x", b"y", b"z"), [b"x", b"y", b"z"]),
    "string objects": (named("x", "yy", "zzz").astype(object), ["x", "yy", "zzz"]),
    "int objects": (y.astype(object), [0, 1, 2]),
    "dates": (np.array(["2020", "2021", "2022"], "datetime64[Y]")[y], [2020, 2021, 2022]),
    "categories": (pd.Categorical(named("x", "yy", "zzz"), categories=["q", "x", "yy", "zzz"]), ["x", "yy", "zzz"]),
    "pandas": (pd.Series(named("x", "yy", "zzz"), index=np.arange(N) + 7), ["x", "yy", "zzz"]),
    "pandas nullable": (pd.Series(y, dtype="Int64"), [0, 1, 2]),
    "pandas string": (pd.Series(named("x", "yy", "zzz"), dtype="string"), ["x", "yy", "zzz"]),
    "polars": (pl.Series(named("x", "yy", "zzz")), ["x", "yy", "zzz"]),
    "polars categories": (pl.Series(named("x", "yy", "zzz"), dtype=pl.Categorical), ["x", "yy", "zzz"]),
    "polars ints": (pl.Series(y), [0, 1, 2]),
    "Arrow": (pa.array(named("x", "yy", "zzz")), ["x", "yy", "zzz"]),
    "Arrow chunks": (pa.chunked_array([y[:9], y[9:]]), [0, 1, 2]),
    "Arrow dictionary": (pa.array(named("x", "yy", "zzz")).dictionary_encode(), ["x", "yy", "zzz"]),
    "torch": (torch.tensor(y), [0, 1, 2]),
    "torch int8": (torch.tensor(y, dtype=torch.int8), [0, 1, 2]),
    "strict": (array_api_strict.asarray(y), [0, 1, 2]),
}


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize(("labels", "classes"), LABELS.values(), ids=LABELS)
def test_labels(labels, classes, verb):
    model, plain = getattr(LDA(), verb)(X, labels), LDA().fit(X, named(*np.argsort(np.argsort(_order(labels)))))
    found = to_numpy(model.classes_)
    assert (
        found.astype(int).tolist() == [c - 1970 for c in classes] if found.dtype.kind == "M" else list(found) == classes
    )
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-12)
    predicted = model.predict(X)
    assert library(predicted) == library(model.classes_) == expected_library(labels)
    assert predicted.dtype == model.classes_.dtype
    np.testing.assert_array_equal(to_numpy(predicted), found[to_numpy(plain.predict(X))])


def _order(labels) -> list:
    """The label of each of the three groups, in the order 0, 1, 2."""
    values = labels.to_pylist() if hasattr(labels, "to_pylist") else list(labels)
    return [values[0], values[1], values[2]]


@pytest.mark.parametrize("labels", [y > 0, (y > 0).tolist(), torch.tensor(y > 0), pd.Series(y > 0)], ids=library)
def test_two_classes_of_truth(labels):
    model = LDA().fit(X, labels)
    assert to_numpy(model.classes_).tolist() == [False, True]
    np.testing.assert_allclose(model.decision_function(X), LDA().fit(X, (y > 0) + 5).decision_function(X), rtol=1e-12)
    np.testing.assert_array_equal(to_numpy(model.predict(X)), model.decision_function(X) > 0)


def test_labels_that_grow():
    names = named("a", "b", "longer")
    o = np.argsort(y, kind="stable")
    model = LDA()
    for part in np.array_split(o, 7):
        model.partial_fit(X[part], names[part].astype(f"U{max(map(len, names[part]))}"))
    assert model.classes_.tolist() == ["a", "b", "longer"]
    assert_same(answers(model, X), answers(LDA().fit(X, names), X), rtol=1e-11)


@pytest.mark.parametrize("parameters", [{"n_components": 2}, {"priors": [0.2, 0.3, 0.5]}, {"within": "equal"}], ids=str)
def test_class_that_comes_late(parameters):
    """Options that speak of all classes must wait for them, not refuse the first rows."""
    o = np.argsort(y, kind="stable")
    model = LDA(**parameters)
    for part in np.array_split(o, 6):
        model.partial_fit(X[part], y[part])
    assert_same(answers(model, X), answers(LDA(**parameters).fit(X, y), X), rtol=1e-11)


@pytest.mark.parametrize("n_components", [None, 1, P, "mle", 0.9])
def test_one_row_at_a_time(n_components):
    """As many components as columns exist once there are enough rows: the first rows are kept until then."""
    model = PCA(n_components)
    for row in X:
        model.partial_fit(row[None, :])
    whole = PCA(n_components).fit(X)
    assert model.n_components_ == whole.n_components_
    np.testing.assert_allclose(model.singular_values_, whole.singular_values_, rtol=1e-12)


# -- weights -----------------------------------------------------------------------------------------------------

WEIGHTS = {
    "array": WEIGHT,
    "list": WEIGHT.tolist(),
    "ints": WEIGHT.astype(int),
    "pandas": pd.Series(WEIGHT, index=np.arange(N)[::-1]),
    "nullable": pd.array(WEIGHT, dtype="Float64"),
    "polars": pl.Series(WEIGHT),
    "Arrow": pa.array(WEIGHT),
    "torch": torch.tensor(WEIGHT, requires_grad=True),
    "strict": array_api_strict.asarray(WEIGHT),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("make", [np.array, torch.tensor, array_api_strict.asarray], ids=["NumPy", "torch", "strict"])
def test_weights(make, weight, method):
    model = fit(method, make(X), make(Y), sample_weight=weight)
    assert_same(answers(model, X), answers(fit(method, X, sample_weight=WEIGHT), X))


@pytest.mark.parametrize("method", METHODS)
def test_weight_counts_rows(method):
    times = WEIGHT.astype(int)
    target = {"PCA": (), "LDA": (y,), "CCA": (Y,)}[method]
    repeated = new(method).fit(np.repeat(X, times, 0), *[np.repeat(t, times, 0) for t in target])
    assert_same(answers(new(method).fit(X, *target, sample_weight=WEIGHT), X), answers(repeated, X), rtol=1e-11)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "make", [np.array, torch.tensor, frame, sp.csr_array], ids=["NumPy", "torch", "pandas", "sparse"]
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_zero_weight_is_no_row(make, method):
    """Whatever stands in a row of weight zero, the first one included, leaves no trace."""
    keep = np.arange(N) % 4 > 0
    wild = np.where(keep[:, None], X, 1e18)
    target = {"PCA": (), "LDA": (y,), "CCA": (np.where(keep[:, None], Y, -1e18),)}[method]
    model = new(method).fit(make(wild), *target, sample_weight=keep)
    without = new(method).fit(X[keep], *[t[keep] for t in target])
    assert_same(answers(model, X), answers(without, X))


@pytest.mark.parametrize("parameters", [{}, {"priors": [0.4, 0.6]}, {"n_components": 1}], ids=str)
def test_class_of_zero_weight_vanishes(parameters):
    keep = y != 1
    model = LDA(**parameters).fit(X, y, sample_weight=keep)
    assert model.classes_.tolist() == [0, 2]
    assert_same(answers(model, X), answers(LDA(**parameters).fit(X[keep], y[keep]), X))


def test_row_that_hardly_counts_is_no_pivot():
    weight = np.ones(N)
    weight[0] = 1e-40
    wild = X.copy()
    wild[0] = 1e18
    np.testing.assert_allclose(PCA(1).fit(wild, sample_weight=weight).mean_, X[1:].mean(axis=0), rtol=1e-12)


# -- large tables ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large():
    rows = np.random.default_rng(0).standard_normal((60_000, 40)) + 1e6
    rows[:, 0] += np.arange(60_000) % 3
    return rows


@pytest.mark.parametrize(
    "refit",
    [
        lambda rows: PCA(5).fit(rows).components_,
        lambda rows: LDA().fit(rows, np.arange(len(rows)) % 3).scalings_,
        lambda rows: CCA().fit(rows[:, 3:], rows[:, :3]).x_weights_,
        lambda rows: PCA(5).fit(rows[:9]).transform(rows),
    ],
    ids=["PCA", "LDA", "CCA", "transform"],
)
def test_threads_change_no_bit(large, refit):
    first = refit(large)
    assert all(np.array_equal(first, refit(large)) for _ in range(2))
    fortran = refit(np.asfortranarray(large))
    np.testing.assert_allclose(fortran, first, rtol=0, atol=1e-9 * np.abs(first).max())


def test_threads_name_the_cell(large):
    rows = large.copy()
    rows[59_999, 39] = np.nan
    with pytest.raises(ValueError, match="row 59999, column 39"):
        PCA().fit(rows)


def test_overlapping_fits_leave_the_threads_of_blas():
    """Two fits at once: whichever ends last must put back what the first one found."""
    from eigenlens.arrays import linalg

    before = linalg.blas_threads()
    if before == 1:
        pytest.skip("BLAS has a single thread here")
    one, two = linalg.one_blas_thread(), linalg.one_blas_thread()
    one.__enter__()
    two.__enter__()
    one.__exit__(None, None, None)
    during = linalg.blas_threads()
    two.__exit__(None, None, None)
    after = linalg.blas_threads()
    if after != before:  # do not slow down the tests that follow
        from threadpoolctl import ThreadpoolController

        ThreadpoolController().limit(limits=before, user_api="blas")
    assert (during, after) == (1, before)


# -- scikit-learn ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("container", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@pytest.mark.parametrize(
    "make", [np.array, frame, partial(pl.DataFrame, schema=NAMES)], ids=["NumPy", "pandas", "polars"]
)
def test_set_output(make, container, kind, method):
    model = fit(method, make(X))
    plain = model.transform(make(X))
    named_scores = model.set_output(transform=container).transform(make(X))
    assert isinstance(named_scores, kind)
    assert list(named_scores.columns) == [f"{method.lower()}{j}" for j in range(plain.shape[1])]
    np.testing.assert_array_equal(named_scores.to_numpy(), plain)


def test_set_output_keeps_the_index():
    rows = frame(X).set_index(np.arange(N) + 100)
    scores = PCA(2).set_output(transform="pandas").fit_transform(rows)
    assert scores.index.tolist() == rows.index.tolist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [frame, partial(pl.DataFrame, schema=NAMES), arrow], ids=["pandas", "polars", "Arrow"])
def test_feature_names(make, method):
    model = fit(method, make(X))
    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == P
    width = model.transform(make(X)).shape[1]
    assert model.get_feature_names_out().tolist() == [f"{method.lower()}{j}" for j in range(width)]


@pytest.mark.parametrize("method", METHODS)
def test_no_names_after_a_plain_refit(method):
    model = fit(method, frame(X))
    model.fit(X, *{"PCA": (), "LDA": (y,), "CCA": (Y,)}[method])
    assert not hasattr(model, "feature_names_in_")


def test_pipeline():
    rows = frame(X)
    model = make_pipeline(StandardScaler(), PCA(3), LDA()).fit(rows, y)
    by_hand = PCA(3).fit_transform(StandardScaler().fit_transform(X))
    np.testing.assert_array_equal(model.predict(rows), LDA().fit(by_hand, y).predict(by_hand))


def test_weights_through_a_pipeline():
    model = make_pipeline(StandardScaler(), LDA()).fit(X, y, lda__sample_weight=WEIGHT)
    scaled = StandardScaler().fit_transform(X)
    expected = LDA().fit(scaled, y, sample_weight=WEIGHT).predict_proba(scaled)
    np.testing.assert_array_equal(model.predict_proba(X), expected)


@pytest.mark.parametrize(
    "labels", [y, named("x", "yy", "zzz"), pd.Series(named("x", "yy", "zzz"))], ids=["int", "str", "pd"]
)
def test_grid_search(labels):
    search = GridSearchCV(LDA(), {"n_components": [1, 2], "shrinkage": [None, 0.5, "oas"]}, cv=3).fit(frame(X), labels)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = cross_val_score(LDA(**search.best_params_), frame(X), labels, cv=3).mean()
    assert search.best_score_ == pytest.approx(best)


def test_grid_search_of_likelihood_and_regression():
    assert GridSearchCV(PCA(), {"n_components": [1, 2, 3]}, cv=3).fit(X).best_params_["n_components"] in (1, 2, 3)
    search = GridSearchCV(CCA(), {"ridge": [0.0, 1.0, 1e6]}, cv=3).fit(X, Y)
    assert search.best_params_["ridge"] < 1e6


@pytest.mark.parametrize("method", METHODS)
def test_clone_is_fresh(method):
    model = fit(method, X)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert set(vars(copy)) == set(model.get_params())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [np.array, torch.tensor, array_api_strict.asarray], ids=["NumPy", "torch", "strict"])
def test_pickle(make, method):
    model = fit(method, make(X), make(Y))
    again = pickle.loads(pickle.dumps(model))
    assert_same(answers(again, make(X)), answers(model, make(X)), rtol=0)
    rows = {"PCA": (), "LDA": (y,), "CCA": (make(Y),)}[method]
    both = [m.partial_fit(make(X), *rows) for m in (again, model)]
    assert_same(answers(both[0], make(X)), answers(both[1], make(X)), rtol=0)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [np.array, torch.tensor], ids=["NumPy", "torch"])
def test_model_does_not_keep_the_rows(make, method):
    rows, labels = make(np.random.default_rng(0).standard_normal((9_000, P))), make(np.arange(9_000) % 3)
    target = {"PCA": (), "LDA": (labels,), "CCA": (rows[:, :2] ** 2,)}[method]
    model = METHODS[method]().fit(rows, *target)
    sizes = {name: len(pickle.dumps(values)) for name, values in vars(model).items()}
    assert sum(sizes.values()) < 30_000, max(sizes, key=sizes.get)


@pytest.mark.parametrize("method", METHODS)
def test_joblib(method, tmp_path):
    model = fit(method, X)
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    assert_same(answers(again, X), answers(model, X), rtol=0)


def test_parallel_search_gives_the_same():
    grid = {"shrinkage": [None, 0.1, 0.9]}
    alone, together = (
        GridSearchCV(LDA(), grid, cv=3, n_jobs=jobs).fit(X, y).cv_results_["mean_test_score"] for jobs in (1, 2)
    )
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("method", METHODS)
def test_input_is_left_alone(method):
    table, weight, second = X.copy(), WEIGHT.copy(), Y.copy()
    model = fit(method, table, second, sample_weight=weight)
    model.transform(table)
    np.testing.assert_array_equal(table, X)
    np.testing.assert_array_equal(second, Y)
    np.testing.assert_array_equal(weight, WEIGHT)
    before = model.transform(X)
    table[:] = 0
    np.testing.assert_array_equal(model.transform(X), before)


def test_equal_weights_of_any_size_are_typical():
    """The mean of equal weights may round to more than any of them."""
    for n in range(2, 400):
        assert typical_rows(n, np.full(n, 1 / n))
