"""The support vector machine that methods are compared with."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

MANY_COLUMNS = 200  # columns, from which the kernel matrix is one product of matrices


class GaussianSVM(ClassifierMixin, BaseEstimator):
    """A Gaussian kernel of the usual width, 1 / (columns × variance); of wide tables, its matrix is computed once.

    scikit-learn computes kernels pair by pair, which takes several times as long where columns are many.
    """

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: Any = None) -> Self:
        """Fit to rows."""
        from sklearn.svm import SVC

        self.classes_, p = np.unique(y), X.shape[1]
        self.rows_, self.machine_ = None, SVC()
        if p > MANY_COLUMNS:
            variance = float(X.var())
            self.gamma_ = 1.0 / (p * variance) if variance > 0 else 1.0
            self.rows_, self.machine_ = X, SVC(kernel="precomputed")
        self.machine_.fit(self._seen(X), y, sample_weight)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the classes of rows."""
        return np.asarray(self.machine_.predict(self._seen(X)))

    def _seen(self, X: np.ndarray) -> np.ndarray:
        """Return rows as the machine takes them: their kernel with those of the fit, where columns are many."""
        if self.rows_ is None:
            return X
        squares = (X**2).sum(axis=1)[:, None] + (self.rows_**2).sum(axis=1) - 2 * X @ self.rows_.T
        return np.asarray(np.exp(-self.gamma_ * np.maximum(squares, 0)))
