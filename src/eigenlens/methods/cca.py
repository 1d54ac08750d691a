r"""Canonical correlation analysis.

Pairs of directions, one for each table, whose variates are as correlated as possible: maximise

.. math:: u^T \Sigma_{xy} v \quad \text{subject to} \quad u^T \Sigma_{xx} u = v^T \Sigma_{yy} v = 1 .

With an orthonormal basis of each centred table this is the SVD of :math:`Q_x^T Q_y`; the correlations are the cosines
of the angles between the two column spaces.

References
----------
Hotelling (1936), Relations between two sets of variates. Björck, Golub (1973), Numerical methods for computing angles
between linear subspaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import MultiOutputMixin

from ..arrays import errors, namespaces
from ..arrays.parameters import check_choice, check_count, check_flag, check_number, published_at_once
from ..arrays.stored import stored
from ..arrays.summaries import Table, matrix
from ..arrays.typing import Array, ColumnLike, ColumnNames, RandomState, TableLike
from ..inference.dimension_test import DimensionTest
from ..moments import Centred, Cross
from ..moments.conditional import Conditional
from ..rows import RegressorScore, as_source, map_rows
from ..rows.table import as_two_dimensional
from ..solve import Form, Spectrum
from ..solve.subspace import Subspace
from ._canonical import (
    CanonicalProblem,
    about_origin,
    canonical_angles,
    canonical_problem,
    require_variation,
    sides_of_pairs,
)
from .spine.about import Declaration, DirectionTest, Laws, basis_of
from .spine.canonical_tests import CanonicalTests, Sides, pairs_by_theory
from .spine.chosen import Validated, ridges
from .spine.missing import in_units_of_data
from .spine.patterns import filled, law_of
from .spine.rows_estimator import Known, RowsTransformer, wanted
from .spine.structure import structure


@stored("CCA")
class CCA(RowsTransformer, RegressorScore, MultiOutputMixin, CanonicalTests[Cross]):
    """Canonical correlations of two tables, from one pass over their rows.

    Parameters
    ----------
    n_components : int, "auto" or None
        How many pairs; at most the smaller number of columns, which is the default.
    ridge : float or "cv"
        Added to the diagonals of Σ_xx and Σ_yy. Correlations are then smaller than the plain ones, and exist for more
        columns than rows. "cv" chooses the value that predicts Y of unseen rows best (R², five folds), in two passes,
        and keeps it in `ridge_`.
    missing : {"refuse", "ml"}
        How to treat NaN in X or Y: raise an error, or treat it as an unobserved cell and estimate the joint covariance
        by maximum likelihood. Cells must be missing at random. A row with NaN then has variates too: their expectation
        given the observed cells of the same table.
    center : bool
        Whether columns are compared about their means. Without that, `angles_` are the principal angles of the column
        spaces of X and Y as they are, and the correlations their cosines; there are no tests then.

    Attributes
    ----------
    correlations_ : array of shape (q,)
        Canonical correlations, descending.
    angles_ : array of shape (q,)
        Their angles, accurate even if the correlation is 1 up to the last digits.
    x_weights_, y_weights_ : arrays of shape (p, q) and (s, q)
        Directions as columns; variates have variance 1 (divisor W − 1). In each x direction the largest entry in
        absolute value is positive.
    x_mean_, y_mean_ : arrays
    ridge_, cv_path_ : float, array of shape (m, 3)
        The ridge used; with "cv", also the values tried, with their mean scores and standard errors.
    covariance_, log_likelihood_ : array of shape (p + s, p + s), float
        With `missing="ml"`: the joint covariance (divisor W − 1), and the log-likelihood of the observed cells.
    moments_ : Cross
        What the pass collected; `moments_.merge(other)` joins fits on different rows.
    structure_, y_structure_ : arrays of shape (p, q) and (s, q)
        Correlations of the columns of X with the x variates, and of those of Y with the y variates.
    subspace_, y_subspace_ : Subspace
    spectrum_ : Spectrum

    See Also
    --------
    LDA : Classes with one covariance.
    PCA : Directions of largest variance.
    SIR : Directions along which the mean of x moves with y.
    eigenlens.inference.bootstrap : Intervals of loadings, and angles of the subspace.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import CCA
    >>> rng = np.random.default_rng(0)
    >>> shared = rng.standard_normal((500, 1))
    >>> X = shared + rng.standard_normal((500, 3))
    >>> Y = shared + rng.standard_normal((500, 2))
    >>> cca = CCA().fit(X, Y)
    >>> cca.correlations_.round(2)
    array([0.74, 0.06])
    >>> print(cca.test_dimension())
    1 of 2 directions is significant at the 5% level (Wilks' Λ = 0.45, F(6, 990) = 79.9, p < 0.001); the next is not
    significant (Λ = 1, F(2, 496) = 0.798, p = 0.45), and these rows would usually detect a squared correlation of 0.019
    or more (80% power). The test assumes normal data; pass X and Y to check that.
    """

    correlations_: Array
    angles_: Array
    x_weights_: Array
    y_weights_: Array
    x_mean_: Array
    y_mean_: Array
    ridge_: float
    cv_path_: Array
    covariance_: Array
    subspace_: Subspace
    y_subspace_: Subspace

    _declaration = Declaration(
        question="views",
        name="cca",
        place=0,
        use="what two sets of columns have in common",
        test=DirectionTest(
            lambda n, p, s: n * p * (p + s) * min(p, s),
            theory=lambda model, X, Y: not model.ridge and pairs_by_theory(X, Y),
        ),
        linear_map=basis_of,
        foreign_names={
            "scale": "correlations do not depend on the units of columns; leave it out",
            "max_iter": "the solution is direct; leave it out",
            "tol": "the solution is direct; leave it out",
            "copy": "rows are never changed; leave it out",
        },
    )

    _target = "table"

    _y_law: Conditional | None = None

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = None,
        *,
        ridge: float | Literal["cv"] = 0.0,
        missing: Literal["refuse", "ml"] = "refuse",
        center: bool = True,
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.missing = missing
        self.center = center

    @published_at_once
    def fit(
        self,
        X: TableLike,
        Y: TableLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        y: TableLike | None = None,
        target: ColumnNames | None = None,
    ) -> Self:
        """Find the canonical pairs.

        Parameters
        ----------
        X : table of shape (n, p)
        Y : table of shape (n, s), or (n,) for a single column
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        y : table
            The name under which scikit-learn's tools pass Y.
        target : list of columns, optional
            Instead of Y: the names of its columns, if X is a table that holds both.
        """
        Y = y if Y is None else Y
        return self._fit(*self._take_target(X, Y, target), sample_weight)

    def partial_fit(
        self,
        X: TableLike,
        Y: TableLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        y: TableLike | None = None,
    ) -> Self:
        """Add more rows; the result is the same as from all rows seen so far at once."""
        return self._partial_fit(X, y if Y is None else Y, sample_weight)

    def fit_transform(  # type: ignore[override]
        self,
        X: TableLike,
        Y: TableLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        y: TableLike | None = None,
        target: ColumnNames | None = None,
    ) -> Any:
        """Fit, and return the variates of both tables."""
        Y = y if Y is None else Y
        self.fit(X, Y, sample_weight, target=target)
        return self.transform(*self._with_target(X, Y))

    _validated = Validated("ridge", 0.0, ridges, "r2")

    # -- moments, problem, attributes, parameters ----------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Cross:
        return Cross(kind)

    def _pose(self, moments: Cross) -> CanonicalProblem:
        moments = moments if self.center else about_origin(moments)
        require_variation(moments, self._value("ridge"))
        k = self._pairs(moments.split, moments.joint.n_features - moments.split)
        names = getattr(self, "feature_names_in_", None)
        return canonical_problem(moments, self._value("ridge"), k, names, self.n_components)

    def _present(self, problem: CanonicalProblem, spectrum: Spectrum) -> None:
        joint, p = problem.centred, problem.split
        xp, dtype = namespaces.namespace(joint.pivot), joint.dtype
        y_unit = joint.unit[p:]
        angles = canonical_angles(spectrum, problem)
        spectrum = problem.of_columns(spectrum)
        V = problem.y_whitening.matrix @ spectrum.left
        mean = joint.shift[0, :] * joint.unit
        self.spectrum_ = spectrum
        self._angles = angles
        self.ridge_ = float(self._value("ridge"))
        self._y_loadings = problem.Syy.apply(V) * y_unit[:, None]
        self.subspace_ = Subspace(joint.pivot[:p], spectrum.vectors, mean[:p])
        self.y_subspace_ = Subspace(joint.pivot[p:], V / y_unit[:, None], mean[p:])
        self.correlations_ = namespaces.attribute_copy(xp.cos(angles), dtype)
        self.angles_ = namespaces.attribute_copy(angles, dtype)
        self.x_weights_ = namespaces.attribute_copy(self.subspace_.basis, dtype)
        self.y_weights_ = namespaces.attribute_copy(self.y_subspace_.basis, dtype)
        self.x_mean_ = namespaces.attribute_copy(self.subspace_.point, dtype)
        self.y_mean_ = namespaces.attribute_copy(self.y_subspace_.point, dtype)
        if self.missing != "refuse":
            self._set_law(problem)

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            if known.n_responses is not None:
                self._pairs(known.n_features, known.n_responses)
            return
        if not self._asks_validation:
            check_number("ridge", self.ridge, 0)
        check_flag("center", self.center)
        check_count(self.n_components, auto=not self.ridge and self.center)
        check_choice("missing", self.missing, self._modes)
        if not self.center and self.missing != "refuse":
            raise errors.InputError(
                f"missing={self.missing!r} fills cells around the means of the columns, and center=False knows no "
                "means; use center=True, or pass rows without missing cells."
            )

    def _set_law(self, problem: CanonicalProblem) -> None:
        """Set the covariance, and the laws that tell what is known about missing cells."""
        joint, p = problem.centred, problem.split
        plain = Form.of(joint, joint.weight - 1)
        self.covariance_ = np.asarray(
            in_units_of_data(plain, joint.unit), dtype=namespaces.to_numpy(self.x_mean_).dtype
        )
        assert problem.pencil.B is not None
        self._law = law_of(joint.means[:, :p], problem.pencil.B, joint.unit[:p])
        self._y_law = law_of(joint.means[:, p:], problem.Syy, joint.unit[p:])

    def _obeys(self) -> Laws:
        return Laws(invariance="rotation" if self.ridge else "linear", centres=self.center)

    def _pairs(self, p: int, s: int) -> int:
        most = min(p, s)
        return wanted(self.n_components, most, f"tables of {p} and {s} columns have at most {most} canonical pairs")

    # -- use ---------------------------------------------------------------------------------------------------

    def transform(self, X: TableLike, Y: TableLike | None = None) -> Any:
        """Return the x variates of rows; with Y, the pair of x and y variates."""
        x_scores = self._over_rows(X, lambda block: self.subspace_.project(self._filled(block)), takes_sparse=True)
        if Y is None:
            return x_scores
        if not hasattr(x_scores, "shape"):
            raise errors.InputError(
                f"Y was passed with a {type(X).__name__}, whose rows have no fixed order; transform(X) adds the x "
                "variates to it."
            )
        source = as_source(
            as_two_dimensional(Y)[0], name="Y", estimator=type(self).__name__, every_row=True, missing=self.missing
        )
        self._check_second(source.n_features, source.feature_names)

        def variates(block: Array) -> Array:
            return namespaces.cast(self.y_subspace_.project(filled(block, self._y_law)), block.dtype)

        scores = map_rows(source, variates)
        if scores.shape[0] != x_scores.shape[0] and scores.shape[0] == scores.shape[0]:  # Dask may not know: NaN
            raise errors.lengths_differ("X", x_scores.shape[0], "Y", scores.shape[0])
        return x_scores, scores

    def _check_second(self, found: int, names: list[str] | None) -> None:
        """Refuse a Y whose columns are not those of the fit."""
        s = self._collected.joint.n_features - self._collected.split
        if found != s:
            raise errors.InputError(f"Y has {found} columns but the model was fitted with {s}; pass the same columns.")
        if self._y_names is not None and names is not None and self._y_names != names:
            raise errors.column_names_differ("Y", names, self._y_names)

    def predict(self, X: TableLike, shrink: bool = True) -> Array:
        """Predict Y from X through the canonical pairs.

        Parameters
        ----------
        X : table of shape (n, p)
        shrink : bool
            ŷ = ȳ + Σ_yy V diag(ρ) Uᵀ(x − x̄), which with all pairs is least squares. Without shrinking, diag(ρ) is
            omitted: the y variates are set equal to the x variates.
        """

        def response(block: Array) -> Array:
            xp = namespaces.namespace(block)
            scores = self.subspace_.project(self._filled(block))
            if shrink:
                scores = scores * xp.cos(namespaces.like(self._angles, block))
            Y = scores @ namespaces.like(self._y_loadings, block).T + namespaces.like(self.y_subspace_.point, block)
            return Y[:, 0] if self._single_response and Y.shape[1] == 1 else Y

        named = "prediction" if self._y_names is None else [f"prediction_{name}" for name in self._y_names]
        return self._over_rows(X, response, takes_sparse=True, named=named)

    def test_dimension(
        self,
        X: TableLike | None = None,
        Y: TableLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = 0.05,
        method: Literal["wilks", "bartlett", "pillai", "lawley-hotelling", "roy", "permutation"] | None = None,
        groups: ColumnLike | None = None,
        block: int | None = None,
        n_draws: int = 199,
        random_state: RandomState | None = 0,
    ) -> DimensionTest:
        """Test how many canonical correlations differ from zero, whatever `n_components` is.

        Parameters
        ----------
        X, Y : tables, optional
            The rows to test. Without them, the test uses the moments of the fit.
        sample_weight : array of shape (n,), optional
        alpha : float
            Level.
        method : {"wilks", "bartlett", "pillai", "lawley-hotelling", "roy", "permutation"}, optional
            The first five use normal theory (see `eigenlens.inference.wilks`). "permutation" compares Wilks' Λ under
            permutations of the x variates after the d-th, assumes no distribution, and needs X and Y. By default the
            rows decide: Wilks' test if their leverages are even enough for it to hold its level, and permutations
            otherwise or if there are few rows (see `eigenlens.inference.advise`); the note of the result explains why.
            Without rows it is Wilks' test. With a ridge the normal theory does not hold, and "permutation" is the only
            choice.
        groups : array of shape (n,), optional
            Rows that belong together move together ("permutation").
        block : int, optional
            Number of consecutive rows that are alike: variates are shifted by at least this many rows ("permutation").
        n_draws : int
            Number of permutations.
        random_state : int, Generator, RandomState or None
            Their seed.
        """
        if not self.center:
            raise errors.InputError(
                "The tests are about correlations, and center=False compares columns about the origin; use center=True."
            )
        return self._canonical_test(X, Y, sample_weight, alpha, method, groups, block, n_draws, random_state)

    def _sides(self, moments: Cross) -> Sides:
        return sides_of_pairs(moments, self._value("ridge"))

    @property
    def y_structure_(self) -> Array:
        """Correlations of the columns of Y with the y variates, of shape (s, q); NaN for constant columns."""
        if not hasattr(self, "y_subspace_"):
            raise AttributeError("CCA has no y_structure_ before it is fitted")
        joint, p = self._whole_moments.joint, self.n_features_in_
        xp, V = namespaces.namespace(joint.pivot), self.y_subspace_.basis
        none = xp.zeros((p, V.shape[1]), dtype=V.dtype, device=namespaces.device(V))
        return namespaces.cast(structure(joint, xp.concat([none, V], axis=0))[p:, :], joint.dtype)

    def _tables(self) -> Iterator[tuple[str, Table | None]]:
        yield from super()._tables()
        names, found = self._y_names or [f"y{j}" for j in range(len(self.y_mean_))], self._names_of_directions()
        yield "y_coefficients", matrix("Coefficients of Y (y_weights_)", self.y_weights_, names, found)
        title = "Correlations of Y with its variates (y_structure_)"
        yield "y_structure", matrix(title, self.y_structure_, names, found)

    @property
    def _n_features_out(self) -> int:
        return self.x_weights_.shape[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.single_output = True
        return tags
