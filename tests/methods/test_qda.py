"""QDA: its rule by definition, its relatives, R's posteriors, and what it refuses."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris, load_wine

from eigenlens import LDA, PCA, QDA, load, save
from eigenlens.exceptions import ConditionWarning, InputError, InputTypeError

SHARED = Path(__file__).parents[3] / "shared" / "refs" / "qda_pima"
X, y = load_iris(return_X_y=True)


def friedman(X, y, lam, gamma):
    """The class covariances of regularised discriminant analysis, by the formula."""
    labels, n, p = np.unique(y), len(X), X.shape[1]
    T = {k: (X[y == k] - X[y == k].mean(axis=0)).T @ (X[y == k] - X[y == k].mean(axis=0)) for k in labels}
    pooled = sum(T.values())
    found = []
    for k in labels:
        S = ((1 - lam) * T[k] + lam * pooled) / ((1 - lam) * (np.sum(y == k) - 1) + lam * (n - len(labels)))
        found.append((1 - gamma) * S + gamma * np.trace(S) / p * np.eye(p))
    return np.array(found)


@pytest.mark.parametrize(("lam", "gamma"), [(0.0, 0.0), (0.3, 0.0), (0.0, 0.2), (0.4, 0.1), (1.0, 0.5)])
def test_the_rule_is_that_of_normal_laws(lam, gamma):
    model = QDA(pooling=lam, shrinkage=gamma).fit(X, y)
    covariances = friedman(X, y, lam, gamma)
    np.testing.assert_allclose(model.covariances_, covariances, rtol=1e-10)
    joint = np.array([multivariate_normal(X[y == k].mean(axis=0), covariances[k]).logpdf(X) for k in range(3)]).T
    expected = joint - np.logaddexp.reduce(joint, axis=1)[:, None]
    np.testing.assert_allclose(model.predict_log_proba(X), expected, rtol=1e-8, atol=1e-8)
    gaps = X - X[y == 1].mean(axis=0)
    np.testing.assert_allclose(
        model.mahalanobis(X)[:, 1], np.sum(gaps @ np.linalg.inv(covariances[1]) * gaps, axis=1), rtol=1e-8
    )


def test_pooling_leads_to_lda():
    ours, lda = QDA(pooling=1).fit(X, y), LDA().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), lda.predict_proba(X), atol=1e-12)
    priors = [0.2, 0.3, 0.5]
    np.testing.assert_allclose(
        QDA(priors, pooling=1).fit(X, y).predict_proba(X), LDA(priors=priors).fit(X, y).predict_proba(X), atol=1e-12
    )


def test_posteriors_of_r():
    if not SHARED.exists():
        pytest.skip("the Pima table may not be committed; it lies beside the clone")
    with (SHARED / "data.csv").open() as file:
        rows = list(csv.DictReader(file))
    expected = json.loads((SHARED / "expected.json").read_text())
    columns = [name for name in rows[0] if name not in ("part", "type")]
    parts = {
        part: (
            np.array([[float(row[c]) for c in columns] for row in rows if row["part"] == part]),
            np.array([row["type"] for row in rows if row["part"] == part]),
        )
        for part in ("train", "test")
    }
    model = QDA().fit(*parts["train"])
    np.testing.assert_allclose(model.predict_proba(parts["test"][0]), expected["qda_post"], atol=1e-12)
    assert 1 - model.score(*parts["test"]) == pytest.approx(expected["qda_error"])


def test_many_settings_from_one_pass():
    moments = QDA().fit(X, y).moments_
    for options in ({"pooling": 0.5}, {"shrinkage": 0.3}, {"priors": [0.1, 0.1, 0.8]}):
        np.testing.assert_allclose(
            QDA(**options).fit_moments(moments).predict_proba(X), QDA(**options).fit(X, y).predict_proba(X), atol=1e-13
        )
    with pytest.raises(InputTypeError, match="one scatter for each group"):
        QDA().fit_moments(LDA().fit(X, y).moments_)


def test_digits_at_an_offset_and_units_of_any_size():
    wine, kind = load_wine(return_X_y=True)
    here = QDA().fit(wine, kind)
    size = 10.0 ** np.linspace(-120, 120, 13)
    np.testing.assert_allclose(
        QDA().fit(wine * size, kind).predict_proba(wine * size), here.predict_proba(wine), atol=1e-9
    )
    far = wine + 2.0**30
    there = QDA().fit(far, kind)
    np.testing.assert_allclose(there.predict_proba(far), here.predict_proba(far - 2.0**30), atol=1e-6)


def test_a_row_far_away_has_posteriors():
    P = QDA().fit(X, y).predict_proba(X[:3] * 1e8)
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=1e-12)


def test_it_is_saved(tmp_path):
    model = QDA(pooling=0.2).fit(X, np.array(["a", "b", "c"])[y])
    again = load(save(model, tmp_path / "model.eigenlens"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.predict(X[:1])[0] == "a"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pooling": 2}, "pooling=2"),
        ({"shrinkage": -0.1}, r"shrinkage=-0\.1"),
        ({"shrinkage": "auto"}, "shrinkage='auto'"),
        ({"priors": [0.5, 0.5]}, "there are 3 classes"),
        ({"priors": [0.5, 0.5, 0.5]}, r"they add up to 1\.5"),
    ],
)
def test_parameters_that_cannot_work(options, words):
    with pytest.raises((InputError, InputTypeError), match=words):
        QDA(**options).fit(X, y)


def test_classes_without_a_covariance_are_named():
    few = np.concatenate([np.arange(50), [50, 51, 52], np.arange(100, 150)])
    with pytest.raises(InputError, match=r"class 1 has no covariance of its own: its covariance has rank 2.*pooling"):
        QDA().fit(X[few], y[few])
    assert QDA(pooling=0.1).fit(X[few], y[few]).score(X, y) > 0.9
    flat = X.copy()
    flat[y == 2, 3] = 1.0
    with pytest.raises(InputError, match="class 2 has no covariance of its own: column 3 is constant within it"):
        QDA().fit(flat, y)
    with pytest.raises(InputError, match="class 1 has a weight of 1, that of a single row"):
        QDA().fit(X[:51], y[:51])


def holes(seed=0):
    X, y = load_iris(return_X_y=True)
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    return X, y


def test_without_holes_maximum_likelihood_is_the_plain_fit():
    X, y = load_iris(return_X_y=True)
    plain, likely = QDA().fit(X, y), QDA(missing="ml").fit(X, y)
    np.testing.assert_allclose(likely.covariances_, plain.covariances_, rtol=1e-12)
    np.testing.assert_allclose(likely.predict_proba(X), plain.predict_proba(X), atol=1e-13)


def test_posteriors_of_rows_with_holes_are_those_of_their_observed_cells():
    X, y = holes()
    model = QDA(missing="ml").fit(X, y)
    logs = np.zeros((len(X), 3))
    for i, row in enumerate(X):
        seen = ~np.isnan(row)
        for k in range(3):
            law = multivariate_normal(model.means_[k][seen], model.covariances_[k][np.ix_(seen, seen)])
            logs[i, k] = law.logpdf(row[seen]) + np.log(model.priors_[k])
    expected = np.exp(logs - logs.max(axis=1, keepdims=True))
    np.testing.assert_allclose(model.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), atol=1e-11)
    assert model.score(X, y) > 0.95
    part = X[0][~np.isnan(X[0])] - model.means_[1][~np.isnan(X[0])]
    S = model.covariances_[1][np.ix_(~np.isnan(X[0]), ~np.isnan(X[0]))]
    np.testing.assert_allclose(model.mahalanobis(X)[0, 1], part @ np.linalg.solve(S, part), rtol=1e-10)


def test_each_class_has_its_own_likely_moments():
    X, y = holes()
    model = QDA(missing="ml").fit(X, y)
    for k in range(3):
        alone = PCA(2, missing="ml").fit(X[y == k])
        np.testing.assert_allclose(model.means_[k], alone.mean_, rtol=1e-7)
        np.testing.assert_allclose(model.covariances_[k], alone.covariance_, rtol=1e-5)
    parts = QDA(missing="ml")
    for index in np.array_split(np.arange(150)[::-1], 4):
        parts.partial_fit(X[index], y[index])
    np.testing.assert_allclose(parts.predict_proba(X), model.predict_proba(X), atol=1e-9)


def test_imputed_cells_are_expectations_over_the_classes():
    X, y = holes()
    model = QDA(missing="ml").fit(X, y)
    rows, errors = model.impute(X, return_std=True)
    seen = ~np.isnan(X)
    np.testing.assert_array_equal(rows[seen], X[seen])
    assert (errors[seen] == 0).all()
    assert (errors[~seen] > 0).all()
    truth = load_iris().data
    assert np.mean(np.abs(rows - truth)[~seen] < 2 * errors[~seen]) > 0.85


def test_it_takes_part_in_comparisons_but_is_no_method_of_a_study():
    from eigenlens.study.compare import compared_methods
    from eigenlens.study.methods import methods

    assert isinstance(compared_methods("classes", 0, n=100, folds=5)["QDA"], QDA)
    assert "qda" not in methods()


def test_holes_are_refused_unless_asked_for():
    X, y = holes()
    with pytest.raises(ValueError, match="QDA"):
        QDA().fit(X, y)
    with pytest.raises(ValueError, match="missing='mean'"):
        QDA(missing="mean").fit(X, y)


def test_what_cannot_be_fitted_is_said_in_words():
    rows = np.column_stack([X, X[:, 0], X[:, 1]])  # no pooling gives a covariance of full rank
    with pytest.raises(
        InputError, match=r"^settings: none can be fitted\. pooling=0 could not be fitted: class 0"
    ) as raised:
        QDA(pooling="cv").fit(rows, y)
    assert "('" not in str(raised.value)


def test_constant_columns_of_a_class_are_counted():
    rows = X.copy()
    rows[y == 1, 2] = 1.0
    with pytest.raises(InputError, match="column 2 is constant within it"):
        QDA().fit(rows, y)
    rows[y == 1, 3] = 1.0
    with pytest.raises(InputError, match="columns 2, 3 are constant within it"):
        QDA().fit(rows, y)


@pytest.mark.parametrize("pooling", [0.0, 0.5])
def test_columns_that_are_nearly_the_same_cost_digits_and_are_told(pooling):
    rng = np.random.default_rng(0)
    rows, labels = rng.standard_normal((60, 3)), np.arange(60) % 2
    rows[:, 0] += 3 * labels
    near = np.column_stack([rows, rows[:, 1] + 1e-7 * rng.standard_normal(60)])
    assert QDA(pooling=pooling).fit(near, labels).score(near, labels) > 0.9
    far = near.copy()
    far[:, 3] = rows[:, 1] + 1e-12 * rng.standard_normal(60)
    with pytest.warns(ConditionWarning, match="covariance.*digits of the weakest direction are right"):
        QDA(pooling=pooling).fit(far, labels)
