"""MDA of rows with missing cells: its likelihood, what it says of rows with holes, and what it refuses."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from sklearn.datasets import load_iris

import eigenlens
from eigenlens import LDA, MDA
from eigenlens.exceptions import MissingWarning, SubclassWarning
from eigenlens.mixtures import Classes, HoledClasses, run
from eigenlens.regress import PenalizedRegression

X, y = load_iris(return_X_y=True)


def holed(share=0.25, seed=0):
    rng = np.random.default_rng(seed)
    H = np.where(rng.random(X.shape) < share, np.nan, X)
    H[np.isnan(H).all(axis=1), 0] = 5.0
    return H


def corners(n=800, share=0.2, seed=0):
    """Return two classes on opposite corners of a square, in three columns, with holes."""
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 4, n)
    rows = 5 * np.column_stack([corner // 2, corner % 2, corner % 2]) + rng.standard_normal((n, 3))
    holes = rng.random(rows.shape) < share
    holes[holes.all(axis=1), 0] = False
    return rows, np.where(holes, np.nan, rows), np.isin(corner, [0, 3]) * 1


@pytest.mark.parametrize("model", [MDA(), MDA(n_subclasses=1), MDA(2, n_subclasses=2)], ids=repr)
def test_a_table_without_holes_gives_the_fit_without_the_option(model):
    params = model.get_params(deep=False)
    plain, found = MDA(**params).fit(X, y), MDA(**params).set_params(missing="ml").fit(X, y)
    np.testing.assert_allclose(found.predict_proba(X), plain.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(found.transform(X), plain.transform(X), atol=1e-12)
    np.testing.assert_allclose(found.log_likelihood_, plain.log_likelihood_, rtol=1e-12)


@pytest.mark.parametrize("rank", [None, 1, 2, 3])
def test_steps_for_rows_with_holes_are_the_plain_ones_where_there_are_none(rank):
    w = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    plain, general = Classes(X, y, w, np.arange(3)), HoledClasses(X, y, w, np.arange(3), None)
    start = plain.starts([3, 2, 3], np.random.RandomState(0), 1)[0]
    ours, theirs = (run(data, start, rank, None, 20, 0.0) for data in (general, plain))
    np.testing.assert_allclose(ours.path, theirs.path, rtol=1e-12)
    np.testing.assert_allclose(ours.step.within, theirs.step.within, atol=1e-12)
    np.testing.assert_allclose(np.vstack(ours.step.offsets), np.vstack(theirs.step.offsets), atol=1e-11)


@pytest.mark.parametrize("rank", [None, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_never_falls(seed, rank):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(100, 300)), int(rng.integers(2, 7))
    labels = rng.integers(0, 3, n)
    rows = rng.standard_normal((n, p)) @ rng.standard_normal((p, p)) + rng.standard_normal((3, p))[labels] + seed * 1e4
    rows[rng.random(rows.shape) < 0.3] = np.nan
    weight = rng.uniform(0.2, 3.0, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SubclassWarning)
        warnings.simplefilter("ignore", MissingWarning)
        model = MDA(rank, n_subclasses=3, missing="ml", max_iter=30, tol=0, n_init=1, random_state=seed)
        path = model.fit(rows, labels, weight).log_likelihood_
    assert len(path) == 30
    assert np.diff(path).min() >= -1e-10 * np.abs(path).max()


def test_the_likelihood_is_that_of_the_observed_cells_and_its_slope_vanishes():
    _, H, labels = corners(300)
    model = MDA(n_subclasses=2, missing="ml", tol=1e-13, max_iter=3000, n_init=1).fit(H, labels)

    def log_likelihood(means, S):
        total, seen = 0.0, ~np.isnan(H)
        for o in np.unique(seen, axis=0):
            for k in np.unique(labels):
                rows = H[(seen == o).all(axis=1) & (labels == k)][:, o]
                own = np.flatnonzero(model.subclass_classes_ == k)
                laws = [scipy.stats.multivariate_normal(means[r][o], S[np.ix_(o, o)]) for r in own]
                shares = zip(model.subclass_weights_[own], laws, strict=True)
                total += np.log(sum(share * law.pdf(rows) for share, law in shares)).sum()
        return total

    means, S = model.subclass_means_, model.covariance_
    assert model.log_likelihood_[-1] == pytest.approx(log_likelihood(means, S), rel=1e-10)
    step = 1e-4
    for _ in range(6):
        rng = np.random.default_rng(_)
        d, E = rng.standard_normal(means.shape), rng.standard_normal(S.shape)
        E = E + E.T
        slope = (log_likelihood(means + step * d, S + step * E) - log_likelihood(means - step * d, S - step * E)) / step
        assert abs(slope) < 2e-3  # of hundreds, a hundredth of the spread away
    assert abs(log_likelihood(means + 0.05, S) - model.log_likelihood_[-1]) > 0.1


def test_one_subclass_is_lda_of_rows_with_holes():
    H = holed()
    model, lda = MDA(n_subclasses=1, missing="ml").fit(H, y), LDA(missing="ml").fit(H, y)
    assert model.log_likelihood_[-1] == pytest.approx(lda.log_likelihood_, rel=1e-10)
    np.testing.assert_allclose(model.subclass_means_, lda.means_, rtol=1e-8)
    np.testing.assert_allclose(model.covariance_ * 150 / 147, lda.covariance_, rtol=1e-7)


@pytest.mark.parametrize("rank", [None, 2])
def test_posteriors_and_scores_are_what_integration_over_the_missing_cell_gives(rank):
    H = holed()
    model = MDA(rank, n_subclasses=2, priors=[0.2, 0.5, 0.3], missing="ml").fit(H, y)
    law = model._law
    S = law.L @ law.L.T * np.outer(law.size, law.size)
    share = model.subclass_weights_ * model.priors_[model.subclass_classes_]
    rows = H[np.isnan(H).sum(axis=1) == 1][:12]
    u = np.linspace(-14, 14, 6001)
    for x, posterior, score in zip(rows, model.predict_proba(rows), model.transform(rows), strict=True):
        j = int(np.flatnonzero(np.isnan(x))[0])
        grid = np.tile(x, (len(u), 1))
        grid[:, j] = X[:, j].mean() + u * np.sqrt(S[j, j])
        density = np.stack([scipy.stats.multivariate_normal(m, S).pdf(grid) for m in law.means], axis=1) * share
        mass = density.sum(axis=0)
        of_class = np.bincount(model.subclass_classes_, mass)
        np.testing.assert_allclose(posterior, of_class / of_class.sum(), atol=1e-9)
        np.testing.assert_allclose(score, density.sum(axis=1) @ model.transform(grid) / mass.sum(), atol=1e-8)


@pytest.mark.parametrize("rank", [None, 1, 2])
def test_the_rule_of_rows_with_holes_is_the_rule_of_whole_rows_where_nothing_is_missing(rank):
    model = MDA(rank, n_subclasses=2, missing="ml").fit(holed(), y)
    ours, theirs = model._log_odds(X), model._subclass_scores(X, sharp=False)
    np.testing.assert_allclose(ours - ours[:, :1], theirs - theirs[:, :1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model._law.mahalanobis_among_means(X), model.mahalanobis(X), rtol=1e-8, atol=1e-9)


def test_weight_two_is_the_row_twice():
    H = holed()
    w = np.arange(150) % 3
    start = np.zeros((150, 6))
    start[np.arange(150), 2 * y + (X[:, 1] > np.median(X[:, 1]))] = 1.0
    weighted = MDA(n_subclasses=2, missing="ml", init=start).fit(H, y, w)
    twice = MDA(n_subclasses=2, missing="ml", init=np.repeat(start, w, axis=0))
    twice.fit(np.repeat(H, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.log_likelihood_, twice.log_likelihood_, rtol=1e-10)
    np.testing.assert_allclose(weighted.predict_proba(H), twice.predict_proba(H), atol=1e-8)


def test_clusters_are_found_through_the_holes():
    rows, H, labels = corners()
    # a fifth of the rows lack the first column, and half of those cannot be told: 90% is the most
    assert MDA(n_subclasses=2, missing="ml").fit(H, labels).score(H, labels) > 0.86
    assert LDA(missing="ml").fit(H, labels).score(H, labels) < 0.6
    cells, spread = MDA(n_subclasses=2, missing="ml").fit(H, labels).impute(H, return_std=True)
    holes = np.isnan(H)
    np.testing.assert_array_equal(cells[~holes], H[~holes])
    inside = np.abs(rows - cells)[holes] < 1.96 * spread[holes]
    assert 0.92 < inside.mean() < 0.98


def test_a_model_goes_to_a_file_and_comes_back(tmp_path):
    H = holed()
    model = MDA(n_subclasses=2, missing="ml").fit(H, y)
    eigenlens.save(model, tmp_path / "model.eigenlens")
    back = eigenlens.load(tmp_path / "model.eigenlens")
    np.testing.assert_array_equal(back.predict_proba(H), model.predict_proba(H))
    np.testing.assert_array_equal(back.impute(H), model.impute(H))


@pytest.mark.parametrize("counts", ["bic", "cv"])
def test_numbers_of_subclasses_are_chosen_with_holes(counts):
    _, H, labels = corners(200)
    assert MDA(n_subclasses=counts, missing="ml").fit(H, labels).n_subclasses_.min() >= 2


def test_blank_rows_count_nothing():
    H = holed()
    blank = H.copy()
    blank[[3, 60]] = np.nan
    keep = np.setdiff1d(np.arange(150), [3, 60])
    start = np.zeros((150, 6))
    start[np.arange(150), 2 * y + (X[:, 1] > np.median(X[:, 1]))] = 1.0
    with pytest.warns(MissingWarning, match="2 rows are all NaN"):
        ours = MDA(n_subclasses=2, missing="ml", init=start).fit(blank, y)
    theirs = MDA(n_subclasses=2, missing="ml", init=start[keep]).fit(H[keep], y[keep])
    np.testing.assert_allclose(ours.log_likelihood_, theirs.log_likelihood_, rtol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(blank[[3]])[0], ours.priors_)
    blank[y == 1] = np.nan
    with (
        pytest.warns(MissingWarning, match="51 rows"),
        pytest.raises(ValueError, match="all rows of class 1 are all NaN"),
    ):
        MDA(missing="ml").fit(blank, y)


def test_what_cannot_be_done_is_refused_by_name():
    H = holed()
    with pytest.raises(ValueError, match=r"regressor=PenalizedRegression.*LDA\(missing='ml'\)"):
        MDA(regressor=PenalizedRegression(), missing="ml").fit(H, y)
    with pytest.raises(ValueError, match="missing='ml'"):
        MDA().fit(H, y)
    with pytest.raises(ValueError, match="missing='mean'"):
        MDA(missing="mean").fit(H, y)
    frame = pd.DataFrame(H, columns=list("abcd")).assign(a=X[:, 0], c=np.nan)
    with pytest.raises(ValueError, match="column 'c'"):
        MDA(missing="ml").fit(frame, y)
    with pytest.raises(ValueError, match="impute"):
        MDA().fit(X, y).impute(X)
