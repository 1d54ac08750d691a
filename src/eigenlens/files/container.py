"""The container: a fixed prefix, a JSON header, then arrays one after the other.

    bytes  0– 7   the word "eigenlns"
           8–11   format version           (unsigned, little-endian, as all numbers here)
          12–15   0
          16–23   length of the header
          24–31   length of the arrays
          32–63   SHA-256 of all that follows
          64–     header (JSON, UTF-8), then the arrays, each at a multiple of 64 bytes from the end of the header

The lengths must add up to the size of the file, and each array must lie where the ones before it end: every size is
known to be true before memory is asked for. The checksum finds damage, not malice; against that, `state` builds only
numbers, text and instances of classes from a list.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..arrays import errors
from ..arrays.errors import InputError

MAGIC = b"eigenlns"
VERSION = 2
PREFIX = struct.Struct("<8sIIQQ32s")
ALIGN = 64
HEADER_LIMIT = 2**24  # bytes of JSON
VALUES_LIMIT = 2**21  # values in it: each takes about 100 bytes when it is read
PLAIN = re.compile(r"[<>|]([biufc]\d{1,2}|[US]\d{1,8}|[mM]8(\[\d*[a-zA-Z]{1,2}\])?)")
ARRAYS_LIMIT = 2**16  # arrays, each of which takes some time to be looked at, however small
CHUNK = 2**20


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be read; a pipe or a device, which might never end, is refused without waiting for it."""
    if "\0" in str(path):
        raise InputError(f"path={str(path)!r} holds a NUL character, which no file name has; remove it.")
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"{path} is a folder; give the path of a model file in it.")
        raise errors.not_a_model(path, "it is a pipe or a device, not a file")
    with os.fdopen(handle, "rb") as file:
        yield file


def write(file: BinaryIO, header: dict[str, Any], arrays: list[np.ndarray]) -> None:
    """Write a container; the file must be empty, and allow going back to its beginning."""
    header = {**header, "arrays": [_entry(array) for array in arrays]}
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % ALIGN)
    if len(arrays) > ARRAYS_LIMIT or len(text) > HEADER_LIMIT or _values_in(text) > VALUES_LIMIT:
        raise InputError(
            f"The description of this model has {len(text):,} bytes, {_values_in(text):,} values and {len(arrays):,} "
            f"arrays, and model files allow {HEADER_LIMIT:,}, {VALUES_LIMIT:,} and {ARRAYS_LIMIT:,}: it holds very "
            "many small parts, such as labels that are objects. Turn labels into an array of str or int, or use pickle."
        )
    digest, length = hashlib.sha256(text), 0
    file.write(b"\0" * PREFIX.size + text)
    for array in arrays:
        for part in (_bytes_of(array), b"\0" * (-array.nbytes % ALIGN)):
            digest.update(part)
            file.write(part)
            length += len(part)
    file.seek(0)
    file.write(PREFIX.pack(MAGIC, VERSION, 0, len(text), length, digest.digest()))


