"""Maximum likelihood of a normal sample with holes: slope zero first, brute force second, lavaan third."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from test_patterns import holey, same

from eigenlens import LDA, PCA, SAVE, SIR
from eigenlens.exceptions import MissingWarning
from eigenlens.files.state import Decoder, Encoder
from eigenlens.moments import Cross, Factor, Grouped, Patterns, completion
from eigenlens.moments.expected_cells import ExpectedCells
from eigenlens.rows import Block, as_source

REFERENCE = Path(__file__).parents[1] / "reference"


def log_likelihood(X, mu, S, w=None):
    """By definition, a row at a time."""
    w = np.ones(len(X)) if w is None else w
    mu = np.broadcast_to(mu, X.shape)
    total = 0.0
    for x, m, weight in zip(X, mu, w, strict=True):
        o = ~np.isnan(x)
        if o.any():
            total += weight * scipy.stats.multivariate_normal(m[o], S[np.ix_(o, o)]).logpdf(x[o])
    return total


def em(X, steps, codes=None, start=None):
    """EM a row at a time, as the textbook has it; codes give each group a mean of its own."""
    n, p = X.shape
    codes = np.zeros(n, dtype=int) if codes is None else codes
    mu = np.stack([np.nanmean(X[codes == g], axis=0) for g in np.unique(codes)])
    S = np.diag(np.nanvar(X, axis=0))
    mu, S = (mu, S) if start is None else start
    for _ in range(steps):
        Z, C = X.copy(), np.zeros((p, p))
        for i, x in enumerate(X):
            m, o, c = np.isnan(x), ~np.isnan(x), mu[codes[i]]
            B = np.linalg.solve(S[np.ix_(o, o)], S[np.ix_(o, m)]).T
            Z[i, m] = c[m] + B @ (x[o] - c[o])
            C[np.ix_(m, m)] += S[np.ix_(m, m)] - B @ S[np.ix_(o, m)]
        mu = np.stack([Z[codes == g].mean(axis=0) for g in range(len(mu))])
        D = Z - mu[codes]
        S = (D.T @ D + C) / n
    return mu, S


def patterns(X, w=None):
    return Patterns().update(Block(X, None, w))


def grouped(X, y):
    return as_source(X, y, target="labels", missing="allow").collect(Grouped(Patterns))


def fit(moments, **options):
    """A fit with its means and covariance in the units of the data."""
    found = completion.fit(moments, **options)
    centred = found.moments.inner
    with np.errstate(over="ignore", under="ignore"):
        covariance = centred.matrix * centred.unit * centred.unit[:, None] / centred.weight
    return SimpleNamespace(**vars(found), means=centred.means, covariance=covariance)


def test_the_slope_of_the_likelihood_is_zero():
    X = holey(n=120, p=4)
    found = fit(patterns(X))
    assert found.score <= 1e-8
    S, mu = found.covariance, found.means[0]
    best, L = log_likelihood(X, mu, S), np.linalg.cholesky(S)
    assert found.log_likelihood == pytest.approx(best, rel=1e-10)  # the covariance has a condition of 3e6
    rng = np.random.default_rng(3)
    for _ in range(10):
        E, d = rng.standard_normal((4, 4)), rng.standard_normal(4)
        E, d = 1e-4 * L @ (E + E.T) @ L.T, 1e-4 * L @ d
        up, down = (log_likelihood(X, mu + t * d, S + t * E) for t in (1, -1))
        assert abs(up - down) / 2e-4 < 1e-5 * len(X)  # a central difference has an error of the square of the step
        assert max(up, down) < best


@pytest.mark.parametrize("seed", range(20))
def test_no_order_of_rows_keeps_the_climb_from_the_top(seed):
    """The covariance has a condition of 3e6: the likelihood is not known to its last digits, and cannot lead there."""
    X = holey(n=120, p=4)
    assert fit(patterns(np.random.default_rng(seed).permutation(X))).score <= 1e-8


@pytest.mark.parametrize("share", [0.1, 0.4])
@pytest.mark.parametrize("n_patterns", [None, 5])
def test_em_row_by_row_comes_to_the_same(n_patterns, share):
    X = holey(n=60, p=3, share=share, n_patterns=n_patterns, seed=2)
    found, (mu, S) = fit(patterns(X)), em(X, 100)
    np.testing.assert_allclose(found.means, mu, atol=1e-3)
    np.testing.assert_allclose(found.covariance, S, atol=1e-3)
    assert found.log_likelihood >= log_likelihood(X, mu, S) - 1e-11
    mu, S = em(X, 1, start=(found.means, found.covariance))
    np.testing.assert_allclose(found.means, mu, atol=1e-9)
    np.testing.assert_allclose(found.covariance, S, atol=1e-9)
    assert found.n_steps < 60


def test_groups_have_means_of_their_own_and_one_covariance():
    X, y = holey(n=60, p=3, seed=5), np.arange(60) % 3
    X += 3.0 * y[:, None]
    found, (mu, S) = fit(grouped(X, y)), em(X, 100, y)
    np.testing.assert_allclose(found.means, mu, atol=1e-3)
    np.testing.assert_allclose(found.covariance, S, atol=1e-3)
    mu, S = em(X, 1, y, (found.means, found.covariance))
    np.testing.assert_allclose(found.means, mu, atol=1e-9)
    np.testing.assert_allclose(found.covariance, S, atol=1e-9)
    within = found.moments.within()
    np.testing.assert_allclose(within.means, mu, atol=1e-9)
    np.testing.assert_allclose(within.matrix / 60, S, atol=1e-9)
    assert found.log_likelihood == pytest.approx(log_likelihood(X, mu[y], S), rel=1e-9)


def test_lavaan_on_airquality():
    """lavaan 0.6-14, lav_mvnorm_missing_h1_estimate_moments of airquality[, 1:4]."""
    files = [REFERENCE / "airquality.csv", REFERENCE / "airquality_holes.csv"]
    X = np.concatenate([np.genfromtxt(file, delimiter=",", skip_header=1) for file in files])
    assert np.isnan(X).sum(axis=0).tolist() == [37, 7, 0, 0]
    found = fit(patterns(X))
    mean = [41.871173019597926, 184.84680624984503, 9.9575163398692812, 77.882352941176464]
    covariance = [
        [1044.0186430644776, 942.52984181323882, -64.635927693698989, 209.56350282618041],
        [942.52984181323882, 8090.7016612067891, -17.335380341311975, 238.07331132702893],
        [-64.635927693698989, -17.335380341311975, 12.330417360844152, -15.172318339100343],
        [209.56350282618041, 238.07331132702893, -15.172318339100343, 89.005767012688921],
    ]
    np.testing.assert_allclose(found.means[0], mean, rtol=1e-9)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-9)
    assert found.n_steps < 40


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_without_holes_nothing_is_new(offset):
    X = holey(share=0.0, offset=offset)
    found, plain = fit(patterns(X)), Factor().update(Block(X))
    np.testing.assert_allclose(found.moments.matrix, plain.matrix, rtol=1e-12)
    np.testing.assert_allclose(found.means[0], plain.mean, rtol=1e-15)
    assert found.n_steps == 0
    S = plain.matrix / len(X)
    assert found.log_likelihood == pytest.approx(log_likelihood(X - offset, plain.mean - offset, S), rel=1e-9)


def test_without_holes_groups_and_tables_are_as_ever():
    X, y = holey(share=0.0), np.arange(200) % 3
    plain = as_source(X, y, target="labels").collect(Grouped(Factor))
    found = fit(grouped(X, y)).moments
    np.testing.assert_allclose(found.within().matrix, plain.within().matrix, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.total().matrix, plain.total().matrix, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found.labels, plain.labels)
    cross = fit(Cross(Patterns).update(Block(X[:, :2], X[:, 2:]))).moments
    assert isinstance(cross, Cross)
    assert cross.split == 2
    np.testing.assert_allclose(cross.joint.matrix, Factor().update(Block(X)).matrix, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [150, 2000])
def test_merged_parts_weights_and_order_give_the_same_maximum(n):
    X = holey(n=n, p=6, seed=7)
    found = fit(patterns(X))
    parts = [patterns(rows) for rows in np.array_split(X, 4)]
    merged = fit(parts[2].merge(parts[0]).merge(parts[3]).merge(parts[1]))
    doubled = fit(patterns(X, np.full(n, 2.0)))
    for other in (merged, doubled):
        np.testing.assert_allclose(other.means, found.means, atol=1e-8)
        np.testing.assert_allclose(other.covariance, found.covariance, atol=1e-8)
    assert doubled.log_likelihood == pytest.approx(2 * found.log_likelihood, rel=1e-12)


@pytest.mark.parametrize("size", [1e-290, 1e-100, 1e-8, 1e8, 1e100])
def test_units_change_nothing(size):
    X = holey(n=150, p=4, seed=1)
    power = 2.0 ** np.round(np.log2(size)) ** np.array([1, 0, 1, 0])
    plain, scaled = fit(patterns(X)), fit(patterns(X * power))
    np.testing.assert_allclose(scaled.means / power, plain.means, rtol=1e-7, atol=1e-9)
    ours, theirs = scaled.moments, plain.moments
    back = ours.unit / power
    np.testing.assert_allclose(ours.matrix * back * back[:, None], theirs.matrix, rtol=1e-6, atol=1e-7)


def test_an_offset_changes_nothing():
    X = np.round(holey(n=150, p=4, seed=1) * 2**12) / 2**12
    plain, moved = fit(patterns(X)), fit(patterns(X + 1e8))
    np.testing.assert_allclose(moved.means - 1e8, plain.means, atol=2e-8)
    np.testing.assert_allclose(moved.covariance, plain.covariance, rtol=1e-7, atol=1e-8)


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.NotConvergedWarning")
def test_the_likelihood_never_falls():
    for seed in range(5):
        moments = patterns(holey(n=60, p=5, share=0.4, seed=seed))
        path = [fit(moments, tol=tol).log_likelihood for tol in (1e-1, 1e-2, 1e-4, 1e-6, 1e-10)]
        assert (np.diff(path) >= -1e-9).all()


def test_a_constant_column_stays_constant():
    X = holey(n=100, p=4)
    X = X[~np.isnan(X[:, [0, 1, 3]]).all(axis=1)]
    X[:, 2] = np.where(np.isnan(X[:, 2]), np.nan, 7.0)
    found, rest = fit(patterns(X)), fit(patterns(X[:, [0, 1, 3]]))
    assert found.means[0, 2] == 7.0
    assert (found.covariance[2] == 0).all()
    keep = np.ix_([0, 1, 3], [0, 1, 3])
    np.testing.assert_allclose(found.covariance[keep], rest.covariance, rtol=1e-7)


def test_who_lacks_what_is_named():
    X, names = holey(n=60, p=4), ["a", "b", "c", "d"]
    nobody = X.copy()
    nobody[:, 2] = np.nan
    with pytest.raises(ValueError, match=r"No cell of column 'c' is observed; .* Leave it out"):
        fit(patterns(nobody), names=names)
    with pytest.raises(ValueError, match="No cell of column 2 is observed among the rows of group 1"):
        fit(grouped(np.where(np.arange(60)[:, None] % 2 == 1, nobody, X), np.arange(60) % 2))
    apart = X.copy()
    apart[:30, 0] = apart[30:, 3] = np.nan
    with pytest.raises(ValueError, match="No row observes columns 'a' and 'd' together"):
        fit(patterns(apart), names=names)
    X[:, 1] = X[:, 0] + X[:, 3]
    with pytest.raises(ValueError, match="columns 'a', 'b', 'd' explain each other completely"):
        fit(patterns(X), names=names)
    few = holey(n=8, p=10, share=0.2)
    few[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"cannot determine a covariance of 10 columns|together"):
        fit(patterns(few))


def test_rows_without_a_cell_count_nothing_and_are_told():
    X = holey(n=60, p=4)
    blank = np.concatenate([X, np.full((3, 4), np.nan)])
    with pytest.warns(MissingWarning, match="3 rows are all NaN and ignored"):
        found = fit(patterns(blank))
    np.testing.assert_allclose(found.covariance, fit(patterns(X)).covariance, rtol=1e-12)


def test_too_few_rows_for_so_many_columns_is_told_not_guessed():
    """EM itself drifts here to a singular covariance, its likelihood rising without end."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((50, 5)) @ (rng.standard_normal((5, 5)) / np.sqrt(5) + np.eye(5))
    X[rng.random(X.shape) < 0.3] = np.nan
    assert (~np.isnan(X)).all(axis=1).sum() == 3
    with pytest.raises(ValueError, match="cannot determine a covariance of 5 columns"):
        fit(patterns(X[~np.isnan(X).all(axis=1)]))


