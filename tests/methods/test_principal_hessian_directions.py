"""Principal Hessian directions: what is its own, beyond the laws."""

import numpy as np
import pytest

from eigenlens import PrincipalHessianDirections, load, open_rows, save
from eigenlens.exceptions import InputError, InputTypeError, RankWarning
from eigenlens.moments import Cubic, Factor, Scatter
from eigenlens.rows import Block

rng = np.random.default_rng(0)
X = rng.standard_normal((400, 5)) @ rng.standard_normal((5, 5)) + 10
y = 3 + (X[:, 0] - 10) ** 2 - (X[:, 1] - 9) ** 2 + X[:, 2] + 0.3 * rng.standard_normal(400)


def textbook(X, y, w, residuals):
    """Return the eigenvalues of the Hessian matrix, by size, and unit directions, written as in Li (1992)."""
    W = w.sum()
    centred = X - w @ X / W
    S = (centred * w[:, None]).T @ centred / W
    e = y - w @ y / W
    if residuals:
        root = np.sqrt(w)
        e = e - centred @ np.linalg.lstsq(centred * root[:, None], e * root, rcond=None)[0]
    K = (centred * (w * e)[:, None]).T @ centred / W
    values, vectors = map(np.real, np.linalg.eig(np.linalg.solve(S, K)))
    order = np.argsort(-np.abs(values))
    return values[order], vectors[:, order] / np.linalg.norm(vectors[:, order], axis=0)


@pytest.mark.parametrize("residuals", [True, False])
def test_is_the_textbook_formula(residuals):
    w = rng.integers(1, 4, len(X)).astype(float)
    model = PrincipalHessianDirections(residuals=residuals).fit(X, y, w)
    values, directions = textbook(X, y, w, residuals)
    np.testing.assert_allclose(model.curvatures_, values, rtol=1e-9)
    units = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(units.T), np.abs(directions), atol=1e-8)


def test_residuals_are_y_without_its_line():
    line = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)[0]
    rest = y - np.column_stack([np.ones(len(X)), X]) @ line
    whole, plain = PrincipalHessianDirections().fit(X, y), PrincipalHessianDirections(residuals=False).fit(X, rest)
    np.testing.assert_allclose(whole.curvatures_, plain.curvatures_, rtol=1e-9)
    np.testing.assert_allclose(whole.eigenvalues_, plain.eigenvalues_, rtol=1e-9)


def test_a_line_added_to_y_changes_nothing_but_slopes():
    one, other = (PrincipalHessianDirections().fit(X, y + X @ b) for b in (np.zeros(5), np.array([5.0, -3, 2, 0, 1])))
    np.testing.assert_allclose(one.components_, other.components_, atol=1e-9)
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, rtol=1e-8)


def test_opposite_curvatures_are_two_directions():
    """A product of two columns is a saddle: κ and −κ, whose squares are one eigenvalue."""
    corners = np.array([[a, b, c] for a in (-1.0, 1) for b in (-1.0, 1) for c in (-1.0, 1)])
    model = PrincipalHessianDirections(2).fit(corners, corners[:, 0] * corners[:, 1])
    np.testing.assert_allclose(np.sort(model.curvatures_), [-1, 1], atol=1e-12)
    np.testing.assert_allclose(np.abs(model.components_), np.sqrt([[0.5, 0.5, 0]] * 2), atol=1e-12)


def test_units_of_y_leave_eigenvalues():
    one, other = PrincipalHessianDirections().fit(X, y), PrincipalHessianDirections().fit(X, 1e90 * y)
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(one.curvatures_ * 1e90, other.curvatures_, rtol=1e-9)


