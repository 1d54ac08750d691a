"""Parameters that cross-validation chooses: what cross_validate finds best, in files and weights too."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine

import eigenlens
from eigenlens import CCA, LDA, PCA, PDA, QDA, load, save
from eigenlens.exceptions import InputError
from eigenlens.validation import cross_validate, leave_one_out

X, y = load_wine(return_X_y=True)
X = X / X.std(axis=0)
WEIGHTS = np.random.default_rng(0).integers(1, 3, len(X)).astype(float)
CASES = [
    (LDA(shrinkage="cv"), (X, y), "shrinkage", "neg_log_loss"),
    (QDA(pooling="cv"), (X, y), "pooling", "neg_log_loss"),
    (PDA(lam="cv"), (X, y), "lam", "neg_log_loss"),
    (CCA(ridge="cv"), (X[:, :8], X[:, 8:]), "ridge", "r2"),
    (PCA("cv"), (X,), "n_components", "likelihood"),
]


@pytest.mark.parametrize(("model", "tables", "name", "scoring"), CASES, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["plain", "weighted"])
def test_what_cross_validation_finds_best_is_taken(model, tables, name, scoring, weight):
    fitted = clone(model).fit(*tables, sample_weight=weight)
    tried = [int(v) if name == "n_components" else float(v) for v in fitted.cv_path_[:, 0]]
    plain = clone(model).set_params(**{name: tried[0]})
    result = cross_validate(plain, *tables, settings={name: tried}, scoring=scoring, sample_weight=weight)
    np.testing.assert_allclose(fitted.cv_path_[:, 1], result.mean_scores, rtol=1e-9)
    np.testing.assert_allclose(fitted.cv_path_[:, 2], result.standard_errors, rtol=1e-7)
    assert getattr(fitted, f"{name}_") == pytest.approx(result.best[name], rel=1e-12)
    again = plain.set_params(**result.best).fit(*tables, sample_weight=weight)
    for attribute in ("coef_", "components_", "x_weights_", "covariances_"):
        if hasattr(again, attribute):
            np.testing.assert_allclose(getattr(fitted, attribute), getattr(again, attribute), atol=1e-8)


@pytest.mark.parametrize(("model", "tables", "name", "scoring"), CASES, ids=lambda value: str(value)[:20])
def test_models_are_kept_summarised_and_merged(model, tables, name, scoring, tmp_path):
    fitted = clone(model).fit(*tables)
    path = tmp_path / "model.eigenlens"
    save(fitted, path)
    np.testing.assert_array_equal(load(path).cv_path_, fitted.cv_path_)
    assert str(fitted.summary())
    value = getattr(fitted, f"{name}_")
    fitted.partial_fit(*tables)  # the choice stays
    assert getattr(fitted, f"{name}_") == value
    with pytest.raises(InputError, match=f"{name}='cv' scores rows"):
        clone(model).fit_moments(fitted.moments_)
    number = clone(model).set_params(**{name: value}).fit(*tables)
    assert not hasattr(number, "cv_path_")
    fitted.set_params(**{name: value}).fit(*tables)
    assert not hasattr(fitted, "cv_path_")


def test_files_and_streams(tmp_path):
    table = np.column_stack([X, y])
    np.save(tmp_path / "wine.npy", table)
    rows = eigenlens.open_rows(tmp_path / "wine.npy", target=13)
    from_file, in_memory = LDA(shrinkage="cv").fit(rows), LDA(shrinkage="cv").fit(X, y)
    assert from_file.shrinkage_ == in_memory.shrinkage_
    np.testing.assert_allclose(from_file.cv_path_, in_memory.cv_path_, rtol=1e-9)
    with pytest.raises(InputError, match="reads rows twice"):
        PCA("cv").fit(eigenlens.open_rows(iter([X[:90], X[90:]])))


def test_left_out_rows_choose_anew():
    few = np.r_[0:12, 60:72]
    assert not leave_one_out(LDA(shrinkage="cv"), X[few, :3], y[few]).closed_form


def test_more_columns_than_rows():
    wide = np.random.default_rng(0).standard_normal((40, 90))
    labels = np.arange(40) % 2
    wide[:, 0] += 3 * labels
    assert LDA(shrinkage="cv").fit(wide, labels).shrinkage_ > 0
    assert 1 <= PCA("cv").fit(wide).n_components_ < 39
    assert CCA(2, ridge="cv").fit(wide, wide[:, :3] + 0.1).ridge_ > 0


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LDA(shrinkage="CV"), "shrinkage='CV'"),
        (QDA(pooling="cvv"), "pooling='cvv'"),
        (PDA(lam="cv", df=3.0), "leave one"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(model, words):
    with pytest.raises((InputError, TypeError), match=words):
        model.fit(X, y)
