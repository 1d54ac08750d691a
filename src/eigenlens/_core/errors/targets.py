"""Weights and labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._kinds import InputError, WeightWarning, listed, plain


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
    return InputError(
        f"y has one class ({plain(label)!r}) but a classifier needs at least two; there is nothing to separate."
    )


def unknown_class(labels: Iterable[Any], classes: Iterable[Any]) -> InputError:
    return InputError(
        f"y has labels {listed(map(repr, labels))} that are not among classes={listed(map(repr, classes))}; "
        f"correct them, or leave classes out: they are found on the way."
    )
