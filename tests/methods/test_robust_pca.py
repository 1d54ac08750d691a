"""Robust PCA: exact recovery, optimality, missing cells, new rows, bad input."""

import numpy as np
import pytest
from refs import figures
from scipy.optimize import linprog

from eigenlens import RobustPCA
from eigenlens.exceptions import InputError, InputTypeError, MissingWarning, NotConvergedWarning, RankWarning
from eigenlens.solve.least_absolute import least_absolute
from eigenlens.solve.low_rank_and_sparse import Shrinker


def planted(n, p, rank, share, seed=0):
    """Low-rank part with entries of size 1/√n, and a share of gross errors ±1 (Candès et al., section 4.1)."""
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((n, rank)) @ rng.standard_normal((p, rank)).T / np.sqrt(n * p)
    S = np.where(rng.random((n, p)) < share, rng.choice([-1.0, 1.0], (n, p)), 0.0)
    return L, S


def with_holes(X, share, seed=1):
    holes = np.random.default_rng(seed).random(X.shape) < share
    return np.where(holes, np.nan, X), ~holes


def relative(found, truth):
    return np.linalg.norm(found - truth) / np.linalg.norm(truth)


# -- the defining properties ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_exact_recovery(missing):
    L, S = planted(500, 500, 25, 0.05)
    X, seen = with_holes(L + S, missing)
    model = RobustPCA().fit(X)
    assert model.rank_ == 25
    assert relative(model.low_rank_, L) <= 1e-6
    np.testing.assert_array_equal(model.sparse_ != 0, (S != 0) & seen)
    assert model.components_.shape == (25, 500)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(25), atol=1e-12)
    np.testing.assert_allclose(model.low_rank_ @ model.components_.T @ model.components_, model.low_rank_, atol=1e-10)


@pytest.mark.parametrize(("errors", "at_least"), [(0.0, 10), (0.05, 8)])
def test_many_missing_cells_are_not_taken_for_errors(errors, at_least):
    """λ counts the cells that were observed: 40% of a table of rank 2 are missing, and the rest is recovered."""
    recovered = 0
    for seed in range(10):
        L, S = planted(100, 60, 2, errors, seed)
        X, _ = with_holes(L + S, 0.4, seed)
        recovered += relative(RobustPCA().fit(X).low_rank_, L) <= 1e-3
    assert recovered >= at_least


def test_weights_count_in_the_share_of_observed_cells():
    L, S = planted(60, 20, 2, 0.05)
    X, seen = with_holes(L + S, 0.3)
    times = 1 + np.arange(60) % 3
    weighted = RobustPCA().fit(X, sample_weight=times)
    assert weighted.lam_ == pytest.approx((np.repeat(seen, times, axis=0).mean() * times.sum()) ** -0.5)
    assert weighted.lam_ == pytest.approx(RobustPCA().fit(np.repeat(X, times, axis=0)).lam_)


def test_optimality_on_data_without_a_true_split():
    """No matrix near the answer costs less, since the problem is convex."""
    X = np.random.default_rng(3).standard_normal((40, 25))
    model = RobustPCA(tol=1e-9).fit(X)
    L, S, lam = model.low_rank_, model.sparse_, model.lam_
    np.testing.assert_allclose(L + S, X, atol=1e-7)
    s = np.linalg.svd(L, compute_uv=False)
    r = model.rank_
    assert s[r - 1] > 1e-3
    assert np.all(s[r:] < 1e-10)
    best = np.linalg.norm(L, "nuc") + lam * np.abs(S).sum()
    assert best == pytest.approx(model.objective_[-1], rel=1e-6)
    rng = np.random.default_rng(0)
    for size in (1e-1, 1e-2, 1e-3):
        for _ in range(20):
            D = size * rng.standard_normal(X.shape)
            assert np.linalg.norm(L + D, "nuc") + lam * np.abs(X - L - D).sum() >= best * (1 - 1e-7)


def test_residuals_and_objective_are_told_for_every_round():
    L, S = planted(60, 50, 3, 0.05)
    rounds = []
    model = RobustPCA(progress=lambda *round: rounds.append(round)).fit(L + S)
    assert len(rounds) == model.n_iter_ == len(model.objective_) == len(model.residuals_)
    assert model.residuals_[-1] <= model.tol < model.residuals_[-2]
    assert rounds[-1] == pytest.approx((model.n_iter_, model.residuals_[-1], model.rank_, model.objective_[-1]))


def test_progress_can_be_printed(capsys):
    RobustPCA(progress=True).fit(np.add(*planted(20, 15, 1, 0.05)))
    assert capsys.readouterr().err.startswith("round 1: residual")


# -- symmetries -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [2.0**40, 3e-9, 1e200, 1e-200])
def test_scale(factor):
    X = np.add(*planted(60, 50, 3, 0.05))
    near, far = (RobustPCA(3).fit(f * X) for f in (1.0, factor))
    np.testing.assert_allclose(far.low_rank_ / factor, near.low_rank_, atol=1e-9)
    np.testing.assert_array_equal(far.sparse_ != 0, near.sparse_ != 0)
    np.testing.assert_allclose(far.components_, near.components_, atol=1e-8)


