"""Rows in files, streams and clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._kinds import InputError, InputTypeError, listed


def at(place: str, error: Exception) -> Exception:
    """Return the same complaint with the place it comes from."""
    kind = type(error) if isinstance(error, InputError | InputTypeError) else InputError
    return kind(f"{place}: {error}")


def source_is_bound(kind: str) -> InputError:
    return InputError(f"X is a {kind} that has been prepared for another use; pass the table itself.")


def no_files(path: Any) -> InputError:
    return InputError(
        f"path_or_paths={str(path)!r}: nothing to read there; give a .parquet, .csv, .npy or .zarr file, a folder of "
        f"such files of one kind, or a list of them."
    )


def file_kind(path: Any, suffix: str) -> InputError:
    return InputError(
        f"path_or_paths={str(path)!r}: files ending in {suffix or 'nothing'!r} are not read; "
        f"use .parquet, .csv, .npy or .zarr."
    )


def mixed_files(kinds: Iterable[str]) -> InputError:
    return InputError(
        f"path_or_paths: the files are of several kinds ({listed(sorted(kinds))}); give files of one kind, "
        f"for example as a list."
    )


def arrow_ipc(path: Any) -> InputError:
    return InputError(
        f"path_or_paths={str(path)!r} is an Arrow IPC (Feather) file, which is not read: its batches are as its writer "
        f"cut them, often one as large as the file, so that no bound on memory can be kept. Write it as Parquet, or "
        f"pass an iterator of its batches to open_rows."
    )


def not_rows(kind: str) -> InputTypeError:
    return InputTypeError(
        f"path_or_paths is a {kind}, which open_rows does not read; give paths, an array on disk, or an iterable of "
        f"batches. A table in memory goes to fit itself."
    )


def files_differ(origin: str, first: str, found: Any, expected: Any) -> InputError:
    return InputError(
        f"{origin} has {found} but {first} has {expected}; files that are read as one table must have the same columns."
    )


def no_such_column(name: str, column: Any, names: Iterable[str] | None, width: int) -> InputError:
    there = f"the columns are numbered 0 to {width - 1}" if names is None else f"there are {listed(names, 12)}"
    return InputError(f"{name}={column!r}: no such column; {there}.")


def column_twice(column: Any, roles: str) -> InputError:
    return InputError(f"column {column!r} is named {roles}; a column has one role.")


def already_read() -> InputError:
    return InputError(
        "This stream of batches has been read and cannot be read again. Where two passes are needed (a method that "
        "iterates, or fit followed by transform), pass open_rows a list of batches, files, or a function that returns "
        "a new iterator each time."
    )


def classes_without_labels() -> InputError:
    return InputError(
        "classes is a check of y, and here y lies in the source, unread: leave classes out; they are found on the way."
    )


def writes_its_input(path: Any) -> InputError:
    return InputError(f"path={str(path)!r} is among the files that are read; write to another file.")


def target_comes_once(estimator: str) -> InputError:
    return InputError(
        f"{estimator} must see all of y before it can cut it into slices, and a stream of batches is read once. Give "
        "the cuts (n_slices=[cut, cut, …]), or pass open_rows a list of batches, files, or a function that returns a "
        "new iterator each time."
    )


def two_targets(name: str) -> InputError:
    return InputError(
        f"{name} was passed, but the source holds it as well (open_rows(..., target=..., weight=...)); give it once."
    )


def source_lacks_target(estimator: str) -> InputError:
    return InputError(
        f"{estimator} requires y to be passed, but the target y is None: name its column in open_rows(..., "
        f"target=...), or pass y beside the source."
    )


def dask_target(name: str, why: str) -> InputError:
    return InputError(
        f"{name} cannot be matched with the partitions of X: {why}. Pass {name} as a Dask array or series cut like X, "
        f"or keep it as a column of one Dask frame (X = frame[columns], {name} = frame[column])."
    )


def unreadable(place: str, cause: Exception) -> InputError:
    return InputError(f"{place} cannot be read: {cause}")


def csv_cell(path: Any, line: int, column: str, value: str, rule: str) -> InputError:
    return InputError(f"{path}, line {line}, column {column!r}: {value!r} {rule}.")


def csv_line(path: Any, line: int, found: int, expected: int) -> InputError:
    return InputError(
        f"{path}, line {line}: {found} cells, but the header has {expected}; every line must have as many."
    )


def csv_header(path: Any, header: Iterable[str]) -> InputError:
    return InputError(
        f"{path}: the first line ({listed(header)}) holds numbers, but it must hold the names of the columns; "
        f"add a header."
    )


def missing_library(library: str, purpose: str, extra: str) -> ImportError:
    return ImportError(f"{purpose} needs {library}, which is not installed: pip install 'eigenlens[{extra}]'.")


def file_exists(path: Any) -> FileExistsError:
    return FileExistsError(f"path={str(path)!r} is there already; pass overwrite=True to replace it.")


def not_written(kind: str) -> InputTypeError:
    return InputTypeError(
        f"rows is a {kind}, whose results are made where its partitions are; write them from there: "
        f"function(rows).to_zarr(...), or dask.dataframe.from_dask_array(function(rows)).to_parquet(...)."
    )


def not_npy(dtype: Any) -> InputTypeError:
    return InputTypeError(f"the results hold {dtype}, which a .npy file holds only by pickling; write a .parquet file.")


def no_device(device: Any, cause: Exception) -> InputError:
    reason = str(cause).splitlines()[0]
    return InputError(
        f"device={device!r} cannot be computed on ({reason}); name a device that torch or CuPy has here, such as "
        f"'cuda', or leave device out."
    )


def no_folder(path: Any) -> FileNotFoundError:
    return FileNotFoundError(f"path={str(path)!r}: there is no folder {str(path.parent)!r}; make it first.")


def second_source() -> InputTypeError:
    return InputTypeError(
        "Y is a source of its own, but rows and their second table are read together: keep them in one file or "
        "stream and name the columns of Y, open_rows(..., columns=..., target=[...]), or pass Y as a table in memory."
    )


def lost_workers(partitions: str, times: int) -> RuntimeError:
    return RuntimeError(
        f"{partitions}: the workers died {times} times while reducing them, so they are probably too large for a "
        f"worker's memory; use smaller partitions (rechunk, repartition) or larger workers."
    )
