"""Mixtures of normal distributions with one covariance, a few for each class, as in mixture discriminant analysis."""

from .em import Classes, Fit, Plain, plain_step, run
from .subclasses import best_of, counts_by_bic, criterion, free_parameters, read_counts, read_start

__all__ = [
    "Classes",
    "Fit",
    "Plain",
    "best_of",
    "counts_by_bic",
    "criterion",
    "free_parameters",
    "plain_step",
    "read_counts",
    "read_start",
    "run",
]
