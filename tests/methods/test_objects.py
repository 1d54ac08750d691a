"""Kernels and distances of words and other objects: the same as the tables of these, and told apart from numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import cross_val_score

from eigenlens import ClassicalMDS, KernelClassifier, KernelPCA, KernelRegressor, save
from eigenlens.distances.objects import objects_in
from eigenlens.exceptions import InputError, InputTypeError

WORDS = ["sitting", "hitting", "fitting", "kitten", "mitten", "bitten", "written", "sitter", "titan", "matter"]
NEW = ["smitten", "knitting", "kitten"]
LABELS = [word.endswith("ing") for word in WORDS]
LENGTHS = [float(len(word)) for word in WORDS]


def in_common(one, other):
    first, second = ({word[i : i + 2] for i in range(len(word) - 1)} for word in (one, other))
    return len(first & second)


def edits(one, other):
    row = list(range(len(other) + 1))
    for i, a in enumerate(one):
        last, row = row, [i + 1]
        for j, b in enumerate(other):
            row.append(min(last[j + 1] + 1, row[j] + 1, last[j] + (a != b)))
    return row[-1]


def table(function, left, right=WORDS):
    return np.array([[float(function(one, other)) for other in right] for one in left])


def test_kernel_pca_of_words_is_that_of_their_kernel_matrix():
    of_words = KernelPCA(2, kernel=in_common).fit(WORDS)
    given = KernelPCA(2, kernel="precomputed").fit(table(in_common, WORDS))
    assert_array_equal(of_words.embedding_, given.embedding_)
    assert_array_equal(of_words.transform(NEW), given.transform(table(in_common, NEW)))
    assert_allclose(of_words.transform(NEW)[2], of_words.embedding_[3], atol=1e-12)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared"])
def test_classifiers_of_words(loss, intercept):
    settings = {"loss": loss, "lam": 0.3, "fit_intercept": intercept}
    of_words = KernelClassifier(in_common, **settings).fit(WORDS, LABELS)
    given = KernelClassifier("precomputed", **settings).fit(table(in_common, WORDS), LABELS)
    assert_array_equal(of_words.decision_function(NEW), given.decision_function(table(in_common, NEW)))
    assert of_words.predict(NEW).tolist() == [False, True, False]
    assert of_words.score(WORDS, LABELS) == 1


def test_regression_of_words_and_weights():
    weight = np.array([1.0, 2, 0, 1, 3, 1, 1, 0, 1, 1])
    of_words = KernelRegressor(in_common, lam="loo").fit(WORDS, LENGTHS, weight)
    given = KernelRegressor("precomputed", lam="loo").fit(table(in_common, WORDS), LENGTHS, weight)
    assert_array_equal(of_words.predict(NEW), given.predict(table(in_common, NEW)))
    scores = KernelPCA(2, kernel=in_common).fit(WORDS, sample_weight=weight)
    assert_allclose(scores.transform(WORDS), scores.embedding_, atol=1e-12)


@pytest.mark.parametrize(
    "settings", [{}, {"correction": "lingoes"}, {"refine": "stress"}, {"n_landmarks": 6}], ids=repr
)
def test_maps_of_words_are_those_of_their_distances(settings):
    of_words = ClassicalMDS(2, metric=edits, random_state=0, **settings).fit(WORDS)
    given = ClassicalMDS(2, metric="precomputed", random_state=0, **settings).fit(table(edits, WORDS))
    assert_array_equal(of_words.embedding_, given.embedding_)
    assert_array_equal(of_words.transform(NEW), given.transform(table(edits, NEW)))
    assert_array_equal(of_words.distances_among(NEW), given.distances_among(table(edits, NEW, NEW)))
    assert_array_equal(of_words.all_eigenvalues(WORDS), given.all_eigenvalues(table(edits, WORDS)))
    counted = [
        model.test_dimension(D, method="errors").dimension
        for model, D in ((of_words, WORDS), (given, table(edits, WORDS)))
    ]
    assert counted[0] == counted[1]
    weight = np.arange(10.0) % 3
    of_words, given = of_words.fit(WORDS, sample_weight=weight), given.fit(table(edits, WORDS), sample_weight=weight)
    assert_array_equal(of_words.embedding_, given.embedding_)
    assert_array_equal(of_words.all_eigenvalues(WORDS, weight), given.all_eigenvalues(table(edits, WORDS), weight))


def test_arguments_of_a_distance_and_both_directions():
    def one_way(one, other, factor):
        return factor * edits(one, other) + (one < other)

    model = ClassicalMDS(1, metric=one_way, metric_params={"factor": 2}, symmetrize=True).fit(WORDS)
    D = table(lambda one, other: one_way(one, other, 2), WORDS)
    given = ClassicalMDS(1, metric="precomputed").fit((D + D.T) / 2)
    assert_allclose(model.embedding_, given.embedding_, atol=1e-12)


@pytest.mark.parametrize("column", [tuple, np.array, pd.Series, pl.Series, lambda w: np.array(w, dtype=object)])
def test_any_column_of_words(column):
    expected = KernelPCA(2, kernel=in_common).fit(WORDS).transform(NEW)
    assert_array_equal(KernelPCA(2, kernel=in_common).fit(column(WORDS)).transform(column(NEW)), expected)


def test_graphs_and_sequences():
    graphs = [[(0, 1), (1, 2)], [(0, 1)], frozenset({(0, 1), (1, 2), (2, 0)}), np.eye(3), [(0, 1), (0, 1, 2)]]
    assert objects_in(graphs) == graphs
    model = ClassicalMDS(1, metric=lambda one, other: abs(len(one) - len(other))).fit(graphs)
    assert_allclose(np.abs(model.embedding_[:, 0] - model.embedding_[1, 0]), [1, 0, 2, 2, 1], atol=1e-12)
    ragged = np.array([np.arange(3), np.arange(5)], dtype=object)
    assert len(objects_in(ragged)) == 2


def test_numbers_are_no_objects():
    import torch

    for X in (
        [1.0, 2.0],
        [[1, 2], [3, 4]],
        [(1, 2)],
        [np.ones(2)],
        np.ones(3),
        np.ones((2, 2)),
        torch.ones(3),
        [],
        "ab",
    ):
        assert objects_in(X) is None
    assert objects_in(["a", None]) is None
    rows = np.random.default_rng(0).standard_normal((9, 2))
    inner = KernelPCA(1, kernel=lambda A, B: A @ B.T)  # of two tables, as always
    assert_array_equal(inner.fit(rows.tolist()).embedding_, inner.fit(rows).embedding_)


def test_scikit_learn_cuts_lists():
    assert cross_val_score(KernelClassifier(in_common), WORDS * 3, LABELS * 3, cv=3).tolist() == [1, 1, 1]


def test_what_objects_cannot(tmp_path):
    model = KernelPCA(2, kernel=in_common).fit(WORDS)
    for X in ("kitten", np.eye(10), [1, 2], []):
        with pytest.raises(InputTypeError, match=r"fitted to a list of objects \(str\), so X must be a list of them"):
            model.transform(X)
    with pytest.raises(InputTypeError, match="fitted to a list of objects"):
        ClassicalMDS(1, metric=edits).fit(WORDS).transform(np.eye(10))
    with pytest.raises(InputError, match="cannot be inverted"):
        model.inverse_transform(model.embedding_)
    with pytest.raises(InputError, match="cannot be tested"):
        model.test_dimension(WORDS)
    for settings in ({"scale": True}, {"n_landmarks": 3}):
        with pytest.raises(InputError, match="needs rows of numbers, and X holds objects"):
            KernelPCA(kernel=in_common, **settings).fit(WORDS)
    with pytest.raises(InputError, match="gives 'x' for objects 0 and 0; it must give a finite number"):
        KernelPCA(kernel=lambda one, other: "x").fit(WORDS)
    with pytest.raises(InputError, match="gives nan for objects 0 and 0"):
        ClassicalMDS(metric=lambda one, other: float("nan")).fit(WORDS)
    with pytest.raises(InputError, match="not symmetric"):
        KernelPCA(kernel=lambda one, other: len(one)).fit(WORDS)
    with pytest.raises(InputError, match="not positive semidefinite"):
        KernelPCA(kernel=edits).fit(WORDS)
    with pytest.raises(InputTypeError, match="must hold numbers"):
        KernelPCA().fit(WORDS)
    with pytest.raises(InputTypeError, match="which model files do not hold"):
        save(model, tmp_path / "words.eigenlens")
    rows = np.random.default_rng(0).standard_normal((9, 2))
    assert model.set_params(kernel="gaussian").fit(rows).transform(rows).shape == (9, 2)
