"""How much memory work would take, compared with what there is: checked before the first allocation.

Linux grants memory that it does not have and ends the process when it is used, so nobody can wait for a MemoryError.
"""

from __future__ import annotations

import os
from pathlib import Path

try:
    import resource
except ImportError:  # there are no such limits on Windows
    resource = None  # type: ignore[assignment]

from . import devices, errors
from .typing import Array

ROOT = Path("/")  # below which proc/ and sys/ are looked for
V2 = ("memory.max", "memory.current", "inactive_file")  # limit, taken, and what of it is given back on demand
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
NO_LIMIT = 2**60  # version 1 writes the largest number there is
SHARE = 0.9  # of what is available: the rest is for everything else


def square_bytes(n: int, m: int | None = None, *, copies: float = 1.0) -> int:
    """Return the bytes of n-by-m tables of float64 (n-by-n, where m is not given).

    Examples
    --------
    >>> from eigenlens.arrays.memory import square_bytes
    >>> square_bytes(1000)
    8000000
    """
    return int(8 * n * (n if m is None else m) * copies)


def available_bytes(like: Array | None = None) -> int | None:
    """Return the memory that can still be used, on the device of an array; None where the system does not tell."""
    on_device = None if like is None else devices.device_free_bytes(like)
    if on_device is not None:
        return on_device
    return host_bytes(ROOT)


def host_bytes(root: Path) -> int | None:
    """Return the memory that this process can still use: the least that the machine, its groups and its limits leave.

    Parameters
    ----------
    root : Path
        Below which proc/ and sys/ are looked for.
    """
    told = [room for room in (_from_meminfo(root), _from_cgroups(root), _from_limits(root)) if room is not None]
    return min(told, default=None)


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
        raise errors.TooLargeError(f"{what} takes {_size(needed)} but {_size(available)} are available; {way_out}.")


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.1f} GiB" if n_bytes >= 2**29 else f"{n_bytes / 2**20:.1f} MiB"


def ran_out(error: BaseException) -> bool:
    """Tell whether an error of Python or of a library says that memory ended: for rows, a library or a thread."""
    if isinstance(error, errors.TooLargeError):
        return False
    words = ("failed to map segment", "allocate memory", "can't start new thread")
    told = isinstance(error, ImportError | RuntimeError) and any(word in str(error) for word in words)
    return told or isinstance(error, MemoryError)


def _from_meminfo(root: Path) -> int | None:
    available = _field(root / "proc/meminfo", "MemAvailable:")
    if available is not None:
        return available * 1024
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _from_limits(root: Path) -> int | None:
    """Return what the limits of the process itself (`ulimit -v`, `ulimit -d`) leave; None where there is none."""
    if resource is None:
        return None
    left = []
    for kind, taken in ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:")):
        limit = resource.getrlimit(kind)[0]
        held = None if limit == resource.RLIM_INFINITY else _field(root / "proc/self/status", taken)
        if held is not None:
            left.append(max(limit - 1024 * held, 0))
    return min(left, default=None)


def _from_cgroups(root: Path) -> int | None:
    """Return what the groups of the process leave, of version 1 and 2: its own and all those around it.

    Files that the system gives back when it must do not count as taken. Inside a container the group's path may be that
    on the host, which is not there; the top of the mounted tree then is the container's own.
    """
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        lines = []
    groups = [line.split(":", 2) for line in lines if line.count(":") >= 2]
    tops = root / "sys/fs/cgroup"
    told = []
    for mounted, files, listed in (
        (tops, V2, [path for number, names, path in groups if number == "0" and not names]),
        (tops / "memory", V1, [path for _, names, path in groups if "memory" in names.split(",")]),
    ):
        for folder in {place for path in ["/", *listed] for place in _upwards(mounted, path)}:
            room = _room(folder, *files)
            told += [] if room is None else [room]
    return min(told, default=None)


def _upwards(top: Path, path: str) -> list[Path]:
    """Return the folder of a group and those of all groups around it."""
    parts = [part for part in path.split("/") if part]
    if ".." in parts:  # a group outside of what this process may see
        parts = []
    return [top.joinpath(*parts[:k]) for k in range(len(parts) + 1)]


def _room(folder: Path, limit: str, taken: str, idle: str) -> int | None:
    try:
        most = int((folder / limit).read_text())  # "max" is not a number: no limit
        if most >= NO_LIMIT:
            return None
        held = int((folder / taken).read_text())
    except (OSError, ValueError):
        return None
    return max(most - held + (_field(folder / "memory.stat", idle) or 0), 0)


def _field(path: Path, name: str) -> int | None:
    """Return the number next to a name, in a file of such lines."""
    try:
        for line in path.read_text().splitlines():
            words = line.split()
            if words[:1] == [name]:
                return int(words[1])
    except (OSError, ValueError, IndexError):
        pass
    return None
