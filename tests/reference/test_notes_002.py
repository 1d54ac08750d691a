"""Lecture notes on MDS and PCA (Yao): nine cities, and what is proved of distances, beside the library."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from eigenlens import PCA, ClassicalMDS, KernelPCA
from eigenlens.distances import (
    double_center,
    from_similarity,
    gram_factor,
    is_conditionally_negative_definite,
    is_squared_distance,
)
from eigenlens.study.demos import write_demo

#: Miles between Boston, New York, Washington, Miami, Chicago, Seattle, San Francisco, Los Angeles and Denver
MILES = np.array(
    [
        [0, 206, 429, 1504, 963, 2976, 3095, 2979, 1949],
        [206, 0, 233, 1308, 802, 2815, 2934, 2786, 1771],
        [429, 233, 0, 1075, 671, 2684, 2799, 2631, 1616],
        [1504, 1308, 1075, 0, 1329, 3273, 3053, 2687, 2037],
        [963, 802, 671, 1329, 0, 2013, 2142, 2054, 996],
        [2976, 2815, 2684, 3273, 2013, 0, 808, 1131, 1307],
        [3095, 2934, 2799, 3053, 2142, 808, 0, 379, 1235],
        [2979, 2786, 2631, 2687, 2054, 1131, 379, 0, 1059],
        [1949, 1771, 1616, 2037, 996, 1307, 1235, 1059, 0],
    ],
    dtype=float,
)
X = np.random.default_rng(0).standard_normal((30, 5)) @ np.diag([3.0, 2.0, 1.0, 0.5, 0.2])


def test_nine_cities():
    H = np.eye(9) - 1 / 9
    values = np.linalg.eigvalsh(-H @ MILES**2 @ H / 2)
    mds = ClassicalMDS(2, metric="precomputed").fit(MILES)
    np.testing.assert_allclose(mds.eigenvalues_, values[::-1][:2], rtol=1e-10)
    assert mds.negative_inertia_ == pytest.approx(-values[values < 0].sum() / np.abs(values).sum(), rel=1e-6)
    west, north = mds.embedding_.T  # as on the map of the notes, up to the signs of the axes
    assert np.ptp(west) > 1.5 * np.ptp(north)
    coasts = {"east": west[:4], "west": west[5:8]}
    assert np.sign(coasts["east"]).sum() == -np.sign(coasts["west"]).sum() * 4 / 3
    assert np.sign(north[5]) == -np.sign(north[3])  # Seattle and Miami
    assert mds.strain_ == pytest.approx(np.linalg.norm(-H @ MILES**2 @ H / 2 - mds.embedding_ @ mds.embedding_.T) ** 2)
    assert round(mds.stress_, 4) == 0.0197
    assert not is_squared_distance(MILES**2)  # roads bend: four eigenvalues are not those of points


def test_strain_and_s_stress_are_two_criteria():
    """min Σ(‖Yᵢ − Yⱼ‖² − d²)² is not solved by the eigenvectors of B, as the notes say: they solve min ‖YᵀY − B‖²."""
    maps = {kind: ClassicalMDS(2, metric="precomputed", refine=kind).fit(MILES) for kind in (None, "stress", "sstress")}
    assert {kind: round(mds.stress_, 4) for kind, mds in maps.items()} == {
        None: 0.0197,
        "stress": 0.0140,
        "sstress": 0.0175,
    }
    assert [round(maps[kind].sstress_ / 1e12, 3) for kind in (None, "sstress")] == [0.881, 0.740]
    assert maps[None].strain_ == min(mds.strain_ for mds in maps.values())
    for mds in maps.values():
        squares = ((mds.embedding_[:, None] - mds.embedding_) ** 2).sum(axis=2)
        assert mds.sstress_ == pytest.approx(((squares - MILES**2) ** 2).sum(), rel=1e-9)


def test_the_cities_are_a_demonstration(tmp_path):
    path, plan = write_demo("us-cities", tmp_path)
    names, *rows = path.read_text().splitlines()
    assert names == "city,Boston,New York,Washington,Miami,Chicago,Seattle,San Francisco,Los Angeles,Denver"
    np.testing.assert_array_equal([[float(cell) for cell in row.split(",")[1:]] for row in rows], MILES)
    assert plan.distances


def test_inner_products_become_squared_distances_and_back():
    K = X @ X.T
    k = np.diag(K)
    D = k[:, None] + k[None, :] - 2 * K
    H = np.eye(30) - 1 / 30
    np.testing.assert_allclose(double_center(D), H @ K @ H, atol=1e-11)
    np.testing.assert_allclose(double_center(D), (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T, atol=1e-11)


def test_theorem_2_2_of_a_table_with_any_diagonal():
    """C = D − ½d1ᵀ − ½1dᵀ has the same centred form, and its distances are B_ii + B_jj − 2B_ij."""
    rng = np.random.default_rng(1)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    d = rng.standard_normal(30)
    odd = D + (d[:, None] + d) / 2
    C = odd - np.diag(odd)[:, None] / 2 - np.diag(odd) / 2
    np.testing.assert_allclose(from_similarity(-odd / 2), C, atol=1e-11)
    np.testing.assert_allclose(C, D, atol=1e-11)
    alpha = rng.standard_normal(30)
    alpha /= alpha.sum()
    B = double_center(odd, alpha)
    np.testing.assert_allclose(B, double_center(C, alpha), atol=1e-9)
    b = np.diag(B)
    np.testing.assert_allclose(b[:, None] + b - 2 * B, C, atol=1e-9)
    assert is_conditionally_negative_definite(odd)
    assert is_conditionally_negative_definite(C)
    assert is_squared_distance(C)
    Y = gram_factor(double_center(C))  # (4): C holds the squared distances of some points
    np.testing.assert_allclose(((Y[:, None] - Y) ** 2).sum(axis=2), C, atol=1e-9)


def test_scaling_and_principal_components_are_one_decomposition():
    U, s, Vt = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    mds, pca = ClassicalMDS(3, metric="precomputed", squared=True).fit(D), PCA(3).fit(X)
    np.testing.assert_allclose(np.abs(mds.embedding_), np.abs(U[:, :3] * s[:3]), atol=1e-9)
    np.testing.assert_allclose(mds.eigenvalues_, s[:3] ** 2, rtol=1e-9)
    np.testing.assert_allclose(np.abs(pca.components_), np.abs(Vt[:3]), atol=1e-9)
    np.testing.assert_allclose(pca.explained_variance_, s[:3] ** 2 / 29, rtol=1e-10)
    np.testing.assert_allclose(np.abs(pca.transform(X)), np.abs(mds.embedding_), atol=1e-9)
    kernel = KernelPCA(3, kernel="precomputed").fit(double_center(D))  # B is a Gram, or kernel, matrix
    np.testing.assert_allclose(kernel.eigenvalues_, s[:3] ** 2, rtol=1e-9)
    np.testing.assert_allclose(np.abs(kernel.embedding_), np.abs(mds.embedding_), atol=1e-9)


def test_the_best_affine_space():
    """μ is the mean, β = Uᵀ(x − μ), and what is left is the trace less the variance shown."""
    pca = PCA(2, ddof=0).fit(X)
    np.testing.assert_allclose(pca.mean_, X.mean(axis=0), atol=1e-14)
    left = ((X - pca.inverse_transform(pca.transform(X))) ** 2).sum()
    assert left == pytest.approx(30 * (np.trace(np.cov(X.T, ddof=0)) - pca.explained_variance_.sum()), rel=1e-10)
    rng = np.random.default_rng(2)
    for _ in range(20):
        Q = np.linalg.qr(rng.standard_normal((5, 2)))[0]
        centred = X - X.mean(axis=0) + 0.1 * rng.standard_normal(5)
        assert ((centred - centred @ Q @ Q.T) ** 2).sum() > left


def test_a_digit_is_the_mean_and_a_few_images():
    """x ≈ μ + a₁v₁ + a₂v₂ + a₃v₃, as a digit is drawn in the notes (the table of digits is not in them)."""
    digits = load_digits()
    twos = digits.data[digits.target == 2]
    pca = PCA(3).fit(twos)
    a = pca.transform(twos[:1])[0]
    drawn = pca.mean_ + a @ pca.components_
    np.testing.assert_allclose(drawn, pca.inverse_transform(a[None])[0], atol=1e-12)
    assert ((twos[0] - drawn) ** 2).sum() == pytest.approx(float(pca.reconstruction_error(twos[:1])[0]), rel=1e-10)
    assert ((twos[0] - drawn) ** 2).sum() < ((twos[0] - pca.mean_) ** 2).sum()
