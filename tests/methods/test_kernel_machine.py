"""Kernel machines: stationary equations, leave-one-out by brute force, libsvm and scikit-learn, smoothing splines."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from eigenlens import KernelClassifier, KernelPCA, KernelRegressor
from eigenlens.arrays import memory
from eigenlens.exceptions import ConditionWarning, InputError, InputTypeError, NotConvergedWarning, ScaleWarning
from eigenlens.kernels import (
    Brownian,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    SchoenbergKernel,
    Spline,
    ThinPlate,
    as_kernel,
    support,
)

rng = np.random.default_rng(0)
X = rng.standard_normal((50, 2))
y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.standard_normal(50)
NEW = rng.standard_normal((9, 2))
IRIS, SPECIES = load_iris(return_X_y=True)
FLOWERS, TWO = IRIS[50:], SPECIES[50:]


# -- squared loss ------------------------------------------------------------------------------------------------


def test_a_lam_that_costs_digits_is_told_and_never_breaks_the_fit():
    exact = KernelRegressor(Gaussian(3.0), lam=1e-6).fit(X, y).predict(X)
    with pytest.warns(ConditionWarning, match="rounding may change fitted values by"):
        KernelRegressor(Gaussian(3.0), lam=1e-12).fit(X, y)
    with pytest.warns(ConditionWarning, match="lost in the rounding of the kernel matrix"):
        lost = KernelRegressor(Gaussian(3.0), lam=1e-30).fit(X, y).predict(X)
    assert np.abs(lost - y).mean() < np.abs(exact - y).mean()  # nearer to interpolation, not noise
    wide = X * [1e6, 1e-5]  # λ leaves the first column alone, and nothing of the second
    with pytest.warns(ScaleWarning), pytest.warns(ConditionWarning):
        line = KernelRegressor(Linear(), lam=1e-3).fit(wide, y).predict(wide)
    assert_allclose(line, np.polyval(np.polyfit(X[:, 0], y, 1), X[:, 0]), atol=1e-6)


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Laplacian(1.0), Linear(), Polynomial(2)], ids=repr)
def test_the_stationary_equations(kernel):
    w = rng.integers(1, 4, 50)
    model = KernelRegressor(kernel, lam=0.7).fit(X, y, sample_weight=w)
    c, K = model.function_.coefficients, kernel(X)
    error = y - model.predict(X)
    assert_allclose(w @ error, 0, atol=1e-9)  # the intercept is free
    assert_allclose(K @ (0.7 * c - w * error), 0, atol=1e-8)  # so is every cᵢ
    assert_allclose(model.function_(NEW) + model.intercept_, model.predict(NEW), atol=1e-11)


def test_kernel_ridge_on_centred_responses():
    K = Gaussian(1.0)(X)
    H = np.eye(50) - 1 / 50
    peer = KernelRidge(kernel="precomputed", alpha=0.3).fit(H @ K @ H, y - y.mean())
    ours = KernelRegressor(Gaussian(1.0), lam=0.3).fit(X, y)
    assert_allclose(ours.predict(X), peer.predict(H @ K @ H) + y.mean(), atol=1e-9)


def squared_inner_products(A, B):
    return (A @ B.T + 1) ** 2


OF_ALL_KINDS = [Gaussian(1.5), Linear(), Polynomial(2), Spline(-9.0, 99.0), Linear() + Gaussian(1.0), Brownian()]


@pytest.mark.parametrize("kernel", [*OF_ALL_KINDS, squared_inner_products], ids=lambda k: repr(k).split(" at 0x")[0])
@pytest.mark.parametrize("weight", [None, rng.uniform(0.5, 2.0, 50)], ids=["plain", "weighted"])
def test_without_an_intercept_it_is_kernel_ridge(kernel, weight):
    """(K + λW⁻¹) c = y, also for rows far from the origin, which are not moved."""
    far, k = X + 7, as_kernel(kernel)
    W = np.ones(50) if weight is None else weight
    model = KernelRegressor(kernel, lam=0.3, fit_intercept=False).fit(far, y + 3, weight)
    c = np.linalg.solve(k(far) + 0.3 * np.diag(1 / W), y + 3)
    peer = KernelRidge(kernel="precomputed", alpha=0.3).fit(k(far), y + 3, sample_weight=weight)
    size = np.abs(peer.dual_coef_).max() * np.abs(k(far)).max()
    assert_allclose(model.function_.coefficients, c, rtol=0, atol=1e-10 * np.abs(c).max())
    assert_allclose(model.predict(NEW + 7), peer.predict(k(NEW + 7, far)), rtol=0, atol=1e-13 * size + 1e-12)
    assert_allclose(model.function_(NEW + 7), model.predict(NEW + 7), rtol=1e-12)
    assert model.intercept_ == 0
    if kernel is not squared_inner_products:
        landmarks = KernelRegressor(kernel, lam=0.3, fit_intercept=False, n_landmarks=50).fit(far, y + 3, weight)
        assert_allclose(landmarks.predict(NEW + 7), model.predict(NEW + 7), rtol=1e-7)


@pytest.mark.parametrize("landmarks", [None, 50])
def test_the_path_without_an_intercept(landmarks):
    lams, K = np.geomspace(1e-2, 10, 4), Gaussian(1.0)(X)
    model = KernelRegressor(Gaussian(1.0), lam="gcv", lams=lams, n_landmarks=landmarks, fit_intercept=False)
    path = model.fit(X, y + 3).path_
    for j, lam in enumerate(lams):
        S = K @ np.linalg.inv(K + lam * np.eye(50))
        rest = y + 3 - S @ (y + 3)
        assert_allclose(path.df[j], np.trace(S), rtol=1e-8)
        assert_allclose(path.loo[j], np.mean((rest / (1 - np.diag(S))) ** 2), rtol=1e-8)
        assert_allclose(path.gcv[j], np.mean(rest**2) / (1 - np.trace(S) / 50) ** 2, rtol=1e-8)


@pytest.mark.parametrize("landmarks", [None, 50])
def test_other_losses_without_an_intercept(landmarks):
    """Against scikit-learn's linear methods on coordinates in which the kernel is an inner product."""
    kernel, w, lam = Gaussian(1.0), rng.uniform(0.5, 2.0, 50), 0.2
    values, vectors = np.linalg.eigh(kernel(X))
    phi, sign = vectors * np.sqrt(values.clip(0)), np.where(y > 0.3, 1, -1)
    ours = {"kernel": kernel, "lam": lam, "n_landmarks": landmarks, "fit_intercept": False}
    theirs = {"C": 1 / (2 * lam), "fit_intercept": False, "max_iter": 1_000_000}
    hinge = KernelClassifier(**ours).fit(X, sign, w)
    peer = LinearSVC(loss="hinge", tol=1e-8, **theirs).fit(phi, sign, w)
    assert_allclose(hinge.decision_function(X), phi @ peer.coef_[0], atol=1e-5)
    tube = KernelRegressor(loss="epsilon_insensitive", **ours).fit(X, y + 3, w)
    peer = LinearSVR(epsilon=0.1, tol=1e-8, **theirs).fit(phi, y + 3, w)
    assert_allclose(tube.predict(X), phi @ peer.coef_, atol=1e-5)
    logistic = KernelClassifier(loss="logistic", **ours).fit(X, sign, w)
    peer = LogisticRegression(tol=1e-12, solver="newton-cholesky", **theirs).fit(phi, sign, w)
    assert_allclose(logistic.decision_function(X), peer.decision_function(phi), atol=1e-9)
    three = np.digitize(y, [-0.5, 0.5])
    pairs, pair = KernelClassifier(**ours).fit(X, three), three != 1
    second = KernelClassifier(**ours).fit(X[pair], three[pair])
    assert_allclose(pairs.function_[1](NEW), -second.decision_function(NEW), rtol=1e-6)
    one = KernelClassifier(**ours, loss="squared").fit(X, three)
    against = KernelRegressor(**ours).fit(X, np.where(three == 1, 1.0, -1.0))
    assert_allclose(one.decision_function(NEW)[:, 1], against.predict(NEW), rtol=1e-9)
    log = KernelClassifier(**ours, loss="logistic").fit(X, three)
    rest = np.eye(3)[three] - log.predict_proba(X)  # c = (y − p)/(2λ): nothing is free
    assert_allclose(log.decision_function(X), kernel(X) @ rest / (2 * lam), atol=1e-8)
    for model in (pairs, one, log):
        assert not model.intercept_.any()


