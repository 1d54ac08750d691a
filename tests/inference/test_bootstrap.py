"""The bootstrap: exact resamples from sums, alignment, intervals, and what it refuses."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from eigenlens import CCA, FDA, LDA, PCA, PDA, SAVE, SIR, ClassicalMDS, DirectionalRegression
from eigenlens.exceptions import BootstrapWarning, InputError
from eigenlens.inference import bootstrap
from eigenlens.inference.alignment import (
    FISHER,
    LOG,
    aligned,
    angles_between,
    corrected_percentiles,
    on_a_scale,
    tied_blocks,
)
from eigenlens.inference.replicates import Draws, Followed
from eigenlens.inference.units import Units
from eigenlens.moments.resampled import Resampler
from eigenlens.regress import PolynomialRegression
from eigenlens.rows import whole

X, y = load_iris(return_X_y=True)
WINE = scale(load_wine().data)


@pytest.mark.parametrize("model", [PCA(3), LDA(), LDA(shrinkage=0.2), PDA(lam=2.0), SIR(2), CCA()], ids=repr)
@pytest.mark.parametrize("per_block", [1, 5])
def test_resamples_from_sums_are_fits_with_weights(model, per_block):
    """The fast road is exact: the same loadings as a fit of the rows with the counts as weights."""
    rng = np.random.default_rng(0)
    offset = X + np.array([1e4, 0, -30, 5])
    target = {"PCA": (), "CCA": (y[:, None] + rng.standard_normal((150, 2)),)}.get(type(model).__name__, (y,))
    fitted = model.fit(offset, *target)
    block = whole(fitted._open_again(offset, *(target or (None,)), None))
    rows = block.X if not isinstance(model, CCA) else np.column_stack([block.X, block.y])
    codes = np.asarray(block.y, dtype=int) if hasattr(fitted.moments_, "groups") else None
    units = None if per_block == 1 else rng.permutation(150) // per_block
    sums = Resampler(fitted.moments_, rows, codes, np.ones(150), units)
    counts = rng.multinomial(sums.n_units, np.full(sums.n_units, 1 / sums.n_units), size=3).astype(float)
    for drawn, count in zip(sums.draw(counts), counts, strict=True):
        times = count if units is None else count[units]
        direct = type(model)(**model.get_params(deep=False)).fit(offset, *target, sample_weight=times)
        quick = type(model)(**model.get_params(deep=False)).fit_moments(drawn)
        name = {"PCA": "components_", "SIR": "components_", "CCA": "x_weights_"}.get(type(model).__name__, "scalings_")
        np.testing.assert_allclose(getattr(quick, name), getattr(direct, name), rtol=1e-7, atol=1e-9)


HOLED = [PCA(1), LDA(), CCA(1), SIR(1), SAVE(1, n_slices=2), DirectionalRegression(1, n_slices=2), LDA(within="equal")]


@pytest.mark.parametrize("model", HOLED, ids=repr)
@pytest.mark.parametrize("grouped", [False, True])
def test_resamples_of_rows_with_holes_are_fits_with_weights(model, grouped):
    """Resamples that are climbed from the maximum of all rows end at their own maximum."""
    rng = np.random.default_rng(1)
    A = np.column_stack([X + np.array([1e4, 0, -30, 5]), np.full(150, 3.0)])[:, : 4 if isinstance(model, CCA) else 5]
    A[rng.random(A.shape) < 0.25] = np.nan
    A[7] = np.nan
    target = {"PCA": (), "CCA": (y[:, None] + rng.standard_normal((150, 2)),)}.get(type(model).__name__, (y,))
    model = clone(model).set_params(missing="ml")
    groups = np.arange(150) // 2 if grouped else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = bootstrap(model, A, *target, n_boot=3, groups=groups, random_state=5)
        units = Draws.of(Units.of(150, groups), "auto", None, True, 5)
        for b in range(3):
            times = units.counts(5, b) if groups is None else units.counts(5, b)[groups]
            direct = clone(model).fit(A, *target, sample_weight=times)
            replicate = aligned(
                Followed(direct).loadings[None], found.components[b], [slice(j, j + 1) for j in range(1)]
            )[0]
            np.testing.assert_allclose(
                found.components[b, 0], replicate[0], rtol=1e-4, atol=1e-5 * abs(replicate).max()
            )


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.BootstrapWarning")
def test_seeded_and_the_same_on_any_number_of_processes():
    one = bootstrap(SAVE(1), X, y, n_boot=40, random_state=3)
    two = bootstrap(SAVE(1), X, y, n_boot=40, random_state=3, n_jobs=2)
    np.testing.assert_array_equal(one.components, two.components)
    other = bootstrap(SAVE(1), X, y, n_boot=40, random_state=4)
    assert not np.array_equal(one.low, other.low)
    np.testing.assert_array_equal(bootstrap(LDA(), X, y, n_boot=200).low, bootstrap(LDA(), X, y, n_boot=200).low)


def test_standard_errors_are_those_of_theory():
    """Normal data: the variance of loading i of component j is λⱼ Σ_{k≠j} λ_k v²_{ik}/(λⱼ − λ_k)²/n (Anderson 1963)."""
    values = np.array([9.0, 4.0, 1.0, 0.5])
    rng = np.random.default_rng(0)
    V = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    n = 4000
    A = rng.standard_normal((n, 4)) * np.sqrt(values) @ V.T
    result = bootstrap(PCA(2), A, resample="rows")
    for j in range(2):
        others = [k for k in range(4) if k != j]
        var = sum(values[j] * values[k] / (values[j] - values[k]) ** 2 * V[:, k] ** 2 for k in others) / n
        np.testing.assert_allclose(result.standard_error[j], np.sqrt(var), rtol=0.15)
    se = np.sqrt(2 / n) * values[:2]
    np.testing.assert_allclose(result.values.std(axis=0), se, rtol=0.15)


def test_blocks_of_rows_give_the_intervals_of_rows():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 6000)
    A = rng.standard_normal((6000, 5)) + 0.8 * rng.standard_normal((3, 5))[labels]
    blocks, rows = bootstrap(LDA(), A, labels), bootstrap(LDA(), A, labels, resample="rows")
    assert blocks.unit == "blocks of 6 rows"
    assert rows.unit == "rows"
    np.testing.assert_allclose(blocks.standard_error, rows.standard_error, rtol=0.15)


def test_groups_are_drawn_together():
    """Rows repeated five times carry no more than the rows themselves."""
    repeated, groups = np.repeat(WINE, 5, axis=0), np.repeat(np.arange(len(WINE)), 5)
    once = bootstrap(PCA(2), WINE)
    naive = bootstrap(PCA(2), repeated)
    grouped = bootstrap(PCA(2), repeated, groups=groups)
    assert grouped.unit == "groups"
    np.testing.assert_allclose(grouped.standard_error, once.standard_error, rtol=0.2)
    assert np.median(naive.standard_error / once.standard_error) < 0.6


def test_a_weight_counts_rows():
    times = np.random.default_rng(0).integers(1, 4, len(WINE))
    one = bootstrap(PCA(2), WINE, sample_weight=times)
    two = bootstrap(PCA(2), np.repeat(WINE, times, axis=0))
    np.testing.assert_allclose(one.estimate, two.estimate)
    np.testing.assert_allclose(one.standard_error, two.standard_error, rtol=0.2)


def test_a_weight_counts_rows_also_where_rows_are_fitted_and_where_there_are_many():
    """Where a fit takes the resample's weights, and where a table is large enough for blocks."""
    rng = np.random.default_rng(0)
    times = rng.choice([0, 1, 6], len(X))
    one = bootstrap(SAVE(1, n_slices=3), X, y, sample_weight=times, n_boot=200)
    two = bootstrap(SAVE(1, n_slices=3), np.repeat(X, times, axis=0), np.repeat(y, times), n_boot=200)
    assert np.median(one.angles) == pytest.approx(np.median(two.angles), rel=0.2)
    A = rng.standard_normal((2500, 4)) * np.array([3.0, 2.0, 1.0, 0.5])
    times = rng.choice([1, 9], 2500)
    one, two = bootstrap(PCA(2), A, sample_weight=times), bootstrap(PCA(2), np.repeat(A, times, axis=0))
    assert (one.unit, two.unit) == ("rows", "blocks of 12.5 rows")
    np.testing.assert_allclose(one.standard_error, two.standard_error, rtol=0.2)
    absent = np.where(np.arange(150) % 3 == 0, 0.0, 1.0)  # rows of weight 0 take their groups with them
    few = bootstrap(PCA(1), X, groups=np.arange(150) % 30, sample_weight=absent, n_boot=200)
    same = bootstrap(PCA(1), X[absent > 0], groups=(np.arange(150) % 30)[absent > 0], n_boot=200)
    np.testing.assert_allclose(few.components, same.components, atol=1e-10)
    assert bootstrap(SAVE(1), X, y, sample_weight=absent, n_boot=200).components.shape == (200, 1, 4)
    with pytest.raises(InputError, match="resample='blocks'"):
        bootstrap(PCA(2), A, sample_weight=times, resample="blocks")


