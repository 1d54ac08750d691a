"""What arithmetic cannot do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._kinds import (
    ConditionWarning,
    InputError,
    NotConvergedWarning,
    RangeWarning,
    RankWarning,
    listed,
)


def no_noise(rank: int, p: int) -> InputError:
    return InputError(
        f"The likelihood does not exist: the components leave no variance for the noise "
        f"(rank {rank} of {p} columns). Use fewer components than the rank, or drop collinear columns."
    )


def mle_needs_full_rank(rank: int, p: int) -> InputError:
    why = f"the evidence needs a covariance of full rank, and this one has rank {rank} of {p}"
    return InputError(f"n_components='mle' but {why}; use 'parallel', 'mp' or a share.")


def fourth_powers() -> InputError:
    return InputError(
        "shrinkage='ledoit-wolf' needs fourth powers of X, which overflow or vanish here; rescale the columns of X."
    )


def not_scores(found: int, k: int) -> InputError:
    return InputError(f"X has {found} columns but the model has {k} components; pass scores, as transform gives them.")


def columns_differ(name: str, found: int, fitted: int) -> InputError:
    return InputError(f"{name} has {found} columns but the model was fitted with {fitted}; pass the same columns.")


def column_names_differ(name: str, found: Iterable[str], fitted: Iterable[str]) -> InputError:
    return InputError(
        f"{name} has columns {listed(found)} but the model was fitted with {listed(fitted)}; "
        f"pass the same columns in the same order."
    )


def too_few_to_test(n: float, p: int, s: int) -> InputError:
    return InputError(f"n={n:g} rows are too few to test {p} and {s} columns: normal theory needs over {p + s + 1}.")


def other_space(found: int, p: int) -> InputError:
    return InputError(f"other has {found} coordinates but this subspace has {p}; both must lie in the same space.")


def other_dimension(found: int, k: int) -> InputError:
    return InputError(
        f"other has {found} directions but this subspace has {k}; a basis is rotated to one of as many directions."
    )


def empty_directions(rank: int, k: int) -> RankWarning:
    return RankWarning(
        f"X has rank {rank} but n_components={k}: {k - rank} component(s) have no variance; ask for fewer."
    )


def rank_deficient(what: str, rank: int, count: int, counted: str, advice: str) -> RankWarning:
    return RankWarning(f"{what} has rank {rank} but {count} {counted}: {count - rank} direction(s) left out. {advice}")


def ill_conditioned(what: str, condition: float, digits: float) -> ConditionWarning:
    return ConditionWarning(
        f"{what} has condition {condition:.1e}; moments square it, so that about {max(digits, 0):.0f} digits of the "
        f"weakest direction are right. Fit on rows that can be read again (an array), or drop nearly collinear columns."
    )


def not_converged(max_iter: int, what: str, moved: float, tol: float, advice: str) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"max_iter={max_iter} sweeps ended while {what} still moved by {moved:.1e} of itself a sweep (tol={tol:g}). "
        f"{advice}"
    )


def not_representable(what: str, dtype: Any, advice: str) -> RangeWarning:
    return RangeWarning(f"{what} cannot be represented in {dtype}: {advice}")
