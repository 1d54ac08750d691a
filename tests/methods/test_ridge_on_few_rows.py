"""Methods with a ridge on tables of fewer rows than columns, against dense problems of columns by columns."""

import numpy as np
import pytest
import scipy.linalg

from eigenlens import CCA, LDA, SIR
from eigenlens.solve.shrinkage import RidgedForm

N, P, CLASSES = 90, 450, 3
CASES = ("plain", "far away", "weighted", "repeated rows", "repeated columns", "wide range")


def table(case):
    """Rows, classes and weights; weights are whole numbers, so a row can be repeated in their place."""
    rng = np.random.default_rng(CASES.index(case))
    y = np.arange(N) % CLASSES
    X = rng.standard_normal((N, P)) * np.linspace(1, 3, P)
    X[:, :5] += 2.0 * y[:, None]
    weight = rng.integers(1, 4, N) if case == "weighted" else np.ones(N, dtype=int)
    if case == "far away":
        X = X + np.round(1e8 * rng.standard_normal(P))
    elif case == "repeated rows":
        X[N // 2 :] = X[: N // 2]
    elif case == "repeated columns":
        X[:, P // 2 :] = X[:, : P // 2]
    elif case == "wide range":
        X[:, 10:20] *= 30.0
    return X, y, weight


def centred(X, weight):
    rows = np.repeat(X, weight, axis=0)
    rows = rows - rows[0]  # exact beside a large offset
    return rows - rows.mean(axis=0)


def leading(M, B, k):
    """Directions of MᵀMv = λBv by a dense decomposition."""
    values, vectors = scipy.linalg.eigh(M.T @ M, B)
    return values[::-1][:k], vectors[:, ::-1][:, :k]


def agree(found, exact, B, atol=1e-7):
    """Hold directions to be the same up to length and turns within their span, in the metric of B."""
    root = scipy.linalg.cholesky(B)
    angles = scipy.linalg.subspace_angles(root @ np.asarray(found, dtype=float), root @ exact)
    assert angles.max() < atol


@pytest.mark.parametrize("case", CASES)
def test_lda_with_shrinkage(case):
    X, y, weight = table(case)
    model = LDA(shrinkage=0.3).fit(X, y, sample_weight=weight)
    rows, labels = centred(X, weight), np.repeat(y, weight)
    means = np.stack([rows[labels == c].mean(axis=0) for c in range(CLASSES)])
    inside = rows - means[labels]
    S = inside.T @ inside / (len(rows) - CLASSES)
    B = 0.7 * S + 0.3 * np.trace(S) / P * np.eye(P)
    shares = np.bincount(labels) / len(labels)
    M = np.sqrt(shares)[:, None] * (means - shares @ means)
    values, exact = leading(M, B, CLASSES - 1)
    agree(model.scalings_, exact, B)
    np.testing.assert_allclose(model.spectrum_.values[: CLASSES - 1], values, rtol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_sir_with_a_ridge(case):
    X, _, weight = table(case)
    t = np.arange(N) % 4
    model = SIR(2, n_slices=[0.5, 1.5, 2.5], ridge=0.5).fit(X, t.astype(float), sample_weight=weight)
    rows, slices = centred(X, weight), np.repeat(t, weight)
    B = rows.T @ rows / len(rows) + 0.5 * np.eye(P)
    means = np.stack([rows[slices == h].mean(axis=0) for h in range(4)])
    M = np.sqrt(np.bincount(slices) / len(slices))[:, None] * means
    values, exact = leading(M, B, 2)
    agree(model.subspace_.basis, exact, B)
    np.testing.assert_allclose(model.spectrum_.values[:2], values, rtol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_cca_with_a_ridge(case):
    X, _, weight = table(case)
    Y = X[:, :3] - X[:1, :3] + np.random.default_rng(9).standard_normal((N, 3))
    model = CCA(2, ridge=0.5).fit(X, Y, sample_weight=weight)
    rows, others = centred(X, weight), centred(Y, weight)
    B = rows.T @ rows / (len(rows) - 1) + 0.5 * np.eye(P)
    Syy = others.T @ others / (len(rows) - 1) + 0.5 * np.eye(3)
    Sxy = rows.T @ others / (len(rows) - 1)
    M = np.linalg.solve(np.linalg.cholesky(Syy), Sxy.T)
    values, exact = leading(M, B, 2)
    agree(model.x_weights_, exact, B)
    np.testing.assert_allclose(model.correlations_, np.sqrt(values), rtol=1e-9)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("narrow", ["neither", "X"])
def test_cca_of_two_wide_tables(case, narrow):
    X, _, weight = table(case)
    Y = X[:, ::-1] - X[:1, ::-1] + np.random.default_rng(9).standard_normal((N, P))
    X = X[:, :4] if narrow == "X" else X
    model = CCA(2, ridge=5.0).fit(X, Y, sample_weight=weight)
    rows, others = centred(X, weight), centred(Y, weight)
    Sxx, Syy = (T.T @ T / (len(rows) - 1) + 5.0 * np.eye(T.shape[1]) for T in (rows, others))
    Sxy = rows.T @ others / (len(rows) - 1)
    values, exact = leading(np.linalg.solve(np.linalg.cholesky(Syy), Sxy.T), Sxx, 2)
    agree(model.x_weights_, exact, Sxx)
    agree(model.y_weights_, np.linalg.solve(Syy, Sxy.T @ exact), Syy)
    np.testing.assert_allclose(model.correlations_, np.sqrt(values), rtol=1e-9)
    scores = (Y - Y[:1]) @ np.asarray(model.y_weights_, dtype=float)
    assert np.abs(np.cov(scores.T, fweights=weight)).max() < 1.0  # the ridge is part of their length


def test_more_directions_than_there_are():
    X, y, _ = table("plain")
    with pytest.raises(ValueError, match="n_components"):
        LDA(CLASSES, shrinkage=0.3).fit(X, y)


def test_rows_are_neither_copied_nor_squared_over_columns(monkeypatch):
    """The ridge keeps its rows as they are, and no matrix of columns by columns is made."""
    X, y, _ = table("plain")
    monkeypatch.setattr(RidgedForm, "expanded", lambda self: pytest.fail("a row for each column was made"))
    for model in (LDA(shrinkage=0.3), SIR(2, ridge=0.5)):
        model.fit(X, y)
        model.transform(X)
