"""Results of a model for rows, written block by block to a file that appears only when it is complete."""

from __future__ import annotations

import csv
import errno
import io
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import narwhals as nw
import numpy as np

from ..arrays import errors, namespaces, optional, unfinished
from ..arrays.printable import printable
from ..arrays.progress import tracked
from ..arrays.typing import TableLike
from .in_memory import MemorySource, as_source
from .source import Block, Segment, Source, dense_blocks
from .table import table_of_rows

FULL = (errno.ENOSPC, errno.EDQUOT)
SUFFIXES = (".parquet", ".npy", ".csv")
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run a text that begins so


def write_rows(
    function: Callable[[Any], Any], rows: TableLike, path: str | os.PathLike[str], *, overwrite: bool = False
) -> Path:
    """Apply a method of a model to rows, block by block, and write the results.

    The file is written under a temporary name and renamed when it is complete: an error, Ctrl-C or a power cut leaves
    no half-written file, and does not touch an old one.

    Parameters
    ----------
    function : callable
        Such as `model.transform` or `model.predict`. It takes rows and returns an array (or data frame) of as many.
    rows : source or table
        From `open_rows`, or anything that `fit` takes.
    path : path
        Ending in .parquet, .npy or .csv.
    overwrite : bool
        Whether an existing file may be replaced.

    Returns
    -------
    path : Path

    Examples
    --------
    >>> import numpy as np, tempfile, os
    >>> import eigenlens
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> pca = eigenlens.PCA(2).fit(X)
    >>> path = eigenlens.write_rows(pca.transform, X, os.path.join(tempfile.mkdtemp(), "scores.npy"))
    >>> np.load(path).shape
    (1000, 2)
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise errors.option("the suffix of path", path.suffix, SUFFIXES)
    require_folder(path)
    if path.exists() and not overwrite:
        raise errors.file_exists(path)
    source = as_source(rows, every_row=True, **_reading(function))
    if source.keeps_results:
        raise errors.InputTypeError(
            f"rows is a {type(rows).__name__}, and results for them stay with its engine; write it from "
            "there, such as function(rows).write.parquet(...) of Spark or function(rows).write_parquet(...) of Ray."
        )
    if not hasattr(source, "block") and not isinstance(source, MemorySource):
        raise errors.InputTypeError(
            f"rows is a {type(rows).__name__}, whose results are made where its partitions are; write them from there: "
            "function(rows).to_zarr(...), or dask.dataframe.from_dask_array(function(rows)).to_parquet(...)."
        )
    if path.exists() and any(path.samefile(read) for read in source.paths):
        raise errors.InputError(f"path={str(path)!r} is among the files that are read; write to another file.")
    with sink_for(path) as sink:
        parts = source.map_segments(_applied(function, source))
        for results in tracked(parts, source.n_segments(), "Writing", source.progress):
            for result in results:
                sink.write(result, function)
    return path


def _reading(function: Callable[[Any], Any]) -> dict[str, Any]:
    """Return how the model of a method reads rows: which columns are words, and whether cells may be missing."""
    model: Any = getattr(function, "__self__", None)
    options: dict[str, Any] = {}
    if getattr(model, "missing", None) in ("ml", "ppca", "allow"):
        options["missing"] = model.missing
    if getattr(model, "categories", None) is not None and hasattr(model, "_words"):
        options["words"] = model._words(reset=False)
    return options


def _applied(function: Callable[[Any], Any], source: Source) -> Callable[[Segment], list[Any]]:
    def apply(segment: Segment) -> list[Any]:
        return [function(_named(b, source)) for block in segment for b in dense_blocks(block) if b.X.shape[0]]

    return apply


def _named(block: Block, source: Source) -> Source:
    """Return a block as a source of its own, with the names of the columns."""
    table = table_of_rows(block.X, source.name)
    table.names = source.feature_names
    if source.feature_names is not None:
        table.native = source.native
    return MemorySource(table, None, None, source.name)


def require_folder(path: Path) -> None:
    """Refuse a file whose folder does not exist, and names that no file can have."""
    if "\0" in str(path):
        raise errors.InputError(f"path={str(path)!r} holds a NUL character, which no file name has; remove it.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"path={str(path)!r}: there is no folder {str(path.parent)!r}; make it first.")


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its name once it is complete and on the disk, and vanishes if anything goes wrong.

    Where the system can, it has no name until then, so that not even a killed process leaves anything behind. A link
    goes on pointing to the file that is replaced, and the new file may be read by those who could read the old one.
    """
    require_folder(path)
    path = Path(os.path.realpath(path))
    old = path.stat() if path.exists() else None
    if old is not None and not stat.S_ISREG(old.st_mode) and not stat.S_ISDIR(old.st_mode):
        raise errors.InputError(f"{path} is a pipe or a device, which cannot be replaced; name a file.")
    name = str(path.parent / f".{path.name[:100]}.{secrets.token_hex(6)}.part")
    unfinished.FILES.add(name)
    try:
        handle, nameless = _new_file(path.parent, name, 0o666 if old is None else old.st_mode & 0o666)
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            if old is not None:
                _permit(file.fileno(), old)
            os.fsync(file.fileno())
            if nameless:
                _give_name(file.fileno(), name)
        os.replace(name, path)
        _settle(path.parent)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in FULL and error.filename is None:
            error.filename = str(path)  # the system says that a disk is full, and not which
        raise
    finally:
        unfinished.FILES.discard(name)


