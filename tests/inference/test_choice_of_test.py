"""Which test is taken, what a line sees beside slices, whether the condition holds, rows that follow each other."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter
from sklearn.datasets import load_iris

from eigenlens import LDA, PCA
from eigenlens.exceptions import InputError
from eigenlens.inference import bootstrap, check_linearity, neighbours, wilks
from eigenlens.inference.canonical import _spread, _uneven, advise, canonical_permutation_test, leverages
from eigenlens.inference.inverse import choose_slices, li_test, linear_p_value, with_linear
from eigenlens.inference.units import Units
from eigenlens.methods.spine.canonical_tests import class_leverages


def slices(Z, y, H):
    codes = np.argsort(np.argsort(y)) * H // len(y)
    return np.bincount(codes).astype(float), np.array([Z[codes == h].mean(axis=0) for h in range(H)]), codes


def whitened(X):
    return np.linalg.qr(X - X.mean(axis=0))[0] * len(X) ** 0.5


# -- the linear part -----------------------------------------------------------------------------------------------


def test_the_linear_test_is_the_f_test_of_the_scores_of_slices():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    Z, y = whitened(X), X[:, 0] + 2 * rng.standard_normal(60)
    weights, means, codes = slices(Z, y, 7)
    edges = np.concatenate([[0], np.cumsum(weights) / 60])
    scores = -np.diff(stats.norm.pdf(stats.norm.ppf(edges.clip(0, 1)))) / weights * 60
    t = scores[codes] - scores[codes].mean()
    fitted = Z @ np.linalg.lstsq(Z, t, rcond=None)[0]
    F = (fitted @ fitted / 4) / ((t - fitted) @ (t - fitted) / 55)
    assert linear_p_value(weights, means) == pytest.approx(stats.f.sf(F, 4, 55), rel=1e-8)


def test_what_a_line_sees_is_not_denied():
    """Few rows, many columns, ten slices: χ² sees nothing where regression explains nine tenths."""
    rng, denied, joined = np.random.default_rng(1), 0, 0
    for _ in range(20):
        X = rng.standard_normal((43, 11))
        Z, y = whitened(X), X @ np.ones(11) / 11**0.5 + 0.33 * rng.standard_normal(43)
        weights, means, _ = slices(Z, y, 10)
        values = np.linalg.svd(means * np.sqrt(weights / 43)[:, None], compute_uv=False) ** 2
        test = li_test(values, 43, 11, 10)
        denied += test.dimension == 0
        joined += with_linear(test, linear_p_value(weights, means)).dimension > 0
    assert denied > 5
    assert joined == 20


def test_no_rows_for_a_line_leave_the_test_as_it_is():
    test = li_test(np.array([0.5, 0.1]), 20, 19, 5)
    assert with_linear(test, linear_p_value(np.full(5, 4.0), np.zeros((5, 19)))) is test


def test_slices_become_fewer_with_fewer_rows():
    assert [choose_slices(n, 10) for n in (30, 100, 1000)] == [3, 5, 10]
    assert choose_slices(200, 10, covariances=True) < choose_slices(200, 10)


# -- the condition -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("df", [4, 1e6])
def test_elliptical_rows_are_not_doubted(df):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((500, 4)) / np.sqrt(rng.chisquare(df, (500, 1)) / df)
    assert not check_linearity(whitened(X)).doubtful


def test_clusters_are_doubted():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 3))
    X[:, :2] += np.array([[0, 0], [6, 0], [6, 6]])[rng.integers(0, 3, 300)]
    found = check_linearity(whitened(X @ [[1, 0, 0], [0.4, 1, 0], [0, 0, 1]]))
    assert found.doubtful
    assert found.bend > 0.05


# -- normal theory or permutations ---------------------------------------------------------------------------------


def test_the_variance_over_all_permutations():
    rng = np.random.default_rng(4)
    X, codes = rng.standard_cauchy((7, 2)), np.array([0, 0, 0, 0, 1, 1, 2])
    A, B = (np.linalg.svd(T - T.mean(axis=0), full_matrices=False) for T in (X, np.eye(3)[codes]))
    a, b = A[0], B[0][:, :2]
    V = [np.sum((a[list(order)].T @ b) ** 2) for order in permutations(range(7))]
    normal = 2 * _spread(7, 2) ** 2 / (6**2 * 8 * 5)
    uneven = _uneven(7, 2, leverages(X)) * _uneven(7, 2, class_leverages(codes)) / (8 * 7 * 6 * 5 * 4)
    assert np.var(V) == pytest.approx(normal + uneven, rel=1e-9)


def test_one_even_table_is_enough_for_normal_theory():
    rng = np.random.default_rng(5)
    even, wild = rng.standard_normal((300, 3)), rng.standard_cauchy((300, 2))
    assert advise(leverages(even), leverages(wild), 3, 2).method == "wilks"
    assert advise(leverages(wild), leverages(wild), 2, 2).method == "permutation"
    rare = class_leverages(np.repeat([0, 1], [296, 4]))
    assert advise(leverages(wild), rare, 2, 1).method == "permutation"
    assert "too few" in advise(leverages(even[:12]), leverages(wild[:12]), 3, 2).reason


# -- rows that belong together -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rho", [0.5, 0.9, -0.6])
def test_a_series_is_told_from_a_sorted_table(rho):
    """Neighbours are alike in both; within four rows in a row the order matters in a series only."""
    rng = np.random.default_rng(3)
    series = lfilter([1.0], [1, -rho], rng.standard_normal((250, 6)), axis=0)[50:]
    assert neighbours(series).alike
    X = rng.standard_normal((200, 6))
    by_class = X + np.repeat(3 * rng.standard_normal((4, 6)), 50, axis=0)
    by_size = X + 2 * rng.standard_normal((200, 1))
    by_size = by_size[np.argsort(by_size[:, 0])]
    assert not neighbours(by_class).alike
    assert not neighbours(by_size).alike
    iris = load_iris().data
    assert not neighbours(iris).alike
    assert "Neighbouring" not in str(PCA().fit(iris).test_dimension(iris, n_draws=19))


def test_neighbours_of_a_series():
    rng = np.random.default_rng(6)
    X = lfilter([1.0], [1, -0.5], rng.standard_normal((2050, 5)), axis=0)[50:]
    found, independent = neighbours(X), neighbours(rng.standard_normal((2000, 5)))
    assert found.alike
    assert found.correlation == pytest.approx(0.5, abs=0.05)
    assert found.effective_n == pytest.approx(2000 * (1 - 0.25) / (1 + 0.25), rel=0.1)
    assert not independent.alike
    assert independent.effective_n == 2000


def test_groups_of_one_size_change_places_as_wholes():
    labels = np.repeat(np.arange(12), 3)
    order = Units.of(36, labels).order(np.random.default_rng(7))
    assert sorted(order) == list(range(36))
    assert (labels[order].reshape(12, 3) == labels[order].reshape(12, 3)[:, :1]).all()


def test_repeated_rows_do_not_make_a_pair():
    """Forty independent rows, each taken five times: two hundred rows reject what forty would not."""
    rejected = {True: 0, False: 0}
    for r in range(30):
        rng = np.random.default_rng([8, r])
        groups = np.repeat(np.arange(40), 5)
        X, Y = rng.standard_normal((40, 3))[groups], rng.standard_normal((40, 2))[groups]
        for known in rejected:
            moves = Units.of(200, groups) if known else None
            test = canonical_permutation_test(X, Y, most=1, n_draws=19, seed=r, moves=moves)
            rejected[known] += test.p_values[0] <= 0.05
    assert rejected[False] > 20
    assert rejected[True] <= 5


def test_the_bootstrap_draws_blocks_of_a_series():
    X = lfilter([1.0], [1, -0.9], np.random.default_rng(9).standard_normal((600, 3)), axis=0) * [3, 2, 1]
    rows, blocks = (bootstrap(PCA(1), X, n_boot=200, block=b) for b in (None, 30))
    assert blocks.unit == "blocks of 30 consecutive rows"
    assert blocks.values.std() > 1.5 * rows.values.std()
    with pytest.raises(InputError, match="groups and block"):
        bootstrap(PCA(1), X, n_boot=200, block=30, groups=np.arange(600))


# -- words ---------------------------------------------------------------------------------------------------------


def test_verdicts_say_what_rows_can_tell():
    assert wilks([0.9, 0.1], n=200, p=3, s=2).verdicts == ["shown", "not shown by these rows"]
    assert wilks([0.5, 0.1], n=12, p=3, s=2).verdicts == ["too few rows to tell"] * 2
    assert "detectable" in wilks([0.5], n=50, p=3, s=1).to_frame()


def test_tied_components_are_read_as_a_subspace():
    X = np.random.default_rng(10).standard_normal((300, 5)) * [5, 2, 2, 1, 1]
    result = bootstrap(PCA(3), X, n_boot=200)
    assert result.blocks == [(1, 2)]
    assert result.tied.tolist() == [False, True, True]
    assert "of 5 loadings are away from zero" in str(result)
    assert "Components 2 to 3 have eigenvalues too close to separate" in str(result)
    assert result.to_frame()["tied"].sum() == 10
    assert result.block_angles()[0].shape == (200, 2)


def test_leverages_from_products_are_those_of_the_decomposition():
    """Of columns in any units; where columns depend on each other, the decomposition itself is asked."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 4)) * [1, 1e3, 1e-3, 1]
    for table in (X, np.column_stack([X, X[:, 0] + X[:, 1]]), np.column_stack([X, X[:, 0] * (1 + 1e-9)])):
        left, s, _ = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
        kept = left[:, s > 60 * np.finfo(float).eps * s[0]]
        np.testing.assert_allclose(leverages(table), (kept**2).sum(axis=1), rtol=1e-6)


def test_what_permutations_would_show_is_found_four_times_in_five():
    """A squared correlation cannot gain what noise already gives it, where columns are nearly as many as rows."""
    rng = np.random.default_rng(5)
    n, p = 30, 10
    tests = [
        canonical_permutation_test(rng.normal(size=(n, p)), rng.normal(size=(n, 1)), n_draws=99, seed=seed)
        for seed in range(20)
    ]
    least = float(np.mean([test.detectable[0] for test in tests]))
    found = 0
    for seed in range(100):
        X = rng.normal(size=(n, p))
        y = np.sqrt(least) * X[:, :1] + np.sqrt(1 - least) * rng.normal(size=(n, 1))
        found += canonical_permutation_test(X, y, n_draws=99, seed=seed).dimension
    assert 66 <= found <= 92


def test_too_few_rows_for_normal_theory_says_what_to_do():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 18)), np.repeat([0, 1], 10)
    with pytest.raises(InputError, match="shrinkage or a ridge and test by permutations"):
        LDA().fit(X, y).test_dimension(X, y)
    assert LDA().fit(X, y).test_dimension(X, y, method="permutation").verdicts == ["too few rows to tell"]
