r"""Sliced average variance estimation.

If y is a symmetric function of a direction, slice means do not move with y, but slice covariances do. In
standardised coordinates z with slice covariances :math:`V_h` (divisor :math:`W_h`), SAVE takes the leading directions
of

.. math:: \sum_h p_h (I - V_h)^2 .

I is the covariance of all rows in these coordinates. With a ridge it is less than that, and the actual covariance takes
its place, so a direction in which X hardly varies is not mistaken for a change of variance.

References
----------
Cook, Weisberg (1991), discussion of Li, J. American Statistical Association 86.
Shao, Cook, Weisberg (2007), Marginal tests with sliced average variance estimation, Biometrika 94.
"""

from __future__ import annotations

from ..arrays import namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..inference.dimension_test import DimensionTest
from ..inference.inverse import save_test
from ..moments import Grouped
from ._one_pass_inverse import SLICES_TESTED, OnePassInverseRegression
from .spine.about import Declaration, basis_of
from .spine.slice_tests import UseOfSlices


@stored("SAVE")
class SAVE(OnePassInverseRegression):
    """Sliced average variance estimation: the directions of X in which its slice covariances change with y.

    Parameters
    ----------
    n_components : int, "auto" or None
        How many directions; None is all p. "auto" is the number that `test_dimension()` finds
        at 5%.
    n_slices : int, "auto" or cuts
        As in `SIR`. Covariances need more rows than means do: "auto" wants 4 rows in a slice for each column.
    ridge : float
        Added to the diagonal of T/W; needed if there are more columns than rows.
    missing : {"refuse", "ml"}
        How to treat NaN in X: raise an error, or treat it as an unobserved cell and estimate the mean and covariance of
        each slice by maximum likelihood. Cells must be missing at random. A row with NaN then has variates too: their
        expectation given the observed cells, under the covariance of all rows.

    Attributes
    ----------
    components_ : array of shape (k, p)
        Directions as rows; variates have variance 1 (divisor W).
    eigenvalues_ : array of shape (k,)
        Of Σ p_h (I − V_h)², descending.
    mean_ : array of shape (p,)
    slice_means_ : array of shape (H, p)
    slice_weights_ : array of shape (H,)
    slices_ : array of shape (H,)
    slice_names_ : list of str
        A description of each slice.
    covariance_, log_likelihood_ : array of shape (p, p), float
        With `missing="ml"`: the covariance of all rows (divisor W), and the log-likelihood of the observed cells.
    moments_ : Grouped
        What the pass collected: means and one scatter for each slice (memory H·p²).
    subspace_ : Subspace
    spectrum_ : Spectrum

    See Also
    --------
    SIR : Directions along which the mean of x moves with y.
    DirectionalRegression : Both at once.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SAVE
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((1000, 4))
    >>> y = X[:, 0] ** 2 + 0.1 * rng.standard_normal(1000)
    >>> save = SAVE(1, n_slices=5).fit(X, y)
    >>> (save.components_ / np.linalg.norm(save.components_)).round(1) + 0.0
    array([[1., 0., 0., 0.]])
    >>> print(save.test_dimension())
    1 of 4 directions is significant at the 5% level (χ²(40) = 676, linear regression p = 0.7, together p < 0.001); the
    next is not significant (χ²(24) = 25.1, p = 0.4). It assumes normal X; pass X and y for a test that does not.
    """

    _declaration = Declaration(
        question="number",
        name="save",
        place=2,
        use="SIR for a response that is symmetric in a direction, such as x²",
        test=SLICES_TESTED,
        display="response",
        linear_map=basis_of,
    )

    _slices = UseOfSlices(("chi2", "simulation", "permutation"), without_rows="chi2", covariances=True)

    def _kernel(self, shares: Array, means: Array, covariances: Array) -> Array:
        xp = namespaces.namespace(means)
        spread = means * xp.sqrt(shares)[:, None]
        total = xp.sum(covariances * shares[:, None, None], axis=0) + spread.T @ spread
        rows = (total - covariances) * xp.sqrt(shares)[:, None, None]
        return xp.reshape(rows, (rows.shape[0] * rows.shape[1], means.shape[1]))

    def _chi2(self, moments: Grouped, alpha: float) -> DimensionTest:
        values, slices, _ = self._slices_in_variates(moments)
        return save_test(slices, values, alpha)
