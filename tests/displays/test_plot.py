"""Every model shows itself: a picture on request, and a summary in notebooks."""

import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

mpl.use("Agg")

from eigenlens import CCA, LDA, PCA, SIR, MixedPCA, displays
from eigenlens.exceptions import InputError
from eigenlens.inference import envfit
from eigenlens.testing import all_estimators, sample_for

SHOWN = [cls for cls in all_estimators() if hasattr(cls, "_target") and hasattr(cls, "transform")]


def fitted(cls):
    data = sample_for(cls())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls().fit(*data.arguments()), data


@pytest.mark.parametrize("cls", SHOWN, ids=lambda c: c.__name__)
def test_every_method_plots_itself(cls):
    model, data = fitted(cls)
    display = model.plot(*data.arguments())
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_xlabel()
    assert display.ax_.get_ylabel()
    assert display.ax_.has_data()
    display.figure_.canvas.draw()
    mpl.pyplot.close(display.figure_)


@pytest.mark.parametrize("cls", [PCA, LDA, SIR, CCA], ids=lambda c: c.__name__)
def test_notebooks_show_a_summary_beside_the_diagram(cls):
    model, _ = fitted(cls)
    shown = model._repr_mimebundle_()["text/html"]
    assert "120 rows, 5 columns" in shown
    assert "120 rows" not in cls()._repr_mimebundle_()["text/html"]


def test_points_are_the_scores_and_arrows_the_loadings():
    model, data = fitted(PCA)
    display = displays.scores(model, data.X, np.arange(len(data.X)) % 3, directions=(1, 2))
    drawn = np.concatenate([c.get_offsets() for c in display.ax_.collections])
    assert np.allclose(np.sort(drawn, axis=0), np.sort(model.transform(data.X)[:, 1:3], axis=0))
    assert np.allclose(display.data["loadings"], model.components_[1:3].T)
    mpl.pyplot.close(display.figure_)


def test_rows_are_asked_for():
    model, _ = fitted(PCA)
    with pytest.raises(ValueError, match="picture of a PCA is drawn with rows"):
        model.plot()
    model, data = fitted(CCA)
    with pytest.raises(ValueError, match="need both tables"):
        model.plot(data.X)


def test_names_of_rows_and_arrows_do_not_cover_each_other():
    rng = np.random.default_rng(0)
    index = [f"a row of some length {i}" for i in range(40)]
    rows = rng.standard_normal((40, 6))
    rows[:8] = rows[0] + 0.02 * rng.standard_normal((8, 6))  # points that lie together
    table = pd.DataFrame(rows, index, [f"column {j}" for j in range(6)])
    ax = PCA(2).fit(table).plot(table).ax_
    shown = [text for text in ax.texts if text.get_text() and text.get_visible()]
    assert {f"column {j}" for j in range(6)} <= {text.get_text() for text in shown}
    assert len(shown) > 35
    boxes = [Text.get_window_extent(text) for text in shown]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def crowded_map():
    rng = np.random.default_rng(1)
    levels = np.array(["a long name", "another long name", "a third", "a fourth"])
    return pd.DataFrame({f"w{j}": levels[rng.integers(0, 4, 60)] for j in range(6)})


@pytest.mark.parametrize("what", ["factor map", "dimension", "envfit"])
def test_names_cover_neither_each_other_nor_the_legend(what):
    if what == "factor map":
        ax = MixedPCA(2).fit(crowded_map()).plot().ax_
    elif what == "dimension":
        X = np.random.default_rng(0).standard_normal((200, 9))
        ax = SIR().fit(X, X[:, 0] + X[:, 1] ** 2).test_dimension(method="chi2").plot().ax_
    else:
        table = crowded_map()
        ax = envfit(np.random.default_rng(0).standard_normal((60, 2)), table.iloc[:, :3], n_draws=19).plot().ax_
    ax.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts if text.get_text() and text.get_visible()]
    boxes += [ax.get_legend().get_window_extent()] if ax.get_legend() else []
    assert len(boxes) > 5
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])
    mpl.pyplot.close(ax.figure)


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_a_density_of_rows_begins_at_the_background(style):
    rows = np.random.default_rng(0).standard_normal((21_000, 2))
    with mpl.style.context(style):
        ax = PCA(2).fit(rows).plot(rows).ax_
        ax.figure.draw_without_rendering()
    (drawn,) = [c for c in ax.collections if c.get_array() is not None]
    light = drawn.get_facecolor()[:, :3].sum(axis=1)
    few, many = light[drawn.get_array().argmin()], light[drawn.get_array().argmax()]
    assert (few > many) == (style == "default")
    mpl.pyplot.close(ax.figure)


NOT_OF_PCA = ["coefficients", "configuration", "curvature", "decision", "discriminant", "factor_map", "inverse_curve"]
NOT_OF_PCA += ["penalty_path", "response", "robust_split", "shepard", "sparse_path"]
REFUSED = [(name, PCA) for name in NOT_OF_PCA] + [("kernel_scores", SIR), ("scree", SIR)]


@pytest.mark.parametrize(("name", "cls"), REFUSED)
def test_a_picture_that_a_model_cannot_have_says_which_models_can(name, cls):
    X = np.random.default_rng(0).standard_normal((60, 4))
    model = cls(2).fit(X, X[:, 0])
    with pytest.raises(InputError, match=r"has no \w+_, which this picture draws. Pass a fitted model that has it"):
        getattr(displays, name)(model, X, X[:, 0] > 0)
