"""Lecture notes on LDA, SIR, MDS and RKHS (Yao): their algorithms, written out in NumPy, beside the library."""

import numpy as np
import pytest
import scipy.linalg
from scipy.integrate import quad
from scipy.special import gamma
from sklearn.datasets import load_diabetes, load_wine
from sklearn.kernel_ridge import KernelRidge

from eigenlens import LDA, SIR, ClassicalMDS, KernelClassifier, KernelPCA, KernelRegressor, LocalizedSIR
from eigenlens.distances import (
    Exponential,
    Identity,
    Logarithm,
    Power,
    Rational,
    gram_factor,
    is_bernstein,
    is_conditionally_negative_definite,
    is_positive_semidefinite,
    is_squared_distance,
)
from eigenlens.kernels import (
    Brownian,
    FromFeatures,
    Gaussian,
    Laplacian,
    Matern,
    Polynomial,
    RKHSFunction,
    Spline,
    Wavelet,
    Wendland,
    legendre,
    mercer,
)

X, labels = load_wine(return_X_y=True)
Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
D = scipy.spatial.distance.cdist(Z[:40], Z[:40], "sqeuclidean")


def spanned(A, B):
    """Largest angle between the spans of columns."""
    return np.max(scipy.linalg.subspace_angles(A, B))


def test_algorithm_1_linear_discriminants():
    means = np.array([Z[labels == k].mean(axis=0) for k in range(3)])
    between = (means - Z.mean(axis=0)).T @ (means - Z.mean(axis=0)) / 3
    within = sum((Z[labels == k] - means[k]).T @ (Z[labels == k] - means[k]) for k in range(3)) / (len(Z) - 3)
    values, vectors = scipy.linalg.eigh(between, within)
    model = LDA(between="classes").fit(Z, labels)
    np.testing.assert_allclose(model.spectrum_.values, values[::-1][:2], rtol=1e-9)
    assert spanned(model.scalings_, vectors[:, ::-1][:, :2]) < 1e-7
    assert model.spectrum_.values.round(4).tolist() == [10.1676, 3.7955]
    root = scipy.linalg.sqrtm(np.linalg.inv(within))  # the note of the page: eigenvectors of Σ_W^(−½)Σ_BΣ_W^(−½)
    inner = np.linalg.eigh(root @ between @ root)[1][:, ::-1][:, :2]
    assert spanned(model.scalings_, root @ inner) < 1e-7
    for w in np.eye(13):
        assert model.rayleigh(w) == pytest.approx((w @ between @ w) / (w @ within @ w), rel=1e-9)


def test_algorithm_2_slices():
    """Slices of equal size here, so that weighting them or not is the same."""
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:440], y[:440] + 1e-9 * np.arange(440)
    slices = np.argsort(np.argsort(y)) // 44
    means = np.array([X[slices == s].mean(axis=0) for s in range(10)]) - X.mean(axis=0)
    total = np.cov(X.T, ddof=0)
    values, vectors = scipy.linalg.eigh(means.T @ means / 10, total)
    model = SIR(2).fit(X, slices=slices)
    np.testing.assert_allclose(model.eigenvalues_[:2], values[::-1][:2], rtol=1e-9)
    assert spanned(model.components_.T, vectors[:, ::-1][:, :2]) < 1e-7


def test_algorithm_2_as_it_stands():
    """Slices of equal width, which count alike whatever their rows; the notes divide by N where we divide by S."""
    X, y = load_diabetes(return_X_y=True)
    cuts = np.linspace(y.min(), y.max(), 11)[1:-1]
    slices = np.searchsorted(cuts, y)
    means = np.array([X[slices == s].mean(axis=0) for s in range(10)]) - X.mean(axis=0)
    values, vectors = scipy.linalg.eigh(means.T @ means / len(y), np.cov(X.T, ddof=0))
    model = SIR(2, n_slices=cuts, between="slices").fit(X, y)
    np.testing.assert_allclose(model.eigenvalues_ * 10 / len(y), values[::-1][:2], rtol=1e-9)
    assert spanned(model.components_.T, vectors[:, ::-1][:, :2]) < 1e-7


