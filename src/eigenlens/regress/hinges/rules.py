"""From the parameters of the estimator to the rules of the search; every refusal is worded here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ...arrays import errors
from ...arrays.parameters import check_choice, check_flag, check_number
from ..regressor import column


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
    check_number("degree", model.degree, 1, integer=True)
    check_number("tol", model.tol, 0.0, 1.0)
    for name, least in (("max_terms", 1), ("min_span", 1), ("end_span", 1), ("fast_k", 0)):
        if getattr(model, name) is not None:
            check_number(name, getattr(model, name), least, integer=True)
    if model.penalty is not None:
        check_number("penalty", model.penalty, -1.0)
    if model.prune is not None:
        check_choice("prune", model.prune, ("gcv", "cv"))
    check_flag("allow_linear", model.allow_linear)
    friedman = 2.0 if model.degree == 1 else 3.0
    return Rules(
        degree=int(model.degree),
        max_terms=min(200, max(20, 2 * p)) + 1 if model.max_terms is None else int(model.max_terms),
        penalty=friedman if model.penalty is None else float(model.penalty),
        tol=float(model.tol),
        min_span=model.min_span,
        end_span=model.end_span,
        fast_k=model.fast_k,
        allow_linear=bool(model.allow_linear),
        allowed=_allowed(model, p, names),
        straight=frozenset(column("linear", f, names) for f in _listed("linear", model.linear)),
        names=tuple(names),
    )


def _listed(name: str, value: Any) -> Any:
    """Return a list of features, nothing for None; a single feature is not taken for a list."""
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Collection):
        what = "(feature, feature), …" if name == "forbidden" else "feature, …"
        raise errors.InputTypeError(f"{name}={value!r} but it is a list; use [{what}], or None.")
    return value


def _allowed(model: Any, p: int, names: Sequence[str]) -> Callable[[frozenset[int], int], bool]:
    if model.interactions is None:
        social = frozenset(range(p))
    else:
        social = frozenset(column("interactions", f, names) for f in _listed("interactions", model.interactions))
    apart = set()
    for pair in _listed("forbidden", model.forbidden):
        if isinstance(pair, str) or not isinstance(pair, Collection) or len(pair) != 2:
            raise errors.InputError(f"forbidden holds {pair!r} but it is a list of pairs; use [(feature, feature), …].")
        apart.add(frozenset(column("forbidden", f, names) for f in pair))

    def allowed(features: frozenset[int], j: int) -> bool:
        if not features:
            return True
        if j not in social or not features <= social:
            return False
        return not any(frozenset((i, j)) in apart for i in features)

    return allowed
