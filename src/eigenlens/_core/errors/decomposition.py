"""What robust and sparse decompositions say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._kinds import EigenlensWarning, InputError, NotConvergedWarning, RankWarning, listed


class MissingWarning(EigenlensWarning):
    """So much is missing that the answer rests on little."""


def nothing_observed(what: str, numbers: Iterable[Any]) -> InputError:
    return InputError(
        f"X: {what} {listed(numbers)} holds nothing but NaN, so that nothing is known about it; leave it out."
    )


def little_observed(why: str) -> MissingWarning:
    return MissingWarning(
        f"X: {why}. The missing cells of low_rank_ are then guesses; drop rows and columns that are mostly NaN."
    )


def residual_left(max_iter: int, residual: float, tol: float) -> NotConvergedWarning:
    return NotConvergedWarning(
        f"max_iter={max_iter} was reached with a residual of {residual:.1e} (tol={tol:g}); raise max_iter, or tol "
        f"where that is close enough."
    )


def nothing_low_rank(lam: float) -> RankWarning:
    return RankWarning(
        f"lam={lam:.3g} is so small that the whole table counts as errors: low_rank_ is zero and there are no "
        f"components. Raise lam."
    )


def killed_components(components: Iterable[int]) -> RankWarning:
    return RankWarning(
        f"alpha is so large that component {listed(components)} has no nonzero loading and explains nothing. "
        f"Lower alpha, or ask for fewer components."
    )


def one_for_each(name: str, value: Any, k: int) -> InputError:
    return InputError(
        f"{name}={value!r} but it must be a single value or one for each of the {k} component(s); "
        f"pass a list of {k}, or set n_components."
    )
