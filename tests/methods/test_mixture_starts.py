"""Where mixtures start: k-means of weighted rows, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, load_wine

from eigenlens import MDA
from eigenlens.methods.mixtures.clusters import k_means
from eigenlens.methods.mixtures.em import Classes


def spread(X, w, found):
    """Return the weighted sum of squares about the centres of clusters."""
    return sum(
        (w[found == c] * ((X[found == c] - np.average(X[found == c], axis=0, weights=w[found == c])) ** 2).sum(1)).sum()
        for c in np.unique(found)
    )


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize("count", [2, 3, 8])
def test_starts_are_as_tight_as_those_of_scikit_learn(load, count):
    X = load().data
    X = X / np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    w = np.random.default_rng(0).uniform(0.5, 2, len(X))
    ours = [spread(X, w, k_means(X, w, count, 300, np.random.RandomState(seed))) for seed in range(10)]
    theirs = [
        spread(X, w, KMeans(count, n_init=1, random_state=seed).fit(X, sample_weight=w).labels_) for seed in range(10)
    ]
    assert min(ours) < 1.01 * min(theirs)
    assert np.mean(ours) < 1.02 * np.mean(theirs)


def test_a_row_of_weight_two_counts_twice():
    X = load_iris().data
    w = np.ones(len(X))
    w[:40] = 2
    twice, ones = np.concatenate([X, X[:40]]), np.ones(len(X) + 40)
    ours = [spread(X, w, k_means(X, w, 3, 300, np.random.RandomState(seed))) for seed in range(5)]
    repeated = [spread(twice, ones, k_means(twice, ones, 3, 300, np.random.RandomState(seed))) for seed in range(5)]
    assert np.isclose(min(ours), min(repeated))


def test_equal_rows_and_far_rows_are_clustered():
    X = np.array([[0.0], [0.0], [5.0], [5.0], [1e9]])
    found = k_means(X, np.ones(5), 3, 300, np.random.RandomState(0))
    assert len(np.unique(found)) == 3
    assert found[0] == found[1]
    assert found[2] == found[3]


@pytest.mark.parametrize(("n_init", "starts"), [(1, 1), (2, 16)])
def test_one_start_is_taken_where_one_is_asked_for(n_init, starts, monkeypatch):
    taken, real = [], Classes.starts
    monkeypatch.setattr(
        Classes, "starts", lambda data, counts, rng, times: taken.append(times) or real(data, counts, rng, times)
    )
    MDA(n_subclasses=2, n_init=n_init).fit(*load_iris(return_X_y=True))
    assert taken == [starts]


def test_rows_are_sorted_once_however_many_starts_there_are(monkeypatch):
    sorted_, real = [], Classes._in_order
    monkeypatch.setattr(
        Classes, "_in_order", lambda data, k, sphered: sorted_.append((k, sphered)) or real(data, k, sphered)
    )
    MDA(n_subclasses=2, n_init=4).fit(*load_iris(return_X_y=True))
    assert sorted(sorted_) == [(k, sphered) for k in range(3) for sphered in (False, True)]


@pytest.mark.parametrize("last", ["equal", "rounded", "distinct"])
def test_the_order_of_rows_decides_nothing_whatever_the_last_column_settles(last):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((120, 3)), np.arange(120) % 2
    X[:, 0] += 3 * (np.arange(120) % 4 > 1)
    X[:, 2] = {"equal": np.sign(X[:, 2]), "rounded": X[:, 2].round(1), "distinct": X[:, 2]}[last]
    order = rng.permutation(120)
    one = MDA(n_subclasses=2).fit(X, y)
    other = MDA(n_subclasses=2).fit(X[order], y[order])
    np.testing.assert_allclose(one.predict_log_proba(X), other.predict_log_proba(X), rtol=1e-6, atol=1e-8)
