"""Limits that a process was given (`ulimit -v`, `ulimit -d`), and how many threads BLAS can serve under them.

OpenBLAS maps a buffer for every thread that calls it and keeps it. Where there is no room for one it ends the process,
or tries forever, and nothing can catch that. So buffers are taken before any work, for as many threads as there is
room for; where there is no room even for one, the work is refused.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from contextlib import suppress
from math import log2
from pathlib import Path
from typing import Any

import numpy as np

try:
    import resource
except ImportError:  # there are no such limits on Windows
    resource = None  # type: ignore[assignment]

from . import errors
from . import xp as _xp

ROOT = Path("/")  # below which proc/ and sys/ are looked for
BUFFER = 2**25  # bytes of a buffer of OpenBLAS
STACK = 2**23  # bytes of the stack of a thread
SPARE = 2**23  # for what else the first calls take
SHARE = 0.25  # of the room that buffers of more than one thread may take
ARENA_MAX = -8  # the name of this setting in glibc's malloc.h
RAISE_IT = "raise the limit of the process (ulimit -v, ulimit -d)"

_buffered = 0  # threads whose buffers are taken
_forked = False


def _note_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def memory_limits() -> list[tuple[int, str]]:
    """Return the limits that this process was given, each with the name of what counts against it."""
    if resource is None:
        return []
    kinds = ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:"))
    told = [(resource.getrlimit(kind)[0], taken) for kind, taken in kinds]
    return [(limit, taken) for limit, taken in told if limit != resource.RLIM_INFINITY]


def settle_blas() -> None:
    """Let BLAS take what it keeps, where this process was given a limit of memory, or refuse the work."""
    if memory_limits():
        thread_count()


def others_may_work() -> bool:
    """Tell whether other libraries may work on threads of their own: not where a limit leaves room for one alone."""
    return not memory_limits() or thread_count() > 1


def thread_count() -> int:
    """Return how many threads to use: the cores of this process, or fewer if BLAS was told so or has room for fewer."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return threads_with_buffers(max(1, min(cores, _xp.blas_threads())))


def room(root: Path) -> int | None:
    """Return the bytes that the limits leave; None where there is no limit, or the system does not tell."""
    status = root / "proc/self/status"
    held = [(limit, field(status, taken)) for limit, taken in memory_limits()]
    return min((max(limit - 1024 * kib, 0) for limit, kib in held if kib is not None), default=None)


def piece_within(most: int, least: int, held: int, what: str) -> int:
    """Return how many bytes to read at a time, where so many pieces are held at once, or refuse to read.

    pyarrow ends the process, or waits forever, where some of its allocations fail.
    """
    free = room(ROOT)
    if free is None or free > 2 * held * most:
        return most
    if free < 2 * held * least:
        raise errors.too_large(what, 2 * held * least, free, RAISE_IT)
    return 2 ** int(log2(free / (2 * held)))


def ran_out(error: BaseException) -> bool:
    """Tell whether an error of Python or of a library says that memory ended: for rows, a library or a thread."""
    if isinstance(error, errors.TooLargeError):
        return False
    words = ("failed to map segment", "allocate memory", "can't start new thread")
    told = isinstance(error, ImportError | RuntimeError) and any(word in str(error) for word in words)
    return told or isinstance(error, MemoryError)


def threads_with_buffers(most: int) -> int:
    """Return on how many of so many threads BLAS may work: all of them where no limit is set."""
    global _buffered
    free = room(ROOT)
    if free is None:
        return most
    if not _buffered:
        _share_one_heap()
        libraries = [library for library in _xp.blas_libraries() if library.internal_api == "openblas"]
        known = all(hasattr(library.dynlib, "blas_memory_alloc") for library in libraries)
        fitting = int(SHARE * free / (BUFFER * max(len(libraries), 1))) - 1 if known else 1
        threads = max(1, min(most, fitting))
        _take(libraries, 1 if threads == 1 else threads + 1, free)  # the thread that waits for the others works too
        _buffered = threads
    return min(most, _buffered)


def _share_one_heap() -> None:
    """Have glibc serve all threads from one heap: with one each, none can use what another has freed."""
    with suppress(OSError, AttributeError):  # other C libraries have no such setting
        ctypes.CDLL(None).mallopt(ARENA_MAX, 1)


def _take(libraries: list[Any], buffers: int, free: int) -> None:
    """Let every copy of OpenBLAS map so many buffers, once it is known that it can.

    Its own threads have theirs since it was loaded. After a fork they are started again, at the next call.
    """
    again = [library.num_threads - 1 if _forked else 0 for library in libraries]
    needed = len(libraries) * buffers * BUFFER + sum(again) * (BUFFER + STACK) + SPARE
    try:
        mmap.mmap(-1, needed, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except (OSError, MemoryError) as error:
        raise errors.too_large("The working memory of BLAS", needed, free, RAISE_IT) from error
    for library, threads in zip(libraries, again, strict=True):
        if hasattr(library.dynlib, "blas_memory_alloc"):
            allocate, release = library.dynlib.blas_memory_alloc, library.dynlib.blas_memory_free
            allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_int]
            release.restype, release.argtypes = None, [ctypes.c_void_p]
            for address in [allocate(0) for _ in range(buffers + threads)]:
                release(address)
    _multiply()


def _multiply() -> None:
    """Let NumPy's and SciPy's BLAS work, by a product too large for their small kernels: their threads start now."""
    from scipy.linalg.blas import dgemm

    A = np.ones((256, 256), order="F")
    A @ A
    dgemm(1.0, A, A)


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
