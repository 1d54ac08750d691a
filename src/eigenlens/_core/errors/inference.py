"""Wording of what tests of dimension and the bootstrap complain of."""

from __future__ import annotations

from reprlib import repr as shortened  # a value may be a table
from typing import Any

from ._kinds import EigenlensWarning, InputError, InputTypeError, listed


class BootstrapWarning(EigenlensWarning):
    """The replicates are too few, or some of them could not be fitted."""


def few_replicates(n_boot: int, need: int, level: float) -> BootstrapWarning:
    return BootstrapWarning(
        f"n_boot={n_boot}: the ends of {level:.0%} intervals rest on about {max(n_boot * (1 - level) / 2, 0):.0f} "
        f"replicates each side; use n_boot of {need} or more for intervals that do not move from seed to seed."
    )


def replicates_failed(failed: int, n_boot: int, cause: Exception) -> InputError:
    return InputError(
        f"{failed} resamples could not be fitted before {n_boot} were done, the last because: {cause} "
        f"Rows, or groups of them, are too few to be left out; give larger groups, or fewer components."
    )


def one_group(found: int) -> InputError:
    return InputError(f"groups holds {found} distinct value(s); resampling groups needs at least 2, better 30 or more.")


def takes_no_weights(kind: str) -> InputError:
    return InputError(
        f"sample_weight was given, but {kind}.fit does not take it; leave it out, or repeat the rows that count more."
    )


def weighted_blocks() -> InputError:
    return InputError(
        "resample='blocks': rows of unequal sample_weight would stay together in their blocks, as if they were one; "
        "use resample='rows', or groups= if they do belong together."
    )


def little_weight(total: float) -> InputError:
    return InputError(
        f"sample_weight adds up to {total:g}, and as many rows would be drawn: weight 2 means that the row stands "
        f"there twice; multiply shares by the number of rows."
    )


def groups_shape(shape: tuple[int, ...], n: int) -> InputError:
    return InputError(f"groups has shape {shape} but must be one label for each row, shape ({n},).")


def groups_missing(row: int) -> InputError:
    return InputError(f"groups has no label in row {row}; give every row one, its own where it belongs to no other.")


def few_units(count: int, unit: str, need: int) -> BootstrapWarning:
    return BootstrapWarning(
        f"Resamples of {count} {unit} say little of what other {unit} would have shown; intervals need {need} or more, "
        f"better 30."
    )


def jobs(value: Any) -> InputError:
    return InputError(f"n_jobs={value!r} but it must be a whole number other than 0 (−1: all cores), or None for one.")


def nothing_to_align(kind: str, names: tuple[str, ...]) -> InputError:
    return InputError(
        f"model={kind}: after fitting it has none of {listed(names, 8)}, so that there are no loadings to follow "
        f"through the resamples; give an estimator that has one of them."
    )


def rows_needed(method: str, found: Any, need: int) -> InputError:
    return InputError(f"method={method!r} needs at least {need} rows and X has {found}; add rows.")


def values_needed(method: str, found: int, need: int, kind: str = "") -> InputError:
    return InputError(f"method={method!r} needs at least {need} {kind}eigenvalues and got {found}; give all of them.")


def columns_needed(method: str, found: int, need: int) -> InputError:
    return InputError(f"method={method!r} needs at least {need} columns and X has {found}; a single one has no others.")


def no_variance(name: str) -> InputError:
    return InputError(f"{name}: every column is constant; there are no directions to find.")


def parallel_of_model(kind: str, scale: bool) -> InputError:
    if scale:
        return InputError("scale=True: a fitted PCA has the scale of its columns; give the table itself in place of X.")
    return InputError(f"X is a {kind}, but parallel analysis takes a table or a fitted PCA; use its test_dimension().")


def not_eigenvalues(method: str, values: Any) -> InputError:
    return InputError(
        f"values={shortened(values)}: method={method!r} takes one row of finite numbers, all eigenvalues of a matrix; "
        f"of a fitted model, use model.test_dimension(method=...)."
    )


def positive_values(method: str, smallest: float) -> InputError:
    return InputError(
        f"values holds {smallest:g}: method={method!r} takes the eigenvalues of a covariance matrix"
        + (
            " of full rank, which are all positive; drop constant or collinear columns."
            if smallest == 0
            else ", which are not negative; give those, not loadings or logarithms."
        )
    )


def whole_weights(example: float) -> InputError:
    return InputError(
        f"sample_weight holds {example:g}: rows are permuted as often as they stand in the table, so that the "
        f"permutation test needs whole numbers as weights."
    )


def permutation_only(option: str, method: str) -> InputError:
    return InputError(
        f"{option}: the normal theory of method={method!r} holds for plain least squares; use method='permutation', "
        f"which assumes no law."
    )


def sizes_missing(names: list[str]) -> InputError:
    return InputError(
        f"{listed(names)} missing: with correlations alone the test needs n (rows), p and s (columns of the two "
        f"tables); or give a fitted CCA or LDA."
    )


def correlations_range(value: float) -> InputError:
    return InputError(f"correlations holds {value:g}; canonical correlations lie between 0 and 1, largest first.")


def correlations_kind(values: Any) -> InputError:
    return InputError(
        f"correlations={shortened(values)} but it must be one row of numbers between 0 and 1, largest first, or a "
        f"fitted CCA or LDA."
    )


def correlations_order(values: Any) -> InputError:
    return InputError(f"correlations={shortened(values)} must be sorted, largest first: sorted(correlations)[::-1].")


def correlations_count(found: int, p: int, s: int) -> InputError:
    return InputError(
        f"correlations holds {found} numbers but tables of p={p} and s={s} columns have {min(p, s)} pairs; give one "
        f"for each."
    )


def no_estimator(argument: str, value: Any, example: str) -> InputTypeError:
    what = f"the class {value.__name__}" if isinstance(value, type) else shortened(value)
    return InputTypeError(f"{argument} is {what}, but it must be an estimator; give an instance, such as {example}.")
