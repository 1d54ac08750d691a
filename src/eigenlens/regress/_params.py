"""Refusals of parameters, each a sentence with the name, the value, the rule and the way out."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_number(
    name: str, value: Any, low: float, high: float = np.inf, *, integer: bool = False, above: bool = False
) -> None:
    """Refuse a parameter that is not a number from low (or, with `above`, beyond it) to high."""
    word = "an integer" if integer else "a number"
    kind = numbers.Integral if integer else numbers.Real
    if isinstance(value, bool | np.bool_) or not isinstance(value, kind):
        raise TypeError(f"{name}={value!r} but {name} must be {word}; use {name}={max(low, 1):g}, for example")
    number = float(value)
    if not ((number > low if above else number >= low) and number <= high):
        rule = f"{'>' if above else '≥'} {low:g}" + ("" if high == np.inf else f" and ≤ {high:g}")
        raise ValueError(f"{name}={value!r} but {name} must be {word} {rule}; use a value in that range")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuse a word that is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(c) for c in choices)
        raise ValueError(f"{name}={value!r} but {name} must be one of {listed}; use {name}={choices[0]!r}")


def warn_if_relative(w: NDArray[np.float64]) -> None:
    """Tell a user whose weights sum to far less than the rows that weights count rows here."""
    if w.sum() < 0.5 * w.size:
        warnings.warn(
            f"sample_weight sums to {w.sum():.3g} over {w.size} rows, and weights count rows: smoothness is "
            f"chosen as for {w.sum():.3g} rows; if the weights are relative, scale them to sum to {w.size}",
            UserWarning,
            stacklevel=4,
        )
