"""Kernel PCA: the centred eigenequation, PCA and classical scaling as special cases, landmarks, pre-images."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from eigenlens import PCA, ClassicalMDS, KernelPCA
from eigenlens.arrays import memory
from eigenlens.distances import Power
from eigenlens.exceptions import IndefiniteWarning, InputError, InputTypeError, LandmarkWarning, RankWarning
from eigenlens.kernels import Brownian, Gaussian, Laplacian, Linear, Precomputed, SchoenbergKernel, ThinPlate

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 4)) * [3, 2, 1, 0.5]
NEW = rng.standard_normal((7, 4))


def up_to_sign(ours, theirs, atol):
    assert ours.shape == theirs.shape
    assert_allclose(ours * np.sign(np.sum(ours * theirs, axis=0)), theirs, atol=atol)


@pytest.mark.parametrize("kernel", [Gaussian(2.0), Laplacian(2.0), Brownian(), SchoenbergKernel(Power(0.5))], ids=repr)
def test_the_centred_eigenequation(kernel):
    model = KernelPCA(3, kernel=kernel).fit(X)
    H = np.eye(60) - 1 / 60
    Kc = H @ kernel(X) @ H
    Z = model.embedding_
    assert_allclose(Kc @ Z, Z * model.eigenvalues_, atol=1e-11 * model.eigenvalues_[0])
    assert_allclose(Z.T @ Z, np.diag(model.eigenvalues_), atol=1e-11 * model.eigenvalues_[0])
    assert_allclose(model.explained_variance_ratio_, model.eigenvalues_ / np.trace(Kc), rtol=1e-12)
    assert_allclose(model.transform(X), Z, atol=1e-11 * np.abs(Z).max())
    assert (np.abs(Z).max(axis=0) == Z.max(axis=0)).all()  # the largest score of an axis is positive


def test_a_linear_kernel_is_pca():
    ours, pca = KernelPCA(kernel=Linear()).fit(X), PCA().fit(X)
    assert_allclose(ours.eigenvalues_, pca.singular_values_**2, rtol=1e-12)
    up_to_sign(ours.transform(NEW), pca.transform(NEW), 1e-12)
    two, flat = KernelPCA(2, kernel=Linear()).fit(X), PCA(2).fit(X)
    assert_allclose(two.inverse_transform(two.transform(NEW)), flat.inverse_transform(flat.transform(NEW)), atol=1e-12)


def test_a_schoenberg_kernel_is_classical_scaling():
    ours = KernelPCA(2, kernel=SchoenbergKernel(Power(0.5))).fit(X)
    theirs = ClassicalMDS(2, schoenberg=Power(0.5)).fit(X)
    up_to_sign(ours.embedding_, theirs.embedding_, 1e-10)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_offsets_take_no_digits(offset):
    grid = np.round(X * 2**20) / 2**20
    for kernel in (Gaussian(2.0), Linear(), Gaussian()):
        near, far = (KernelPCA(2, kernel=kernel).fit(rows) for rows in (grid, grid + offset))
        assert_allclose(far.transform(grid + offset), near.transform(grid), atol=1e-9)


def test_lanczos_is_the_full_solution():
    big = np.random.default_rng(1).standard_normal((1200, 3))
    ours = KernelPCA(3, kernel=Gaussian(1.5)).fit(big)
    assert ours.spectrum_.solver == "lanczos"
    K = Gaussian(1.5)(big)
    H = np.eye(1200) - 1 / 1200
    assert_allclose(ours.eigenvalues_, np.linalg.eigvalsh(H @ K @ H)[::-1][:3], rtol=1e-11)


def test_weights_are_repeated_rows_and_rows_of_weight_zero_have_scores():
    w = np.arange(60) % 3
    weighted = KernelPCA(2, kernel=Gaussian(2.0)).fit(X, sample_weight=w)
    repeated = KernelPCA(2, kernel=Gaussian(2.0)).fit(np.repeat(X, w, axis=0))
    assert_allclose(weighted.eigenvalues_, repeated.eigenvalues_, rtol=1e-11)
    assert_allclose(weighted.transform(NEW), repeated.transform(NEW), atol=1e-11)
    assert weighted.embedding_.shape == (60, 2)
    assert_allclose(weighted.embedding_, repeated.transform(X), atol=1e-11)


def test_precomputed_is_the_kernel_itself():
    k = Gaussian(2.0)
    ours, plain = KernelPCA(3, kernel=Precomputed()).fit(k(X)), KernelPCA(3, kernel=k).fit(X)
    assert_allclose(ours.transform(k(NEW, X)), plain.transform(NEW), atol=1e-12)
    w = np.arange(60) % 3
    ours.fit(k(X), sample_weight=w)
    assert_allclose(ours.transform(k(NEW, X)), plain.fit(X, sample_weight=w).transform(NEW), atol=1e-11)
    with pytest.raises(InputError, match="rows were never seen"):
        ours.inverse_transform(np.ones((2, 3)))


def test_all_rows_as_landmarks_are_exact_and_fewer_say_what_they_miss():
    exact = KernelPCA(3, kernel=Gaussian(3.0)).fit(X)
    every = KernelPCA(3, kernel=Gaussian(3.0), n_landmarks=60).fit(X)
    assert_allclose(every.eigenvalues_, exact.eigenvalues_, rtol=1e-9)
    assert_allclose(every.transform(NEW), exact.transform(NEW), atol=1e-7)
    assert every.landmark_error_ < 1e-10
    half = KernelPCA(2, kernel=Gaussian(3.0), n_landmarks=25).fit(X)
    assert half.landmarks_.shape == (25,)
    K, S = Gaussian(3.0)(X), half.landmarks_
    missed = 1 - np.trace(K[:, S] @ np.linalg.pinv(K[np.ix_(S, S)], rcond=1e-13) @ K[S]) / np.trace(K)
    assert half.landmark_error_ == pytest.approx(missed, rel=1e-6)
    assert_allclose(half.eigenvalues_, exact.eigenvalues_[:2], rtol=0.05)
    assert_allclose(half.embedding_, half.transform(X), atol=1e-12)
    with pytest.warns(LandmarkWarning, match="3 landmarks miss .*more landmarks"):
        KernelPCA(1, kernel=Gaussian(0.5), n_landmarks=3).fit(X)


def test_preimages_lie_near_the_rows():
    angle = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    model = KernelPCA(4, kernel=Gaussian(1.0)).fit(ring)
    assert np.abs(model.inverse_transform(model.transform(ring)) - ring).max() < 0.02
    noisy = ring + 0.2 * np.random.default_rng(0).standard_normal(ring.shape)
    back = model.inverse_transform(model.transform(noisy))
    off, was = (np.abs(np.hypot(*rows.T) - 1).mean() for rows in (back, noisy))
    assert off < 0.6 * was  # denoising: the pre-images are nearer to the ring


def test_float32_and_torch():
    import torch

    expected = KernelPCA(2).fit(X).transform(NEW)
    scores = KernelPCA(2).fit(torch.asarray(X)).transform(torch.asarray(NEW))
    assert isinstance(scores, torch.Tensor)
    assert_allclose(scores.numpy(), expected, atol=1e-10)
    small = KernelPCA(2, n_landmarks=30).fit(torch.asarray(X, dtype=torch.float32))
    assert small.embedding_.dtype == torch.float32
    assert small.inverse_transform(small.embedding_).shape == (60, 4)


def test_directions_that_carry_nothing_are_left_out():
    with pytest.warns(RankWarning, match="axes were asked for"):
        model = KernelPCA(6, kernel=Linear()).fit(X)
    assert model.n_components_ == 4
    assert list(model.get_feature_names_out()) == ["kernelpca0", "kernelpca1", "kernelpca2", "kernelpca3"]


ASKEW = np.eye(5) + np.triu(np.ones((5, 5)), 1)
INDEFINITE = np.diag([3.0, 2.0, 1.0, 0.5, -0.7])


def test_bad_matrices():
    with pytest.raises(InputError, match=r"matrix is not symmetric: entry \(0, 1\) is 1 but entry \(1, 0\) is 0"):
        KernelPCA(kernel="precomputed").fit(ASKEW)
    with pytest.raises(InputError, match=r"smallest eigenvalue is -0.7 .*clip=True"):
        KernelPCA(kernel="precomputed").fit(INDEFINITE)
    with pytest.warns(IndefiniteWarning, match=r"down to -0.7"):
        model = KernelPCA(kernel=Precomputed(clip=True)).fit(INDEFINITE)
    assert (model.eigenvalues_ > 0).all()
    with pytest.raises(InputError, match=r"must be square in fit.*\(60, 4\)"):
        KernelPCA(kernel="precomputed").fit(X)


def test_work_that_does_not_fit_is_refused_before_it_starts(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 10_000)
    with pytest.raises(InputError, match=r"60×60 kernel matrix.*use n_landmarks"):
        KernelPCA(2).fit(X)
    KernelPCA(2, kernel=Gaussian(3.0), n_landmarks=25).fit(X)


WRONG = {
    "lambda": ({"kernel": Gaussian(-1.0)}, "bandwidth=-1.0"),
    "components": ({"n_components": 100}, "60 rows give at most 60"),
    "no kernel": ({"kernel": 3}, "kernel=3 is not a kernel"),
    "conditional": ({"kernel": ThinPlate()}, "only conditionally .of order 3"),
    "landmarks": ({"n_landmarks": 0}, "n_landmarks=0"),
    "landmarks of a matrix": ({"kernel": Precomputed(), "n_landmarks": 5}, "Leave n_landmarks out"),
    "landmarks conditional": (
        {"kernel": SchoenbergKernel(Power(0.5)), "n_landmarks": 5},
        "landmarks need a positive definite",
    ),
    "callable shape": ({"kernel": lambda A, B: np.ones(2)}, "returned shape"),
    "callable NaN": ({"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)}, "NaN or infinity"),
    "callable indefinite": ({"kernel": lambda A, B: -(A @ B.T)}, "smallest eigenvalue"),
}


@pytest.mark.parametrize("name", WRONG)
def test_mistakes_are_named_and_change_nothing(name):
    parameters, message = WRONG[name]
    model = KernelPCA(2).fit(X)
    before = model.embedding_
    with pytest.raises((InputError, InputTypeError), match=message):
        model.set_params(**parameters).fit(X)
    assert model.embedding_ is before
    with pytest.raises(InputError, match="constant"):
        clone(KernelPCA(2)).fit(np.ones((5, 2)))


def test_a_large_precomputed_kernel_whose_eigenvalues_crowd_at_zero():
    rows = np.random.default_rng(0).standard_normal((1100, 3))
    K = Gaussian(1.0)(rows)
    given, own = KernelPCA(2, kernel="precomputed").fit(K), KernelPCA(2, kernel=Gaussian(1.0)).fit(rows)
    assert_allclose(given.embedding_, own.embedding_, atol=1e-12)
    with pytest.raises(InputError, match=r"its smallest eigenvalue is -0\.(5|49999)"):
        KernelPCA(2, kernel="precomputed").fit(K - 0.5 * np.eye(1100))
    with pytest.raises(InputError, match="not positive semidefinite"):
        KernelPCA(2, kernel="precomputed").fit(-1e-3 * K)


@pytest.mark.parametrize("n", [60, 1100])  # regressed exactly, and with landmarks
def test_the_way_back_counts_weights(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    w = np.where(X[:, 0] > 0, 4, 1)
    kernel = Gaussian(2.0)
    weighted = KernelPCA(2, kernel=kernel).fit(X, sample_weight=w)
    repeated = KernelPCA(2, kernel=kernel).fit(np.repeat(X, w, axis=0))
    scores = weighted.transform(X[:20])
    signs = np.sign(np.sum(scores * repeated.transform(X[:20]), axis=0))
    back = repeated.inverse_transform(scores * signs)
    once = KernelPCA(2, kernel=kernel).fit(X)
    assert np.abs(once.inverse_transform(once.transform(X[:20])) - back).max() > 0.05
    np.testing.assert_allclose(weighted.inverse_transform(scores), back, atol=1e-6 if n == 60 else 0.02)


def test_weights_that_are_text_are_refused_by_the_inverse():
    model = KernelPCA(1, kernel=Gaussian(1.0)).fit(np.random.default_rng(0).standard_normal((5, 2)))
    model._counts = model._counts.astype("S4")  # as a file made by hand may have them
    with pytest.raises(InputError, match="do not fit together or are not finite"):
        model.inverse_transform(np.zeros((1, 1)))
