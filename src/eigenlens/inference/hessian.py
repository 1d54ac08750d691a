"""How many principal Hessian directions there are: Li's χ², and the eigenvalues of rows that permutations compare."""

from __future__ import annotations

import numpy as np
from scipy import stats

from .dimension_test import DimensionTest, check_level
from .power import eigenvalue_found


def hessian_test(values: np.ndarray, W: float, alpha: float = 0.05) -> DimensionTest:
    """Test principal Hessian directions by Li's χ²: W·Σ_{j>d} λⱼ has (p − d)(p − d + 1)/2 degrees of freedom.

    It holds for normal X and residuals of a linear regression.

    Parameters
    ----------
    values : ndarray of shape (p,)
        All λⱼ = κⱼ²/(2 var e), descending, where κⱼ are the eigenvalues of the Hessian matrix and e the residuals.
    W : float
        Number of rows.
    alpha : float
        Level.

    Returns
    -------
    DimensionTest
        With `dimension`, `p_values`, `statistics`, `to_frame()` and `plot()`.

    References
    ----------
    Li (1992), On principal Hessian directions for data visualization and dimension reduction, J. American Statistical
    Association 87.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference.hessian import hessian_test
    >>> hessian_test(np.array([0.4, 0.01, 0.001]), W=200).dimension
    1
    """
    check_level(alpha)
    d = np.arange(len(values))
    tail = np.array([values[k:].sum() for k in d])
    df = (len(values) - d) * (len(values) - d + 1) // 2
    statistics = {"eigenvalue": values, "chi2": W * tail, "df": df}
    least = np.array([eigenvalue_found(alpha, W, v) for v in df])
    return DimensionTest.sequential(stats.chi2.sf(W * tail, df), statistics, alpha, "chi2", least, "eigenvalue")


def hessian_eigenvalues(Z: np.ndarray, y: np.ndarray, residuals: bool) -> np.ndarray:
    """Return λⱼ = κⱼ²/(2 var e) of rows, descending.

    Parameters
    ----------
    Z : ndarray of shape (n, r)
        Columns of full rank.
    y : ndarray of shape (n,)
    residuals : bool
        Whether a linear regression on Z is taken out of y first.

    Returns
    -------
    ndarray of shape (p,)

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens.inference.hessian import hessian_eigenvalues
    >>> Z = np.random.default_rng(0).standard_normal((500, 3))
    >>> hessian_eigenvalues(Z, Z[:, 0] ** 2 + Z[:, 1], residuals=True).round(1)
    array([1.2, 0. , 0. ])
    """
    e = y - y.mean()
    Q = np.linalg.qr(Z - Z.mean(axis=0))[0]
    if residuals:
        e = e - Q @ (Q.T @ e)
    M = (Q * e[:, None]).T @ Q  # Q has unit columns: its rows times √n have the identity as their covariance
    return np.sort(np.linalg.eigvalsh(M) ** 2)[::-1] / (2 * e.var(ddof=1))
