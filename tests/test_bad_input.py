"""Bad input gets an error that names the argument, the value and the way out, and leaves a fitted model as it was."""

from __future__ import annotations

import copy
import pickle
import re
from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch
from sklearn.exceptions import NotFittedError

from eigenlens import CCA, LDA, PCA
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.moments import Cross, Factor, Grouped, Quartic, Scatter
from eigenlens.rows import Block
from eigenlens.testing import all_estimators

rng = np.random.default_rng(7)
N, P = 30, 4
X = rng.standard_normal((N, P))
Y = X[:, :2] + rng.standard_normal((N, 2))
y = np.arange(N) % 3
FRAME = pd.DataFrame(X, columns=list("abcd"))
Y_FRAME = pd.DataFrame(Y, columns=["u", "v"])

METHODS = {"PCA": PCA, "LDA": LDA, "CCA": CCA}
ROW_METHODS = [
    *[("PCA", verb) for verb in ("transform", "score_samples", "score", "reconstruction_error")],
    *[("LDA", verb) for verb in ("transform", "predict", "predict_proba", "predict_log_proba", "decision_function")],
    *[("LDA", verb) for verb in ("mahalanobis", "sphere")],
    *[("CCA", verb) for verb in ("transform", "predict")],
]


def arguments(method: str, **changed):
    """What `fit` of a method takes, with some of it changed."""
    usual = {"PCA": {"X": X}, "LDA": {"X": X, "y": y}, "CCA": {"X": X, "Y": Y}}[method]
    return {**usual, **changed}


def fitted(method: str, **parameters):
    return METHODS[method](**parameters).fit(**arguments(method))


def state(model) -> bytes:
    """Everything a model holds, bit for bit."""
    return pickle.dumps(vars(model))


def assert_refused(model, verb: str, match: str, *args, error: type[Exception] = ValueError, **kwargs) -> None:
    """A call fails with a message, and leaves the model and its answers untouched."""
    before, is_fitted = state(model), hasattr(model, "spectrum_")
    scores = model.transform(X) if is_fitted else None
    with pytest.raises(error, match=match):
        getattr(model, verb)(*args, **kwargs)
    assert state(model) == before
    if is_fitted:
        np.testing.assert_array_equal(model.transform(X), scores)
    else:
        assert not hasattr(model, "moments_")


def with_cell(value, row=3, column=1):
    table = X.copy()
    table[row, column] = value
    return table


class DaskLike:
    """What a Dask collection looks like from outside: an array on demand, and a promise to compute it."""

    shape = (N, P)

    def __len__(self):
        raise AssertionError("computed without being asked")

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("loaded without being asked")

    def compute(self):
        return X


# -- tables ------------------------------------------------------------------------------------------------------

