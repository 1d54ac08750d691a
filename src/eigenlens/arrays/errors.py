"""The exceptions and warnings of the package, and the wording that several places share.

A message names the argument, the value received, the rule, and the way out. Where a message is raised once, it is
written there: `raise errors.InputError(...)`. The functions here return an exception to be raised.
"""

from __future__ import annotations

import reprlib
import sys
import warnings
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from math import log10
from pathlib import Path
from typing import Any

from ..exceptions import *  # noqa: F403
from ..exceptions import (
    ConditionWarning,
    InputError,
    InputTypeError,
    ModelFileError,
    NotConvergedWarning,
    NothingLeftError,
    RangeWarning,
    RankWarning,
)

# -- warnings, and values in words ------------------------------------------------------------------------------------


def warn(warning: Warning) -> None:
    """Issue a warning at the line of the user who called the public method."""
    warnings.warn(warning, stacklevel=_user_frame())


def _user_frame() -> int:
    depth = 2
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
        "eigenlens",
        "sklearn",
        "joblib",
    ):
        frame, depth = frame.f_back, depth + 1
    return depth


def shortened(value: Any) -> str:
    """Write a value that may be a whole table, cut where it is long."""
    return reprlib.repr(value)


def plain(label: Any) -> Any:
    """Return a label as a person writes it: 'a', not np.str_('a'); labels of object arrays are so already."""
    return label.item() if hasattr(label, "item") else label


def listed(items: Iterable[Any], limit: int = 5) -> str:
    """Write a list for a person: the first few, then how many more."""
    items = [str(item) for item in items]
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more


# -- arguments and moments --------------------------------------------------------------------------------------------


def components_out_of_range(value: Any, most: int, why: str) -> InputError:
    return InputError(f"n_components={value!r} but {why}; use n_components between 1 and {most}.")


def components_kind(value: Any, allowed: str) -> InputError:
    return InputError(f"n_components={value!r} is not understood; use {allowed}.")


def option(name: str, value: Any, allowed: Iterable[Any]) -> InputError:
    return InputError(f"{name}={value!r} is not an option; use one of {listed((repr(a) for a in allowed), 12)}.")


def number(name: str, value: Any, rule: str) -> InputError:
    return InputError(f"{name}={value!r} but it must be {rule}.")


def number_kind(name: str, value: Any, rule: str) -> InputTypeError:
    return InputTypeError(f"{name}={value!r} but it must be {rule}.")


def moments_kind(found: str, need: str, estimator: str) -> InputTypeError:
    return InputTypeError(
        f"moments is a {found} but {estimator} is fitted from {need}; "
        f"collect them with {estimator}().fit(...).moments_ and the same options."
    )


def moments_differ(what: str, ours: Any, theirs: Any) -> InputError:
    return InputError(f"These moments cannot be merged: {what} is {ours!r} on one side and {theirs!r} on the other.")


def empty_moments() -> InputError:
    return InputError("These moments have seen no row yet; update them with at least one block before fitting.")


def too_few(what: str, method: str, found: Any, need: int) -> InputError:
    return InputError(f"method={method!r} needs at least {need} {what} and X has {found}; add {what}.")


# -- tables, weights, labels and responses ----------------------------------------------------------------------------


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
        "SIR, SAVE, DirectionalRegression, MixedPCA)."
    )
    if beside_words:  # only MixedPCA reads them
        way_out = "Drop or impute such rows first, or model them by maximum likelihood: MixedPCA(missing='ml')."
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


# -- what arithmetic cannot do ----------------------------------------------------------------------------------------


def mle_needs_full_rank(rank: int, p: int) -> InputError:
    why = f"the evidence needs a covariance of full rank, and this one has rank {rank} of {p}"
    return InputError(f"n_components='mle' but {why}; use 'parallel', 'mp' or a share.")


def fourth_powers() -> InputError:
    return InputError(
        "shrinkage='ledoit-wolf' needs fourth powers of X, which overflow or vanish here; rescale the columns of X."
    )


def not_scores(found: int, k: int) -> InputError:
    return InputError(f"X has {found} columns but the model has {k} components; pass scores, as transform gives them.")


def column_names_differ(name: str, found: Iterable[str], fitted: Iterable[str]) -> InputError:
    return InputError(
        f"{name} has columns {listed(found)} but the model was fitted with {listed(fitted)}; "
        f"pass the same columns in the same order."
    )


def rank_deficient(what: str, rank: int, count: int, counted: str, advice: str) -> RankWarning:
    return RankWarning(f"{what} has rank {rank} but {count} {counted}: {count - rank} direction(s) dropped. {advice}")


def not_converged(max_iter: int, what: str, moved: float, tol: float, advice: str) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"After max_iter={max_iter} sweeps, {what} still changed by {moved:.1e} of itself per sweep (tol={tol:g}). "
        f"{advice}"
    )


def not_representable(what: str, dtype: Any, advice: str) -> RangeWarning:
    return RangeWarning(f"{what} cannot be represented in {dtype}: {advice}")


def residual_left(max_iter: int, residual: float, tol: float) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"max_iter={max_iter} was reached with a residual of {residual:.1e} (tol={tol:g}); raise max_iter, or tol "
        f"if that is close enough."
    )