def _new_file(folder: Path, name: str, mode: int) -> tuple[int, bool]:
    """Open a new file, without a name where the system has such files; the kernel minds the umask."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # not every file system has them
            return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, mode), True
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    return os.open(name, flags, mode), False


def _give_name(handle: int, name: str) -> None:
    here = os.open(os.path.dirname(name), os.O_RDONLY)
    try:  # with a folder given, Python calls linkat, which follows the link in /proc to the file itself
        os.link(f"/proc/self/fd/{handle}", name, src_dir_fd=here, follow_symlinks=True)
    finally:
        os.close(here)


def _permit(handle: int, old: os.stat_result) -> None:
    """Give a file the owner and the permissions of the one it replaces, as far as the system lets us."""
    if os.name == "posix":
        with suppress(OSError):
            os.fchown(handle, old.st_uid, old.st_gid)
        os.fchmod(handle, stat.S_IMODE(old.st_mode) & 0o777)


def _settle(folder: Path) -> None:
    """Put the new name on the disk too, where the system lets a folder be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError:  # some network file systems have no such thing
            pass
        finally:
            os.close(handle)


@contextmanager
def sink_for(path: Path) -> Iterator[Any]:
    """Open what writes tables of results, one after the other, into a file of the kind that a path names."""
    suffix = path.suffix.lower()
    with replaced(path) as file:
        sink: Any = _Parquet(file, path) if suffix == ".parquet" else _Npy(file) if suffix == ".npy" else Csv(file)
        try:
            yield sink
        except BaseException:
            with suppress(Exception):
                sink.close()  # while its file is open: pyarrow would do so later, and complain
            raise
        sink.close()


class Csv:
    """A CSV file; a text that a spreadsheet would take for a formula gets an apostrophe in front.

    On a terminal, control characters, which could be commands to it, appear as �.
    """

    def __init__(self, file: Any, terminal: bool = False) -> None:
        self.file, self.begun, self.terminal = file, False, terminal

    def write(self, result: Any, function: Any) -> None:
        values = _values(result)
        self.rows(_names(result, function, values), [values] if values.ndim == 1 else values)

    def rows(self, names: list[str], columns: Any) -> None:
        """Write columns of the same length, or those of a matrix, with their names on top the first time."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        if not self.begun:
            writer.writerow([self._cell(name) for name in names])
            self.begun = True
        written = [[self._cell(cell) for cell in column.tolist()] for column in _columns(columns)]
        writer.writerows(zip(*written, strict=True))
        self.file.write(text.getvalue().encode("utf8"))

    def _cell(self, cell: Any) -> Any:
        return printable(neutral(cell)) if self.terminal and isinstance(cell, str) else neutral(cell)

    def close(self) -> None:
        self.file.flush()


def neutral(cell: Any) -> Any:
    """Return a cell that no spreadsheet runs; numbers stay as they are."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


