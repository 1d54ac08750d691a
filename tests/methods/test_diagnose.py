"""Rows that components do not fit: statistics, contributions, and limits that hold on new rows."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from eigenlens import PCA
from eigenlens.exceptions import InputError
from eigenlens.inference import row_limits as limits_of_rows
from eigenlens.inference.row_limits import row_limits
from eigenlens.methods.row_diagnosis import diagnosed

mpl.use("Agg")
rng = np.random.default_rng(0)
VALUES = np.r_[20.0, 8.0, np.ones(6)]
X = rng.standard_normal((100, 8)) * np.sqrt(VALUES) @ np.linalg.qr(rng.standard_normal((8, 8)))[0] + 50


@pytest.mark.parametrize("scale", [False, True])
def test_statistics_and_contributions(scale):
    pca = PCA(2, scale=scale).fit(X)
    found = pca.diagnose(X)
    Z = pca.transform(X)
    np.testing.assert_allclose(found.t2, np.sum(Z**2 / pca.explained_variance_, axis=1), rtol=1e-11)
    np.testing.assert_allclose(found.q, pca.reconstruction_error(X), rtol=1e-10)
    np.testing.assert_allclose(found.t2_contributions.sum(axis=1), found.t2, rtol=1e-10)
    np.testing.assert_allclose(found.q_contributions.sum(axis=1), found.q, rtol=1e-10)
    assert found.t2_contributions.shape == found.q_contributions.shape == X.shape
    np.testing.assert_array_equal(found.outlying, (found.t2 > found.t2_limit) | (found.q > found.q_limit))


def fresh_shares(values, n, tables, rows=1000):
    """Return the share of fresh rows beyond each limit at 5%, over tables of n rows."""
    draw, beyond, p = np.random.default_rng(n), np.zeros(2), len(values)
    for _ in range(tables):
        A = np.tril(draw.standard_normal((p, p)), -1)  # the moments of n rows, without the rows
        A[np.diag_indices(p)] = np.sqrt(draw.chisquare(n - 1 - np.arange(p)))
        U, s, _ = np.linalg.svd(A * np.sqrt(values / (n - 1))[:, None])
        limits = row_limits(s**2, 2, n, p, 0.05)
        fresh = (draw.standard_normal((rows, p)) + draw.standard_normal(p) / np.sqrt(n)) * np.sqrt(values)
        Z = fresh @ U
        t2, q = np.sum(Z[:, :2] ** 2 / s[:2] ** 2, axis=1), np.sum(Z[:, 2:] ** 2, axis=1)
        beyond += [np.mean(t2 > limits.t2), np.mean(q > limits.q)]
    return beyond / tables


@pytest.mark.parametrize(
    ("values", "n", "tables"),
    [(VALUES, 20, 90), (VALUES, 100, 40), (VALUES, 100_000, 6), (np.ones(10), 20, 90), (np.ones(10), 100, 40)],
)
def test_limits_hold_on_fresh_rows(values, n, tables, monkeypatch):
    """With two directions above noise, and without any."""
    monkeypatch.setattr(limits_of_rows, "TABLES", 25)  # as good on average, and many more fits in the same time
    shares = fresh_shares(values, n, tables)
    assert ((shares > 0.04) & (shares < 0.06)).all(), shares


@pytest.mark.parametrize(("n", "p", "k"), [(25, 4, 1), (60, 30, 2), (60, 200, 1), (1000, 10, 9), (30, 100, 29)])
def test_own_limits_hold_on_the_rows_of_the_fit(n, p, k):
    beyond, tables = np.zeros(2), 4000 // n
    for seed in range(tables):
        X = np.random.default_rng(seed).standard_normal((n, p)) * np.linspace(3, 0.5, p)
        found = diagnosed(PCA(k).fit(X), X, 0.05, own=True)
        beyond += [np.mean(found.t2 > found.t2_limit), np.mean(found.q > found.q_limit)]
    shares = beyond / tables
    expected = 0.05 * (k < n - 1)  # rows that span all dimensions are all as far out
    np.testing.assert_allclose(shares, expected, atol=0.015)


def test_the_limit_of_a_weak_direction_holds_where_rows_are_few(monkeypatch):
    """The limit varies from table to table; one that was right on average was exceeded more often than it should be.

    200 tables tell a share to a third of a per cent, so what the correction does is seen by the same tables without it.
    """
    monkeypatch.setattr(limits_of_rows, "TABLES", 50)
    beyond = shares_beyond_a_weak_direction(200)
    assert 0.04 < np.mean(beyond) < 0.06
    monkeypatch.setattr(limits_of_rows, "SPREAD", 0.0)
    assert np.mean(shares_beyond_a_weak_direction(50) - beyond[:50]) > 0.003


def shares_beyond_a_weak_direction(tables, n=20):
    """Return the share of all new rows beyond the limit of T², table by table, as the law of the rows has it."""
    draw, values, beyond = np.random.default_rng(0), np.r_[3.0, np.ones(9)], []
    for _ in range(tables):
        rows = draw.standard_normal((n, 10)) * np.sqrt(values)
        centre = rows.mean(axis=0)
        _, s, Vt = np.linalg.svd(rows - centre, full_matrices=False)
        found = s**2 / (n - 1)
        reach = np.sqrt(limits_of_rows.row_limits(found, 1, n, 10, 0.05).t2 * found[0])
        spread, off = np.sqrt(Vt[0] @ (values * Vt[0])), Vt[0] @ centre
        beyond.append(norm.sf((reach + off) / spread) + norm.sf((reach - off) / spread))
    return np.array(beyond)


def test_limits_need_no_rows_of_the_fit():
    whole = PCA(2).fit(X)
    merged = PCA().fit(X[:30]).moments_.merge(PCA().fit(X[30:]).moments_)
    known = PCA(2).fit_moments(merged).diagnose(X[:5])
    expected = whole.diagnose(X[:5])
    np.testing.assert_allclose([known.t2_limit, known.q_limit], [expected.t2_limit, expected.q_limit], rtol=1e-8)
    np.testing.assert_allclose(known.q, expected.q, rtol=1e-8)
    likely = PCA(2, ddof=0).fit(X).diagnose(X)
    np.testing.assert_array_equal(likely.outlying, whole.diagnose(X).outlying)


def test_a_column_is_blamed():
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    pca = PCA(2, scale=True).fit(frame)
    odd = frame.iloc[:3].copy()
    odd.loc[1, "e"] += 60
    found = pca.diagnose(odd)
    assert found.outlying[1]
    assert found.to_frame()["column"][1] == "e"
    assert "of 3 rows" in str(found)
    assert "<table" in found._repr_html_()
    assert found.plot().ax_.get_xlabel().startswith("T²")


def test_all_components_holes_and_few_rows():
    assert PCA().fit(X).diagnose(X).q.max() < PCA().fit(X).diagnose(X).q_limit
    holes = X.copy()
    holes[3, 4] = np.nan
    assert np.isfinite(PCA(2, missing="ml").fit(holes).diagnose(holes).t2).all()
    wide = rng.standard_normal((12, 40))
    found = PCA(2).fit(wide).diagnose(rng.standard_normal((500, 40)))
    assert 0.005 < np.mean(found.q > found.q_limit) < 0.15


@pytest.mark.parametrize("level", [0, 1, "5%", np.nan])
def test_a_level_that_is_none(level):
    with pytest.raises((InputError, TypeError), match="level="):
        PCA(2).fit(X).diagnose(X, level=level)


def test_rows_are_named_by_the_index():
    names = [f"place {i}" for i in range(100)]
    frame = pd.DataFrame(X, index=names)
    frame.iloc[7] += 40
    found = PCA(2).fit(X).diagnose(frame)
    assert found.rows == names
    assert found.to_frame().index.tolist() == names
    assert "place 7" in [text.get_text() for text in found.plot().ax_.texts]
    assert PCA(2).fit(X).diagnose(pd.DataFrame(X)).rows is None
