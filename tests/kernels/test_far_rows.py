"""Kernels of rows far from the origin: digits are kept where a shift can be absorbed, else a warning counts them."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from eigenlens import KernelClassifier, KernelPCA, KernelRegressor
from eigenlens.exceptions import ConditionWarning
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


@pytest.mark.parametrize(
    ("far", "degree", "lam", "tolerance"),
    [(1e5, 2, 1e4, 1e-6), (100.0, 2, 1e-2, 1e-6), (100.0, 3, 1e3, 1e-6), (0.0, 2, 1e-3, 1e-10)],
)
def test_polynomial_regression_keeps_its_digits(far, degree, lam, tolerance):
    exact = exact_ridge(U + far, Y, NEW + far, lam, degree)
    model = KernelRegressor(Polynomial(degree), lam=lam).fit(U + far, Y)
    assert np.abs(model.predict(NEW + far) - exact).max() < tolerance * Y.std()


@pytest.mark.parametrize(("far", "lam"), [(1e5, 1.0), (1e5, 1e-3), (100.0, 1e-5)])
def test_digits_that_are_lost_to_a_small_lam_are_told(far, lam):
    exact = exact_ridge(U + far, Y, NEW + far, lam, 2)
    with pytest.warns(ConditionWarning, match="rounding") as told:
        model = KernelRegressor(Polynomial(2), lam=lam).fit(U + far, Y)
    assert len(told) == 1
    assert np.abs(model.predict(NEW + far) - exact).max() < 0.1 * Y.std()


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