def test_replicates_are_fits_to_the_rows_that_were_drawn():
    """Resample b, drawn by hand from (random_state, b), fitted row by row."""
    result = bootstrap(PCA(2), WINE, n_boot=200, random_state=7)
    for b in range(0, 200, 40):
        rows = np.random.default_rng([7, b]).integers(0, len(WINE), len(WINE))
        expected = SklearnPCA(2).fit(WINE[rows])
        np.testing.assert_allclose(result.values[b], expected.explained_variance_, rtol=1e-9)
        np.testing.assert_allclose(np.abs(result.components[b]), np.abs(expected.components_), atol=1e-8)


def test_a_pipeline_is_fitted_as_a_whole_and_its_last_step_followed():
    import pandas as pd

    frame = pd.DataFrame(load_wine().data, columns=load_wine().feature_names)
    result = bootstrap(make_pipeline(StandardScaler(), PCA("auto")), frame, n_boot=200)
    assert result.names == load_wine().feature_names
    assert result.estimate.shape == (6, 13)
    np.testing.assert_allclose(result.estimate, PCA(6).fit(WINE).components_, atol=1e-10)


def test_tied_components_are_rotated_as_a_block():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((500, 6)) * np.array([5.0, 2.0, 2.0, 1.0, 1.0, 1.0])
    result = bootstrap(PCA(3), A)
    assert result.blocks == [(1, 2)]
    assert result.standard_error[1:].max() < 0.15  # one by one they would turn freely
    assert np.degrees(np.median(result.angles[:, -1])) < 15


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.BootstrapWarning")
def test_intervals_of_tied_eigenvalues_hold_what_they_have_in_common():
    """Sorting makes the last of three equal ones too small, in the rows and again in resamples: 41% held the truth."""
    truth = np.array([9.0, 4.0, 4.0, 1.0, 1.0, 1.0])
    held = []
    for r in range(15):
        X = np.random.default_rng(r).standard_normal((300, 6)) * np.sqrt(truth)
        result = bootstrap(PCA(), X, n_boot=100, random_state=r)
        held.append((result.value_low <= truth) & (truth <= result.value_high))
        assert (result.value_low <= result.value).all()
        assert (result.value <= result.value_high).all()
    assert (np.mean(held, axis=0) >= 0.8).all()


