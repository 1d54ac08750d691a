"""What type checkers say of everyday use: `make types` checks this file, and no test runs it."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import eigenlens as el
from eigenlens.inference import DimensionTest
from eigenlens.moments import Cross, Grouped, Moments
from eigenlens.subspace import Subspace


def everyday_use() -> None:
    X = np.zeros((10, 3))
    y = np.arange(10) % 2

    lda = assert_type(el.LDA(shrinkage="ledoit-wolf").fit(X, y), el.LDA)
    assert_type(lda.predict(X), NDArray[Any])
    assert_type(lda.predict_proba(X), NDArray[Any])
    assert_type(lda.scalings_, NDArray[Any])
    assert_type(lda.moments_, Grouped)
    assert_type(lda.score(X, y), float)
    assert_type(lda.test_dimension(method="wilks"), DimensionTest)

    pca = el.PCA(2).fit(X)
    assert_type(pca.components_, NDArray[Any])
    assert_type(pca.transform(X), NDArray[Any])
    assert_type(pca.fit_transform(X), NDArray[Any])
    assert_type(pca.moments_, Moments)
    assert_type(pca.subspace_, Subspace)
    assert_type(el.PCA(missing="ml").fit(X).impute(X, return_std=True), tuple[NDArray[Any], NDArray[Any]])
    assert_type(el.CCA(1).fit(X, X).moments_, Cross)

    assert_type(el.load("model.eigenlens", el.LDA), el.LDA)

    el.LDA(missing="mean")  # type: ignore[arg-type]
    el.KernelClassifier(loss="huber")  # type: ignore[arg-type]
