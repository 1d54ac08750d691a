r"""Principal Hessian directions.

If y depends on x through a few linear combinations, its average curvature, the mean Hessian matrix, is in their span.
For normal x, moments determine it (Stein's lemma): in standardised coordinates z,

.. math:: K = \tfrac1W \sum_i w_i\, e_i\, z_i z_i^T ,

where e is y about its mean, or the residual of a linear regression of y on x, whose Hessian is the same. The directions
are the eigenvectors of K whose eigenvalues, the curvatures :math:`\kappa_j`, are largest in size. K is linear in third
moments, so one pass is enough.

References
----------
Li (1992), On principal Hessian directions for data visualization and dimension reduction: another application of
Stein's lemma, J. American Statistical Association 87. Cook (1998), Principal Hessian directions revisited, J. American
Statistical Association 93.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.parameters import check_choice, check_count, check_number, published_at_once
from ..arrays.stored import stored
from ..arrays.summaries import Table, table
from ..arrays.typing import Array, ColumnLike, ColumnNames, RandomState, TableLike
from ..inference.dimension_test import DimensionTest
from ..inference.inverse import hessian_eigenvalues, hessian_test, permuted_after
from ..inference.sequential import resampled_test
from ..inference.units import Units
from ..moments import Centred, Cubic
from ..solve import Form, Pencil, Spectrum, whiten
from ..solve.subspace import Subspace
from ._hessian_problem import HessianProblem, parts_of, weighted_sum
from .spine.about import Declaration, DirectionTest, Laws, basis_of
from .spine.canonical_tests import check_moved
from .spine.moments_estimator import MomentsEstimator
from .spine.rows_estimator import Known, RowsTransformer, labels_of_kept, repeated, wanted

MOST_COLUMNS = 300  # residuals need the product of every three columns
NO_REST = 1e-13  # share of the variance of y that is rounding


@stored("PrincipalHessianDirections")
class PrincipalHessianDirections(RowsTransformer, MomentsEstimator[Cubic]):
    """Principal Hessian directions: the directions of X along which y bends.

    It finds what SIR cannot see, such as x², from one pass and without slices. A direction along which y only rises or
    falls on a straight line does not bend and is not found.

    Parameters
    ----------
    n_components : int, "auto" or None
        How many directions; None is all p, "auto" what `test_dimension()` finds at 5%.
    residuals : bool
        Use the residuals of a linear regression instead of y. A steep line makes the eigenvalues of y itself noisy, and
        the χ² test holds for residuals only. They need the products of every three columns (memory p³, up to 300
        columns); y itself needs those of two columns with y.

    Attributes
    ----------
    components_ : array of shape (k, p)
        Directions as rows; variates have variance 1 (divisor W).
    curvatures_ : array of shape (k,)
        Eigenvalues κ of the Hessian matrix, the largest in absolute value first: positive if y bends upwards, negative
        if it bends downwards. R's dr calls them eigenvalues.
    eigenvalues_ : array of shape (k,)
        κ²/(2 var e), the variance with the divisor W − 1, descending: free of units. W times their sum is what the χ²
        test compares.
    slopes_ : array of shape (k,)
        Covariances of y with the variates.
    mean_, y_mean_ : array of shape (p,), float
    moments_ : Cubic
        What the pass collected; `moments_.merge(other)` joins fits on different rows.
    subspace_ : Subspace
    spectrum_ : Spectrum

    See Also
    --------
    SIR : Directions along which the mean of x moves with y.
    SAVE : Directions along which the spread of x changes with y.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import PrincipalHessianDirections
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 5))
    >>> y = (X[:, 0] + X[:, 1]) ** 2 - X[:, 2] ** 2 + X[:, 3] + 0.1 * rng.standard_normal(500)
    >>> phd = PrincipalHessianDirections(2).fit(X, y)
    >>> (phd.components_ / np.linalg.norm(phd.components_, axis=1, keepdims=True)).round(1) + 0.0
    array([[ 0.6,  0.8,  0. ,  0. , -0.1],
           [ 0. ,  0. ,  1. ,  0. ,  0.1]])
    >>> phd.curvatures_.round(1)
    array([ 3.8, -2.1])
    >>> print(phd.test_dimension())
    2 of 5 directions are significant at the 5% level (χ²(15) = 534, p < 0.001; χ²(10) = 128, p < 0.001); the next is
    not significant (χ²(6) = 10.1, p = 0.12), and these rows would usually detect an eigenvalue of 0.027 or more (80%
    power). It assumes normal X; pass X and y for a test that does not.
    """

    components_: Array
    curvatures_: Array
    eigenvalues_: Array
    slopes_: Array
    mean_: Array
    y_mean_: float
    subspace_: Subspace

    _declaration = Declaration(
        question="number",
        name="principal-hessian-directions",
        place=4,
        use="directions along which a number bends, such as x², without slices",
        test=DirectionTest(lambda n, p, directions: 6 * n * p * p),
        blind_spot=lambda: (
            "Principal Hessian directions cannot see a direction along which the response is a straight line."
        ),
        display="curvature",
        linear_map=basis_of,
        foreign_names={
            "n_slices": "it needs no slices; leave it out",
            "ridge": "directions need more rows than columns; reduce the columns first, by PCA",
        },
    )

    _target = "table"
    _second_name = "y"

    def __init__(self, n_components: int | Literal["auto"] | None = None, *, residuals: bool = True) -> None:
        self.n_components = n_components
        self.residuals = residuals

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : table of shape (n, p)
        y : response of shape (n,)
            Omit it if X is a source that holds the response.
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        target : column, optional
            Instead of y: its name in X, if the columns of X have names.
        """
        return self._fit(*self._take_target(X, y, target), sample_weight)

    def partial_fit(self, X: TableLike, y: ColumnLike | None = None, sample_weight: ColumnLike | None = None) -> Self:
        """Add more rows; the result is the same as from all rows seen so far at once."""
        return self._partial_fit(X, y, sample_weight)

    def transform(self, X: TableLike) -> Array:
        """Return the variates (x − mean)ᵀvⱼ of rows, uncorrelated with variance 1 over the rows of the fit."""
        self._require_fit()
        return self._over_rows(X, self.subspace_.project, takes_sparse=True)

    # -- moments, problem, attributes, parameters ----------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Cubic:
        return Cubic(kind, every=bool(self.residuals))

    def _pose(self, moments: Cubic) -> HessianProblem:
        joint, p, W = moments.joint, moments.split, moments.weight
        constant = self._require_variation(moments)
        most = max(1, min(p, joint.n_rows - 1))
        covariance = Form.of(joint, W)
        Sxx, slopes = parts_of(covariance, p)
        inverse = whiten(Sxx, constant, most).matrix
        third, variance = moments.third, float(joint.store.diagonal()[p]) / W
        K = third[-1, :p, :p] / W
        if self.residuals:
            coefficients = inverse @ (inverse.T @ slopes)
            K = K - weighted_sum(third[:p, :p, :p], coefficients) / W
            left = variance - float(coefficients @ (2 * slopes - Sxx.apply(coefficients[:, None])[:, 0]))
            _require_rest(moments.n_rows, inverse.shape[1])
            K, variance = (K, left) if left > NO_REST * variance else (K * 0.0, variance)  # a line, to rounding
        size = (2 * variance * W / (W - 1)) ** 0.5
        A = Form(factor=inverse.T @ K / size, squared=covariance.squared)
        pencil = Pencil(A, Sxx, n_components=self._wanted(p), constant=constant, most=most)
        names = getattr(self, "feature_names_in_", None)
        return HessianProblem(pencil, moments, joint, names, self.n_components, K / size, size, slopes)

    def _require_variation(self, moments: Cubic) -> Array:
        """Refuse a y, or an X, that does not vary; return which columns of X do not."""
        if moments.weight <= 1:
            raise errors.weight_too_small(moments.weight, 1, "W − 1")
        if moments.joint.n_features - moments.split != 1:
            raise _one_response(moments.joint.n_features - moments.split)
        constant, p = moments.joint.constant_columns(), moments.split
        if bool(constant[p]):
            raise errors.InputError("y is constant: it does not bend along any direction. Pass a y that varies.")
        if bool(namespaces.to_numpy(constant[:p]).all()):
            raise errors.InputError("X: every column is constant; there are no directions to find.")
        return constant[:p]

    def _present(self, problem: HessianProblem, spectrum: Spectrum) -> None:
        joint, p = problem.centred, problem.pencil.dimension
        dtype, unit = joint.dtype, joint.unit
        spectrum = spectrum.first(max(1, min(len(spectrum), spectrum.rank)))
        found = spectrum.vectors
        spectrum = spectrum.mapped(problem.directions(found))
        mean, y_unit = joint.shift[0, :] * unit, float(unit[p])
        V = spectrum.vectors * unit[:p, None]
        xp = namespaces.namespace(V)
        self.spectrum_ = spectrum
        self.subspace_ = Subspace(joint.pivot[:p], spectrum.vectors, mean[:p])
        self.components_ = namespaces.attribute_copy(spectrum.vectors.T, dtype)
        self.eigenvalues_ = namespaces.attribute_copy(spectrum.values, dtype)
        curvatures = xp.sum(V * (problem.hessian @ V), axis=0) * (problem.size * y_unit)
        self.curvatures_ = namespaces.attribute_copy(curvatures, dtype)
        self.slopes_ = namespaces.attribute_copy((problem.slopes @ V) * y_unit, dtype)
        self.mean_ = namespaces.attribute_copy(self.subspace_.point, dtype)
        self.y_mean_ = float(joint.pivot[p] + mean[p])

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            self._wanted(known.n_features)
            if known.n_responses not in (None, 1):
                raise _one_response(known.n_responses)
            if self.residuals and known.n_features > MOST_COLUMNS:
                raise errors.InputError(
                    f"residuals=True keeps the product of every three columns, and X has {known.n_features}: up to "
                    f"{MOST_COLUMNS} fit in memory. Use residuals=False; if y has a trend, fit a linear regression "
                    "first and pass its residuals as y."
                )
            return
        if not isinstance(self.residuals, bool | np.bool_):
            raise errors.number("residuals", self.residuals, "True or False")
        check_count(self.n_components, auto=bool(self.residuals))

    def _wanted(self, p: int) -> int:
        return wanted(self.n_components, p, f"X has {p} columns")

    def _obeys(self) -> Laws:
        return Laws(invariance="linear", one_response=True)

    # -- tests -------------------------------------------------------------------------------------------------

    def test_dimension(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = 0.05,
        method: Literal["chi2", "permutation"] | None = None,
        groups: ColumnLike | None = None,
        block: int | None = None,
        n_draws: int = 199,
        random_state: RandomState | None = 0,
    ) -> DimensionTest:
        """Test how many directions there are: "at most d", d = 0, 1, …

        Parameters
        ----------
        X, y : rows and their response, optional
            The rows to test. Without them, the test uses the moments of the fit.
        sample_weight : array of shape (n,), optional
        alpha : float
            Level.
        method : {"chi2", "permutation"}, optional
            "chi2" is Li's test from moments alone, for normal X and residuals; see `eigenlens.inference.hessian_test`.
            "permutation" permutes the variates after the d-th between rows, all together; where y does not bend it
            assumes no distribution of X. It needs X and y. The default is "permutation" with X, and "chi2" without.
        groups : array of shape (n,), optional
            Rows that belong together move together ("permutation").
        block : int, optional
            Number of consecutive rows that are alike: variates are shifted by at least this many rows ("permutation").
        n_draws : int
            Number of permutations.
        random_state : int, Generator, RandomState or None
            Their seed.
        """
        self._require_fit()
        if method is not None:
            check_choice("method", method, ("chi2", "permutation"))
        moved = check_moved(method, groups, block)
        check_number("n_draws", n_draws, 1, integer=True)
        if method == "chi2" and not self.residuals:
            raise errors.InputError(
                "method='chi2' holds for residuals, not with residuals=False: a linear part of y adds to its "
                "eigenvalues. Fit with residuals=True, or use method='permutation'."
            )
        needed = moved or method == "permutation" or not self.residuals
        source = self._rows_to_test(X, y, sample_weight, "permutation", needed=needed)
        moments = self._tested_moments(source)
        if source is None or method == "chi2":
            note = "" if method else "It assumes normal X; pass X and y for a test that does not."
            return self._chi2(moments, alpha).with_note(note)
        rows = repeated(source)
        moves = Units.of(len(rows.X), labels_of_kept(source, groups), block) if moved else None
        return self._permuted(moments, rows, alpha, n_draws, random_state, moves)

    def _permuted(
        self, moments: Cubic, rows: Any, alpha: float, n_draws: int, seed: Any, moves: Units | None
    ) -> DimensionTest:
        """Move the variates after the d-th to other rows; residuals, which know nothing of a line, stay."""
        problem, spectrum = self._every(moments)
        joint, p = problem.centred, problem.pencil.dimension
        mean = joint.shift[0, :] * joint.unit
        basis = problem.directions(spectrum.vectors)
        Z = namespaces.to_numpy(Subspace(joint.pivot[:p], basis, mean[:p]).project(namespaces.like(rows.X, basis)))
        e = namespaces.to_numpy(rows.y).reshape(len(Z)).astype(np.float64)
        e = e - e.mean()
        if self.residuals:
            e = e - Z @ np.linalg.lstsq(Z, e, rcond=None)[0]
        with linalg.limit_blas(Z.shape[1] ** 2):
            return resampled_test(
                namespaces.to_numpy(spectrum.values),
                moments.weight,
                Z.shape[1],
                lambda d, rng: hessian_eigenvalues(permuted_after(Z, d, rng, moves), e, bool(self.residuals)),
                method="permutation" + ("" if moves is None else moves.words),
                alpha=alpha,
                n_draws=n_draws,
                seed=seed,
            )

    def _chi2(self, moments: Cubic, alpha: float) -> DimensionTest:
        return hessian_test(namespaces.to_numpy(self._every(moments)[1].values), moments.weight, alpha)

    def _every(self, moments: Cubic) -> tuple[HessianProblem, Spectrum]:
        """Return the problem of moments, and all its directions."""
        return type(self)(residuals=self.residuals)._solved(moments)  # type: ignore[return-value]

    # -- summary and scikit-learn ------------------------------------------------------------------------------

    def _tables(self) -> Iterator[tuple[str, Table | None]]:
        yield from super()._tables()
        bends = {"curvature": self.curvatures_, "slope": self.slopes_}
        yield "curvatures", table("How y bends and rises along directions", bends, self._names_of_directions())

    def _summary_test(self) -> str:
        return str(self._chi2(self._collected, 0.05)) if self.residuals else ""

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the variates: phd0, phd1, …"""
        super().get_feature_names_out(input_features)  # which checks that the model is fitted
        return np.array([f"phd{j}" for j in range(self._n_features_out)], dtype=object)

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.single_output = True
        return tags


def _one_response(found: Any) -> errors.InputError:
    return errors.InputError(
        f"y has {found} columns, and principal Hessian directions take one response; fit a model for each."
    )


def _require_rest(n: int, rank: int) -> None:
    """Refuse rows that leave no residuals."""
    if n <= rank + 1:
        raise errors.InputError(
            f"residuals=True: {n} rows of rank {rank} leave no residuals of a linear regression; pass more "
            "rows or fewer columns, or use residuals=False."
        )
