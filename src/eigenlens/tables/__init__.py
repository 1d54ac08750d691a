"""Tables as people keep them, with words, gaps and different units, made ready for methods that want numbers."""

from ..sources.csv_text import Dialect
from .preparation import Preparation
from .reading import TableFile

__all__ = ["Dialect", "Preparation", "TableFile"]
