r"""Robust PCA: a table as a low-rank part plus a few gross errors, some cells unobserved.

.. math:: \min_{L, S} \; \lVert L\rVert_* + \lambda \lVert S\rVert_1 \quad\text{subject to } L + S = X
    \text{ on the observed cells.}

References
----------
Candès, Li, Ma, Wright (2011), Robust principal component analysis? *Journal of the ACM* 58.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.parameters import check_count, check_flag, check_number, published_at_once
from ..arrays.stored import stored
from ..arrays.typing import Array, ColumnLike, ColumnNames, TableLike
from ..moments import Factor
from ..rows import Block
from ..solve import Spectrum, orient
from ..solve.least_absolute import least_absolute
from ..solve.low_rank_and_sparse import (
    Parts,
    Report,
    nothing_observed,
    observed_cells,
    only,
    pursue,
    refuse_empty,
    robust_spreads,
    warn_if_few,
)
from ..solve.subspace import Subspace
from .spine.about import Declaration, Laws, Spread, refitted
from .spine.permuted_columns import PermutedColumns
from .spine.problem import SCALE_ITSELF, warn_of_spread
from .spine.rows_estimator import RowsTransformer
from .spine.structure import structure

RANK = 1e-12  # relative size below which a singular value of the low-rank part is rounding


@stored("RobustPCA")
class RobustPCA(RowsTransformer, PermutedColumns):
    """Robust principal component analysis, by principal component pursuit.

    The table is not centred: a mean is part of the low-rank part. NaN means "not observed".

    Parameters
    ----------
    n_components : int or None
        How many directions of the low-rank part to look through; None keeps all of them.
    lam : float or None
        λ, the price of an error relative to that of a direction; None is 1/√(share · max(n, p)), where the share is
        that of the cells that were observed, and rows count by weight.
    tol : float
        Bound on the relative residuals of the constraint and of the optimality.
    max_iter : int
    scale : bool
        Divide columns by a robust measure of their spread, `scale_`, so their units do not matter.
    progress : bool or callable
        True writes a line per round to standard error; a function is called with (round, residual, rank, objective).

    Attributes
    ----------
    low_rank_, sparse_ : arrays of shape (n, p)
        The two parts; together they are X in the observed cells, to the residual at which the fit ended. Cells that
        were not observed are filled in by `low_rank_` and zero in `sparse_`.
    components_ : array of shape (k, p)
        Orthonormal directions of the row space of `low_rank_`, strongest first; in each, the largest entry in absolute
        value is positive.
    singular_values_ : array of shape (k,)
        Of the (weighted) low-rank part.
    rank_ : int
        Rank of `low_rank_`.
    n_components_ : int
    scale_ : array of shape (p,)
        With `scale=True`: 1.4826 times the median distance of the observed cells of each column from their median,
        which wild cells do not change; the standard deviation where more than half of the cells are equal, and 1 for
        constant columns. Components, singular values, the objective and outlier scores are those of the divided
        columns; `low_rank_` and `sparse_` are in the units of X.
    lam_ : float or None
        λ used; None with a fixed rank.
    n_iter_ : int
    objective_, residuals_ : ndarrays of shape (n_iter_,)
        The objective (with a fixed rank, ‖X − L‖₁) and the relative residual after each round.
    spectrum_ : Spectrum
        Singular values and directions of the (weighted) low-rank part.
    subspace_ : Subspace

    See Also
    --------
    PCA : Directions of largest variance.
    eigenlens.inference.denoise : Remove noise of one variance from a table.

    Notes
    -----
    A row of weight 2 counts twice. The fit iterates on all cells at once: it needs about ten float64 arrays of the size
    of X at its peak, keeps two of them, and has no `partial_fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import RobustPCA
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.standard_normal((60, 2)) @ rng.standard_normal((2, 40))
    >>> X = truth.copy()
    >>> X[rng.random(X.shape) < 0.05] = 100.0          # one cell in twenty is nonsense
    >>> X[rng.random(X.shape) < 0.05] = np.nan         # and some are missing
    >>> model = RobustPCA().fit(X)
    >>> model.rank_
    2
    >>> bool(np.allclose(model.low_rank_, truth, atol=1e-5))
    True
    """

    low_rank_: Array
    sparse_: Array
    components_: Array
    singular_values_: Array
    rank_: int
    lam_: float
    n_iter_: int
    objective_: Array
    residuals_: Array
    subspace_: Subspace

    scale: bool = False  # of models in files that are older than the parameter
    missing = "allow"
    _in_memory = True

    _declaration = Declaration(
        question="none",
        name="robust-pca",
        place=1,
        use="PCA for tables with some wildly wrong cells",
        spread=Spread(
            cost=lambda n, p, groups: 50_000 * n * p,
            repeated=lambda model, X: refitted(model, X, tol=1e-4, max_iter=300),  # of noise and of the rows alike
            variances=lambda model, scores: model._strengths(),  # of what is left where wrong cells were set aside
        ),
        foreign_names={
            "method": "it solves the convex problem, which finds the rank; leave it out (n_components keeps the first "
            "directions)",
        },
    )

    def __init__(
        self,
        n_components: int | None = None,
        *,
        lam: float | None = None,
        tol: float = 1e-7,
        max_iter: int = 5000,
        scale: bool = False,
        progress: bool | Callable[[int, float, int, float], None] = False,
    ) -> None:
        self.n_components = n_components
        self.lam = lam
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale
        self.progress = progress

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Split the table.

        Parameters
        ----------
        X : table of shape (n, p)
            NaN where a cell was not observed.
        y : ignored
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice; a row of weight 0 is split like a new row.
        target : column or list of columns, optional
            Columns of X to exclude, by name.
        """
        X, _ = self._take_target(X, None, target)
        self._check_parameters()
        source: Any = self._open(X, None, sample_weight, reset=True)
        values, weight = source.everything()
        rows, observed = observed_cells(namespaces.float64(values))
        refuse_empty(observed)
        counted = np.ones(rows.shape[0], dtype=bool) if weight is None else weight > 0
        self._check_size(int(counted.sum()), rows.shape[1])
        spread = robust_spreads(rows, observed, weight)
        xp = namespaces.namespace(spread)
        self._set_scale(xp.where(spread > 0, spread, xp.ones_like(spread)) if self.scale else None, values.dtype)
        if not self.scale:
            warn_of_spread(namespaces.to_numpy(spread), getattr(self, "feature_names_in_", None), SCALE_ITSELF)
        self._split(rows, observed, weight, counted, values.dtype)
        warn_if_few(observed, self.rank_)
        return self

    def _strengths(self) -> np.ndarray:
        scores = namespaces.to_numpy(self.low_rank_) @ namespaces.to_numpy(self.subspace_.basis)
        return np.asarray(scores.var(axis=0, ddof=1), dtype=np.float64)

    def _obeys(self) -> Laws:  # a mean is one more direction of the low-rank part
        invariance: Literal["units", "permutation"] = "units" if self.scale else "permutation"
        return Laws(invariance=invariance, centres=False, per_row=("low_rank_", "sparse_"))

    # -- the steps of a fit ---------------------------------------------------------------------------------------

    def _split(self, X: Array, observed: Array | None, weight: Any, counted: np.ndarray, dtype: Any) -> None:
        """Pursue the rows that count, present the result, and split the rows of weight zero with it."""
        xp = namespaces.namespace(X)
        index = namespaces.like(np.flatnonzero(counted), X)
        some = not counted.all()
        M = namespaces.take_rows(X, index) if some else X
        scale = 1.0 if self._scale is None else self._scale
        M = M / scale
        seen = namespaces.take_rows(observed, index) if some and observed is not None else observed
        unit = 2.0 ** np.floor(np.log2(float(xp.max(xp.abs(M))) or 1.0))  # exact, so that no scale overflows
        root = xp.ones_like(M[:, :1]) if weight is None else xp.sqrt(namespaces.like(weight[counted], X))[:, None]
        total = M.shape[0] if weight is None else float(weight.sum())
        share = 1.0 if seen is None else float(xp.sum(xp.where(seen, root**2, 0.0))) / (total * M.shape[1])
        self.lam_ = 1.0 / (share * max(total, M.shape[1])) ** 0.5 if self.lam is None else float(self.lam)
        found = pursue(
            M / unit * root,
            seen,
            root,
            lam=self.lam_,
            tol=self.tol,
            max_iter=int(self.max_iter),
            report=self._report(unit),
        )
        self._present(found, unit, dtype)
        L, S = found.low_rank / root * unit * scale, found.sparse / root * unit * scale
        if some:
            L, S = self._fill_in(X, observed, L, S, counted)
        self.low_rank_, self.sparse_ = namespaces.attribute_copy(L, dtype), namespaces.attribute_copy(S, dtype)

    def _present(self, found: Parts, unit: float, dtype: Any) -> None:
        V, s = found.vectors, found.singular_values
        values = namespaces.to_numpy(s)
        rank = int(np.count_nonzero(values > RANK * values.max(initial=0.0)))
        k = rank if self.n_components is None else min(rank, int(self.n_components))
        if rank:
            V, _ = namespaces.namespace(V).linalg.qr(V[:, :rank], mode="reduced")
            V = V * orient(V)
        tail = float(np.sum((values[k:rank] * unit) ** 2))
        condition = float(values[0] / values[k - 1]) if k else 1.0
        V, s = V[:, :k], s[:k] * unit
        self._warn_fit(found, rank, k)
        residual = float(found.residuals[-1]) if len(found.residuals) else 0.0
        self.spectrum_ = Spectrum(s, V, None, tail, rank, condition, "pursuit", residual)
        centre = namespaces.namespace(V).zeros_like(found.low_rank[0, :])
        self.rank_, self.n_components_, self.n_iter_ = rank, k, len(found.objective)
        scale = namespaces.like(np.ones(V.shape[0]), V) if self._scale is None else self._scale
        self.subspace_ = Subspace(centre, V / scale[:, None], dual=V * scale[:, None])
        self.components_ = namespaces.attribute_copy(V.T, dtype)
        self.singular_values_ = namespaces.attribute_copy(s, dtype)
        self.objective_, self.residuals_ = found.objective * unit, found.residuals

    def _warn_fit(self, found: Parts, rank: int, k: int) -> None:
        if not found.converged:
            errors.warn(errors.residual_left(self.max_iter, float(found.residuals[-1]), self.tol))
        if self.n_components is not None and k < self.n_components:
            advice = "Ask for fewer, or raise lam to count less as errors."
            errors.warn(errors.rank_deficient("low_rank_", k, int(self.n_components), "components are wanted", advice))
        elif rank == 0 and found.objective.size:
            errors.warn(
                errors.RankWarning(
                    f"lam={self.lam_:.3g} is so small that the whole table counts as errors: low_rank_ "
                    "is zero and there are no components. Raise lam."
                )
            )

    def _fill_in(self, X: Array, observed: Any, L: Array, S: Array, counted: np.ndarray) -> tuple[Array, Array]:
        """Put the rows of weight zero, split as new ones, between those that were pursued."""
        xp = namespaces.namespace(X)
        left_out = namespaces.like(np.flatnonzero(~counted), X)
        seen = None if observed is None else namespaces.take_rows(observed, left_out)
        more = self._parts(namespaces.take_rows(X, left_out), seen)
        order = namespaces.like(np.argsort(np.argsort(~counted, kind="stable"), kind="stable"), X)
        return (
            namespaces.take_rows(xp.concat([L, more[0]], axis=0), order),
            namespaces.take_rows(xp.concat([S, more[1]], axis=0), order),
        )

    def _report(self, unit: float) -> Report | None:
        if self.progress is False or self.progress is None:
            return None
        tell = self.progress if callable(self.progress) else _tell
        return lambda k, residual, rank, objective: tell(k, residual, rank, objective * unit)

    # -- checks -----------------------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        check_count(self.n_components)
        if self.lam is not None:
            check_number("lam", self.lam, 0, above=True)
        check_flag("scale", self.scale)
        check_number("tol", self.tol, 0, above=True)
        check_number("max_iter", self.max_iter, 1, integer=True)
        told = callable(self.progress) and not isinstance(self.progress, type)
        if not isinstance(self.progress, bool | np.bool_) and not told:
            raise errors.option("progress", self.progress, (True, False, "a function"))

    def _check_size(self, n: int, p: int) -> None:
        if self.n_components is not None and self.n_components > min(n, p):
            why = f"{n} rows and {p} columns give at most {min(n, p)} components"
            raise errors.components_out_of_range(self.n_components, min(n, p), why)

    # -- use --------------------------------------------------------------------------------------------------------

    def transform(self, X: TableLike) -> Array:
        """Return the scores of rows: least absolute deviations on the components, so gross errors do not count."""
        return self._explained(X, self._scores)

    @property
    def structure_(self) -> Array:
        """Correlations of the columns of the low-rank part with its scores, (p, k); NaN for constant columns."""
        if not hasattr(self, "low_rank_"):
            raise AttributeError("RobustPCA has no structure_ before it is fitted")
        rows = Factor().update(Block(namespaces.float64(self.low_rank_)))
        return namespaces.cast(structure(rows, self.subspace_.basis), self.low_rank_.dtype)

    def inverse_transform(self, X: TableLike) -> Array:
        """Return the points of the subspace that have the given scores."""
        return self._over_scores(X, self.subspace_.lift, self.n_components_)

    def split(self, X: TableLike) -> tuple[Array, Array]:
        """Split new rows into a part in the subspace and a remainder.

        Parameters
        ----------
        X : table of shape (n, p)
            NaN where a cell was not observed; there the remainder is zero.

        Returns
        -------
        low_rank, sparse : arrays of shape (n, p)
        """
        both = self._explained(X, lambda rows, observed: _side_by_side(*self._parts(rows, observed)))
        p = self.n_features_in_
        return both[:, :p], both[:, p:]

    def outlier_scores(self, X: TableLike) -> Array:
        """Return, for each row, the mean absolute residual from the components over its observed cells."""

        def score(rows: Array, observed: Array | None) -> Array:
            xp = namespaces.namespace(rows)
            remainder = xp.sum(xp.abs(self._parts(rows, observed)[1] / self._divisor(rows)), axis=1)
            if observed is None:
                return remainder / rows.shape[1]
            return remainder / xp.clip(xp.sum(xp.astype(observed, xp.float64), axis=1), min=1.0)

        return self._explained(X, score)

    def _explained(self, X: TableLike, function: Callable[[Array, Array | None], Array]) -> Array:
        """Apply a function of (rows, observed) to new rows, refusing rows without any observed cell."""

        def apply(block: Array) -> Array:
            rows, observed = observed_cells(namespaces.float64(block))
            result = function(rows, observed)
            if observed is None:
                return result
            xp = namespaces.namespace(rows)
            known = xp.any(observed, axis=1)
            return xp.where(known[:, None] if result.ndim == 2 else known, result, xp.full_like(result, np.nan))

        result = self._over_rows(X, apply)
        if not namespaces.is_array(result):  # of a Dask collection, still to be computed
            return result
        lost = np.isnan(namespaces.to_numpy(result)).reshape(result.shape[0], -1).any(axis=1)
        if lost.any():
            raise nothing_observed("row", np.flatnonzero(lost).tolist())
        return result

    def _scores(self, X: Array, observed: Array | None) -> Array:
        scale = self._divisor(X)
        return least_absolute(X / scale, observed, namespaces.like(self.subspace_.basis, X) * scale[:, None])

    def _divisor(self, X: Array) -> Array:
        scale = np.ones(self.n_features_in_) if self._scale is None else self._scale
        return namespaces.like(scale, X)

    def _parts(self, X: Array, observed: Array | None) -> tuple[Array, Array]:
        L = self.subspace_.offsets(self._scores(X, observed))
        return L, only(X - L, observed)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _side_by_side(L: Array, S: Array) -> Array:
    return namespaces.namespace(L).concat([L, S], axis=1)


def _tell(k: int, residual: float, rank: int, objective: float) -> None:
    print(f"round {k}: residual {residual:.1e}, rank {rank}, objective {objective:.6g}", file=sys.stderr)
