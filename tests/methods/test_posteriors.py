"""Posterior probabilities: they add up to 1 and are those of the definition, however large the scores are."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsRegressor

from eigenlens import FDA, LDA, MDA, PDA, KernelClassifier

X, y = load_iris(return_X_y=True)
PERFECT = pytest.mark.filterwarnings("ignore::eigenlens.exceptions.PerfectFitWarning")
SUM = 4 * np.finfo(float).eps  # of three numbers, each rounded once or twice


def by_definition(Z: np.ndarray, C: np.ndarray, priors: np.ndarray) -> np.ndarray:
    """π_k exp(−½‖z − c_k‖²), normalised, with 60 digits."""
    out = np.zeros((len(Z), len(C)))
    with mp.workdps(60):
        for i, z in enumerate(Z):
            d = [-sum((mp.mpf(a) - mp.mpf(b)) ** 2 for a, b in zip(z, c, strict=True)) / 2 for c in C]
            odds = [mp.mpf(p) * mp.exp(v - max(d)) for p, v in zip(priors, d, strict=True)]
            out[i] = [float(o / sum(odds)) for o in odds]
    return out


def far_class(shift: float) -> np.ndarray:
    moved = X.copy()
    moved[y == 2] += shift
    return moved


@PERFECT
@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (FDA(regressor=KNeighborsRegressor(9)), X),
        (LDA(), far_class(1e8)),
        (LDA(), far_class(1e11)),
        (PDA(), far_class(1e8)),
        (FDA(), far_class(1e8)),
        (MDA(n_subclasses=2), far_class(1e6)),
        (KernelClassifier("linear", loss="logistic", lam=1.0), X),
    ],
    ids=["FDA neighbours", "LDA 1e8", "LDA 1e11", "PDA", "FDA", "MDA", "kernel logistic"],
)
def test_posteriors_add_up_to_one(model, rows):
    model.fit(rows, y)
    centre, spread = rows.mean(axis=0), rows.std(axis=0)
    rng = np.random.default_rng(0)
    for far in (0.0, 1e3, 1e8, 1e16):
        new = rows if far == 0 else centre + far * spread * rng.standard_normal((200, 4))
        P = model.predict_proba(new)
        assert np.isfinite(P).all()
        assert np.abs(P.sum(axis=1) - 1).max() <= SUM
        assert np.isfinite(model.predict_log_proba(new)).all()
        assert (model.predict(new) == model.classes_[P.argmax(axis=1)]).all()


def test_a_far_row_between_two_classes_adds_up_to_one():
    rng = np.random.default_rng(1)
    rows = np.vstack([rng.standard_normal((50, 2)) + shift for shift in ([0, 0], [3, 0], [0, 3])])
    model = LDA().fit(rows, np.repeat([0, 1, 2], 50))
    C = model.centroids_
    across = C[1] + C[2] - 2 * C[0]
    z = across - (across @ (C[2] - C[1])) / np.sum((C[2] - C[1]) ** 2) * (C[2] - C[1])
    far = 1e16 * (z @ np.linalg.pinv(model.transform(np.eye(2)) - model.transform(np.zeros((2, 2)))))[None, :]
    P = model.predict_proba(far)
    assert abs(P.sum() - 1) <= SUM


@PERFECT
@pytest.mark.parametrize(
    ("model", "rows", "tolerance"),
    [
        (FDA(regressor=KNeighborsRegressor(9)), X, 1e-9),
        (LDA(), X, 1e-13),
        (LDA(), far_class(1e6), 1e-9),
    ],
    ids=["FDA neighbours", "LDA", "LDA 1e6"],
)
def test_posteriors_are_those_of_the_definition(model, rows, tolerance):
    model.fit(rows, y)
    Z = model.transform(rows)
    assert np.abs(model.predict_proba(rows) - by_definition(Z, model.centroids_, model.priors_)).max() < tolerance


def test_subclasses_without_spread_have_posteriors_of_their_shares():
    x = np.array([1, -1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1.0])[:, None]
    labels = np.repeat([0, 1, 2], 4)
    with np.errstate(all="ignore"), pytest.warns():
        model = MDA().fit(x, labels)
    P = model.predict_proba(x)
    assert np.abs(P.sum(axis=1) - 1).max() <= SUM
    assert np.allclose(P[0], [2 / 6, 3 / 6, 1 / 6], atol=1e-6)
    assert np.allclose(model.predict_subclass_proba(x).sum(axis=1), 1, atol=SUM, rtol=0)