def test_algorithm_3_localized_slices():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 4))
    y = X[:, 0] ** 2 + 0.1 * rng.standard_normal(120)
    slices, k = np.argsort(np.argsort(y)) // 30, 5
    local = np.empty_like(X)
    for i, x in enumerate(X):
        inside = np.flatnonzero(slices == slices[i])
        nearest = inside[np.argsort(((X[inside] - x) ** 2).sum(axis=1))[:k]]
        local[i] = X[nearest].mean(axis=0)
    local -= X.mean(axis=0)
    values, vectors = scipy.linalg.eigh(local.T @ local / 120, np.cov(X.T, ddof=0))
    model = LocalizedSIR(1, n_neighbors=k).fit(X, slices=slices)
    np.testing.assert_allclose(model.eigenvalues_[0], values[-1], rtol=1e-9)
    assert spanned(model.components_.T, vectors[:, -1:]) < 1e-7


def test_algorithm_4_classical_scaling():
    H = np.eye(40) - 1 / 40
    values, vectors = np.linalg.eigh(-H @ D @ H / 2)
    Y = vectors[:, ::-1][:, :2] * np.sqrt(values[::-1][:2])
    model = ClassicalMDS(2, metric="precomputed", squared=True).fit(D)
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(Y), atol=1e-9 * np.abs(Y).max())
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:2], rtol=1e-10)


def test_sums_and_hadamard_products_of_semidefinite_matrices():
    A, B = Z[:20] @ Z[:20].T, np.exp(-D[:20, :20] / 20)
    for C in (A, B, A + B, A * B):
        assert is_positive_semidefinite(C)
    assert not is_positive_semidefinite(A - 10 * B)


def test_a_matrix_is_semidefinite_if_and_only_if_it_is_a_gram_matrix():
    A = Z[:20] @ Z[:20].T
    Y = gram_factor(A).T
    np.testing.assert_allclose(Y.T @ Y, A, atol=1e-10)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        gram_factor(A - 1e-6 * np.eye(20))


def test_lemma_5_1_for_any_signed_centre():
    alpha = np.random.default_rng(0).standard_normal(40)
    alpha /= alpha.sum()
    H = np.eye(40) - np.outer(np.ones(40), alpha)
    spoiled = D.copy()
    spoiled[0, 1] = spoiled[1, 0] = 100 * D.max()
    for C, holds in ((D, True), (spoiled, False)):
        assert bool(is_conditionally_negative_definite(C)) is holds
        assert bool(is_positive_semidefinite(-H @ C @ H.T / 2)) is holds