def test_transpose():
    X = np.add(*planted(70, 40, 3, 0.05))
    one, other = RobustPCA().fit(X), RobustPCA().fit(X.T)
    np.testing.assert_allclose(other.low_rank_.T, one.low_rank_, atol=1e-9)
    np.testing.assert_allclose(other.sparse_.T, one.sparse_, atol=1e-9)


def test_weights_count_rows_and_rows_of_weight_zero_are_split_as_new_ones():
    X = np.add(*planted(60, 40, 2, 0.05))
    times = np.arange(60) % 3
    weighted = RobustPCA().fit(X, sample_weight=times)
    repeated = RobustPCA().fit(np.repeat(X, times, axis=0))
    assert weighted.lam_ == pytest.approx(repeated.lam_) == pytest.approx(60**-0.5)
    np.testing.assert_allclose(np.repeat(weighted.low_rank_, times, axis=0), repeated.low_rank_, atol=1e-9)
    np.testing.assert_allclose(weighted.low_rank_[times == 0], weighted.split(X[times == 0])[0], atol=1e-9)
    assert weighted.low_rank_.shape == X.shape


# -- other ways to the same end ---------------------------------------------------------------------------------------


def test_rpca_of_r():
    """R package rpca 0.2.3, 60 × 60, rank 3, 5% errors."""
    expected = figures("rpca_square")
    model = RobustPCA(tol=1e-9).fit(expected["X"])
    assert model.rank_ == expected["rank_L"] == 3
    assert np.count_nonzero(model.sparse_) == expected["nnz_S"] == 180
    assert model.lam_ == pytest.approx(expected["lambda"], rel=1e-14)
    np.testing.assert_allclose(model.singular_values_, expected["singular_values_L"], rtol=1e-6)
    np.testing.assert_allclose(model.low_rank_[:10], expected["L_rows_1_to_10"], atol=1e-7)
    np.testing.assert_allclose(model.sparse_[:10], expected["S_rows_1_to_10"], atol=1e-6)
    assert model.objective_[-1] == pytest.approx(expected["objective"], rel=1e-7)


@pytest.mark.parametrize("shape", [(300, 260), (260, 300), (50, 30)])
def test_partial_and_full_decompositions_shrink_alike(shape):
    rng = np.random.default_rng(0)
    Y = 9 * rng.standard_normal((shape[0], 6)) @ rng.standard_normal((6, shape[1])) + rng.standard_normal(shape)
    U, s, Vt = np.linalg.svd(Y, full_matrices=False)
    shrinker = Shrinker()
    for tau in (60.0, 59.0, 45.0, 200.0):
        np.testing.assert_allclose(shrinker(Y, tau), (U * np.maximum(s - tau, 0)) @ Vt, atol=1e-8)
        assert shrinker.singular_values.shape[0] == np.count_nonzero(s > tau)
        assert not shrinker.missed(Y, tau)
        Y = Y * 1.0


# -- new rows ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("p", "r", "noise"), [(4, 2, 1.0), (20, 3, 1.0), (60, 8, 0.1), (60, 8, 0.0), (5, 5, 1.0)])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_least_absolute_deviations_reach_the_optimum_of_the_linear_program(p, r, noise, missing):
    rng = np.random.default_rng(p + r)
    V, _ = np.linalg.qr(rng.standard_normal((p, r)))
    X = rng.standard_normal((12, r)) @ V.T + noise * rng.standard_normal((12, p))
    X = X + (rng.random(X.shape) < 0.1) * 20
    seen = rng.random(X.shape) >= missing
    Z = least_absolute(X, seen, V)
    for x, known, z in zip(X, seen, Z, strict=True):
        size, eye = known.sum(), np.eye(known.sum())
        best = linprog(
            np.r_[np.zeros(r), np.ones(2 * size)],
            A_eq=np.hstack([V[known], eye, -eye]),
            b_eq=x[known],
            bounds=[(None, None)] * r + [(0, None)] * (2 * size),
        ).fun
        assert np.abs(x - V @ z)[known].sum() <= best + 1e-9 * np.abs(x).sum()


def test_a_row_does_not_depend_on_its_neighbours():
    X = np.add(*planted(80, 40, 3, 0.1)) + 0.01 * np.random.default_rng(0).standard_normal((80, 40))
    model = RobustPCA().fit(X)
    together = model.transform(X)
    np.testing.assert_allclose(np.vstack([model.transform(x[None]) for x in X[:10]]), together[:10], atol=1e-10)


def test_new_rows_are_split_past_gross_errors_and_holes():
    L, S = planted(200, 80, 4, 0.05)
    model = RobustPCA().fit(L[:150] + S[:150])
    X, seen = with_holes(L[150:] + S[150:], 0.1)
    low_rank, sparse = model.split(X)
    assert relative(low_rank, L[150:]) <= 1e-5
    np.testing.assert_allclose(sparse, np.where(seen, S[150:], 0), atol=1e-6)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), low_rank, atol=1e-12)
    scores = model.outlier_scores(X)
    np.testing.assert_allclose(scores, np.abs(sparse).sum(axis=1) / seen.sum(axis=1), atol=1e-12)


