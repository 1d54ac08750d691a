"""Displays of kernel methods draw what they were given."""

import matplotlib as mpl
import matplotlib.figure
import numpy as np
import pytest
from sklearn.datasets import load_iris

from eigenlens import QDA, KernelClassifier, KernelPCA, KernelRegressor, displays
from eigenlens.exceptions import InputError
from eigenlens.kernels import Brownian, Gaussian, legendre, mercer

mpl.use("Agg")
X, y = load_iris(return_X_y=True)


def test_scores():
    model = KernelPCA(3).fit(X)
    display = displays.kernel_scores(model, X, y)
    drawn = np.vstack([c.get_offsets() for c in display.ax_.collections])
    assert {tuple(row) for row in drawn.round(9)} == {tuple(row) for row in model.embedding_[:, :2].round(9)}
    assert len(display.axes_[1].patches) == 3
    assert displays.kernel_scores(KernelPCA(1).fit(X), X).data["scores"].shape == (150, 1)


def test_boundary_margins_and_support_vectors():
    model = KernelClassifier(Gaussian(1.0)).fit(X[50:, 2:], y[50:])
    display = displays.decision(model, X[50:, 2:], y[50:])
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["support vector", "1", "2", "boundary", "f = ±1"]
    grid = display.data["grid"]
    values = model.decision_function(np.array([[grid[0][7], grid[1][3]]]))
    assert display.data["values"][3, 7] == pytest.approx(values[0])
    three = displays.decision(KernelClassifier(loss="logistic").fit(X, y), X, y, columns=(2, 3))
    assert three.data["values"].shape[2] == 3


def test_one_column_shows_where_the_decision_changes():
    two = y < 2
    model = QDA().fit(X[two][:, :1], y[two])
    display = model.plot(X[two][:, :1], y[two])
    places = [line.get_xdata()[0] for line in display.ax_.lines]
    grid = display.data["grid"]
    step = grid[0][1] - grid[0][0]
    for place in places:
        sides = model.predict(np.array([[place - step], [place + step]]))
        assert sides[0] != sides[1]
    assert places
    assert sum(bar.get_height() for bar in display.ax_.patches) == 100
    three = KernelClassifier().fit(X[:, :1], y)
    assert displays.decision(three, X[:, :1], y).data["values"].shape[0] == len(grid[0])


def test_columns_that_are_not_drawn_are_said():
    assert "other 2 columns" in QDA().fit(X, y).plot(X, y).ax_.get_title(loc="left")


def test_spectrum_and_functions():
    expansion = mercer(Brownian(), *legendre(50), n_components=6)
    display = displays.mercer(expansion, n_functions=2)
    assert len(display.axes_[1].get_legend().get_texts()) == 2
    assert np.array_equal(display.ax_.lines[0].get_ydata(), expansion.eigenvalues)
    displays.mercer(mercer(Gaussian(), X, n_components=3))


def test_path():
    model = KernelRegressor(lam="gcv").fit(X[:, :3], X[:, 3])
    display = displays.penalty_path(model)
    assert np.array_equal(display.ax_.lines[0].get_ydata(), model.path_.gcv)
    with pytest.raises(InputError, match="lam='gcv'"):
        displays.penalty_path(KernelRegressor(lam=1.0).fit(X[:, :3], X[:, 3]))


def test_too_few_axes_are_refused_by_their_number():
    ax = mpl.figure.Figure().subplots()
    with pytest.raises(InputError, match="ax holds 1 axes but this picture draws on 2"):
        displays.kernel_scores(KernelPCA(2).fit(X), X, ax=ax)
