"""The report page."""

from .build import render

__all__ = ["render"]
