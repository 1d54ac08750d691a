"""Moments of rows with holes: the laws of all moments, and the statistics of each pattern by their definition."""

import numpy as np
import pytest

from eigenlens.arrays import memory
from eigenlens.moments import Cross, Factor, Grouped, Patterns, completion, patterns as patterns_of_rows
from eigenlens.moments.completion import fit
from eigenlens.rows import Block, as_source


def holey(n=200, p=5, share=0.3, seed=0, n_patterns=None, offset=0.0, size=1.0):
    """Rows with holes, correlated columns; with n_patterns, only so many patterns."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, p)) @ (np.eye(p) + 0.5 * rng.standard_normal((p, p))) + offset) * size
    holes = rng.random((n_patterns or n, p)) < share
    holes[0] = False
    holes = holes if n_patterns is None else holes[rng.integers(n_patterns, size=n)]
    return np.where(holes & ~holes.all(axis=1, keepdims=True), np.nan, X)


def scatter(moments, k):
    """The sums of squares and products of a stratum, of the columns that it observes."""
    F = moments.rows[moments.owner == k][:, moments.masks[k]]
    return F.T @ F


def same(a, b, rtol=1e-12):
    """Compare moments pattern by pattern."""
    assert np.array_equal(a.masks, b.masks)
    np.testing.assert_allclose(a.weights, b.weights, rtol=rtol)
    spread = np.sqrt(np.nanmax([np.nanmax(scatter(a, k).diagonal()) for k in range(len(a.masks))]) / a.weights.max())
    np.testing.assert_allclose(a.moved_to(b.pivot).shift, b.shift, rtol=rtol, atol=rtol * spread)
    for k in range(len(a.masks)):
        T, expected = scatter(a, k), scatter(b, k)
        np.testing.assert_allclose(T, expected, atol=rtol * max(np.abs(expected).max(), spread**2))


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("n_patterns", [None, 4])
def test_each_pattern_has_its_weight_mean_and_scatter(n_patterns, offset):
    X = holey(n_patterns=n_patterns, offset=offset)
    moments = Patterns().update(Block(X))
    assert moments.n_rows == len(X)
    for k, mask in enumerate(moments.masks):
        rows = X[(~np.isnan(X) == mask).all(axis=1)][:, mask]
        assert moments.weights[k] == len(rows)
        pivot = rows[0]
        m = pivot + (rows - pivot).mean(axis=0)
        np.testing.assert_allclose(moments.means[k][mask], m, rtol=1e-15, atol=2e-15)
        D = (rows - pivot) - (rows - pivot).mean(axis=0)
        np.testing.assert_allclose(scatter(moments, k), D.T @ D, atol=1e-12 * max(1, (D**2).sum()))


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("n_patterns", [None, 4])
@pytest.mark.parametrize("cuts", [[50, 120], [1, 2, 3], [7, 199]])
def test_merged_parts_are_the_whole(cuts, n_patterns, offset):
    X = holey(n_patterns=n_patterns, offset=offset)
    total = Patterns()
    for rows in np.split(X, cuts):
        total.merge(Patterns().update(Block(rows)))
    same(total, Patterns().update(Block(X)))


def test_a_weight_counts_a_row_so_often():
    X, w = holey(n_patterns=6), np.random.default_rng(1).integers(1, 4, size=200)
    same(Patterns().update(Block(X, None, w.astype(float))), Patterns().update(Block(np.repeat(X, w, axis=0))))


def test_order_changes_nothing():
    X = holey(n_patterns=6)
    same(Patterns().update(Block(X[np.random.default_rng(1).permutation(len(X))])), Patterns().update(Block(X)))


@pytest.mark.parametrize("size", [1e-290, 1e-100, 1e100, 1e300])
def test_scale_changes_no_digit(size):
    power = 2.0 ** np.round(np.log2(size))
    X = holey(n_patterns=6)
    plain, scaled = Patterns().update(Block(X)), Patterns().update(Block(X[:90] * power)).update(Block(X[90:] * power))
    exponent = np.zeros(5, dtype=int) if scaled.exponent is None else scaled.exponent
    assert scaled.finite
    for k in range(len(plain.masks)):
        o = plain.masks[k]
        back = np.ldexp(1.0, exponent[o]) / power
        np.testing.assert_allclose(scatter(scaled, k) * back * back[:, None], scatter(plain, k), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(scaled.means / power, plain.means, rtol=1e-12)


def test_a_copy_is_a_snapshot_and_arrays_handed_out_are_not_written_to():
    X = holey(n_patterns=6)
    moments = Patterns().update(Block(X[:100]))
    copy, rows = moments.copy(), moments.rows
    before = rows.copy()
    moments.update(Block(X[100:]))
    assert copy.n_rows == 100
    assert np.array_equal(rows, before)
    same(copy, Patterns().update(Block(X[:100])))


def test_rows_without_a_cell_are_counted_apart():
    X = holey()
    X[[3, 77]] = np.nan
    moments = Patterns().update(Block(X[:10])).update(Block(X[10:]))
    assert (moments.n_rows, moments.n_blank, moments.weight) == (198, 2, 198.0)
    only = Patterns().update(Block(X[3:4]))
    assert (only.n_rows, only.n_blank) == (0, 1)
    assert Patterns().merge(only).n_blank == 1
    assert only.merge(Patterns().update(Block(X[:3]))).n_blank == 1


def test_a_column_that_is_first_seen_late_gets_its_pivot_then():
    X = holey(offset=1e8)
    X[:100, 2] = np.nan
    moments = Patterns().update(Block(X[:100]))
    assert np.isnan(moments.pivot[2])
    moments.update(Block(X[100:]))
    assert not np.isnan(moments.pivot).any()
    same(moments, Patterns().update(Block(X[100:])).merge(Patterns().update(Block(X[:100]))))


@pytest.mark.parametrize("p", [63, 64, 65, 130])
def test_patterns_of_many_columns_are_told_apart(p):
    X = np.zeros((p + 1, p))
    X[np.arange(p), np.arange(p)] = np.nan
    moments = Patterns().update(Block(np.repeat(X, 2, axis=0)))
    assert len(moments.masks) == p + 1
    assert (moments.weights == 2).all()


def test_moments_of_other_columns_or_kinds_are_refused():
    moments = Patterns().update(Block(holey(p=5)))
    with pytest.raises(ValueError, match="number of columns is 5 on one side and 4"):
        moments.merge(Patterns().update(Block(holey(p=4))))
    with pytest.raises(ValueError, match="kind of moments"):
        moments.merge(Factor().update(Block(np.ones((3, 5)))))


def test_groups_have_a_table_of_patterns_each():
    X, y = holey(n_patterns=6), np.repeat(["a", "b"], 100)
    source = as_source(X, y, target="labels", missing="allow")
    grouped = source.collect(Grouped(Patterns))
    for k, label in enumerate("ab"):
        same(grouped.inner.of_group(k), Patterns().update(Block(X[y == label])))
    parts = [
        as_source(X[i], y[i], target="labels", missing="allow").collect(Grouped(Patterns))
        for i in (slice(0, 60), slice(60, 200))
    ]
    merged = parts[0].merge(parts[1])
    for k in range(2):
        same(merged.inner.of_group(k), grouped.inner.of_group(k))
    same(grouped.inner.total(), Patterns().update(Block(X)))


def test_two_tables_have_joint_patterns():
    X = holey(n_patterns=6)
    cross = Cross(Patterns).update(Block(X[:120, :3], X[:120, 3:])).update(Block(X[120:, :3], X[120:, 3:]))
    assert cross.split == 3
    same(cross.joint, Patterns().update(Block(X)))


def test_patterns_that_would_not_fit_are_refused_before_they_are_merged(monkeypatch):
    """In a survey every row has its own pattern, and is the mean of it: there are no factors to count."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((400, 30)) < 0.2, np.nan, rng.standard_normal((400, 30)))
    half = Patterns().update(Block(X[:200]))
    assert len(half.rows) == 0
    monkeypatch.setattr(patterns_of_rows, "ASKED_CELLS", 1000)
    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 100_000)
    with pytest.raises(MemoryError, match=r"moments of 400 patterns .* Leave out columns that are often missing"):
        half.update(Block(X[200:]))