@pytest.mark.parametrize("kernel", [ThinPlate(), SchoenbergKernel(np.sqrt), Gaussian() + ThinPlate()], ids=repr)
def test_a_conditional_kernel_needs_what_is_free(kernel):
    with pytest.raises(InputError, match="fit_intercept=False leaves nothing free; use fit_intercept=True"):
        KernelRegressor(kernel, fit_intercept=False).fit(X, y)
    with pytest.raises(InputError, match="fit_intercept='no' is not an option"):
        KernelRegressor(fit_intercept="no").fit(X, y)


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Matern(1.5, 1.0), ThinPlate(), Spline(-4.0, 4.0).on([0])], ids=repr)
@pytest.mark.parametrize("landmarks", [None, 12])
def test_the_path_is_brute_force_leave_one_out(kernel, landmarks):
    if landmarks and not kernel.is_positive_definite:
        pytest.skip("landmarks need a positive definite kernel")
    lams = np.geomspace(1e-3, 10, 5)
    rows, z = X[:25], y[:25]
    model = KernelRegressor(kernel, lam="loo", lams=lams, n_landmarks=landmarks)
    if landmarks:
        fitted = model.fit(rows, z)
        points = rows[fitted.landmarks_]
        left_out = [_landmark_errors(kernel, points, rows, z, lam) for lam in lams]
    else:
        fitted = model.fit(rows, z)
        left_out = []
        for lam in lams:
            single = KernelRegressor(kernel, lam=lam)
            errors = [
                z[i] - single.fit(np.delete(rows, i, 0), np.delete(z, i)).predict(rows[i : i + 1])[0] for i in range(25)
            ]
            left_out.append(np.mean(np.square(errors)))
    assert_allclose(fitted.path_.loo, left_out, rtol=1e-8)
    assert fitted.lam_ == lams[np.argmin(left_out)]


