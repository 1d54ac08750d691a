"""Wording for work that does not fit in memory."""

from __future__ import annotations

from ._kinds import InputError


class TooLargeError(InputError, MemoryError):
    """The work would need more memory than there is; nothing was allocated."""


def too_large(what: str, needed: int, available: int, way_out: str) -> TooLargeError:
    return TooLargeError(f"{what} takes {_size(needed)} but {_size(available)} are available; {way_out}.")


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.1f} GiB" if n_bytes >= 2**29 else f"{n_bytes / 2**20:.1f} MiB"
