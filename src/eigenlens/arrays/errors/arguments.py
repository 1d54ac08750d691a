"""Wording about arguments and moments that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...exceptions import InputError, InputTypeError, TooLargeError
from .wording import listed, shortened


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


def moments_lack(needed: str, kept: str, option: str) -> InputTypeError:
    return InputTypeError(
        f"moments keep {kept} but {option} needs {needed}; collect them with that option set: fit(...).moments_."
    )


def moments_differ(what: str, ours: Any, theirs: Any) -> InputError:
    return InputError(f"These moments cannot be merged: {what} is {ours!r} on one side and {theirs!r} on the other.")


def empty_moments() -> InputError:
    return InputError("These moments have seen no row yet; update them with at least one block before fitting.")


def rows_needed(method: str, found: Any, need: int) -> InputError:
    return InputError(f"method={method!r} needs at least {need} rows and X has {found}; add rows.")


def values_needed(method: str, found: int, need: int, kind: str = "") -> InputError:
    return InputError(f"method={method!r} needs at least {need} {kind}eigenvalues and got {found}; give all of them.")


def columns_needed(method: str, found: int, need: int) -> InputError:
    return InputError(f"method={method!r} needs at least {need} columns and X has {found}; add columns.")


def no_estimator(argument: str, value: Any, example: str) -> InputTypeError:
    what = f"the class {value.__name__}" if isinstance(value, type) else shortened(value)
    return InputTypeError(f"{argument} is {what}, but it must be an estimator; give an instance, such as {example}.")


def too_large(what: str, needed: int, available: int, way_out: str) -> TooLargeError:
    return TooLargeError(f"{what} takes {_size(needed)} but {_size(available)} are available; {way_out}.")


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 2**30:.1f} GiB" if n_bytes >= 2**29 else f"{n_bytes / 2**20:.1f} MiB"
