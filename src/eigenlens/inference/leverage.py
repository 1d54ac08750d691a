"""Does normal theory fit these rows? By the variance that Pillai's trace has when rows are permuted.

With A and B the projections on two centred tables, V = tr(AB) is the sum of squared canonical correlations. Its
variance over all permutations of the rows is known exactly. It has two parts: that of normal theory, and one that is
the product of how unequal the leverages of both tables are. The second vanishes if one table is as even as normal rows
are. Heavy tails in one and rare classes in the other make it large, and then Wilks' test rejects too often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import linalg

TRUSTED = 0.10  # relative difference of the two variances up to which normal theory is trusted
SPARE_ROWS = 20  # rows beyond the columns of both tables, below which it is not


@dataclass(frozen=True)
class Advice:
    """Which test to use, and why.

    Attributes
    ----------
    method : {"wilks", "permutation"}
    reason : str
    excess : float
        Variance of V over permutations, relative to that of normal theory, minus 1.
    """

    method: Literal["wilks", "permutation"]
    reason: str
    excess: float


def advise(x_leverages: np.ndarray, y_leverages: np.ndarray, p: int, s: int) -> Advice:
    """Choose between Wilks' test and permutations.

    Parameters
    ----------
    x_leverages, y_leverages : ndarray of shape (n,)
        Diagonals of the projections on the two centred tables; of a row of class k of K, 1/n_k − 1/n.
    p, s : int
        Their ranks; s = K − 1 for classes.

    Returns
    -------
    Advice
        The test to use, and the reason.

    References
    ----------
    Kazi-Aoual, Hitier, Sabatier, Lebreton (1995), Refined approximations to permutation tests for multivariate
    inference.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference.leverage import advise, leverages
    >>> rng = np.random.default_rng(0)
    >>> X, heavy = rng.standard_normal((200, 4)), rng.standard_cauchy((200, 2))
    >>> advise(leverages(X), leverages(heavy), 4, 2).method
    'wilks'
    >>> advise(leverages(rng.standard_cauchy((200, 4))), leverages(heavy), 4, 2).method
    'permutation'
    """
    n = len(x_leverages)
    if n - p - s - 1 < SPARE_ROWS:
        return Advice("permutation", f"{n} rows of {p} and {s} columns are too few to rely on normal theory", np.nan)
    normal = 2 * (_spread(n, p) * _spread(n, s)) / ((n - 1) ** 2 * (n + 1) * (n - 2))
    uneven = _uneven(n, p, x_leverages) * _uneven(n, s, y_leverages) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    excess = float(uneven / normal)
    if abs(excess) > TRUSTED:
        more = "more" if excess > 0 else "less"
        return Advice(
            "permutation",
            f"rows far out, or rare classes: the statistic varies {abs(excess):.0%} {more} than normal theory says",
            excess,
        )
    return Advice("wilks", "normal theory fits these rows", excess)


def _spread(n: int, r: int) -> float:
    return float((n - 1) * r - r**2)


def _uneven(n: int, r: int, h: np.ndarray) -> float:
    return float(n * (n + 1) * np.sum(h**2) - (n - 1) * (r**2 + 2 * r))


def leverages(X: np.ndarray) -> np.ndarray:
    """Return the diagonal of the projection on the centred columns of a table."""
    A = X - X.mean(axis=0)
    size = np.abs(A).max(axis=0)
    A = A / np.where(size > 0, size, 1.0)  # whether a column counts does not depend on its unit
    if A.shape[1] > len(A):  # a triangle has the same left vectors
        A = np.asarray(np.linalg.qr(A.T, mode="r")).T
    left, s, _ = linalg.thin_svd(A)
    return np.asarray(np.sum(left[:, s > max(X.shape) * np.finfo(float).eps * s[0]] ** 2, axis=1))