NAN = r"contains NaN \(the first in row 3, column 1\).*impute"
NAMED_NAN = r"contains NaN \(the first in row 3, column b\)"
NULLED = [1, 2, 3, None, *range(26)]
INF = r"contains infinity \(inf\) \(the first in row 3, column 1\)"
TEXT = r"must hold numbers but it holds .*astype\(float\)"
COLUMNS = r"has columns that are not numbers: bad \({}.*encode"
TABLES = {  # what is wrong: the table, and what the message says after the name of the argument
    "NaN": (with_cell(np.nan), NAN),
    "inf": (with_cell(np.inf), INF),
    "minus inf": (with_cell(-np.inf), INF),
    "inf and minus inf": (np.where(np.arange(N)[:, None] == 3, [1, np.inf, -np.inf, 1], X), INF),
    "NaN in the last cell": (with_cell(np.nan, N - 1, P - 1), r"contains NaN \(the first in row 29, column 3\)"),
    "float32 NaN": (with_cell(np.nan).astype(np.float32), NAN),
    "None in objects": (with_cell(np.nan).astype(object), NAN),
    "words": (np.full((N, P), "blue"), TEXT),
    "numeric strings": (X.astype(str), TEXT),
    "lists of numeric strings": (X.astype(str).tolist(), TEXT),
    "a word among objects": (
        np.where(X > 1, "much", X.astype(object)),
        r"must hold numbers but it holds the text 'much'",
    ),
    "bytes": (X.astype("S"), TEXT),
    "dates": (np.full((N, P), np.datetime64("2020-01-01")), r"must hold numbers but it holds text or dates"),
    "masked": (np.ma.masked_array(X, X > 1), rf"is a masked array with {(X > 1).sum()} masked cells.*filled"),
    "masked nowhere": (np.ma.masked_array(X), r"is a masked array with 0 masked cells.*pass \w+\.data"),
    "complex": (X + 1j, r"is complex.*real and imaginary parts"),
    "complex lists": ((X + 1j).tolist(), r"is complex"),
    "complex objects": ((X + 1j).astype(object), r"is complex"),
    "three dimensions": (X[None], r"has 3 dimensions \(shape \(1, 30, 4\)\).*reshape"),
    "a number": (np.array(3.0), r"must have rows and columns"),
    "no columns": (X[:, :0], r"has no columns"),
    "ragged": ([[1.0, 2.0], [3.0]] * 15, r"is ragged: its rows differ in length.*same length"),
    "a dict": ({"a": 1}, r"must hold numbers but a cell cannot be read as one"),
    "lazy polars": (pl.LazyFrame(X), r"is a LazyFrame.*not been computed.*pass \w\.collect\(\)"),
    "Dask": (DaskLike(), r"is a DaskLike.*pass \w\.compute\(\)"),
    "frame of words": (pd.DataFrame({"ok": X[:, 0], "bad": "x"}), COLUMNS.format("String")),
    "frame of numeric strings": (pd.DataFrame({"ok": X[:, 0], "bad": "1"}), COLUMNS.format("String")),
    "frame of categories": (pd.DataFrame({"ok": X[:, 0], "bad": pd.Categorical(y)}), COLUMNS.format("Categorical")),
    "frame of dates": (pd.DataFrame({"bad": pd.date_range("2020", periods=N)}), COLUMNS.format("Datetime")),
    "frame of objects": (pd.DataFrame({"bad": [{}] * N}), COLUMNS.format("Object")),
    "polars words": (pl.DataFrame({"ok": X[:, 0], "bad": ["x"] * N}), COLUMNS.format("String")),
    "Arrow words": (pa.table({"ok": X[:, 0], "bad": ["x"] * N}), COLUMNS.format("String")),
    "frame with NaN": (pd.DataFrame(with_cell(np.nan), columns=list("abcd")), NAMED_NAN),
    "nullable NA": (FRAME.assign(b=pd.array([1, 2, 3, None, *range(26)], "Int64")), NAMED_NAN),
    "polars null": (pl.DataFrame(X, schema=list("abcd")).with_columns(b=pl.Series(NULLED)), NAMED_NAN),
    "Arrow null": (pa.table({**dict(zip("acd", X.T, strict=False)), "b": NULLED}).select(list("abcd")), NAMED_NAN),
    "same name twice": (pd.DataFrame(X, columns=list("abca")), r"has columns of the same name(.|\n)*rename"),
    "torch NaN": (torch.tensor(with_cell(np.nan)), NAN),
    "torch complex": (torch.tensor(X + 1j), r"is complex"),
    "torch sparse NaN": (torch.tensor(with_cell(np.nan)).to_sparse(), NAN),
    "torch sparse, elsewhere": (
        torch.tensor(X).to_sparse().to("meta"),
        r"is a sparse Tensor on meta.*read on the host",
    ),
    "sparse NaN": (sp.csr_array(with_cell(np.nan)), NAN),
    "sparse complex": (sp.csr_array(X + 1j), r"is complex"),
}
ONLY_X = {  # wrong as X, but as Y another mistake or none
    "one dimension": (X[:, 0], r"has shape \(30,\).*X\.reshape\(-1, 1\)"),
    "a pandas column": (FRAME["a"], r"has shape \(30,\) but must have rows and columns"),
    "a polars column": (pl.Series(X[:, 0]), r"has shape \(30,\) but must have rows and columns"),
    "one-dimensional sparse tensor": (torch.tensor(X[:, 0]).to_sparse(), r"has shape \(30,\) but must have rows"),
    "one-dimensional sparse": (sp.coo_array(X[:, 0]), r"has shape \(30,\) but must have rows and columns"),
    "an empty list": ([], r"has shape \(0,\)"),
    "a list of nothing": ([[]], r"has no columns"),
    "an empty frame": (pd.DataFrame(), r"has no columns"),
    "no rows": (X[:0], r"has too few rows"),
    "a string": ("data.csv", r"is a str, which cannot be read as a table. Pass a NumPy array"),
    "bytes": (b"1,2", r"is a bytes, which cannot be read"),
    "None": (None, r"is a NoneType, which cannot be read"),
    "a float": (3.0, r"is a float, which cannot be read"),
    "a generator": ((row for row in X), r"is a generator, which cannot be read"),
}
PLACES = [("PCA", "X"), ("LDA", "X"), ("CCA", "X"), ("CCA", "Y")]
CASES = {
    **{f"{m}-{place}-{name}": (m, place, *case) for m, place in PLACES for name, case in TABLES.items()},
    **{f"{m}-X-{name}": (m, "X", *case) for m in METHODS for name, case in ONLY_X.items()},
}


