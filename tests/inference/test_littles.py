"""Little's test: its formula pattern by pattern, its level, its power."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from eigenlens.inference import littles_mcar
from eigenlens.moments import Patterns
from eigenlens.moments.completion import fit
from eigenlens.rows import Block


def table(rng, n=300):
    """Correlated columns; holes in two of them, at random."""
    X = rng.standard_normal((n, 3)) @ (np.eye(3) + 0.5)
    X[rng.random(n) < 0.2, 1] = np.nan
    X[rng.random(n) < 0.2, 2] = np.nan
    return X


def test_weights_beside_moments_are_refused():
    X = table(np.random.default_rng(0))
    with pytest.raises(ValueError, match="moments hold their weights"):
        littles_mcar(Patterns().update(Block(X)), np.ones(300))


def test_the_statistic_by_its_formula():
    X = table(np.random.default_rng(0)) + 1e6
    test, found = littles_mcar(X), fit(Patterns().update(Block(X)))
    S = found.moments.matrix / 299
    total = df = 0
    for mask in np.unique(~np.isnan(X), axis=0):
        rows = X[(~np.isnan(X) == mask).all(axis=1)][:, mask]
        d = rows.mean(axis=0) - found.moments.mean[mask]
        total, df = total + len(rows) * d @ np.linalg.solve(S[np.ix_(mask, mask)], d), df + mask.sum()
    assert test.statistic == pytest.approx(total, rel=1e-6)
    assert test.df == df - 3
    assert test.p_value == pytest.approx(scipy.stats.chi2.sf(total, df - 3), rel=1e-5)


def test_it_keeps_its_level_and_finds_what_is_not_random():
    rng = np.random.default_rng(1)
    p = np.array([littles_mcar(table(rng)).p_value for _ in range(300)])
    assert 0.02 <= (p <= 0.05).mean() <= 0.09
    X = table(rng)
    X[X[:, 0] > 1, 1] = np.nan
    test = littles_mcar(X)
    assert test.p_value < 1e-3
    assert "not missing completely at random" in str(test)


def test_frames_moments_and_weights():
    X = table(np.random.default_rng(2))
    test = littles_mcar(pd.DataFrame(X, columns=["a", "b", "c"]))
    frame = test.to_frame()
    assert list(frame.columns) == ["a", "b", "c", "rows", "contribution"]
    assert frame["rows"].sum() == 300
    assert frame["contribution"].sum() == pytest.approx(test.statistic)
    assert littles_mcar(Patterns().update(Block(X))).statistic == pytest.approx(test.statistic, rel=1e-9)
    twice = littles_mcar(np.repeat(X, 2, axis=0))
    assert littles_mcar(X, np.full(300, 2)).statistic == pytest.approx(twice.statistic, rel=1e-7)


def test_a_table_without_holes_is_refused():
    with pytest.raises(ValueError, match="no missing cell"):
        littles_mcar(np.ones((4, 2)))