def test_a_likelihood_that_would_not_fit_is_refused_before_it_is_climbed(monkeypatch):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((400, 6)) < 0.2, np.nan, rng.standard_normal((400, 6)))
    moments = Patterns().update(Block(X[~np.isnan(X).all(axis=1)]))
    monkeypatch.setattr(completion, "ASKED_CELLS", 1000)
    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 10_000)
    with pytest.raises(MemoryError, match=r"likelihood of .* patterns"):
        fit(moments)


def test_groups_keep_their_rows_apart_in_any_order_of_labels():
    X, y = holey(n_patterns=6), np.repeat(["b", "c"], 100)
    late = np.concatenate([X, X[:30] + 1.0]), np.concatenate([y, np.repeat("a", 30)])
    whole = as_source(*late, target="labels", missing="allow").collect(Grouped(Patterns))
    parts = [
        as_source(late[0][rows], late[1][rows], target="labels", missing="allow").collect(Grouped(Patterns))
        for rows in (slice(0, 150), slice(150, 230))
    ]
    merged = parts[0].merge(parts[1])
    assert list(merged.labels) == ["a", "b", "c"]
    assert list(merged.inner.group_rows) == [30, 100, 100]
    turned = whole.ordered(np.array(["c", "a", "b"]))
    for k, place in enumerate((1, 2, 0)):
        same(merged.inner.of_group(k), whole.inner.of_group(k))
        same(turned.inner.of_group(place), whole.inner.of_group(k))
    assert merged._repr_html_()