# -- distances and kernels --------------------------------------------------------------------------------------------


def negative_distance(name: str, count: int | None, i: int, j: int, value: float) -> InputError:
    many = "" if count is None else f"{count} "
    return InputError(
        f"{name} has {many}negative entries (the smallest is {value:.6g} in row {i}, column {j}), but distances are at "
        f"least 0. If these are similarities s, pass distances made from them, such as sqrt(s_ii + s_jj - 2 s_ij)."
    )


def squares_out_of_range(name: str) -> InputError:
    return InputError(
        f"{name} holds distances whose squares overflow or vanish in float64; multiply them by a power of ten that "
        f"brings them near 1."
    )


def metric_named(metric: Any) -> str:
    """Name a metric: a function by its name, not by where it lies in memory."""
    return f"metric={metric!r}" if isinstance(metric, str) else f"metric={getattr(metric, '__name__', metric)}"


def not_read_as_numbers(name: str, value: Any, wanted: str) -> InputTypeError:
    text = " ".join(repr(value).split())
    text = text if len(text) <= 60 else f"{text[:57]}…"
    return InputTypeError(f"{name}={text} cannot be read as numbers; pass {wanted}.")


def negative_squares(
    value: float, rule: str = "Schoenberg transforms act on squared distances", name: str = "D2"
) -> InputError:
    return InputError(
        f"{name} holds {value:.6g}, but {rule}, which are finite and at least 0. Pass distances squared (D**2)."
    )


def no_transform(name: str, value: Any) -> InputTypeError:
    return InputTypeError(
        f"{name}={value!r} is not a Schoenberg transform; use one of eigenlens.distances: Identity(), Exponential(a), "
        f"Logarithm(a), Rational(a), Power(p), Measure(g), a composition f @ g, a sum f + g or a multiple 2 * f."
    )


def maps_differ(shape: Sequence[int], target: Sequence[int]) -> InputError:
    return InputError(
        f"target has shape {tuple(target)} but the map has {tuple(shape)}; align maps of the same points, with at "
        f"least as many columns in the target."
    )


def columns_of_points(p: int, q: int) -> InputError:
    return InputError(f"X has {p} columns and Z has {q}; a kernel compares rows of the same columns.")


def unresolved(kernel: Any) -> InputError:
    return InputError(
        f"{kernel!r} has a parameter that is taken from the rows (None), and X and Z may give different values. Give "
        "it a number, or take it from rows first: kernel.fitted(X)(X, Z)."
    )


def not_a_kernel(value: Any, names: Sequence[str]) -> InputTypeError:
    return InputTypeError(
        f"kernel={value!r} is not a kernel. Use one of eigenlens.kernels (such as Gaussian()), one of the names "
        f"{listed(names, 20)}, or a function of two tables that returns their kernel matrix."
    )


def not_square(shape: Sequence[int]) -> InputError:
    return InputError(
        f"A precomputed kernel matrix must be square in fit, one row and one column for each row, but X has shape "
        f"{tuple(shape)}. Pass k(X, X) to fit, and k(new, X) afterwards."
    )


def conditional_kernel(kernel: Any, order: int, what: str, way_out: str) -> InputError:
    return InputError(f"{kernel!r} is positive definite only conditionally (of order {order}), and {what}; {way_out}.")


def precomputed_alone(what: str) -> InputError:
    return InputError(f"Precomputed kernels cannot be {what}; do it with the matrices, and pass the result.")


def far_from_origin(whole: float, left: float, where: str = "without what centring takes out") -> ConditionWarning:
    digits = max(0, int(-log10(sys.float_info.epsilon * whole / left)))
    return ConditionWarning(
        f"The kernel matrix has the trace {whole:.3g}, and {left:.3g} {where}, so about {digits} "
        f"digits are left there: the rows lie far from the origin of the kernel. Subtract the means of the columns "
        f"first, or use a kernel of differences, such as Gaussian()."
    )


# -- files: tables, streams, models and what the command line writes --------------------------------------------------


def located(place: object, error: Exception) -> Exception:
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


def files_differ(origin: object, first: object, found: Any, expected: Any) -> InputError:
    return InputError(
        f"{origin} has {found} but {first} has {expected}; files that are read as one table must have the same columns."
    )


def two_targets(name: str) -> InputError:
    return InputError(
        f"{name} was passed, but the source holds it as well (open_rows(..., target=..., weight=...)); give it once."
    )


def unreadable(place: object, cause: Exception) -> InputError:
    return InputError(f"{place} cannot be read: {cause}")


def csv_line(path: Any, line: int, found: int, expected: int) -> InputError:
    return InputError(
        f"{path}, line {line}: {found} cell{'s' * (found != 1)}, but the header has {expected}; every line must have "
        "the same number."
    )


def file_exists(path: Any) -> FileExistsError:
    return FileExistsError(f"path={str(path)!r} already exists; pass overwrite=True to replace it.")


def quoted(text: str) -> str:
    """Quote a cell for a message, cut where it is long."""
    return repr(text if len(text) <= 60 else text[:60] + "…")


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
