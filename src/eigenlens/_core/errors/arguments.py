"""Arguments and moments that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ._kinds import InputError, InputTypeError, listed


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


def seed(value: Any) -> InputTypeError | InputError:
    kind = InputError if isinstance(value, int) and not isinstance(value, bool) else InputTypeError
    return kind(
        f"random_state={value!r} but it must be a whole number of at least 0, None, or a NumPy Generator or "
        f"RandomState; give a number for results that can be repeated."
    )


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
