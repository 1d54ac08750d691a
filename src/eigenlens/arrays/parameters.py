"""What every estimator does around a fit: it refuses parameters that no data could make right, and fails cleanly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import isfunction
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.utils import check_random_state

from . import errors, memory

Method = TypeVar("Method", bound=Callable[..., Any])

CHANGES = ("fit", "partial_fit", "set_")  # beginnings of the names of methods that change their model


def is_number(value: Any, *, integer: bool = False) -> bool:
    """Tell whether a parameter is a number; True and False are not."""
    return isinstance(value, Integral if integer else Real) and not isinstance(value, bool | np.bool_)


def check_number(
    name: str, value: Any, low: float, high: float = inf, *, integer: bool = False, above: bool = False
) -> None:
    """Refuse a parameter that is not a finite number from low (or, with `above`, beyond it) to high."""
    right_kind = is_number(value, integer=integer)
    if right_kind and isfinite(value) and (value > low if above else value >= low) and value <= high:
        return
    word = "an integer" if integer else "a number" if high < inf else "a finite number"
    span = f"above {low:g}" if above else f"of at least {low:g}"
    rule = f"{word} {span}" + (f" and at most {high:g}" if high < inf else "")
    raise errors.number(name, value, rule) if right_kind else errors.number_kind(name, value, rule)


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Refuse a word that is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise errors.option(name, value, choices)


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise errors.option(name, value, (True, False))


def seed_of(random_state: Any) -> int:
    """Return a seed: a whole number is one, None asks for a new one, a generator draws it."""
    if random_state is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if not is_number(random_state, integer=True) or random_state < 0:
        kind = errors.InputError if is_number(random_state, integer=True) else errors.InputTypeError
        raise kind(
            f"random_state={random_state!r} but it must be a whole number of at least 0, None, or a NumPy Generator or "
            "RandomState; pass a number for repeatable results."
        )
    return int(random_state)


def check_seed(random_state: Any) -> None:
    """Refuse what cannot seed, without drawing from what can."""
    if random_state is not None and not isinstance(random_state, np.random.Generator | np.random.RandomState):
        seed_of(random_state)


def random_from(random_state: Any) -> np.random.RandomState:
    """Return the source of random numbers that scikit-learn's helpers take; a small whole number seeds it as there."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return check_random_state(random_state)
    return np.random.RandomState(seed_of(random_state) % 2**32)


def check_count(value: Any, auto: bool = False) -> None:
    """Refuse an `n_components` that is neither None nor a positive integer, nor "auto" where a test can choose."""
    if value is None or (is_number(value, integer=True) and value >= 1):
        return
    if not (auto and isinstance(value, str) and value == "auto"):
        raise errors.components_kind(
            value, 'a positive integer, "auto" or None' if auto else "a positive integer or None"
        )


def published_at_once(fit: Method) -> Method:
    """Let a method that fits work on a copy of the model, and publish what it found in one assignment.

    So other threads see one fit or the other, and a fit that fails leaves the model as it was, Ctrl-C included. Memory
    that ends on the way, where it could not be foreseen, is told in our own words.
    """

    @wraps(fit)
    def published(self: Any, *args: Any, **options: Any) -> Any:
        work = object.__new__(type(self))
        work.__dict__ = self.__dict__.copy()
        try:
            fit(work, *args, **options)
        except BaseException as error:
            if memory.ran_out(error):
                raise errors.TooLargeError(
                    f"Memory ran out during the fit of {type(self).__name__} ({error or 'no size given'}); the model "
                    "is as it was. Use fewer rows or columns, or give the process more memory."
                ) from error
            raise
        self.__dict__ = work.__dict__
        return self

    return cast(Method, published)


def of_one_fit(method: Method) -> Method:
    """Let a method answer from the fit that is there when it begins, whatever other threads publish meanwhile."""

    @wraps(method)
    def answered(self: Any, *args: Any, **options: Any) -> Any:
        view = object.__new__(type(self))
        view.__dict__ = self.__dict__
        return method(view, *args, **options)

    answered.of_one_fit = True  # type: ignore[attr-defined]
    return cast(Method, answered)


class AnswersOfOneFit:
    """Its public methods and properties answer `of_one_fit`, except those that change the model.

    Classes of others are left as they are: they may derive from ours, and mix in what they like.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for base in cls.__mro__:
            if not base.__module__.startswith("eigenlens."):
                continue
            for name, found in list(vars(base).items()):
                if name.startswith("_") or name.startswith(CHANGES):
                    continue
                if isinstance(found, property):
                    if found.fget is not None and not hasattr(found.fget, "of_one_fit"):
                        setattr(base, name, property(of_one_fit(found.fget), found.fset, found.fdel, found.__doc__))
                elif isfunction(found) and not hasattr(found, "of_one_fit"):
                    setattr(base, name, of_one_fit(found))
