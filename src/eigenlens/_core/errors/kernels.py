"""Wording of what can go wrong with kernels, kernel matrices and kernel machines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import log10
from typing import Any

from ._kinds import ConditionWarning, EigenlensWarning, InputError, InputTypeError, listed


class LandmarkWarning(EigenlensWarning):
    """Landmarks miss a large part of the kernel."""


class IndefiniteWarning(EigenlensWarning):
    """Negative eigenvalues of a kernel matrix were set to zero."""


def columns_of_points(p: int, q: int) -> InputError:
    return InputError(f"X has {p} columns and Z has {q}; a kernel compares rows of the same columns.")


def unresolved(kernel: Any) -> InputError:
    return InputError(
        f"{kernel!r} leaves a parameter to the rows (None), and the rows of X and of Z may disagree. Give it a "
        f"number, or take it from rows first: kernel.fitted(X)(X, Z)."
    )


def not_a_kernel(value: Any, names: Sequence[str]) -> InputTypeError:
    return InputTypeError(
        f"kernel={value!r} is not a kernel. Use one of eigenlens.kernels (such as Gaussian()), one of the names "
        f"{listed(names, 20)}, or a function of two tables that returns their kernel matrix."
    )


def kernel_shape(kernel: str, shape: Any, n: int, m: int) -> InputError:
    return InputError(
        f"The kernel function {kernel} returned shape {shape} for {n} rows against {m}; it must return one number for "
        f"each pair, of shape ({n}, {m})."
    )


def kernel_not_finite(kernel: str, row: int, column: int) -> InputError:
    return InputError(
        f"The kernel {kernel} gave NaN or infinity (the first for row {row} against point {column}). Scale the "
        f"columns, or mend the function."
    )


def not_square(shape: Sequence[int]) -> InputError:
    return InputError(
        f"A precomputed kernel matrix must be square in fit, one row and one column for each row, but X has shape "
        f"{tuple(shape)}. Pass k(X, X) to fit, and k(new, X) to what follows."
    )


def asymmetric(i: int, j: int, one: float, other: float) -> InputError:
    return InputError(
        f"The precomputed kernel matrix is not symmetric: entry ({i}, {j}) is {one:.6g} and entry ({j}, {i}) is "
        f"{other:.6g}. If the difference means nothing, pass (K + K.T) / 2."
    )


def indefinite(eigenvalue: float, largest: float) -> InputError:
    return InputError(
        f"The kernel matrix is not positive semidefinite: its smallest eigenvalue is {eigenvalue:.6g} (the largest is "
        f"{largest:.6g}). Use a positive definite kernel, or Precomputed(clip=True), which sets negative ones to zero."
    )


def clipped(eigenvalue: float, largest: float) -> IndefiniteWarning:
    return IndefiniteWarning(
        f"Negative eigenvalues of the kernel matrix, down to {eigenvalue:.6g} (the largest is {largest:.6g}), were "
        f"set to zero, as clip=True asks."
    )


def not_a_product_kernel(order: int) -> InputError:
    return InputError(
        f"A product of kernels needs positive definite ones, but one is conditionally positive definite of order "
        f"{order}. Add it instead, or use it alone."
    )


def conditional(kernel: Any, order: int, what: str, way_out: str) -> InputError:
    return InputError(f"{kernel!r} is positive definite only conditionally (of order {order}), and {what}; {way_out}.")


def column_choice(columns: Any, p: int) -> InputError:
    return InputError(
        f"on({columns!r}) does not suit rows of {p} columns; name at least one column, by numbers from 0 to {p - 1}."
    )


def precomputed_alone(what: str) -> InputError:
    return InputError(f"Precomputed kernels cannot be {what}; do it with the matrices, and pass the result.")


def precomputed_landmarks() -> InputError:
    return InputError(
        "n_landmarks needs a kernel that can be evaluated, but this one is precomputed: the n×n matrix is there "
        "already. Leave n_landmarks out."
    )


def too_few_columns(kernel: str, order: int, p: int) -> InputError:
    return InputError(
        f"{kernel}(order={order}) needs 2·order > p, but there are p = {p} columns; use order ≥ {p // 2 + 1}."
    )


def no_wavelets() -> ImportError:
    return ImportError(
        "Daubechies wavelets come from PyWavelets, which is not installed: pip install eigenlens[wavelets]. "
        "Wavelet('morlet') does without."
    )


def unknown_wavelet(name: Any, known: Sequence[str]) -> InputError:
    return InputError(
        f"wavelet={name!r} is not an orthogonal wavelet with a scaling function; use 'morlet' or one of "
        f"{listed(known, 8)}."
    )


def kernels_differ(one: Any, other: Any) -> InputError:
    return InputError(
        f"The functions live in different spaces: one has the kernel {one!r}, the other {other!r}. Sums and inner "
        f"products need the same kernel with the same parameters."
    )


def coefficient_shape(shape: Sequence[int], m: int) -> InputError:
    return InputError(
        f"coefficients has shape {tuple(shape)} but there are {m} points; give one number for each point, or one row "
        f"of numbers for several functions."
    )


def function_counts(one: int, other: int) -> InputError:
    return InputError(f"One side holds {one} functions and the other {other}; take one of them with f[j].")


def no_norm(kernel: Any, order: int) -> InputError:
    return InputError(
        f"{kernel!r} is conditionally positive definite of order {order}: it has inner products only for coefficients "
        f"orthogonal to polynomials of degree below {order}, and these are not."
    )


def landmarks_miss(share: float, m: int) -> LandmarkWarning:
    return LandmarkWarning(
        f"{m} landmarks miss {share:.1%} of the kernel (share of its trace); the result is that of a coarser kernel. "
        f"Use more landmarks, or a larger bandwidth."
    )


def no_probability(loss: str) -> AttributeError:
    return AttributeError(f"loss={loss!r} has no probabilities; use loss='logistic'.")


def path_needs_squares(loss: str, lam: Any) -> InputError:
    return InputError(
        f"lam={lam!r} needs loss='squared', which alone gives all λ from one decomposition; with loss={loss!r} give a "
        f"number, or choose one with GridSearchCV."
    )


def lams_shape(value: Any) -> InputError:
    return InputError(
        f"lams={value!r} must be a list of positive finite numbers; leave it out for a grid made to measure."
    )


LARGER = "Use a larger lam; with a linear or polynomial kernel, scale the columns."


def lam_small(lam: float, trace: float, lost: float) -> ConditionWarning:
    return ConditionWarning(
        f"lam={lam:.3g} is so far below the kernel matrix (trace {trace:.3g}) that rounding may change fitted values "
        f"by {min(lost, 1.0):.0e} of the responses. {LARGER}"
    )


def far_from_origin(whole: float, left: float, where: str = "without what centring takes out") -> ConditionWarning:
    digits = max(0, int(-log10(sys.float_info.epsilon * whole / left)))
    return ConditionWarning(
        f"The kernel matrix has the trace {whole:.3g}, and {left:.3g} {where}, so that about {digits} "
        f"digits are left there: the rows lie far from the origin of the kernel. Subtract the means of the columns "
        f"first, or use a kernel of differences, such as Gaussian()."
    )


def lam_lost(lam: float, trace: float) -> ConditionWarning:
    return ConditionWarning(
        f"lam={lam:.3g} is lost in the rounding of the kernel matrix (trace {trace:.3g}); the fit leaves out every "
        f"axis whose eigenvalue is rounding as well. {LARGER}"
    )


def rows_alike() -> InputError:
    return InputError(
        "X: all rows are the same to the kernel, so that there is no axis to find. Look at the columns (constant?) and "
        "at the bandwidth (far above all distances?)."
    )


def no_landmarks() -> InputError:
    return InputError(
        "n_landmarks: k(x, x) is 0 for every row of X, so that no row can stand for others; use all rows."
    )
