"""Memory is compared with what there is, and the answer says what would fit."""

import numpy as np
import pytest

from eigenlens._core import memory
from eigenlens._core.errors import InputError


def test_square_tables():
    assert memory.square_bytes(1000) == 8_000_000
    assert memory.square_bytes(1000, 10, copies=2, itemsize=4) == 80_000


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


def test_a_container_counts_what_it_may_still_take(monkeypatch, tmp_path):
    (tmp_path / "memory.max").write_text("1000000\n")
    (tmp_path / "memory.current").write_text("600000\n")
    (tmp_path / "memory.stat").write_text("anon 1\ninactive_file 100000\n")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    assert memory._from_cgroup() == 500_000
    assert memory.available_bytes() <= 500_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory._from_cgroup() is None


def test_nothing_told_is_nothing_refused(monkeypatch):
    monkeypatch.setattr(memory, "_from_meminfo", lambda: None)
    monkeypatch.setattr(memory, "_from_cgroup", lambda: None)
    memory.require(2**60, "A table", "use less")
