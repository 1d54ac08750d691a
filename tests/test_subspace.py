"""Subspace: coordinates and back, angles, and alignment of bases."""

import numpy as np
import pytest

from eigenlens import LDA, PCA, SparsePCA, Subspace
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.solve import principal_angles

rng = np.random.default_rng(0)
BASIS = np.linalg.qr(rng.standard_normal((6, 3)))[0]
PLANE = Subspace(rng.standard_normal(6), BASIS)


def rotation(k):
    return np.linalg.qr(rng.standard_normal((k, k)))[0]


@pytest.mark.parametrize("mix", [np.eye(3), rng.standard_normal((3, 3))], ids=["orthonormal", "oblique"])
def test_lifted_scores_are_the_nearest_points(mix):
    plane, X = Subspace(PLANE.centre, BASIS @ mix), rng.standard_normal((10, 6))
    nearest = plane.lift(plane.project(X))
    np.testing.assert_allclose((X - nearest) @ BASIS, 0, atol=1e-13)
    np.testing.assert_allclose(plane.lift(plane.project(nearest)), nearest, atol=1e-13)


def test_a_remainder_keeps_the_digits_that_an_offset_takes():
    offset, remainder = np.full(6, 2.0**40), np.full(6, 2.0**-30)
    far = Subspace(offset, BASIS, remainder)
    np.testing.assert_allclose(far.project(offset[None, :]), -remainder[None, :] @ BASIS, rtol=1e-14)


def test_angles_do_not_depend_on_the_basis_and_small_ones_keep_their_digits():
    turned = BASIS @ rotation(3)
    away = np.linalg.qr(np.c_[BASIS, rng.standard_normal(6)])[0][:, 3]
    turned[:, 0] += 1e-10 * away
    found = PLANE.angles(Subspace(np.zeros(6), turned @ rng.standard_normal((3, 3))))
    np.testing.assert_allclose(found[:2], 0, atol=1e-15)
    np.testing.assert_allclose(found[2], 1e-10, rtol=1e-5)
    assert PLANE.distance(Subspace(np.zeros(6), turned)) == pytest.approx(1e-10, rel=1e-5)


def test_subspaces_of_other_dimension_are_far_apart():
    assert PLANE.distance(Subspace(np.zeros(6), BASIS[:, :2])) == 1.0


def test_a_rotated_basis_is_aligned_again():
    turn = rotation(3)
    turned = Subspace(PLANE.centre, BASIS @ turn, dual=BASIS @ turn)
    back = turned.aligned_to(PLANE)
    np.testing.assert_allclose(back.basis, BASIS, atol=1e-14)
    np.testing.assert_allclose(back.dual, BASIS, atol=1e-14)
    assert back.distance(turned) < 1e-14


def test_alignment_is_the_nearest_of_all_rotations():
    other = Subspace(np.zeros(6), rng.standard_normal((6, 3)))
    nearest = np.linalg.norm(PLANE.aligned_to(other).basis - other.basis)
    assert all(nearest <= np.linalg.norm(BASIS @ rotation(3) - other.basis) for _ in range(50))


def test_what_cannot_be_compared_is_refused():
    for compare in (PLANE.angles, PLANE.aligned_to):
        with pytest.raises(InputError, match="other has 5 coordinates but this subspace has 6"):
            compare(Subspace(np.zeros(5), np.eye(5)[:, :3]))
    with pytest.raises(InputError, match="other has 2 directions but this subspace has 3"):
        PLANE.aligned_to(Subspace(np.zeros(6), BASIS[:, :2]))


@pytest.mark.parametrize("offset", [0.0, 0.3, 1e3, 1e8])
def test_scores_of_many_rows_keep_the_digits_of_single_ones(offset):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 6)) + offset
    pca = PCA(2).fit(X)
    plane = pca.subspace_
    exact = (X.astype(np.longdouble) - plane.centre - plane.remainder) @ plane.basis.astype(np.longdouble)
    assert float(np.abs(pca.transform(X) - exact).max()) < 2e-14
    np.testing.assert_allclose(pca.transform(X[:5]), pca.transform(X)[:5], rtol=0, atol=2e-14)


def test_answers_print_as_a_line():
    """A notebook shows what a cell ends with: not all numbers of a picture or a subspace."""
    from eigenlens.distances import procrustes

    X, y = np.random.default_rng(0).standard_normal((30, 4)), np.arange(30) % 3
    model = LDA().fit(X, y)
    first, second = model.spectrum_.values
    things = [
        model.subspace_,
        model.spectrum_,
        model.plot(X, y),
        procrustes(X, X + 1),
        SparsePCA(1).fit(X).path([0.1, 5.0]),
    ]
    assert [repr(thing) for thing in things] == [
        "<Subspace: 2 direction(s) in 4 dimensions>",
        f"<Spectrum: 2 value(s) {first:.4g}, {second:.4g}; svd, residual 0.0e+00>",
        "<Display: 1 picture(s) in figure_>",
        "<Alignment: 30 points in 4 dimensions, disparity 0.000>",
        "<SparsePath: 2 penalties, 4 to 0 nonzero loadings>",
    ]


def test_angles_between_bases_that_are_not_orthonormal():
    """The angles are those of the spans: lengths, slants and repeated columns of the bases do not matter."""
    rng = np.random.default_rng(0)
    U, V = rng.standard_normal((6, 2)), rng.standard_normal((6, 3))
    right = principal_angles(np.linalg.qr(U)[0], np.linalg.qr(V)[0])
    slanted = U @ np.array([[1e3, 2.0], [0.0, 1e-3]])
    np.testing.assert_allclose(principal_angles(slanted, 5 * V), right, rtol=1e-8)
    np.testing.assert_allclose(principal_angles(np.hstack([U, U]), V), right, rtol=1e-12)
    turned = U + 1e-9 * rng.standard_normal((6, 2))
    assert 0 < principal_angles(U, turned)[0] < 1e-8


@pytest.mark.parametrize(
    "wrong",
    [None, np.ones(6), np.ones((2, 6, 1)), np.array([["a"]] * 6), np.full((6, 1), np.nan), np.eye(5)],
    ids=["nothing", "one dimension", "three", "words", "NaN", "another space"],
)
def test_what_spans_no_space_is_refused(wrong):
    U = np.eye(6)[:, :2]
    for pair in ((U, wrong), (wrong, U)):
        with pytest.raises(InputError, match=r"shape \(p, k\)|same space"):
            principal_angles(*pair)


def test_a_table_is_no_subspace():
    space = PCA(2).fit(np.random.default_rng(0).standard_normal((20, 4))).subspace_
    for compared in (space.distance, space.angles, space.aligned_to):
        with pytest.raises(InputTypeError, match="other is a ndarray"):
            compared(np.zeros((20, 4)))
