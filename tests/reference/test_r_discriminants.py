"""FDA, PDA and MDA beside R's mda 0.5-3 (R 4.2.2), whose within-class divisor is n where ours is n − K."""

import csv
import json

import numpy as np
import pytest
from refs import figures, unshipped
from sklearn.datasets import load_iris

from eigenlens import FDA, MDA, PDA
from eigenlens.regress import AdaptiveSplines, AdditiveSplines, PenalizedRegression, PolynomialRegression

IRIS = load_iris()
SPECIES = IRIS.target_names[IRIS.target]
HALVES = [(IRIS.data[k::2], SPECIES[k::2]) for k in (0, 1)]  # fitted, and predicted


def vowels(name):
    folder = unshipped(name)
    with open(folder / "data.csv") as lines:
        rows = list(csv.DictReader(lines))
    parts = [[r for r in rows if r["split"] == part] for part in ("train", "test")]
    tables = [(np.array([[float(r[c]) for c in VOWEL] for r in part]), [r["y"] for r in part]) for part in parts]
    return tables, json.loads((folder / "expected.json").read_text())


def same_up_to_sign(found, expected, tolerance):
    expected = np.asarray(expected)
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def compare(model, tables, expected, tolerance):
    """Fit, and compare variates, scores, correlations and errors."""
    (X, y), (Z, z) = tables
    y, z = np.array(y), np.array(z)
    order = np.array(expected["classes"])
    model.fit(X, y)
    n, K = len(y), len(order)
    factor = np.sqrt(n / (n - K))
    rows = len(expected["test_variates_first_rows"])
    same_up_to_sign(model.transform(Z[:rows]) * factor, expected["test_variates_first_rows"], tolerance)
    same_up_to_sign(
        model.scores_[np.searchsorted(model.classes_, order)], expected["optimal_scores_K_by_dim"], tolerance
    )
    np.testing.assert_allclose(
        model.canonical_correlations_**2, expected["values_squared_canonical_correlations"], atol=tolerance
    )
    cumulative = 100 * np.cumsum(model.explained_variance_ratio_)
    np.testing.assert_allclose(cumulative, expected["percent_explained_cumulative"], rtol=tolerance)
    assert np.mean(model.predict(X) != y) == pytest.approx(expected["train_error"])
    assert np.mean(model.predict(Z) != z) == pytest.approx(expected["test_error"])
    assert np.mean(model.predict(Z) != order[np.array(expected["test_class"]) - 1]) == 0


VOWEL = [f"x.{j}" for j in range(1, 11)]


@pytest.mark.parametrize(
    ("name", "regressor"),
    [
        ("degree1", PolynomialRegression(1)),
        ("degree2_with_interactions", PolynomialRegression(2)),
        ("degree2_monomial_no_interactions", PolynomialRegression(2, interactions=False)),
    ],
)
def test_fda_with_polynomials_on_vowel(name, regressor):
    tables, expected = vowels("vowel_fda_poly")
    compare(FDA(regressor=regressor), tables, expected[name], 1e-9)


@pytest.mark.parametrize("name", ["lambda_1", "lambda_10", "lambda_100", "lambda_1000", "df_5"])
def test_pda_with_a_ridge_on_vowel(name):
    tables, expected = vowels("vowel_pda_ridge")
    model = PDA(lam=expected[name]["lambda"])
    compare(model, tables, expected[name], 1e-9)
    assert model.df_ == pytest.approx(expected[name]["df_excluding_intercept"], rel=1e-10)


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.NotConvergedWarning")  # R's fit ends there too
def test_fda_with_bruto_on_iris():
    compare(FDA(regressor=AdditiveSplines()), HALVES, figures("fda_iris")["bruto"], 1e-2)


@pytest.mark.parametrize("degree", [1, 2])
def test_fda_with_mars_on_iris_fits_no_worse(degree):
    """Greedy searches take different knots; ours is held to the GCV of R's terms."""
    (X, y), (Z, z) = HALVES
    expected = figures("fda_iris")[f"mars_degree{degree}"]
    model = FDA(regressor=AdaptiveSplines(degree)).fit(X, y)
    assert np.mean(model.predict(X) != y) <= expected["train_error"]
    assert np.mean(model.predict(Z) != z) <= expected["test_error"] + 2 / 75
    assert np.sum(model.canonical_correlations_**2) >= np.sum(expected["values_squared_canonical_correlations"])


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("iter1", {"max_iter": 1}),
        ("iter5", {"max_iter": 5}),
        ("iter100", {"max_iter": 100}),
        ("iter5_dimension2", {"max_iter": 5, "n_components": 2}),
        ("iter5_ridge1", {"max_iter": 5, "regressor": PenalizedRegression(lam=1.0)}),
    ],
)
def test_mda_from_the_same_start_on_iris(name, parameters):
    given, X, y, codes = figures("mda_iris"), IRIS.data, SPECIES, IRIS.target
    expected, counts = given[name], [2, 3, 2]
    start = np.eye(7)[np.array([0, 2, 5])[codes] + np.array(given["start_subclass"]) - 1]
    model = MDA(n_subclasses=counts, init=start, tol=0, **parameters).fit(X, y)
    k = len(model.canonical_correlations_)
    np.testing.assert_allclose(model.canonical_correlations_**2, expected["values"][:k], atol=1e-10)
    same_up_to_sign(model.centroids_, np.array(expected["means_R_by_dim"]), 1e-10)
    np.testing.assert_allclose(model.subclass_weights_, np.concatenate(expected["sub_prior"]), atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X[::10]), expected["posterior_every10"], rtol=1e-8, atol=1e-300)
    deviance = -2 * np.log(model.predict_proba(X)[np.arange(150), codes]).sum()
    assert deviance == pytest.approx(expected["deviance"], rel=1e-9)
    assert np.mean(model.predict(X) != y) == pytest.approx(expected["train_error"])
