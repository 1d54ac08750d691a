"""The columns that a model uses, out of a table that may have others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from ..arrays import errors
from ..arrays.optional import require
from ..arrays.stored import stored
from .preparation import frame_of, is_words, word_of


@stored("Selection")
class Selection(TransformerMixin, BaseEstimator):
    """Columns of a table, each as numbers or as words; other columns are not looked at.

    Parameters
    ----------
    columns : sequence of str
        In the order in which the next step takes them.
    words : sequence of str
        Those of them that hold words; codes such as 1 and 1.0 are the same word.

    Examples
    --------
    >>> import pandas as pd
    >>> from eigenlens.rows.selection import Selection
    >>> table = pd.DataFrame({"row": [1, 2], "code": [1.0, 2.0], "x": [0.5, 1.5]})
    >>> Selection(["x", "code"], ["code"]).fit_transform(table).to_pydict()
    {'x': [0.5, 1.5], 'code': ['1', '2']}
    """

    def __init__(self, columns: Sequence[str] = (), words: Sequence[str] = ()) -> None:
        self.columns, self.words = columns, words

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Do nothing: the columns are given."""
        return self

    def transform(self, X: Any) -> Any:
        """Return an Arrow table of the columns."""
        pa = require("pyarrow", "A table of words and numbers")
        frame = frame_of(X)
        kinds, found = frame.schema, {}
        for name in self.columns:
            if name not in kinds:
                raise errors.no_column(name, frame.columns, f"the model needs the column {name!r}")
            series = frame.get_column(name)
            if name in self.words:
                found[name] = pa.array([None if w is None or w != w else word_of(w) for w in series.to_list()])
            elif is_words(kinds[name]):
                raise errors.InputError(f"column {name!r} holds words, but the model was fitted to numbers.")
            else:
                found[name] = pa.array(np.asarray(series.to_numpy(), dtype=np.float64))
        return pa.table(found)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns."""
        return np.array(self.columns, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True
