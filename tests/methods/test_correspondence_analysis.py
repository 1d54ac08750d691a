"""CorrespondenceAnalysis: its singular values, R's figures, sparse tables, new rows and columns, its χ² test."""

import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import chi2_contingency

from eigenlens import CorrespondenceAnalysis, load, open_rows, save
from eigenlens.exceptions import InputError, RankWarning

sys.path.insert(0, str(Path(__file__).parents[1] / "reference"))
from refs import figures

SAID = figures("factor_maps")["hair_eye"]
HAIR = pd.DataFrame(SAID["counts"], index=SAID["rows"], columns=SAID["columns"])
rng = np.random.default_rng(5)
N = rng.poisson(np.outer(rng.gamma(2, 20, 60), rng.gamma(2, 1, 9)) * np.exp(0.4 * rng.standard_normal((60, 9))))


def same_up_to_sign(found, expected, atol=1e-12):
    signs = np.sign((found * np.asarray(expected)).sum(axis=0))
    np.testing.assert_allclose(found * signs, expected, rtol=0, atol=atol)


def test_the_singular_values_of_the_residuals():
    ca = CorrespondenceAnalysis().fit(N)
    P = N / N.sum()
    r, c = P.sum(axis=1), P.sum(axis=0)
    U, s, V = np.linalg.svd((P - np.outer(r, c)) / np.sqrt(np.outer(r, c)), full_matrices=False)
    np.testing.assert_allclose(ca.eigenvalues_, s[:8] ** 2, atol=1e-14)
    same_up_to_sign(ca.rows_.coordinates, (U * s)[:, :8] / np.sqrt(r)[:, None])
    same_up_to_sign(ca.columns_.coordinates, (V.T * s)[:, :8] / np.sqrt(c)[:, None])
    for points in (ca.rows_, ca.columns_):
        np.testing.assert_allclose(points.contributions.sum(axis=0), 1.0, rtol=1e-12)
        np.testing.assert_allclose(points.cos2.sum(axis=1), 1.0, rtol=1e-11)
    assert ca.chi2_ == pytest.approx(chi2_contingency(N, correction=False)[0], rel=1e-12)
    assert ca.explained_variance_ratio_.sum() == pytest.approx(1.0)


def test_factominer_on_hair_and_eyes():
    ca = CorrespondenceAnalysis().fit(HAIR)
    np.testing.assert_allclose(ca.eigenvalues_, np.array(SAID["eig"])[:, 0], atol=1e-14)
    same_up_to_sign(ca.rows_.coordinates, SAID["row_coord"])
    same_up_to_sign(ca.columns_.coordinates, SAID["col_coord"])
    np.testing.assert_allclose(100 * ca.rows_.contributions, SAID["row_contrib"], atol=1e-10)
    np.testing.assert_allclose(100 * ca.columns_.contributions, SAID["col_contrib"], atol=1e-10)
    np.testing.assert_allclose(ca.rows_.cos2, SAID["row_cos2"], atol=1e-12)
    assert ca.chi2_ == pytest.approx(np.ravel(SAID["chisq"])[0], rel=1e-12)
    assert ca.rows_.names == list(HAIR.index)
    assert ca.columns_.names == list(HAIR.columns)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_sparse_tables_are_the_dense_one(kind):
    thin = np.where(rng.random(N.shape) < 0.8, 0, N)
    thin[3] = 0
    ours, dense = CorrespondenceAnalysis().fit(kind(thin)), CorrespondenceAnalysis().fit(thin)
    np.testing.assert_allclose(ours.eigenvalues_, dense.eigenvalues_, atol=1e-13)
    np.testing.assert_allclose(ours.rows_.coordinates, dense.rows_.coordinates, atol=1e-12)
    assert not ours.rows_.coordinates[3].any()


def test_large_sparse_tables_stay_sparse():
    cells = rng.random((30_000, 60))
    big = sp.csr_array(np.where(cells < 0.05, np.ceil(180 * cells), 0.0))
    ours, dense = CorrespondenceAnalysis(2).fit(big), CorrespondenceAnalysis(2).fit(big.toarray())
    np.testing.assert_allclose(ours.eigenvalues_, dense.eigenvalues_, rtol=1e-10)


def test_new_rows_and_columns():
    ca = CorrespondenceAnalysis(3).fit(N)
    np.testing.assert_allclose(ca.transform(N[:5]), ca.rows_.coordinates[:5], atol=1e-13)
    np.testing.assert_allclose(ca.transform(3 * N[:5]), ca.rows_.coordinates[:5], atol=1e-13)
    np.testing.assert_allclose(ca.transform_columns(N), ca.columns_.coordinates, atol=1e-12)
    np.testing.assert_allclose(ca.transform_columns(N[:, :2].sum(axis=1, keepdims=True)), _joined(ca), atol=1e-12)
    times = rng.integers(1, 4, len(N))
    weighted = CorrespondenceAnalysis(3).fit(N, sample_weight=times)
    np.testing.assert_allclose(weighted.transform_columns(N), weighted.columns_.coordinates, atol=1e-12)
    np.testing.assert_allclose(weighted.rows_.contributions.sum(axis=0), 1.0, rtol=1e-12)