class _Npy:
    """A .npy file whose number of rows is filled in at the end."""

    ROOM = 128  # bytes of the header, the same however many rows there will be

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.n_rows = file, 0
        self.shape: tuple[int, ...] = ()
        self.dtype: np.dtype | None = None
        file.write(b" " * self.ROOM)

    def write(self, result: Any, function: Any) -> None:
        self._append(_values(result))

    def rows(self, names: list[str], columns: Any) -> None:
        """Write a matrix, or columns: one alone makes a vector. Names have no place in such a file."""
        if isinstance(columns, np.ndarray):
            self._append(columns)
            return
        kinds = {column.dtype.kind in "biuf" for column in columns}
        if len(kinds) > 1:
            raise _not_npy("words and numbers")
        self._append(columns[0] if len(columns) == 1 else np.stack(columns, axis=1))

    def _append(self, values: np.ndarray) -> None:
        if self.dtype is None:
            if values.dtype.kind not in "biufUSmM":
                raise _not_npy(values.dtype)
            self.shape, self.dtype = values.shape[1:], values.dtype
        if not np.can_cast(values.dtype, self.dtype, "safe"):  # longer words would be cut
            raise _not_npy(f"{self.dtype} and then {values.dtype}")
        self.file.write(np.ascontiguousarray(values, dtype=self.dtype).data)
        self.n_rows += len(values)

    def close(self) -> None:
        dtype = np.dtype(np.float64) if self.dtype is None else self.dtype
        header = {"descr": dtype.str, "fortran_order": False, "shape": (self.n_rows, *self.shape)}
        text = repr(header).encode()
        head = b"\x93NUMPY\x01\x00" + (self.ROOM - 10).to_bytes(2, "little")
        self.file.seek(0)
        self.file.write(head + text.ljust(self.ROOM - 11) + b"\n")


class _Parquet:
    """A Parquet file, one row group for each block."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.pa, self.pq = (optional.require(name, f"Writing {path}") for name in ("pyarrow", "pyarrow.parquet"))
        self.file = file
        self.writer: Any = None
        self.held: list[Any] = []

    def write(self, result: Any, function: Any) -> None:
        values = _values(result)
        self.rows(_names(result, function, values), [values] if values.ndim == 1 else values)

    def rows(self, names: list[str], columns: Any) -> None:
        """Write columns of the same length, or those of a matrix."""
        table = self.pa.table(dict(zip(names, map(self.pa.array, _columns(columns)), strict=True)))
        if self.writer is None:
            self.writer = self.pq.ParquetWriter(self.file, table.schema, write_page_checksum=True)
        self.held.append(table.cast(self.writer.schema))
        if sum(t.num_rows for t in self.held) >= 2**17:
            self._flush()

    def _flush(self) -> None:
        if self.held and self.writer is not None:
            self.writer.write_table(self.pa.concat_tables(self.held))
        self.held = []

    def close(self) -> None:
        try:
            self._flush()
        finally:
            if self.writer is not None:
                self.writer.close()


def _columns(columns: Any) -> list[Any]:
    return list(columns.T) if isinstance(columns, np.ndarray) else columns


def _values(result: Any) -> np.ndarray:
    if nw.dependencies.is_into_dataframe(result):
        return nw.from_native(result, eager_only=True).to_numpy()
    return namespaces.to_numpy(result) if namespaces.is_array(result) else np.asarray(result)


def _names(result: Any, function: Any, values: np.ndarray) -> list[str]:
    """Name the columns: as a data frame has them, as the model names its features, or after the function."""
    if nw.dependencies.is_into_dataframe(result):
        return list(nw.from_native(result, eager_only=True).columns)
    verb = getattr(function, "__name__", "value").strip("<>")
    if values.ndim == 1:
        return [verb]
    model: Any = getattr(function, "__self__", None)
    if verb == "transform" and hasattr(model, "get_feature_names_out"):
        names = list(model.get_feature_names_out())
        if len(names) == values.shape[1]:
            return names
    if "proba" in verb and hasattr(model, "classes_"):
        return [f"{verb}_{label}" for label in namespaces.to_numpy(model.classes_)]
    return [f"{verb}{j}" for j in range(values.shape[1])]


def _not_npy(dtype: Any) -> errors.InputTypeError:
    return errors.InputTypeError(
        f"the results hold {dtype}, which a .npy file holds only by pickling; write a .parquet file."
    )
