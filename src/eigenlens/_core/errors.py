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


class WeightWarning(EigenlensWarning):
    """Weights look like shares although they count rows."""


class NotConvergedWarning(EigenlensWarning, ConvergenceWarning):
    """An iteration was ended before it settled."""


class SliceWarning(EigenlensWarning):
    """Slices of the response came out otherwise than asked for."""


class ConstantFitWarning(EigenlensWarning):
    """A regression sees nothing in its rows that parts the classes."""


class PerfectFitWarning(EigenlensWarning):
    """A regression reproduces the classes of its rows exactly, so that nothing measures the spread within them."""


class SubclassWarning(EigenlensWarning):
    """Subclasses stood empty and were left out."""


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


def not_finite(name: str, kind: str, row: int, column: str, unit: str = "row") -> InputError:
    return InputError(
        f"{name} contains {kind} (the first in {unit} {row}, column {column}). "
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
        f"DataFrame, a pyarrow Table, a SciPy sparse matrix, a torch, CuPy or other array-API array, a Dask array or "
        f"frame, or eigenlens.open_rows(...) for files and streams."
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


# -- rows elsewhere ----------------------------------------------------------------------------------------------


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


def lost_workers(partitions: str, times: int) -> RuntimeError:
    return RuntimeError(
        f"{partitions}: the workers died {times} times while reducing them, so they are probably too large for a "
        f"worker's memory; use smaller partitions (rechunk, repartition) or larger workers."
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


def weights_are_shares(total: float, n: int) -> WeightWarning:
    return WeightWarning(
        f"sample_weight sums to {total:.3g} over {n} rows, and weights count rows: smoothness is chosen as for "
        f"{total:.3g} rows. If the weights are shares, scale them to sum to {n}."
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
        f"correct them, or leave classes out: they are found on the way."
    )


# -- responses and slices ----------------------------------------------------------------------------------------


def response_shape(shape: Sequence[int]) -> InputError:
    return InputError(f"y should be one response per row or a table of several, got an array of shape {tuple(shape)}.")


def response_missing(count: int) -> InputError:
    return InputError(
        f"Input y contains NaN ({count} missing responses). Drop those rows, or use LocalizedSIR, which learns "
        f"from rows without a response as well."
    )


def response_all_missing(n: int) -> InputError:
    return InputError(
        f"y is missing in all {n} rows (NaN or None), so that there is nothing to slice; "
        f"give some responses, or use PCA."
    )


def response_infinite(count: int) -> InputError:
    return InputError(f"Input y contains infinity ({count} values). Drop or clip them: a response must be finite.")


def response_words_in_several(count: int) -> InputTypeError:
    return InputTypeError(
        f"y has {count} columns and words among them; several responses must be numbers. "
        f"Make the cells yourself and pass them as slices=, one label per row."
    )


def given_slices(cause: Exception) -> InputTypeError:
    return InputTypeError(
        f"slices must be one label (a word or a whole number) per row. Reading them as labels: {cause}"
    )


def fewer_slices(found: int, wanted: int) -> SliceWarning:
    return SliceWarning(
        f"y gives {found} slices where n_slices={wanted} were asked for: tied values stay in one slice. "
        f"Ask for {found} or fewer, or pass slices= to cut by hand."
    )


def responses_differ(ours: int, theirs: int) -> InputError:
    return InputError(f"y has {theirs} column(s) but earlier rows had {ours}; pass the same responses in every batch.")


def levels_were_few(n_slices: Any) -> InputError:
    return InputError(
        f"y was whole numbers of at most n_slices={n_slices} distinct values in the first batch, each its own slice, "
        f"and is not so any more. Fix the cuts beforehand: n_slices=[cut, cut, …], or pass slices=."
    )


def one_slice(label: Any) -> InputError:
    return InputError(
        f"y has one slice ({label!r}): the response is constant, and nothing can be told apart by it; "
        f"inverse regression needs at least two slices. (In partial_fit the first batch fixes the cuts: "
        f"begin with a larger one, or give them, n_slices=[cut, cut, …].)"
    )


def rows_are_slices(n: int) -> InputError:
    return InputError(
        f"Each of the {n} rows is a slice of its own, so that every direction fits perfectly: y is like a list of "
        f"names. Use fewer slices (n_slices up to {max(n // 2, 2)}), or join levels and pass them as slices=."
    )


def many_slices(K: int, n: int) -> SliceWarning:
    return SliceWarning(
        f"y makes {K} slices of {n} rows, fewer than two rows each on average: the slice means are mostly noise. "
        f"Join levels and pass them as slices=, or use fewer slices."
    )


def too_few_draws(n_draws: int, alpha: float) -> InputError:
    return InputError(
        f"n_draws={n_draws} gives p-values of {1 / (1 + n_draws):.2g} at best, which cannot be below alpha={alpha:g}; "
        f"use n_draws of at least {int(-(-1 // alpha)) - 1}."
    )


def rows_gone(estimator: str) -> InputError:
    return InputError(
        f"The permutation test reads the rows again, and this {estimator} does not have them: it was fitted in "
        f"batches, from moments, or loaded from a file. Call fit(X, y) on the rows first, or choose another method."
    )


def rows_changed() -> InputError:
    return InputError("The rows of X were changed after the fit, so that they cannot be permuted; fit again.")


def neighbours_clipped(k: int, smallest: float) -> SliceWarning:
    return SliceWarning(
        f"n_neighbors={k} but the smallest slice has a weight of {smallest:g}: in such slices all rows are neighbours, "
        f"as in plain SIR. Use n_neighbors up to {max(int(smallest), 1)}, or fewer slices."
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


def number_kind(name: str, value: Any, rule: str) -> InputTypeError:
    return InputTypeError(f"{name}={value!r} but it must be {rule}.")


def too_many_terms(degree: int, p: int, terms: int, n: int) -> InputError:
    return InputError(
        f"degree={degree} with {p} columns gives {terms:,} terms, too many to hold for {n} rows; "
        f"use a lower degree, interactions=False, or AdaptiveSplines, which searches for the terms that matter."
    )


def unknown_column(argument: str, value: Any, names: Sequence[str]) -> InputError:
    return InputError(
        f"{argument} holds {value!r} but the {len(names)} columns of X are {listed(names, 12)}; use one of these names "
        f"or a column number below {len(names)}."
    )


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


def meanings_differ(ours: Any, theirs: Any) -> InputError:
    said = ["labels as given" if meaning is None else str(meaning) for meaning in (ours, theirs)]
    return InputError(
        f"These moments cannot be merged: their groups do not mean the same ({said[0]}; {said[1]}). Slice both sides "
        f"alike: give the cuts, n_slices=[cut, cut, …], or the labels, slices=."
    )


def empty_moments() -> InputError:
    return InputError("These moments have seen no row yet; update them with at least one block before fitting.")


# -- discriminants -----------------------------------------------------------------------------------------------


def not_a_regressor(value: Any) -> InputTypeError:
    kind = "a class" if isinstance(value, type) else "a classifier" if hasattr(value, "predict") else "no regressor"
    return InputTypeError(
        f"regressor={value!r} is {kind}, but discriminants regress class scores on X: pass a regressor object with fit "
        f"and predict, such as eigenlens.regress.AdaptiveSplines() or sklearn.neighbors.KNeighborsRegressor()."
    )


def regressor_without_weights(kind: str) -> InputError:
    return InputError(
        f"sample_weight was given but regressor={kind} takes no weights in fit. Leave sample_weight out, repeat the "
        f"rows, or use a regressor that takes weights, such as those of eigenlens.regress."
    )


def regressor_shape(kind: str, found: int, need: int) -> InputError:
    return InputError(
        f"regressor={kind} predicts {found} columns but {need} responses were fitted; use a regressor of several "
        f"responses, or wrap it: sklearn.multioutput.MultiOutputRegressor(regressor)."
    )


def regressor_not_finite(kind: str) -> InputError:
    return InputError(
        f"regressor={kind} predicts NaN or infinity; scale the columns of X, or use a regressor that stays finite."
    )


def nothing_parts() -> InputError:
    return InputError(
        "X: nothing in it parts the classes, not even a linear regression finds a difference; look whether X "
        "varies and whether y belongs to these rows."
    )


def constant_fits(kind: str) -> ConstantFitWarning:
    return ConstantFitWarning(
        f"regressor={kind} fits every class score by a constant: nothing it sees in X parts the classes. A linear "
        f"regression takes its place; use a more flexible regressor or less penalty, or look whether y belongs to X."
    )


def perfect_fit(kind: str) -> PerfectFitWarning:
    return PerfectFitWarning(
        f"regressor={kind} reproduces the classes of its own rows exactly (canonical correlation 1), so that the "
        f"spread within classes cannot be measured: posteriors will be near 0 or 1. Use a smoother regressor (more "
        f"neighbours, more penalty, fewer terms)."
    )


def both_given(name: str, value: Any, other: str, second: Any) -> InputError:
    return InputError(
        f"{name}={value!r} and {other}={second!r} are both given, but one decides; leave one of them out."
    )


def too_few_for_subclasses(label: Any, rows: float, wanted: int) -> InputError:
    return InputError(
        f"n_subclasses={wanted} for class {label!r}, which has only {rows:g} row(s), weights counted; give it at most "
        f"{max(int(rows), 1)}: a number for each class, in a list or as {{label: number}}, or leave the class out."
    )


def subclasses_kind(value: Any, classes: Iterable[Any]) -> InputError:
    names = [str(label) for label in classes]
    return InputError(
        f"n_subclasses={value!r} is not understood for classes {listed(names)}; use a positive integer, a list of "
        f"{len(names)} of them in the order of classes_, a dict {{label: number}}, 'bic' or 'cv'."
    )


def start_shape(shape: Sequence[int], n: int, counts: Sequence[int]) -> InputError:
    return InputError(
        f"init has shape {tuple(shape)} but must be ({n}, {sum(counts)}): one row for each row of X, one column for "
        f"each subclass ({listed(counts, 12)} for the classes in order)."
    )


def start_values(rule: str, row: int) -> InputError:
    return InputError(
        f"init {rule} (first in row {row}), but it must hold the shares of each row in the subclasses of its own "
        f"class: not negative, adding up to 1, and 0 for other classes."
    )


def start_needs_counts() -> InputError:
    return InputError("init was given while n_subclasses is to be chosen; give n_subclasses as numbers beside init.")


def start_empty(subclass: int) -> InputError:
    return InputError(f"init leaves subclass {subclass} without any row; give it some, or ask for fewer subclasses.")


def empty_subclasses(label: Any, asked: int, left: int) -> SubclassWarning:
    return SubclassWarning(
        f"class {label!r} keeps {left} of {asked} subclasses: the others were left without rows of their own and "
        f"merged into the rest. Ask for fewer with n_subclasses if that recurs."
    )


def not_settled(max_iter: int, gain: float, tol: float) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"max_iter={max_iter} steps ended while the mean log-likelihood of a row still changed by {gain:.1e} a step "
        f"(tol={tol:g}). Raise max_iter or tol; tol=0 takes exactly max_iter steps and does not warn."
    )


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


def mle_needs_full_rank(rank: int, p: int) -> InputError:
    why = f"the evidence needs a covariance of full rank, and this one has rank {rank} of {p}"
    return InputError(f"n_components='mle' but {why}; use 'parallel', 'mp' or a share.")


def fourth_powers() -> InputError:
    return InputError(
        "shrinkage='ledoit-wolf' needs fourth powers of X, which overflow or vanish here; rescale the columns of X."
    )


def all_constant(name: str) -> InputError:
    return InputError(f"{name}: every column is constant; nothing can be correlated with it. Leave the table out.")


def coefficient_overflow(columns: Iterable[str]) -> InputError:
    return InputError(
        f"X: column {listed(columns)} is so small that its coefficient overflows; multiply it by a large number."
    )


def not_scores(found: int, k: int) -> InputError:
    return InputError(f"X has {found} columns but the model has {k} components; pass scores, as transform gives them.")


def columns_differ(name: str, found: int, fitted: int) -> InputError:
    return InputError(f"{name} has {found} columns but the model was fitted with {fitted}; pass the same columns.")


def column_names_differ(name: str, found: Iterable[str], fitted: Iterable[str]) -> InputError:
    return InputError(
        f"{name} has columns {listed(found)} but the model was fitted with {listed(fitted)}; "
        f"pass the same columns in the same order."
    )


def too_few_to_test(n: float, p: int, s: int) -> InputError:
    return InputError(f"n={n:g} rows are too few to test {p} and {s} columns: normal theory needs over {p + s + 1}.")


def other_space(found: int, p: int) -> InputError:
    return InputError(f"other has {found} coordinates but this subspace has {p}; both must lie in the same space.")


def empty_directions(rank: int, k: int) -> RankWarning:
    return RankWarning(
        f"X has rank {rank} but n_components={k}: {k - rank} component(s) have no variance; ask for fewer."
    )


def rank_deficient(what: str, rank: int, count: int, counted: str, advice: str) -> RankWarning:
    return RankWarning(f"{what} has rank {rank} but {count} {counted}: {count - rank} direction(s) left out. {advice}")


def ill_conditioned(what: str, condition: float, digits: float) -> ConditionWarning:
    return ConditionWarning(
        f"{what} has condition {condition:.1e}; moments square it, so that about {max(digits, 0):.0f} digits of the "
        f"weakest direction are right. Fit on rows that can be read again (an array), or drop nearly collinear columns."
    )


def not_converged(max_iter: int, what: str, moved: float, tol: float, advice: str) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"max_iter={max_iter} sweeps ended while {what} still moved by {moved:.1e} of itself a sweep (tol={tol:g}). "
        f"{advice}"
    )


def not_representable(what: str, dtype: Any, advice: str) -> RangeWarning:
    return RangeWarning(f"{what} cannot be represented in {dtype}: {advice}")
