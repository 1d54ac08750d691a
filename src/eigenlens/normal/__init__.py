"""A normal sample with holes: its maximum likelihood, and what it says of cells that were not observed."""

from .fit import NormalFit, fit

__all__ = ["NormalFit", "fit"]
