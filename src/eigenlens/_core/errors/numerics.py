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
    SeparationError,
    listed,
)


def no_within_variance(columns: Iterable[str]) -> SeparationError:
    columns = list(columns)
    one = len(columns) == 1
    return SeparationError(
        f"X: {_columns(columns)} {'is' if one else 'are'} constant within every class but "
        f"{'differs' if one else 'differ'} between classes, so that {'its' if one else 'their'} discriminant ratio is "
        f"infinite: {'the column alone separates' if one else 'these columns alone separate'} classes. Drop "
        f"{'the column' if one else 'them'}, or use shrinkage."
    )


def no_variance_within() -> InputError:
    return InputError(
        "X: every column is constant within every class, so that there is no spread within classes to divide by: the "
        "classes can be read off the columns. Add columns that vary, or leave the question."
    )


def _columns(columns: list[str]) -> str:
    return f"column{'' if len(columns) == 1 else 's'} {listed(columns)}"


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


def all_constant(name: str) -> InputError:
    return InputError(f"{name}: every column is constant; nothing can be correlated with it. Leave the table out.")


def coefficient_overflow(columns: Iterable[str]) -> InputError:
    return InputError(
        f"X: {_columns(list(columns))}: values are so small that the coefficient overflows; multiply them by a large "
        f"number."
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