def read(file: BinaryIO, path: Path) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Read a container whose checksum is right, and its arrays."""
    header, lengths = read_header(file, path, verify=True)
    arrays = []
    for entry in checked_entries(header, lengths, path):
        dtype, shape, order, start = entry
        array = np.empty(shape, dtype=dtype, order=order)
        file.seek(start)
        flat = array.reshape(-1, order="A").view(np.uint8) if array.nbytes else array
        if array.nbytes and file.readinto(flat.data) != array.nbytes:  # type: ignore[attr-defined]
            raise errors.damaged(path, "it was cut short while it was read")
        _check_values(array, path)
        arrays.append(array)
    return header, arrays


def read_header(file: BinaryIO, path: Path, verify: bool) -> tuple[dict[str, Any], tuple[int, int]]:
    """Read the prefix and the header, with the position and the length of the arrays."""
    size = os.fstat(file.fileno()).st_size
    prefix = file.read(PREFIX.size)
    if len(prefix) < PREFIX.size or not prefix.startswith(MAGIC):
        raise errors.not_a_model(path, "it is empty" if not prefix else "it begins otherwise")
    _, version, zero, n_header, n_arrays, digest = PREFIX.unpack(prefix)
    if version > VERSION:
        raise errors.ModelFileError(
            f"{path} has format version {version}, and this eigenlens reads up to version {VERSION}; upgrade with pip "
            "install -U eigenlens."
        )
    if version == 1:
        raise errors.ModelFileError(
            f"{path} has format version 1, which named modules and was never released; fit the model again and save it."
        )
    if version < 1 or zero != 0:
        raise errors.damaged(path, "its first bytes contradict each other")
    if n_header > HEADER_LIMIT or PREFIX.size + n_header + n_arrays != size:
        expected = PREFIX.size + n_header + n_arrays
        raise errors.damaged(path, f"it has {size:,} bytes but should have {expected:,}; it was cut or changed")
    if verify and _digest(file) != digest:
        raise errors.damaged(path, "its checksum is wrong")
    file.seek(PREFIX.size)
    text = file.read(n_header)
    if _values_in(text) > VALUES_LIMIT:
        raise errors.damaged(path, f"its header holds more than {VALUES_LIMIT:,} values")
    try:
        header = json.loads(text.decode("ascii"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise errors.damaged(path, f"its header cannot be read ({type(error).__name__})") from None
    if not isinstance(header, dict):
        raise errors.damaged(path, "its header is not an object")
    header["format"] = version
    return header, (PREFIX.size + n_header, n_arrays)


def _values_in(text: bytes) -> int:
    """Return at least the number of values in JSON; commas in texts count too."""
    return sum(text.count(mark) for mark in (b",", b"[", b"{"))


def _digest(file: BinaryIO) -> bytes:
    digest = hashlib.sha256()
    while part := file.read(CHUNK):
        digest.update(part)
    return digest.digest()


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _entry(array: np.ndarray) -> dict[str, Any]:
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    return {"dtype": array.dtype.str, "shape": list(array.shape), "order": order}


def _bytes_of(array: np.ndarray) -> Any:
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    if array.nbytes == 0:
        return b""
    return np.asarray(array, order=order).reshape(-1, order="A").view(np.uint8).data  # type: ignore[call-overload]


def checked_entries(header: dict[str, Any], lengths: tuple[int, int], path: Path) -> list[tuple[Any, Any, Any, int]]:
    """Return dtype, shape, order and position of each array; together they must fill the file."""
    start, total = lengths
    entries = header.get("arrays")
    if not isinstance(entries, list):
        raise errors.damaged(path, "its header does not list the arrays")
    if len(entries) > ARRAYS_LIMIT:
        raise errors.damaged(path, f"its header lists more than {ARRAYS_LIMIT:,} arrays")
    found, position = [], start
    for entry in entries:
        dtype, shape, order = _entry_parts(entry, path)
        size = math.prod(shape) * dtype.itemsize
        size += -size % ALIGN
        if position + size > start + total:
            raise errors.damaged(path, "its header lists more numbers than there are")
        found.append((dtype, shape, order, position))
        position += size
    if position != start + total:
        raise errors.damaged(path, "it holds more numbers than its header lists")
    return found


def _entry_parts(entry: Any, path: Path) -> tuple[np.dtype, tuple[int, ...], Any]:
    if not isinstance(entry, dict):
        raise errors.damaged(path, "an array is described by something other than an object")
    name, shape, order = entry.get("dtype"), entry.get("shape"), entry.get("order")
    if not isinstance(name, str) or not PLAIN.fullmatch(name) or order not in ("C", "F"):
        raise errors.damaged(path, f"an array has the type {str(name)[:40]!r}")
    if not isinstance(shape, list) or len(shape) > 32 or not all(type(n) is int and 0 <= n < 2**62 for n in shape):
        raise errors.damaged(path, "an array has an impossible shape")
    try:
        dtype = np.dtype(name)
    except TypeError as error:
        raise errors.damaged(path, f"an array has an impossible type ({error})") from None
    if dtype.itemsize == 0:
        raise errors.damaged(path, "an array has entries of no size")
    if math.prod(n or 1 for n in shape) * dtype.itemsize >= 2**62:  # NumPy counts so even where a side is 0
        raise errors.damaged(path, "an array has an impossible shape")
    return dtype, tuple(shape), order


def _check_values(array: np.ndarray, path: Path) -> None:
    """Refuse bytes that are not a value of their type: NumPy would trip over them later, or not at all."""
    if array.dtype.kind == "b" and array.nbytes and array.view(np.uint8).max() > 1:
        raise errors.damaged(path, "a truth value is neither 0 nor 1")
    if array.dtype.kind == "U" and array.nbytes:
        plain = array.reshape(-1, order="A").view(array.dtype.byteorder.replace("|", "=") + "u4")
        if plain.max() > 0x10FFFF or bool(np.any((plain >= 0xD800) & (plain <= 0xDFFF))):
            raise errors.damaged(path, "a text holds something that is not a character")