def _landmark_errors(kernel, points, rows, z, lam):
    """Leave-one-out with the landmarks held: ridge on [free functions, φ], by brute force."""
    L = np.linalg.cholesky(kernel(points) + 1e-300 * np.eye(len(points)))
    phi = np.linalg.solve(L, kernel(points, rows)).T
    A = np.hstack([kernel._trend(rows), phi])
    penalty = lam * np.diag(np.arange(A.shape[1]) >= A.shape[1] - phi.shape[1])
    out = []
    for i in range(len(rows)):
        keep = np.arange(len(rows)) != i
        beta = np.linalg.solve(A[keep].T @ A[keep] + penalty, A[keep].T @ z[keep])
        out.append(z[i] - A[i] @ beta)
    return np.mean(np.square(out))


def test_gcv_is_its_formula():
    model = KernelRegressor(Gaussian(1.0), lam="gcv").fit(X, y)
    path, i = model.path_, 20
    smoother = np.column_stack(
        [KernelRegressor(Gaussian(1.0), lam=float(path.lams[i])).fit(X, e).predict(X) for e in np.eye(50)]
    )
    assert path.df[i] == pytest.approx(np.trace(smoother), rel=1e-9)
    rss = np.sum((y - smoother @ y) ** 2)
    assert path.gcv[i] == pytest.approx(rss / 50 / (1 - np.trace(smoother) / 50) ** 2, rel=1e-8)
    assert model.lam_ == path.lams[np.argmin(path.gcv)]


def test_one_column_is_the_cubic_smoothing_spline():
    """Reinsch's equations: (I + λ Q R⁻¹ Qᵀ) g = y."""
    x = np.sort(rng.uniform(0, 1, 40))
    z, lam, h = np.sin(6 * x) + 0.1 * rng.standard_normal(40), 1e-4, np.diff(x)
    Q, R = np.zeros((40, 38)), np.zeros((38, 38))
    for j in range(38):
        Q[j : j + 3, j] = 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1]
        R[j, j] = (h[j] + h[j + 1]) / 3
        if j:
            R[j, j - 1] = R[j - 1, j] = h[j] / 6
    g = np.linalg.solve(np.eye(40) + lam * Q @ np.linalg.solve(R, Q.T), z)
    assert_allclose(KernelRegressor(Spline(0.0, 1.0), lam=lam).fit(x[:, None], z).predict(x[:, None]), g, atol=1e-9)
    plate = KernelRegressor(ThinPlate(), lam=12 * lam).fit(x[:, None], z)  # |x − z|³ is 12 times the spline's kernel
    assert_allclose(plate.predict(x[:, None]), g, atol=1e-9)
    line = KernelRegressor(ThinPlate(), lam=1e9).fit(X, X @ [1.0, -2.0] + 3.0)
    assert_allclose(line.trend_, [1.0, -2.0], atol=1e-8)
    assert line.intercept_ == pytest.approx(3.0, abs=1e-8)
    assert_allclose(line.predict(NEW), NEW @ [1.0, -2.0] + 3.0, atol=1e-7)


