"""The laws, as functions anyone can run on an estimator of their own.

A law takes an unfitted estimator and a `Sample`, and raises AssertionError with the figures if it is broken.

Examples
--------
>>> from eigenlens import PCA
>>> from eigenlens.testing import LAWS, check_laws, sample
>>> check_laws(PCA(2))
>>> sorted(LAWS)[:3]
['bitwise_rerun', 'defining_equation', 'dtype']
"""

from .laws import LAWS, applies, check_laws
from .samples import Sample, sample, sample_for
from .walk import all_estimators, all_regressors

__all__ = ["LAWS", "Sample", "all_estimators", "all_regressors", "applies", "check_laws", "sample", "sample_for"]
