"""Model files: a JSON header and raw arrays, read without running code from the file.

`save` writes any fitted estimator of the package, `load` restores it to the last bit, and `describe` reads the header.
"""

from .model import describe, load, save

__all__ = ["describe", "load", "save"]
