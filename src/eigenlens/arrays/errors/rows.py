"""Wording about tables, weights, labels and responses that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...exceptions import InputError, InputTypeError
from .wording import listed, plain

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


def not_finite(
    name: str, kind: str, row: int, column: str, unit: str = "row", beside_words: bool = False
) -> InputError:
    way_out = (
        "Drop or impute such rows first, or use missing='ml' if the method has it (PCA, LDA, QDA, PDA, CCA, "
        "SIR, SAVE, DirectionalRegression)."
    )
    if beside_words:  # only MixedPCA reads them, and it models no missing numbers
        way_out = (
            "Drop or impute such rows first, or turn the words into numbers too, and model all missing cells: "
            "make_pipeline(Preparation(missing='keep'), PCA(missing='ml')), with eigenlens.rows.Preparation."
        )
    if kind != "NaN":
        way_out = "Infinity is not a missing cell: write NaN where a value is not known, or drop such rows."
    if name == RESPONSE:
        way_out = "Drop those rows: a response that was filled in teaches nothing."
    return InputError(f"{name} contains {kind} (the first in {unit} {row}, column {column}). {way_out}")


def text_columns(name: str, columns: Iterable[str], kinds: Iterable[str]) -> InputTypeError:
    described = listed(
        f"{c if str(c).strip() else 'one without a name'} ({k})" for c, k in zip(columns, kinds, strict=True)
    )
    return InputTypeError(
        f"{name} has columns that are not numbers: {described}. Convert or encode them first (pandas.to_numeric, "
        f"eigenlens.rows.Preparation), or leave them out; MixedPCA takes words as they are."
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


def lengths_differ(name: str, n: int | str, other: str, m: int) -> InputError:
    return InputError(
        f"Found input variables with inconsistent numbers of samples: {name} has {n} rows but {other} has {m}; "
        f"they must be the same rows."
    )


def weight_shape(shape: Sequence[int], n: int) -> InputError:
    return InputError(
        f"sample_weight has shape {tuple(shape)} but must be one number per row, shape ({n},); 2D weights are not "
        "supported."
    )


def weight_values(bad: str, example: float) -> InputError:
    return InputError(
        f"sample_weight has {bad} values (such as {example}) but weights and their sum must be finite and at least 0: "
        f"a weight says how often its row counts."
    )


def weight_all_zero() -> InputError:
    return InputError("sample_weight is zero for every row, so no row is left; give some rows a positive weight.")


def weight_too_small(total: float, need: float, divisor: str) -> InputError:
    return InputError(
        f"The rows of X have a total weight of W={total:g} but the divisor {divisor} needs more than {need:g}. "
        f"Give more rows; or, if sample_weight holds shares rather than counts (weight 2 counts a row twice), let "
        f"them add up to 1, or multiply it by the number of rows."
    )


def target_missing(estimator: str, name: str = "y") -> InputError:
    return InputError(
        f"{estimator} requires y to be passed, but the target y is None. Pass {name} as the second argument."
    )


def one_class(label: Any) -> InputError:
    return InputError(
        f"y has one class ({plain(label)!r}) but a classifier needs at least two; there is nothing to separate."
    )


def one_slice(label: Any) -> InputError:
    return InputError(
        f"y has one slice ({plain(label)!r}): the response is constant, so it separates nothing; "
        f"inverse regression needs at least two slices. (In partial_fit the first batch fixes the cuts: "
        f"start with a larger one, or pass them, n_slices=[cut, cut, …].)"
    )


def nothing_separates() -> InputError:
    return InputError(
        "X: nothing in it separates the classes; even a linear regression finds no difference. Check that X "
        "varies and that y belongs to these rows."
    )
