"""Regressors of tables with words: columns keep their units and their names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from eigenlens import load, save
from eigenlens.exceptions import InputError
from eigenlens.regress import AdaptiveSplines, PenalizedRegression, PolynomialRegression
from eigenlens.rows import Preparation

rng = np.random.default_rng(0)
T = pd.DataFrame({"age": rng.uniform(20, 70, 300), "town": rng.choice(["north", "south", "west"], 300)})
Y = np.maximum(T["age"] - 45, 0) * 0.3 + 4.0 * (T["town"] == "west") + 0.3 * rng.standard_normal(300)


def test_terms_speak_of_the_units_and_the_words_of_the_table(tmp_path):
    model = AdaptiveSplines().fit(T, Y)
    terms = [str(term) for term in model.basis_]
    assert any("west" in term for term in terms)
    knots = [factor.knot for term in model.basis_ for factor in term.factors if factor.feature == 0]
    assert knots
    assert all(20 < knot < 70 for knot in knots)
    assert model.feature_names_in_.tolist() == ["age", "town = south", "town = west"]
    assert np.array_equal(load(save(model, tmp_path / "m.eigenlens")).predict(T), model.predict(T))


@pytest.mark.parametrize("model", [PolynomialRegression(1), PenalizedRegression(lam=1.0)], ids=repr)
def test_words_are_columns_of_zeros_and_ones(model):
    coded = T[["age"]].assign(south=T["town"] == "south", west=T["town"] == "west").astype(float)
    expected = type(model)(**model.get_params()).fit(coded, Y).predict(coded)
    for frame in (T, pl.from_pandas(T), T.astype({"town": "category"})):
        np.testing.assert_allclose(np.asarray(model.fit(frame, Y).predict(frame)), expected, rtol=1e-10)


def test_columns_may_be_named_by_integers():
    numbered = T.rename(columns={"age": 0, "town": 1})
    model = PolynomialRegression(1).fit(numbered, Y)
    np.testing.assert_array_equal(model.predict(numbered), PolynomialRegression(1).fit(T, Y).predict(T))
    assert model.feature_names_in_.tolist() == ["0", "1 = south", "1 = west"]


def test_words_are_refused_by_name():
    model = PolynomialRegression(1).fit(T, Y)
    with pytest.raises(InputError, match="column 'town' holds 'east', which the fit has not seen"):
        model.predict(T.assign(town="east"))
    with pytest.raises(InputError, match="column 'who' of X has 300 different words in 300 rows"):
        model.fit(T.assign(who=[f"row {j}" for j in range(300)]), Y)
    assert np.isfinite(model.fit(T[["age"]], Y).predict(T[["age"]])).all()


def test_a_preparation_can_keep_units():
    kept = Preparation(standardise=False, centre=False).fit(T)
    np.testing.assert_array_equal(kept.transform(T)["age"], T["age"])
    assert set(kept.transform(T).to_numpy()[:, 1:].ravel()) == {0.0, 1.0}
    scaled = Preparation(centre=False).fit(T).transform(T)
    np.testing.assert_allclose(scaled["age"], T["age"] / T["age"].std(), rtol=1e-12)
