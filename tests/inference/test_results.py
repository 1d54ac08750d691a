"""Results show themselves alike: a sentence, a table, a picture."""

from html import unescape

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from eigenlens import CCA, FDA, LDA, PCA, SIR, ClassicalMDS, SparsePCA
from eigenlens.drawing import Display
from eigenlens.inference import DimensionTest, bootstrap, broken_stick, denoise, wilks
from eigenlens.regress import PolynomialRegression

X, y = load_iris(return_X_y=True)
T = np.arange(150) % 3
RESULTS = {
    "band": lambda: PCA().fit(X).test_dimension(),
    "criterion": lambda: broken_stick([3.0, 1.0, 0.2]),
    "wilks": lambda: wilks([0.9, 0.1], n=100, p=4, s=2),
    "chi2": lambda: SIR().fit(X, y).test_dimension(),
    "permutation": lambda: LDA().fit(X, y).test_dimension(X, y, method="permutation", n_draws=19),
    "stopped": lambda: FDA(regressor=PolynomialRegression(1)).fit(X, T).test_dimension(X, T, n_draws=19),
    "one pair": lambda: CCA().fit(X, y).test_dimension(),
    "loadings": lambda: bootstrap(LDA(), X, y, n_boot=200),
    "map": lambda: bootstrap(ClassicalMDS(), X, n_boot=200),
    "denoised": lambda: denoise(X),
}


@pytest.mark.parametrize("name", RESULTS)
def test_sentence_table_picture(name):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    result = RESULTS[name]()
    sentence = str(result)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert repr(result) == f"<{type(result).__name__}: {sentence}>"
    assert sentence in unescape(result._repr_html_())
    assert "<table" in result._repr_html_()
    assert len(result.to_frame()) > 0
    assert result == result
    assert len({result, result}) == 1
    display = result.plot()
    assert isinstance(display, Display)
    display.figure_.canvas.draw()
    _, own = plt.subplots()
    assert result.plot(ax=own).ax_ is own
    plt.close("all")


def test_a_test_without_any_direction_has_a_sentence():
    nothing = DimensionTest.sequential(np.zeros(0), {"statistic": np.zeros(0)}, 0.05, "permutation", stopped=False)
    assert str(nothing) == "0 of 0 directions are significant at the 5% level (permutation test)."
    same = np.repeat(np.arange(20.0)[:, None] % 7, 3, axis=1)
    assert str(PCA(1).fit(same).test_dimension(same)).endswith("(shared directions); none can be tested.")
    assert str(SIR(ridge=1e6).fit(same[:, :1], np.arange(20.0)).summary())
    assert SparsePCA(1).fit(same).summary().test


def test_p_values_that_were_not_computed_are_not_written():
    import matplotlib

    matplotlib.use("Agg")
    test = RESULTS["stopped"]()
    assert np.isnan(test.p_values[1])
    assert len([text for text in test.plot().ax_.texts if "p" in text.get_text()]) == 1


def test_the_picture_holds_every_value_that_was_tested():
    """Directions that were not tested have no value, and their NaN must not set the axis."""
    import matplotlib

    matplotlib.use("Agg")
    wine = scale(load_wine().data)
    test = PCA().fit(wine).test_dimension(wine, n_draws=39)
    assert np.isnan(test.p_values[-1])
    axes = test.plot().ax_
    axes.figure.canvas.draw()
    tested = test.statistics["statistic"][np.isfinite(test.statistics["statistic"])]
    assert axes.get_ylim()[1] >= tested.max()
    assert len(axes.texts) == len(tested)
    assert all(len(line) < 70 for line in axes.get_title(loc="left").splitlines())


def test_degrees_of_freedom_have_a_decimal_only_where_it_says_something():
    words = str(wilks([0.8, 0.5, 0.4, 0.3, 0.2], n=100, p=8, s=5))
    assert "F(40, 382) = 4.3" in words  # 382.02
    assert "F(28, 318.7) = " in words


def test_a_statistic_of_zero_has_no_sign():
    assert "F(1, 95) = 0, p = 1" in str(wilks([0.9, 0.0], n=98, p=2, s=2))
