"""What every regressor of this room shares: input checks, shapes of predictions, a fit that fails clean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

Floats = NDArray[np.float64]


class Regressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """Base of the regressors: a subclass writes ``_fit(X, Y, w)`` and ``_predict(X)`` on clean 2-D arrays.

    ``fit`` hands over X (n×p), Y (n×q, also for one response) and weights w (n, all positive: rows of
    weight zero are gone). ``predict`` gives back one or two dimensions as ``y`` had. If ``_fit`` raises,
    the model is left as it was before the call.
    """

    _y_was_1d: bool
    _rank: NDArray[np.intp]
    n_features_in_: int

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,) or (n, q)
            One or several responses.
        sample_weight : array of shape (n,), optional
            Weight m means that the row stands there m times.

        Returns
        -------
        self
        """
        with self._untouched_on_failure():
            X, Y, w, self._y_was_1d = self._validate(X, y, sample_weight)
            self._fit(X, Y, w)
            del self._rank
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Predict the responses for new rows.

        Parameters
        ----------
        X : array of shape (n, p)

        Returns
        -------
        array of shape (n,) or (n, q), as y had in ``fit``
        """
        Y = self._predict(self._validate_rows(X))
        return Y[:, 0] if self._y_was_1d else Y

    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        raise NotImplementedError

    def _predict(self, X: Floats) -> Floats:
        raise NotImplementedError

    @contextmanager
    def _untouched_on_failure(self) -> Iterator[None]:
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _validate(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[Floats, Floats, Floats, bool]:
        """Clean X (n×p), Y (n×q), w (n) without rows of weight zero, and whether y had one dimension."""
        rows, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        Y = np.asarray(y, dtype=np.float64)
        y_was_1d = Y.ndim == 1
        Y = Y.reshape(len(Y), -1)
        w = _check_sample_weight(sample_weight, rows, dtype=np.float64)
        if np.any(w < 0):
            raise ValueError(
                f"sample_weight holds {w.min():g} but weights must not be negative; use 0 to leave a row out"
            )
        if not np.any(w > 0):
            raise ValueError("sample_weight is zero in every row; give at least one row a positive weight")
        # which clean row an original row became: splits given by the user speak of original rows
        self._rank = np.where(w > 0, np.cumsum(w > 0) - 1, -1)
        if np.any(w == 0):
            rows, Y, w = rows[w > 0], Y[w > 0], w[w > 0]
        return rows, Y, w, y_was_1d

    def _validate_rows(self, X: ArrayLike) -> Floats:
        """Clean X (n×p) of a fitted model, refused if its columns are not those of ``fit``."""
        check_is_fitted(self)
        rows: Floats = validate_data(self, X, dtype=np.float64, reset=False)
        return rows

    def _feature_names(self) -> list[str]:
        """Names of the columns: those of the frame given to ``fit``, else x0, x1, …"""
        names: Any = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(a) for a in names]
