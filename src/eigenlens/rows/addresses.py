"""Where files are: paths, patterns of paths, folders, and addresses such as s3://bucket/rows.parquet.

An `Address` is what readers need of a path, for a file that fsspec reaches.
"""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePath, PurePosixPath
from types import SimpleNamespace
from typing import Any, BinaryIO, cast
from urllib.parse import unquote

from ..arrays import errors
from ..arrays.optional import require

Place = Any  # a Path, or an Address


class Address:
    """A file that fsspec reaches.

    Parameters
    ----------
    url : str
        As the user gave it, or as its folder was given, with the rest of the path.
    fs : fsspec filesystem
    path : str
        The path within the filesystem.
    """

    def __init__(self, url: str, fs: Any, path: str) -> None:
        self.url, self.fs, self.path = url, fs, path
        plain = PurePosixPath(path)
        self.name, self.suffix, self.suffixes, self.parts = plain.name, plain.suffix, plain.suffixes, plain.parts

    def __str__(self) -> str:
        return self.url

    def open(self, mode: str = "rb", buffering: int = -1) -> BinaryIO:
        return self.fs.open(self.path, mode)

    def is_dir(self) -> bool:
        return bool(self.fs.isdir(self.path))

    def is_file(self) -> bool:
        return bool(self.fs.isfile(self.path))

    def stat(self) -> Any:
        """Return what tells whether the file has changed, as far as its filesystem says."""
        self.fs.invalidate_cache()
        info = self.fs.info(self.path)
        said = "|".join(
            str(info.get(key, "")) for key in ("ETag", "etag", "md5Hash", "mtime", "LastModified", "created")
        )
        return SimpleNamespace(
            st_dev=0, st_ino=zlib.crc32(said.encode()), st_size=int(info["size"] or 0), st_mtime_ns=0
        )


def listed(place: str | os.PathLike[str]) -> tuple[list[Place], list[dict[str, str]]]:
    """Return the files that a path, a pattern, a folder or an address means, and the partition that each belongs to.

    Files of a folder come in the order of their names. A folder `year=2024` gives the files in it a column `year`.
    """
    text = os.fspath(place)
    if "://" in text:
        return _addresses(text)
    path = Path(place)
    if not path.exists() and glob.has_magic(text):
        found = [Path(name) for name in sorted(glob.glob(text, recursive=True))]
        files = [file for item in found for file in (_in_folder(item) if is_folder(item) else [item])]
    elif not path.exists():
        raise errors.no_files(path)
    else:
        files = _in_folder(path) if is_folder(path) else [path]
    if not files:
        raise errors.no_files(path)
    for file in files:
        refuse_pipe(file)
    return list(files), [_partition(file.parts[_above(path, path.is_dir()) : -1]) for file in files]


