"""A normal sample with holes: its maximum likelihood, and what it says of cells that were not observed."""

from .conditional import Conditional
from .fit import NormalFit, fit

__all__ = ["Conditional", "NormalFit", "fit"]
