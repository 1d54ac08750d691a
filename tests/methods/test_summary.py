"""Summaries: what a model says of itself, and the correlations in them."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from eigenlens import CCA, LDA, PCA, PDA, QDA, SAVE, SIR, KernelClassifier, KernelRegressor, Summary
from eigenlens.testing import all_estimators

DATA = load_iris(as_frame=True)
X, WORDS = DATA.data, DATA.target_names[DATA.target]


def fitted(estimator):
    model = estimator()
    if estimator is CCA:
        return model.fit(X.iloc[:, :2], X.iloc[:, 2:])
    if estimator.__name__ in ("KernelRegressor", "PrincipalHessianDirections"):
        return model.fit(X, X.iloc[:, 0] ** 2)
    return model.fit(X, WORDS)


def correlations(A, B):
    return np.corrcoef(np.asarray(A).T, np.asarray(B).T)[: np.shape(A)[1], np.shape(A)[1] :]


@pytest.mark.filterwarnings("ignore::eigenlens.RankWarning")
@pytest.mark.parametrize("estimator", all_estimators(), ids=lambda cls: cls.__name__)
def test_every_estimator_has_a_summary(estimator):
    with pytest.raises(NotFittedError):
        estimator().summary()
    model = fitted(estimator)
    found = model.summary()
    assert isinstance(found, Summary)
    assert str(found).startswith(estimator.__name__)
    assert "150 rows" in str(found)
    frame = found.to_frame()
    assert list(frame.columns) == ["table", "row", "column", "value"]
    assert set(frame["table"]) == set(found.tables)
    for name, table in found.tables.items():
        assert found.to_frame(name).shape == table.values.shape
        assert table.title in found._repr_html_()
        assert table.title in model._repr_html_()


def test_the_numbers_of_a_summary_are_those_of_the_model():
    lda = LDA().fit(X, WORDS)
    tables = lda.summary().tables
    np.testing.assert_array_equal(tables["means"].values, lda.means_.T)
    np.testing.assert_array_equal(tables["coefficients"].values, lda.scalings_)
    np.testing.assert_allclose(tables["columns"].values[:, 0], X.mean(), rtol=1e-13)
    np.testing.assert_allclose(tables["columns"].values[:, 1], X.std(), rtol=1e-13)
    within = X.groupby(WORDS).var().mean() ** 0.5
    np.testing.assert_allclose(tables["columns"].values[:, 2], within, rtol=1e-12)
    assert tables["classes"].rows == ["setosa", "versicolor", "virginica"]
    assert tables["structure"].rows == list(X.columns)
    assert "Wilks' Λ = " in str(lda.summary())


@pytest.mark.parametrize("model", [PCA(2), PCA(2, whiten=True), LDA(), PDA(), SIR(), SAVE(2)], ids=str)
def test_structure_is_the_correlation_of_columns_with_scores(model):
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    model.fit(X, WORDS, sample_weight=weight)
    index = np.repeat(np.arange(len(X)), weight)
    expected = correlations(X.iloc[index], model.transform(X)[index])
    np.testing.assert_allclose(model.structure_, expected, atol=1e-12)


def test_structure_within_classes_pools_them():
    lda = LDA().fit(X, WORDS)
    Z = pd.DataFrame(lda.transform(X))
    expected = correlations(X - X.groupby(WORDS).transform("mean"), Z - Z.groupby(WORDS).transform("mean"))
    np.testing.assert_allclose(lda.structure_within_, expected, atol=1e-12)


def test_structure_of_both_tables():
    cca = CCA().fit(X.iloc[:, :2], X.iloc[:, 2:])
    x, y = cca.transform(X.iloc[:, :2], X.iloc[:, 2:])
    np.testing.assert_allclose(cca.structure_, correlations(X.iloc[:, :2], x), atol=1e-12)
    np.testing.assert_allclose(cca.y_structure_, correlations(X.iloc[:, 2:], y), atol=1e-12)


def test_structure_of_constant_columns_of_huge_ones_and_of_few_rows():
    table = X.to_numpy() * [1.0, 1e200, 1e-200, 1.0]
    table[:, 3] = 7.0
    with pytest.warns(UserWarning, match="digits|rank|represent"):
        found = LDA().fit(table[:, :3], WORDS).structure_, PCA(2).fit(table[:, [0, 3]]).structure_
    np.testing.assert_allclose(found[0], LDA().fit(X.iloc[:, :3], WORDS).structure_, atol=1e-9)
    assert np.isnan(found[1][1]).all()
    few = np.random.default_rng(0).standard_normal((6, 40))
    pca = PCA(3).fit(few)
    np.testing.assert_allclose(pca.structure_, correlations(few, pca.transform(few)), atol=1e-12)


def test_structure_with_holes_is_that_of_the_likely_covariance():
    table = X.to_numpy().copy()
    table[::7, 1] = np.nan
    pca = PCA(2, missing="ml").fit(table)
    S, V = pca.covariance_, pca.components_.T
    expected = S @ V / np.sqrt(np.diagonal(S))[:, None] / np.sqrt(np.diagonal(V.T @ S @ V))
    np.testing.assert_allclose(pca.structure_, expected, atol=1e-9)
    assert "150 rows" in str(pca.summary())


def test_what_has_no_directions_says_so():
    with pytest.raises(AttributeError, match="no directions"):
        _ = QDA().fit(X, WORDS).structure_
    with pytest.raises(AttributeError, match="before it is fitted"):
        _ = PCA().structure_


def test_functions_of_kernel_machines_are_named_and_counted():
    def functions(model, y):
        return model.fit(X[: len(y)], y).summary().to_frame("machines")

    pairs = ["setosa against versicolor", "setosa against virginica", "versicolor against virginica"]
    assert list(functions(KernelClassifier(), WORDS).index) == pairs
    assert list(functions(KernelClassifier(loss="logistic"), WORDS).index) == sorted(set(WORDS))
    two = KernelClassifier()
    frame = functions(two, WORDS[:100])
    assert list(frame.index) == ["versicolor against setosa"]  # for which decision_function is positive
    assert frame["rows with a coefficient"].item() == len(two.function_.coefficients)
    assert list(functions(KernelRegressor(), X.iloc[:, 0]).index) == ["y"]


def test_an_unknown_table_is_refused_by_name():
    with pytest.raises(ValueError, match="classes"):
        LDA().fit(X, WORDS).summary().to_frame("loadings")


def test_covariance_within_classes():
    lda = LDA().fit(X, WORDS)
    expected = sum(49 * part.cov().to_numpy() for _, part in X.groupby(WORDS)) / 147
    np.testing.assert_allclose(lda.covariance_, expected, rtol=1e-12)
    V = lda.scalings_
    np.testing.assert_allclose(V.T @ lda.covariance_ @ V, np.eye(2), atol=1e-12)
    equal = LDA(within="equal").fit(X, WORDS)
    np.testing.assert_allclose(equal.covariance_, expected * 49 / 50, rtol=1e-12)
    with pytest.raises(AttributeError, match="covariance_"):
        _ = LDA().covariance_


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (LDA(shrinkage="cv"), "shrinkage = {shrinkage_:.4g}, chosen by cross-validation."),
        (LDA(shrinkage="oas"), "shrinkage = {shrinkage_:.4g} (oas)."),
        (QDA(pooling="cv"), "pooling = {_chosen:.4g}, chosen by cross-validation."),
        (PCA("cv"), "n_components = {n_components_}, chosen by cross-validation."),
    ],
)
def test_it_says_what_rows_have_chosen(model, said):
    X, y = load_iris(return_X_y=True)
    fitted = model.fit(X, y)
    values = {name: getattr(fitted, name) for name in re.findall(r"{(\w+)", said)}
    assert said.format(**values) in str(fitted.summary())
