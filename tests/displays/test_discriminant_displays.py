"""Displays of discriminants: what is drawn is what the model says."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from sklearn.datasets import load_digits, load_iris

from eigenlens import FDA, LDA, MDA, PDA, displays
from eigenlens.exceptions import InputError

mpl.use("Agg")
X, y = load_iris(return_X_y=True)


@pytest.fixture(autouse=True)
def closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.mark.parametrize("model", [LDA(), FDA(), PDA(), MDA(n_subclasses=2)], ids=lambda m: type(m).__name__)
def test_scores_centroids_and_regions(model, tmp_path):
    display = displays.discriminant(model.fit(X, y), X, y)
    drawn = np.vstack([c.get_offsets() for c in display.ax_.collections[-3:]])
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(model.transform(X)[:, :2], axis=0))
    assert len(display.ax_.patches) == len(model.centroids_)
    display.figure_.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 10_000


def test_two_classes_are_histograms_on_given_axes():
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    display = displays.discriminant(LDA().fit(X[y < 2], y[y < 2]), X[y < 2], y[y < 2], ax=ax)
    assert display.ax_ is ax
    assert sum(p.get_height() for p in ax.patches) == 100


def test_coefficients_as_images_and_as_curves():
    rows, labels = load_digits(return_X_y=True)
    model = PDA(penalty=(8, 8)).fit(rows, labels)
    image = displays.coefficients(model, n_components=2)
    shown = np.asarray(image.axes_[1].get_images()[0].get_array())
    expected = model.scalings_[:, 1].reshape(8, 8)
    np.testing.assert_allclose(shown, expected / np.abs(expected).max())
    curve = displays.coefficients(PDA(penalty="smooth").fit(rows, labels), n_components=1)
    assert len(curve.ax_.lines) == 2  # zero, and the direction


def test_images_are_drawn_on_the_axes_given():
    import matplotlib.pyplot as plt

    rows, labels = load_digits(return_X_y=True)
    model = PDA(penalty=(8, 8)).fit(rows, labels)
    _, axes = plt.subplots(1, 2)
    assert displays.coefficients(model, n_components=2, ax=axes).axes_ == list(axes)
    with pytest.raises(InputError, match="ax holds 1 axes but this picture draws on 2"):
        displays.coefficients(model, n_components=2, ax=axes[0])
    with pytest.raises(InputError, match="ax holds 2 axes but this picture draws on 4"):
        displays.functions(FDA().fit(X, y), X, ax=axes)


def test_functions_pass_through_the_coordinates():
    model = FDA().fit(X, y)
    display = displays.functions(model, X, features=[3, 2])
    point = np.median(X, axis=0)
    point[3] = display.data["grids"][0, 7]
    np.testing.assert_allclose(display.data["curves"][0, 7], model.transform(point[None])[0, :2])


def test_names_of_many_classes_do_not_cover_each_other():
    rng = np.random.default_rng(0)
    centres = 4 * rng.standard_normal((30, 5))
    labels = np.repeat([f"class {k:02d}" for k in range(30)], 20)
    rows = np.repeat(centres, 20, axis=0) + rng.standard_normal((600, 5))
    display = LDA(2).fit(rows, labels).plot(rows, labels)
    display.figure_.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in display.ax_.texts if text.get_visible()]
    assert len(boxes) >= 25
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_names_of_many_classes_are_read_upon_their_rows():
    """Rows are faint, and names as strong as the style writes: grey ones were lost in the middle of the picture."""
    rng = np.random.default_rng(1)
    labels = np.repeat([f"class {k:02d}" for k in range(30)], 20)
    X = np.repeat(4 * rng.standard_normal((30, 5)), 20, axis=0) + rng.standard_normal((600, 5))
    with mpl.style.context("dark_background"):
        ax = LDA().fit(X, labels).plot(X, labels).ax_
    assert {text.get_color() for text in ax.texts} == {"white"}
    assert {drawn.get_alpha() for drawn in ax.collections if len(drawn.get_offsets()) == 20} == {0.3}


@pytest.mark.parametrize("display", [displays.discriminant, displays.decision])
def test_classes_in_an_order_of_their_own_keep_their_rows(display):
    X, codes = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[codes]
    y = pd.Series(pd.Categorical(names, categories=["virginica", "setosa", "versicolor"], ordered=True))
    drawn = display(LDA().fit(X, y), X, y).data
    assert list(drawn["classes"][drawn["codes"]]) == list(names)


@pytest.mark.parametrize("display", [displays.discriminant, displays.decision])
@pytest.mark.parametrize("label", ["aster", "zinnia"])
def test_a_label_that_the_fit_has_not_seen_is_refused(display, label):
    X, codes = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[codes]
    model = LDA().fit(X, y)
    y[3] = label
    with pytest.raises(InputError, match=f"{label}.*not seen"):
        display(model, X, y)