def test_alignment_and_angles():
    rng = np.random.default_rng(0)
    target = np.linalg.qr(rng.standard_normal((6, 3)))[0].T
    turn = np.linalg.qr(rng.standard_normal((2, 2)))[0]
    replicate = np.vstack([-target[:1], turn @ target[1:]])[None]
    blocks = tied_blocks(np.array([9.0, 2.0, 1.9]), np.array([0.1, 0.1, 0.1]))
    assert blocks == [slice(0, 1), slice(1, 3)]
    np.testing.assert_allclose(aligned(replicate, target, blocks)[0], target, atol=1e-12)
    np.testing.assert_allclose(angles_between(replicate, target), 0, atol=1e-7)
    tilted = np.array([[[1.0, 0, 0], [0, np.cos(1e-9), np.sin(1e-9)]]])
    np.testing.assert_allclose(angles_between(tilted, np.eye(3)[:2])[0], [0, 1e-9], atol=1e-15)


def test_corrected_percentiles_of_a_shifted_law():
    """Bias-corrected intervals follow a monotone map of the parameter, and are plain percentiles without bias."""
    z = np.random.default_rng(0).standard_normal((20000, 1))
    low, high = corrected_percentiles(z, np.zeros(1), 0.95)
    np.testing.assert_allclose([low[0], high[0]], [-1.96, 1.96], atol=0.05)
    low, high = corrected_percentiles(np.exp(z), np.ones(1), 0.95)
    np.testing.assert_allclose(np.log([low[0], high[0]]), [-1.96, 1.96], atol=0.05)


def test_values_have_intervals_on_their_scale():
    """A canonical correlation of 0.7, 150 rows of three and three columns: percentiles hold it in 89% of tables."""
    held = []
    for seed in range(60):
        rng = np.random.default_rng([seed, 1])
        Z = rng.standard_normal((150, 6))
        Z[:, 3] = 0.7 * Z[:, 0] + np.sqrt(1 - 0.7**2) * Z[:, 3]
        counts = rng.multinomial(150, np.full(150, 1 / 150), size=200)
        S = np.stack([np.cov(Z.T, fweights=times) for times in [np.ones(150, dtype=int), *counts]])
        left, right = np.linalg.cholesky(S[:, :3, :3]), np.linalg.cholesky(S[:, 3:, 3:])
        M = np.linalg.solve(left, np.swapaxes(np.linalg.solve(right, S[:, 3:, :3]), 1, 2))
        r = np.linalg.svd(M, compute_uv=False)[:, :1]
        low, high = on_a_scale(r[1:], r[0], 0.95, FISHER, 150)
        assert -1 < low[0] < r[0, 0] < high[0] < 1
        held.append(low[0] <= 0.7 <= high[0])
    assert np.mean(held) >= 0.9
    low, high = on_a_scale(np.array([[1.0, -1.0], [2.0, 3.0], [4.0, 5.0]]), np.array([2.0, 3.0]), 0.9, LOG, 40)
    assert low[0] > 0
    assert low[1] < 0  # no logarithm: its percentiles


