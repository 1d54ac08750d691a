"""Displays of inverse regression: what they draw, and on what."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from eigenlens import LDA, PCA, SAVE, SIR, DirectionalRegression, LocalizedSIR, displays
from eigenlens.exceptions import InputError

rng = np.random.default_rng(0)
X = rng.standard_normal((200, 4))
y = np.exp(X[:, 0]) + 0.1 * rng.standard_normal(200)
words = np.array(["low", "middle", "high"])[np.searchsorted([0.7, 1.5], y)]


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.mark.parametrize("model", [SIR(2), SAVE(2), DirectionalRegression(2), LocalizedSIR(2)], ids=repr)
def test_every_method_is_shown(model):
    model.fit(X, y)
    shown = displays.response(model, X, y)
    assert shown.ax_.figure is shown.figure_
    offsets = shown.axes_[1].collections[0].get_offsets()
    np.testing.assert_allclose(offsets, np.c_[model.transform(X)[:, 1], y])
    curve = displays.inverse_curve(model, X, y)
    codes = model._slicing.codes(y[:, None])
    expected = [model.transform(X)[codes == h].mean(axis=0) for h in range(10)]
    np.testing.assert_allclose(np.column_stack(curve.ax_.lines[0].get_data()), expected, atol=1e-10)
    cut = displays.dimension(model, X, y, n_draws=19)
    assert cut.ax_.lines[0].get_xdata()[0] == cut.data["test"].dimension + 0.5


def test_words_are_ticks_and_have_no_order():
    model = SIR(2).fit(X, words)
    shown = displays.response(model, X, words, n_variates=1)
    assert [t.get_text() for t in shown.ax_.get_yticklabels()] == ["high", "low", "middle"]
    curve = displays.inverse_curve(model, X, words)
    assert not curve.ax_.lines
    assert [t.get_text() for t in curve.ax_.get_legend().get_texts()] == ["high", "low", "middle"]


def test_axes_of_ones_own_and_given_slices():
    codes = np.searchsorted([0.7, 1.5], y)
    model = SIR(2).fit(X, slices=codes)
    _, axes = plt.subplots(1, 2)
    assert displays.response(model, X, y, slices=codes, ax=axes).axes_ == list(axes)
    assert displays.response(model, X, y, slices=codes, ax=axes[0]).axes_ == [axes[0]]
    assert displays.inverse_curve(model, X, y, slices=codes, ax=axes[1]).ax_ is axes[1]
    shares = np.array([np.mean(codes == h) for h in range(3)])
    np.testing.assert_allclose(model.slice_weights_ / 200, shares)


def test_rows_without_a_response_are_drawn_apart():
    hidden = np.where(np.arange(200) % 2, y, np.nan)
    model = LocalizedSIR(2, n_slices=4).fit(X, hidden)
    curve = displays.inverse_curve(model, X, hidden)
    assert len(curve.ax_.collections[0].get_offsets()) == 100


def test_one_response_at_a_time():
    Y = np.c_[y, X[:, 1]]
    model = SIR(2).fit(X, Y)
    with pytest.raises(InputError, match="one response is shown at a time"):
        displays.response(model, X, Y)
    displays.inverse_curve(model, X, Y)


@pytest.mark.parametrize(
    "options", [{"method": "parallel"}, {"method": "broken-stick"}, {"method": "tracy-widom"}], ids=str
)
def test_dimension_of_pca_with_its_noise_band(options):
    A = np.random.default_rng(0).standard_normal((100, 5)) * np.array([3.0, 1, 1, 1, 1])
    display = displays.dimension(PCA().fit(A), **options)
    assert display.ax_.get_ylabel() == "eigenvalue"
    title = " ".join(display.ax_.get_title(loc="left").split())
    assert title == display.data["test"].headline
    assert "of" in title


def test_dimension_without_eigenvalues_shows_p_values():
    A = np.random.default_rng(0).standard_normal((100, 5))
    assert displays.dimension(LDA().fit(A, np.arange(100) % 3)).ax_.get_ylabel() == "p-value"
