"""Tables that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ._kinds import InputError, InputTypeError, listed

RESPONSE = "y"


def not_a_table(name: str, shape: Sequence[int]) -> InputError:
    if len(shape) == 1:
        return InputError(
            f"Expected 2D array, got 1D array instead: {name} has shape {tuple(shape)} but must have rows and columns. "
            f"Reshape your data: {name}.reshape(-1, 1) for a single column, {name}.reshape(1, -1) for a single row."
        )
    if len(shape) == 0:
        return InputError(f"Expected 2D array, got scalar array instead: {name} must have rows and columns.")
    return InputError(
        f"{name} has {len(shape)} dimensions (shape {tuple(shape)}) but must have two, rows and columns; "
        f"reshape it to (n_rows, n_columns)."
    )


def ragged(name: str, cause: Exception) -> InputError:
    return InputError(f"{name} is ragged: its rows differ in length ({cause}). Make every row the same length.")


def too_few_rows(name: str, n: int, shape: Sequence[int], need: int) -> InputError:
    return InputError(
        f"Found array with {n} sample(s) (shape={tuple(shape)}) while a minimum of {need} is required: "
        f"{name} has too few rows with positive weight."
    )


def no_columns(name: str, shape: Sequence[int]) -> InputError:
    return InputError(
        f"Found array with 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is required: {name} has no columns."
    )


def not_finite(name: str, kind: str, row: int, column: str, unit: str = "row") -> InputError:
    way_out = "Drop or impute such rows first, for example with sklearn.impute.SimpleImputer."
    if name == RESPONSE:
        way_out = "Drop those rows: a response that was filled in teaches nothing."
    return InputError(f"{name} contains {kind} (the first in {unit} {row}, column {column}). {way_out}")


def words(name: str, columns: Iterable[str], kinds: Iterable[str]) -> InputTypeError:
    described = listed(f"{c} ({k})" for c, k in zip(columns, kinds, strict=True))
    return InputTypeError(
        f"{name} has columns that are not numbers: {described}. Convert or encode them first "
        f"(pandas.to_numeric, sklearn.preprocessing.OneHotEncoder), or leave them out."
    )


def not_numbers(name: str, found: str) -> InputTypeError:
    return InputTypeError(
        f"{name} must hold numbers but {found}. Text is not converted silently, not even numeric text: "
        f"use {name}.astype(float) if it is numeric, or encode it first."
    )


def complex_numbers(name: str) -> InputError:
    return InputError(f"Complex data not supported: {name} is complex. Pass its real and imaginary parts as columns.")


def masked(name: str, count: int) -> InputError:
    return InputError(
        f"{name} is a masked array with {count} masked cells, which would be read as if they were observed. "
        f"Fill them ({name}.filled(...)) or drop those rows; without masked cells pass {name}.data."
    )


def unsupported(name: str, kind: str) -> InputTypeError:
    return InputTypeError(
        f"{name} is a {kind}, which cannot be read as a table. Pass a NumPy array, a list of rows, a pandas or polars "
        f"DataFrame, a pyarrow Table, a SciPy sparse matrix, a torch, CuPy or other array-API array, a Dask array or "
        f"frame, or eigenlens.open_rows(...) for files and streams."
    )


def lazy(name: str, kind: str, verb: str) -> InputTypeError:
    return InputTypeError(
        f"{name} is a {kind}, whose rows have not been computed, and it is not loaded silently; pass {name}.{verb}()."
    )


def convert(name: str, kind: str, verb: str) -> InputTypeError:
    return InputTypeError(
        f"{name} is a {kind}, which is not read as it is, since its rows may not fit in memory; if they do, pass "
        f"{name}.{verb}()."
    )


def lengths_differ(name: str, n: int | str, other: str, m: int) -> InputError:
    return InputError(
        f"Found input variables with inconsistent numbers of samples: {name} has {n} rows but {other} has {m}; "
        f"they must be the same rows."
    )
