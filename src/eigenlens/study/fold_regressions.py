"""Regressions of the folds of a cross-validation, from moments: linear ones, and curves on directions."""

from __future__ import annotations

import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from ..arrays import errors, namespaces
from ..moments.scaled_columns import columns_total
from ..regress.directions_curve import CurveOnDirections
from ..rows import Slicing
from .methods import fitted_to_moments
from .response_bins import Bins, sliced_moments
from .tallies import ResidualTally

ROUNDING = 1e-13  # of the largest eigenvalue of standardised columns: below, columns depend on each other


@dataclass(frozen=True, eq=False)
class ResponseSums:
    """Sums of a response, and of its products with columns, for each fold.

    Attributes
    ----------
    at : ndarray of shape (p,)
        A typical row, about which columns are taken.
    level : float
        A typical response.
    products : ndarray of shape (folds, p)
        Σ w (x − at)(y − level).
    sums : ndarray of shape (folds, 3)
        Σ w, Σ w (y − level) and Σ w (y − level)².
    """

    at: np.ndarray
    level: float
    products: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(
        cls, X: np.ndarray, y: np.ndarray, w: np.ndarray | None, folds: np.ndarray, n_folds: int, at: Any, level: float
    ) -> ResponseSums:
        """Add up rows."""
        off, w = y - level, np.ones(len(y)) if w is None else w
        products, sums = np.zeros((n_folds, X.shape[1])), np.zeros((n_folds, 3))
        for fold in range(n_folds):
            own = folds == fold
            part = w[own] * off[own]
            products[fold] = part @ (X[own] - at)
            sums[fold] = w[own].sum(), part.sum(), part @ off[own]
        return cls(np.asarray(at), level, products, sums)

    def merged(self, other: ResponseSums) -> ResponseSums:
        """Return the sums of the rows of both, which are taken about the same row."""
        return ResponseSums(self.at, self.level, self.products + other.products, self.sums + other.sums)

    def gathered(self, of_buckets: np.ndarray) -> ResponseSums:
        """Return the sums of folds, from those of buckets."""
        parts = [of_buckets == fold for fold in range(int(of_buckets.max()) + 1)]
        products, sums = (np.stack([of[part].sum(axis=0) for part in parts]) for of in (self.products, self.sums))
        return ResponseSums(self.at, self.level, products, sums)

    def times(self, factor: float) -> ResponseSums:
        """Return the sums of weights times a factor."""
        return ResponseSums(self.at, self.level, factor * self.products, factor * self.sums)

    def scaled(self, centre: np.ndarray, scale: np.ndarray) -> ResponseSums:
        """Return the sums of (x − centre)/scale."""
        return ResponseSums((self.at - centre) / scale, self.level, self.products / scale, self.sums)

    @property
    def variance(self) -> float:
        """Of the response of all rows."""
        weight, first, second = self.sums.sum(axis=0).tolist()
        return float(second / weight - (first / weight) ** 2)

    def line(self, fold: int, training: Any) -> Line:
        """Return the least-squares fit to the rows outside a fold, whose moments are given."""
        others = np.arange(len(self.sums)) != fold
        weight, first, _ = self.sums[others].sum(axis=0).tolist()
        total = columns_total(training)
        mean, S = np.asarray(namespaces.to_numpy(total.mean)), np.asarray(namespaces.to_numpy(total.matrix))
        s = self.products[others].sum(axis=0) - first * (mean - self.at)
        size = np.sqrt(np.where(np.diagonal(S) > 0, np.diagonal(S), 1.0))
        values, V = np.linalg.eigh(S / size / size[:, None])
        kept = values > ROUNDING * values[-1]
        coef = V[:, kept] @ ((V[:, kept].T @ (s / size)) / values[kept]) / size
        return Line(mean, coef, self.level + first / weight)


@dataclass(frozen=True, eq=False)
class Line:
    """A linear regression: level + (x − centre)ᵀcoef."""

    centre: np.ndarray
    coef: np.ndarray
    level: float

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict from prepared rows."""
        return np.asarray(self.level + (X - self.centre) @ self.coef)


@dataclass(frozen=True, eq=False)
class FoldRegressions:
    """A regression with a model for each fold, fitted to all rows outside it.

    Attributes
    ----------
    models : list of fitted models
        Which take prepared rows.
    seconds : float
        That the fits took.
    """

    models: list[Any]
    seconds: float = 0.0

    def judged(
        self, X: np.ndarray, y: np.ndarray, folds: np.ndarray, labels: None, w: np.ndarray | None, buckets: Any = None
    ) -> tuple[np.ndarray, ResidualTally]:
        """Return what models predict that have not seen the rows, and how far off they are."""
        guess = np.empty(len(X))
        for fold in np.unique(folds).tolist():
            rows = folds == fold
            guess[rows] = self.models[fold].predict(X[rows])
        return guess, ResidualTally.of(y - guess, folds, len(self.models), w)


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Rows that curves are fitted to: prepared, with their responses, weights and folds."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    folds: np.ndarray


def regressions_of(
    models: dict[str, Any],
    training: list[Any],
    sums: ResponseSums,
    bins: Bins,
    slicing: Slicing,
    sample: SampledRows,
) -> dict[str, FoldRegressions]:
    """Fit the methods that fit from moments to the rows outside each fold; those that cannot be are left out.

    Parameters
    ----------
    models : dict of str to unfitted model
    training : list of Grouped
        For each fold, the moments of the rows outside it, in bins of the response.
    sums : ResponseSums
    bins : Bins
    slicing : Slicing
        Made of whole bins.
    sample : SampledRows
    """
    teams = {}
    for name, model in models.items():
        start = time.perf_counter()
        with suppress(errors.InputError), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the model that is kept says what there is to say
            if isinstance(model, LinearRegression):
                fitted: list[Any] = [sums.line(fold, moments) for fold, moments in enumerate(training)]
            elif isinstance(model, CurveOnDirections) and slices_means(model.directions):
                sliced = [sliced_moments(moments, bins, slicing) for moments in training]
                fitted = [_curve(model, moments, slicing, sample, fold) for fold, moments in enumerate(sliced)]
            else:
                continue
            teams[name] = FoldRegressions(fitted, time.perf_counter() - start)
    return teams


def slices_means(model: Any) -> bool:
    """Tell whether a method is fitted from the means of slices of the response."""
    uses = getattr(model, "_slices", None)
    return hasattr(model, "fit_moments") and uses is not None and not (uses.covariances or uses.one_by_one)


def _curve(model: CurveOnDirections, moments: Any, slicing: Slicing, sample: SampledRows, fold: int) -> Any:
    directions = clone(model.directions).set_params(n_slices=list(slicing.cuts[0]))
    found = fitted_to_moments(directions, moments)
    vars(found).pop("feature_names_in_", None)
    seen = sample.folds != fold
    weights = None if sample.weights is None else sample.weights[seen]
    return clone(model).bent(found, np.asarray(found.transform(sample.X[seen])), sample.y[seen], weights)
