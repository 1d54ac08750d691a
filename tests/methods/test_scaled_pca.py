"""PCA of columns divided by their standard deviations, and the warning where that was forgotten."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine

from eigenlens import PCA, load, save
from eigenlens.exceptions import InputError, ScaleWarning
from eigenlens.files.onnx import export_onnx

rng = np.random.default_rng(1)
X = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 5)) * [1, 100, 1e-3, 5, 1e6] + [0, 5, 1e3, 2, -7]
SD = X.std(axis=0, ddof=1)
Z = (X - X.mean(axis=0)) / SD
PLAIN, SCALED = PCA(2).fit(Z), PCA(2, scale=True).fit(X)


def near(a, b, tolerance=1e-12):
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def test_it_is_the_pca_of_standardised_columns():
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "noise_variance_"):
        near(getattr(SCALED, name), getattr(PLAIN, name))
    near(SCALED.scale_, SD)
    near(SCALED.mean_, X.mean(axis=0))
    near(SCALED.transform(X), PLAIN.transform(Z))
    near(
        (SCALED.inverse_transform(SCALED.transform(X)) - X.mean(axis=0)) / SD,
        PLAIN.inverse_transform(PLAIN.transform(Z)),
        1e-9,
    )
    near(SCALED.reconstruction_error(X), PLAIN.reconstruction_error(Z))
    near(SCALED.structure_, PLAIN.structure_)
    assert not hasattr(PLAIN, "scale_")


def test_likelihood_and_covariance_are_in_the_units_of_the_columns():
    near(SCALED.score_samples(X), PLAIN.score_samples(Z) - np.log(SD).sum())
    near(PCA(5, scale=True).fit(X).get_covariance() / np.cov(X.T), np.ones((5, 5)), 1e-11)


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")
def test_batches_merges_weights_and_given_moments():
    parts = PCA(2, scale=True)
    for index in np.array_split(np.arange(60), 4):
        parts.partial_fit(X[index])
    near(parts.transform(X), SCALED.transform(X), 1e-11)
    merged = PCA().partial_fit(X[:25]).moments_.merge(PCA().partial_fit(X[25:]).moments_)
    near(PCA(2, scale=True).fit_moments(merged).transform(X), SCALED.transform(X), 1e-11)
    weight = rng.integers(0, 3, 60)
    weighted = PCA(2, scale=True).fit(X, sample_weight=weight)
    near(weighted.transform(X), PCA(2, scale=True).fit(np.repeat(X, weight, axis=0)).transform(X), 1e-11)


def test_rows_with_holes():
    holes = X.copy()
    holes[::6, 1] = np.nan
    model = PCA(2, scale=True, missing="ml").fit(holes)
    sd = np.sqrt(np.diagonal(model.covariance_))
    near(model.scale_, sd, 1e-10)
    apart = PCA(2, missing="ml").fit(holes / sd)
    near(model.transform(holes), apart.transform(holes / sd), 1e-8)
    near(model.impute(holes), apart.impute(holes / sd) * sd, 1e-6)
    near(PCA(2, scale=True, missing="ml").fit(X).transform(X), SCALED.transform(X), 1e-11)
    with pytest.raises(InputError, match="scaled before"):
        PCA(2, scale=True, missing="ppca").fit(holes)


def test_files_sparse_rows_names_and_large_units(tmp_path):
    save(SCALED, tmp_path / "model")
    near(load(tmp_path / "model").transform(X), SCALED.transform(X), 1e-15)
    runtime = pytest.importorskip("onnxruntime")
    path = export_onnx(SCALED, tmp_path / "model.onnx")
    near(runtime.InferenceSession(str(path)).run(["scores"], {"X": X})[0], SCALED.transform(X))
    few = sp.random(300, 20, density=0.1, random_state=0, format="csr")
    near(
        PCA(2, scale=True).fit(few).transform(few), PCA(2, scale=True).fit(few.toarray()).transform(few.toarray()), 1e-9
    )
    frame = pd.DataFrame(X, columns=list("abcde"))
    near(PCA(2, scale=True).fit(frame).transform(frame), SCALED.transform(X))
    large = X * [1e200, 1, 1, 1, 1e-200]
    near(PCA(2, scale=True).fit(large).transform(large), SCALED.transform(X))


def test_constant_columns_are_left_as_they_are():
    constant = X.copy()
    constant[:, 0] = 3.0
    model = PCA(2, scale=True).fit(constant)
    assert model.scale_[0] == 1.0
    assert (model.components_[:, 0] == 0).all()


def test_tests_of_dimension_see_the_divided_columns():
    test = SCALED.test_dimension(X, method="permutation")
    near(test.statistics["eigenvalue"], PLAIN.test_dimension(Z, method="permutation").statistics["eigenvalue"], 1e-9)
    near(
        SCALED.test_dimension(method="tracy-widom").p_values, PLAIN.test_dimension(method="tracy-widom").p_values, 1e-6
    )


def test_a_column_of_another_unit_is_told():
    frame = load_wine(as_frame=True).data
    with pytest.warns(ScaleWarning, match=r"'proline' alone: .* 22 times the next. Use scale=True"):
        PCA(2).fit(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PCA(2, scale=True).fit(frame)
        PCA(2).fit(rng.standard_normal((50, 3)) * [3, 2, 1])
        PCA().fit(rng.standard_normal((50, 1)))


def test_scale_is_true_or_false():
    with pytest.raises(InputError, match="scale='sd'"):
        PCA(scale="sd").fit(X)