def test_columns_that_repeat_each_other_are_refused_whatever_else_is_missing():
    """EM makes the covariance singular in one step, where no likelihood is known."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((32, 4))
    X[:, 1] = 24 - X[:, 0]
    X[::3, 2] = X[5:20, 3] = np.nan
    with pytest.raises(ValueError, match="columns 'asleep', 'awake' explain each other completely"):
        fit(patterns(X), names=["asleep", "awake", "c", "d"])
    labels = np.repeat(["bat", "cat"], 16)
    with pytest.raises(ValueError, match=r"Among the rows of group 'bat': The observed cells .* as LDA has it"):
        completion.fit(grouped(X, labels.astype(object)), pooled=False)


def test_filling_names_the_columns_of_the_table_it_was_given():
    """Columns that others determine are left out of the law: what is named counts them too."""
    X = holey(n=60, p=4)
    X[:, 3] = np.where(np.isnan(X[:, 2]), np.nan, 2 * X[:, 2])
    X[np.flatnonzero(~np.isnan(X[:, 2]))[:2], 3] = np.nan  # holes in the same rows would make it one to leave out, too
    whole = np.random.default_rng(1).standard_normal((60, 1))
    table = np.column_stack([whole, 2 * whole, X])
    with pytest.raises(ValueError, match="columns 4, 5 explain each other"):
        ExpectedCells().fit(table)
    with pytest.raises(ValueError, match="columns 'e', 'f' explain each other"):
        ExpectedCells().fit(pd.DataFrame(table, columns=list("abcdef")))


def test_a_column_that_is_seldom_observed_is_named():
    X = holey(n=40, p=12, share=0.1, seed=3)
    X[9:, 4] = np.nan
    with pytest.raises(ValueError, match=r"cannot determine .* Column 4 is observed in \d of 40 rows\."):
        fit(patterns(X))


def test_moments_with_holes_can_be_saved():
    moments = patterns(holey())
    encoder = Encoder()
    node = encoder.node(moments, "moments")
    again = Decoder(encoder.objects, encoder.arrays).value(node)
    same(again.merge(patterns(holey(seed=1))), moments.merge(patterns(holey(seed=1))))


def test_slices_that_lack_a_column_are_called_slices():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + 0.1 * rng.standard_normal(60)
    X[np.argsort(y)[:20], 2] = np.nan
    with pytest.raises(ValueError, match=r"column 2 is observed among the rows of slice .* use fewer slices"):
        SIR(1, n_slices=6, missing="ml").fit(X, y)
    X = rng.standard_normal((60, 3))
    X[np.argsort(y)[:5], 2] = X[np.argsort(y)[5:10], 1] = np.nan
    with pytest.raises(ValueError, match=r"Among the rows of slice .*Fewer slices"):
        SAVE(1, n_slices=6, missing="ml").fit(X, y)


def test_a_column_of_one_cell_has_no_variance():
    """It was taken for a constant, and components went without a word on it."""
    X = np.random.default_rng(0).standard_normal((60, 3))
    X[1:, 2] = np.nan
    with pytest.raises(ValueError, match="Column 2 is observed in a single row, so the cells say nothing about its"):
        PCA(2, missing="ml").fit(X)
    y = np.arange(60) % 2
    X[1, 2] = 0.3
    with pytest.raises(ValueError, match="Column 2 is observed in a single row of each group"):
        LDA(missing="ml").fit(X, y)
    assert PCA(1, missing="ppca").fit(X).n_components_ == 1
