"""Parameters that cross-validation chooses: what cross_validate finds best, in files and weights too."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from threadpoolctl import threadpool_limits

import eigenlens
from eigenlens import CCA, LDA, PCA, PDA, QDA, load, save
from eigenlens.arrays import linalg
from eigenlens.exceptions import InputError
from eigenlens.validation import cross_validate, leave_one_out
from eigenlens.validation.subjects import MomentsSubject

X, y = load_wine(return_X_y=True)
X = X / X.std(axis=0)
WEIGHTS = np.random.default_rng(0).integers(1, 3, len(X)).astype(float)
CASES = [
    (LDA(shrinkage="cv"), (X, y), "shrinkage", "accuracy first"),
    (QDA(pooling="cv"), (X, y), "pooling", "accuracy first"),
    (PDA(lam="cv"), (X, y), "lam", "accuracy first"),
    (CCA(ridge="cv"), (X[:, :8], X[:, 8:]), "ridge", "r2"),
    (PCA("cv"), (X,), "n_components", "likelihood"),
]


@pytest.mark.parametrize(("model", "tables", "name", "scoring"), CASES, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["plain", "weighted"])
def test_what_cross_validation_finds_best_is_taken(model, tables, name, scoring, weight):
    fitted = clone(model).fit(*tables, sample_weight=weight)
    tried = [int(v) if name == "n_components" else float(v) for v in fitted.cv_path_[:, 0]]
    plain = clone(model).set_params(**{name: tried[0]}, **model._pinned())
    result = cross_validate(plain, *tables, settings={name: tried}, scoring=scoring, sample_weight=weight)
    np.testing.assert_allclose(fitted.cv_path_[:, 1], result.mean_scores, rtol=1e-9)
    np.testing.assert_allclose(fitted.cv_path_[:, 2], result.standard_errors, rtol=1e-7)
    taken = result.one_standard_error if name == "n_components" else result.best
    assert getattr(fitted, f"{name}_") == pytest.approx(taken[name], rel=1e-12)
    again = plain.set_params(**taken).fit(*tables, sample_weight=weight)
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


def wide(rng, n):
    """20 of 2,000 columns tell four classes apart."""
    labels = np.arange(n) % 4
    rows = rng.standard_normal((n, 2000))
    rows[:, :20] += np.random.default_rng(7).standard_normal((4, 20))[labels]
    return rows, labels


def narrow(rng, n):
    """Six columns, nearly collinear."""
    labels = np.arange(n) % 3
    mixed = np.random.default_rng(8).standard_normal((6, 6))
    return (rng.standard_normal((n, 6)) + np.random.default_rng(7).standard_normal((3, 6))[labels]) @ mixed, labels


def noisy(rng, n):
    """One column of 30 says a little."""
    labels = np.arange(n) % 2
    rows = rng.standard_normal((n, 30))
    rows[:, 0] += 0.5 * labels
    return rows, labels


def separable(rng, n):
    labels = np.arange(n) % 3
    return rng.standard_normal((n, 40)) + 6 * np.eye(3, 40)[labels], labels


CHOICES = {
    "LDA": (LDA(shrinkage="cv"), "shrinkage", {"shrinkage_target": "diagonal"}),
    "QDA": (QDA(pooling="cv", shrinkage=0.1), "pooling", {}),
    "PDA": (PDA(lam="cv"), "lam", {}),
}


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.RankWarning")  # some values leave directions out
@pytest.mark.parametrize(
    ("name", "table"),
    [(name, table) for name in CHOICES for table in (wide, narrow, noisy, separable) if (name, table) != ("QDA", wide)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_the_choice_is_as_good_as_the_best_value_for_new_rows(name, table):
    """Within one standard error of what the rows can tell: that of a share of so many of them."""
    model, parameter, fixed = CHOICES[name]
    n, best, found = 80, [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        rows, labels = table(rng, n)
        fresh, truth = table(rng, 1500)
        chosen = clone(model).fit(rows, labels)
        values = chosen.cv_path_[:, 0].tolist()
        fits = [clone(model).set_params(**{parameter: v}, **fixed).fit_moments(chosen.moments_) for v in values]
        best.append(max(fit.score(fresh, truth) for fit in fits))
        found.append(chosen.score(fresh, truth))
    share = np.mean(best)
    assert np.mean(found) >= share - np.sqrt(max(share * (1 - share), 1 / n) / n)
    assert np.mean(found) > 1 / len(np.unique(labels))  # the priors


def test_small_fits_of_many_settings_keep_to_one_blas_thread(monkeypatch):
    # threads of small products meet all the time: with another program beside it, a choice took 10 to 20 times as long
    threads, fit = [], MomentsSubject.fit

    def watched(*args, **options):
        threads.extend(library.num_threads for library in linalg.blas_libraries())
        return fit(*args, **options)

    monkeypatch.setattr(MomentsSubject, "fit", watched)
    with threadpool_limits(2):
        LDA(shrinkage="cv").fit(np.repeat(X[::3], 100, axis=1), y[::3])
    whole = len(linalg.blas_libraries())  # the last fit is that of all rows
    assert set(threads[:-whole]) == {1}
