"""Leave-one-out in closed form: equal to refits, and to R's where priors are given."""

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenlens import CCA, FDA, LDA, PCA, PDA, QDA, SIR
from eigenlens.exceptions import InputError
from eigenlens.regress import PenalizedRegression
from eigenlens.validation import cross_validate, leave_one_out

SHARED = Path(__file__).parents[3] / "shared" / "refs" / "qda_pima"
X, y = load_wine(return_X_y=True)
X = X / X.std(axis=0)  # columns of one unit
WEIGHTS = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
SOME = np.arange(0, len(X), 9)


def without(model, i, rows, target=None, weight=None):
    others = np.delete(np.arange(len(rows)), i)
    given = {} if weight is None else {"sample_weight": weight[others]}
    return clone(model).fit(rows[others], None if target is None else target[others], **given)


@pytest.mark.parametrize(
    "model",
    [
        LDA(),
        LDA(between="equal"),
        LDA(priors=[0.2, 0.3, 0.5]),
        LDA(shrinkage=0.2),
        LDA(shrinkage="oas", shrinkage_target="identity"),
        PDA(lam=3.0),
        PDA(lam=10.0, penalty="smooth"),
        QDA(),
        QDA(pooling=0.3),
        QDA(shrinkage=0.3),
        QDA([0.2, 0.3, 0.5], pooling=0.3, shrinkage=0.1),
    ],
    ids=str,
)
@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["plain", "weighted"])
def test_posteriors_are_those_of_refits(model, weight):
    rows = X + 1e4  # an offset costs no digits
    result = leave_one_out(model, rows, y, sample_weight=weight)
    assert result.closed_form
    expected = np.array([without(model, i, rows, y, weight).predict_log_proba(rows[[i]])[0] for i in SOME])
    with np.errstate(divide="ignore"):
        found = np.log(result.probabilities[SOME])
    near = expected > -300
    np.testing.assert_allclose(found[near], expected[near], atol=1e-8)
    np.testing.assert_array_equal(result.predictions[SOME], expected.argmax(axis=1))
    counts = np.ones(len(y)) if weight is None else weight
    assert result.score == pytest.approx((result.predictions == y) @ counts / counts.sum())


@pytest.mark.parametrize(
    "model",
    [PenalizedRegression(lam=a, penalty=b) for a, b in [(2.0, "ridge"), (0, "ridge"), (5.0, "smooth")]],
    ids=str,
)
@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["plain", "weighted"])
def test_regressions_are_those_of_refits(model, weight):
    Z, Y = X[:, :8], X[:, 9:]
    result = leave_one_out(model, Z, Y, sample_weight=weight)
    assert result.closed_form
    expected = [without(model, i, Z, Y, weight).predict(Z[[i]])[0] for i in SOME]
    np.testing.assert_allclose(result.predictions[SOME], expected, rtol=1e-9)
    assert leave_one_out(model, Z, Y[:, 0]).predictions.shape == (len(X),)


@pytest.mark.parametrize("k", [1, 3, 8])
@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["plain", "weighted"])
def test_press_is_that_of_refits(k, weight):
    result = leave_one_out(PCA(k), X, sample_weight=weight)
    assert result.closed_form
    expected = [without(PCA(k), i, X, None, weight).reconstruction_error(X[[i]])[0] for i in SOME]
    np.testing.assert_allclose(result.predictions[SOME], expected, rtol=1e-9)
    counts = np.ones(len(y)) if weight is None else weight
    assert result.score == pytest.approx(-result.predictions @ counts / counts.sum())


def test_press_with_few_rows_ties_and_rows_at_the_mean():
    few = np.random.default_rng(1).standard_normal((9, 20))
    expected = [without(PCA(3), i, few).reconstruction_error(few[[i]])[0] for i in range(9)]
    np.testing.assert_allclose(leave_one_out(PCA(3), few).predictions, expected, rtol=1e-9)
    cross = np.vstack([np.eye(4), -np.eye(4), np.zeros((1, 4))])  # equal eigenvalues, and a row that is the mean
    found = leave_one_out(PCA(4), cross)
    np.testing.assert_allclose(found.predictions, 0, atol=1e-12)
    assert np.isfinite(leave_one_out(PCA(2), cross).predictions).all()


