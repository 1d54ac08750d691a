"""How much memory a square table would take, beside what there is: asked before the first allocation.

Linux grants memory that it does not have and ends the process when it is used, so nobody can wait for a MemoryError.
"""

from __future__ import annotations

import os
from pathlib import Path

from . import xp as _xp
from .errors.memory import too_large
from .typing import Array

CGROUP = Path("/sys/fs/cgroup")  # where a container finds its limits
SHARE = 0.9  # of what is available: the rest is for everything else


def square_bytes(n: int, m: int | None = None, *, copies: float = 1.0, itemsize: int = 8) -> int:
    """Return the bytes of n-by-m tables (n-by-n, where m is not given).

    Examples
    --------
    >>> from eigenlens._core.memory import square_bytes
    >>> square_bytes(1000)
    8000000
    """
    return int(n * (n if m is None else m) * itemsize * copies)


def available_bytes(like: Array | None = None) -> int | None:
    """Return the memory that can still be used, on the device of an array; None where the system does not tell."""
    on_device = None if like is None else _xp.device_free_bytes(like)
    if on_device is not None:
        return on_device
    told = [b for b in (_from_meminfo(), _from_cgroup()) if b is not None]
    return min(told) if told else None


def require(needed: int, what: str, way_out: str, like: Array | None = None) -> None:
    """Refuse, in a sentence that says what would fit, work that needs more memory than there is.

    Parameters
    ----------
    needed : int
        Bytes beyond what is held already.
    what : str
        What would take them, for the message.
    way_out : str
        What to do instead.
    like : array, optional
        An array on the device whose memory is meant; by default the host's.
    """
    available = available_bytes(like)
    if available is not None and needed > SHARE * available:
        raise too_large(what, needed, available, way_out)


def _from_meminfo() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _from_cgroup() -> int | None:
    """Read what a container may still take; files that it cannot help giving back do not count as taken."""
    try:
        limit = (CGROUP / "memory.max").read_text().strip()
        if limit == "max":
            return None
        taken = int((CGROUP / "memory.current").read_text())
        fields = dict(line.split() for line in (CGROUP / "memory.stat").read_text().splitlines())
        return int(limit) - taken + int(fields.get("inactive_file", 0))
    except (OSError, ValueError):
        return None
