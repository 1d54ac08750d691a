"""Kernels of rows far from the origin: digits are kept where a shift can be absorbed, else a warning counts them."""

from __future__ import annotations

import warnings

import mpmath as mp
import numpy as np
import pytest

from eigenlens import KernelClassifier, KernelPCA, KernelRegressor
from eigenlens.exceptions import ConditionWarning, NotConvergedWarning
from eigenlens.kernels import Gaussian, Linear, Polynomial
from eigenlens.kernels.shifted import ShiftedKernel

rng = np.random.default_rng(0)
U, NEW = rng.standard_normal((25, 2)), rng.standard_normal((6, 2))
Y = U[:, 0] + rng.standard_normal(25)


def exact_ridge(X, y, new, lam, degree):
    """Solve for c and b with 100 digits: (K + λI)c + b1 = y, 1ᵀc = 0."""
    with mp.workdps(100):
        rows, others = ([[mp.mpf(v) for v in row] for row in table] for table in (X, new))

        def k(a, b):
            return (sum(p * q for p, q in zip(a, b, strict=True)) + 1) ** degree

        n = len(X)
        A, right = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
        for i in range(n):
            for j in range(n):
                A[i, j] = k(rows[i], rows[j]) + (mp.mpf(lam) if i == j else 0)
            A[i, n] = A[n, i] = 1
            right[i] = mp.mpf(y[i])
        c = mp.lu_solve(A, right)
        return np.array([float(sum(c[i] * k(rows[i], z) for i in range(n)) + c[n]) for z in others])


