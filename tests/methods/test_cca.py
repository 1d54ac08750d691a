"""CCA: what is its own, beyond the laws."""

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
from sklearn.datasets import load_linnerud

from eigenlens import CCA
from eigenlens.exceptions import ConditionWarning, InputError, RankWarning

X, Y = load_linnerud(return_X_y=True)


def test_variates_have_variance_one_and_the_stated_correlations():
    model = CCA().fit(X, Y)
    u, v = model.transform(X, Y)
    np.testing.assert_allclose(np.cov(u.T), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.cov(v.T), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(u.T @ v / (len(X) - 1), np.diag(model.correlations_), atol=1e-12)
    np.testing.assert_allclose(model.angles_, np.arccos(model.correlations_), rtol=1e-10)
    assert np.all(model.x_weights_[np.abs(model.x_weights_).argmax(axis=0), range(3)] > 0)


@pytest.mark.parametrize("offset", [0.0, 3.0, 1e6])
def test_without_centring_it_has_the_principal_angles_of_the_column_spaces(offset):
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((40, 4)) + offset, rng.standard_normal((40, 3))
    B[:, 0] += A[:, 0]
    found = CCA(center=False).fit(A, B)
    angles = scipy.linalg.subspace_angles(A, B)[::-1]
    np.testing.assert_allclose(found.angles_, angles, atol=1e-8 * max(offset, 1.0) ** 0.5)
    np.testing.assert_array_equal(found.x_mean_, np.zeros(4))
    a, b = found.transform(A, B)
    np.testing.assert_allclose(a, A @ found.x_weights_)
    np.testing.assert_allclose(a.T @ b, 39 * np.diag(np.cos(angles)), atol=1e-5)
    moments = CCA(center=False).fit(A[:20], B[:20]).moments_ + CCA(center=False).fit(A[20:], B[20:]).moments_
    np.testing.assert_allclose(CCA(center=False).fit_moments(moments).angles_, angles, atol=1e-7 * max(offset, 1.0))
    with pytest.raises(InputError, match="center=True"):
        found.test_dimension()
    with pytest.raises(InputError, match="center=False knows no means"):
        CCA(center=False, missing="ml").fit(A, B)


def test_prediction_with_fewer_pairs_and_without_shrinking():
    model = CCA(1).fit(X, Y)
    u, rho = model.transform(X)[:, 0], model.correlations_[0]
    loading = np.cov(Y.T) @ model.y_weights_[:, 0]
    np.testing.assert_allclose(model.predict(X), Y.mean(axis=0) + np.outer(rho * u, loading), rtol=1e-12)
    np.testing.assert_allclose(model.predict(X, shrink=False), Y.mean(axis=0) + np.outer(u, loading), rtol=1e-12)
    full = CCA().fit(X, Y)
    v = (full.predict(X, shrink=False) - Y.mean(axis=0)) @ full.y_weights_
    np.testing.assert_allclose(v, full.transform(X), atol=1e-10)  # Vᵀŷ = Uᵀx


def test_a_single_response_comes_back_as_it_came():
    assert CCA().fit(X, Y[:, 0]).predict(X).shape == (20,)
    assert CCA().fit(X, Y[:, :1]).predict(X).shape == (20, 1)


def test_ridge_solves_the_ridged_pencil():
    r = 5.0
    model = CCA(ridge=r).fit(X, Y)
    S = np.cov(np.column_stack([X, Y]).T)
    Sxx, Syy, Sxy = S[:3, :3] + r * np.eye(3), S[3:, 3:] + r * np.eye(3), S[:3, 3:]
    U, V = model.x_weights_, model.y_weights_
    np.testing.assert_allclose(U.T @ Sxx @ U, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(V.T @ Syy @ V, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(U.T @ Sxy @ V, np.diag(model.correlations_), atol=1e-10)
    moments_only = CCA(ridge=r).fit_moments(CCA().fit(X, Y).moments_)
    np.testing.assert_allclose(moments_only.x_weights_, U, atol=1e-12)


def test_more_columns_than_rows_needs_a_ridge():
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((15, 40)), rng.standard_normal((15, 30))
    with pytest.warns(RankWarning, match="has rank 14 but [34]0 columns vary.*ridge"):
        assert CCA(2).fit(A, B).correlations_ == pytest.approx([1, 1])
    assert np.all(CCA(2, ridge=1.0).fit(A, B).correlations_ < 0.99)


def test_rank_deficient_tables():
    rng = np.random.default_rng(1)
    A, B = rng.standard_normal((100, 3)), rng.standard_normal((100, 4))
    B[:, 0] += A[:, 0]
    base = CCA().fit(A, B)
    doubled = np.column_stack([A, A[:, 0] - A[:, 1], np.full(100, 0.1)])
    with pytest.warns(RankWarning, match="X has rank 3 but 4 columns vary"):
        model = CCA().fit(doubled, B)
    np.testing.assert_allclose(model.correlations_, base.correlations_, rtol=1e-12)
    np.testing.assert_allclose(model.predict(doubled), base.predict(A), atol=1e-11)
    with pytest.raises(InputError, match="Y: every column is constant"):
        CCA().fit(A, np.ones((100, 2)))


def test_moments_alone_cannot_see_a_zero_angle_and_say_so():
    from eigenlens.moments import Cross, Scatter
    from eigenlens.rows import as_source

    rng = np.random.default_rng(2)
    A = rng.standard_normal((500, 3))
    moments = as_source(A, A[:, :2] + 1e-9 * rng.standard_normal((500, 2)), target="table").collect(Cross(Scatter))
    with pytest.warns(ConditionWarning, match="read again"):
        CCA().fit_moments(moments)


@pytest.mark.parametrize("method", ["wilks", "bartlett", "pillai", "lawley-hotelling", "roy"])
def test_dimension_tests(method):
    rng = np.random.default_rng(3)
    A, B = rng.standard_normal((300, 5)), rng.standard_normal((300, 4))
    B[:, 0] += 2 * A[:, 0]
    B[:, 1] += A[:, 1]
    result = CCA().fit(A, B).test_dimension(method=method)
    assert result.dimension == 2
    assert result.p_values.shape == (4,)
    assert str(result).startswith("2 of 4 directions are significant at the 5% level (")
    assert "; the next is not significant (" in str(result)
    assert result.rows == 300
    assert "one after the other by " in result.about
    assert list(result.to_frame().index) == [0, 1, 2, 3]
    with pytest.raises(InputError, match=r"ridge=0\.1"):
        CCA(ridge=0.1).fit(A, B).test_dimension(method=method)
    np.testing.assert_array_equal(CCA(1).fit(A, B).test_dimension(method=method).p_values, result.p_values)


@pytest.mark.parametrize("method", ["wilks", "bartlett", "pillai", "lawley-hotelling", "roy"])
def test_dimension_tests_of_perfect_correlation(method):
    A = np.random.default_rng(6).standard_normal((60, 3))
    assert CCA().fit(A, A).test_dimension(method=method).dimension == 3


def test_wilks_of_linnerud_is_the_published_one():
    """SAS's documentation of PROC CANCORR gives Λ = 0.35039053 with F(9, 34.223) = 2.05, p = 0.0635 for these data."""
    result = CCA().fit(X, Y).test_dimension()
    assert result.statistics["wilks"][0] == pytest.approx(0.35039053, abs=1e-8)
    assert result.statistics["F"][0] == pytest.approx(2.05, abs=5e-3)
    assert result.statistics["df2"][0] == pytest.approx(34.223, abs=5e-4)
    assert result.p_values[0] == pytest.approx(0.0635, abs=5e-5)
    assert result.dimension == 0


def test_tests_hold_their_level():
    """Under independence at most 5% ± Monte Carlo error are rejected."""
    rng = np.random.default_rng(4)
    rejected = 0
    for _ in range(400):
        rejected += CCA().fit(rng.standard_normal((60, 3)), rng.standard_normal((60, 2))).test_dimension().dimension > 0
    assert 0.02 < rejected / 400 < 0.085


def test_plot_of_the_tests():
    import matplotlib

    matplotlib.use("Agg")
    ax = CCA().fit(X, Y).test_dimension().plot().ax_
    assert ax.get_xlabel() == "at most d directions"


def test_moments_remember_how_the_second_table_was_given():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
    fit = CCA().fit(X, y)
    again = CCA().fit_moments(fit.moments_)
    np.testing.assert_allclose(again.predict(X), fit.predict(X))
    named = CCA().fit(X, pd.DataFrame({"weight": y, "height": X[:, 0] + y}))
    assert "height" in str(CCA().fit_moments(named.moments_).summary())