def _joined(ca):
    """A column that is the sum of two lies at their weighted mean."""
    masses = N[:, :2].sum(axis=0)
    return (masses @ ca.columns_.coordinates[:2] / masses.sum())[None, :]


def test_the_first_test_is_that_of_independence():
    found = CorrespondenceAnalysis(1).fit(HAIR).test_dimension()
    statistic, p_value, df, _ = chi2_contingency(HAIR, correction=False)
    assert found.statistics["chi2"][0] == pytest.approx(statistic)
    assert found.statistics["df"][0] == df
    assert found.p_values[0] == pytest.approx(p_value)
    assert found.dimension == 2
    thin = CorrespondenceAnalysis().fit([[1, 0, 3], [0, 2, 1], [4, 4, 0]]).test_dimension()
    assert "smallest expected count" in str(thin)


def test_independent_tables_are_found_so():
    """At 5%, about one table in twenty seems dependent."""
    draws = np.random.default_rng(1)
    p = np.outer([0.2, 0.3, 0.5], [0.1, 0.2, 0.3, 0.4]).ravel()
    found = [
        CorrespondenceAnalysis().fit(draws.multinomial(500, p).reshape(3, 4)).test_dimension().dimension > 0
        for _ in range(400)
    ]
    assert 0.02 < np.mean(found) < 0.09


def test_files_and_parts(tmp_path):
    frame = pd.DataFrame(N, columns=[f"c{j}" for j in range(N.shape[1])])
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=13)
    ca = CorrespondenceAnalysis(2).fit(open_rows(tmp_path / "t.parquet"))
    expected = CorrespondenceAnalysis(2).fit(frame)
    np.testing.assert_allclose(ca.columns_.coordinates, expected.columns_.coordinates, atol=1e-12)
    with pytest.raises(AttributeError, match=r"transform\(X\) gives the coordinates"):
        ca.rows_  # noqa: B018
    np.testing.assert_allclose(ca.transform(frame), expected.rows_.coordinates, atol=1e-12)
    again = load(save(expected, tmp_path / "ca.eigenlens"))
    assert again.rows_.names == expected.rows_.names


def test_refusals():
    with pytest.raises(InputError, match=r"Negative values in data passed to X: it holds -1"):
        CorrespondenceAnalysis().fit([[1, 2], [3, -1]])
    with pytest.raises(InputError, match="n_components=4 but 4 rows and 4 columns with counts give at most 3 axes"):
        CorrespondenceAnalysis(4).fit(HAIR)
    with pytest.raises(InputError, match="the table of the fit has 60 rows but N has 4"):
        CorrespondenceAnalysis().fit(N).transform_columns(HAIR)
    with pytest.raises(InputError, match="empty rows do not count"):
        CorrespondenceAnalysis().fit([[1, 2], [0, 0]])
    with pytest.warns(RankWarning, match="1 axes with inertia but n_components=2"):
        CorrespondenceAnalysis(2).fit([[1, 2, 3], [2, 4, 6], [3, 1, 2]])
    with pytest.raises(TypeError, match="columns that are not numbers: hair"):
        CorrespondenceAnalysis().fit(HAIR.reset_index(names="hair"))