@pytest.mark.parametrize(("method", "place", "table", "match"), CASES.values(), ids=CASES)
@pytest.mark.filterwarnings("ignore:X has feature names, but")
def test_tables(method, place, table, match):
    bad = arguments(method, **{place: table})
    if table is ONLY_X["no rows"][0]:
        bad = {name: rows[:0] for name, rows in bad.items()}
    assert_refused(METHODS[method](), "fit", f"(?s){place} {match}", **bad)
    assert_refused(fitted(method), "fit", f"(?s){place} {match}", **bad)
    if table is ONLY_X["no rows"][0]:
        return  # an empty batch changes nothing
    unsolved = METHODS[method]() if place == "Y" else fitted(method)  # a fitted CCA looks at the width of Y first
    assert_refused(unsolved, "partial_fit", f"(?s){place} {match}", **bad)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("table", "match"), [*TABLES.values(), *ONLY_X.values()], ids=[*TABLES, *ONLY_X])
@pytest.mark.filterwarnings("ignore:X has feature names, but")
def test_tables_of_new_rows(method, table, match):
    assert_refused(fitted(method), "transform", f"(?s)X {match}", table)


@pytest.mark.parametrize(("method", "verb"), ROW_METHODS)
def test_nan_in_new_rows(method, verb):
    assert_refused(fitted(method), verb, f"X {NAN}", with_cell(np.nan))


def test_text_is_a_type_error_too():
    with pytest.raises(TypeError, match="numeric text"):
        PCA().fit(X.astype(str))


# -- rows --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_one_row(method):
    one = {name: table[:1] for name, table in arguments(method).items()}
    assert_refused(
        fitted(method), "fit", r"1 sample\(s\) \(shape=\(1, 4\)\) while a minimum of 2.*X has too few", **one
    )


@pytest.mark.parametrize("method", METHODS)
def test_one_row_that_counts(method):
    weight = np.eye(N)[4]
    match = r"1 sample\(s\).*X has too few rows with positive weight"
    assert_refused(fitted(method), "fit", match, **arguments(method, sample_weight=weight))


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize(("method", "place"), [("LDA", "y"), ("CCA", "Y")])
def test_other_length(verb, method, place):
    short = {"y": y, "Y": Y}[place][:20]
    match = f"X has 30 rows but {place} has 20; they must be the same rows"
    assert_refused(fitted(method), verb, match, **arguments(method, **{place: short}))


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize(("method", "place"), [("LDA", "y"), ("CCA", "Y")])
def test_no_target(verb, method, place):
    match = f"{method} requires y to be passed.*Pass {place} as the second argument"
    assert_refused(fitted(method), verb, match, X, None)


# -- labels ------------------------------------------------------------------------------------------------------

WORDS = np.array(["a", "b", "c"])[y]


def missing(*first, words=WORDS):
    return [*first, *words[len(first) :].tolist()]


