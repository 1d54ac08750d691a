"""Wording about distances and kernels."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import log10
from typing import Any

from ...exceptions import ConditionWarning, InputError, InputTypeError
from .wording import listed


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
        f"Logarithm(a), Rational(a), Power(p), Measure(g), or a composition f @ g."
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
