"""All eigenvalues of the distances that a map shows, and how many of its axes they say carry structure."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice
from ..arrays.typing import Array, ColumnLike, RandomState, TableLike
from ..distances.centred_form import double_center
from ..distances.objects import Objects
from ..inference.dimension_test import DimensionTest
from ..inference.distance_errors import distance_errors_test
from ..inference.noise import above_negative, broken_stick
from ..inference.sequential import check_draws
from ..rows import whole
from ..solve import rounding
from .spine.rows_estimator import RowsEstimator


class EigenvaluesOfDistances(RowsEstimator):
    """A map of distances that can tell all their eigenvalues, and count its axes by them."""

    metric: Any
    _objects: Objects | None = None  # of a fit to objects that are not rows
    landmarks_: Array | None
    _mapped: int  # rows that shaped the map

    @property
    def _precomputed(self) -> bool:
        """Whether the fit had a table of distances, or made one of objects."""
        return self._objects is not None or (isinstance(self.metric, str) and self.metric == "precomputed")

    @abstractmethod
    def distances_among(self, X: TableLike) -> Array:
        """Return the distances among rows as the map was asked to show them."""

    def test_dimension(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = 0.05,
        method: Literal["broken-stick", "negative-inertia", "errors"] = "broken-stick",
        n_draws: int = 199,
        random_state: RandomState | None = 0,
    ) -> DimensionTest:
        """Count the axes that carry structure, from all eigenvalues, whatever `n_components` is.

        The two criteria have no p-values. All n eigenvalues are computed.

        Parameters
        ----------
        X : table of shape (n, p); of shape (n, n) or condensed if distances are precomputed; optional
            The rows, or the distances, of the fit. Without them, the test uses the eigenvalues that the fit has kept:
            up to 1,000 rows, or Euclidean distances of up to 200 columns.
        y : ignored
        sample_weight : array of shape (n,), optional
        alpha : float
            Level of the test ("errors").
        method : {"broken-stick", "negative-inertia", "errors"}
            Axes whose share of the positive inertia exceeds that of a stick broken at random; or those whose eigenvalue
            exceeds the size of the most negative one, which is the size that departures from a Euclidean table can
            produce. "errors" tests axes against errors of the distances as large as those that the map leaves
            (`eigenlens.inference.distance_errors_test`); it needs the distances.
        n_draws : int
            Draws of such errors.
        random_state : int, Generator, RandomState or None
            Their seed.

        Notes
        -----
        If the first axis takes nearly all inertia, the broken stick misses a clear second one. If no eigenvalue is
        negative, "negative-inertia" counts every axis.
        """
        self._require_fit()
        check_choice("method", method, ("broken-stick", "negative-inertia", "errors"))
        check_draws(alpha, n_draws)
        if method == "errors":
            source: Any = self._rows_to_test(X, None, sample_weight, method, needed=True)
            D = self.distances_among(self._kept_part(source))
            return distance_errors_test(D, alpha=alpha, n_draws=n_draws, random_state=random_state)
        if X is None and self._kept_values is not None:
            values = self.all_eigenvalues()
        else:
            values = self._eigenvalues_of(self._rows_to_test(X, None, sample_weight, method, needed=True))
        if method == "broken-stick":
            return broken_stick(values)
        return above_negative(values)

    def all_eigenvalues(self, X: TableLike | None = None, sample_weight: ColumnLike | None = None) -> np.ndarray:
        """Return all n eigenvalues in descending order, including negative ones; those within rounding error are 0.

        Parameters
        ----------
        X : table of shape (n, p); of shape (n, n) or condensed if distances are precomputed; optional
            The rows, or the distances, of the fit. Without them, you get the eigenvalues that the fit has kept: up to
            1,000 rows, or Euclidean distances of up to 200 columns. `n_landmarks` keeps none.
        sample_weight : array of shape (n,), optional

        Examples
        --------
        >>> import numpy as np
        >>> from eigenlens import ClassicalMDS
        >>> D = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])   # breaks the triangle inequality
        >>> ClassicalMDS(1, metric="precomputed").fit(D).all_eigenvalues().round(2)
        array([ 4.5 ,  0.  , -0.83])
        """
        self._require_fit()
        if X is not None:
            return self._eigenvalues_of(self._open(X, None, sample_weight, reset=False))
        kept = self._kept_values
        if kept is None:
            raise errors.InputError(
                "this fit has not kept all_eigenvalues(): there are too many rows, or it used landmarks. "
                "Pass the rows, or the distances, of the fit: all_eigenvalues(X)."
            )
        return np.concatenate([kept, np.zeros(max(self._mapped - len(kept), 0))])

    @property
    def _kept_values(self) -> np.ndarray | None:
        return None if self.landmarks_ is not None else self.__dict__.get("_values")

    def _kept_part(self, source: Any) -> Array:
        """Return the rows that count, or the distances among them."""
        rows: Array = whole(source).X
        return rows[:, source.kept] if self._precomputed else rows

    def _eigenvalues_of(self, source: Any) -> np.ndarray:
        """Return all eigenvalues of the distances among rows, those that are rounding as 0."""
        weight = np.asarray(whole(source).weight)
        D = namespaces.floats(self.distances_among(self._kept_part(source)))
        B = np.asarray(double_center(D**2, weight / weight.sum()))
        root = np.sqrt(weight)
        values = np.linalg.eigvalsh(root[:, None] * B * root)[::-1]
        return np.where(np.abs(values) > rounding(len(values), float(np.abs(values).max())), values, 0.0)
