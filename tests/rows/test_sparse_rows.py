"""Sparse rows: centred in the products, where that loses nothing; the answer is that of the dense rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from eigenlens import CCA, LDA, PCA
from eigenlens.moments import Grouped, Scatter
from eigenlens.moments.centring import sparse_is_worth_it
from eigenlens.rows import Block, as_source

N, P = 4000, 60
y = np.arange(N) % 3


def rows(density=0.02, seed=0, full=0, offset=0.0):
    rng = np.random.default_rng(seed)
    X = sp.random(N, P, density, format="lil", random_state=rng, data_rvs=lambda k: rng.uniform(1, 5, k))
    X[:, :full] = rng.standard_normal((N, full)) + offset
    X[:, P - 1] = 0
    return X.tocsr()


@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("full", [0, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_scatter(weighted, full, offset):
    X = rows(full=full, offset=offset)
    w = np.random.default_rng(1).uniform(0.1, 3, N) if weighted else None
    assert sparse_is_worth_it(X, w) == (full == 0 or X.nnz <= 0.05 * N * P)
    weights = np.ones(N) if w is None else w
    dense = X.toarray()
    dense[:, :full] -= offset  # moving the rows exactly changes nothing
    m = weights @ dense / weights.sum()
    exact = ((dense - m) * weights[:, None]).T @ (dense - m)
    found = as_source(X, sample_weight=w).collect(Scatter())
    scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact))) + 1e-300
    assert np.max(np.abs(found.matrix - exact) / np.where(scale > 1e-200, scale, 1)) < (1e-12 if not offset else 1e-7)
    assert found.constant_columns().tolist() == [False] * (P - 1) + [True]


def test_scatter_by_class_where_a_word_belongs_to_one_class():
    """Always 3 in one class and zero elsewhere: no variance within classes, and none may appear by rounding."""
    X = rows(0.01).tolil()
    X[np.flatnonzero(y == 1), 5] = 3.3
    X[np.flatnonzero(y != 1), 5] = 0
    X = X.tocsr()
    found = as_source(X, y, target="labels").collect(Grouped(Scatter)).within()
    expected = as_source(X.toarray(), y, target="labels").collect(Grouped(Scatter)).within()
    np.testing.assert_allclose(found.matrix, expected.matrix, rtol=0, atol=1e-12 * np.abs(expected.matrix).max())
    assert found.constant_columns()[5]
    with pytest.raises(ValueError, match="column 5 is constant within every class"):
        LDA().fit(X, y)


FITS = {
    "PCA": lambda X: PCA(5).fit(X),
    "LDA": lambda X: LDA(shrinkage=0.1).fit(X, y),
    "CCA": lambda X: CCA(2).fit(X, X[:, :3].toarray() if sp.issparse(X) else X[:, :3]),
}


@pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
def test_models(fit, monkeypatch):
    monkeypatch.setattr("eigenlens.moments.centred.FACTOR_WORK", 0)
    X = rows(0.04)[:, : P - 1]
    sparse_fit, dense_fit = fit(X), fit(X.toarray())
    scores = dense_fit.transform(X.toarray())
    np.testing.assert_allclose(sparse_fit.transform(X), scores, rtol=0, atol=1e-10 * np.abs(scores).max())


@pytest.mark.parametrize("extreme", [1e-300, 1e-150, 1e150, 1e300])
def test_extreme_numbers_are_made_dense(extreme):
    X = rows() * extreme
    assert not sparse_is_worth_it(X, None)
    moments = Scatter().update(Block(X.tocsr()))
    assert np.isfinite(moments.matrix).all()


def test_rows_are_not_made_dense(monkeypatch):
    rng, n, p, cells = np.random.default_rng(0), 50_000, 500, 200_000
    X = sp.csr_array((rng.uniform(1, 2, cells), (rng.integers(0, n, cells), rng.integers(0, p, cells))), shape=(n, p))
    labels = np.arange(n) % 3
    pca, lda = PCA(3).fit(X), LDA(shrinkage=0.1).fit(X, labels)
    for room in ("moments.centred", "rows.source"):
        monkeypatch.setattr(f"eigenlens.{room}.dense_blocks", None)
    assert np.array_equal(PCA(3).fit(X).components_, pca.components_)
    assert np.array_equal(LDA(shrinkage=0.1).fit(X, labels).scalings_, lda.scalings_)