def test_any_estimator_takes_part():
    by_index = bootstrap(SklearnPCA(2), WINE, n_boot=200)
    ours = bootstrap(PCA(2), WINE, n_boot=200)
    np.testing.assert_allclose(np.abs(by_index.estimate), np.abs(ours.estimate), atol=1e-10)
    np.testing.assert_allclose(by_index.standard_error, ours.standard_error, rtol=0.4)
    assert bootstrap(FDA(regressor=PolynomialRegression(2)), X, y, n_boot=200).components.shape == (200, 2, 3)
    assert bootstrap(PCA("parallel"), WINE, n_boot=200).components.shape[1] == 3
    assert bootstrap(CCA(), X[:, :2], X[:, 2:], n_boot=200).values.shape == (200, 2)


def test_results_as_table_sentence_and_picture():
    import matplotlib

    matplotlib.use("Agg")
    import pandas as pd

    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    result = bootstrap(LDA(), frame, y, n_boot=200)
    table = result.to_frame()
    assert list(table.index[:4]) == [(1, "a"), (1, "b"), (1, "c"), (1, "d")]
    assert ((table.low < table.loading) & (table.loading < table.high)).all()
    assert "of 8 loadings are away from zero at 95%" in str(result)
    assert [t.get_text() for t in result.plot(1).ax_.get_yticklabels()] == ["a", "b", "c", "d"]
    with pytest.raises(InputError, match="component=2"):
        result.plot(2)


def test_what_cannot_be_resampled_is_refused():
    with pytest.raises(InputError, match=r"PCA\.fit does not take it"):
        bootstrap(SklearnPCA(2), X, sample_weight=np.ones(150))
    for n_jobs in (0, 1.5, "x"):
        with pytest.raises(InputError, match="n_jobs="):
            bootstrap(SAVE(1), X, y, n_jobs=n_jobs)
    with pytest.raises(InputError, match="progress='yes'"):
        bootstrap(LDA(), X, y, progress="yes")
    with pytest.raises(InputError, match="random_state=-1"):
        bootstrap(LDA(), X, y, random_state=-1)
    with pytest.raises(InputError, match=r"groups has shape \(150, 1\)"):
        bootstrap(LDA(), X, y, groups=np.zeros((150, 1)))
    with pytest.raises(InputError, match="groups has no label in row 3"):
        bootstrap(LDA(), X, y, groups=[None if i == 3 else f"g{i % 30}" for i in range(150)])
    with pytest.raises(InputError, match="sample_weight adds up to 1"):
        bootstrap(ClassicalMDS(), X, sample_weight=np.full(150, 1 / 150))
    with pytest.warns(BootstrapWarning, match="Resamples of 3 groups"):
        bootstrap(PCA(1), X, groups=np.arange(150) % 3, n_boot=200)
    with pytest.raises(InputError, match="n_boot=1"):
        bootstrap(LDA(), X, y, n_boot=1)
    with pytest.raises(InputError, match=r"level=95"):
        bootstrap(LDA(), X, y, level=95)
    with pytest.raises(InputError, match="resample='columns'"):
        bootstrap(LDA(), X, y, resample="columns")
    with pytest.raises(InputError, match="groups holds 1 distinct"):
        bootstrap(LDA(), X, y, groups=np.zeros(150))
    with pytest.raises(InputError, match="X has 150 rows but groups has 3"):
        bootstrap(LDA(), X, y, groups=[1, 2, 3])
    with pytest.raises(InputError, match="resamples could not be fitted"):
        bootstrap(LDA(), X, np.arange(150) // 15, groups=np.arange(150) // 15)  # classes are lost in nearly every one
    with pytest.warns(BootstrapWarning, match="n_boot=50"):
        bootstrap(LDA(), X, y, n_boot=50)


def test_intervals_that_do_not_hold_their_level_are_named():
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X)
    with pytest.warns(BootstrapWarning, match="intervals of the eigenvalues of PCA are too narrow .* use level=0.975"):
        bootstrap(PCA(1, missing="ml"), holes, n_boot=200)
    bootstrap(LDA(missing="ml"), holes, y, n_boot=200)  # those of classes do hold it