def test_a_few_axes_of_many_are_the_first_of_all():
    """The other axes are not solved for, and the test of dimension still looks at all of them."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.poisson(5 * np.exp(0.5 * rng.standard_normal((60, 2)) @ rng.standard_normal((2, 40)))) + 1)
    every, few = CorrespondenceAnalysis().fit(table), CorrespondenceAnalysis(2).fit(table)
    np.testing.assert_allclose(few.eigenvalues_, every.eigenvalues_[:2], rtol=1e-11)
    np.testing.assert_allclose(few.rows_.coordinates, every.rows_.coordinates[:, :2], atol=1e-10)
    np.testing.assert_allclose(few.explained_variance_ratio_, every.explained_variance_ratio_[:2], rtol=1e-11)
    np.testing.assert_allclose(few.test_dimension().p_values, every.test_dimension().p_values, atol=1e-12)


def large(rows, columns):
    draws = np.random.default_rng(rows)
    rates = np.exp(0.5 * draws.standard_normal((rows, 2)) @ draws.standard_normal((2, columns)))
    return draws.poisson(5 * rates) + 1.0


@pytest.mark.parametrize("shape", [(700, 250), (250, 700), (90, 40)])
def test_few_axes_of_a_large_table_are_those_of_its_svd(shape):
    counts = large(*shape)
    ca = CorrespondenceAnalysis(2).fit(counts)
    P = counts / counts.sum()
    r, c = P.sum(axis=1), P.sum(axis=0)
    S = (P - np.outer(r, c)) / np.sqrt(np.outer(r, c))
    U, s, V = np.linalg.svd(S, full_matrices=False)
    np.testing.assert_allclose(ca.eigenvalues_, s[:2] ** 2, rtol=1e-12)
    same_up_to_sign(ca.rows_.coordinates, (U * s)[:, :2] / np.sqrt(r)[:, None], atol=1e-8)
    same_up_to_sign(ca.columns_.coordinates, (V.T * s)[:, :2] / np.sqrt(c)[:, None], atol=1e-8)
    assert ca.explained_variance_ratio_ == pytest.approx(s[:2] ** 2 / (s**2).sum(), rel=1e-12)
    np.testing.assert_allclose(ca.rows_.cos2 * (S**2).sum(axis=1)[:, None], (U * s)[:, :2] ** 2, atol=1e-8)
    every = CorrespondenceAnalysis().fit(counts).test_dimension()
    np.testing.assert_allclose(ca.test_dimension().p_values, every.p_values, atol=1e-9)


def test_axes_of_one_eigenvalue_are_all_found():
    """Three tables that share neither rows nor columns: two axes of inertia 1, and a small rest."""
    blocks = [large(150, 120) for _ in range(3)]
    joined = np.block([[b if i == j else np.zeros_like(b) for j in range(3)] for i, b in enumerate(blocks)])
    np.testing.assert_allclose(CorrespondenceAnalysis(2).fit(joined).eigenvalues_, [1.0, 1.0], rtol=1e-10)
    third = CorrespondenceAnalysis(3).fit(joined).eigenvalues_[2]
    assert third == pytest.approx(CorrespondenceAnalysis(1).fit(blocks[0]).eigenvalues_[0], rel=1e-9)


def test_tables_that_are_nearly_independent_keep_their_digits():
    draws = np.random.default_rng(3)
    outer = np.outer(draws.integers(1, 9, 500), draws.integers(1, 9, 300)).astype(float)
    outer *= 1 + 1e-5 * np.outer(draws.standard_normal(500), draws.standard_normal(300))
    few, every = CorrespondenceAnalysis(1).fit(outer), CorrespondenceAnalysis().fit(outer)
    np.testing.assert_allclose(few.eigenvalues_, every.eigenvalues_[:1], rtol=1e-9)
    np.testing.assert_allclose(few.explained_variance_ratio_, every.explained_variance_ratio_[:1], rtol=1e-9)
    np.testing.assert_allclose(few.rows_.cos2, every.rows_.cos2[:, :1], atol=1e-5)


PROPORTIONAL = [
    np.ones((3, 4)),
    np.outer([1, 2, 3], [1, 2, 5, 7]),
    np.outer([0.1, 0.7], [0.3, 2]),
    np.outer(0.1 + rng.random(300), 0.1 + rng.random(40)),
]


@pytest.mark.parametrize("table", PROPORTIONAL)
def test_rounding_is_not_an_axis(table):
    with pytest.warns(RankWarning, match="All rows of X have the same profile"):
        ca = CorrespondenceAnalysis().fit(table)
    assert ca.eigenvalues_ == ca.explained_variance_ratio_ == ca.chi2_ == 0
    assert not ca.rows_.cos2.any()
    assert not ca.columns_.cos2.any()


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, lambda t: pd.DataFrame(t.astype(int))])
def test_moments_are_those_of_the_rows_at_the_fit(kind, tmp_path):
    table = kind(N.astype(float))
    ca = CorrespondenceAnalysis(2).fit(table)
    if isinstance(table, np.ndarray):
        table[:] = 1.0
    else:
        table.iloc[:, :] = 1
    parts = CorrespondenceAnalysis(2).partial_fit(N[:20]).partial_fit(N[20:]).moments_
    ours = ca.moments_
    np.testing.assert_allclose(ours.centred.matrix, parts.centred.matrix, rtol=1e-10, atol=1e-13)
    assert (ours.n_rows, ours.weight, ours.smallest) == (parts.n_rows, parts.weight, parts.smallest)
    twice = (ours + ca.moments_).merge(ca.moments_)
    assert CorrespondenceAnalysis(2).fit_moments(twice).chi2_ == pytest.approx(3 * ca.chi2_)
    assert CorrespondenceAnalysis(3).fit_moments(ours).chi2_ == pytest.approx(ca.chi2_)
    again = load(save(ca, tmp_path / "ca.eigenlens"))
    np.testing.assert_allclose(again.moments_.centred.matrix, parts.centred.matrix, rtol=1e-10, atol=1e-13)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ca)).transform(N), ca.transform(N))
    assert ca.partial_fit(N).chi2_ == pytest.approx(2 * CorrespondenceAnalysis().fit(N).chi2_)


def test_a_summary_shows_contributions_and_cosines():
    summary = CorrespondenceAnalysis(2).fit(HAIR).summary()
    for words in ("rows_.contributions", "columns_.contributions", "rows_.cos2", "columns_.cos2"):
        assert words in str(summary)
        assert words in summary._repr_html_()
