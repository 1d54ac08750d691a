"""Hinge and ε-insensitive loss on landmarks: at any λ the duality gap is closed, or a warning says how much is left."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.preprocessing import scale

from eigenlens import KernelClassifier, KernelRegressor
from eigenlens.kernels import Gaussian, Polynomial, Spline, ThinPlate, interior
from eigenlens.kernels.coordinates import LandmarkCoordinates, WholeCoordinates
from eigenlens.kernels.landmarks import choose_landmarks
from eigenlens.kernels.reduction import reduce
from eigenlens.kernels.support import SupportProblem

CANCER, SICK = load_breast_cancer(return_X_y=True)
CANCER, SICK = scale(CANCER), 2.0 * SICK - 1.0
DIABETES, PROGRESS = load_diabetes(return_X_y=True)
DIABETES = scale(DIABETES)


def coordinates(X, m, bandwidth=None, weight=None):
    w = np.ones(len(X)) if weight is None else weight
    kernel = Gaussian(bandwidth).fitted(X)
    c = LandmarkCoordinates(choose_landmarks(kernel, X, m), X, w, free="constant")
    return c, np.vstack(c.over(lambda rows, phi: phi)), w


@pytest.mark.parametrize("lam", [10.0, 1.0, 1e-2, 1e-4, 1e-6])
def test_hinge_closes_the_duality_gap(lam):
    """For separable classes too, where most coefficients are far below their bound."""
    c, Phi, w = coordinates(CANCER, 100)
    beta, gamma, a = interior.solve(c, SupportProblem.of(SICK, w, lam))
    beta, b = beta[:, 0], gamma[0, 0] / w.sum() ** 0.5
    primal = np.maximum(0, 1 - SICK * (Phi @ beta + b)).sum() + lam * beta @ beta
    dual = 2 * lam * (SICK @ a - 0.5 * np.sum((Phi.T @ a) ** 2))
    assert abs(primal - dual) < 1e-8 * primal


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("lam", [1.0, 1e-2, 1e-3, 1e-4])
def test_insensitive_closes_the_duality_gap(lam, size):
    c, Phi, w = coordinates(DIABETES, 100)
    y, epsilon, lam = scale(PROGRESS) * size + 7 * size, 0.1 * size, lam / size  # the same problem in other units
    beta, gamma, a = interior.solve(c, SupportProblem.of(y, w, lam, epsilon))
    beta, b = beta[:, 0], gamma[0, 0] / w.sum() ** 0.5
    primal = np.maximum(0, np.abs(y - Phi @ beta - b) - epsilon).sum() + lam * beta @ beta
    dual = 2 * lam * (y @ a - epsilon * np.abs(a).sum() - 0.5 * np.sum((Phi.T @ a) ** 2))
    assert abs(primal - dual) < 1e-7 * primal


@pytest.mark.parametrize("lam", [10.0, 0.1])
def test_rounding_of_the_rows_moves_the_answer_by_rounding(lam):
    """The gap of an interior point leaves its answer half its digits; solving on the faces gives back the others.

    Under the larger λ every coefficient is at a bound: then a whole interval of constants is optimal, and its middle
    is the answer.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    y = np.repeat([1.0, -1.0], 100)
    rounded = X * (1 + 1e-15 * rng.standard_normal(X.shape))
    found = []
    for rows in (X, rounded):
        c, Phi, w = coordinates(rows, 15, 1.5)
        beta, gamma, _ = interior.solve(c, SupportProblem.of(y, w, lam))
        found.append(Phi @ beta[:, 0] + gamma[0, 0] / w.sum() ** 0.5)
    np.testing.assert_allclose(*found, rtol=0, atol=2e-12 * np.abs(found[0]).max())


def test_solution_is_that_of_the_full_problem_in_double_precision():
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((300, 3)), rng.uniform(0.5, 2.0, 300)
    y = np.where(np.sin(2 * X[:, 0]) + 0.5 * rng.standard_normal(300) > 0, 1.0, -1.0)
    c, Phi, _ = coordinates(X, 40, 1.5, w)
    beta, gamma, _ = interior.solve(c, SupportProblem.of(y, w, 0.1))
    a, b = SupportProblem.of(y, w, 0.1).by_libsvm(Phi @ Phi.T, polish=True)
    np.testing.assert_allclose(beta[:, 0], Phi.T @ a, rtol=0, atol=1e-8 * np.abs(Phi.T @ a).max())
    assert gamma[0, 0] / w.sum() ** 0.5 == pytest.approx(b, abs=1e-8)


def test_a_slow_start_is_no_standstill():
    """The first dozen steps come a tenth nearer each: that is progress, and the search goes on to the optimum."""
    rng = np.random.default_rng(1)
    X, w = rng.standard_normal((3000, 4)), np.ones(3000)
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_normal(3000) > 0, 1.0, -1.0)
    c = LandmarkCoordinates(choose_landmarks(Polynomial(3), X, 30), X, w, free="constant")
    problem = SupportProblem.of(y, w, 0.5)
    beta, gamma, a = interior.solve(c, problem)
    assert problem.excess(c.times(beta)[:, 0], a, gamma[0, 0] / 3000**0.5) < 1e-10


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.LandmarkWarning")
@pytest.mark.parametrize("lam", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("bandwidth", [0.5, 2.0, 10.0])
def test_no_setting_ends_in_an_error_of_a_decomposition(bandwidth, lam):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 4))
    f = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    kernel = Gaussian(bandwidth)
    decided = KernelClassifier(kernel, lam=lam, n_landmarks=60).fit(X, f > 0).decision_function(X)
    fitted = KernelRegressor(kernel, loss="epsilon_insensitive", lam=lam, n_landmarks=60).fit(X, f).predict(X)
    assert np.isfinite(decided).all()
    assert np.isfinite(fitted).all()


@pytest.mark.parametrize("landmarks", [None, 12])
def test_free_functions_are_orthonormal_and_coordinates_orthogonal_to_them(landmarks):
    """Several trends too: the preconditioner of the logistic loss assumes it."""
    rng = np.random.default_rng(0)
    X, w = 100.0 + rng.random((40, 2)), rng.uniform(0.5, 2.0, 40)
    kernel = (ThinPlate() if landmarks is None else Gaussian(0.5) + Spline()).fitted(X)
    if landmarks is None:
        c = WholeCoordinates(reduce(kernel, X, w, keep=True))
    else:
        c = LandmarkCoordinates(choose_landmarks(kernel, X, landmarks), X, w)
    phi = np.vstack(c.over(lambda rows, phi: phi))
    assert c.free.shape[1] == 3
    np.testing.assert_allclose((c.free.T * w) @ c.free, np.eye(3), atol=1e-9)
    np.testing.assert_allclose((phi.T * w) @ c.free, 0.0, atol=1e-9 * np.abs(phi).max())
    np.testing.assert_allclose((phi.T * w) @ phi, np.diag(c.d), atol=1e-9 * c.d[-1])
