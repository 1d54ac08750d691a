"""What people write first in MDA(…) and FDA(…)."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from eigenlens import FDA, MDA
from eigenlens.exceptions import InputTypeError, SubclassWarning
from eigenlens.regress import AdaptiveSplines, PolynomialRegression

X, y = load_iris(return_X_y=True)


def test_a_number_of_directions_is_not_one_of_subclasses():
    with pytest.warns(SubclassWarning, match="For 2 subclasses write n_subclasses=2"):
        model = MDA(2).fit(X, y)
    assert model.transform(X).shape == (150, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MDA(2, n_subclasses=3).fit(X, y).n_subclasses_.tolist() == [3, 3, 3]
        assert MDA(n_components=2).fit(X, y).transform(X).shape == (150, 2)  # said by its name
        assert clone(MDA(2)).fit(X, y).transform(X).shape == (150, 2)  # once is enough
        assert MDA().fit(X, y).n_subclasses_.tolist() == [3, 3, 3]


@pytest.mark.parametrize("method", [FDA, MDA])
def test_a_regressor_may_come_first(method):
    """What can be fitted can only be the regressor."""
    first = PolynomialRegression(2)
    given = method(first)
    assert given.regressor is first
    assert given.n_components is None
    assert repr(given) == repr(method(regressor=PolynomialRegression(2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = clone(given).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), method(regressor=PolynomialRegression(2)).fit(X, y).predict(X))


@pytest.mark.parametrize("method", [FDA, MDA])
def test_two_regressors_are_refused(method):
    with pytest.raises(InputTypeError, match="beside regressor=PolynomialRegression"):
        method(AdaptiveSplines(), regressor=PolynomialRegression(2)).fit(X, y)


def test_deviance_is_that_of_the_posteriors():
    model = MDA(n_subclasses=2).fit(X, y)
    logs = model.predict_log_proba(X)[np.arange(150), y]
    np.testing.assert_allclose(model.deviance_, -2 * logs.sum(), rtol=1e-10)
