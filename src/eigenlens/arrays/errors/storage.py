"""Wording about files: tables, streams, models and what the command line writes."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ...exceptions import CommandError, InputError, InputTypeError, ModelFileError, NothingLeftError
from .wording import listed


def located(place: str, error: Exception) -> Exception:
    """Return the same complaint with the place it comes from."""
    kind = type(error) if isinstance(error, InputError | InputTypeError) else InputError
    return kind(f"{place}: {error}")


def no_files(path: Any) -> InputError:
    return InputError(
        f"path_or_paths={str(path)!r}: nothing to read there; give a .parquet, .csv, .npy or .zarr file, a folder of "
        f"such files of one kind, or a list of them."
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


def two_targets(name: str) -> InputError:
    return InputError(
        f"{name} was passed, but the source holds it as well (open_rows(..., target=..., weight=...)); give it once."
    )


def unreadable(place: str, cause: Exception) -> InputError:
    return InputError(f"{place} cannot be read: {cause}")


def csv_lines(path: Any, wrong: list[tuple[int, int]], others: int, expected: int) -> InputError:
    """Name all lines that have too many or too few cells, or the first and how many others."""
    if len(wrong) == 1:
        return csv_line(path, *wrong[0], expected)
    named = ", ".join(f"{line} ({found})" for line, found in wrong) + (f" and {others:,} more" if others else "")
    return InputError(
        f"{path}: {len(wrong) + others:,} lines do not have {expected} cells, as the header has: line {named}. Every "
        "line must have the same number."
    )


def csv_line(path: Any, line: int, found: int, expected: int) -> InputError:
    return InputError(
        f"{path}, line {line}: {found} cells, but the header has {expected}; every line must have the same number."
    )


def file_exists(path: Any) -> FileExistsError:
    return FileExistsError(f"path={str(path)!r} already exists; pass overwrite=True to replace it.")


def quoted(text: str, limit: int = 60) -> str:
    """Quote a cell for a message, cut where it is long."""
    return repr(text if len(text) <= limit else text[:limit] + "…")


def bad_cell(path: Any, line: int | None, column: str, value: str, rule: str) -> InputError:
    place = f"{path}, line {line}" if line is not None else f"{path}"
    return InputError(f"{place}, column {column!r}: {quoted(value)} {rule}.")


def no_column(name: str, there: Iterable[str], asked: str) -> InputError:
    names = [str(each) for each in there]
    of_lower = {each.lower(): each for each in reversed(names)}
    near = [of_lower[each] for each in get_close_matches(name.lower(), of_lower, 1, 0.7)]
    meant = f"did you mean {near[0]!r}? The" if near else "the"
    return InputError(f"{asked}: no such column; {meant} columns are {listed(map(repr, names), 12)}.")


def nothing_left(reasons: Iterable[str]) -> NothingLeftError:
    why = listed(reasons, 8) or "the table has no other columns"
    return NothingLeftError(f"no column is left to analyse: {why}. Add columns that measure something about the rows.")


def not_a_model(path: Path, why: str) -> ModelFileError:
    return ModelFileError(
        f"{path} is not a model file of eigenlens: {why}. eigenlens.save and the command "
        f"`eigenlens fit` write model files."
    )


def damaged(path: Path, why: str) -> ModelFileError:
    return ModelFileError(f"{path} is damaged: {why}. Nothing was loaded; get the file again, or fit again.")


def is_input(path: Any) -> CommandError:
    return CommandError(f"--out {path} is the input file; choose another name.")


def views_syntax() -> str:
    return "--views takes two lists of columns with -- between them: --views a b -- c d"
