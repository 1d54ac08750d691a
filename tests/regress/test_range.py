"""Numbers near the ends of floating point are refused in words, and never hang, overflow or turn to NaN silently."""

import time

import numpy as np
import pytest

from eigenlens.exceptions import InputError
from eigenlens.regress import (
    AdaptiveSplines,
    AdditiveSplines,
    PenalizedRegression,
    PolynomialRegression,
    ProjectionPursuit,
)

MODELS = {
    "mars": AdaptiveSplines(),
    "mars, products": AdaptiveSplines(2),
    "bruto": AdditiveSplines(),
    "polynomial": PolynomialRegression(2),
    "penalised": PenalizedRegression(),
    "projection pursuit": ProjectionPursuit(1),
}


def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scale", [1e80, 1e160, 1e200, 1e307, 1.7e308, 1e-160, 1e-307])
def test_a_feature_works_or_is_refused_in_words(name, scale):
    (X, y), model = rows(), MODELS[name]
    near = model.fit(X, y).predict(X)
    if abs(np.log10(scale)) > (300 if name in ("bruto", "polynomial") else 150):
        with pytest.raises(InputError, match=r"column 0 of X .* multiply the column by a constant"):
            model.fit(X * [scale, 1, 1], y)
        return
    far = model.fit(X * [scale, 1, 1], y).predict(X * [scale, 1, 1])
    assert np.isfinite(far).all()
    if name != "penalised":  # its penalty asks for the units
        np.testing.assert_allclose(far, near, atol=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scale", [1e140, 1e155, 1e307, 1.7e308, 1e-140, 1e-307])
def test_a_response_works_or_is_refused_in_words(name, scale):
    (X, y), model = rows(), MODELS[name]
    y = y / np.abs(y).max()
    near = model.fit(X, y).predict(X)
    if abs(np.log10(scale)) > (300 if name == "polynomial" else 150):
        with pytest.raises(InputError, match="column 0 of y"):
            model.fit(X, y * scale)
        return
    np.testing.assert_allclose(model.fit(X, y * scale).predict(X) / scale, near, atol=1e-6)


@pytest.mark.parametrize("scale", [1e80, 1e-80])
def test_products_of_features_are_refused_in_words(scale):
    X, y = rows()
    with pytest.raises(InputError, match=r"degree=2 but products of so many columns of X leave the range"):
        AdaptiveSplines(2).fit(X * scale, y)
    assert AdaptiveSplines(1).fit(X * scale, y).n_features_in_ == 3


def test_a_named_column_is_named():
    import pandas as pd

    X, y = rows()
    with pytest.raises(InputError, match=r"column width of X reaches 1\.0e\+200"):
        AdaptiveSplines().fit(pd.DataFrame({"width": np.linspace(0, 1e200, 60), "b": X[:, 1]}), y)


def test_tens_of_thousands_of_terms_take_seconds():
    X = np.random.default_rng(0).uniform(-1, 1, (20, 8))
    start = time.process_time()
    model = PolynomialRegression(10).fit(X, X[:, 0])
    assert model.coef_.shape == (43757,)
    assert time.process_time() - start < 10  # it took half a minute
    raw = np.prod(X[:, None, :] ** model.powers_, axis=2) @ model.coef_ + model.intercept_
    np.testing.assert_allclose(raw, model.predict(X), atol=1e-9)
