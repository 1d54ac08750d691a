"""A form FᵀF + τI with fewer rows in F than columns: its inverse needs a matrix of rows by rows only.

(FᵀF + τI)⁻¹ = (I − Fᵀ(FFᵀ + τI)⁻¹F)/τ, and directions with MᵀMv = λ(FᵀF + τI)v lie in the span of that times Mᵀ, as
many as M has rows. Nothing of columns by columns is formed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg

from .._core import xp as _xp
from .._core.typing import Array
from .pencil import Form
from .spectrum import Whitening

COLUMNS = 400  # from which on the short way is worth a form of its own
NOISE = 1e-14  # times the condition: what rounding makes of a value that is zero, beside the largest


@dataclass(frozen=True, eq=False)
class RidgedForm(Form):
    """FᵀF + τI.

    Attributes
    ----------
    rows : array of shape (r, p)
        F.
    ridge : float
        τ > 0.
    """

    rows: Array = None
    ridge: float = 0.0

    @property
    def values(self) -> Array:
        return self.rows

    def diagonal(self) -> Array:
        return _xp.column_squares(self.rows) + self.ridge

    def apply(self, V: Array) -> Array:
        return self.rows.T @ (self.rows @ V) + self.ridge * V

    def dense(self) -> Array:
        return self.expanded().dense()

    def times(self, number: float) -> Form:
        return replace(self, rows=self.rows * number**0.5, ridge=self.ridge * number)

    def plus_identity(self, ridge: float) -> Form:
        return replace(self, ridge=self.ridge + ridge)

    def seen_through(self, V: Array) -> Form:
        return self.expanded().seen_through(V)

    def column_scaled(self, d: Array) -> Form:
        return self.expanded().column_scaled(d)

    def expanded(self) -> Form:
        """Return the form with a factor that has a row for each column, too."""
        xp = _xp.namespace(self.rows)
        eye = xp.eye(self.dimension, dtype=xp.float64, device=_xp.device(self.rows))
        return Form(factor=xp.concat([self.rows, self.ridge**0.5 * eye], axis=0), squared=self.squared)


def plus_ridge(form: Form, ridge: float) -> Form:
    """Return a form plus ridge·I, by its rows where they are few."""
    few = form.factor is not None and 2 * form.factor.shape[0] <= form.dimension and form.dimension >= COLUMNS
    if ridge <= 0 or not few:
        return form.plus_identity(ridge)
    return RidgedForm(rows=form.factor, ridge=ridge, squared=form.squared)


def whiten_for(B: RidgedForm, M: Array) -> Whitening:
    """Return W with WᵀBW = I that spans B⁻¹Mᵀ: all directions v with MᵀMv = λBv and λ > 0 are in it.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.spectral.ridged import RidgedForm, whiten_for
    >>> F, M = np.eye(3, 6), np.ones((1, 6))
    >>> W = whiten_for(RidgedForm(rows=F, ridge=0.5), M).matrix
    >>> W.shape, (W.T @ (F.T @ F + 0.5 * np.eye(6)) @ W).round(12)
    ((6, 1), array([[1.]]))
    """
    F, xp = B.rows, _xp.namespace(B.rows)
    G = _xp.to_numpy(_xp.gram(F.T))
    largest = float(np.abs(G).sum(axis=1).max(initial=0.0))
    G[np.diag_indices_from(G)] += B.ridge
    with _xp.limit_blas(G.size):
        factored = scipy.linalg.cho_factor(G, check_finite=False)

    def inverse(Y: Array) -> Array:
        inner = scipy.linalg.cho_solve(factored, _xp.to_numpy(F @ Y), check_finite=False)
        return (Y - F.T @ _xp.like(inner, Y)) / B.ridge

    V = inverse(M.T)
    V = V + inverse(M.T - B.apply(V))  # what rounding left of the first
    image = F @ V
    C = _xp.to_numpy(image.T @ image + B.ridge * (V.T @ V))
    values, vectors = np.linalg.eigh((C + C.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    condition = (1.0 + largest / B.ridge) ** 0.5
    rank = int(np.count_nonzero(values > NOISE * condition**2 * max(float(values[0]), 0.0)))
    W = V @ _xp.like((vectors[:, :rank] / np.sqrt(values[:rank])).copy(), V)
    return Whitening(xp.asarray(W), rank, rank, condition)
