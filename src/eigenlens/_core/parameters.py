"""What every estimator does around a fit: it refuses parameters that no data could make right, and fails cleanly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from . import errors, limits


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


@contextmanager
def unchanged_on_failure(model: Any) -> Iterator[None]:
    """Give a model back the attributes it had, whatever is raised inside a `with` block, Ctrl-C included.

    Memory that ends on the way, where it could not be foreseen, is told in our own words.
    """
    before = model.__dict__.copy()
    limits.settle_blas()
    try:
        yield
    except BaseException as error:
        model.__dict__.clear()
        model.__dict__.update(before)
        if limits.ran_out(error):
            raise errors.TooLargeError(
                f"Memory ran out during the fit of {type(model).__name__} ({error or 'no size given'}); the model is "
                "as it was. Use fewer rows or columns, or give the process more memory."
            ) from error
        raise
