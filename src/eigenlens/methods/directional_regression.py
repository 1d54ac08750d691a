r"""Directional regression.

Uses slice means and slice covariances at once: it finds the directions in which differences between two rows, given
their slices, are not distributed like those of any two rows. In standardised coordinates z with slice means
:math:`z_h` and :math:`M_h = V_h + z_h z_h^T`,

.. math:: G = \sum_{h,l} p_h p_l (2I - A_{hl})^2, \quad A_{hl} = E[(z - z')(z - z')^T \mid h, l],

.. math:: G = 2\sum_h p_h (I - M_h)^2 + 2S^2 + 2\,\mathrm{tr}(S)\,S, \quad S = \sum_h p_h z_h z_h^T .

(Written as the sum of squares that it is; expanding the first square gives the formula of Li and Wang.) With a ridge
the covariance of all rows, :math:`\sum_h p_h M_h`, is less than I and takes its place.

References
----------
Li, Wang (2007), On directional regression for dimension reduction, J. American Statistical Association 102.
"""

from __future__ import annotations

from ..arrays import namespaces
from ..arrays.stored import stored
from ..arrays.typing import Array
from ._one_pass_inverse import SLICES_TESTED, OnePassInverseRegression
from .spine.about import Declaration, basis_of
from .spine.slice_tests import UseOfSlices


@stored("DirectionalRegression")
class DirectionalRegression(OnePassInverseRegression):
    """Directional regression: the directions of X in which slice means or slice covariances change with y.

    Parameters
    ----------
    n_components : int or None
        How many directions; None is all p.
    n_slices : int, "auto" or cuts
        As in `SIR`; "auto" wants 4 rows in a slice for each column.
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
        Of G, descending.
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
    SAVE : Directions along which the spread of x changes with y.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import DirectionalRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((1000, 4))
    >>> y = X[:, 0] ** 2 + 2 * X[:, 1] + 0.1 * rng.standard_normal(1000)
    >>> dr = DirectionalRegression(2, n_slices=5).fit(X, y)
    >>> plane = np.linalg.qr(dr.components_.T)[0]
    >>> bool(np.linalg.norm(plane[:2]) ** 2 / 2 > 0.98)      # both directions are found
    True
    >>> print(dr.test_dimension())
    2 of 4 directions are significant at the 5% level (simulated normal noise: n·Σλ = 4,065, linear regression p <
    0.001, together p < 0.001; n·Σλ = 1,015, p = 0.005; 199 draws); the next is not significant (n·Σλ = 55.5, p = 0.84),
    and these rows would usually detect an eigenvalue of 0.056 or more (80% power). It assumes normal X; pass X and y
    for a test that does not.
    """

    _declaration = Declaration(
        question="number",
        name="directional-regression",
        place=3,
        use="SIR and SAVE in one",
        test=SLICES_TESTED,
        display="response",
        linear_map=basis_of,
    )

    _slices = UseOfSlices(("simulation", "permutation"), without_rows="simulation", covariances=True, counts=False)

    def _kernel(self, shares: Array, means: Array, covariances: Array) -> Array:
        xp, r = namespaces.namespace(means), means.shape[1]
        M = covariances + means[:, :, None] * means[:, None, :]
        spread = means * xp.sqrt(shares)[:, None]
        S = spread.T @ spread
        total = xp.sum(M * shares[:, None, None], axis=0)  # the identity, unless there is a ridge
        gaps = (total - M) * xp.sqrt(shares)[:, None, None]
        rows = [xp.reshape(gaps, (gaps.shape[0] * r, r)), S, spread * xp.sqrt(xp.sum(spread**2))]
        return xp.concat(rows, axis=0) * 2**0.5
