"""Mixtures of normal distributions with one covariance, a few for each class, as in mixture discriminant analysis."""

from .em import Classes, Fit, Plain, plain_step, run
from .holes import HoledClasses, classes_of, law_of
from .subclasses import best_of, counts_by_bic, counts_by_folds, read_counts, read_start

__all__ = [
    "Classes",
    "Fit",
    "HoledClasses",
    "Plain",
    "best_of",
    "classes_of",
    "counts_by_bic",
    "counts_by_folds",
    "law_of",
    "plain_step",
    "read_counts",
    "read_start",
    "run",
]
