"""What is said of priors, gaps in a response, gaps in a table, and tables of other libraries."""

import numpy as np
import pandas as pd
import pytest

from eigenlens import LDA, MDA, PCA, PDA
from eigenlens.exceptions import InputError, InputTypeError
from eigenlens.regress import AdaptiveSplines, PenalizedRegression
from eigenlens.rows import Preparation

X = np.random.default_rng(0).standard_normal((60, 3))


@pytest.mark.parametrize("method", [LDA, PDA, MDA])
def test_too_few_priors_are_counted_before_they_are_added(method):
    with pytest.raises(InputError, match="there are 6 classes; give 6 numbers"):
        method(priors=[0.2, 0.2, 0.2]).fit(X, np.arange(60) % 6)
    with pytest.raises(InputError, match=r"add up to 0\.6; divide them by their sum"):
        method(priors=[0.2, 0.2, 0.2]).fit(X, np.arange(60) % 3)


@pytest.mark.parametrize("model", [AdaptiveSplines(), PenalizedRegression()])
def test_a_response_is_not_to_be_imputed(model):
    y = X[:, 0].copy()
    y[3] = np.nan
    with pytest.raises(InputError, match=r"y contains NaN .*Drop those rows") as raised:
        model.fit(X, y)
    assert "mpute" not in str(raised.value)


def test_gaps_in_a_table_that_is_fitted():
    table = pd.DataFrame({"a": [1.0, np.nan, 2.0], "b": [1.0, 2.0, 4.0]})
    rule = r"X has missing cells \(by column: 'a' 1\).*Preparation\(missing='mean'\)"
    with pytest.raises(InputError, match=rule) as raised:
        Preparation().fit(table)
    assert "--" not in str(raised.value)
    assert "was fitted" not in str(raised.value)
    fitted = Preparation().fit(table.dropna())
    with pytest.raises(InputError, match="this model was fitted without a rule for them"):
        fitted.transform(table)


def like(library, kind, **methods):
    """Return an object of a library that need not be installed."""
    made = type(kind, (), {name: (lambda self: self) for name in methods})
    made.__module__ = f"{library}.core"
    return made()


@pytest.mark.parametrize(
    ("table", "verb"),
    [
        (like("pyspark", "DataFrame", collect=1, toPandas=1), "toPandas"),
    ],
)
def test_tables_of_other_libraries_are_told_what_gives_a_table(table, verb):
    with pytest.raises(InputTypeError, match=rf"pass X\.{verb}\(\)"):
        PCA().fit(table)


def test_lazy_tables_are_still_told_to_collect():
    with pytest.raises(InputTypeError, match=r"pass X\.collect\(\)"):
        PCA().fit(like("lazy", "LazyFrame", collect=1))