def test_several_responses_are_fitted_as_one_by_one():
    Y = np.column_stack([y, X[:, 1] ** 2])
    both = KernelRegressor(Gaussian(1.0), lam=0.2).fit(X, Y)
    assert both.predict(NEW).shape == (9, 2)
    for j in range(2):
        one = KernelRegressor(Gaussian(1.0), lam=0.2).fit(X, Y[:, j])
        assert_allclose(both.predict(NEW)[:, j], one.predict(NEW), atol=1e-12)
        assert_allclose(both.function_[j](NEW), one.function_(NEW), atol=1e-12)


# -- libsvm ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Polynomial(2), Linear(), Laplacian(1.0)], ids=repr)
@pytest.mark.parametrize("C", [0.3, 1.0, 20.0])
def test_hinge_is_libsvm(kernel, C):
    K = kernel(FLOWERS)
    w = np.arange(100) % 3
    ours = KernelClassifier(kernel, lam=1 / (2 * C)).fit(FLOWERS, TWO, sample_weight=w)
    peer = SVC(kernel="precomputed", C=C, tol=1e-9).fit(K[w > 0][:, w > 0], TWO[w > 0], sample_weight=w[w > 0])
    assert_allclose(ours.decision_function(FLOWERS), peer.decision_function(K[:, w > 0]), atol=1e-6)
    assert_array_equal(ours.support_, np.flatnonzero(w)[np.sort(peer.support_)])
    assert ours.intercept_ == pytest.approx(peer.intercept_[0], abs=1e-6)


def test_hinge_of_three_classes_is_libsvm():
    ours = KernelClassifier(Gaussian(1.0), lam=0.5).fit(IRIS, SPECIES)
    peer = SVC(gamma=0.5, C=1.0, tol=1e-9).fit(IRIS, SPECIES)
    assert_allclose(ours.decision_function(IRIS), peer.decision_function(IRIS), atol=1e-6)
    assert_array_equal(ours.predict(IRIS), peer.predict(IRIS))
    assert len(ours.function_) == 3
    peer.decision_function_shape = "ovo"
    assert_allclose(ours.function_(IRIS) + ours.intercept_, peer.decision_function(IRIS), atol=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
def test_insensitive_is_libsvm(epsilon):
    w = 1.0 + np.arange(50) % 2
    ours = KernelRegressor(Gaussian(1.0), loss="epsilon_insensitive", epsilon=epsilon, lam=0.25)
    peer = SVR(gamma=0.5, C=2.0, epsilon=epsilon, tol=1e-9)
    assert_allclose(ours.fit(X, y, w).predict(NEW), peer.fit(X, y, w).predict(NEW), atol=1e-6)
    assert_allclose(ours.fit(X, 1e6 * y).lam_, 0.25)


def risk(f, K, a, target, C, epsilon=None):
    loss = np.maximum(0, 1 - target * f) if epsilon is None else np.maximum(0, np.abs(target - f) - epsilon)
    return 0.5 * a @ K @ a + C * loss.sum()


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Polynomial(2), Linear()], ids=repr)
def test_polishing_closes_the_duality_gap(kernel):
    sign, K = 2.0 * (TWO == 2) - 1, kernel(FLOWERS)
    ours = KernelClassifier(kernel, lam=0.5, polish=True).fit(FLOWERS, TWO)
    a = np.zeros(100)
    a[ours.support_] = ours.function_.coefficients
    primal, dual = risk(ours.decision_function(FLOWERS), K, a, sign, 1.0), a @ sign - 0.5 * a @ K @ a
    assert primal - dual == pytest.approx(0, abs=1e-9 * primal)
    ours = KernelRegressor(kernel, loss="epsilon_insensitive", epsilon=0.2, lam=0.5, polish=True).fit(X, y)
    a, K = np.zeros(50), kernel(X)
    a[ours.support_] = ours.function_.coefficients
    gap = risk(ours.predict(X), K, a, y, 1.0, 0.2) - (a @ y - 0.2 * np.abs(a).sum() - 0.5 * a @ K @ a)
    assert gap == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("loss", ["hinge", "logistic", "squared"])
