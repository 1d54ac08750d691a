"""Shrinking a covariance towards a multiple of the identity, or towards variances of its own."""

from __future__ import annotations

from ..arrays import errors, linalg, namespaces
from ..arrays.typing import Array
from .pencil import Form
from .ridged import plus_ridge


def shrunk(S: Form, intensity: float) -> Form:
    """Return (1 − a)S + a·tr(S)/p·I."""
    return plus_ridge(S, intensity * S.trace() / S.dimension, 1.0 - intensity)


def shrunk_to(S: Form, intensity: float, spread: Array) -> Form:
    """Return (1 − a)S + a·diag(spread²)."""
    return plus_ridge(S, intensity, 1.0 - intensity, spread)


def oas(S: Form, n: float) -> float:
    """Return the oracle-approximating intensity (Chen, Wiesel, Eldar, Hero 2010).

    Parameters
    ----------
    S : Form
        Covariance with the divisor n.
    n : float
        Total weight.
    """
    p, mean = S.dimension, S.trace() / S.dimension
    square = _sum_of_squares(S) / p**2
    bottom = (n + 1.0) * (square - mean**2 / p)
    return 1.0 if bottom <= 0 else min((square + mean**2) / bottom, 1.0)


def ledoit_wolf(S: Form, fourth: float, n: float) -> float:
    """Return the intensity of Ledoit and Wolf (2004).

    Parameters
    ----------
    S : Form
        Covariance with the divisor n.
    fourth : float
        Σ w‖x − m‖⁴ over all rows.
    n : float
        Total weight.
    """
    p, square, mean = S.dimension, _sum_of_squares(S), S.trace() / S.dimension
    if not (0 < square < float("inf") and 0 < fourth < float("inf")):
        raise errors.fourth_powers()
    beta = (fourth / n - square) / (p * n)
    delta = (square - p * mean**2) / p
    return 1.0 if delta <= 0 else min(max(beta / delta, 0.0), 1.0)


def _sum_of_squares(S: Form) -> float:
    """Return ‖S‖² (Frobenius), from the smaller of FᵀF and FFᵀ."""
    values = S.matrix if S.factor is None else linalg.gram(S.factor.T if S.factor.shape[0] < S.dimension else S.factor)
    return float(namespaces.namespace(values).sum(values**2))
