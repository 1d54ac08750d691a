r"""Sliced inverse regression.

If y depends on x through a few linear combinations only, the inverse regression E(x | y) of a round cloud stays within
their span. So cut y into slices, take the slice means :math:`m_h` with shares :math:`p_h = W_h/W`, and maximise

.. math:: \frac{v^T M v}{v^T \Sigma v}, \quad M = \sum_h p_h (m_h - m)(m_h - m)^T, \quad \Sigma = T/W .

Eigenvalues are the squared correlations of a variate with the best function of the slices.

References
----------
Li (1991), Sliced inverse regression for dimension reduction, J. American Statistical Association 86.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice
from ..arrays.stored import stored
from ..arrays.typing import Array
from ..inference.dimension_test import DimensionTest
from ..inference.incomplete import Hypothesis, of_classes
from ..inference.inverse import CoordinateTest, coordinate_test, li_test, with_linear
from ..moments import Grouped
from ..moments.redrawn import Redrawn
from ..solve import Form, Whitening, whiten
from ._one_pass_inverse import SLICES_TESTED, OnePassInverseRegression
from .inverse_regression import symmetric
from .spine.about import Declaration, NextMethod, basis_of
from .spine.rows_estimator import Known
from .spine.slice_tests import UseOfSlices

BY_ROWS = UseOfSlices(("chi2", "permutation"), with_rows="chi2", without_rows="chi2")
ALIKE = UseOfSlices(("permutation",), counts=False)


@stored("SIR")
class SIR(OnePassInverseRegression):
    """Sliced inverse regression: the directions of X in which its slice means move with y.

    Parameters
    ----------
    n_components : int, "auto" or None
        How many directions; at most min(p, H − 1) with H slices, which is the default; "auto" is the number that
        `test_dimension()` finds at 5%.
    n_slices : int, "auto" or cuts
        Slices of a numeric y, of about equal weight; tied values stay together. "auto" makes 10, or fewer (down to 3)
        if a slice would have fewer than 10 rows, or fewer than 2 for each column. You can also pass the cuts: ascending
        numbers, where slice h is everything above cut h − 1 up to and including cut h (one list for each of several
        responses). Several responses share the number among their cells.
    ridge : float
        Added to the diagonal of T/W; needed if there are more columns than rows.
    missing : {"refuse", "ml"}
        How to treat NaN in X: raise an error, or treat it as an unobserved cell and estimate slice means and one
        covariance within slices by maximum likelihood. Cells must be missing at random. A row with NaN then has
        variates too: their expectation given the observed cells, under the covariance of all rows.
    between : {"weighted", "slices"}
        Whether a slice counts by its rows, or all slices alike: (1/H)Σ(m_h − m)(m_h − m)ᵀ. Directions are then tested
        by permutations only, and eigenvalues may be above 1.

    Attributes
    ----------
    components_ : array of shape (k, p)
        Directions as rows; variates have variance 1 (divisor W), plus ridge·‖v‖² with a ridge.
    eigenvalues_ : array of shape (k,)
        Share of each variate's variance that lies between slices, descending.
    mean_ : array of shape (p,)
    slice_means_ : array of shape (H, p)
    slice_weights_ : array of shape (H,)
        Total weight of each slice.
    slices_ : array of shape (H,)
        Their labels: the numbers 0, 1, … of cut slices, or the values of y.
    slice_names_ : list of str
        A description of each slice.
    covariance_, log_likelihood_ : array of shape (p, p), float
        With `missing="ml"`: the covariance of all rows (divisor W), and the log-likelihood of the observed cells.
    moments_ : Grouped
        What the pass collected; `moments_.merge(other)` joins fits on different rows that were sliced in the same way.
    subspace_ : Subspace
    spectrum_ : Spectrum

    See Also
    --------
    SAVE : Directions along which the spread of x changes with y.
    DirectionalRegression : Both at once.
    LocalizedSIR : SIR for slices in several places.
    PrincipalHessianDirections : Directions along which y bends.
    eigenlens.inference.bootstrap : Intervals of loadings, and angles of the subspace.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import SIR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((400, 5))
    >>> y = np.exp(X[:, 0] + X[:, 1]) + 0.1 * rng.standard_normal(400)
    >>> sir = SIR(1).fit(X, y)
    >>> (sir.components_ / np.linalg.norm(sir.components_)).round(1) + 0.0
    array([[0.7, 0.7, 0. , 0. , 0. ]])
    >>> print(sir.test_dimension())
    1 of 5 directions is significant at the 5% level (χ²(45) = 392, linear regression p < 0.001, together p < 0.001);
    the next is not significant (χ²(32) = 23.1, p = 0.87), and these rows would usually detect an eigenvalue of 0.063 or
    more (80% power).
    """

    _declaration = Declaration(
        question="number",
        name="sir",
        place=0,
        use="directions on which a number depends, in any way, from one pass",
        test=SLICES_TESTED,
        compared_as="SIR",
        blind_spot=symmetric,
        display="response",
        linear_map=basis_of,
        next_methods=(
            NextMethod(
                "localized-sir", "See whether the directions remain without the bends of the columns.", "warned"
            ),
            NextMethod(
                "save",
                "Look for bends, such as a {target} that is high at both ends, which SIR does not see.",
                "no direction",
            ),
        ),
    )

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = None,
        *,
        n_slices: int | Literal["auto"] | Sequence[float] = "auto",
        ridge: float = 0.0,
        missing: Literal["refuse", "ml"] = "refuse",
        between: Literal["weighted", "slices"] = "weighted",
    ) -> None:
        super().__init__(n_components, n_slices=n_slices, ridge=ridge, missing=missing)
        self.between = between

    @property
    def _slices(self) -> UseOfSlices:  # type: ignore[override]
        return BY_ROWS if self.between == "weighted" else ALIKE

    def _check_parameters(self, known: Known | None = None) -> None:
        check_choice("between", self.between, ("weighted", "slices"))
        super()._check_parameters(known)

    def _kernel(self, shares: Array, means: Array, covariances: Array | None) -> Array:
        xp = namespaces.namespace(means)
        if self.between == "slices":
            shares = xp.astype(shares > 0, shares.dtype)
            shares = shares / xp.sum(shares)
        return means * xp.sqrt(shares)[:, None]

    def _form(
        self, moments: Grouped, covariance: Form, whitened: Callable[[], Whitening], shares: Array, offsets: Array
    ) -> Form:
        return Form(factor=self._kernel(shares, offsets, None), squared=False)  # linear in x: no need to standardise

    def _most(self, K: int, p: int) -> int:
        return min(p, K - 1)

    def test_columns(self, alpha: float = 0.05, *, together: Sequence[str | int] | None = None) -> CoordinateTest:
        """Test for each column whether y depends on it, given the others, in any way that SIR can see.

        From the moments of the fit. The test holds for normal X.

        Parameters
        ----------
        alpha : float
            Level.
        together : list of columns, optional
            By name or position: test whether y depends on any of these, given the others.

        Returns
        -------
        CoordinateTest

        Examples
        --------
        >>> import numpy as np
        >>> from eigenlens import SIR
        >>> X = np.random.default_rng(0).standard_normal((400, 4))
        >>> print(SIR().fit(X, X[:, 0] ** 3 + X[:, 1]).test_columns(together=[2, 3]))
        None of x2, x3 is needed at 5% (χ²(18) = 16.1, p = 0.59).

        References
        ----------
        Cook (2004), Testing predictor contributions in sufficient dimension reduction, Annals of Statistics 32.
        """
        self._require_fit()
        if not isinstance(alpha, int | float) and np.ndim(alpha) == 1:
            raise errors.InputTypeError(f"test_columns({alpha!r}): the first argument is the level; write together=…")
        places = None if together is None else self._places_of(together)
        if self.ridge or self._collected is not self._whole_moments:
            why = f"ridge={self.ridge!r}" if self.ridge else f"missing={self.missing!r}"
            raise errors.InputError(f"test_columns holds its level for plain moments, not with {why}; fit without it.")
        moments = self._collected
        total, offsets = self._total(moments)
        found = whiten(self._covariance(total), total.constant_columns(), min(total.n_features, total.n_rows - 1))
        if found.rank < total.n_features:
            raise errors.InputError(
                f"test_columns asks what a column adds to the others, and X has rank {found.rank} of "
                f"{total.n_features} columns; leave out columns that are constant or that the others determine."
            )
        W = namespaces.to_numpy(found.matrix)
        names = self._names_of_columns()
        return coordinate_test(namespaces.to_numpy(offsets), moments.weights, W @ W.T, names, alpha, places)

    def _places_of(self, columns: Sequence[str | int]) -> list[int]:
        """Return the places of columns that are given by name or position."""
        names = self._names_of_columns()
        known = {name: j for j, name in enumerate(names)} | {j: j for j in range(len(names))}
        listed = [] if isinstance(columns, str) or not hasattr(columns, "__iter__") else list(columns)
        plain = all(isinstance(column, str | int | np.integer) and not isinstance(column, bool) for column in listed)
        if not listed or not plain or not set(listed) <= set(known):
            raise errors.InputError(
                f"together={columns!r} must be a list of columns of X, by name or position; it has "
                f"{errors.listed(map(repr, names), 8)}."
            )
        return sorted({known[column] for column in listed})

    def _hypothesis(self) -> Callable[[Redrawn], Hypothesis] | None:
        return lambda sample: of_classes(sample.shares, "slices, missing cells")

    def _summary_test(self) -> str:
        if self._collected is not self._whole_moments or self.between == "slices":
            return ""
        return str(with_linear(self._chi2(self._collected, 0.05), *self._line(self._collected, 0.05)))

    def _chi2(self, moments: Grouped, alpha: float) -> DimensionTest:
        values = self._slices_in_variates(moments)[0]
        return li_test(values, moments.weight, len(values), len(moments.labels), alpha)
