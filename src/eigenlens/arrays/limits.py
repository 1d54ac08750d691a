"""Limits that a process was given (`ulimit -v`, `ulimit -d`), and how many threads it may use."""

from __future__ import annotations

import os
from pathlib import Path

try:
    import resource
except ImportError:  # there are no such limits on Windows
    resource = None  # type: ignore[assignment]

from . import errors, linalg

ROOT = Path("/")  # below which proc/ and sys/ are looked for


def memory_limits() -> list[tuple[int, str]]:
    """Return the limits that this process was given, each with the name of what counts against it."""
    if resource is None:
        return []
    kinds = ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:"))
    told = [(resource.getrlimit(kind)[0], taken) for kind, taken in kinds]
    return [(limit, taken) for limit, taken in told if limit != resource.RLIM_INFINITY]


def thread_count() -> int:
    """Return how many threads to use: the cores of this process, or fewer if BLAS was told so."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, linalg.blas_threads()))


def room(root: Path) -> int | None:
    """Return the bytes that the limits leave; None where there is no limit, or the system does not tell."""
    status = root / "proc/self/status"
    held = [(limit, field(status, taken)) for limit, taken in memory_limits()]
    return min((max(limit - 1024 * kib, 0) for limit, kib in held if kib is not None), default=None)


def ran_out(error: BaseException) -> bool:
    """Tell whether an error of Python or of a library says that memory ended: for rows, a library or a thread."""
    if isinstance(error, errors.TooLargeError):
        return False
    words = ("failed to map segment", "allocate memory", "can't start new thread")
    told = isinstance(error, ImportError | RuntimeError) and any(word in str(error) for word in words)
    return told or isinstance(error, MemoryError)


def field(path: Path, name: str) -> int | None:
    """Return the number next to a name, in a file of such lines."""
    try:
        for line in path.read_text().splitlines():
            words = line.split()
            if words[:1] == [name]:
                return int(words[1])
    except (OSError, ValueError, IndexError):
        pass
    return None
