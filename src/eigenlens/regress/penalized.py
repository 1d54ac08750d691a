"""Penalised least squares: min Σᵢ wᵢ‖yᵢ − a − Bᵀxᵢ‖² + λ tr BᵀΩB, without a penalty on the intercept a.

One decomposition serves all λ. With X centred and scaled by √w, and LᵀL = Ω, write the stacked matrix [X;
√τ L] = Q K with orthonormal Q = [Q₁; Q₂]; the singular values c of Q₁ and s of Q₂ (c² + s² = 1) share right
vectors V, so that

    B(λ) = K⁺ V diag(c / (c² + κs²)) Uᵀy,   df(λ) = Σ c² / (c² + κs²),   κ = λ/τ.

Nothing is squared on the way, and directions that neither the data nor the penalty see get no coefficient.

Reference: T. Hastie, A. Buja, R. Tibshirani (1995), Penalized discriminant analysis, Annals of Statistics 23.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from scipy.linalg import svd
from scipy.optimize import brentq, minimize_scalar

from ..arrays import errors, linalg
from ..arrays.parameters import check_choice, check_number, published_at_once
from ..arrays.stored import stored
from ..arrays.summaries import Table, matrix
from ..arrays.typing import Array
from .penalties import penalty_root
from .regressor import Floats, Regressor

RANK = 1e-12  # relative to the largest singular value, columns brought to one size
FAR = 1e-10  # spread of the other rows over a row's distance from them, below which six digits are left
SMALLEST = 1e-290  # λ of a grid stay within its inverse


@stored("PenalizedRegression")
class PenalizedRegression(Regressor):
    """Linear regression with a quadratic penalty on its coefficients.

    Parameters
    ----------
    penalty : {"ridge", "smooth", "cyclic", "bspline"}, pair (rows, columns) or array of shape (p, p), default "ridge"
        Ω: see `eigenlens.regress.penalties`.
    lam : "gcv" or float, default "gcv"
        λ on sums, XᵀWX + λΩ. "gcv" takes the least (RSS/W) / (1 − (1 + cost·df)/W)² over all responses.
    df : float, optional
        Effective degrees of freedom without the intercept, instead of ``lam``.
    cost : float, default 1
        The price of a degree of freedom in GCV; 2 or 3 guard against too small a penalty.

    Attributes
    ----------
    coef_ : array of shape (p,) or (q, p)
    intercept_ : float or array of shape (q,)
    lam_, df_, gcv_ : float
        The penalty used, its effective degrees of freedom (without the intercept) and its GCV.
    gcv_path_ : array of shape (m, 3)
        λ, df and GCV along the path that was searched.

    See Also
    --------
    PDA : Smooth or small coefficients, for many columns.
    eigenlens.regress.PolynomialRegression : All monomials up to a degree.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.regress import PenalizedRegression
    >>> X, y = np.eye(3), np.array([3.0, 0.0, 0.0])
    >>> PenalizedRegression(lam=1.0).fit(X, y).coef_
    array([ 1. , -0.5, -0.5])
    >>> round(PenalizedRegression(df=1.0).fit(X, y).lam_, 6)
    1.0
    """

    gcv_path_: Array

    coef_: Floats
    intercept_: Floats
    lam_: float
    df_: float
    gcv_: float

    def __init__(
        self,
        penalty: Literal["ridge", "smooth", "cyclic", "bspline"] | tuple[Any, Any] | Array = "ridge",
        *,
        lam: float | Literal["gcv"] = "gcv",
        df: float | None = None,
        cost: float = 1.0,
    ) -> None:
        self.penalty = penalty
        self.lam = lam
        self.df = df
        self.cost = cost

    def _fit(self, X: Floats, Y: Floats, w: Floats) -> None:
        self._tell_far_row(X)
        self._settle(lambda root: Path(X, Y, w, root), X.shape[1])

    def _tell_far_row(self, X: Floats) -> None:
        """Warn where one row of a column is so far from all others that means leave these few digits."""
        if len(X) < 3:
            return
        columns = np.arange(X.shape[1])
        rest = X - X.mean(axis=0)
        at = np.abs(rest).argmax(axis=0)
        rest[:] = X
        rest[at, columns] = X[at - 1, columns]  # any other row
        spread = np.ptp(rest, axis=0)
        away = np.abs(X[at, columns] - rest[at, columns])
        far = np.flatnonzero((spread > 0) & (spread < FAR * away))
        if len(far):
            j = far[np.argmin(spread[far] / away[far])]
            digits = max(16 + np.log10(spread[j] / away[j]), 0)
            errors.warn(
                errors.ConditionWarning(
                    f"Row {at[j]} of column {self._feature_names()[j]} is {away[j] / spread[j]:.0e} times as far from "
                    f"the others as they are from each other: about {digits:.0f} digits of theirs are left. Leave out "
                    "rows far from the others."
                )
            )

    @published_at_once
    def _fit_centred(self, A: Floats, E: Floats, W: float, x_mean: Floats, y_mean: Floats, single: bool) -> Self:
        """Fit from rows whose products are those of the centred rows, such as a factor of their joint scatter.

        Parameters
        ----------
        A, E : arrays of shape (m, p) and (m, q)
            AᵀA, AᵀE and EᵀE are the sums of squares and products of X and of y about their means.
        W : float
            Total weight.
        x_mean, y_mean : arrays
        single : bool
            Whether y is one column without a dimension of its own.
        """
        self._y_was_1d, self._n_responses, self.n_features_in_ = single, E.shape[1], A.shape[1]
        self._settle(lambda root: Path.of_centred(A, E, W, x_mean, y_mean, root), A.shape[1])
        return self

    def _settle(self, path_of: Callable[[Floats], Path], p: int) -> None:
        """Choose λ along the path of a penalty, and set the fitted attributes."""
        check_number("cost", self.cost, 0.0)
        if self.df is not None and self.lam != "gcv":
            raise errors.InputError(
                f"lam={self.lam!r} and df={self.df!r} are both given, but one decides; leave one of them out."
            )
        if isinstance(self.lam, str):
            check_choice("lam", self.lam, ("gcv",))
        root = penalty_root(self.penalty, p)
        if self.df is None and self.lam == 0:
            root = root[:0]  # least squares does not ask for units; the scale of a penalty would bring them in
        path = path_of(root)
        if self.df is not None:
            check_number("df", self.df, 0.0)
            lam = path.lam_for(float(self.df))
        elif self.lam == "gcv":
            lam = path.best(self.cost)
        else:
            check_number("lam", self.lam, 0.0)
            lam = float(self.lam)
        B = path.coef(lam)  # p×q
        self._middle, self._level = path.x_mean, path.y_mean
        self._B = B
        intercept = path.y_mean - path.x_mean @ B
        self.coef_, self.intercept_ = (B[:, 0], intercept[0]) if self._y_was_1d else (B.T, intercept)
        self.lam_, self.df_, self.gcv_ = lam, path.df(lam), path.gcv(lam, self.cost)
        lams = path.grid()
        self.gcv_path_ = np.array([(a, path.df(a), path.gcv(a, self.cost)) for a in lams]).reshape(-1, 3)

    def _left_out(self, X: Floats, Y: Floats, w: Floats) -> tuple[Floats, Floats]:
        """Fit, and return the leverage of each row, its share in its own fit, and what the fit says about it."""
        root = penalty_root(self.penalty, X.shape[1])
        path = Path(X, Y, w, root[:0] if self.lam == 0 else root)
        lam, rows = float(self.lam), X - path.x_mean
        return w * path.leverage(rows, lam), rows @ path.coef(lam) + path.y_mean

    def from_coefficients(self, B: Floats, mean: Floats, df: float, gcv: float, gcv_path: Floats) -> Self:
        """Take a fit that was made elsewhere: coefficients (p×q) of centred responses, and the mean of the rows."""
        self._middle, self._level, self._B = mean, np.zeros(B.shape[1]), B
        self.coef_, self.intercept_ = B.T, -mean @ B
        self.lam_, self.df_, self.gcv_, self.gcv_path_ = float(self.lam), df, gcv, gcv_path
        self.n_features_in_, self._y_was_1d, self._n_responses = len(B), False, B.shape[1]
        return self

    def _facts(self) -> Iterator[str]:
        yield f"λ = {self.lam_:.4g}, {self.df_:.4g} degrees of freedom without the intercept, GCV {self.gcv_:.4g}."

    def _tables(self) -> Iterator[tuple[str, Table]]:
        values = np.column_stack([np.atleast_1d(self.intercept_), np.atleast_2d(self.coef_)]).T
        rows = ["1", *self._feature_names()]
        yield "coefficients", matrix("Coefficients", values, rows, self._names_of_responses())

    def _predict(self, X: Floats) -> Floats:
        return (X - self._middle) @ self._B + self._level  # centred first: an offset costs no digits


@dataclass
class _Shares:
    """Singular values c, s of the two halves, Uᵀy, and the map from the shared directions to coefficients."""

    c: Floats
    s: Floats
    u: Floats
    back: Floats


class Path:
    """All penalties from one decomposition."""

    def __init__(self, X: Floats, Y: Floats, w: Floats, root: Floats) -> None:
        self.W = float(w.sum())
        self.x_mean = X[0] + w @ (X - X[0]) / self.W
        self.y_mean = Y[0] + w @ (Y - Y[0]) / self.W
        sw = np.sqrt(w)[:, None]
        self._balance(sw * (X - self.x_mean), sw * (Y - self.y_mean), root)

    @classmethod
    def of_centred(cls, A: Floats, E: Floats, W: float, x_mean: Floats, y_mean: Floats, root: Floats) -> Path:
        """Return the path of rows that are weighted and centred already, or of others with the same products."""
        path = cls.__new__(cls)
        path.W, path.x_mean, path.y_mean = W, x_mean, y_mean
        path._balance(A, E, root)
        return path

    def _balance(self, A: Floats, E: Floats, root: Floats) -> None:
        """Decompose rows and penalty, brought to one size."""
        if len(A) > A.shape[1]:
            Q, A = np.linalg.qr(A)
            inside = Q.T @ E
        else:
            inside = E
        sizes = np.linalg.norm(A), np.linalg.norm(root)
        self.tau = float(sizes[0] / sizes[1]) ** 2 if min(sizes) > 0 else 1.0
        basis = None
        if len(A) < A.shape[1] and _is_even(root):
            # a ridge has no coefficients beyond the rows, so that the problem is as large as they are
            with linalg.limit_blas(A.size):
                basis, seen = np.linalg.qr(A.T)
            A, root = seen.T, root[: len(A), : len(A)]
        with linalg.limit_blas((len(A) + len(root)) * A.shape[1]):
            k = self._decompose(A, np.sqrt(self.tau) * root, inside)
        self.c, self.s, self.u, self.back = k.c, k.s, k.u, k.back if basis is None else basis @ k.back
        self.outside = float(np.sum(E * E) - np.sum(self.u * self.u))

    @staticmethod
    def _decompose(A: Floats, L: Floats, y: Floats) -> _Shares:
        Z = np.vstack([A, L])
        size = np.linalg.norm(Z, axis=0)
        size[size == 0] = 1.0
        P, S, T = svd(Z / size, full_matrices=False)
        r = int(np.sum(RANK * S.max(initial=0.0) < S))
        P, K = P[:, :r], T[:r].T / S[:r] / size[:, None]
        # with fewer rows than directions the rest is seen by the penalty alone and gets no coefficient
        U, c, V = svd(P[: len(A)], full_matrices=False)
        s = np.linalg.norm(P[len(A) :] @ V.T, axis=0)
        return _Shares(c, s, U.T @ y, K @ V.T)

    def _shrink(self, lam: float) -> Floats:
        """c² / (c² + κs²), zero where the data see nothing."""
        c2 = self.c**2
        return np.divide(c2, c2 + lam / self.tau * self.s**2, out=np.zeros_like(c2), where=self.c > RANK)

    def df(self, lam: float) -> float:
        """Effective degrees of freedom, without the intercept."""
        return float(self._shrink(lam).sum())

    def gcv(self, lam: float, cost: float) -> float:
        """Generalised cross-validation, infinite where no degrees of freedom are left."""
        f = self._shrink(lam)
        rss = max(self.outside, 0.0) + float(np.sum((1 - f)[:, None] ** 2 * self.u**2))
        left = 1 - (1 + cost * f.sum()) / self.W
        return rss / self.W / left**2 if left > 0 else np.inf

    def leverage(self, rows: Floats, lam: float) -> Floats:
        """Return what a row of weight 1, given minus the mean, counts in its own fit."""
        size = self.c**2 + lam / self.tau * self.s**2
        over = np.divide(1.0, size, out=np.zeros_like(size), where=self.c > RANK)
        return 1 / self.W + (rows @ self.back) ** 2 @ over

    def coef(self, lam: float) -> Floats:
        """Coefficients, p×q."""
        f = self._shrink(lam)
        return self.back @ (np.divide(f, self.c, out=np.zeros_like(f), where=f > 0)[:, None] * self.u)

    def grid(self) -> Floats:
        """λ from hardly any penalty to nearly all, by the ratios at which directions are halved."""
        half = self.tau * (self.c / np.maximum(self.s, 1e-8)) ** 2
        half = half[(self.c > RANK) & (self.s > 1e-8)]
        if not len(half):
            return np.array([0.0])
        low, high = max(half.min() * 1e-4, SMALLEST), min(half.max() * 1e4, 1 / SMALLEST)
        return np.geomspace(low, max(high, low), 121)

    def best(self, cost: float) -> float:
        """λ of least GCV: the best of the grid, refined between its neighbours."""
        lams = self.grid()
        scores = np.array([self.gcv(a, cost) for a in lams])
        k = int(np.argmin(scores))
        if len(lams) < 3 or not np.isfinite(scores[k]):
            return float(lams[-1] if not np.isfinite(scores[k]) else lams[k])
        ends = np.log(lams[[max(k - 1, 0), min(k + 1, len(lams) - 1)]])
        found = minimize_scalar(
            lambda t: self.gcv(np.exp(t), cost), bounds=tuple(ends), method="bounded", options={"xatol": 1e-6}
        )
        return float(np.exp(found.x)) if found.fun < scores[k] else float(lams[k])

    def lam_for(self, df: float) -> float:
        """λ with the given effective degrees of freedom."""
        most, least = self.df(0.0), float(np.sum((self.c > RANK) & (self.s <= 1e-8)))
        if df >= most - 1e-9:
            if df > most + 1e-9:
                raise errors.InputError(f"df={df:g} but the data have {most:g} at most; use df ≤ {most:g}")
            return 0.0
        if df <= least + 1e-9:
            raise errors.InputError(f"df={df:g} but {least:g} stay free under any penalty; use df > {least:g}")
        lo, hi = np.log(self.grid()[[0, -1]])
        while self.df(np.exp(lo)) < df:
            lo -= 10
        while self.df(np.exp(hi)) > df:
            hi += 10
        return float(np.exp(brentq(lambda t: self.df(np.exp(t)) - df, lo, hi, xtol=1e-13, rtol=1e-14)))


def _is_even(root: Floats) -> bool:
    """Return whether a penalty weighs all coefficients alike: the root is a multiple of the identity."""
    diagonal = root.diagonal()
    square = root.shape[0] == root.shape[1] == np.count_nonzero(root)
    return bool(square and np.all(diagonal == diagonal[0]) and diagonal[0] != 0)
