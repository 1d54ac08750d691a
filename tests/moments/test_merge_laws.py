"""Moments by their definition, and the laws of all kinds: split, collect and merge gives the moments of the whole."""

import numpy as np
import pytest

from eigenlens.exceptions import InputError
from eigenlens.moments import Cross, Factor, Grouped, Quartic, Scatter
from eigenlens.rows import Block

CUTS = [[50, 120], [1, 2, 3], [7, 199]]
CENTRED = [Scatter, Factor, Quartic]


def rows(n=200, p=4, offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, p)) @ (np.eye(p) + 0.5 * rng.standard_normal((p, p))) + offset


def merged(make, blocks):
    """Merge the moments of each block, collected by themselves."""
    total = make()
    for block in blocks:
        total.merge(make().update(block))
    return total


def same(a, b, rtol=1e-12):
    """Compare weights, means and scatters; fourth moments where both have them."""
    assert a.n_rows == b.n_rows
    np.testing.assert_allclose(a.weight, b.weight, rtol=1e-15)
    spread = np.sqrt(np.max(b.matrix.diagonal()) / np.sum(b.weight))
    np.testing.assert_allclose(a.mean, b.mean, rtol=1e-15, atol=rtol * spread)
    np.testing.assert_allclose(a.matrix, b.matrix, rtol=rtol, atol=rtol * np.abs(b.matrix).max())
    if isinstance(a, Quartic):
        scale = np.linspace(0.5, 2.0, a.n_features)
        assert a.fourth_of(scale) == pytest.approx(b.fourth_of(scale), rel=rtol)


# -- definitions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CENTRED)
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_weight_mean_and_scatter_by_definition(kind, offset):
    X, w = rows(offset=offset), np.random.default_rng(1).uniform(0.5, 2, 200)
    found = kind().update(Block(X, None, w))
    Z = X - X[0]  # exact: the offset is gone before anything is summed
    mean = w @ Z / w.sum()
    D = (Z - mean) * np.sqrt(w)[:, None]
    assert found.weight == pytest.approx(w.sum())
    np.testing.assert_allclose(found.mean, X[0] + mean, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(found.matrix, D.T @ D, rtol=1e-12, atol=1e-12 * (D**2).sum())


def test_a_factor_is_a_root_of_the_scatter():
    X = rows()
    R = Factor().update(Block(X)).factor
    np.testing.assert_allclose(R.T @ R, Scatter().update(Block(X)).matrix, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("p", [5, 300], ids=["many rows", "few rows"])
@pytest.mark.parametrize("parts", [1, 3])
def test_fourth_moments_by_definition_in_any_units(p, parts):
    X, w = rows(p=p), np.random.default_rng(1).uniform(0.5, 2, 200)
    scale = np.linspace(0.3, 4.0, p)
    cuts = [slice(0, 200)] if parts == 1 else [slice(0, 2), slice(2, 90), slice(90, 200)]
    found = merged(Quartic, [Block(X[cut], None, w[cut]) for cut in cuts])
    D = (X - w @ X / w.sum()) / scale
    assert found.fourth_of(scale) == pytest.approx(w @ (D**2).sum(axis=1) ** 2, rel=1e-11)
    if p > 200:
        assert len(found.powers.factor) == 200


# -- merging --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CENTRED)
@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_merged_parts_are_the_whole(kind, cuts, offset):
    X = rows(offset=offset)
    same(merged(kind, [Block(part) for part in np.split(X, cuts)]), kind().update(Block(X)))


@pytest.mark.parametrize("kind", CENTRED)
def test_the_order_of_merging_does_not_matter(kind):
    X = rows()
    a, b, c = (kind().update(Block(part)) for part in np.split(X, [60, 130]))
    same(a.copy().merge(b).merge(c), c.copy().merge(b.copy().merge(a)))


@pytest.mark.parametrize("kind", CENTRED)
def test_a_row_of_weight_two_counts_twice(kind):
    X, w = rows(), np.random.default_rng(2).integers(1, 4, 200)
    weighted, repeated = kind().update(Block(X, None, w.astype(float))), kind().update(Block(np.repeat(X, w, axis=0)))
    assert weighted.weight == repeated.weight
    np.testing.assert_allclose(weighted.mean, repeated.mean, atol=1e-14)
    np.testing.assert_allclose(weighted.matrix, repeated.matrix, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("kind", CENTRED)
def test_a_copy_is_a_snapshot(kind):
    X = rows()
    first = kind().update(Block(X[:50]))
    kept, matrix = first.copy(), first.matrix.copy()
    first.merge(kind().update(Block(X[50:])))
    assert kept.n_rows == 50
    np.testing.assert_array_equal(kept.matrix, matrix)


@pytest.mark.parametrize("kind", CENTRED)
def test_empty_moments_are_neutral(kind):
    X = rows()
    full = kind().update(Block(X))
    same(kind().merge(full), full)
    same(full.copy().merge(kind()), full)


@pytest.mark.parametrize("of", [Scatter, Factor])
@pytest.mark.parametrize("cuts", CUTS)
def test_cross_moments_are_those_of_both_tables_side_by_side(of, cuts):
    X, Y = rows(), rows(p=3, seed=1)
    blocks = [Block(a, b) for a, b in zip(np.split(X, cuts), np.split(Y, cuts), strict=True)]
    found = merged(lambda: Cross(of), blocks)
    assert found.split == 4
    same(found.joint, of().update(Block(np.hstack([X, Y]))))


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("of", [Scatter, Factor])
@pytest.mark.parametrize("cuts", CUTS)
def test_groups_merge_by_label(of, pooled, cuts):
    """Parts see different labels, in different codes; a scatter within groups and the means are those of the whole."""
    X, names = rows(), np.array(["a", "b", "c"])
    y = np.random.default_rng(3).integers(0, 3, 200)
    blocks = []
    for part, codes in zip(np.split(X, cuts), np.split(y, cuts), strict=True):
        there, own = np.unique(codes, return_inverse=True)
        blocks.append(Block(part, own, None, names[there]))
    found = merged(lambda: Grouped(of, pooled), blocks)
    assert found.labels.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(found.weights, np.bincount(y))
    D = X - np.array([X[y == k].mean(axis=0) for k in range(3)])[y]
    np.testing.assert_allclose(found.within().matrix, D.T @ D, rtol=1e-12, atol=1e-10)
    same(found.total(), of().update(Block(X)))


# -- what does not merge --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", CENTRED)
def test_other_columns_do_not_merge(kind):
    with pytest.raises(InputError, match="cannot be merged: the number of columns is 4 on one side and 3 on the other"):
        kind().update(Block(rows())).merge(kind().update(Block(rows(p=3))))


def test_other_kinds_do_not_merge():
    scatter, cross = Scatter().update(Block(rows())), Cross().update(Block(rows(), rows()))
    with pytest.raises(InputError, match="cannot be merged: the kind of moments is 'Cross'"):
        cross.merge(scatter)


def test_groups_of_other_meaning_do_not_merge():
    y, names = np.arange(200) % 2, np.array([0, 1])
    low, high = (Grouped(meaning=f"cut at {c}").update(Block(rows(), y, None, names)) for c in (1, 2))
    with pytest.raises(InputError, match=r"different meanings \(cut at 1; cut at 2\)"):
        low.merge(high)
