"""What can be wrong with a table in a file: which file, which line, which column, and the way out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._kinds import InputError, listed


def short(text: str, limit: int = 60) -> str:
    """Quote a cell for a message, cut where it is long."""
    return repr(text if len(text) <= limit else text[:limit] + "…")


def cell(path: Any, line: int | None, column: str, value: str, rule: str) -> InputError:
    place = f"{path}, line {line}" if line is not None else f"{path}"
    return InputError(f"{place}, column {column!r}: {short(value)} {rule}.")


def not_a_number(path: Any, line: int | None, column: str, value: str, share: str) -> InputError:
    rule = (
        f"is not a number, but {share}. Correct the cell; or say that it stands for a missing value (--na "
        f"{short(value)}), that the column holds words (--words {column!r}), or leave it out (--drop {column!r})"
    )
    return cell(path, line, column, value, rule)


def looks_like(path: Any, line: int | None, column: str, value: str, what: str, way_out: str) -> InputError:
    return cell(path, line, column, value, f"looks like {what}, which is not read as a number; {way_out}")


def too_large(path: Any, line: int | None, column: str, value: str) -> InputError:
    return cell(path, line, column, value, "is infinite or too large for a number; correct or remove it")


def long_cell(path: Any, line: int | None, column: str, value: str, limit: int) -> InputError:
    rule = (
        f"has {len(value):,} characters, and cells have at most {limit:,}; a quote may be open, or leave the column out"
    )
    return cell(path, line, column, value, rule)


def control(path: Any, line: int | None, column: str, value: str) -> InputError:
    if "\0" in value:
        return cell(path, line, column, value, "holds a NUL byte: the file is damaged, or not text")
    return cell(path, line, column, value, "holds a control character, which a terminal might obey; remove it")


def control_in_name(path: Any, name: str) -> InputError:
    return InputError(f"{path}, line 1: the column {short(name)} has a control character in its name; remove it.")


def unnamed(path: Any, place: int) -> InputError:
    return InputError(f"{path}, line 1, column {place}: the column has no name; give it one.")


def same_name(path: Any, name: str, first: int, second: int) -> InputError:
    return InputError(
        f"{path}, line 1: columns {first} and {second} are both named {name!r}; names must differ: rename one."
    )


def header_is_data(path: Any, header: Iterable[str]) -> InputError:
    return InputError(
        f"{path}, line 1: the first line ({listed(header)}) looks like the rows below it, but it must hold the names "
        f"of the columns; add a line with names on top."
    )


def one_column(path: Any, header: str, told: str, found: str) -> InputError:
    tab = {"\t": "'\\t'"}
    told, option = tab.get(told, f"'{told}'"), tab.get(found, f"'{found}'")
    commas = "" if found == "," else " (and --decimal ',' if numbers are written 1,5)"
    return InputError(
        f"{path}, line 1: the header {short(header)} has no {told} but is full of {option}; if that separates the "
        f"columns, add --delimiter {option}{commas} on the command line; open_rows reads files with commas only."
    )


def encoding(path: Any, line: int | None, cause: str, guess: str) -> InputError:
    place = f"{path}, line {line}" if line is not None else str(path)
    return InputError(
        f"{place}: {cause}; save it as UTF-8, or say on the command line how the text is stored, --encoding ({guess})."
    )


def bad_quotes(path: Any, line: int, cause: str) -> InputError:
    return InputError(f"{path}, line {line}: quotes do not match ({cause}); close or double them.")


def no_rows(path: Any) -> InputError:
    return InputError(f"{path} has a header but no rows; there is nothing to look at.")


def kind(path: Any, column: str, what: str) -> InputError:
    return InputError(
        f"{path}, column {column!r} holds {what}, which is neither numbers nor words; leave it out (--drop {column!r}) "
        f"or turn it into numbers first."
    )


def missing(path: Any, counts: Mapping[str, int], rows: int, touched: int) -> InputError:
    described = listed((f"{name!r} {count:,}" for name, count in counts.items()), 8)
    return InputError(
        f"{path} has missing cells in {touched:,} of {rows:,} rows (by column: {described}). Say what to do: "
        f"--missing drop leaves those rows out, --missing mean fills in the column's mean (words: the most frequent)."
    )


def missing_cells(counts: Mapping[str, int]) -> InputError:
    described = listed((f"{name!r} {count:,}" for name, count in counts.items()), 8)
    return InputError(
        f"X has missing cells (by column: {described}), which missing='refuse' does not allow. Fill them in, leave "
        f"those rows out, or use Preparation(missing='mean')."
    )


def missing_new(counts: Mapping[str, int]) -> InputError:
    described = listed((f"{name!r} {count:,}" for name, count in counts.items()), 8)
    return InputError(
        f"The table has missing cells (by column: {described}), and this model was fitted without a rule for them. "
        f"Fill them in, leave those rows out, or fit with missing='mean' (--missing mean)."
    )


def no_column(name: str, there: Iterable[str], role: str) -> InputError:
    return InputError(f"{role} {name!r}: no such column; there are {listed(map(repr, there), 12)}.")


def unseen(column: str, words: Iterable[str], known: Iterable[str]) -> InputError:
    return InputError(
        f"column {column!r} holds {listed(map(repr, words))}, which the fit has not seen (it knew "
        f"{listed(map(repr, known))}); correct them, or fit again with such rows."
    )


def nothing_left(reasons: Iterable[str]) -> InputError:
    why = listed(reasons, 8) or "the table has no other columns"
    return InputError(f"no column is left to analyse: {why}. Add columns that measure something about the rows.")


def not_numeric(column: str, found: str) -> InputError:
    return InputError(f"column {column!r} holds {found}, but it held numbers when the model was fitted.")


def suffix(path: Any) -> InputError:
    return InputError(
        f"{path}: a table must end in .csv, .tsv, .txt (also with .gz) or .parquet; rename it, or convert it first."
    )


def option(name: str, value: Any, rule: str) -> InputError:
    return InputError(f"{name} {value!r}: {rule}.")
