"""Every exception and warning of the package, with its wording.

A message names the argument, the value received, the rule, and the way out. The functions return an exception
ready to be raised, so that the wording of one mistake lives in one place.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from sklearn.exceptions import ConvergenceWarning


class InputError(ValueError):
    """The data or an argument cannot be used as given."""


class InputTypeError(TypeError, ValueError):
    """The data or an argument is of a kind that cannot be used."""


class EigenlensWarning(UserWarning):
    """Root of the warnings of this package."""


class RankWarning(EigenlensWarning):
    """Some directions carry nothing and were left out."""


class ConditionWarning(EigenlensWarning):
    """The data are so nearly collinear that digits were lost."""


class RangeWarning(EigenlensWarning):
    """A result is too large or too small for its floating-point type."""


class NotConvergedWarning(EigenlensWarning, ConvergenceWarning):
    """An iteration was ended before it settled."""


class MissingWarning(EigenlensWarning):
    """So much is missing that the answer rests on little."""


def warn(warning: Warning) -> None:
    """Issue a warning at the line of the user who called the public method."""
    warnings.warn(warning, stacklevel=_user_frame())


def _user_frame() -> int:
    import sys

    depth = 2
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
        "eigenlens",
        "sklearn",
        "joblib",
    ):
        frame, depth = frame.f_back, depth + 1
    return depth


def listed(items: Iterable[Any], limit: int = 5) -> str:
    """Write a list for a person: the first few, then how many more."""
    items = [str(item) for item in items]
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


# -- tables ----------------------------------------------------------------------------------------------------


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


def not_finite(name: str, kind: str, row: int, column: str) -> InputError:
    return InputError(
        f"{name} contains {kind} (the first in row {row}, column {column}). "
        f"Drop or impute such rows first, for example with sklearn.impute.SimpleImputer."
    )


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
        f"DataFrame, a pyarrow Table, a SciPy sparse matrix, or a torch, CuPy or other array-API array."
    )


def lazy(name: str, kind: str, verb: str) -> InputTypeError:
    return InputTypeError(
        f"{name} is a {kind}, whose rows have not been computed, and it is not loaded silently; pass {name}.{verb}()."
    )


def lengths_differ(name: str, n: int, other: str, m: int) -> InputError:
    return InputError(
        f"Found input variables with inconsistent numbers of samples: {name} has {n} rows but {other} has {m}; "
        f"they must be the same rows."
    )


# -- weights and targets -----------------------------------------------------------------------------------------


def weight_shape(shape: Sequence[int], n: int) -> InputError:
    return InputError(
        f"sample_weight has shape {tuple(shape)} but must be one number per row, shape ({n},); 2D weights are not used."
    )


def weight_values(bad: str, example: float) -> InputError:
    return InputError(
        f"sample_weight has {bad} values (such as {example}) but weights and their sum must be finite and at least 0: "
        f"a weight counts how often its row stands in the table."
    )


def weight_all_zero() -> InputError:
    return InputError("sample_weight is zero for every row, so that no row is left; give some row a positive weight.")


def weight_too_small(total: float, need: float, divisor: str) -> InputError:
    return InputError(
        f"The rows of X have a total weight of W={total:g} but the divisor {divisor} needs more than {need:g}. "
        f"Give more rows; or, if sample_weight is a share rather than a count (weight 2 = the row stands there twice), "
        f"multiply it by the number of rows."
    )


def target_missing(estimator: str, name: str = "y") -> InputError:
    return InputError(
        f"{estimator} requires y to be passed, but the target y is None. Pass {name} as the second argument."
    )


def target_shape(shape: Sequence[int]) -> InputError:
    return InputError(f"y should be a 1d array of class labels, got an array of shape {tuple(shape)} instead.")


def target_nan(count: int) -> InputError:
    return InputError(
        f"y contains NaN ({count} missing labels). Drop those rows first: there is no class to learn from them."
    )


def target_continuous(example: Any) -> InputError:
    return InputError(
        f"Unknown label type: continuous. y holds numbers such as {example!r}, which are not class labels. "
        f"Bin them (pandas.cut) or use a method for a numeric response, such as SIR."
    )


def one_class(label: Any) -> InputError:
    return InputError(f"y has one class ({label!r}) but discriminants need at least two; there is nothing to separate.")


def unknown_class(labels: Iterable[Any], classes: Iterable[Any]) -> InputError:
    return InputError(
        f"y has labels {listed(map(repr, labels))} that are not among classes={listed(map(repr, classes))}; "
        f"name every class in the first call to partial_fit."
    )


# -- arguments ---------------------------------------------------------------------------------------------------


def components_out_of_range(value: Any, most: int, why: str) -> InputError:
    return InputError(f"n_components={value!r} but {why}; use n_components between 1 and {most}.")


def components_kind(value: Any, allowed: str) -> InputError:
    return InputError(f"n_components={value!r} is not understood; use {allowed}.")


def option(name: str, value: Any, allowed: Iterable[Any]) -> InputError:
    return InputError(f"{name}={value!r} is not an option; use one of {listed((repr(a) for a in allowed), 12)}.")


def number(name: str, value: Any, rule: str) -> InputError:
    return InputError(f"{name}={value!r} but it must be {rule}.")


def priors(value: Any, rule: str, way_out: str) -> InputError:
    return InputError(f"priors={value!r} but {rule}; {way_out}.")


def moments_kind(found: str, need: str, estimator: str) -> InputTypeError:
    return InputTypeError(
        f"moments is a {found} but {estimator} is fitted from {need}; "
        f"collect them with {estimator}().fit(...).moments_ and the same options."
    )


def moments_lack(needed: str, kept: str, option: str) -> InputTypeError:
    return InputTypeError(
        f"moments keep {kept} but {option} needs {needed}; collect them with that option set: fit(...).moments_."
    )


def moments_differ(what: str, ours: Any, theirs: Any) -> InputError:
    return InputError(f"These moments cannot be merged: {what} is {ours!r} on one side and {theirs!r} on the other.")


def empty_moments() -> InputError:
    return InputError("These moments have seen no row yet; update them with at least one block before fitting.")


# -- numerics ----------------------------------------------------------------------------------------------------


def no_within_variance(columns: Iterable[str]) -> InputError:
    return InputError(
        f"X: column {listed(columns)} is constant within every class but differs between classes, so that its "
        f"discriminant ratio is infinite: the column alone separates the classes. Drop the column, or use shrinkage."
    )


def no_variance_within() -> InputError:
    return InputError("X: every column is constant within every class; there is no within-class scatter to divide by.")


def no_noise(rank: int, p: int) -> InputError:
    return InputError(
        f"The likelihood does not exist: the components leave no variance for the noise "
        f"(rank {rank} of {p} columns). Use fewer components than the rank, or drop collinear columns."
    )


def not_scores(found: int, k: int) -> InputError:
    return InputError(f"X has {found} columns but the model has {k} components; pass scores, as transform gives them.")


def nothing_observed(what: str, numbers: Iterable[Any]) -> InputError:
    return InputError(
        f"X: {what} {listed(numbers)} holds nothing but NaN, so that nothing is known about it; leave it out."
    )


def little_observed(why: str) -> MissingWarning:
    return MissingWarning(
        f"X: {why}. The missing cells of low_rank_ are then guesses; drop rows and columns that are mostly NaN."
    )


def fit_not_converged(max_iter: int, residual: float, tol: float) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"max_iter={max_iter} was reached with a residual of {residual:.1e} (tol={tol:g}); raise max_iter, or tol "
        f"where that is close enough."
    )


def killed_components(components: Iterable[int], advice: str) -> RankWarning:
    return RankWarning(
        f"alpha is so large that component {listed(components)} has no nonzero loading and explains nothing. {advice}"
    )


def rank_deficient(what: str, rank: int, count: int, counted: str, advice: str) -> RankWarning:
    return RankWarning(f"{what} has rank {rank} but {count} {counted}: {count - rank} direction(s) left out. {advice}")


def ill_conditioned(what: str, condition: float, digits: float) -> ConditionWarning:
    return ConditionWarning(
        f"{what} has condition {condition:.1e}; moments square it, so that about {max(digits, 0):.0f} digits of the "
        f"weakest direction are right. Fit on rows that can be read again (an array), or drop nearly collinear columns."
    )


def not_representable(what: str, dtype: Any, advice: str) -> RangeWarning:
    return RangeWarning(f"{what} cannot be represented in {dtype}: {advice}")