LABELS = {
    "continuous": (X[:, 0], r"continuous. y holds numbers such as -?\d.*Bin them"),
    "infinite": (np.where(y == 0, np.inf, y), r"continuous. y holds numbers such as inf"),
    "continuous objects": (X[:, 0].astype(object), r"continuous. y holds numbers such as"),
    "NaN": (np.where(y == 0, np.nan, y), r"y contains NaN \(10 missing labels\). Drop those rows"),
    "torch NaN": (torch.tensor(np.where(y == 0, np.nan, y)), r"y contains NaN \(10 missing"),
    "None among words": (np.array(missing(None), dtype=object), r"y contains NaN \(1 missing"),
    "NaN among words": (np.array(missing(np.nan), dtype=object), r"y contains NaN \(1 missing"),
    "NaN in a list of words": (missing(float("nan")), r"y contains NaN \(1 missing"),
    "pandas NA": (pd.array([None, *y[1:]], dtype="Int64"), r"y contains NaN \(1 missing"),
    "pandas string NA": (pd.Series(missing(None), dtype="string"), r"y contains NaN \(1 missing"),
    "pandas category NA": (pd.Categorical(missing(None)), r"y contains NaN \(1 missing"),
    "polars null": (pl.Series([None, *y[1:].tolist()]), r"y contains NaN \(1 missing"),
    "Arrow null": (pa.array(missing(None)), r"y contains NaN \(1 missing"),
    "not a time": (np.array(["2020", "2021", "NaT"], "datetime64[Y]")[y], r"y contains NaN \(10 missing"),
    "one class": (np.zeros(N, dtype=int), r"y has one class \(0\) but .* at least two"),
    "one word": (["a"] * N, r"y has one class \('a'\)"),
    "two columns": (
        np.column_stack([y, y]),
        r"y should be a 1d array of class labels, got an array of shape \(30, 2\)",
    ),
    "a scalar": (1, r"y should be a 1d array .* shape \(\)"),
    "a string": ("label", r"y='label' is a single word"),
    "words and numbers": (np.array(missing(1), dtype=object), r"y mixes labels of different kinds \(int, str\)"),
    "a list of words and numbers": (missing(1), r"y mixes labels of different kinds \(int, str\)"),
    "complex": (y + 1j, r"y is complex"),
    "masked": (np.ma.masked_array(y, y == 1), r"y is a masked array with 10 masked cells"),
    "ragged": ([[0], [1, 2]] * 15, r"y is ragged"),
    "lazy": (pl.LazyFrame({"y": y}), r"y is a LazyFrame.*pass y\.collect\(\)"),
    "unhashable": (np.array([{}] * N, dtype=object), r"y must hold .*entries are not labels.*unhashable"),
    "a class for each row": (np.arange(N), r"total weight of W=30 but the divisor W − K needs more than 30"),
}


@pytest.mark.parametrize(("labels", "match"), LABELS.values(), ids=LABELS)
def test_labels(labels, match):
    assert_refused(fitted("LDA"), "fit", match, X, labels)
    assert_refused(LDA(), "fit", match, X, labels)


STILL_FINE_IN_PARTS = {"one class", "one word", "a class for each row"}


@pytest.mark.parametrize("name", [name for name in LABELS if name not in STILL_FINE_IN_PARTS])
def test_labels_of_a_part(name):
    labels, match = LABELS[name]
    assert_refused(fitted("LDA"), "partial_fit", match, X, labels)


def test_unknown_class():
    model = fitted("LDA")
    assert_refused(model, "partial_fit", r"y has labels 2 that are not among classes=0, 1", X, y, classes=[0, 1])


@pytest.mark.parametrize("names", [["1", "2", "10"], [b"1", b"2", b"10"]], ids=["str", "bytes"])
def test_numbers_then_words(names):
    """Labels 1, 2, 10 are not the words '1', '10', '2': matching them up silently would mix the classes."""
    model = LDA().fit(X, np.array([1, 2, 10])[y])
    assert_refused(model, "partial_fit", r"kind of labels is 'int64'", X, np.array(names)[y])


def test_column_of_labels_warns_at_the_line_of_the_user():
    with pytest.warns(UserWarning, match="y is read as its only column") as caught:
        LDA().fit(X, y[:, None])
    assert caught[0].filename == __file__


# -- weights -----------------------------------------------------------------------------------------------------

