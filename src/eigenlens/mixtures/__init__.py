"""Mixtures of normal laws with one covariance, a few for each class: what mixture discriminant analysis computes."""

from .em import Classes, Fit, Plain, plain_step, run, warn_of_lost
from .holes import HoledClasses, law_of
from .subclasses import counts_by_bic, counts_by_folds, read_counts, read_start

__all__ = [
    "Classes",
    "Fit",
    "HoledClasses",
    "Plain",
    "counts_by_bic",
    "counts_by_folds",
    "law_of",
    "plain_step",
    "read_counts",
    "read_start",
    "run",
    "warn_of_lost",
]
