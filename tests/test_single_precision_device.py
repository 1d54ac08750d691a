"""Single-precision rows of a device library: sums without waiting, and still every digit that the rows carry.

Run here with torch on the processor, whose code is the same; tests/test_gpu.py repeats the laws on a device.
"""

import numpy as np
import pytest
import torch

from eigenlens import LDA, PCA
from eigenlens.moments import Factor, Grouped, Scatter
from eigenlens.rows import as_source, in_memory

rng = np.random.default_rng(0)
N, P, K = 6000, 5, 4
y = rng.permutation(np.arange(N) % K)


@pytest.fixture(params=[0.0, 100.0, 3e5], ids="offset {}".format)
def X(request):
    return (rng.standard_normal((N, P)) * [3, 2, 1, 1, 0.5] + y[:, None] + request.param).astype(np.float32)


@pytest.mark.parametrize("kind", [Scatter, Factor])
@pytest.mark.parametrize("block", [700, 10_000])
def test_moments(X, kind, block, monkeypatch):
    monkeypatch.setattr(in_memory, "block_rows", lambda *_: block)
    rows = X.astype(np.float64)
    exact = (rows - rows.mean(0)).T @ (rows - rows.mean(0))
    found = as_source(torch.tensor(X)).collect(kind())
    np.testing.assert_allclose(found.matrix.numpy(), exact, rtol=0, atol=1e-12 * np.abs(exact).max())
    np.testing.assert_allclose(found.mean.numpy(), rows.mean(0), rtol=0, atol=1e-15 * np.abs(rows).max())
    assert found.n_rows == N
    assert found.ordinary


@pytest.mark.parametrize("block", [700, 10_000])
@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("kind", [Scatter, Factor])
def test_moments_by_class(X, kind, pooled, block, monkeypatch):
    monkeypatch.setattr(in_memory, "block_rows", lambda *_: block)
    source = as_source(torch.tensor(X), torch.tensor(y), target="labels")
    found = source.collect(Grouped(kind, pooled)).within()
    assert source._order is not None  # classes were brought together
    rows = X.astype(np.float64)
    means = np.stack([rows[y == k].mean(0) for k in range(K)])
    exact = (rows - means[y]).T @ (rows - means[y])
    np.testing.assert_allclose(found.matrix.numpy(), exact, rtol=0, atol=1e-12 * np.abs(exact).max())
    np.testing.assert_allclose(found.means.numpy(), means, rtol=0, atol=1e-15 * np.abs(rows).max())
    assert found.weights.tolist() == np.bincount(y).tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_many_small_classes_and_weights(X, weighted):
    """Rows that are not sorted by class, or weighted, take the general way; it must not trust means of their kind."""
    codes = rng.integers(0, 1000, N)
    weight = rng.uniform(0.5, 2, N) if weighted else np.ones(N)
    source = as_source(torch.tensor(X), torch.tensor(codes), weight if weighted else None, target="labels")
    found = source.collect(Grouped(Scatter)).within()
    rows = X.astype(np.float64)
    W = np.bincount(codes, weights=weight, minlength=1000)
    means = np.stack([np.bincount(codes, weights=weight * column, minlength=1000) for column in rows.T], axis=1)
    apart = rows - (means / np.where(W > 0, W, 1)[:, None])[codes]
    exact = (apart * weight[:, None]).T @ apart
    np.testing.assert_allclose(found.matrix.numpy(), exact, rtol=0, atol=1e-10 * np.abs(exact).max())


def test_constant_columns_are_exactly_constant():
    """0.1 in single precision, 6000 times: no rounding of its mean may look like variance."""
    X = rng.standard_normal((N, 3)).astype(np.float32)
    X[:, 1] = np.float32(0.1) * 1e6
    moments = as_source(torch.tensor(X)).collect(Scatter())
    assert moments.constant_columns().tolist() == [False, True, False]
    X[0, 1] = np.nextafter(X[0, 1], np.float32(np.inf))
    moments = as_source(torch.tensor(X)).collect(Scatter())
    assert moments.constant_columns().tolist() == [False, False, False]


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.RangeWarning")
@pytest.mark.parametrize("extreme", [1e-30, 1e-20, 1e18])
def test_extreme_single_precision(extreme):
    X = (rng.standard_normal((500, 3)) * [3, 2, 1] * extreme).astype(np.float32)
    found = PCA(2).fit(torch.tensor(X))
    expected = PCA(2).fit(X.astype(np.float64) / extreme)
    np.testing.assert_allclose(np.abs(found.components_.numpy()), np.abs(expected.components_), rtol=0, atol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_cell_is_named_after_the_pass(bad, monkeypatch):
    monkeypatch.setattr(in_memory, "block_rows", lambda *_: 700)
    X = rng.standard_normal((N, P)).astype(np.float32)
    X[4321, 3] = bad
    for attempt in (
        lambda: PCA(2).fit(torch.tensor(X)),
        lambda: LDA().fit(torch.tensor(X), torch.tensor(y)),
        lambda: PCA(2).fit(torch.tensor(X[:100])).transform(torch.tensor(X)),
    ):
        with pytest.raises(ValueError, match="row 4321, column 3"):
            attempt()


def test_rerun_gives_the_same_bits():
    X = torch.tensor((rng.standard_normal((N, P)) + y[:, None]).astype(np.float32))
    first, second = (LDA().fit(X, torch.tensor(y)).scalings_ for _ in range(2))
    assert torch.equal(first, second)


def test_labels_stay_in_their_library():
    model = LDA().fit(torch.tensor(rng.standard_normal((N, P)).astype(np.float32)), torch.tensor(y * 7 - 3))
    assert model.classes_.tolist() == [-3, 4, 11, 18]
    assert isinstance(model.classes_, torch.Tensor)
