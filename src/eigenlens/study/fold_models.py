"""Models of the folds of a cross-validation, fitted from moments: each row is judged by one that has not seen it."""

from __future__ import annotations

import time
import warnings
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import errors, namespaces
from ..moments import Grouped
from ..moments.centred import choose_kind
from ..moments.folded import Folded
from ..moments.scaled_columns import can_scale, columns_total, scale_columns
from ..rows import Block
from ..validation.folds import Folds
from ..validation.measures import places_in
from .methods import fitted_to_moments
from .tallies import ClassTally
from .waiting import cut

MOST_CELLS = 2e7  # of the scatters of all folds and classes
MOST_COLUMNS = 500
BLOCK_ROWS = 2**14


@dataclass(frozen=True, eq=False)
class FoldModels:
    """A method with a model for each fold, fitted to all rows outside it.

    Attributes
    ----------
    models : list of fitted classifiers
    centres, factors : lists of ndarray of shape (p,)
        What is subtracted from the columns, and what they are multiplied with, for each fold: 0 for a column that does
        not vary outside the fold.
    seconds : float
        That the fits took.
    """

    models: list[Any]
    centres: list[np.ndarray]
    factors: list[np.ndarray]
    seconds: float = 0.0

    def judged(
        self,
        X: np.ndarray,
        codes: np.ndarray,
        folds: np.ndarray,
        labels: np.ndarray,
        w: np.ndarray | None,
        buckets: tuple[np.ndarray, int] | None = None,
    ) -> tuple[np.ndarray, ClassTally]:
        """Return the places of the classes that rows are given by models that have not seen them, and a tally."""
        guess = self.places(X, folds, labels)
        return guess, ClassTally.of(codes, guess, len(labels), w, buckets)

    def places(self, X: np.ndarray, folds: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return the classes that rows are given, as places in a sorted list of labels."""
        found = np.full(len(X), -1, dtype=np.intp)
        for fold in np.unique(folds).tolist():
            rows, model = np.flatnonzero(folds == fold), self.models[fold]
            Z = (X[rows] - self.centres[fold]) * self.factors[fold]
            best = np.asarray(namespaces.to_numpy(model._scores(Z, sharp=True))).argmax(axis=1)
            found[rows] = places_in(labels, np.asarray(model.classes_))[best]
        return found


def takes_moments(model: Any) -> bool:
    """Tell whether a classifier is fitted from moments of the classes."""
    if not (hasattr(model, "fit_moments") and hasattr(model, "_scores")):
        return False
    return not getattr(model, "_asks_validation", False)


def affordable(n: int, p: int, n_classes: int, n_folds: int) -> bool:
    """Tell whether the moments of all folds and classes can be kept."""
    return p <= MOST_COLUMNS and min(n_classes * n_folds * p, n) * p <= MOST_CELLS


def fold_numbers(folds: Folds, codes: np.ndarray | None, labels: np.ndarray | None, numbers: np.ndarray) -> np.ndarray:
    """Return the fold of each row."""
    return folds(Block(np.empty((len(numbers), 0)), codes, None, labels, None, numbers))


def moments_of_folds(
    X: np.ndarray,
    codes: np.ndarray,
    labels: np.ndarray,
    numbers: np.ndarray,
    folds: Folds,
    weights: np.ndarray | None = None,
    pooled: bool = False,
) -> Folded:
    """Return the moments of the classes in each fold."""
    moments = Folded(Grouped(choose_kind(*X.shape), pooled=pooled), folds, folds.n_folds)
    for block in cut(Block(X, codes, weights, labels, None, numbers), BLOCK_ROWS):
        moments.update(block)
    return moments


def fold_models(model: Any, training: list[Any], standardise: bool) -> FoldModels:
    """Fit a method to the moments of all rows outside each fold; columns are scaled by what is known there.

    Parameters
    ----------
    model : unfitted classifier
    training : list of Grouped
        For each fold, the moments of the rows outside it.
    standardise : bool
        Whether columns are divided by their standard deviations.
    """
    models, centres, factors, start = [], [], [], time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the model that is kept says what there is to say
        for moments in training:
            if not can_scale(moments):
                raise errors.InputError("columns are out of the ordinary range of numbers.")
            total = columns_total(moments)
            still = np.asarray(namespaces.to_numpy(total.constant_columns()))
            spread = np.sqrt(np.asarray(namespaces.to_numpy(total.store.diagonal())) / max(total.weight - 1, 1.0))
            scale = np.where(still | (not standardise), 1.0, spread)
            centre = np.asarray(namespaces.to_numpy(total.mean))
            models.append(fitted_to_moments(clone(model), scale_columns(moments, centre, scale)))
            centres.append(centre)
            factors.append(np.where(still, 0.0, 1.0 / scale))
    return FoldModels(models, centres, factors, time.perf_counter() - start)


def teams_of(models: dict[str, Any], training: list[Any], standardise: bool) -> dict[str, FoldModels]:
    """Fit all methods that fit from moments; those that cannot be fitted to these are left out."""
    teams = {}
    for name, model in models.items():
        if takes_moments(model):
            with suppress(errors.InputError):
                teams[name] = fold_models(model, training, standardise)
    return teams