def refuse_pipe(path: Path) -> None:
    """Refuse what opening would wait for: a pipe, a socket or a device, which can also be read only once."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise errors.InputError(
            f"{path} is a pipe or a device, which cannot be read twice; write its content to a file first, or pass "
            "batches of rows to open_rows."
        )


def is_folder(path: Place) -> bool:
    """Tell whether a path is a folder of files; a Zarr array is a folder that counts as a file."""
    return path.is_dir() and not is_zarr(path)


def is_zarr(path: Place) -> bool:
    return isinstance(path, Path) and ((path / "zarr.json").exists() or (path / ".zarray").exists())


def open_bytes(path: Place) -> BinaryIO:
    """Open a file to be read from its beginning; one that ends in .gz, .bz2, .zst or .zip comes decompressed."""
    suffix = path.suffix.lower()
    if suffix == ".zst":
        pa = require("pyarrow", f"Reading {path}")
        raw = pa.input_stream(str(path) if isinstance(path, Path) else path.open(), compression="zstd")
        return io.BufferedReader(raw)
    if suffix in (".gz", ".bz2"):
        opener = gzip.open if suffix == ".gz" else bz2.open
        return cast(BinaryIO, opener(path if isinstance(path, Path) else path.open(), "rb"))
    if suffix == ".zip":
        try:
            return cast(BinaryIO, zipfile.ZipFile(str(path)).open(zipped_name(path)))
        except RuntimeError as error:  # it asks for a password
            raise errors.unreadable(path, error) from error
    return cast(BinaryIO, path.open("rb"))


def arrow_input(path: Place) -> Any:
    """Return what pyarrow reads CSV from: a path, which it decompresses itself, or an open file."""
    return str(path) if isinstance(path, Path) and path.suffix.lower() != ".zip" else open_bytes(path)


def zipped_name(path: Place) -> str:
    """Return the name of the only file in a .zip; those that a Mac adds do not count."""
    try:
        with zipfile.ZipFile(str(path)) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
    except (OSError, zipfile.BadZipFile) as error:
        raise errors.unreadable(path, error) from error
    kept = [name for name in names if not name.startswith("__MACOSX/") and not PurePosixPath(name).name.startswith(".")]
    if len(kept) != 1:
        there = f"it holds {len(kept)} ({errors.listed(kept, 3)})" if kept else "it holds none"
        raise errors.InputError(f"{path}: a .zip must hold one table, and {there}; unpack it, and name the file.")
    return kept[0]


def _addresses(url: str) -> tuple[list[Place], list[dict[str, str]]]:
    scheme = url.partition("://")[0]
    fsspec = require("fsspec", f"Reading {url}")
    try:
        return _found_at(url, *fsspec.core.url_to_fs(url))
    except FileNotFoundError as error:
        raise errors.no_files(url) from error
    except OSError as error:  # whatever the connection fails with
        raise errors.InputError(
            f"path_or_paths={url!r}: the address cannot be reached ({error}); check the address and the connection."
        ) from error
    except errors.InputError:
        raise
    except (ImportError, ValueError) as error:
        raise errors.InputError(
            f"path_or_paths={url!r}: fsspec cannot reach {scheme}:// addresses here ({error}); install what it names, "
            "or give a path of this machine."
        ) from error


def _found_at(url: str, fs: Any, path: str) -> tuple[list[Place], list[dict[str, str]]]:
    """Return what `listed` does of an address."""
    path = path.rstrip("/")
    if fs.isfile(path):
        found = [path]
    elif fs.isdir(path):
        start = len(PurePosixPath(path).parts)
        found = [name for name in fs.find(path) if not is_hidden(PurePosixPath(name).parts[start:])]
    else:
        found = [name for name in fs.glob(path) if fs.isfile(name)] if glob.has_magic(path) else []
    if not found:
        raise errors.no_files(url)
    above = _above(PurePosixPath(path), fs.isdir(path))
    ordered = sorted(found, key=lambda name: PurePosixPath(name).parts)
    files = [Address(fs.unstrip_protocol(name), fs, name) for name in ordered]
    return list(files), [_partition(file.parts[above:-1]) for file in files]


def _in_folder(path: Path) -> list[Path]:
    """Return the files of a folder in the order of their names."""
    files = (p for p in path.rglob("*") if p.is_file() and not is_hidden(p.relative_to(path).parts))
    return sorted(files, key=lambda p: p.relative_to(path).parts)


def is_hidden(parts: Sequence[str]) -> bool:
    """Tell whether a file, or a folder around it, is a writer's own: _SUCCESS, _temporary, .ipynb_checkpoints."""
    return any(part.startswith((".", "_")) for part in parts)


def _above(path: PurePath, folder: bool) -> int:
    """Return how many parts of a path were given: folders below them, or where a pattern begins, make partitions."""
    if folder:
        return len(path.parts)
    return next((k for k, part in enumerate(path.parts) if glob.has_magic(part)), len(path.parts))


def _partition(folders: Sequence[str]) -> dict[str, str]:
    """Return what folders such as year=2024/month=5 say about the files in them."""
    pairs = (folder.partition("=") for folder in folders)
    return {key: unquote(value) for key, sign, value in pairs if sign and key}
