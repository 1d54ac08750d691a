"""Directional regression: what is its own, beyond the laws."""

import numpy as np
import pytest

from eigenlens import SAVE, SIR, DirectionalRegression
from eigenlens.exceptions import InputError, RankWarning
from eigenlens.testing import LAWS, Sample
from inverse_models import LAWS_OF_ROWS, li, slice_parts, symmetric, textbook, trace_correlation

rng = np.random.default_rng(0)
X = rng.standard_normal((400, 5)) @ rng.standard_normal((5, 5)) + 10
y = (X[:, 0] - 10) ** 2 + X[:, 1] + 0.3 * rng.standard_normal(400)


def li_and_wang(X, codes, w=None):
    """The formula of Li and Wang (2007), as printed."""
    shares, z, V, root = slice_parts(X, codes, w)
    M = [v + np.outer(c, c) for v, c in zip(V, z, strict=True)]
    S = (z * shares[:, None]).T @ z
    kernel = 2 * sum(p * m @ m for p, m in zip(shares, M, strict=True)) + 2 * S @ S + 2 * np.trace(S) * S
    return textbook(kernel - 2 * np.eye(X.shape[1]), root)


def test_is_the_formula_of_li_and_wang():
    w = rng.integers(1, 4, len(X)).astype(float)
    model = DirectionalRegression(n_slices=4).fit(X, y, w)
    values, directions = li_and_wang(X, model._slicing.codes(y[:, None]), w)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-9)
    np.testing.assert_allclose(np.abs(model.components_), np.abs(directions), rtol=1e-7)


def test_is_the_mean_over_pairs_of_slices():
    """G = Σ p_h p_l (2I − A_hl)², where A_hl is the second moment of differences of rows, one from each slice."""
    codes = np.arange(60) % 3
    A = X[:60]
    shares, _, _, root = slice_parts(A, codes)
    Z = (A - A.mean(axis=0)) @ root
    kernel = np.zeros((5, 5))
    for h in range(3):
        for k in range(3):
            D = (Z[codes == h][:, None] - Z[codes == k][None]).reshape(-1, 5)
            gap = 2 * np.eye(5) - D.T @ D / len(D)
            kernel += shares[h] * shares[k] * gap @ gap
    np.testing.assert_allclose(
        DirectionalRegression().fit(A, slices=codes).eigenvalues_, np.linalg.eigvalsh(kernel)[::-1], rtol=1e-9
    )


@pytest.mark.parametrize("law", LAWS_OF_ROWS)
def test_laws_with_a_numeric_response(law):
    LAWS[law](DirectionalRegression(2, n_slices=4), Sample(X, y))


@pytest.mark.parametrize("law", ["merge", "partial_fit"])
def test_merging_with_given_cuts(law):
    LAWS[law](DirectionalRegression(2, n_slices=[8.0, 10.0, 14.0]), Sample(X, y))


def test_finds_what_a_symmetric_response_hides_from_sir():
    A, b = symmetric(np.random.default_rng(1))
    model = DirectionalRegression(1, n_slices=5).fit(A, b)
    assert np.abs(model.components_[0, 0]) / np.linalg.norm(model.components_) > 0.99
    assert model.test_dimension().dimension == 1
    assert model.test_dimension(A, b, method="permutation", n_draws=99).dimension == 1


def test_finds_a_mean_and_a_variance_at_once():
    r = np.random.default_rng(2)
    A = r.standard_normal((1000, 8))
    b = 3 * A[:, 0] + A[:, 1] ** 2 * (1 + A[:, 0] ** 2) + 0.2 * r.standard_normal(1000)
    truth = np.eye(8)[:, :2]
    found = trace_correlation(DirectionalRegression(2, n_slices=5).fit(A, b).components_, truth)
    assert found > 0.95
    assert found > trace_correlation(SIR(2, n_slices=5).fit(A, b).components_, truth)


def test_on_the_models_of_li():
    """Where means suffice, little is lost to SIR."""
    for model in ("product", "ratio"):
        found = []
        for seed in range(20):
            A, b, truth = li(model, np.random.default_rng(seed))
            found.append(trace_correlation(DirectionalRegression(2, n_slices=5).fit(A, b).components_, truth))
        assert np.mean(found) > 0.8


@pytest.mark.parametrize("method", ["simulation", "permutation"])
def test_the_tests_hold_their_level(method):
    rejected = 0
    for seed in range(60):
        r = np.random.default_rng(seed)
        A, b = r.standard_normal((100, 3)), r.standard_normal(100)
        rejected += (
            DirectionalRegression(n_slices=3).fit(A, b).test_dimension(A, b, method=method, n_draws=39).dimension > 0
        )
    assert rejected / 60 < 0.14


def test_its_moments_are_those_of_save():
    moments = SAVE(n_slices=4).fit(X, y).moments_
    model = DirectionalRegression(2, n_slices=4).fit_moments(moments)
    np.testing.assert_allclose(
        model.components_, DirectionalRegression(2, n_slices=4).fit(X, y).components_, rtol=1e-12
    )


def test_bad_input():
    with pytest.raises(InputError, match="the response is constant"):
        DirectionalRegression().fit(X, np.full(400, 0.5))
    with pytest.raises(InputError, match="method='chi2'"):
        DirectionalRegression().fit(X, y).test_dimension(method="chi2")


@pytest.mark.parametrize("cls", [SAVE, DirectionalRegression])
def test_directions_of_the_same_eigenvalue_are_told(cls):
    """Eight rows in two slices of five columns: two eigenvalues are equal, and rounding turns their axes."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((8, 5)), rng.standard_normal(8)
    order = rng.permutation(8)
    with pytest.warns(RankWarning, match="Directions [12] and [23] have the same eigenvalue"):
        one, other = cls().fit(X, y), cls().fit(X[order], y[order])
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, rtol=1e-10)
    tied = np.abs(np.diff(one.eigenvalues_)) < 1e-9
    shared = np.append(tied, False) | np.append(False, tied)
    apart = [model.transform(X)[:, ~shared] for model in (one, other)]
    np.testing.assert_allclose(*apart, atol=1e-8)
    spaces = [model.transform(X)[:, shared] for model in (one, other)]
    np.testing.assert_allclose(*(Z @ Z.T for Z in spaces), atol=1e-8)  # the space of the tied ones is the same
