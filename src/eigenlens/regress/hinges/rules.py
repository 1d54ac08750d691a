"""From the parameters of the estimator to the rules of the search; every refusal is worded here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any


@dataclass(frozen=True)
class Rules:
    """What the search may do: the parameters of the estimator with their defaults filled in."""

    degree: int
    max_terms: int
    penalty: float
    tol: float
    min_span: float | None  # None: Friedman's, by the weight in the support of a parent
    end_span: float | None
    fast_k: int | None
    allow_linear: bool
    allowed: Callable[[frozenset[int], int], bool]  # may the feature join a term of these features
    straight: frozenset[int]
    names: tuple[str, ...]


def make_rules(model: Any, p: int, names: Sequence[str]) -> Rules:
    """Check the parameters of an AdaptiveSplines for p features."""
    degree = _whole("degree", model.degree, 1, "1 is additive, 2 lets pairs interact")
    most = min(200, max(20, 2 * p)) + 1
    max_terms = (
        most if model.max_terms is None else _whole("max_terms", model.max_terms, 1, "the constant counts")
    )
    penalty = model.penalty
    if penalty is None:
        penalty = 2.0 if degree == 1 else 3.0
    elif not isinstance(penalty, Real) or not math.isfinite(penalty):
        raise ValueError(
            f"penalty={penalty!r} but it is the cost of a knot; use a number, or None for 2 or 3"
        )
    if not isinstance(model.tol, Real) or not 0 <= float(model.tol) < 1:
        raise ValueError(f"tol={model.tol!r} but it is a rise in R²; use a number from 0 to below 1")
    if model.prune not in ("gcv", "cv", None):
        raise ValueError(f'prune={model.prune!r} is unknown; use "gcv", "cv" or None')
    spans = {}
    for what in ("min_span", "end_span"):
        v = getattr(model, what)
        spans[what] = (
            None if v is None else float(_whole(what, v, 1, "1 tries every value, None is automatic"))
        )
    fast_k = (
        None if model.fast_k is None else _whole("fast_k", model.fast_k, 0, "0 or None tries every parent")
    )
    return Rules(
        degree=degree,
        max_terms=max_terms,
        penalty=float(penalty),
        tol=float(model.tol),
        fast_k=fast_k,
        allow_linear=bool(model.allow_linear),
        allowed=_allowed(model, p, names),
        straight=frozenset(column("linear", f, p, names) for f in model.linear or ()),
        names=tuple(names),
        **spans,
    )


def column(argument: str, feature: Any, p: int, names: Sequence[str]) -> int:
    """Column number of a feature given by number or name."""
    if isinstance(feature, str):
        if feature in names:
            return list(names).index(feature)
        raise ValueError(
            f"{argument} names {feature!r} but the features are {', '.join(names)}; use one of them"
        )
    if isinstance(feature, Integral) and not isinstance(feature, bool) and -p <= int(feature) < p:
        return int(feature) % p
    raise ValueError(
        f"{argument} holds {feature!r} but X has {p} columns; use a column number below {p} or a name"
    )


def _whole(argument: str, value: Any, least: int, hint: str) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    raise ValueError(f"{argument}={value!r} but it must be a whole number of at least {least} ({hint})")


def _allowed(model: Any, p: int, names: Sequence[str]) -> Callable[[frozenset[int], int], bool]:
    if model.interactions is None:
        social = frozenset(range(p))
    else:
        social = frozenset(column("interactions", f, p, names) for f in model.interactions)
    apart = set()
    for pair in model.forbidden or ():
        if isinstance(pair, str) or len(pair) != 2:
            raise ValueError(
                f"forbidden holds {pair!r} but it is a list of pairs; use [(feature, feature), …]"
            )
        apart.add(frozenset(column("forbidden", f, p, names) for f in pair))

    def allowed(features: frozenset[int], j: int) -> bool:
        if not features:
            return True
        if j not in social or not features <= social:
            return False
        return not any(frozenset((i, j)) in apart for i in features)

    return allowed
