"""Scores of rows that the fit has not seen, where a fit to all rows draws each class as a point.

With as many columns as rows, discriminants separate any classes of the rows that they are fitted to.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.linalg import orthogonal_procrustes
from sklearn.base import clone

from ..arrays import errors
from ..validation.folds import fewest_of_class, split_rows
from ..validation.refits import splits_of_folds
from .data import Data
from .methods import fitted
from .missing_cells import Ready
from .plan import Plan


def scores_left_out(ready: Ready, scores: np.ndarray, data: Data, plan: Plan) -> np.ndarray | None:
    """Return the scores of each row by a fit to the other folds, turned to the axes of the fit to all rows.

    None where rows are more than columns and classes, or where a fold cannot be fitted. Cells that were filled, which
    takes no classes, stay as they are.
    """
    X, y = ready.X, np.asarray(data.y)
    labels, counts = np.unique(y, return_counts=True)
    saturated = data.whole is None and len(X) <= X.shape[1] + len(labels)
    if not saturated or plan.folds < 2 or counts.min() < 2:
        return None
    if fewest_of_class(y, data.groups) < 2:
        return None
    folds = split_rows(y, True, plan.folds, plan.seed, data.groups)
    found = np.full_like(scores, np.nan)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the model that is kept says what there is to say
            for train, test in splits_of_folds(folds):
                weights = None if data.weights is None else data.weights[train]
                model = fitted(clone(ready.model), None, X[train], y[train], weights)
                turn = orthogonal_procrustes(np.asarray(model.transform(X[train])), scores[train])[0]
                found[test] = np.asarray(model.transform(X[test])) @ turn
    except (errors.InputError, ValueError):  # a fold without a class has fewer directions
        return None
    return None if np.isnan(found).any() else found