def test_outlying_rows_have_the_highest_scores():
    L, _ = planted(100, 40, 2, 0.0)
    X = L.copy()
    X[[7, 42]] += np.random.default_rng(1).standard_normal((2, 40))
    scores = RobustPCA().fit(X).outlier_scores(X)
    assert set(np.argsort(scores)[-2:]) == {7, 42}


def test_float32_and_frames():
    import pandas as pd

    X = np.add(*planted(40, 12, 2, 0.05))
    X[3, 4] = np.nan
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    model = RobustPCA().set_output(transform="pandas").fit(frame)
    assert model.transform(frame).shape == (40, model.n_components_)
    small = RobustPCA().fit(X.astype(np.float32))
    assert small.low_rank_.dtype == small.components_.dtype == np.float32


def test_torch():
    import torch

    X = np.add(*planted(50, 30, 2, 0.05))
    X[2, 3] = np.nan
    ours, theirs = RobustPCA().fit(X), RobustPCA().fit(torch.asarray(X))
    assert isinstance(theirs.low_rank_, torch.Tensor)
    np.testing.assert_allclose(theirs.low_rank_.numpy(), ours.low_rank_, atol=1e-9)
    np.testing.assert_allclose(theirs.transform(torch.asarray(X)).numpy(), ours.transform(X), atol=1e-8)


# -- bad input --------------------------------------------------------------------------------------------------------


def test_nothing_observed_is_refused_by_name():
    X = np.add(*planted(20, 10, 1, 0.05))
    model = RobustPCA().fit(X)
    row, column = X.copy(), X.copy()
    row[3], column[:, 7] = np.nan, np.nan
    with pytest.raises(InputError, match="row 3 is all NaN"):
        RobustPCA().fit(row)
    with pytest.raises(InputError, match="column 7 is all NaN"):
        RobustPCA().fit(column)
    for method in (model.transform, model.split, model.outlier_scores):
        with pytest.raises(InputError, match="row 3 is all NaN"):
            method(row)
    model.transform(column)  # known columns are enough for a new row


def test_infinity_is_refused():
    X = np.ones((5, 3))
    X[2, 1] = np.inf
    with pytest.raises(InputError, match="infinity"):
        RobustPCA().fit(X)


def test_too_little_observed_is_told():
    L, _ = planted(60, 60, 2, 0.0)
    with pytest.warns(MissingWarning, match="90% of the cells are NaN"):
        RobustPCA(lam=0.4).fit(with_holes(L, 0.9, seed=0)[0])
    with pytest.warns(MissingWarning, match=r"\d+ observed cells must determine the \d+ numbers"):
        RobustPCA(lam=1.0).fit(with_holes(np.random.default_rng(0).standard_normal((30, 30)), 0.5)[0])


def test_max_iter_is_told_with_the_residual():
    with pytest.warns(NotConvergedWarning, match=r"max_iter=3 .* residual of \d\.\de-"):
        RobustPCA(max_iter=3).fit(np.add(*planted(40, 30, 3, 0.05)))


def test_more_components_than_the_rank_are_told():
    with pytest.warns(RankWarning, match="has rank 2 but 5"):
        model = RobustPCA(5).fit(np.add(*planted(60, 40, 2, 0.03)))
    assert model.components_.shape == (2, 40)


def test_zeros_have_rank_zero():
    model = RobustPCA().fit(np.zeros((6, 4)))
    assert model.rank_ == 0
    assert model.components_.shape == (0, 4)
    assert not model.low_rank_.any()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 0.0}, "lam=0.0 but it must be a finite number above 0"),
        ({"lam": "big"}, "lam='big'"),
        ({"tol": -1.0}, "tol=-1.0"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"method": "fixed_rank"}, "RobustPCA has no parameter method='fixed_rank': it solves the convex problem"),
        ({"n_components": 0}, "n_components=0"),
        ({"n_components": 11}, "20 rows and 10 columns give at most 10"),
        ({"progress": "bar"}, "progress='bar'"),
        ({"progress": object}, "progress="),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        RobustPCA(**parameters).fit(np.random.default_rng(0).standard_normal((20, 10)))


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # the columns have one unit
def test_a_loose_fit_is_tested_on_its_own_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 20))
    X[rng.random(X.shape) < 0.05] += 100
    model = RobustPCA(tol=1e-4).fit(X)
    assert model.test_dimension(X, n_draws=19).dimension == 2


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # the columns have one unit
def test_a_mean_is_one_more_direction():
    """The table is not centred: what all rows share counts, and the law of shifts does not speak of this method."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 20))
    assert not RobustPCA()._obeys().centres
    assert (RobustPCA().fit(X).rank_, RobustPCA().fit(X + rng.standard_normal(20)).rank_) == (2, 3)
