"""AnnData: X or a layer, sparse or dense, in memory or on disk; names come back, scores and loadings go in."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from eigenlens import LDA, PCA, open_rows

ad = pytest.importorskip("anndata", reason="anndata needs pandas 2: `make anndata` runs these tests beside it")


def cells(kind="dense", n=80, p=6):
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.0, (n, p)).astype(np.float64)
    X = {"dense": counts, "csr": sp.csr_matrix(counts), "csc": sp.csc_matrix(counts)}[kind]
    genes = pd.DataFrame(index=[f"gene{j}" for j in range(p)])
    kinds = pd.DataFrame({"kind": np.array(["a", "b"])[np.arange(n) % 2]}, index=[f"cell{i}" for i in range(n)])
    return ad.AnnData(X, obs=kinds, var=genes, layers={"log": np.log1p(counts)})


EXPECTED = PCA(2).fit(np.asarray(cells().X))


@pytest.mark.parametrize("kind", ["dense", "csr", "csc"])
@pytest.mark.parametrize("backed", [False, True])
def test_fit_is_that_of_the_table(kind, backed, tmp_path):
    adata = cells(kind)
    if backed:
        with ad.settings.override(allow_write_nullable_strings=True):  # the words of pandas 3
            adata.write_h5ad(tmp_path / "cells.h5ad")
        adata = ad.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    model = PCA(2).fit(adata)
    np.testing.assert_allclose(model.components_, EXPECTED.components_, rtol=0, atol=1e-12)
    assert model.feature_names_in_.tolist() == [f"gene{j}" for j in range(6)]
    np.testing.assert_allclose(model.transform(adata), EXPECTED.transform(np.asarray(cells().X)), rtol=0, atol=1e-12)


def test_layers_and_labels():
    adata = cells("csr")
    model = LDA().fit(open_rows(adata, layer="log"), adata.obs["kind"])
    expected = LDA().fit(adata.layers["log"], adata.obs["kind"])
    np.testing.assert_allclose(model.scalings_, expected.scalings_, rtol=0, atol=1e-12)
    named = LDA().fit(open_rows(adata, layer="log", target="kind"))
    assert np.array_equal(named.scalings_, model.scalings_)
    assert np.array_equal(LDA().fit(adata, target="kind").means_, LDA().fit(adata, adata.obs["kind"]).means_)
    with pytest.raises(ValueError, match="target='q': no such column of obs; there are 'kind'"):
        LDA().fit(adata, target="q")
    with pytest.raises(ValueError, match="layer='raw': no such layer; there are 'log'"):
        open_rows(adata, layer="raw")
    with pytest.raises(ValueError, match="whose rows are its obs"):
        open_rows(adata, rows="obs")


def test_scores_and_loadings_go_in():
    adata = cells("csr")
    rows = open_rows(adata)
    model = PCA(2).fit(rows)
    rows.store(model)
    assert adata.obsm["X_pca"].shape == (80, 2)
    np.testing.assert_allclose(adata.varm["pca_loadings"], EXPECTED.components_.T, rtol=0, atol=1e-12)
    assert rows.loadings(model).index.tolist() == [f"gene{j}" for j in range(6)]
    rows.store(model, "mine")
    assert "X_mine" in adata.obsm


def test_weights_of_obs():
    adata = cells("csr")
    adata.obs["times"] = np.arange(80) % 3
    named = PCA(2).fit(open_rows(adata, weight="times"))
    assert np.array_equal(named.components_, PCA(2).fit(adata, sample_weight=adata.obs["times"]).components_)
    assert named.transform(open_rows(adata, weight="times")).shape == (80, 2)  # of every row
    with pytest.raises(ValueError, match="sample_weight"):
        PCA(2).fit(open_rows(adata, weight="times"), sample_weight=np.ones(80))