def test_posteriors_of_r_with_the_priors_of_all_rows():
    if not SHARED.exists():
        pytest.skip("the Pima table may not be committed; it lies beside the clone")
    with (SHARED / "data.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["part"] == "train"]
    expected = json.loads((SHARED / "expected.json").read_text())
    columns = [name for name in rows[0] if name not in ("part", "type")]
    table = np.array([[float(row[c]) for c in columns] for row in rows])
    labels = np.array([row["type"] for row in rows])
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    for name, model in (("lda", LDA(priors=shares)), ("qda", QDA(shares))):
        found = leave_one_out(model, table, labels)
        np.testing.assert_allclose(found.probabilities, expected[f"{name}_loo_post"], atol=1e-10)


def test_other_models_are_fitted_for_each_row_and_say_so():
    few = np.r_[0:12, 60:72, 140:152]
    Z, labels = X[few], y[few]
    for model in (
        FDA(),
        PDA(),
        LDA(within="equal"),
        LDA(1),
        LDA(1, shrinkage=0.2, between="equal"),
        make_pipeline(StandardScaler(), LDA()),
    ):
        result = leave_one_out(model, Z[:, :4], labels)
        assert not result.closed_form
        assert "fitted once for each row" in str(result)
        other = without(model, 3, Z[:, :4], labels)
        np.testing.assert_allclose(result.probabilities[3], other.predict_proba(Z[[3], :4])[0], atol=1e-12)
    cca = leave_one_out(CCA(2), Z[:, :3], Z[:, 3:6])
    np.testing.assert_allclose(cca.predictions[5], without(CCA(2), 5, Z[:, :3], Z[:, 3:6]).predict(Z[[5], :3])[0])


def test_a_class_of_one_row_is_impossible_without_it():
    labels = np.array(["a", "b"])[(y > 0).astype(int)].astype(object)
    labels[4] = "only"
    result = leave_one_out(LDA(), X, labels)
    assert result.classes.tolist() == ["a", "b", "only"]
    assert result.probabilities[4, 2] == 0
    assert result.predictions[4] != "only"
    expected = without(LDA(), 4, X, labels).predict_proba(X[[4]])[0]
    np.testing.assert_allclose(result.probabilities[4, :2], expected, atol=1e-10)


def test_shares_count_as_rows():
    for model in (LDA(), QDA(), LDA(shrinkage=0.2)):
        found = leave_one_out(model, X, y, sample_weight=np.full(len(X), 1 / len(X)))
        np.testing.assert_allclose(found.probabilities, leave_one_out(model, X, y).probabilities, atol=1e-9)
        shares = cross_validate(model, X, y, sample_weight=np.full(len(X), 1 / len(X)), scoring="neg_log_loss")
        np.testing.assert_allclose(shares.scores, cross_validate(model, X, y, scoring="neg_log_loss").scores, rtol=1e-8)


def test_frames_and_words():
    result = leave_one_out(LDA(), pd.DataFrame(X), pd.Series(np.array(["u", "v", "w"])[y]))
    np.testing.assert_allclose(result.probabilities, leave_one_out(LDA(), X, y).probabilities, atol=1e-12)
    ordered = pd.Series(pd.Categorical(np.array(["low", "middle", "high"])[y], ["low", "middle", "high"], ordered=True))
    for model in (LDA(), LDA(shrinkage=0.1), QDA()):
        found = leave_one_out(model, X, ordered)
        assert found.classes.tolist() == ["low", "middle", "high"]
        np.testing.assert_allclose(found.probabilities, leave_one_out(model, X, y).probabilities, atol=1e-12)
    frame = result.to_frame()
    assert frame.columns.tolist() == ["prediction", "P(u)", "P(v)", "P(w)"]
    assert len(frame) == len(X)


def test_what_is_wrong_is_named():
    with pytest.raises(InputError, match="nothing to say about a row left out"):
        leave_one_out(SIR(1), X, X[:, 0])
    with pytest.raises(ValueError, match="requires y"):
        leave_one_out(LDA(), X)
    with pytest.raises(InputError, match="178"):
        leave_one_out(LDA(), X, y[:5])
    with pytest.raises(InputError, match="3"):
        leave_one_out(PCA(1), X[:2])
    with pytest.raises(InputError, match="NaN"):
        leave_one_out(PCA(1), np.where(np.arange(13) == 2, np.nan, X))