def test_all_rows_as_landmarks_are_exact(loss):
    exact = KernelClassifier(Gaussian(1.5), loss=loss, lam=0.5, polish=True).fit(IRIS[::2], SPECIES[::2])
    every = KernelClassifier(Gaussian(1.5), loss=loss, lam=0.5, n_landmarks=75).fit(IRIS[::2], SPECIES[::2])
    assert_allclose(every.decision_function(IRIS), exact.decision_function(IRIS), atol=1e-5)
    tube = KernelRegressor(Gaussian(1.0), loss="epsilon_insensitive", lam=0.5, polish=True).fit(X, y)
    few = KernelRegressor(Gaussian(1.0), loss="epsilon_insensitive", lam=0.5, n_landmarks=50).fit(X, y)
    assert_allclose(few.predict(NEW), tube.predict(NEW), atol=1e-6)


# -- logistic ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("K", [2, 3])
def test_logistic_is_scikit_learns(K):
    rows, labels = IRIS[SPECIES >= 3 - K], SPECIES[SPECIES >= 3 - K]
    peer = LogisticRegression(C=1.0, tol=1e-12, solver="newton-cg", max_iter=10_000).fit(rows, labels)
    ours = KernelClassifier(Linear(), loss="logistic", lam=0.5).fit(rows, labels)
    assert_allclose(ours.predict_proba(rows), peer.predict_proba(rows), atol=1e-6)


@pytest.mark.parametrize("landmarks", [None, 20])
def test_logistic_is_stationary(landmarks):
    model = KernelClassifier(Gaussian(1.0), loss="logistic", lam=0.3, n_landmarks=landmarks).fit(IRIS, SPECIES)
    pull = model.predict_proba(IRIS) - np.eye(3)[SPECIES]
    assert_allclose(pull.sum(axis=0), 0, atol=1e-9)
    points = model.function_.points
    K = Gaussian(1.0)(points, IRIS)
    assert_allclose(K @ pull + 0.6 * Gaussian(1.0)(points) @ model.function_.coefficients, 0, atol=1e-8)


def test_probabilities_belong_to_the_logistic_loss():
    hinge = KernelClassifier().fit(IRIS, SPECIES)
    for name in ("predict_proba", "predict_log_proba"):
        assert not hasattr(hinge, name)
        with pytest.raises(AttributeError, match=f"has no {name}.*loss='logistic'"):
            getattr(hinge, name)
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        hinge.other  # noqa: B018
    model = KernelClassifier(loss="logistic").fit(IRIS, SPECIES)
    assert_allclose(model.predict_proba(IRIS).sum(axis=1), 1.0)
    assert np.isfinite(model.predict_log_proba(IRIS * 1e6)).all()


# -- use ---------------------------------------------------------------------------------------------------------


def test_precomputed_and_searched():
    k = Gaussian(1.0)
    for plain, given in (
        (KernelRegressor(k, lam=0.3), KernelRegressor(Precomputed(), lam=0.3)),
        (KernelRegressor(k, lam="loo"), KernelRegressor("precomputed", lam="loo")),
    ):
        given.fit(k(X), y)
        assert_allclose(given.predict(k(NEW, X)), plain.fit(X, y).predict(NEW), atol=1e-9)
        with pytest.raises(InputError, match=r"Precomputed\(\) cannot be evaluated there\. With the matrix K"):
            given.function_.norm()
    search = GridSearchCV(KernelClassifier(Precomputed()), {"lam": [0.1, 1.0]}, cv=3).fit(k(IRIS), SPECIES)
    assert search.best_score_ > 0.9


