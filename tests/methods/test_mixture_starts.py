"""Where mixtures start: k-means of weighted rows, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, load_wine

from eigenlens.mixtures.clusters import k_means


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
