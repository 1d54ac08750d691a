"""Numbers from words, gaps and unlike units, the same on new rows."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline

from eigenlens import LDA, PCA, load, save
from eigenlens.rows import Preparation

TABLE = {
    "size": [1.0, 2.0, 4.0, 8.0],
    "colour": ["red", "blue", "green", "blue"],
    "two": ["yes", "no", "no", "yes"],
    "same": [7, 7, 7, 7],
    "word": ["w", "w", "w", "w"],
}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_every_library_gives_the_same_numbers(library):
    preparation = Preparation().fit(library(TABLE))
    assert preparation.names_out_ == ["size", "colour = green", "colour = red", "two = yes"]
    assert preparation.left_out_ == {"same": "constant", "word": "constant"}
    Z = np.asarray(preparation.transform(library(TABLE)))
    assert np.allclose(Z.mean(axis=0), 0, atol=1e-15)
    assert np.allclose(Z.std(axis=0, ddof=1), 1)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_names_survive_without_set_output(library):
    table = library(TABLE)
    shown = Preparation(centre=False, standardise=False).fit(table).transform(table)
    assert isinstance(shown, library)
    assert list(shown.columns) == ["size", "colour = green", "colour = red", "two = yes"]
    model = make_pipeline(Preparation(), PCA()).fit(table)
    assert list(model[-1].feature_names_in_) == list(shown.columns)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.transform(table)


def test_rows_keep_their_index_and_plain_tables_stay_arrays():
    table = pd.DataFrame(TABLE, index=[f"row {i}" for i in range(len(TABLE["size"]))])
    assert list(Preparation().fit_transform(table).index) == list(table.index)
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    assert isinstance(Preparation().fit(arrow).transform(arrow), np.ndarray)
    assert isinstance(Preparation().fit(arrow).transform(table), np.ndarray)


def test_full_coding_has_a_column_for_each_word_of_three():
    names = Preparation(full=True).fit(pd.DataFrame(TABLE)).names_out_
    assert names == ["size", "colour = blue", "colour = green", "colour = red", "two = yes"]


def test_components_of_standardised_columns_are_those_of_correlations():
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((50, 3)) * [1, 10, 100], columns=list("abc"))
    model = make_pipeline(Preparation(), PCA()).fit(X)
    assert np.allclose(model[-1].explained_variance_, np.linalg.eigvalsh(np.corrcoef(X.T))[::-1])


def test_gaps_are_refused_or_filled():
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0, 8.0], "w": ["a", "b", None, "b"]})
    with pytest.raises(ValueError, match=r"'x' 1, 'w' 1.*missing='mean'"):
        Preparation().fit(frame)
    filled = Preparation(missing="mean", standardise=False).fit(frame)
    assert np.allclose(filled.transform(frame) + filled.centre_, [[1, 0], [4, 1], [3, 1], [8, 1]])


def test_new_rows_need_the_same_columns_and_words(tmp_path):
    frame = pd.DataFrame(TABLE)
    model = load(save(make_pipeline(Preparation(), LDA(shrinkage=0.5)).fit(frame, [0, 1, 0, 1]), tmp_path / "m"))
    shuffled = frame[["two", "colour", "size"]].assign(extra=1)
    assert np.array_equal(model.transform(shuffled), model.transform(frame))
    with pytest.raises(ValueError, match="needs the column 'two': no such column"):
        model.predict(frame.drop(columns="two"))
    with pytest.raises(ValueError, match="'colour' holds 'pink', which the fit has not seen"):
        model.predict(frame.assign(colour=["pink", "red", "red", "red"]))
    with pytest.raises(ValueError, match="'size' holds string values, but it held numbers"):
        model.predict(frame.assign(size=list("abcd")))


def test_names_of_rows_are_left_out_unless_asked_for():
    frame = pd.DataFrame({"name": [f"n{i}" for i in range(40)], "x": range(40)})
    assert "like names of rows" in Preparation().fit(frame).left_out_["name"]
    assert len(Preparation(keep=("name",)).fit(frame).names_out_) == 40


def test_nothing_left():
    with pytest.raises(ValueError, match="no column is left to analyse: 'a' is constant"):
        Preparation().fit(pd.DataFrame({"a": [1, 1]}))


def test_plain_arrays():
    X = np.random.default_rng(0).standard_normal((10, 2))
    assert Preparation().fit(X).transform(X).shape == (10, 2)


# -- words that are missing ----------------------------------------------------------------------------------------


def with_rare_holes():
    words = ["a", "b", "c"] * 20
    words[7] = words[31] = None
    places = np.random.default_rng(0).choice(["n", "s", None], 60)
    return pd.DataFrame({"x": np.arange(60.0), "kind": words, "place": places})


@pytest.mark.parametrize("full", [False, True])
def test_rare_missing_words_are_unobserved_and_frequent_ones_a_word(full):
    frame = with_rare_holes()
    preparation = Preparation(missing="keep", full=full, standardise=False, centre=False).fit(frame)
    assert preparation.fill_words_ == {"place": "missing"}
    rows = preparation.transform(frame)
    kinds = [name for name in rows.columns if name.startswith("kind")]
    assert rows.loc[[7, 31], kinds].isna().all(axis=None)
    assert not rows.drop(index=[7, 31]).isna().any(axis=None)
    assert rows["place = missing" if full else "place = n"].isna().sum() == 0
    known = rows[kinds].dropna()
    np.testing.assert_allclose(preparation.centre_[[rows.columns.get_loc(k) for k in kinds]], known.mean())


def test_words_missing_in_new_rows_alone_are_unobserved_too():
    frame = with_rare_holes().assign(place="n", kind=["a", "b", "c"] * 20)
    preparation = Preparation(missing="keep").fit(frame)
    new = preparation.transform(frame.assign(kind=[None, *frame["kind"][1:]]))
    assert new.iloc[0].isna().to_dict() == {"x": False, "kind = b": True, "kind = c": True}


def test_an_empty_word_is_a_word_and_stands_in_for_no_other():
    frame = pd.DataFrame({"kind": [None, "", "c", *["a", "", "c"] * 20]})
    rows = Preparation(missing="keep", standardise=False, centre=False).fit_transform(frame)
    assert rows.isna().all(axis=1).tolist() == [True, *[False] * 62]


def test_unobserved_words_go_through_a_likelihood():
    frame = with_rare_holes()
    y = np.arange(60) % 2
    model = make_pipeline(Preparation(missing="keep"), LDA(missing="ml")).fit(frame, y)
    assert model[-1].moments_.n_rows == 60
    assert np.isfinite(model.transform(frame)).all()
