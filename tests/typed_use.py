"""What type checkers say of everyday use: `make types` checks this file, and no test runs it."""

from typing import Any, assert_type

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import eigenlens as el
from eigenlens.inference import DimensionTest
from eigenlens.moments import Cross, Grouped, Moments
from eigenlens.rows import Source
from eigenlens.rows.grids import LabelledRows
from eigenlens.solve.subspace import Subspace


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
    loaded = el.load("model.eigenlens")
    assert_type(loaded.transform(X), NDArray[Any])
    assert_type(loaded.predict(X), NDArray[Any])
    assert_type(loaded.score(X, y), float)
    assert_type(loaded.coef_, Any)  # what only some models have
    loaded.transform()  # type: ignore[call-arg]

    rows = assert_type(el.open_rows("rows.parquet", target="y"), Source)
    assert_type(rows.n_rows, int | None)
    assert_type(rows.feature_names, list[str] | None)
    assert_type(el.LDA().fit(rows).predict(rows), NDArray[Any])
    el.open_rows("rows.parquet", batch_rows="many")  # type: ignore[call-overload]
    field = el.open_rows(xr.DataArray(np.zeros((3, 2, 2)), dims=("time", "lat", "lon")), rows="time")
    assert_type(field, LabelledRows)
    field.store(el.PCA(1).fit(field))

    el.PCA().fit([[1.0, 2.0], [3.0, 5.0]]).transform(((1.0, 2.0), (0.0, 1.0)))
    el.PCA().fit(object())  # type: ignore[arg-type]
    el.LDA().fit(X, ["a", "b"] * 5, sample_weight=range(10)).predict([[1, 2, 3]])
    el.LDA().fit(X, object())  # type: ignore[arg-type]
    el.LDA(priors={"a": 0.5, "b": 0.5})
    el.LDA(priors=object())  # type: ignore[arg-type]
    el.MDA(random_state=np.random.default_rng(0))
    el.MDA(random_state="seed")  # type: ignore[arg-type]
    el.LDA(missing="mean")  # type: ignore[arg-type]
    el.KernelClassifier(loss="huber")  # type: ignore[arg-type]
