"""Weights that add up to 1, words of scikit-learn, empty batches, and columns that only name rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.model_selection import GridSearchCV

from eigenlens import CCA, FDA, LDA, PCA, QDA, SIR, ClassicalMDS, KernelClassifier, KernelPCA, open_rows
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.kernels import Linear
from eigenlens.regress import AdaptiveSplines
from eigenlens.testing import sample, sample_for
from eigenlens.testing.laws import outcome
from kinds import frame_of, roles
from variants import all_variants

X, y = load_iris(return_X_y=True)


def takes_weights(estimator):
    return estimator._obeys().counts_rows or not hasattr(estimator, "regressor")


@pytest.mark.parametrize("estimator", [e for e in all_variants() if takes_weights(e)], ids=repr)
def test_shares_count_rows_once_on_average(estimator):
    data = sample_for(estimator, n=120, p=4, offset=5.0)
    weight = np.random.default_rng(1).integers(0, 3, len(data)).astype(float)
    counts = weight * np.count_nonzero(weight) / weight.sum()
    expected = clone(estimator).fit(*data.arguments(), sample_weight=counts)
    found = clone(estimator).fit(*data.arguments(), sample_weight=weight / weight.sum())
    for name, value in outcome(expected, data.X).items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(
                outcome(found, data.X)[name], value, rtol=0, atol=1e-9 * np.abs(value).max(initial=0), err_msg=name
            )


@pytest.mark.parametrize("estimator", [PCA(2), LDA(), LDA(shrinkage="ledoit-wolf"), QDA(), CCA(1), SIR(1), FDA()])
def test_shares_in_a_column_of_a_file(estimator, tmp_path):
    data = sample(estimator._target, n=120, p=4, offset=5.0)
    frame = frame_of(data)
    weight = np.random.default_rng(1).uniform(0.5, 1.5, len(data))
    frame["w"] = weight / weight.sum()
    frame.to_parquet(tmp_path / "rows.parquet")
    found = clone(estimator).fit(open_rows(tmp_path / "rows.parquet", **roles(data), weight="w"))
    expected = clone(estimator).fit(*data.arguments(), sample_weight=weight / weight.mean())
    np.testing.assert_allclose(
        np.asarray(found.predict_proba(data.X) if hasattr(found, "predict_proba") else found.transform(data.X)),
        expected.predict_proba(data.X) if hasattr(found, "predict_proba") else expected.transform(data.X),
        rtol=0,
        atol=1e-9,
    )


def test_shares_in_a_dask_array():
    import dask.array as da

    weight = np.random.default_rng(1).uniform(0.5, 1.5, len(X))
    found = PCA(2).fit(da.from_array(X, chunks=(31, 4)), sample_weight=da.from_array(weight / weight.sum(), chunks=31))
    expected = PCA(2).fit(X, sample_weight=weight / weight.mean())
    np.testing.assert_allclose(found.explained_variance_, expected.explained_variance_, rtol=1e-12)


@pytest.mark.parametrize(
    "base", [LDA(), QDA(pooling=0.1), FDA(), KernelClassifier(Linear(), loss="logistic", lam=1e-3)], ids=repr
)
def test_boosting(base):
    boosted = AdaBoostClassifier(base, n_estimators=5, random_state=0).fit(X, y)
    assert boosted.score(X, y) > 0.93


def test_a_class_that_boosting_has_done_with_has_no_covariance_of_its_own():
    with pytest.raises(InputError, match=r"class 0 has a weight of .*divisor W_k − 1.*pooling above 0"):
        AdaBoostClassifier(QDA(), n_estimators=5, random_state=0).fit(X, y)


def test_bagging():
    assert BaggingClassifier(LDA(), n_estimators=4, random_state=0).fit(X, y).score(X, y) > 0.93


def test_weights_of_partial_fits_are_counts():
    """Two rows of weight ½ are one row, since more may follow."""
    whole = PCA(2).fit(X, sample_weight=np.full(150, 0.5))
    parts = PCA(2)
    for k in range(0, 150, 2):
        parts.partial_fit(X[k : k + 2], sample_weight=[0.5, 0.5])
    np.testing.assert_allclose(parts.explained_variance_, whole.explained_variance_, rtol=1e-10)


SPELLINGS = [
    (lambda: LDA(solver="svd"), r"LDA has no parameter solver='svd': there is one exact solver"),
    (lambda: LDA(solver="lsqr", shrinkage="auto"), "no parameter solver"),
    (lambda: LDA(shrinkage="auto").fit(X, y), "use 'ledoit-wolf'"),
    (lambda: PCA(svd_solver="full"), "it is called solver"),
    (lambda: PCA(2, solver="full").fit(X), "'full' and 'covariance_eigh' are called 'dense' here"),
    (lambda: KernelPCA(2, kernel="rbf").fit(X), r"use Gaussian\(bandwidth\), where gamma"),
    (lambda: KernelPCA(2, kernel="poly").fit(X), r"Polynomial\(degree, scale, offset\)"),
    (lambda: KernelPCA(2, gamma=0.1), r"KernelPCA has no parameter gamma=0.1: give it to the kernel"),
    (lambda: KernelClassifier(C=1.0), "called lam"),
    (lambda: CCA(1, scale=False), "units of columns"),
    (lambda: ClassicalMDS(2, n_init=4), "without starts and steps"),
    (lambda: ClassicalMDS(2, dissimilarity="precomputed"), "it is called metric"),
]


@pytest.mark.parametrize(("call", "match"), SPELLINGS)
def test_words_of_scikit_learn_name_ours(call, match):
    with pytest.raises((InputError, InputTypeError), match=match):
        call()


def test_words_nobody_knows_are_refused_as_ever():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        LDA(colour="red")


def test_words_with_one_meaning_work():
    from sklearn.decomposition import KernelPCA as Theirs

    ours = KernelPCA(2, kernel="linear").fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, Theirs(2, kernel="linear").fit(X).eigenvalues_, rtol=1e-10)


def test_a_grid_names_the_parameters_of_a_regressor_that_was_given():
    grid = GridSearchCV(FDA(regressor=AdaptiveSplines()), {"regressor__degree": [1, 2]}, cv=3).fit(X, y)
    assert grid.best_estimator_.regressor.degree in (1, 2)
    with pytest.raises(InputError, match=r"regressor__degree is .* this FDA was given none; pass one"):
        FDA().set_params(regressor__degree=2)


@pytest.mark.parametrize("estimator", [PCA(2), LDA(), CCA(1), SIR(1, n_slices=[0.0])], ids=repr)
def test_empty_batches_change_nothing(estimator):
    data = sample(estimator._target, n=60, p=4)
    nothing = data.rows(np.zeros(0, dtype=int))
    model = clone(estimator).partial_fit(*nothing.arguments())
    assert not hasattr(model, "n_features_in_")
    model.partial_fit(*data.arguments())
    before = model.transform(data.X)
    model.partial_fit(*nothing.arguments())
    assert np.array_equal(model.transform(data.X), before)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(np.zeros((0, 7)), *nothing.arguments()[1:])


def test_empty_batches_of_a_stream():
    empty = pd.DataFrame(columns=list("abcd"))  # columns of no particular type
    table = pd.DataFrame(X, columns=list("abcd"))
    for parts in ([empty, table], [table[:70], empty, table[70:], empty], [empty, empty, table]):
        for source in (parts, iter(parts)):
            found = PCA(2).fit(open_rows(source))
            np.testing.assert_allclose(found.components_, PCA(2).fit(X).components_, rtol=0, atol=1e-12)


def test_empty_files(tmp_path):
    table = pd.DataFrame(X, columns=list("abcd"))
    for k, part in enumerate([table[:0].astype(object), table[:80], table[:0], table[80:]]):
        part.to_parquet(tmp_path / f"part-{k}.parquet")
    np.testing.assert_allclose(PCA(2).fit(open_rows(tmp_path)).components_, PCA(2).fit(X).components_, atol=1e-12)


def test_an_index_without_a_name_is_not_a_feature(tmp_path):
    table = pd.DataFrame(X, columns=list("abcd"), index=np.arange(150) * 7)
    table.to_csv(tmp_path / "rows.csv")
    table.iloc[:100].to_parquet(tmp_path / "rows.parquet")
    pd.read_csv(tmp_path / "rows.csv").to_csv(tmp_path / "twice.csv", index=False)  # Unnamed: 0
    for name in ("rows.csv", "rows.parquet", "twice.csv"):
        rows = open_rows(tmp_path / name)
        assert rows.feature_names == list("abcd"), name
    assert open_rows(tmp_path / "rows.csv", columns=["row", "a"]).feature_names == ["row", "a"]
    np.testing.assert_allclose(PCA(2).fit(open_rows(tmp_path / "rows.csv")).components_, PCA(2).fit(X).components_)
