"""The threads of NumPy's BLAS."""

from __future__ import annotations

import os
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


def _forked() -> None:
    """Lift a limit that a fit of the parent had set: its thread is not here to lift it, nor to release the lock."""
    global _holding, _holders, _hold
    _holding = threading.Lock()
    held, _holders, _hold = _hold, 0, None
    if held is not None:
        _lift(held)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold NumPy's BLAS to one thread, while our own threads each take a share of the rows.

    Fits may overlap: the first in sets the limit, the last out lifts it.
    """
    global _holders, _hold
    with _holding:
        _holders += 1
        if _holders == 1:
            _hold = _limit()
        held = _hold
    try:
        yield
    finally:
        with _holding:
            if held is _hold:  # a fork in between has lifted it already
                _holders -= 1
                if _holders == 0:
                    _lift(held)
                    _hold = None


def _limit() -> Any:
    _let_any_thread_set_limits()
    limit = _blas().limit(limits=1, user_api="blas")
    _let_any_thread_set_limits()
    return limit


def _lift(limit: Any) -> None:
    _let_any_thread_set_limits()
    limit.restore_original_limits()
    _let_any_thread_set_limits()


def _let_any_thread_set_limits() -> None:
    """Undo a rule of newer threadpoolctl: that only the thread which first set a limit may set or lift one.

    The fit that ends last lifts ours, whichever thread it runs on; it would silently leave BLAS at one thread.
    """
    for library in _blas().lib_controllers:
        clear = getattr(library, "clear_controlling_thread", None)
        if clear is not None:
            clear(force=True)


def calm_blas(cells: int) -> AbstractContextManager[None]:
    """Hold NumPy's BLAS to one thread while a matrix of so few cells is decomposed.

    Its threads meet at every column. That gains little, and where other programs want the cores each meeting waits for
    a thread that is not running (measured on two busy cores, 1,000 × 1,000: 5 to 50 times slower than one thread).
    """
    return one_blas_thread() if cells <= SMALL else nullcontext()