@pytest.mark.parametrize("lam", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("far", [0.0, 100.0, 1e5, 1e6])
def test_polynomial_regression_keeps_its_digits(far, degree, lam):
    exact = exact_ridge(U + far, Y, NEW + far, lam, degree)
    model = KernelRegressor(Polynomial(degree), lam=lam).fit(U + far, Y)
    assert np.abs(model.predict(NEW + far) - exact).max() < 1e-7 * Y.std()
    half = KernelRegressor(0.5 * Polynomial(degree), lam=lam / 2).fit(U + far, Y)
    assert np.abs(half.predict(NEW + far) - exact).max() < 1e-7 * Y.std()


def test_polynomials_of_more_terms_than_rows_keep_their_digits():
    few = np.random.default_rng(1).standard_normal((18, 6))
    y = few[:, 0] + few[:, 1] ** 2
    exact = exact_ridge(few[:12] + 1e5, y[:12], few[12:] + 1e5, 1e-3, 2)
    model = KernelRegressor(Polynomial(2), lam=1e-3).fit(few[:12] + 1e5, y[:12])
    assert np.abs(model.predict(few[12:] + 1e5) - exact).max() < 1e-7 * y.std()


def test_a_path_of_small_lams_is_that_of_refits():
    lams = [1e-3, 1.0, 1e3]
    far = U + 1e5
    chosen = KernelRegressor(Polynomial(2), lam="loo", lams=lams).fit(far, Y)
    for lam, loo in zip(lams, chosen.path_.loo, strict=True):
        left_out = [
            KernelRegressor(Polynomial(2), lam=lam).fit(np.delete(far, i, 0), np.delete(Y, i)).predict(far[[i]])[0]
            - Y[i]
            for i in range(len(Y))
        ]
        np.testing.assert_allclose(loo, np.mean(np.square(left_out)), rtol=1e-6)
    assert chosen.lam_ == lams[int(np.argmin(chosen.path_.loo))]


@pytest.mark.parametrize("far", [1e5, 1e6])
def test_digits_that_are_lost_to_a_small_lam_are_told(far):
    """Columns of 0, 1 and 2 do not tell all monomials apart, and degree 3 spans too many decades."""
    draw = np.random.default_rng(2)
    rows = np.column_stack([draw.standard_normal(25), draw.integers(0, 2, 25), draw.integers(0, 3, 25)])
    y = rows @ [1.0, 1.0, 0.5] + rows[:, 0] ** 2 + 0.3 * draw.standard_normal(25)
    exact = exact_ridge(rows + far, y, rows + far, 1.0, 3)
    with pytest.warns(ConditionWarning, match="rounding may change fitted values by") as told:
        model = KernelRegressor(Polynomial(3), lam=1.0).fit(rows + far, y)
    off = np.abs(model.predict(rows + far) - exact).max() / y.std()
    share = float(str(told[0].message).partition("values by ")[2].split()[0])
    assert len(told) == 1
    assert off / 10 < share < 10 * off


@pytest.mark.parametrize("kernel", [Polynomial(2) + Gaussian(1.0), Polynomial(2) * Linear()], ids=repr)
def test_a_lam_below_all_rounding_is_told_with_a_number(kernel):
    with pytest.warns(ConditionWarning, match=r"lost in the rounding .* by up to \de[-+]\d\d of the responses"):
        KernelRegressor(kernel, lam=1e-6).fit(U + 1e5, Y)
    with pytest.warns(ConditionWarning, match=r"fitted values by (up to )?\de[-+]\d\d of the responses"):
        KernelClassifier(kernel, loss="logistic", lam=1e-6).fit(U + 1e5, Y > 0)


@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("loss", ["hinge", "epsilon_insensitive"])
def test_support_machines_of_polynomials_converge_far_away(loss, degree):
    """Far away only the highest monomials are penalised, so that 1e5 and 1e6 ask nearly the same question."""
    y = U[:, 0] + U[:, 1] ** 2
    cls, y = (KernelClassifier, y > 0.8) if loss == "hinge" else (KernelRegressor, y + 0.1 * Y)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for far in (1e5, 1e6):
            model = cls(Polynomial(degree), loss=loss, lam=1e-3).fit(U + far, y)
            found.append(model.decision_function(U + far) if loss == "hinge" else model.predict(U + far))
    size = np.abs(found[0]).max()
    assert np.abs(found[0] - found[1]).max() < 1e-3 * size
    if loss == "hinge":
        assert ((found[0] > 0) == y).mean() > 0.9


def exact_axes(X, degree, count):
    """Return the largest eigenvalues of the centred kernel matrix, with 100 digits."""
    with mp.workdps(100):
        rows = mp.matrix(X.tolist())
        n = rows.rows
        K = (rows * rows.T).apply(lambda v: (v + 1) ** degree)
        P = mp.eye(n) - mp.ones(n) / n
        values = mp.eigsy(P * K * P, eigvals_only=True)
        return np.array(sorted((float(v) for v in values), reverse=True)[:count])


@pytest.mark.parametrize(("degree", "count"), [(2, 5), (3, 6)])
@pytest.mark.parametrize("far", [100.0, 1e6])
def test_weak_axes_of_polynomials_keep_their_digits(far, degree, count):
    model = KernelPCA(count, kernel=Polynomial(degree)).fit(U + far)
    np.testing.assert_allclose(model.eigenvalues_, exact_axes(U + far, degree, count), rtol=1e-12)
    size = np.abs(model.embedding_).max(axis=0)
    np.testing.assert_allclose(model.transform(U + far) / size, model.embedding_ / size, rtol=0, atol=1e-12)
    assert KernelPCA(kernel=Polynomial(degree)).fit(U + far).n_components_ >= count


def test_a_tube_far_from_the_origin_is_that_of_double_precision():
    """libsvm's single precision left a risk thousands of times the least, in silence."""
    y, rows, lam, epsilon = U[:, 0] + 0.3 * U[:, 1] ** 2, U + 100.0, 0.01, 0.1
    model = KernelRegressor(Polynomial(2), loss="epsilon_insensitive", lam=lam, epsilon=epsilon).fit(rows, y)
    c, fitted = model.function_.coefficients, model.predict(rows)
    with mp.workdps(50):
        table = mp.matrix(rows.tolist())
        values = (table * table.T).apply(lambda v: (v + 1) ** 2) * mp.matrix(c.tolist())
        moved = np.array([float(v - values[0]) for v in values])
    np.testing.assert_allclose(fitted - fitted[0], moved, atol=5e-3)  # f is Σ cᵢ k(xᵢ, ·), less the tiny cᵢ
    bound, error = 1 / (2 * lam), y - fitted
    assert abs(c.sum()) < 1e-8 * bound
    assert (np.abs(c) <= bound * (1 + 1e-9)).all()
    assert (np.abs(error[c == 0]) <= epsilon + 1e-6).all()
    np.testing.assert_allclose(np.sign(error[c != 0]), np.sign(c[c != 0]))
    free = (c != 0) & (np.abs(c) < bound * (1 - 1e-6))
    np.testing.assert_allclose(np.abs(error[free]), epsilon, atol=1e-6)
    assert (np.abs(error[np.abs(c) >= bound * (1 - 1e-6)]) >= epsilon - 1e-6).all()
    assert list(model.support_) == list(np.flatnonzero(c))


def test_single_precision_that_shows_is_told():
    with pytest.warns(NotConvergedWarning, match="the risk of this fit may exceed the least by"):
        KernelRegressor(Polynomial(2) + Gaussian(1.0), loss="epsilon_insensitive", lam=0.01).fit(U + 25.0, Y)
    with pytest.warns(ConditionWarning, match="exceed the least by .* Use polish=True"):
        KernelRegressor(Polynomial(2) + Gaussian(1.0), loss="epsilon_insensitive", lam=0.1).fit(U + 30.0, Y)


@pytest.mark.parametrize(
    "kernel", [Polynomial(2), Polynomial(3), 2 * Polynomial(2).on([1]) + Polynomial(2).on([0])], ids=[2, 3, "sum"]
)
@pytest.mark.parametrize("far", [0.0, 1e3, 1e6])
def test_kernel_pca_puts_fitted_rows_where_they_are(kernel, far):
    model = KernelPCA(2, kernel=kernel).fit(U + far)
    size = np.abs(model.embedding_).max()
    np.testing.assert_allclose(model.transform(U + far), model.embedding_, rtol=0, atol=1e-12 * size)


def test_what_cannot_be_absorbed_is_told():
    product = Polynomial(2) * Linear()
    with pytest.warns(ConditionWarning, match="rounding"):
        KernelRegressor(product, lam=1.0).fit(U + 100, Y)
    with pytest.warns(ConditionWarning, match="digits are left there: the rows lie far from the origin"):
        KernelPCA(2, kernel=product).fit(U + 1e5)
    with pytest.warns(ConditionWarning, match="digits are left there: the rows lie far from the origin"):
        KernelRegressor(Polynomial(2), lam=1.0, n_landmarks=10).fit(U + 1e3, Y)
    KernelPCA(2, kernel=product).fit(U)


@pytest.mark.parametrize("kernel", [Polynomial(1), Polynomial(2), Polynomial(4, 0.5, 2.0)], ids=repr)
def test_kernel_about_a_pivot_is_its_definition(kernel):
    a = np.array([0.5, -2.0])
    about, here = ShiftedKernel(kernel, a), a[None, :]
    expected = kernel(U + a, NEW + a) - kernel(U + a, here) - kernel(here, NEW + a) + kernel(here)
    np.testing.assert_allclose(about._against(NEW)(U), expected, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(about._diagonal(U), np.diag(about._gram(U)), rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("model", [KernelRegressor(lam=0.1), KernelClassifier(loss="logistic", lam=0.1)], ids=repr)
def test_published_function_is_that_of_rows_as_they_came(model):
    rows, y = U + 3, Y if isinstance(model, KernelRegressor) else Y > 0
    for kernel in (Polynomial(2), Polynomial(3) + Gaussian(1.0)):
        model.set_params(kernel=kernel).fit(rows, y)
        values = model.predict(rows) if isinstance(model, KernelRegressor) else model.decision_function(rows)
        np.testing.assert_allclose(model.function_(rows) + model.intercept_, values, atol=1e-8)
        assert type(model.kernel_) is type(kernel)