def test_torch_stays_torch():
    import torch

    T, labels = torch.asarray(IRIS), torch.asarray(SPECIES)
    for loss in ("squared", "logistic", "hinge"):
        for landmarks in (None, 30):
            host = KernelClassifier(Gaussian(1.5), loss=loss, n_landmarks=landmarks).fit(IRIS, SPECIES)
            model = KernelClassifier(Gaussian(1.5), loss=loss, n_landmarks=landmarks).fit(T, labels)
            values = model.decision_function(T)
            assert isinstance(values, torch.Tensor)
            assert_allclose(values.numpy(), host.decision_function(IRIS), atol=1e-6)
            assert isinstance(model.predict(T), torch.Tensor)
    model = KernelRegressor(lam="loo").fit(torch.asarray(X, dtype=torch.float32), torch.asarray(y, dtype=torch.float32))
    assert model.predict(torch.asarray(NEW, dtype=torch.float32)).dtype == torch.float32


def test_offsets_take_no_digits():
    grid = np.round(X * 2**20) / 2**20
    for kernel in (Gaussian(1.0), Linear(), ThinPlate()):
        near, far = (KernelRegressor(kernel, lam=0.1).fit(grid + a, y + a) for a in (0.0, 2.0**26))
        assert_allclose(far.predict(grid + 2.0**26) - 2.0**26, near.predict(grid), atol=1e-6)


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.EigenlensWarning")
@pytest.mark.parametrize("kernel", [Linear(), 2.0 * Linear() + Linear(), Linear() + Gaussian(1.0), Polynomial(2)])
@pytest.mark.parametrize("loss", ["squared", "epsilon_insensitive"])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_the_function_at_landmarks_is_what_predicts(kernel, loss, offset):
    model = KernelRegressor(kernel, n_landmarks=2, loss=loss, lam=0.1).fit(X + offset, y)
    said = model.function_(X + offset) + model.intercept_
    assert_allclose(said, model.predict(X + offset), rtol=0, atol=1e-6 * np.ptp(y))


@pytest.mark.parametrize("lam", [1e30, 1e120, 1e300])
def test_a_penalty_beyond_all_bounds_leaves_the_intercept(lam):
    model = KernelClassifier(lam=lam, n_landmarks=10).fit(IRIS, SPECIES == 0)
    weak = KernelClassifier(lam=1e30, n_landmarks=10).fit(IRIS, SPECIES == 0)
    assert_allclose(model.function_.coefficients * (lam / 1e30), weak.function_.coefficients, rtol=1e-4)
    assert_allclose(model.decision_function(IRIS), -1.0, atol=1e-6)


def test_libsvm_ends(monkeypatch):
    monkeypatch.setattr(support, "STEPS", 30_000)
    with pytest.warns(NotConvergedWarning, match="libsvm took max_iter=3,000 steps"):
        KernelRegressor(Polynomial(2) + Gaussian(1.0), loss="epsilon_insensitive", lam=0.1).fit(X[:30] + 1e4, y[:30])


def test_libsvm_ends_under_enormous_weights(monkeypatch):
    """Coefficients of 1e49 leave its gradients no digit: it ran for ever, and no signal reached it."""
    monkeypatch.setattr(support, "STEPS", 30_000)
    rows = np.random.default_rng(0).standard_normal((30, 1))
    with pytest.warns(NotConvergedWarning, match=r"coefficients of up to .*divide the weights by their mean"):
        KernelClassifier(lam=0.1).fit(rows, np.arange(30) % 2, sample_weight=np.linspace(1e48, 2e49, 30))


