"""Files and folders that are not complete yet: whoever writes one enters it here until it has its name.

Nothing heavy is imported, so an interrupt can ask at any moment.
"""

from __future__ import annotations

import os
from contextlib import suppress

FILES: set[str] = set()  # being written, mostly under another name
FOLDERS: set[str] = set()  # made for them; they go again if they stay empty


def remove() -> None:
    """Remove what is half-written, before the process ends at once."""
    for name in list(FILES):
        with suppress(OSError):
            os.unlink(name)
    for name in list(FOLDERS):
        with suppress(OSError):
            os.rmdir(name)