ones = np.ones(N)
WEIGHTS = {
    "negative": (np.where(y == 0, -2.0, 1.0), r"negative values \(such as -2.0\) but weights .* at least 0"),
    "all zero": (0 * ones, r"sample_weight is zero for every row.*positive weight"),
    "scalar zero": (0.0, r"sample_weight is zero for every row"),
    "NaN": (np.where(y == 0, np.nan, 1.0), r"NaN or infinite values \(such as nan\)"),
    "infinite": (np.where(y == 0, np.inf, 1.0), r"NaN or infinite values \(such as inf\)"),
    "infinite together": (1e308 * ones, r"too large values \(such as 1e\+308\)"),
    "nullable NA": (pd.array([None, *ones[1:]], dtype="Float64"), r"NaN or infinite"),
    "too short": (ones[:9], r"has shape \(9,\) but must be one number per row, shape \(30,\)"),
    "a column": (ones[:, None], r"has shape \(30, 1\) but must be one number per row"),
    "words": (ones.astype(str), r"sample_weight must hold numbers"),
    "a word": ("balanced", r"sample_weight must hold numbers"),
    "None inside": ([None, *ones[1:]], r"sample_weight must hold numbers"),
    "complex": (ones + 1j, r"sample_weight is complex"),
    "masked": (np.ma.masked_array(ones, y == 0), r"sample_weight is a masked array with 10 masked cells"),
    "ragged": ([[1], [1, 2]] * 15, r"sample_weight is ragged"),
    "lazy": (pl.LazyFrame({"w": ones}), r"sample_weight is a LazyFrame.*collect"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize(("weight", "match"), WEIGHTS.values(), ids=WEIGHTS)
def test_weights(weight, match, verb, method):
    assert_refused(fitted(method), verb, match, **arguments(method, sample_weight=weight))


@pytest.mark.parametrize(("method", "need"), [("PCA", 1), ("LDA", 3), ("CCA", 1)])
def test_weights_too_small_for_the_divisor(method, need):
    match = f"total weight of W=0.9 but the divisor .* needs more than {need}.*sample_weight.*multiply it by the number"
    assert_refused(fitted(method), "fit", match, **arguments(method, sample_weight=0.9 * ones / N))


# -- parameters --------------------------------------------------------------------------------------------------

PCA_COUNT = r"n_components={} but (30 rows and )?4 columns give at most 4 components; use n_components between 1 and 4"
PCA_KIND = r"n_components={} is not understood; use (an integer|a share)"
COUNT = r'n_components={} is not understood; use a positive integer, "auto" or None'
SHRINKAGE = r"shrinkage={} is not an option; use one of .*number from 0 to 1.*ledoit-wolf"
RIDGE = r"ridge={} but it must be a finite number of at least 0"
PRIORS = r"(?s)priors={}.*"
PARAMETERS = [
    *[("PCA", {"n_components": k}, PCA_COUNT) for k in (0, -1, 5, 31)],
    *[("PCA", {"n_components": k}, PCA_KIND) for k in (1.5, 0.0, -0.1, np.nan, "few", True, [1], np.array([1, 2]))],
    *[("PCA", {"ddof": d}, r"ddof={} but it must be a finite number of at least 0") for d in (-1, "one", None, np.nan)],
    ("PCA", {"ddof": 30}, r"divisor W − ddof needs more than 30"),
    *[("PCA", {"solver": s}, r"solver={} is not an option; use one of 'auto', 'dense'") for s in ("full", None, 3)],
    *[("PCA", {"whiten": w}, r"whiten={}") for w in ("no", 2, None)],
    *[("LDA", {"n_components": k}, COUNT) for k in (0, -1, 1.5, "two", True)],
    ("LDA", {"n_components": 3}, r"n_components=3 but 3 classes and 4 columns give at most 2 .*between 1 and 2"),
    ("LDA", {"priors": [0.5, 0.5]}, PRIORS + r"there are 3 classes; give 3 numbers"),
    ("LDA", {"priors": 0.5}, PRIORS + r"a list of numbers.*one number for each class"),
    ("LDA", {"priors": [0, 0.5, 0.5]}, PRIORS + r"each must be positive"),
    ("LDA", {"priors": [-0.1, 0.6, 0.5]}, PRIORS + r"each must be positive"),
    ("LDA", {"priors": [np.nan, 0.5, 0.5]}, PRIORS + r"each must be positive"),
    ("LDA", {"priors": [0.3, 0.3, 0.3]}, PRIORS + r"add up to 0.9; divide them by their sum"),
    *[("LDA", {"priors": p}, PRIORS) for p in ("equal", ["a", "b", "c"], {0: 0.5, 1: 0.25, 7: 0.25}, [0.2, 0.3, 0.5j])],
    ("LDA", {"priors": ["0.2", "0.3", "0.5"]}, PRIORS),
    ("LDA", {"priors": np.ma.masked_array([0.2, 0.3, 0.5], [1, 0, 0])}, r"(?s)priors.*mask"),
    *[("LDA", {"shrinkage": a}, SHRINKAGE) for a in (-0.1, 1.1, "auto", True, np.nan, [0.1])],
    *[("LDA", {"within": o}, r"within={} is not an option; use one of 'pooled', 'equal'") for o in ("each", None)],
    *[
        ("LDA", {"between": o}, r"between={} is not an option; use one of 'weighted', 'equal', 'classes'")
        for o in ("all", None)
    ],
    *[("CCA", {"n_components": k}, COUNT) for k in (0, -1, 1.5, "two", True)],
    ("CCA", {"n_components": 3}, r"n_components=3 but tables of 4 and 2 columns have at most 2 .*between 1 and 2"),
    *[("CCA", {"ridge": r}, RIDGE) for r in (-1, "some", None, np.nan, np.inf, [1.0])],
]


@pytest.mark.parametrize(("method", "parameters", "match"), PARAMETERS, ids=str)
@pytest.mark.parametrize("verb", ["fit", "partial_fit", "fit_moments"])
def test_parameters(verb, method, parameters, match):
    (value,) = parameters.values()
    model = fitted(method)
    moments = copy.deepcopy(model.moments_)
    model.set_params(**parameters)
    arguments_of = {"moments": moments} if verb == "fit_moments" else arguments(method)
    if verb == "partial_fit":
        match = match.replace("more than 30", "more than")
        if "ddof" in parameters and value == 30:
            pytest.skip("fits once there are 60 rows")
    assert_refused(model, verb, match.replace("{}", re.escape(repr(value))), **arguments_of)


def test_priors_in_single_precision():
    """A float32 array that adds up to 1 as well as float32 can is not to be refused."""
    priors = np.array([0.1, 0.3, 0.6], dtype=np.float32)
    np.testing.assert_allclose(LDA(priors=priors).fit(X, y).priors_, [0.1, 0.3, 0.6], atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_unknown_option(method):
    with pytest.raises(TypeError, match="n_comps"):
        METHODS[method](n_comps=2)
    with pytest.raises(ValueError, match="Invalid parameter 'n_comps'"):
        METHODS[method]().set_params(n_comps=2)


# -- columns -----------------------------------------------------------------------------------------------------

COLUMN_MISTAKES = {
    "reordered": (FRAME[list("badc")], r"must be in the same order"),
    "missing": (FRAME[list("abc")], r"yet now missing:\n- d"),
    "one more": (FRAME.assign(e=1.0), r"unseen at fit time:\n- e"),
    "renamed": (FRAME.rename(columns={"a": "z"}), r"unseen at fit time:\n- z"),
    "polars reordered": (pl.DataFrame(X, schema=list("badc")), r"must be in the same order"),
    "Arrow reordered": (pa.table(dict(zip("badc", X.T, strict=True))), r"must be in the same order"),
}


@pytest.mark.parametrize(("method", "verb"), [*ROW_METHODS, *[(m, "partial_fit") for m in METHODS]])
@pytest.mark.parametrize(("table", "match"), COLUMN_MISTAKES.values(), ids=COLUMN_MISTAKES)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_columns(table, match, method, verb):
    model = METHODS[method]().fit(**arguments(method, X=FRAME))
    extra = {name: v for name, v in arguments(method).items() if name != "X"} if verb == "partial_fit" else {}
    assert_refused(model, verb, match, table, **extra)


@pytest.mark.parametrize(("method", "verb"), ROW_METHODS)
def test_number_of_columns(method, verb):
    assert_refused(fitted(method), verb, rf"X has 3 features, but {method} is expecting 4", X[:, :3])


@pytest.mark.parametrize(
    ("table", "match"),
    [
        (Y_FRAME[["v", "u"]], r"(?s)Y.*order"),
        (Y_FRAME[["u"]], r"Y has 1 columns but the model was fitted with 2"),
        (Y_FRAME[:9], r"X has 30 rows but Y has 9"),
        (with_cell(np.nan), r"Y.*(NaN|columns)"),
    ],
    ids=["reordered", "missing", "short", "NaN"],
)
def test_columns_of_y(table, match):
    model = CCA().fit(X, Y_FRAME)
    assert_refused(model, "transform", match, X, table)


def test_scores_of_another_width():
    assert_refused(
        fitted("PCA", n_components=2), "inverse_transform", r"X has 4 columns .* 2 components; pass scores", X
    )


WALL = np.column_stack([X, y])


@pytest.mark.parametrize(
    ("table", "name"),
    [
        (WALL, "4"),
        (pd.DataFrame(WALL, columns=["a", "b", "c", "d", "wall"]), "'wall'"),
        (pl.DataFrame(WALL, schema=["a", "b", "c", "d", "wall"]), "'wall'"),
        (torch.tensor(WALL), "4"),
        (sp.csr_array(WALL), "4"),
        (np.column_stack([X, y * 1e-200]), "4"),
        (np.column_stack([X, 1e8 + y * 1e-6]), "4"),
        (np.column_stack([X, (y + 1) / 3]), "4"),
        (np.column_stack([y, X, y**2]), "0, 5"),
    ],
    ids=["array", "pandas", "polars", "torch", "sparse", "tiny", "offset", "thirds", "two columns"],
)
@pytest.mark.parametrize("weight", [None, rng.uniform(0.5, 2, N)], ids=["plain", "weighted"])
def test_column_that_separates(table, name, weight):
    match = rf"X: columns? {name} (is|are) constant within every class.*Drop (the column|them), or use shrinkage"
    assert_refused(fitted("LDA"), "fit", match, table, y, sample_weight=weight)


def test_nothing_varies_within_classes():
    assert_refused(fitted("LDA"), "fit", "every column is constant within every class", np.full((N, 2), 0.1), y)


@pytest.mark.parametrize("place", ["X", "Y"])
def test_nothing_to_correlate(place):
    constant = {place: np.full((N, 2), 0.1)}
    assert_refused(fitted("CCA"), "fit", f"{place}: every column is constant", **arguments("CCA", **constant))


# -- moments -----------------------------------------------------------------------------------------------------

WRONG_MOMENTS = [
    *[("PCA", m) for m in (Grouped, Cross)],
    *[("LDA", m) for m in (Scatter, Factor, Quartic, Cross)],
    *[("CCA", m) for m in (Scatter, Factor, Quartic, Grouped)],
]


@pytest.mark.parametrize(("method", "kind"), WRONG_MOMENTS)
def test_moments_of_another_kind(method, kind):
    match = rf"moments is a {kind.__name__} but {method} is fitted from .*{method}\(\)\.fit"
    assert_refused(fitted(method), "fit_moments", match, kind())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("value", [None, X, "moments"], ids=["None", "array", "str"])
def test_not_moments(method, value):
    match = f"moments is a {type(value).__name__} but {method} is fitted from"
    assert_refused(fitted(method), "fit_moments", match, value, error=TypeError)


@pytest.mark.parametrize(("method", "kind"), [("PCA", Scatter), ("PCA", Factor), ("LDA", Grouped), ("CCA", Cross)])
def test_empty_moments(method, kind):
    assert_refused(fitted(method), "fit_moments", "seen no row yet", kind())


@pytest.mark.parametrize("parameters", [{"within": "equal"}, {"shrinkage": "ledoit-wolf"}], ids=str)
def test_moments_that_keep_too_little(parameters):
    ((name, value),) = parameters.items()
    pooled = fitted("LDA").moments_
    assert_refused(LDA(**parameters).fit(X, y), "fit_moments", rf"(?s)moments.*{name}.*{value}", pooled)


def test_part_that_keeps_too_little():
    model = fitted("LDA")
    model.set_params(shrinkage="ledoit-wolf")
    assert_refused(model, "partial_fit", "cannot be merged", X, y)


def moments_of(kind, rows=X):
    return kind().update(Block(rows))


PARTS = {
    "Scatter": lambda: moments_of(Scatter),
    "Quartic": lambda: moments_of(Quartic),
    "Factor": lambda: moments_of(Factor),
    "Grouped": lambda: fitted("LDA").moments_,
    "Cross": lambda: fitted("CCA").moments_,
    "None": lambda: None,
}
MERGES = [
    (one, other)
    for one in PARTS
    for other in PARTS
    if one != "None" and one != other and not ({one, other} <= {"Scatter", "Factor", "Quartic"} and one != "Quartic")
]


@pytest.mark.parametrize(("one", "other"), MERGES)
def test_merging_what_does_not_match(one, other):
    """Rows must not get lost in silence: moments of another kind are refused."""
    mine = PARTS[one]()
    before = pickle.dumps(mine)
    with pytest.raises(ValueError, match="cannot be merged"):
        mine.merge(PARTS[other]())
    assert pickle.dumps(mine) == before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (moments_of(Scatter), moments_of(Factor, X[:, :3])),
        (fitted("CCA").moments_, CCA().fit(X[:, :3], Y).moments_),
        (fitted("CCA").moments_, CCA().fit(X, Y[:, :1]).moments_),
        (fitted("LDA").moments_, LDA().fit(X[:, :3], y).moments_),
    ],
    ids=["PCA", "CCA X", "CCA Y", "LDA"],
)
def test_merging_other_columns(one, other):
    before = pickle.dumps(one)
    with pytest.raises(ValueError, match="cannot be merged: the number of columns"):
        one.merge(other)
    assert pickle.dumps(one) == before


# -- models ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "verb"), [*ROW_METHODS, ("PCA", "inverse_transform")])
def test_rows_before_fit(method, verb):
    with pytest.raises(NotFittedError, match=f"This {method} instance is not fitted yet"):
        getattr(METHODS[method](), verb)(X)


@pytest.mark.parametrize(
    ("method", "verb"),
    [("PCA", "get_covariance"), ("CCA", "test_dimension"), *[(method, "get_feature_names_out") for method in METHODS]],
)
def test_questions_before_fit(method, verb):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(METHODS[method](), verb)()


def test_one_class_so_far_is_not_fitted():
    model = LDA().partial_fit(X[:5], np.zeros(5, dtype=int))
    with pytest.raises(NotFittedError, match=r"LDA cannot be used yet\. y has one class"):
        model.predict(X)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"method": "anova"}, r"method='anova' is not an option; use one of 'wilks'"),
        ({"alpha": 2}, r"alpha=2 but it must be a number between 0 and 1, such as 0\.05"),
        ({"alpha": "5%"}, r"alpha='5%' but it must be"),
    ],
    ids=str,
)
def test_options_of_the_test(options, match):
    assert_refused(fitted("CCA"), "test_dimension", match, **options)


def test_likelihood_without_noise():
    rank_two = X @ np.diag([1.0, 1.0, 0, 0])
    model = PCA(2).fit(rank_two)
    with pytest.raises(InputError, match=r"likelihood does not exist.*rank 2 of 4 columns.*fewer components"):
        model.score_samples(rank_two)


def test_errors_are_value_errors():
    assert issubclass(InputError, ValueError)
    assert issubclass(InputTypeError, ValueError)
    assert issubclass(InputTypeError, TypeError)


def test_methods_that_a_message_names_are_those_that_have_maximum_likelihood():
    with pytest.raises(InputError) as refused:
        PCA().fit(np.array([[1.0, np.nan], [2.0, 3.0], [4.0, 6.0]]))
    named = re.search(r"missing='ml' if the method has it \((.*?)\)", str(refused.value))
    parameters = {kind.__name__: signature(kind).parameters.get("missing") for kind in all_estimators()}
    have = [name for name, parameter in parameters.items() if parameter and "'ml'" in parameter.annotation]
    assert named is not None
    assert sorted(named[1].split(", ")) == sorted(have)
