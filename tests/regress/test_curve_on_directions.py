"""A response as a curve on directions."""

import numpy as np
import pytest

from eigenlens import SIR
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.regress import CurveOnDirections


def test_a_curve_is_flat_beyond_the_rows_that_it_was_fitted_to():
    """Squares of hinges grow without bound: a row far out was given a number a hundred times beyond all others."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 4))
    y = np.exp(0.7 * X[:, 0]) + 0.3 * X[:, 1] ** 2 + 0.1 * rng.standard_normal(500)
    model = CurveOnDirections(SIR()).fit(X, y)
    far = model.predict(200.0 * np.eye(4))
    assert np.abs(far).max() < 3 * np.abs(y).max()
    inside = X[np.abs(X).max(axis=1) < 1]
    np.testing.assert_array_equal(model.predict(inside), model.curve_.predict(model.transform(inside)[:, :2]))


@pytest.mark.parametrize("kind", [np.array, list])
def test_words_are_refused_as_a_response(kind):
    X = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.raises(InputTypeError, match=r"y must hold numbers, and 'a' is a word"):
        CurveOnDirections(SIR()).fit(X, kind(list("abc") * 20))


@pytest.mark.parametrize("directions", [-1, "SIR", [], SIR])
def test_what_finds_no_directions_is_refused(directions):
    X = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.raises(InputError, match=r"is not a method that finds directions; use SIR\(\)"):
        CurveOnDirections(directions).fit(X, X[:, 0])
