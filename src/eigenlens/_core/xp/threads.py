"""The threads of NumPy's BLAS."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def blas_threads() -> int:
    """Return how many threads NumPy's BLAS would use."""
    return max((lib["num_threads"] for lib in _blas().info() if lib["user_api"] == "blas"), default=1)


SMALL = 1_000_000  # cells of a matrix up to which one thread decomposes it

_holding = threading.Lock()
_holders = 0
_hold: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold NumPy's BLAS to one thread, while our own threads each take a share of the rows.

    Fits may overlap: the first in sets the limit, the last out lifts it.
    """
    global _holders, _hold
    with _holding:
        _holders += 1
        if _holders == 1:
            _hold = _blas().limit(limits=1, user_api="blas")
    try:
        yield
    finally:
        with _holding:
            _holders -= 1
            if _holders == 0:
                _hold.restore_original_limits()


def calm_blas(cells: int) -> AbstractContextManager[None]:
    """Hold NumPy's BLAS to one thread while a matrix of so few cells is decomposed.

    Its threads meet at every column. That gains little, and where other programs want the cores each meeting waits for
    a thread that is not running (measured on two busy cores, 1,000 × 1,000: 5 to 50 times slower than one thread).
    """
    return one_blas_thread() if cells <= SMALL else nullcontext()
