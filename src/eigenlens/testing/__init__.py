"""The laws, as functions anyone can run on an estimator of their own.

A law takes an unfitted estimator and a `Sample`, and raises AssertionError with the figures where it is broken.

Examples
--------
>>> from eigenlens import PCA
>>> from eigenlens.testing import LAWS, check_laws, sample
>>> check_laws(PCA(2))
>>> sorted(LAWS)[:3]
['bitwise_rerun', 'defining_equation', 'dtype']
"""

from .laws import LAWS, check_laws, laws_of
from .samples import Sample, sample
from .walk import all_estimators

__all__ = ["LAWS", "Sample", "all_estimators", "check_laws", "laws_of", "sample"]
