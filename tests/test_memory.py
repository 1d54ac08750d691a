"""Memory is compared with what there is, and the answer says what would fit."""

import tracemalloc

import numpy as np
import pytest

from eigenlens import PCA
from eigenlens.arrays import memory
from eigenlens.exceptions import InputError


def test_square_tables():
    assert memory.square_bytes(1000) == 8_000_000
    assert memory.square_bytes(1000, 10, copies=2) == 160_000


def test_what_is_available_is_a_sensible_number():
    available = memory.available_bytes(np.zeros(1))
    assert available is None or 2**20 < available < 2**50


def test_more_than_there_is_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 2**30)
    memory.require(2**29, "A table", "use less")
    with pytest.raises(InputError, match=r"A table takes 4.0 GiB but 1.0 GiB are available; use less\."):
        memory.require(2**32, "A table", "use less")
    with pytest.raises(MemoryError):
        memory.require(2**32, "A table", "use less")


def test_nothing_told_is_nothing_refused(monkeypatch):
    for source in ("_from_meminfo", "_from_cgroups", "_from_limits"):
        monkeypatch.setattr(memory, source, lambda root: None)
    memory.require(2**60, "A table", "use less")


@pytest.mark.parametrize("order", ["columns of a table", "Fortran"])
def test_rows_that_are_not_adjacent_are_not_copied_as_a_whole(order):
    """Looking for a typical row among those of a view copied all of them."""
    X = np.random.default_rng(0).standard_normal((60_000, 100))
    view = X[:, :90] if order == "columns of a table" else np.asfortranarray(X)
    PCA(2).fit(view[:500])
    tracemalloc.start()
    PCA(2).fit(view)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < view.nbytes / 3
