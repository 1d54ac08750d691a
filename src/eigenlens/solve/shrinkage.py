"""A ridge added to a form, and a covariance shrunk towards a multiple of the identity or variances of its own.

Of a form B = aFᵀF + τI with fewer rows in F than columns, the inverse needs a matrix of rows by rows only:

B⁻¹ = (I − aFᵀ(aFFᵀ + τI)⁻¹F)/τ, and directions with MᵀMv = λBv lie in the span of that times Mᵀ, as many as M has
rows. Nothing of columns by columns is formed, and F is not copied. With a ridge τ·diag(s²), columns are divided by s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg

from ..arrays import errors, linalg, namespaces
from ..arrays.typing import Array
from .pencil import Form, Whitening


@dataclass(frozen=True, eq=False)
class RidgedForm(Form):
    """aFᵀF + τI.

    Attributes
    ----------
    rows : array of shape (r, p)
        F.
    ridge : float
        τ > 0.
    share : float
        a.
    spread : array of shape (p,), or 1.0
        s, where the ridge is τ·diag(s²) rather than τI.
    """

    rows: Any = None
    ridge: float = 0.0
    share: float = 1.0
    spread: Any = 1.0

    @property
    def values(self) -> Array:
        return self.rows

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.shape[0], self.rows.shape[1]

    def diagonal(self) -> Array:
        return self.share * namespaces.column_squares(self.rows) + self.ridge * self.spread**2

    def apply(self, V: Array) -> Array:
        return self.share * (self.rows.T @ (self.rows @ V)) + (self.ridge * self.spread**2 * V.T).T

    def dense(self) -> Array:
        return self.expanded().dense()

    def times(self, number: float) -> Form:
        return replace(self, share=self.share * number, ridge=self.ridge * number)

    def plus_identity(self, ridge: float) -> Form:
        return self.expanded().plus_identity(ridge)

    def seen_through(self, V: Array) -> Form:
        return self.expanded().seen_through(V)

    def column_scaled(self, d: Array) -> Form:
        return self.expanded().column_scaled(d)

    def expanded(self) -> Form:
        """Return the form with a factor that has a row for each column, too."""
        xp = namespaces.namespace(self.rows)
        eye = xp.eye(self.dimension, dtype=xp.float64, device=namespaces.device(self.rows))
        rows = [self.share**0.5 * self.rows, self.ridge**0.5 * eye * self.spread]
        return Form(factor=xp.concat(rows, axis=0), squared=self.squared)


def plus_ridge(form: Form, ridge: float, share: float = 1.0, spread: Array | None = None) -> Form:
    """Return share·form + ridge·I, or + ridge·diag(spread²), by the rows of the form where they are few."""
    few = form.factor is not None and 2 * form.factor.shape[0] <= form.dimension and form.dimension >= 400
    if ridge > 0 and few:
        size = 1.0 if spread is None else spread
        return RidgedForm(rows=form.factor, ridge=ridge, share=share, spread=size, squared=form.squared)
    rest = form if share == 1.0 else form.times(share)
    return rest.plus_identity(ridge) if spread is None or ridge == 0 else rest.plus_squares(ridge**0.5 * spread)


def whiten_for(B: RidgedForm, M: Array | None = None) -> Whitening:
    """Return W with WᵀBW = I that spans B⁻¹Mᵀ: all directions v with MᵀMv = λBv and λ > 0 are in it.

    Without M, it is F itself, and B⁻¹Fᵀ spans what Fᵀ does.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.solve.shrinkage import RidgedForm, whiten_for
    >>> F, M = np.eye(3, 6), np.ones((1, 6))
    >>> W = whiten_for(RidgedForm(rows=F, ridge=0.5), M).matrix
    >>> W.shape, (W.T @ (F.T @ F + 0.5 * np.eye(6)) @ W).round(12)
    ((6, 1), array([[1.]]))
    """
    if not isinstance(B.spread, float):
        found = whiten_for(replace(B, rows=B.rows / B.spread, spread=1.0), None if M is None else M / B.spread)
        return replace(found, matrix=found.matrix / B.spread[:, None])
    F, xp = B.rows, namespaces.namespace(B.rows)
    G = namespaces.to_numpy(linalg.gram(F.T)) * B.share
    largest = float(np.abs(G).sum(axis=1).max(initial=0.0))
    condition = (1.0 + largest / B.ridge) ** 0.5
    if M is None:
        V, C, noise = F, G, 1e-14
    else:
        V = _solved(B, G, M, condition)
        C, noise = namespaces.to_numpy(M @ V.T), 1e-14 * condition**2
    values, vectors = np.linalg.eigh((C + C.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    rank = int(np.count_nonzero(values > noise * max(float(values[0]), 0.0)))
    squares = values[:rank]  # vᵀBv; without M, values are those of aFFᵀ
    if M is None:
        squares = squares * (squares + B.ridge) / B.share
    W = V.T @ namespaces.like((vectors[:, :rank] / np.sqrt(squares)).copy(), V)
    return Whitening(xp.asarray(W), rank, rank, condition)


def _solved(B: RidgedForm, G: np.ndarray, M: Array, condition: float) -> Array:
    """Return MB⁻¹ by G = aFFᵀ: as rows, since a product with F runs along its memory."""
    F = B.rows
    with linalg.limit_blas(G.size):
        factored = scipy.linalg.cho_factor(G + B.ridge * np.eye(len(G)), check_finite=False)

    def inverse(rows: Array) -> Array:
        inner = scipy.linalg.cho_solve(factored, namespaces.to_numpy(rows @ F.T).T, check_finite=False)
        return (rows - namespaces.like(np.ascontiguousarray(inner.T) * B.share, rows) @ F) / B.ridge

    V = inverse(M)
    if condition**2 > 1e3:  # what rounding leaves of a solution is taken out
        V = V + inverse(M - B.apply(V.T).T)
    return V


# -- how far ------------------------------------------------------------------------------------------


def shrunk(S: Form, intensity: float, spread: Array | None = None) -> Form:
    """Return (1 − a)S + a·tr(S)/p·I, or + a·diag(spread²)."""
    target = S.trace() / S.dimension if spread is None else 1.0
    return plus_ridge(S, intensity * target, 1.0 - intensity, spread)


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
