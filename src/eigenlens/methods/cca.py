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

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from .._core import errors
from .._core import xp as _xp
from .._core.errors import inference as errors_inference
from .._core.parameters import check_choice, check_count, check_number, is_number
from .._core.stored import stored
from .._core.typing import Array, TableLike
from ..inference import CANONICAL, DimensionTest, canonical_permutation_test
from ..moments import Centred, Cross
from ..sources import Source, as_source, map_rows
from ..sources.table import as_two_dimensional
from ..spectral import Spectrum
from ..subspace import Subspace
from ._base import MomentsEstimator, in_data_units
from ._canonical import CanonicalPencil, canonical_angles, canonical_pairs, canonical_pencil, wilks_of
from ._transformer import RowsTransformer


@stored("CCA")
class CCA(RowsTransformer, RegressorMixin, MultiOutputMixin, MomentsEstimator):
    """Canonical correlations of two tables, from one pass over their rows.

    Parameters
    ----------
    n_components : int, "auto" or None
        How many pairs; at most the smaller number of columns, which None takes.
    ridge : float
        Added to the diagonals of Σ_xx and Σ_yy. Correlations are then smaller than the plain ones, and exist for more
        columns than rows.

    Attributes
    ----------
    correlations_ : array of shape (q,)
        Canonical correlations, descending.
    angles_ : array of shape (q,)
        Their angles, accurate also where the correlation is 1 but for the last digits.
    x_weights_, y_weights_ : arrays of shape (p, q) and (s, q)
        Directions as columns; variates have variance 1 (divisor W − 1). In each x direction the entry of largest size
        is positive.
    x_mean_, y_mean_ : arrays
    moments_ : Cross
        What the pass kept; `moments_.merge(other)` joins fits on different rows.
    subspace_, y_subspace_ : Subspace
    spectrum_ : Spectrum

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
    1 of 2 directions stand above noise at 5% (wilks).
    """

    _target = "table"

    def __init__(self, n_components: Any = None, *, ridge: float = 0.0) -> None:
        self.n_components = n_components
        self.ridge = ridge

    def fit(self, X: TableLike, Y: TableLike = None, sample_weight: Any = None, *, y: TableLike = None) -> Self:
        """Find the canonical pairs.

        Parameters
        ----------
        X : table of shape (n, p)
        Y : table of shape (n, s), or (n,) for a single column
        sample_weight : array of shape (n,), optional
            Weight 2 means that the row stands there twice.
        y : table
            The name under which scikit-learn's tools pass Y.
        """
        return self._fit(X, y if Y is None else Y, sample_weight)

    def partial_fit(self, X: TableLike, Y: TableLike = None, sample_weight: Any = None, *, y: TableLike = None) -> Self:
        """Take in more rows; the result is that of all rows seen, as if they had come at once."""
        return self._partial_fit(X, y if Y is None else Y, sample_weight)

    def fit_transform(
        self, X: TableLike, Y: TableLike = None, sample_weight: Any = None, *, y: TableLike = None
    ) -> Any:
        """Fit, and return the variates of both tables."""
        Y = y if Y is None else Y
        return self.fit(X, Y, sample_weight).transform(X, Y)

    # -- the three hooks ---------------------------------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Cross:
        return Cross(kind)

    def _pencil(self, moments: Cross) -> CanonicalPencil:
        joint, p = self._joint(moments), moments.split
        ridge = self.ridge / float(joint.unit[0]) ** 2 if self.ridge else 0.0
        return canonical_pencil(joint, p, ridge, self._pairs(p, joint.n_features - p))

    def _present(self, spectrum: Spectrum, pencil: CanonicalPencil, moments: Cross) -> None:  # type: ignore[override]
        joint, p = self._joint(moments), moments.split
        xp, dtype = _xp.namespace(joint.pivot), joint.dtype
        x_unit, y_unit = joint.unit[:p], joint.unit[p:]
        angles = canonical_angles(spectrum, pencil)
        spectrum = spectrum.mapped(in_data_units(self, spectrum.vectors, x_unit))
        V = pencil.y_whitening.matrix @ spectrum.left
        mean = joint.shift[0, :] * joint.unit
        self.spectrum_ = spectrum
        self._angles = angles
        self._y_loadings = pencil.Syy.apply(V) * y_unit[:, None]
        self.subspace_ = Subspace(joint.pivot[:p], spectrum.vectors, mean[:p])
        self.y_subspace_ = Subspace(joint.pivot[p:], V / y_unit[:, None], mean[p:])
        self.correlations_ = _xp.published(xp.cos(angles), dtype)
        self.angles_ = _xp.published(angles, dtype)
        self.x_weights_ = _xp.published(self.subspace_.basis, dtype)
        self.y_weights_ = _xp.published(self.y_subspace_.basis, dtype)
        self.x_mean_ = _xp.published(self.subspace_.point, dtype)
        self.y_mean_ = _xp.published(self.y_subspace_.point, dtype)

    def _solve(self, pencil: Any) -> Spectrum:
        return canonical_pairs(pencil)

    def _kept(self, spectrum: Spectrum, pencil: Any, moments: Cross) -> Spectrum:
        if self.n_components != "auto":
            return spectrum
        return spectrum.first(max(1, wilks_of(spectrum, pencil, moments.weight, 0.05, "wilks").dimension))

    def _check_parameters(self) -> None:
        check_count(self.n_components, auto=not self.ridge)
        check_number("ridge", self.ridge, 0)

    def _check_source(self, source: Source, whole: bool) -> None:
        assert source.n_responses is not None
        self._pairs(source.n_features, source.n_responses)
        if whole or not hasattr(self, "_collected"):
            self._single_response, self._y_names = source.single_response, source.response_names
            return
        self._check_second(source.n_responses, source.response_names)
        self._single_response = self._single_response and source.single_response
        self._y_names = self._y_names or source.response_names

    def _forget_source(self) -> None:
        self._single_response, self._y_names = False, None

    def _lacking(self, moments: Cross) -> Exception | None:
        if moments.weight <= 1:
            return errors.weight_too_small(moments.weight, 1, "W − 1")
        if not self.ridge:
            constant, p = _xp.to_numpy(moments.joint.constant_columns()), moments.split
            for name, columns in (("X", constant[:p]), ("Y", constant[p:])):
                if columns.all():
                    return errors.all_constant(name)
        return None

    def _condition(self, spectrum: Spectrum, pencil: CanonicalPencil) -> float:  # type: ignore[override]
        rho = min(float(spectrum.singular_values[0]), 1.0) if len(spectrum) else 0.0
        sine = ((1 - rho) * (1 + rho)) ** 0.5
        return max(spectrum.condition, pencil.y_whitening.condition, 1 / sine if sine > 0 else float("inf"))

    def _leaves_out(self, spectrum: Spectrum, pencil: CanonicalPencil) -> bool:
        return super()._leaves_out(spectrum, pencil) or pencil.y_whitening.rank < pencil.y_whitening.varying

    def _weakest(self) -> str:
        return "[X, Y], columns scaled to unit variance,"

    @property
    def _invariance(self) -> str:  # type: ignore[override]
        return "rotation" if self.ridge else "linear"

    # -- what the hooks share ----------------------------------------------------------------------------------

    _single_response = False
    _y_names: list[str] | None = None

    def _joint(self, moments: Cross) -> Centred:
        """Return the joint moments; a ridge asks for one unit in all columns."""
        return moments.joint.uniform()[0] if self.ridge else moments.joint

    def _pairs(self, p: int, s: int) -> int:
        most = min(p, s)
        if self.n_components in (None, "auto"):
            return most
        if self.n_components > most:
            why = f"tables of {p} and {s} columns have at most {most} canonical pairs"
            raise errors.components_out_of_range(self.n_components, most, why)
        return int(self.n_components)

    def _warn_ranks(self, spectrum: Spectrum, pencil: CanonicalPencil, moments: Cross) -> None:
        advice = "Use ridge, or drop collinear columns, if these directions matter."
        p, wanted = pencil.dimension, self.n_components
        s = moments.joint.n_features - p
        for name, columns, whitening in (("X", p, spectrum.whitening), ("Y", s, pencil.y_whitening)):
            assert whitening is not None
            if whitening.rank < whitening.varying:
                errors.warn(errors.rank_deficient(name, whitening.rank, whitening.varying, "columns vary", advice))
            elif is_number(wanted) and whitening.varying < wanted:
                errors.warn(errors.few_columns_vary(name, whitening.varying, columns, int(wanted)))

    # -- use ---------------------------------------------------------------------------------------------------

    def transform(self, X: TableLike, Y: TableLike = None) -> Any:
        """Return the x variates of rows; with Y, the pair of x and y variates."""
        x_scores = self._over_rows(X, lambda block: self.subspace_.project(block))
        if Y is None:
            return x_scores
        source = as_source(as_two_dimensional(Y)[0], name="Y", estimator=type(self).__name__, every_row=True)
        self._check_second(source.n_features, source.feature_names)
        scores = map_rows(source, lambda block: _xp.cast(self.y_subspace_.project(block), block.dtype))
        if scores.shape[0] != x_scores.shape[0] and scores.shape[0] == scores.shape[0]:  # Dask may not know: NaN
            raise errors.lengths_differ("X", x_scores.shape[0], "Y", scores.shape[0])
        return x_scores, scores

    def _check_second(self, found: int, names: list[str] | None) -> None:
        """Refuse a Y whose columns are not those of the fit."""
        s = self._collected.joint.n_features - self._collected.split
        if found != s:
            raise errors.columns_differ("Y", found, s)
        if self._y_names is not None and names is not None and self._y_names != names:
            raise errors.column_names_differ("Y", names, self._y_names)

    def predict(self, X: TableLike, shrink: bool = True) -> Array:
        """Predict Y from X through the canonical pairs.

        Parameters
        ----------
        X : table of shape (n, p)
        shrink : bool
            ŷ = ȳ + Σ_yy V diag(ρ) Uᵀ(x − x̄), which with all pairs is least squares. Without shrinking diag(ρ) is left
            out: the y variates are set equal to the x variates.
        """

        def response(block: Array) -> Array:
            xp = _xp.namespace(block)
            scores = self.subspace_.project(block)
            if shrink:
                scores = scores * xp.cos(_xp.like(self._angles, block))
            Y = scores @ _xp.like(self._y_loadings, block).T + _xp.like(self.y_subspace_.point, block)
            return Y[:, 0] if self._single_response and Y.shape[1] == 1 else Y

        return self._over_rows(X, response)

    def test_dimension(
        self, alpha: float = 0.05, method: str | None = None, *, n_draws: int = 199, random_state: Any = 0
    ) -> DimensionTest:
        """Test how many canonical correlations differ from zero, whatever `n_components` is.

        Parameters
        ----------
        alpha : float
            Level.
        method : {"wilks", "bartlett", "pillai", "lawley-hotelling", "roy", "permutation"}, optional
            Normal theory (see `eigenlens.inference.wilks`); or Σ_{j>d} ρⱼ² under permutations of the x variates after
            the d-th, which assumes no law and reads the rows of the fit again. With a ridge the normal theory does not
            hold: "permutation" is then the default, and all there is.
        n_draws : int
            Number of permutations.
        random_state : int, Generator, RandomState or None
            Their seed.
        """
        self._require_fit()
        method = ("permutation" if self.ridge else "wilks") if method is None else method
        check_choice("method", method, (*CANONICAL, "permutation"))
        if method == "permutation":
            return self._permutation_test(alpha, n_draws, random_state)
        if self.ridge:
            raise errors_inference.permutation_only(f"ridge={self.ridge!r}", method)
        every = CCA()
        pencil, spectrum = every._pose_and_solve(self._collected)
        return wilks_of(spectrum, pencil, self._collected.weight, alpha, method)

    def _permutation_test(self, alpha: float, n_draws: int, seed: Any) -> DimensionTest:
        block = self._rows_again()
        X, Y = block.X, np.asarray(block.y, dtype=np.float64).reshape(len(block.X), -1)
        ridge = self.ridge * (len(X) - 1)
        penalties = [ridge * np.eye(table.shape[1]) if ridge else None for table in (X, Y)]
        return canonical_permutation_test(X, Y, *penalties, alpha=alpha, n_draws=n_draws, seed=seed)

    @property
    def _n_features_out(self) -> int:
        return self.x_weights_.shape[1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.single_output = True
        return tags
