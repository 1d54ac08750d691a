"""Model files: a JSON header and raw arrays, read without running code from the file.

`save` writes any fitted estimator of the package, `load` gives it back to the last bit, `describe` reads the header.
"""

from .model import describe, load, save

__all__ = ["describe", "load", "save"]
