"""A table in several files: those of a folder or of a pattern, one below the other in the order of their names."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Any

from .._core import errors
from ..sources.addresses import listed, refuse_pipe
from .endings import PACKED, PARQUET, SHEETS, TEXT, kind_of


def files_of(path: Path) -> tuple[list[Path], list[dict[str, str]]]:
    """Return the files of a table, and what the folders around each say of it (`year=2024`); refuse files of two kinds.

    Parameters
    ----------
    path : Path
        A file, a folder, or a pattern such as `rows/*.csv`.
    """
    if path.is_file() or not (path.is_dir() or glob.has_magic(str(path))):
        refuse_pipe(path)
        _require_kind(path)
        if not path.is_file():
            raise errors.InputError(f"{path}: there is no such file; check the name.")
        return [path], [{}]
    try:
        files, folders = listed(path)
    except errors.InputError:
        raise errors.InputError(f"{path}: there are no files; check the folder or the pattern.") from None
    for file in files:
        _require_kind(file)
    kinds = {"text" if kind_of(file) in TEXT else kind_of(file) for file in files}
    if len(kinds) > 1:
        raise errors.InputError(
            f"{path}: its files are of several kinds ({errors.listed(sorted(kinds))}); name those of one, such as "
            f"{str(path / '*.csv')!r}."
        )
    if kinds & set(SHEETS) and len(files) > 1:
        raise errors.InputError(f"{path}: several sheets are not read as one table; save them as CSV first.")
    if any(folder.keys() != folders[0].keys() for folder in folders):
        raise errors.InputError(f"{path}: some files are in folders such as 'year=2024' and others are not.")
    return files, folders


def require_same_columns(first: Path, names: list[str], other: Path, others: list[str], ordered: bool) -> None:
    """Refuse a file whose columns are not those of the first; cells of text are found by the order of columns."""
    if names == others or (not ordered and set(names) == set(others)):
        return
    new = [name for name in others if name not in names]
    gone = [name for name in names if name not in others]
    what = f"{errors.listed(map(repr, new))} in addition" if new else ""
    what += " and " * bool(new and gone) + (f"no {errors.listed(map(repr, gone))}" if gone else "")
    raise errors.InputError(
        f"{other}: its columns are not those of {first}: it has {what or 'the same in another order'}. All files of a "
        "table need the same columns; leave this one out, or correct it."
    )


def with_folder(batch: Any, folder: dict[str, str], names: list[str]) -> Any:
    """Return a batch with what the folders around its file say as columns of words, in the order that is asked for."""
    import pyarrow as pa

    columns = {name: batch.column(name) for name in names if name not in folder}
    columns |= {name: pa.array([folder[name]] * batch.num_rows, pa.string()) for name in names if name in folder}
    return pa.record_batch({name: columns[name] for name in names})


def _require_kind(path: Path) -> None:
    suffix, packed = kind_of(path), path.suffix.lower() in PACKED
    if suffix not in TEXT and (packed or suffix not in (*PARQUET, *SHEETS)):
        raise errors.InputError(
            f"{path}: a table must end in .csv, .tsv, .txt (also with .gz, .bz2, .zst or .zip), .parquet or "
            ".xlsx; rename it, or convert it first."
        )
