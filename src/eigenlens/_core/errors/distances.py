"""Wording for distances: tables that are none, transforms, repairs and maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._kinds import EigenlensWarning, InputError, InputTypeError, NotConvergedWarning, RankWarning


class PrecomputedWarning(EigenlensWarning):
    """Rows of features look like a table of distances."""


class SelfDistanceWarning(EigenlensWarning):
    """A metric finds rows at a distance from themselves."""


# -- tables of distances -------------------------------------------------------------------------------------------


def not_square(name: str, shape: Sequence[int]) -> InputError:
    return InputError(
        f"{name} should be a square matrix of distances between the same points, but it has shape {tuple(shape)}. "
        f"Pass an n × n table or its condensed form (scipy.spatial.distance.squareform); for rows of features name a "
        f"metric, such as metric='euclidean'."
    )


def condensed_length(name: str, length: int) -> InputError:
    return InputError(
        f"{name} has {length} entries, which is no number of pairs n(n − 1)/2; a condensed table of distances holds "
        f"one entry for each pair i < j. Pass the square table instead."
    )


def unobserved(name: str, count: int, i: int, j: int, kind: str = "NaN") -> InputError:
    return InputError(
        f"{name} contains {kind} ({count} entries, the first in row {i}, column {j}): classical scaling needs every "
        f"distance. Leave such points out, estimate the missing ones (for example by shortest paths through the known "
        f"ones, scipy.sparse.csgraph.shortest_path), or use a method that fits known pairs only, such as "
        f"sklearn.manifold.MDS."
    )


def asymmetric(name: str, i: int, j: int, there: float, back: float, allowed: float, way_out: str) -> InputError:
    return InputError(
        f"{name} is not symmetric: entry ({i}, {j}) is {there:.10g} but entry ({j}, {i}) is {back:.10g}, a difference "
        f"of {abs(there - back):.3g} where {allowed:.1g} could be rounding (largest difference of all). {way_out}"
    )


def negative_distance(name: str, count: int | None, i: int, j: int, value: float) -> InputError:
    many = "" if count is None else f"{count} "
    return InputError(
        f"{name} has {many}negative entries (the least is {value:.6g} in row {i}, column {j}), but distances are at "
        f"least 0. If these are similarities s, pass distances made from them, such as sqrt(s_ii + s_jj - 2 s_ij)."
    )


def nonzero_diagonal(name: str, i: int, value: float) -> InputError:
    return InputError(
        f"{name} has {value:.6g} in row {i} of its diagonal, but a point is at distance 0 from itself. Set it "
        f"to 0, or, if these are similarities, make distances of them first."
    )


def squares_out_of_range(name: str) -> InputError:
    return InputError(
        f"{name} holds distances whose squares overflow or vanish in float64; multiply them by a power of ten that "
        f"brings them near 1."
    )


def metric_named(metric: Any) -> str:
    """Name a metric: a function by its name, not by where it lies in memory."""
    return f"metric={metric!r}" if isinstance(metric, str) else f"metric={getattr(metric, '__name__', metric)}"


def looks_precomputed(n: int, metric: Any) -> PrecomputedWarning:
    return PrecomputedWarning(
        f"X is a symmetric {n} × {n} table with 0 on its diagonal, as distances have it, but {metric_named(metric)} "
        f"takes its rows as features. If these are distances, use metric='precomputed'."
    )


def metric_not_finite(metric: Any, i: int, j: int) -> InputError:
    return InputError(
        f"{metric_named(metric)} gives NaN or infinity (first between rows {i} and {j}); look at these rows (a row of "
        f"zeros has no direction, a constant row no correlation), or use another metric."
    )


def metric_unknown(metric: Any, params: dict[str, Any], cause: Exception) -> InputError:
    given = f" with metric_params={params!r}" if params else ""
    said = str(cause).splitlines()[0] if str(cause) else type(cause).__name__  # some go on to print all rows
    return InputError(
        f"{metric_named(metric)} cannot be computed{given} ({said}). Use 'precomputed', a function of two rows, or a "
        f"name that scikit-learn or SciPy knows, such as 'euclidean', 'cityblock', 'cosine' or 'braycurtis', with "
        f"metric_params that it takes."
    )


def metric_params_kind(value: Any) -> InputTypeError:
    return InputTypeError(f"metric_params={value!r} but it must be a dict of arguments of the metric, or None.")


def metric_of_itself(metric: Any, i: int, value: float) -> SelfDistanceWarning:
    return SelfDistanceWarning(
        f"{metric_named(metric)} gives {value:.6g} between row {i} and itself; 0 is taken in its place, as for every "
        f"distance. If it is a similarity s, use distances made from it, such as sqrt(s_ii + s_jj - 2 s_ij)."
    )


def metric_kind(metric: Any) -> InputTypeError:
    return InputTypeError(f"metric={metric!r} but it must be a name, 'precomputed', or a function of two rows.")


def coefficient_sum(total: float) -> InputError:
    return InputError(f"weights sum to {total:.10g} but those of a centre sum to 1; divide them by their sum.")


def not_numbers(name: str, value: Any, wanted: str) -> InputTypeError:
    text = " ".join(repr(value).split())
    text = text if len(text) <= 60 else f"{text[:57]}…"
    return InputTypeError(f"{name}={text} cannot be read as numbers; pass {wanted}.")


def coefficient_shape(shape: Sequence[int], n: int) -> InputError:
    return InputError(f"weights has shape {tuple(shape)} but must be one number per point, shape ({n},).")


# -- transforms ----------------------------------------------------------------------------------------------------


def negative_squares(
    value: float, rule: str = "Schoenberg transforms act on squared distances", name: str = "D2"
) -> InputError:
    return InputError(
        f"{name} holds {value:.6g}, but {rule}, which are finite and at least 0. Pass distances squared (D**2)."
    )


def no_transform(name: str, value: Any) -> InputTypeError:
    return InputTypeError(
        f"{name}={value!r} is no Schoenberg transform; use one of eigenlens.distances: Identity(), Exponential(a), "
        f"Logarithm(a), Rational(a), Power(p), Measure(g), or a composition f @ g."
    )


def measure_kind(value: Any) -> InputTypeError:
    return InputTypeError(
        f"g={value!r} is no measure; pass a density (a function of λ > 0 that takes arrays) or atoms: {{λ: mass}} or "
        f"a list of pairs (λ, mass)."
    )


def measure_values(what: str, at: float, value: float) -> InputError:
    return InputError(f"g: {what} is {value:.6g} at λ={at:.6g}, but a measure on λ ≥ 0 is finite and not negative.")


def measure_support(support: Any) -> InputError:
    return InputError(f"support={support!r} but it must be a pair 0 ≤ low < high of numbers; high may be infinite.")


def measure_empty() -> InputError:
    return InputError("g is zero everywhere it was looked at: every distance would become 0. Name its support=.")


def measure_not_admissible(end: str, share: float) -> InputError:
    return InputError(
        f"g is not admissible: ∫ g(λ)/(1 + λ) dλ must be finite, but towards λ → {end} its integrand does not die away "
        f"({share:.1e} of the whole is left at the last node). Use a density that decays, or a finite support=."
    )


def quadrature_unsettled(change: float, tol: float) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"The quadrature of g still changed by {change:.1e} of its value at the finest step (allowed {tol:.0e}): the "
        f"density has jumps or spikes. Name its support=, split it into parts, or give atoms."
    )


# -- maps ----------------------------------------------------------------------------------------------------------


def too_few_positive(found: int, k: int, euclidean: bool) -> RankWarning:
    if found == 0:
        return RankWarning("All distances are 0: the points coincide, and the map is 0.")
    repair = ", or repair the distances (correction='lingoes')"
    return RankWarning(
        f"n_components={k} but the distances have {found} positive eigenvalue(s): the other {k - found} column(s) of "
        f"the map are 0. Ask for n_components={found}{'' if euclidean else repair}."
    )


def landmarks_few(value: int, k: int, n: int) -> InputError:
    return InputError(
        f"n_landmarks={value} but {k} axes need at least {k + 1} landmarks, and there are {n} rows; use between "
        f"{k + 1} and {n}."
    )


def maps_differ(shape: Sequence[int], target: Sequence[int]) -> InputError:
    return InputError(
        f"target has shape {tuple(target)} but the map has {tuple(shape)}; align maps of the same points, with at "
        f"least as many columns in the target."
    )