def test_scales_of_columns_beyond_the_usual():
    scales = np.array([1e-120, 1.0, 1e100, 1.0, 1e-90])
    one, other = PrincipalHessianDirections().fit(X, y), PrincipalHessianDirections().fit(X * scales, y)
    np.testing.assert_allclose(one.curvatures_, other.curvatures_, rtol=1e-8)
    np.testing.assert_allclose(one.components_, other.components_ * scales, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", [Scatter, Factor])
@pytest.mark.parametrize("every", [True, False])
def test_third_moments_are_sums_of_products(kind, every):
    w = rng.uniform(0.5, 2, len(X))
    parts = [
        Cubic(kind, every).update(Block(X[part], y[part, None], w[part]))
        for part in (slice(0, 150), slice(150, 151), slice(151, 400))
    ]
    merged = parts[0].merge(parts[1]).merge(parts[2])
    table = np.column_stack([X, y])
    centred = table - w @ table / w.sum()
    third = np.einsum("n,ni,nj,nk->ijk", w, centred, centred, centred)
    np.testing.assert_allclose(merged.third, third if every else third[-1:], atol=1e-9 * np.abs(third).max())


def test_moments_say_what_they_lack():
    with pytest.raises(InputTypeError, match="third moments of all columns"):
        PrincipalHessianDirections().fit_moments(PrincipalHessianDirections(residuals=False).fit(X, y).moments_)
    few = PrincipalHessianDirections().fit(X, y).moments_
    with pytest.raises(InputError, match="third moments"):
        few.merge(PrincipalHessianDirections(residuals=False).fit(X, y).moments_)


def test_rows_of_a_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "rows.csv"
    pandas.DataFrame(X, columns=list("abcde")).assign(y=y).to_csv(path, index=False)
    model = PrincipalHessianDirections(2).fit(open_rows(path, target="y", batch_rows=64))
    np.testing.assert_allclose(model.curvatures_, PrincipalHessianDirections(2).fit(X, y).curvatures_, rtol=1e-9)
    assert list(model.get_feature_names_out()) == ["phd0", "phd1"]
    again = load(save(model, tmp_path / "model.eigenlens"))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


def test_report_of_a_table(tmp_path):
    pandas = pytest.importorskip("pandas")
    from eigenlens.study import report

    Z = rng.standard_normal((200, 3))
    frame = pandas.DataFrame(Z, columns=list("abc")).assign(y=Z[:, 0] ** 2 + 0.1 * rng.standard_normal(200))
    said = str(report(frame, target="y", method="principal-hessian-directions"))
    assert "one direction, of 3 possible" in said


def test_finds_how_many_directions_bend():
    Z = rng.standard_normal((600, 6))
    bent = Z[:, 0] ** 2 - Z[:, 1] ** 2 + 2 * Z[:, 2] + 0.5 * rng.standard_normal(600)
    model = PrincipalHessianDirections("auto").fit(Z, bent)
    assert len(model.curvatures_) == 2
    assert model.test_dimension(Z, bent, n_draws=99).dimension == 2
    assert PrincipalHessianDirections(residuals=False).fit(Z, bent).test_dimension(Z, bent, n_draws=99).dimension >= 2
    assert "2 of 6" in str(model.summary())


def test_a_line_bends_nowhere():
    with pytest.warns(RankWarning, match="linear function of the columns"):
        model = PrincipalHessianDirections().fit(X, X @ np.arange(1.0, 6))
    assert model.eigenvalues_.tolist() == [0.0]


@pytest.mark.parametrize(
    ("model", "rows", "response", "words"),
    [
        (PrincipalHessianDirections(), X, np.column_stack([y, y]), "y has 2 columns"),
        (PrincipalHessianDirections(), X, np.ones(400), "y is constant"),
        (PrincipalHessianDirections(), X[:5], y[:5], "5 rows of rank 4 leave no residuals"),
        (PrincipalHessianDirections(9), X, y, "X has 5 columns"),
        (PrincipalHessianDirections(residuals="yes"), X, y, "residuals='yes'"),
        (PrincipalHessianDirections("auto", residuals=False), X, y, "n_components='auto'"),
        (PrincipalHessianDirections(), np.ones((400, 2)), y, "every column is constant"),
        (PrincipalHessianDirections(), rng.standard_normal((20, 301)), y[:20], "every three columns"),
    ],
)
def test_says_what_cannot_be(model, rows, response, words):
    with pytest.raises(ValueError, match=words):
        model.fit(rows, response)


def test_refuses_tests_that_do_not_hold():
    plain = PrincipalHessianDirections(residuals=False).fit(X, y)
    with pytest.raises(InputError, match="holds for residuals"):
        plain.test_dimension(method="chi2")
    with pytest.raises(InputError, match="reads rows"):
        plain.test_dimension()
    with pytest.raises(TypeError, match="no slices"):
        PrincipalHessianDirections(n_slices=5)
    with pytest.raises(TypeError, match="reduce the columns first, by PCA"):
        PrincipalHessianDirections(ridge=1.0)


def test_level_of_li():
    """4 to 6% of normal samples that do not bend are rejected, by χ² from moments."""
    hits, runs = 0, 600
    for _ in range(runs):
        Z = rng.standard_normal((300, 4))
        hits += PrincipalHessianDirections().fit(Z, Z[:, 0] + rng.standard_normal(300)).test_dimension().dimension > 0
    assert abs(hits / runs - 0.05) < 3 * np.sqrt(0.05 * 0.95 / runs)
