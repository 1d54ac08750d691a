"""Priors by label, and categories in their own order."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from eigenlens import FDA, LDA, MDA, PDA, QDA, KernelClassifier, load, save
from eigenlens.exceptions import InputError
from eigenlens.inference import bootstrap

DATA = load_iris(as_frame=True)
X, WORDS = DATA.data, pd.Series(DATA.target_names[DATA.target])
ORDER = ["virginica", "setosa", "nothing", "versicolor"]
CATEGORIES = pd.Series(pd.Categorical(WORDS, categories=ORDER))
PRIORS = {"setosa": 0.5, "virginica": 0.2, "versicolor": 0.3}


@pytest.mark.parametrize("method", [LDA, QDA, PDA, FDA], ids=lambda m: m.__name__)
def test_categories_keep_their_order(method):
    ours, plain = method().fit(X, CATEGORIES), method().fit(X, WORDS)
    assert ours.classes_.tolist() == ["virginica", "setosa", "versicolor"]
    place = [plain.classes_.tolist().index(label) for label in ours.classes_]
    np.testing.assert_allclose(ours.predict_proba(X), plain.predict_proba(X)[:, place], atol=1e-12)
    assert (ours.predict(X) == plain.predict(X)).all()
    if hasattr(ours, "means_"):
        np.testing.assert_allclose(ours.means_, plain.means_[place], rtol=1e-14)
    assert ours.summary().tables["classes"].rows == ours.classes_.tolist()


@pytest.mark.parametrize("method", [MDA, KernelClassifier], ids=lambda m: m.__name__)
def test_categories_keep_their_order_where_rows_are_kept(method):
    model = method().fit(X, CATEGORIES)
    assert model.classes_.tolist() == ["virginica", "setosa", "versicolor"]
    assert model.score(X, CATEGORIES) == model.score(X, WORDS) > 0.95


def test_categories_in_batches_in_folds_and_of_numbers():
    parts = LDA()
    for index in np.array_split(np.arange(150), 4):
        parts.partial_fit(X.iloc[index], CATEGORIES.iloc[index])
    whole = LDA().fit(X, CATEGORIES)
    assert parts.classes_.tolist() == whole.classes_.tolist()
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-12)
    assert cross_val_score(LDA(), X, CATEGORIES).mean() == cross_val_score(LDA(), X, WORDS).mean()
    numbers = pd.Categorical(DATA.target, categories=[2, 0, 1])
    assert LDA().fit(X, numbers).classes_.tolist() == [2, 0, 1]
    assert LDA().fit(X, pl.Series(WORDS.tolist(), dtype=pl.Enum(ORDER))).classes_.tolist() == whole.classes_.tolist()
    lost = CATEGORIES.copy()
    lost[3] = None
    with pytest.raises(InputError, match="NaN"):
        LDA().fit(X, lost)


@pytest.mark.parametrize("method", [LDA, QDA, PDA, FDA, MDA], ids=lambda m: m.__name__)
def test_priors_by_label(method, tmp_path):
    by_name, by_place = method(priors=PRIORS).fit(X, WORDS), method(priors=[0.5, 0.3, 0.2]).fit(X, WORDS)
    np.testing.assert_array_equal(by_name.predict_proba(X), by_place.predict_proba(X))
    ordered = method(priors=PRIORS).fit(X, CATEGORIES)
    np.testing.assert_allclose(ordered.priors_, [0.2, 0.5, 0.3], rtol=1e-15)
    save(by_name, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").priors_, by_name.priors_)


def test_resamples_give_each_class_its_own_prior():
    some = np.r_[0:50, 50:70, 100:110]
    priors = {"setosa": 0.1, "virginica": 0.8, "versicolor": 0.1}
    ours, plain = (bootstrap(LDA(priors=priors), X.iloc[some], y.iloc[some], n_boot=200) for y in (CATEGORIES, WORDS))
    np.testing.assert_allclose(ours.standard_error, plain.standard_error, rtol=1e-8)


@pytest.mark.parametrize(
    ("priors", "words"),
    [
        ({"setosa": 0.5, "virginica": 0.5}, "lacks class 'versicolor'"),
        (PRIORS | {"setosa": 0.4, "rose": 0.1}, "y has no class 'rose'"),
        (PRIORS | {"setosa": 0.4}, "'setosa': 0.4.* add up to 0.9; divide them by their sum, or add a class"),
        (PRIORS | {"setosa": "half"}, "numbers"),
        (PRIORS | {"setosa": -0.5, "virginica": 1.2}, "positive"),
    ],
)
def test_priors_that_do_not_suit_the_classes(priors, words):
    with pytest.raises(InputError, match=words):
        LDA(priors=priors).fit(X, WORDS)


def test_moments_remember_the_order_of_categories():
    """A model fitted to moments has its classes, and priors given by place, in the order of the data frame."""
    X = np.random.default_rng(0).standard_normal((90, 3))
    levels = ["low", "mid", "high"]
    y = pd.Series(pd.Categorical(np.repeat(levels, 30), categories=levels, ordered=True))
    X[:, 0] += np.repeat([0.0, 1.0, 2.0], 30)
    model = LDA(priors=[0.7, 0.2, 0.1]).fit(X, y)
    parts = LDA().fit(X[::2], y[::2]).moments_ + LDA().fit(X[1::2], y[1::2]).moments_
    for moments in (model.moments_, parts):
        again = LDA(priors=[0.7, 0.2, 0.1]).fit_moments(moments)
        assert list(again.classes_) == levels
        np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-12)
