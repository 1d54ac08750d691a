"""Kernels: definite as they say, symmetric, the same in blocks and whole, right far from the origin."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from eigenlens import PCA, KernelPCA, KernelRegressor
from eigenlens.distances import Exponential, Logarithm, Power, Rational
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.kernels import (
    Brownian,
    FromFeatures,
    FunctionKernel,
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    SchoenbergKernel,
    Spline,
    ThinPlate,
    Wavelet,
    Wendland,
    as_kernel,
)


def crossed(X):
    return X * X[:, :1] + X


KERNELS = [
    Linear(),
    Polynomial(3, 0.5, 1.0),
    Polynomial(2, 1.0, 0.0),
    Gaussian(0.7),
    Gaussian(),
    Laplacian(0.5),
    Matern(0.5, 1.0),
    Matern(1.5, 1.0),
    Matern(2.5, 0.3),
    Matern(0.8, 1.0),
    Matern(np.inf, 1.0),
    Spline(0.0, 1.0),
    Spline(0.0, 1.0, periodic=True),
    Wendland(0, 1.0),
    Wendland(1, 2.0),
    Wendland(2, 1.5),
    Brownian(),
    Brownian(0.2),
    FromFeatures(crossed),
    Wavelet("morlet", 0.5),
    Wavelet("db2", 0.4, levels=2),
    SchoenbergKernel(Power(0.4), form="exponential"),
    SchoenbergKernel(Logarithm(1.0), form="exponential"),
    SchoenbergKernel(Power(0.5)),
    SchoenbergKernel(Rational(1.0)),
    SchoenbergKernel(Exponential(2.0)),
    ThinPlate(),
    ThinPlate(3),
    Gaussian(1.0) + 2 * Linear(),
    Laplacian(1.0) * Polynomial(2),
    Gaussian(0.4).on([0]) + Matern(1.5, 1.0).on([1]),
]
each = pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: repr(k).split(" at 0x")[0])


@each
def test_a_kernel_is_as_definite_as_it_says(kernel):
    @settings(max_examples=12, deadline=None, derandomize=True)
    @given(
        n=st.integers(2, 30), p=st.integers(2, 5), scale=st.sampled_from([1.0, 0.01, 3.0]), seed=st.integers(0, 10**6)
    )
    def holds(n, p, scale, seed):
        rng = np.random.default_rng(seed)
        X = np.vstack([rng.random((n, p)) * scale, np.zeros((1, p))])
        X[-1] = X[0]  # two rows the same
        k = kernel.fitted(X)
        K = k(X)
        assert np.array_equal(K, K.T)
        free = np.zeros((len(X), 0)) if k.is_positive_definite else k._trend(X)
        if free.shape[1]:
            Q = np.linalg.qr(free)[0] if free.shape[1] < len(X) else np.eye(len(X))
            K = K - Q @ (Q.T @ K)
            K = K - (K @ Q) @ Q.T
        assert np.linalg.eigvalsh((K + K.T) / 2)[0] >= -1e-11 * max(np.abs(k(X)).max() * len(X), 1e-300)

    holds()


def test_conditional_kernels_are_not_definite_without_their_condition():
    X = np.random.default_rng(0).random((12, 2))
    for kernel in (ThinPlate(), SchoenbergKernel(Power(0.5))):
        assert not kernel.is_positive_definite
        assert np.linalg.eigvalsh(kernel(X))[0] < -1e-3
    assert [k.conditional_order for k in (ThinPlate(), ThinPlate(3), SchoenbergKernel(np.sqrt), Gaussian())] == [
        2,
        3,
        1,
        0,
    ]


@each
def test_whole_blockwise_and_entry_by_entry_agree(kernel):
    rng = np.random.default_rng(1)
    X, Z = rng.random((7, 3)), rng.random((5, 3))
    k = kernel.fitted(X)
    K = k(X, Z)
    assert_allclose(K, [[float(k(x[None], z[None])[0, 0]) for z in Z] for x in X], rtol=1e-9, atol=1e-12)
    assert_allclose(np.vstack(list(k.blocks(X, Z))), K, atol=1e-13)
    assert_allclose(k.diagonal(X), np.diag(k(X)), atol=1e-12)
    C = rng.standard_normal((5, 2))
    assert_allclose(k.apply(X, Z, C), K @ C, atol=1e-12)


@each
def test_torch_and_strict_arrays_give_the_same(kernel):
    import array_api_strict
    import torch

    X, Z = np.random.default_rng(2).random((2, 9, 3))
    k = kernel.fitted(X)
    K = k(X, Z)
    found = k(torch.asarray(X), torch.asarray(Z))
    assert isinstance(found, torch.Tensor)
    assert_allclose(found.numpy(), K, rtol=1e-10, atol=1e-12)
    assert k(torch.asarray(X, dtype=torch.float32), torch.asarray(Z, dtype=torch.float32)).dtype == torch.float32
    strict = k(array_api_strict.asarray(X), array_api_strict.asarray(Z))
    assert_allclose(np.asarray(strict), K, rtol=1e-10, atol=1e-12)


def test_formulas():
    x, z = np.array([[0.3, 1.0]]), np.array([[1.1, -0.5]])
    d = np.linalg.norm(x - z)
    assert_allclose(Gaussian(0.8)(x, z), np.exp(-(d**2) / (2 * 0.8**2)), rtol=1e-14)
    assert_allclose(Laplacian(0.8)(x, z), np.exp(-d / 0.8), rtol=1e-14)
    assert_allclose(Polynomial(3, 0.5, 2.0)(x, z), (0.5 * (x @ z.T) + 2.0) ** 3, rtol=1e-14)
    assert_allclose(Brownian()([[0.3]], [[0.2], [0.9]]), [[0.2, 0.3]], rtol=1e-14)
    assert_allclose(ThinPlate()(x, z), d**2 * np.log(d), rtol=1e-12)
    assert_allclose(SchoenbergKernel(Power(0.5))(x, z), -0.5 * d, rtol=1e-12)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, 3.5, 0.9, 4.2])
def test_matern_is_scikit_learns(nu):
    from sklearn.gaussian_process.kernels import Matern as Peer

    X = np.random.default_rng(0).standard_normal((20, 3))
    assert_allclose(Matern(nu, 0.7)(X), Peer(0.7, nu=nu)(X), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.translation_invariant and k.is_resolved], ids=repr)
def test_far_from_the_origin_nothing_changes(kernel):
    X = np.round(np.random.default_rng(0).random((10, 3)) * 2**20) / 2**20
    assert_allclose(kernel(X + 2.0**26), kernel(X), rtol=1e-10, atol=1e-12)


def test_close_pairs_keep_their_digits():
    X = np.array([[0.0, 0.0], [1e-9, 0.0], [1e3, 1e3]])
    assert_allclose(1 - Laplacian(1e-3)(X)[0, 1], -np.expm1(-1e-6), rtol=1e-9)
    near = np.array([[1e3], [1e3 + 1e-3]])  # a thousand bandwidths from the mean of the other rows
    assert_allclose(Gaussian(1e-3)(np.vstack([near, [[0.0]]]))[0, 1], np.exp(-0.5), rtol=1e-9)


def test_projection_on_a_wavelet_resolution_reproduces_constants():
    x = np.linspace(5, 6, 7)[:, None]
    grid = np.linspace(-5, 16, 21 * 64 + 1)[:, None]
    K = Wavelet("db3", 1.0, levels=2, smoothness=0.0)(x, grid)
    assert_allclose(K.sum(axis=1) / 64, 1.0, atol=1e-3)  # ∫ k(x, z) dz = 1


def test_the_default_bandwidth_is_the_median_distance():
    X = np.random.default_rng(0).standard_normal((40, 3))
    i, j = np.triu_indices(40, 1)
    d = np.sort(np.linalg.norm(X[i] - X[j], axis=1))
    assert_allclose(Gaussian().fitted(X).bandwidth, d[(len(d) - 1) // 2], rtol=1e-12)
    w = np.arange(40) % 3
    repeated = Gaussian().fitted(np.repeat(X, w, axis=0)).bandwidth
    assert Gaussian().fitted(X[w > 0], w[w > 0]).bandwidth == pytest.approx(repeated, rel=1e-12)
    assert Gaussian().fitted(np.ones((5, 2))).bandwidth == 1.0
    assert Gaussian().fitted(X * 1e-200).bandwidth == pytest.approx(Gaussian().fitted(X).bandwidth * 1e-200, rel=1e-12)


def test_parameters_are_reached_and_copies_are_changed():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2))
    y = np.sin(3 * X[:, 0])
    search = GridSearchCV(KernelRegressor(Gaussian(1.0) + Linear()), {"kernel__left__bandwidth": [0.3, 5.0]}, cv=3)
    assert search.fit(X, y).best_params_ == {"kernel__left__bandwidth": 0.3}
    KernelRegressor().set_params(kernel__bandwidth=3.0)
    assert KernelRegressor().kernel.bandwidth is None  # the default kernel is nobody's to change
    assert clone(Gaussian(2.0)).bandwidth == 2.0


def test_a_function_is_a_kernel():
    X = np.random.default_rng(0).standard_normal((10, 2))
    assert_allclose(FunctionKernel(lambda A, B: A @ B.T)(X), Linear()(X), atol=1e-14)
    assert isinstance(as_kernel("precomputed"), Precomputed)
    assert isinstance(as_kernel("gaussian"), Gaussian)


WRONG = {
    "bandwidth 0": (lambda X: Gaussian(0.0)(X), "bandwidth=0.0 .*above 0"),
    "bandwidth word": (lambda X: Gaussian("wide")(X), "bandwidth='wide'"),
    "degree": (lambda X: Polynomial(1.5)(X), "degree=1.5"),
    "nu": (lambda X: Matern(-1.0)(X), "nu=-1.0"),
    "columns differ": (lambda X: Linear()(X, X[:, :1]), "X has 2 columns and Z has 1"),
    "open parameter": (lambda X: Gaussian()(X, X + 1), r"kernel.fitted\(X\)"),
    "no column": (lambda X: Linear().on([5])(X), r"on\(\[5\]\).*2 columns"),
    "factor": (lambda X: (-1 * Linear())(X), "factor=-1"),
    "product": (lambda X: (ThinPlate() * Linear())(X), "product of kernels needs positive definite"),
    "precomputed sum": (lambda X: (Precomputed() + Linear())(X), "cannot be added"),
    "order": (lambda X: ThinPlate(1)(X), "2·order > p"),
    "wavelet": (lambda X: Wavelet("haarlem", 1.0)(X), "wavelet='haarlem'"),
    "interval": (lambda X: Spline(1.0, 0.0)(X), "high=0.0"),
    "hurst": (lambda X: Brownian(1.5)(X), "hurst=1.5"),
    "form": (lambda X: SchoenbergKernel(np.sqrt, form="x")(X), "form='x'"),
    "NaN": (lambda X: Linear()(np.where(X > 1, np.nan, X)), "X contains NaN"),
    "one dimension": (lambda X: Linear()(X[:, 0]), "reshape"),
    "shape": (lambda X: FunctionKernel(lambda A, B: np.ones(3))(X), r"returned shape \(3,\) for 10 rows against 10"),
    "not finite": (lambda X: FunctionKernel(lambda A, B: np.full((len(A), len(B)), np.nan))(X), "NaN or infinity"),
    "a name": (lambda X: as_kernel("gauss"), "kernel='gauss' is not a kernel.*gaussian"),
    "a class": (lambda X: as_kernel(Gaussian), "is not a kernel"),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_are_named(name):
    X = np.random.default_rng(0).standard_normal((10, 2))
    work, message = WRONG[name]
    with pytest.raises((InputError, InputTypeError), match=message):
        work(X)


def test_wavelets_without_pywavelets(monkeypatch):
    import sys

    from eigenlens.kernels import wavelet

    wavelet._tables.cache_clear()
    monkeypatch.setitem(sys.modules, "pywt", None)
    with pytest.raises(ImportError, match="pip install PyWavelets"):
        Wavelet("db2", 1.0)(np.ones((2, 1)))
    assert Wavelet("morlet", 1.0)(np.ones((2, 1))).shape == (2, 2)


@pytest.mark.parametrize("nu", [0.3, 2.7, 10.5, 11.5, 40.7, 150.5, 999.0])
def test_matern_of_any_order(nu):
    """Also for orders whose Bessel functions overflow, and for rows that nearly coincide."""
    mp = pytest.importorskip("mpmath")
    apart = [0.0, 1e-12, 1e-8, 1e-7, 1e-3, 0.1, 1.0, 5.0, 1e5]

    def exact(r):
        t = mp.sqrt(2 * mp.mpf(nu)) * mp.mpf(r)
        return float(mp.mpf(2) ** (1 - mp.mpf(nu)) / mp.gamma(nu) * t**nu * mp.besselk(nu, t)) if r else 1.0

    found = Matern(nu, 1.0)(np.zeros((1, 1)), np.array(apart)[:, None])[0]
    with mp.workdps(40):
        np.testing.assert_allclose(found, [exact(r) for r in apart], rtol=0, atol=1e-12)


def test_an_order_beyond_all_use_is_refused_with_the_kernel_it_tends_to():
    with pytest.raises(InputError, match=r"nu=1e\+06 is beyond 1,000.*Gaussian"):
        Matern(1e6, 1.0)(np.zeros((2, 1)))


def test_an_interval_without_the_rows_is_refused():
    rows = np.linspace(0, 1, 9)[:, None]
    with pytest.raises(InputError, match=r"low=2\.0 but X goes from 0 to 1"):
        KernelRegressor(Spline(low=2.0)).fit(rows, rows[:, 0])
    with pytest.raises(InputError, match=r"high=-1\.0 but X goes from 0 to 1"):
        KernelRegressor(Spline(high=-1.0)).fit(rows, rows[:, 0])


def features(X):
    return np.hstack([X, np.sin(X), X[:, :1] * X[:, 1:2]])


def test_a_kernel_from_features_is_their_inner_product():
    A, B = np.random.default_rng(5).standard_normal((9, 3)), np.random.default_rng(6).standard_normal((4, 3))
    k = FromFeatures(features)
    assert_allclose(k(A, B), features(A) @ features(B).T, rtol=1e-14)
    assert_allclose(k.diagonal(A), np.diag(k(A)), rtol=1e-12)
    assert_allclose((2 * k + Gaussian(1.0))(A, B), 2 * k(A, B) + Gaussian(1.0)(A, B), rtol=1e-12)
    assert_allclose((k * k).on([2, 1, 0])(A, B), k(A[:, ::-1], B[:, ::-1]) ** 2, rtol=1e-12)
    pca = KernelPCA(3, kernel=FromFeatures(lambda X: X))
    assert_allclose(pca.fit(A).eigenvalues_, PCA(3).fit(A).explained_variance_ * 8, rtol=1e-10)


@pytest.mark.parametrize(
    ("map", "words"),
    [
        (3, "map=3 but it must be a function of a table"),
        ("sin", "map='sin' but it must be a function"),
        (lambda X: X[:, 0], r"returned shape \(4,\) for 4 rows"),
        (lambda X: X[:2], r"returned shape \(2, 3\) for 4 rows; .* of shape \(4, m\)"),
        (lambda X: X * np.nan, "gave NaN or infinity"),
    ],
)
def test_bad_maps_of_features(map, words):
    A = np.ones((4, 3))
    with pytest.raises((InputError, InputTypeError), match=words):
        FromFeatures(map)(A, A)
