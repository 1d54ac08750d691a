"""Tables as people keep them, with words, gaps and unlike units, made ready for methods that want numbers."""

from .preparation import Preparation
from .reading import Dialect, TableFile

__all__ = ["Dialect", "Preparation", "TableFile"]