#: The examples of the notes: Φ, and g with Φ(d) = ∫ (1 − e^(−λd))/λ g(λ) dλ
a, p = 1.7, 0.4
TRANSFORMS = {
    "logarithm": (Logarithm(a), lambda d: np.log1p(d / a), lambda lam: np.exp(-a * lam)),
    "rational": (Rational(a), lambda d: d / (a * (a + d)), lambda lam: lam * np.exp(-a * lam)),
    "power": (Power(p), lambda d: d**p, lambda lam: p / gamma(1 - p) * lam**-p),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_theorem_5_2_and_its_examples(name):
    transform, phi, g = TRANSFORMS[name]

    def integrand(lam, d):
        return -np.expm1(-lam * d) / lam * g(lam)

    for d in (0.1, 1.0, 25.0):
        integral = sum(quad(integrand, low, high, (d,), limit=400)[0] for low, high in ((0, 1), (1, np.inf)))
        assert float(transform(np.array([[0, d], [d, 0]]))[0, 1]) == pytest.approx(phi(d), rel=1e-12)
        assert integral == pytest.approx(phi(d), rel=1e-6)
    assert is_squared_distance(transform(D))


def test_the_transforms_of_one_atom():
    np.testing.assert_allclose(Identity()(D), D)
    np.testing.assert_allclose(Exponential(a)(D), (1 - np.exp(-a * D)) / a, rtol=1e-12, atol=1e-300)
    assert is_squared_distance(Exponential(a)(D))
    assert not is_squared_distance(D**1.5)  # no Schoenberg transform


def test_theorem_5_2_asks_for_the_signs_of_derivatives():
    """(−1)^(k+1)Φ⁽ᵏ⁾ = ∫ λ^(k−1) e^(−λd) g(λ) dλ ≥ 0, and their sums and compositions are transforms too."""
    for transform, phi, _ in TRANSFORMS.values():
        assert is_bernstein(phi)
        assert is_bernstein(transform @ Exponential(a) + 2 * Identity())
        assert is_squared_distance((transform @ Exponential(a) + 2 * Identity())(D))
    assert is_bernstein(lambda d: d**1.5).order == 2


def test_theorem_6_1_of_schoenberg():
    """exp(−λd²) is positive definite for every λ where the points lie in a Hilbert space, and fails for a small one."""
    spoiled = D.copy()
    spoiled[0, 1] = spoiled[1, 0] = 4 * D.max()
    for lam in 10.0 ** np.arange(-6, 2):
        assert np.linalg.eigvalsh(np.exp(-lam * D))[0] > -1e-12
    assert min(np.linalg.eigvalsh(np.exp(-lam * spoiled))[0] for lam in 10.0 ** np.arange(-6, 0)) < -1e-6


def test_the_reproducing_property_and_the_bound_of_evaluation():
    kernel, points = Gaussian(3.0), Z[:15]
    c = np.random.default_rng(1).standard_normal(15)
    f = RKHSFunction(kernel, points, c)
    x = Z[20:25]
    K = kernel(points, points)
    assert float(f.norm()) == pytest.approx((c @ K @ c) ** 0.5, rel=1e-10)
    for row in x:
        k_x = RKHSFunction(kernel, row[None, :], np.ones(1))
        assert float(f(row[None, :])[0]) == pytest.approx(float(f.inner(k_x)), rel=1e-9)
        assert (
            abs(float(f(row[None, :])[0])) <= float(f.norm()) * float(kernel(row[None, :], row[None, :])[0, 0]) ** 0.5
        )


def test_theorem_6_3_of_mercer():
    """Σ γ φ(x)φ(y) is the kernel on the nodes, and the φ are orthonormal in L₂ of them."""
    kernel, nodes = Gaussian(2.0), Z[:60, :2]
    expansion = mercer(kernel, nodes)
    phi = expansion.eigenfunctions(nodes)
    lost = 1e-15 * expansion.eigenvalues[0] / expansion.eigenvalues  # an eigenfunction is divided by its eigenvalue
    assert (np.abs(phi.T @ phi / 60 - np.eye(phi.shape[1])) < 1e-12 + 10 * np.maximum(lost, lost[:, None])).all()
    np.testing.assert_allclose((phi * expansion.eigenvalues) @ phi.T, kernel(nodes, nodes), atol=1e-7)
    assert np.all(np.diff(expansion.eigenvalues) <= 0)


#: 6.2: polynomial; piecewise polynomial, Sobolev, splines; wavelets (Daubechies); continuous on a compact set
KERNELS = [Polynomial(3), Wendland(1, 9.0), Matern(1.5, 3.0), Spline(-9.0, 9.0), Wavelet("db2", 2.0), Brownian()]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_kernels_of_6_2(kernel):
    """Σ cᵢcⱼ k(xᵢ, xⱼ) ≥ 0, ⟨k_x, k_y⟩ = k(x, y), ‖k_x‖ = √k(x, x), ⟨f, k_x⟩ = f(x), |f(x)| ≤ ‖f‖ ‖k_x‖."""
    points, c = Z[::6, :1], np.random.default_rng(2).standard_normal(30)
    K, f = kernel(points), RKHSFunction(kernel, points, c)
    assert is_positive_semidefinite(K)
    assert f.norm() == pytest.approx((c @ K @ c) ** 0.5, rel=1e-9)
    for i, j in ((0, 1), (3, 9), (5, 5)):
        k_x, k_y = (RKHSFunction(kernel, points[[at]], [1.0]) for at in (i, j))
        assert k_x.inner(k_y) == pytest.approx(K[i, j], rel=1e-12)
        assert k_x.norm() == pytest.approx(K[i, i] ** 0.5, rel=1e-12)
        value = f(points[[i]])[0]
        assert f.inner(k_x) == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert abs(value) <= f.norm() * k_x.norm() * (1 + 1e-12)


def test_a_positive_definite_function_is_strictly_so_on_different_points():
    assert np.linalg.eigvalsh(Gaussian(1.0)(Z[:40]))[0] > 1e-6
    assert np.linalg.eigvalsh(Gaussian(1.0)(Z[[0, 1, 0]]))[0] == pytest.approx(0, abs=1e-12)  # one point twice


def test_any_set_has_kernels():
    """Subsets of a set with k(A, B) = |A ∩ B|, whose features are the indicators of elements."""
    sets = [frozenset(x) for x in ("abc", "bcd", "cde", "aef", "bf", "adf")]
    indicators = np.array([[float(letter in one) for letter in "abcdef"] for one in sets])
    of_sets = KernelPCA(2, kernel=lambda one, other: len(one & other)).fit(sets)
    of_features = KernelPCA(2, kernel="linear").fit(indicators)
    np.testing.assert_allclose(of_sets.eigenvalues_, of_features.eigenvalues_, rtol=1e-10)
    new = of_sets.transform([frozenset("ab"), frozenset("cf")])
    np.testing.assert_allclose(new, of_features.transform(np.eye(6)[[0, 2]] + np.eye(6)[[1, 5]]), atol=1e-9)
    of_metric = ClassicalMDS(2, metric=lambda one, other: len(one ^ other) ** 0.5).fit(
        sets
    )  # d² = |A| + |B| − 2|A ∩ B|
    np.testing.assert_allclose(of_metric.eigenvalues_, of_sets.eigenvalues_, rtol=1e-9)


def test_theorem_6_2_of_moore_and_aronszajn():
    """Two maps with the same inner products give the same functions and norms: a kernel has one space."""

    def phi(x):
        return np.hstack([x, x**2, np.sin(x)])

    Q = np.linalg.qr(np.random.default_rng(3).standard_normal((3, 3)))[0]
    points, c, new = Z[:10, :1], np.linspace(-1, 1, 10), Z[10:20, :1]
    f, g = (RKHSFunction(FromFeatures(map), points, c) for map in (phi, lambda x: phi(x) @ Q))
    np.testing.assert_allclose(f(new), g(new), atol=1e-12)
    assert f.norm() == pytest.approx(g.norm(), rel=1e-12)
    beta = phi(points).T @ c
    np.testing.assert_allclose(f(new), phi(new) @ beta, atol=1e-12)
    assert f.norm() == pytest.approx(np.linalg.norm(beta), rel=1e-12)


def test_wahbas_splines():
    """The norm of f(0)² + f′(0)² + ∫ f″² is that of its kernel; for k_x it is 1 + x² + x³/3."""
    kernel, x, y = Spline(0.0, 1.0), 0.6, 0.9
    k_x, k_y = (RKHSFunction(kernel, [[at]], [1.0]) for at in (x, y))
    assert k_x.norm() ** 2 == pytest.approx(1 + x**2 + x**3 / 3, rel=1e-12)

    def second(f, s, h=1e-3):
        return float(f(np.array([[s + h], [s], [s - h]])) @ [1, -2, 1]) / h**2

    bent = quad(lambda s: second(k_x, s) * second(k_y, s), 0.01, 0.99, points=[x, y], epsabs=1e-7)[0]
    bent += 0.01 * x * y - 0.01**2 * (x + y) / 2 + 0.01**3 / 3  # (x − s)(y − s) up to 0.01
    h = 1e-6
    slopes = [float(f(np.array([[h], [0.0]])) @ [1, -1]) / h for f in (k_x, k_y)]
    ends = [float(f([[0.0]])[0]) for f in (k_x, k_y)]
    assert np.prod(ends) + np.prod(slopes) + bent == pytest.approx(float(kernel([[x]], [[y]])[0, 0]), abs=1e-4)


def test_mercer_on_an_interval():
    """min(x, y) on [0, 1]: γᵢ = 1/((i − ½)²π²) → 0, φᵢ = √2 sin((i − ½)πx), and the series converges uniformly."""
    nodes, weights = legendre(300)
    expansion, i = mercer(Brownian(), nodes, weights, n_components=40), np.arange(1, 6)
    np.testing.assert_allclose(expansion.eigenvalues[:5], 1 / ((i - 0.5) ** 2 * np.pi**2), rtol=1e-3)
    at = np.linspace(0, 1, 21)[:, None]
    expected = np.sqrt(2) * np.sin((i - 0.5) * np.pi * at)
    found = expansion.eigenfunctions(at)[:, :5]
    np.testing.assert_allclose(found * np.sign(np.sum(found * expected, axis=0)), expected, atol=2e-3)
    errors = [mercer(Brownian(), nodes, weights, n_components=k).error(at) for k in (5, 10, 20, 40)]
    assert np.all(np.diff(errors) < 0)
    assert errors[-1] < 0.01


LOSSES = {
    "hinge": lambda y, f: np.maximum(0, 1 - y * f),
    "epsilon_insensitive": lambda y, f: np.maximum(0, np.abs(y - f) - 0.1),  # the notes print min
    "squared": lambda y, f: (y - f) ** 2,
    "logistic": lambda y, f: np.log1p(np.exp(-y * f)),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_the_regularised_problem_of_6_3(loss):
    """f = Σ cᵢ k(xᵢ, ·) has the least Σ ℓ(yᵢ, f(xᵢ)) + λ‖f‖² of all functions, those of other points included."""
    rows, y = Z[40:100, :3], np.where(labels[40:100] == 0, 1.0, -1.0)
    kernel, lam, rng = Laplacian(2.0), 0.2, np.random.default_rng(4)
    kind = KernelRegressor if loss == "epsilon_insensitive" else KernelClassifier
    model = kind(kernel, loss=loss, lam=lam, fit_intercept=False).fit(rows, y)
    f = model.function_
    assert model.intercept_ == 0
    values = model.predict(rows) if kind is KernelRegressor else model.decision_function(rows)
    np.testing.assert_allclose(f(rows), values, atol=1e-10)

    def risk(f):
        return LOSSES[loss](y, f(rows)).sum() + lam * f.norm() ** 2

    least = risk(f)
    for points in (rows, Z[100:130, :3]):
        for size in (1e-3, 0.1):
            g = RKHSFunction(kernel, points, size * rng.standard_normal(len(points)))
            assert min(risk(f + g), risk(f - g)) > least - 1e-9
            apart = g - g.project(rows)
            assert risk(f + apart) == pytest.approx(least + lam * apart.norm() ** 2, rel=1e-9)


def test_squares_are_kernel_ridge_regression():
    rows, y, w = Z[:, :4], X[:, 4], np.random.default_rng(5).uniform(0.5, 2, len(Z))
    ours = KernelRegressor(Gaussian(2.0), lam=0.7, fit_intercept=False).fit(rows, y, w)
    K = Gaussian(2.0)(rows)
    np.testing.assert_allclose(ours.function_.coefficients, np.linalg.solve(K + 0.7 * np.diag(1 / w), y), rtol=1e-10)
    theirs = KernelRidge(kernel="precomputed", alpha=0.7).fit(K, y, sample_weight=w)
    np.testing.assert_allclose(ours.predict(rows), theirs.predict(K), rtol=0, atol=1e-10)
