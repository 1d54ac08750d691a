"""Kernels of rows far from the origin: digits are kept where a shift can be absorbed, else a warning counts them."""

from __future__ import annotations

import warnings

import mpmath as mp
import numpy as np
import pytest

from eigenlens import KernelClassifier, KernelPCA, KernelRegressor
from eigenlens.exceptions import ConditionWarning, NotConvergedWarning, RankWarning
from eigenlens.kernels import Gaussian, Linear, Polynomial
from eigenlens.kernels.kernel import AboutPivot

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
def test_polynomial_regression_keeps_its_digits_or_tells_how_many_it_lost(far, degree, lam):
    exact = exact_ridge(U + far, Y, NEW + far, lam, degree)
    for factor in (1.0, 0.5):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = KernelRegressor(factor * Polynomial(degree), lam=factor * lam).fit(U + far, Y)
        off = np.abs(model.predict(NEW + far) - exact).max() / Y.std()
        share = share_told(told[0]) if told else 2e-7
        assert off < 5 * share
        assert far > 0 or not told


def share_told(warning):
    assert issubclass(warning.category, ConditionWarning)
    text = str(warning.message)
    assert text.endswith("Use a larger lam; with a linear or polynomial kernel, centre and scale the columns.")
    return float(text.partition("fitted values by ")[2].removeprefix("up to ").split()[0])


@pytest.mark.parametrize("degree", [2, 3])
def test_centred_columns_are_the_way_out(degree):
    rows = U + 1e6
    centred = rows - rows.mean(axis=0)
    exact = exact_ridge(centred, Y, centred, 1e-3, degree)
    model = KernelRegressor(Polynomial(degree), lam=1e-3).fit(centred, Y)
    assert np.abs(model.predict(centred) - exact).max() < 1e-7 * Y.std()


@pytest.mark.parametrize("kernel", [Polynomial(2) + Gaussian(1.0), Polynomial(2) * Linear()], ids=repr)
def test_a_lam_below_all_rounding_is_told_with_a_number(kernel):
    with pytest.warns(ConditionWarning, match=r"lost in the rounding .* by up to \de[-+]\d\d of the responses"):
        KernelRegressor(kernel, lam=1e-6).fit(U + 1e5, Y)
    with pytest.warns(ConditionWarning, match=r"fitted values by (up to )?\de[-+]\d\d of the responses"):
        KernelClassifier(kernel, loss="logistic", lam=1e-6).fit(U + 1e5, Y > 0)


@pytest.mark.parametrize("loss", ["hinge", "epsilon_insensitive"])
def test_support_machines_of_polynomials_tell_far_away_what_libsvm_may_have_missed(loss):
    y = U[:, 0] + U[:, 1] ** 2
    cls, y = (KernelClassifier, y > 0.8) if loss == "hinge" else (KernelRegressor, y + 0.1 * Y)
    with pytest.warns(NotConvergedWarning, match="centre them.* the risk of this fit may exceed the least by"):
        cls(Polynomial(2), loss=loss, lam=1e-3).fit(U + 1e5, y)


def exact_axes(X, degree, count):
    """Return the largest eigenvalues of the centred kernel matrix, with 100 digits."""
    with mp.workdps(100):
        rows = mp.matrix(X.tolist())
        n = rows.rows
        K = (rows * rows.T).apply(lambda v: (v + 1) ** degree)
        P = mp.eye(n) - mp.ones(n) / n
        values = mp.eigsy(P * K * P, eigvals_only=True)
        return np.array(sorted((float(v) for v in values), reverse=True)[:count])


@pytest.mark.parametrize("degree", [2, 3])
def test_weak_axes_of_polynomials_keep_six_digits_at_a_hundred_spreads(degree):
    model = KernelPCA(5, kernel=Polynomial(degree)).fit(U + 100)
    np.testing.assert_allclose(model.eigenvalues_, exact_axes(U + 100, degree, 5), rtol=1e-6)


@pytest.mark.parametrize("far", [1e4, 1e5])
def test_weak_axes_of_polynomials_are_told_with_their_digits(far):
    exact = exact_axes(U + far, 2, 3)
    with pytest.warns(ConditionWarning, match="in the weakest axis.* Subtract the means of the columns") as told:
        model = KernelPCA(3, kernel=Polynomial(2)).fit(U + far)
    off = abs(model.eigenvalues_[-1] / exact[-1] - 1)
    digits = int(str(told[0].message).partition("about ")[2].split()[0])
    assert off < 10.0 ** (1 - digits)
    np.testing.assert_allclose(model.eigenvalues_[:2], exact[:2], rtol=1e-10)


def test_axes_below_all_rounding_are_told():
    with pytest.warns(RankWarning, match="rank 2 .* below rounding .* Subtract the means of the columns"):
        KernelPCA(5, kernel=Polynomial(2)).fit(U + 1e6)
    assert KernelPCA(5, kernel=Polynomial(2)).fit(U).n_components_ == 5


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
    about, here = AboutPivot(kernel, a), a[None, :]
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