CLASSIFIERS = {
    "lam 0": ({"lam": 0}, "lam=0 .*above 0"),
    "lam negative": ({"lam": -1.0}, "lam=-1.0"),
    "lam word": ({"lam": "best"}, "lam='best'"),
    "path of the hinge": ({"lam": "gcv"}, "needs loss='squared'"),
    "loss": ({"loss": "epsilon_insensitive"}, "loss='epsilon_insensitive'"),
    "lams": ({"loss": "squared", "lam": "gcv", "lams": [1.0, -1.0]}, "lams="),
    "conditional": ({"kernel": ThinPlate()}, "leaves only a constant free"),
    "landmarks": ({"n_landmarks": 1.5}, "n_landmarks=1.5"),
    "polish": ({"polish": "yes"}, "polish='yes'"),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_mistakes_are_named_and_change_nothing(name):
    parameters, message = CLASSIFIERS[name]
    model = KernelClassifier().fit(IRIS, SPECIES)
    before = model.decision_function(IRIS)
    with pytest.raises((InputError, InputTypeError), match=message):
        model.set_params(**parameters).fit(IRIS, SPECIES)
    assert_array_equal(model.set_params(loss="hinge").decision_function(IRIS), before)


def test_more_mistakes(monkeypatch):
    with pytest.raises(InputError, match="class"):
        KernelClassifier().fit(IRIS, np.zeros(150))
    with pytest.raises(InputError, match="y contains NaN"):
        KernelRegressor().fit(X, np.where(y > 1, np.nan, y))
    with pytest.raises(InputError, match="epsilon=-1"):
        KernelRegressor(loss="epsilon_insensitive", epsilon=-1, lam=1.0).fit(X, y)
    with pytest.raises(InputError, match="smallest eigenvalue is -1"):
        KernelClassifier("precomputed").fit(np.diag(np.r_[np.ones(9), -1.0]), np.arange(10) % 2)
    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 50_000)
    for model in (KernelRegressor(), KernelClassifier(), KernelClassifier(loss="logistic")):
        with pytest.raises(InputError, match=r"150×150 kernel matrix.*n_landmarks"):
            model.fit(IRIS, SPECIES)


@pytest.mark.parametrize("model", [KernelClassifier(), KernelRegressor(lam=1.0), KernelPCA(2)], ids=repr)
def test_units_that_hide_columns_are_told(model):
    wine = load_wine(as_frame=True)
    scaled = wine.data / wine.data.std()
    advice = "Use scale=True" if isinstance(model, KernelPCA) else "StandardScaler"
    with pytest.warns(ScaleWarning, match=rf"column 'proline' is 2,530 times that of column 'nonflavanoid.*{advice}"):
        clone(model).fit(wine.data, wine.target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(model).fit(scaled, wine.target)  # as the advice says
        clone(model).fit(scaled.assign(same=0.1), wine.target)
        clone(model).set_params(kernel=Precomputed()).fit(scaled.to_numpy() @ scaled.to_numpy().T, wine.target)


def test_the_default_is_a_support_vector_machine_with_c_10():
    X, y = load_iris(return_X_y=True)
    model = KernelClassifier().fit(X, y)
    same = SVC(C=10, gamma=1 / (2 * model.kernel_.bandwidth**2), tol=1e-9).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), same.predict(X))


@pytest.mark.parametrize("classes", [2, 3])
def test_landmarks_of_few_rows_have_the_answer_of_many(classes, monkeypatch):
    """libsvm, with its free rows solved in double precision, and the interior point method are one optimum."""
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    model = KernelClassifier(Gaussian(1.0), lam=0.3, n_landmarks=30)
    by_libsvm = model.fit(X, y).decision_function(X)
    for few in (0, 4):  # 4: fewer rows than all, more than those of two classes
        monkeypatch.setattr("eigenlens.methods._machine.FEW_ROWS", few)
        np.testing.assert_allclose(model.fit(X, y).decision_function(X), by_libsvm, atol=1e-8)


@pytest.mark.parametrize("landmarks", [None, 12])
@pytest.mark.parametrize("loss", ["squared", "epsilon_insensitive", "hinge", "logistic"])
def test_torch_and_strict_arrays_without_an_intercept(loss, landmarks):
    import array_api_strict
    import torch

    regression = loss in ("squared", "epsilon_insensitive")
    kind, target = (KernelRegressor, y + 3) if regression else (KernelClassifier, (y > 0) * 1)
    model = kind(lam=0.1, loss=loss, n_landmarks=landmarks, fit_intercept=False)
    answer = "predict" if regression else "decision_function"
    expected = getattr(model.fit(X, target), answer)(NEW)
    for xp in (torch, array_api_strict):
        found = getattr(model.fit(xp.asarray(X), xp.asarray(target)), answer)(xp.asarray(NEW))
        assert type(found) is type(xp.asarray(NEW))
        assert_allclose(np.asarray(found), expected, rtol=1e-8, atol=1e-10)
