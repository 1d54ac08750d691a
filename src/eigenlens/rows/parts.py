"""A table in several files: those of a folder or a pattern, in the order of their names, or as they are listed."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..arrays import errors
from .addresses import listed, refuse_pipe
from .endings import PACKED, PARQUET, SHEETS, TEXT, kind_of

Place = Path | Sequence[Path]  # a file, a folder or a pattern; or several of them


def files_of(place: Place) -> tuple[list[Path], list[dict[str, str]]]:
    """Return the files of a table, and what the folders around each say (`year=2024`); refuse files of two kinds.

    Parameters
    ----------
    place : Path or list of Path
        A file, a folder, or a pattern such as `rows/*.csv`; several of them are one table.
    """
    found = [_files_at(path) for path in ([place] if isinstance(place, Path) else place)]
    files = [file for each, _ in found for file in each]
    folders = [folder for _, each in found for folder in each]
    _refuse_repeated(files)
    kinds = {"text" if kind_of(file) in TEXT else kind_of(file) for file in files}
    if len(kinds) > 1:
        pattern = f"such as {str(place / '*.csv')!r}" if isinstance(place, Path) else "and convert the others first"
        raise errors.InputError(
            f"{place_in_words(place)}: files are of several kinds ({errors.listed(sorted(kinds))}); name those of "
            f"one kind, {pattern}."
        )
    if any(folder.keys() != folders[0].keys() for folder in folders):
        raise errors.InputError(
            f"{place_in_words(place)}: some files are in folders such as 'year=2024' and others are not."
        )
    return files, folders


def place_in_words(place: Place) -> str:
    """Return what a table of files is called in messages."""
    return str(place) if isinstance(place, Path) else errors.listed(place, 3)


def _refuse_repeated(files: list[Path]) -> None:
    """Refuse a file that is named twice, also by a link or through its folder: its rows would count twice."""
    first: dict[Path, Path] = {}
    for file in files if len(files) > 1 else ():
        if (same := first.setdefault(file.resolve(), file)) is not file:
            again = "it is named twice" if same == file else f"it is the same file as {same}"
            raise errors.InputError(f"{file}: {again}, so its rows would count twice; name it once.")


def _files_at(path: Path) -> tuple[list[Path], list[dict[str, str]]]:
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
    return files, folders


def require_same_columns(first: Path, names: list[str], other: Path, others: list[str]) -> None:
    """Refuse a file whose columns are not those of the first; their order may differ."""
    if set(names) == set(others):
        return
    new = [name for name in others if name not in names]
    gone = [name for name in names if name not in others]
    what = f"{errors.listed(map(repr, new))} in addition" if new else ""
    what += " and " * bool(new and gone) + (f"no {errors.listed(map(repr, gone))}" if gone else "")
    raise errors.InputError(
        f"{other}: its columns are not those of {first}: it has {what}. All files of a table need the same columns; "
        "leave this one out, or correct it."
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
