"""Mixtures of normal laws with one covariance, a few for each class: what mixture discriminant analysis computes."""

from .em import Classes, Fit, Plain, plain_step, run
from .subclasses import counts_by_bic, counts_by_folds, read_counts, read_start

__all__ = [
    "Classes",
    "Fit",
    "Plain",
    "counts_by_bic",
    "counts_by_folds",
    "plain_step",
    "read_counts",
    "read_start",
    "run",
]
