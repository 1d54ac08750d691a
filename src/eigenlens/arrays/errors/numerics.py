"""Wording about what arithmetic cannot do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...exceptions import InputError, NotConvergedWarning, RangeWarning, RankWarning
from .wording import listed


def mle_needs_full_rank(rank: int, p: int) -> InputError:
    why = f"the evidence needs a covariance of full rank, and this one has rank {rank} of {p}"
    return InputError(f"n_components='mle' but {why}; use 'parallel', 'mp' or a share.")


def fourth_powers() -> InputError:
    return InputError(
        "shrinkage='ledoit-wolf' needs fourth powers of X, which overflow or vanish here; rescale the columns of X."
    )


def not_scores(found: int, k: int) -> InputError:
    return InputError(f"X has {found} columns but the model has {k} components; pass scores, as transform gives them.")


def column_names_differ(name: str, found: Iterable[str], fitted: Iterable[str]) -> InputError:
    return InputError(
        f"{name} has columns {listed(found)} but the model was fitted with {listed(fitted)}; "
        f"pass the same columns in the same order."
    )


def rank_deficient(what: str, rank: int, count: int, counted: str, advice: str) -> RankWarning:
    return RankWarning(f"{what} has rank {rank} but {count} {counted}: {count - rank} direction(s) dropped. {advice}")


def not_converged(max_iter: int, what: str, moved: float, tol: float, advice: str) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"After max_iter={max_iter} sweeps, {what} still changed by {moved:.1e} of itself per sweep (tol={tol:g}). "
        f"{advice}"
    )


def not_representable(what: str, dtype: Any, advice: str) -> RangeWarning:
    return RangeWarning(f"{what} cannot be represented in {dtype}: {advice}")


def residual_left(max_iter: int, residual: float, tol: float) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"max_iter={max_iter} was reached with a residual of {residual:.1e} (tol={tol:g}); raise max_iter, or tol "
        f"if that is close enough."
    )
