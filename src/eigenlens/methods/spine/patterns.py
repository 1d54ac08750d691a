"""Moments that take rows with holes, their completion by maximum likelihood, and what is said about new rows.

A method with `missing="ml"` keeps moments for each pattern of holes. Before its problem is posed they become, by
maximum likelihood, those of a sample without holes; everything after that is the method as it always is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import errors, linalg, namespaces
from ...arrays.typing import Array
from ...moments import Cross, Grouped, Mixed, MixedPatterns, Moments, Patterns
from ...moments.completion import Completed, fit
from ...moments.conditional import Conditional
from ...moments.low_rank import fit_low_rank
from ...solve import Form


def taking_holes(needed: Moments) -> Moments:
    """Return empty moments of the same form that take rows with holes."""
    if isinstance(needed, Grouped):
        return Grouped(Patterns, meaning=needed.meaning)  # type: ignore[arg-type]
    if isinstance(needed, Mixed):
        return MixedPatterns(type(needed.numbers))
    return Cross(Patterns) if isinstance(needed, Cross) else Patterns()  # type: ignore[arg-type]


def patterns_in(moments: Any) -> Patterns | None:
    """Return the patterns of holes that moments keep, None where they keep no such thing."""
    found = getattr(moments, "inner", None)
    return found if isinstance(found, Patterns) else None


def keeps_patterns(moments: Any) -> bool:
    """Tell whether moments are of the kind that takes rows with holes."""
    if isinstance(moments, MixedPatterns):
        return True
    return moments.of is Patterns if isinstance(moments, Grouped) else patterns_in(moments) is not None


def share_missing(moments: Any) -> float:
    """Return the share of cells that are missing, of the rows that observe something."""
    found = patterns_in(moments)
    if found is None or not found.n_rows:
        return 0.0
    return float(found.weights @ (~found.masks).sum(axis=1)) / (found.weight * found.n_features)


def completed(moments: Any, pooled: bool, names: list[str] | None, rank: int | None = None) -> Completed:
    """Return moments that a sample without holes would have given, by maximum likelihood.

    Parameters
    ----------
    moments : Patterns, Grouped or Cross
        Moments that keep no patterns come back as they are.
    pooled : bool
        Whether groups share one covariance.
    names : list of str, optional
        Columns, for messages.
    rank : int, optional
        Directions of probabilistic PCA, in place of a full covariance.
    """
    if not keeps_patterns(moments):
        return Completed(moments)
    if isinstance(moments, Grouped) and len(moments.labels) == 0:
        return Completed(moments)
    if rank is not None and share_missing(moments) > 0:
        return fit_low_rank(moments, rank, names=names)
    found = fit(moments, names=names, pooled=pooled)
    return found if rank is None else replace(found, log_likelihood=None)


def law_of(means: Array, form: Form, unit: Array) -> Conditional | None:
    """Return the normal law of means, in the units of the data, and a covariance over unit²; None where singular."""
    host = namespaces.to_numpy(means)
    try:
        return Conditional(host, form, np.broadcast_to(namespaces.to_numpy(unit), host.shape[-1:]))
    except errors.InputError:
        return None


def require_law(law: Conditional | None) -> Conditional:
    """Refuse missing cells if the method has no model for them."""
    if law is None:
        raise errors.InputError(
            "X contains NaN, and the covariance of the fit is singular, so a missing cell has no "
            "distribution given the others; leave out columns that the others determine, or pass rows without NaN."
        )
    return law


def with_holes(X: Array, plain: Callable[[Array], Array], holed: Callable[[np.ndarray], np.ndarray]) -> Array:
    """Apply one function to rows that are whole and another to rows with NaN.

    Parameters
    ----------
    X : array of shape (n, p)
    plain : callable
        Of all rows, NaN replaced; what it says about rows with holes is not looked at.
    holed : callable
        Of the rows with holes, in float64 on the host.
    """
    xp = namespaces.namespace(X)
    if namespaces.is_sparse(X) or not bool(xp.any(xp.isnan(X))):
        return plain(X)
    host = namespaces.floats(X)
    lacking = np.isnan(host).any(axis=1)
    result = np.array(namespaces.to_numpy(plain(xp.where(xp.isnan(X), xp.zeros_like(X), X))))
    result[lacking] = holed(host[lacking])
    return namespaces.like(result, X)


def filled(X: Array, law: Conditional | None) -> Array:
    """Return rows whose missing cells are their expectation given the observed ones."""
    return with_holes(X, lambda block: block, lambda rows: require_law(law).filled(rows))


def expected_over_groups(law: Conditional, rows: np.ndarray, log_odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows filled with Σ P(g | x_o) E[x | x_o, g], and the standard deviations of their holes.

    Parameters
    ----------
    law : Conditional
        Its first means are those of the groups.
    rows : ndarray of shape (n, p)
    log_odds : ndarray of shape (n, G)
        Log-posteriors of the groups, up to what all share.
    """
    posterior = np.exp(linalg.log_softmax(log_odds))
    mean = filled_first = law.filled(rows, 0)
    total, square = np.zeros_like(mean), np.zeros_like(mean)  # about the first group: its size takes no digit
    for g in range(1, posterior.shape[1]):
        apart = law.filled(rows, g) - filled_first
        total += posterior[:, g, None] * apart
        square += posterior[:, g, None] * apart**2
    mean = filled_first + total
    spread = np.sqrt(law.standard_errors(rows) ** 2 + np.maximum(square - total**2, 0.0))
    return mean, np.where(np.isnan(rows), spread, 0.0)
