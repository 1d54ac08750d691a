"""Displays of robust and sparse PCA: what is drawn is what the model says."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_wine

from eigenlens import PCA, RobustPCA, SparsePCA, displays

mpl.use("Agg")
WINE = load_wine(as_frame=True).data
WINE = (WINE - WINE.mean()) / WINE.std()


@pytest.fixture(autouse=True)
def closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def planted():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 2)) @ rng.standard_normal((2, 24))
    X[4, 5], X[7, 8] = 9.0, np.nan
    return X


def test_the_parts_are_those_of_the_model():
    X = planted()
    model = RobustPCA().fit(X)
    display = displays.robust_split(model, X)
    drawn = [np.ma.filled(ax.get_images()[0].get_array(), np.nan) for ax in display.axes_]
    np.testing.assert_array_equal(drawn[0], X)
    np.testing.assert_array_equal(drawn[1], model.low_rank_)
    np.testing.assert_array_equal(drawn[2], model.sparse_)
    assert display.axes_[2].get_title() == "sparse (0% of cells)"


def test_new_rows_are_split_and_a_row_is_an_image():
    X = planted()
    model = RobustPCA().fit(X[:40])
    display = displays.robust_split(model, X[40:], row=2, shape=(4, 6))
    np.testing.assert_array_equal(display.axes_[1].get_images()[0].get_array(), model.split(X[40:])[0][2].reshape(4, 6))


def test_loadings_have_the_names_of_the_columns():
    model = SparsePCA(3, n_nonzero=4).fit(WINE)
    display = displays.loadings(model)
    np.testing.assert_array_equal(display.ax_.get_images()[0].get_array(), model.components_.T)
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == list(WINE.columns)
    assert len(display.ax_.texts) == 12  # only loadings that are not zero carry a number
    displays.loadings(PCA(2).fit(WINE))


def test_scree_shows_adjusted_variance_beside_that_of_pca():
    model = SparsePCA(3, n_nonzero=4).fit(WINE)
    display = displays.scree(model)
    np.testing.assert_allclose([bar.get_height() for bar in display.ax_.patches], model.explained_variance_ratio_)
    np.testing.assert_allclose(display.ax_.lines[0].get_ydata(), PCA(3).fit(WINE).explained_variance_ratio_)


def test_path_ends_at_nothing_and_marks_the_model():
    model = SparsePCA(3, n_nonzero=4).fit(WINE)
    display = displays.sparse_path(model)
    line, chosen = display.ax_.lines[1:]
    assert line.get_xdata()[-1] < line.get_xdata()[0]
    assert chosen.get_xdata()[0] == 12
    assert chosen.get_ydata()[0] == pytest.approx(model.explained_variance_ratio_.sum())
