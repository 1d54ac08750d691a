"""Regressions and subclasses of the discriminants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._kinds import (
    ConstantFitWarning,
    InputError,
    InputTypeError,
    NotConvergedWarning,
    PerfectFitWarning,
    SubclassWarning,
    listed,
    plain,
)


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
        f"regressor={kind} fits the classes of its own rows, or a contrast of them, exactly (canonical correlation 1), "
        f"so that the spread within classes cannot be measured there: posteriors will be near 0 or 1. Use a smoother "
        f"regressor (more neighbours, more penalty, fewer terms)."
    )


def both_given(name: str, value: Any, other: str, second: Any) -> InputError:
    return InputError(
        f"{name}={value!r} and {other}={second!r} are both given, but one decides; leave one of them out."
    )


def too_few_for_subclasses(label: Any, rows: float, wanted: int) -> InputError:
    return InputError(
        f"n_subclasses={wanted} for class {plain(label)!r}, which has only {rows:g} row(s), weights counted; give it "
        f"at most {max(int(rows), 1)}: a number for each class, in a list or as {{label: number}}, or leave the class "
        f"out."
    )


def subclasses_kind(value: Any, classes: Iterable[Any]) -> InputError:
    names = [str(label) for label in classes]
    return InputError(
        f"n_subclasses={value!r} is not understood for classes {listed(names)}; use a positive integer, a list of "
        f"{len(names)} of them in the order of classes_, a dict {{label: number}}, 'bic' or 'cv'."
    )


def start_kind(value: Any, n: int, counts: Sequence[int]) -> InputTypeError:
    return InputTypeError(
        f"init={value!r} cannot be read as numbers; give shares of shape ({n}, {sum(counts)}), one row for each row of "
        f"X and one column for each subclass, or None."
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
        f"class {plain(label)!r} keeps {left} of {asked} subclasses: the others were left without rows of their own "
        f"and merged into the rest. Ask for fewer with n_subclasses if that recurs."
    )


def not_settled(max_iter: int, gain: float, tol: float) -> NotConvergedWarning:
    change = f"still changed by {gain:.1e} a step" if gain < float("inf") else "was known for one step only"
    return NotConvergedWarning(
        f"max_iter={max_iter} ended EM while the mean log-likelihood of a row {change} (tol={tol:g}). "
        f"Raise max_iter or tol; tol=0 takes exactly max_iter steps and does not warn."
    )
