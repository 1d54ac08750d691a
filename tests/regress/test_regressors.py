"""What every regressor must do: laws, every kind of table, refusals that read like those of the methods."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputRegressor

from eigenlens.exceptions import NotConvergedWarning, WeightWarning
from eigenlens.regress import AdaptiveSplines, AdditiveSplines, PenalizedRegression, PolynomialRegression
from eigenlens.testing import all_regressors
from test_bad_input import COLUMN_MISTAKES, ONLY_X, TABLES, WEIGHTS, N, P, X
from variants import regressor_variants

MODELS = {repr(model): model for model in regressor_variants()}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
each_class = pytest.mark.parametrize("cls", all_regressors())
y = np.sin(2 * X[:, 0]) + X[:, 1]
pytestmark = pytest.mark.filterwarnings("ignore::eigenlens.exceptions.NotConvergedWarning")


def rows(n=80, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, p))
    Y = np.column_stack([np.sin(2 * X[:, 0]) + X[:, 1], np.abs(X[:, 2])]) + 0.2 * rng.normal(size=(n, 2))
    return X, Y


# -- laws --------------------------------------------------------------------------------------------------------


@each_model
def test_integer_weights_are_repeated_rows(model):
    if getattr(model, "prune", None) == "cv":
        pytest.skip("a row is one unit of cross-validation whatever its weight, so copies may be parted")
    X, Y = rows()
    w = np.random.default_rng(1).integers(0, 4, size=len(X))
    weighted = clone(model).fit(X, Y, sample_weight=w)
    repeated = clone(model).fit(np.repeat(X, w, axis=0), np.repeat(Y, w, axis=0))
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)


@each_model
def test_rows_of_weight_zero_are_not_there(model):
    X, Y = rows()
    w = np.where(np.arange(len(X)) % 5 == 0, 0.0, 1.0)
    odd = np.where(w[:, None] > 0, X, 1e6)
    weighted, without = clone(model).fit(odd, Y, sample_weight=w), clone(model).fit(X[w > 0], Y[w > 0])
    assert_array_equal(weighted.predict(X), without.predict(X))


@each_model
def test_units_of_a_feature_do_not_matter(model):
    if isinstance(model, PenalizedRegression):
        pytest.skip("a penalty on the coefficients asks for units; see test_penalized")
    X, Y = rows()
    Z = X * [1e-7, 1e5, -3.0, 1.0] + [0.0, 1e6, 2.0, -50.0]
    assert_allclose(clone(model).fit(Z, Y).predict(Z), clone(model).fit(X, Y).predict(X), atol=1e-6)


@each_model
def test_same_bits_every_time(model):
    X, Y = rows()
    first, second = clone(model).fit(X, Y), clone(model).fit(X.copy(), Y.copy())
    assert_array_equal(first.predict(X), second.predict(X))
    assert_array_equal(pickle.loads(pickle.dumps(first)).predict(X), first.predict(X))


@each_model
def test_one_response_in_every_shape(model):
    X, Y = rows()
    flat = clone(model).fit(X, Y[:, 0])
    assert flat.predict(X).shape == (len(X),)
    column = clone(model).fit(X, Y[:, :1])
    assert column.predict(X).shape == (len(X), 1)
    assert_array_equal(column.predict(X)[:, 0], flat.predict(X))
    assert clone(model).fit(X, Y).predict(X).shape == Y.shape


@each_model
def test_the_table_is_left_alone(model):
    X, Y = rows()
    before = X.copy(), Y.copy()
    fitted = clone(model).fit(X, Y, sample_weight=np.ones(len(X)))
    answer = fitted.predict(X)
    assert_array_equal(X, before[0])
    assert_array_equal(Y, before[1])
    X[:] = 0
    Y[:] = 0
    assert_array_equal(fitted.predict(before[0]), answer)  # nothing of the table is kept by reference


# -- tables ------------------------------------------------------------------------------------------------------

NAMES = list("abcd")
KINDS = {
    "lists": lambda X: X.tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "pyarrow": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
    "sparse": sp.csr_array,
    "Fortran": np.asfortranarray,
    "torch": torch.tensor,
}


@pytest.mark.parametrize("kind", KINDS)
@each_class
def test_every_kind_of_table_gives_the_same(cls, kind):
    X, Y = rows()
    made = KINDS[kind](X)
    expected = cls().fit(X, Y).predict(X)
    model = cls().fit(made, Y)
    found = model.predict(made)
    assert type(found) is (torch.Tensor if kind == "torch" else np.ndarray)
    assert_array_equal(found, expected)
    if kind in ("pandas", "polars", "pyarrow"):
        assert model._feature_names() == NAMES


RESPONSES = {
    "list": (lambda Y: Y[:, 0].tolist(), 1),
    "pandas column": (lambda Y: pd.Series(Y[:, 0]), 1),
    "polars column": (lambda Y: pl.Series(Y[:, 0]), 1),
    "torch": (lambda Y: torch.tensor(Y[:, 0]), 1),
    "pandas": (lambda Y: pd.DataFrame(Y, columns=["u", "v"]), 2),
    "polars": (lambda Y: pl.DataFrame(Y, schema=["u", "v"]), 2),
    "integers": (lambda Y: np.rint(10 * Y).astype(int), 2),
}


@pytest.mark.parametrize("kind", RESPONSES)
@each_class
def test_every_kind_of_response(cls, kind):
    X, Y = rows()
    make, ndim = RESPONSES[kind]
    found = cls().fit(X, make(Y)).predict(X)
    assert found.ndim == ndim
    expected = np.rint(10 * Y) if kind == "integers" else Y if ndim == 2 else Y[:, 0]
    assert_array_equal(found, cls().fit(X, expected).predict(X))


@each_class
def test_single_precision_in_is_single_precision_out(cls):
    X, Y = rows()
    narrow = X.astype(np.float32)
    model = cls().fit(narrow, Y)
    assert model.predict(narrow).dtype == np.float32
    assert model.predict(narrow.astype(np.float64)).dtype == np.float64
    assert_allclose(model.predict(narrow), cls().fit(narrow.astype(np.float64), Y).predict(narrow), rtol=1e-6)


@each_class
def test_names_are_remembered_and_checked(cls):
    X, Y = rows()
    model = cls().fit(pd.DataFrame(X, columns=NAMES), Y)
    assert list(model.feature_names_in_) == NAMES
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X, columns=NAMES[::-1]))


@each_class
def test_fits_into_scikit_learn(cls):
    X, Y = rows()
    parameter = "lam" if cls is PenalizedRegression else "n_terms" if cls.__name__ == "ProjectionPursuit" else None
    grid = {parameter: [1, 2]} if parameter else {}
    search = GridSearchCV(cls(), grid, cv=2).fit(X, Y)
    assert search.best_score_ > 0.3
    assert MultiOutputRegressor(cls()).fit(X, Y).predict(X).shape == Y.shape


# -- refusals ----------------------------------------------------------------------------------------------------


WORDS = ("frame of words", "frame of numeric strings", "frame of categories", "polars words", "Arrow words")


def assert_refused(model, verb, match, *args, **kwargs):
    before = pickle.dumps(vars(model))
    with pytest.raises(ValueError, match=match):
        getattr(model, verb)(*args, **kwargs)
    assert pickle.dumps(vars(model)) == before


@each_class
@pytest.mark.filterwarnings("ignore:X has feature names, but")
def test_bad_tables(cls):
    model = cls().fit(X, y)
    for name, (table, match) in {**TABLES, **ONLY_X}.items():
        if name == "a generator":
            table = (row for row in X)
        target = y[: len(table)] if name == "no rows" else y
        if name not in WORDS:  # which a regressor turns into columns of 0 and 1
            assert_refused(model, "fit", f"(?s)X {match}", table, target)
        assert_refused(model, "predict", f"(?s)X {match}", table)


@each_class
def test_bad_responses(cls):
    model = cls().fit(X, y)
    for name, (table, match) in TABLES.items():
        if name != "a number":
            words = match.replace("impute", "Drop those rows")  # a response that was filled in teaches nothing
            assert_refused(model, "fit", f"(?s)y {words}", X, table)
    gap = np.where(np.arange(N) == 3, np.nan, y)
    assert_refused(model, "fit", r"y contains NaN \(the first in row 3, column 0\)", X, gap)
    assert_refused(model, "fit", "X has 30 rows but y has 20; they must be the same rows", X, y[:20])
    match = f"{cls.__name__} requires y to be passed.*Pass y as the second argument"
    assert_refused(model, "fit", match, X, None)


@each_class
def test_bad_weights(cls):
    model = cls().fit(X, y)
    for weight, match in WEIGHTS.values():
        assert_refused(model, "fit", match, X, y, sample_weight=weight)


@each_class
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_other_columns(cls):
    model = cls().fit(pd.DataFrame(X, columns=list("abcd")), y)
    for table, match in COLUMN_MISTAKES.values():
        assert_refused(model, "predict", match, table)
    assert_refused(model, "predict", f"X has {P - 1} features", X[:, :-1])


@each_class
def test_summary_is_text_frame_and_html(cls):
    frame = pd.DataFrame(X, columns=[f"col{j}" for j in range(P)])
    for target in (y, np.column_stack([y, y**2])):
        found = cls().fit(frame, target).summary()
        assert str(found).startswith(cls.__name__)
        assert f"{N} rows, {P} columns." in str(found)
        assert "col0" in str(found)
        assert list(found.to_frame().columns) == ["table", "row", "column", "value"]
        assert "<table" in found._repr_html_()
    with pytest.raises(NotFittedError):
        cls().summary()


@each_class
def test_unfitted(cls):
    with pytest.raises(NotFittedError, match=cls.__name__):
        cls().predict(X)


@pytest.mark.parametrize("cls", [AdaptiveSplines, AdditiveSplines])
def test_warnings_are_ours_and_point_at_the_line_of_the_user(cls):
    with pytest.warns(WeightWarning, match=r"sums to 2 over 30 rows.*scale them to sum to 30") as caught:
        cls().fit(X, y, sample_weight=np.full(N, 2 / N))
    assert caught[0].filename == __file__


@pytest.mark.filterwarnings("default::eigenlens.exceptions.NotConvergedWarning")
def test_unsettled_sweeps_point_at_the_line_of_the_user():
    with pytest.warns(NotConvergedWarning, match=r"max_iter=1 sweeps, .* raise max_iter") as caught:
        AdditiveSplines(tol=0.0, max_iter=1).fit(X, y)
    assert caught[0].filename == __file__


def test_a_plot_names_what_it_cannot_draw():
    import matplotlib

    matplotlib.use("Agg")
    for model in (AdaptiveSplines(), AdditiveSplines()):
        fitted = model.fit(X, y)
        with pytest.raises(ValueError, match="response=3 but the model has 1"):
            fitted.plot(response=3)
        with pytest.raises(ValueError, match="give both or neither"):
            fitted.plot(X)
        with pytest.raises(ValueError, match="y has 2 columns but the model has 1"):
            fitted.plot(X, np.column_stack([y, y]))
        with pytest.raises(ValueError, match="y contains NaN"):
            fitted.plot(X, np.full(N, np.nan))


def test_polynomials_that_do_not_fit_in_memory_are_refused():
    with pytest.raises(ValueError, match=r"degree=12 .*terms"):
        PolynomialRegression(12).fit(np.ones((20, 60)), np.ones(20))
