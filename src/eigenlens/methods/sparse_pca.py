r"""Sparse principal component analysis: components with few loadings that are not zero.

With G the covariance scaled to trace p,

.. math:: \min_{A, B} \; \mathrm{tr}\,G - 2\,\mathrm{tr}(A^T G B) + \mathrm{tr}(B^T (G + \lambda_2 I) B)
    + \sum_j \lambda_{1j} \lVert\beta_j\rVert_1 , \qquad A^T A = I ,

which is :math:`\sum_i \lVert x_i - A B^T x_i\rVert^2 + \lambda_2 \sum_j \lVert\beta_j\rVert^2 + \sum_j \lambda_{1j}
\lVert\beta_j\rVert_1`, and needs only the covariance of the rows.

References
----------
Zou, Hastie, Tibshirani (2006), Sparse principal component analysis. *J. Computational and Graphical Statistics* 15.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.parameters import check_count, check_flag, check_number, is_number
from ..arrays.progress import tracked
from ..arrays.stored import stored
from ..arrays.typing import Array, TableLike
from ..moments import Centred
from ..solve import Form, Pencil, Spectrum, orient
from ..solve.counted_axes import adjusted_variance, counted_axes, loadings_on
from ..solve.sparse_axes import STARTS, SparseAxes, axes_on_places, sparse_axes
from ..solve.subspace import Subspace
from ._principal import PrincipalComponents, PrincipalProblem, standardised
from ._sparse_path import SparsePath
from .spine.about import Declaration, Laws, basis_of
from .spine.problem import SCALE_ITSELF, warn_of_spread
from .spine.rows_estimator import Known

PATH_ROUNDS = 150  # that a penalty of a path gets before it goes on from its neighbour
SHARED_ROUNDS = 1500  # that those share that do, at most
LAST_ROUNDS = 50  # that a penalty gets when these are used up
RIDGE = 1e-6  # enough for columns that are combinations of others
REFIT_TOL = 1e-5  # change of the loadings at which their places are settled


@dataclass(frozen=True, eq=False)
class SparseProblem(PrincipalProblem):
    """The principal axes from which the iteration starts."""

    def condition(self, spectrum: Spectrum) -> float:
        s = spectrum.singular_values
        last = float(s[min(len(spectrum), max(spectrum.rank, 1)) - 1])
        return float(s[0]) / last if last > 0 else 1.0

    def shortfalls(self, spectrum: Spectrum) -> Iterator[Warning]:
        if not spectrum.rank:
            yield errors.RankWarning(
                "All columns of X are constant: there is one component, without a nonzero loading, and it explains "
                "nothing. Check that these are the right columns and rows."
            )
        elif self.asked is not None and spectrum.rank < self.asked:
            advice = "The others have no variance: constant or collinear columns."
            yield errors.rank_deficient("X", spectrum.rank, int(self.asked), "components are wanted", advice)


@stored("SparsePCA")
class SparsePCA(PrincipalComponents):
    """Sparse principal component analysis, from one pass over the rows.

    Parameters
    ----------
    n_components : int or None
        How many components; None means as many as there are directions with variance.
    alpha : float, sequence of floats or None
        λ₁, the ℓ1 penalty on the covariance scaled to trace p (so the overall unit of X does not matter), one for all
        components or one for each. Zero is PCA. With one for all and at most 500 loadings, several starts are
        tried and the lowest minimum is taken; one for each ties a component to its principal axis, where it starts.
    n_nonzero : int, sequence of ints or None
        Number of nonzero loadings, one for all components or one for each, instead of `alpha`; ⌈√p⌉ if neither is
        given. A search for one component after the other chooses the columns whose components explain much, and they
        get the loadings that add most variance.
    ridge : float or None
        λ₂, on the same scale; None is 1e-6 with `alpha`, and no ridge with `n_nonzero`. ``numpy.inf`` is the
        soft-threshold form, which needs no p × p matrix. With `n_nonzero`, a ridge changes the loadings, not the
        columns: they are those that minimise the sum above without λ₁. Of columns that are much alike, loadings with a
        small ridge are large and cancel.
    refit : bool
        Drop the penalty once the nonzero loadings are chosen, since it also shrinks those that it keeps: each component
        gets the loadings, on the same columns, that add most variance to the components before it.
    tol : float
        Relative change of the loadings at which the iteration ends; before a refit, no less than 1e-5.
    max_iter : int
    scale : bool
        Divide columns by their standard deviations, so their units do not matter.

    Attributes
    ----------
    components_ : array of shape (k, p)
        Loadings as rows of unit norm; in each, the largest entry in absolute value is positive. They are not
        orthogonal, and their scores are not uncorrelated. A component without loadings is a row of zeros.
    explained_variance_, explained_variance_ratio_ : arrays of shape (k,)
        Adjusted variance: what the scores of a component add to those before it (QR), and its share of the total.
    n_nonzero_ : ndarray of shape (k,)
        Nonzero loadings of each component.
    alpha_ : ndarray of shape (k,)
        Penalties used; NaN with `n_nonzero`.
    ridge_ : float
        Ridge used; infinite for `n_nonzero` without a ridge.
    objective_ : float
        Value that the iteration reached, before `refit`: the sum above, with `alpha_` as λ₁ (and without a penalty if
        that is NaN) and `ridge_` as λ₂; if that is infinite, ‖B‖² − 2 tr(AᵀGB) + Σ λ₁ⱼ‖βⱼ‖₁. With `n_nonzero` and no
        ridge (or a refit), the variance that is not explained, of p in all.
    mean_ : array of shape (p,)
    scale_ : array of shape (p,)
        With `scale=True`: the standard deviations by which columns are divided, 1 for constant columns. Components and
        variances are those of the divided columns.
    n_components_, n_iter_ : int
        ``n_iter_`` is 1 with `n_nonzero` and no ridge.
    moments_ : Scatter or Factor
    subspace_ : Subspace
    spectrum_ : Spectrum
        Of the PCA that the iteration starts from.

    See Also
    --------
    PCA : Directions of largest variance.
    RobustPCA : Low rank plus gross errors.
    eigenlens.inference.bootstrap : Intervals of loadings, and angles of the subspace.

    Notes
    -----
    Memory: the p × p covariance and a copy. Of at most as many rows as columns, the table and a copy with `n_nonzero`
    or ``ridge=numpy.inf``; with `alpha`, three copies of a table of more than 2,000 columns and half as many rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from eigenlens import SparsePCA
    >>> model = SparsePCA(2, n_nonzero=4).fit(scale(load_wine().data))
    >>> (model.components_ != 0).sum(axis=1)
    array([4, 4])
    """

    components_: Array
    explained_variance_: Array
    explained_variance_ratio_: Array
    n_nonzero_: Array
    alpha_: Array
    ridge_: float
    objective_: float
    mean_: Array
    n_iter_: int
    subspace_: Subspace

    _declaration = Declaration(
        question="none",
        name="sparse-pca",
        place=2,
        use="directions that each use only a few columns",
        directions=lambda n, p, excess: min(4, n, p),  # they are looked at a few at a time
        linear_map=basis_of,
        foreign_names={"relative": "give alpha; path() shows the scale of the penalties"},
    )

    scale: bool = False  # of models in files that are older than the parameter

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float | Sequence[float] | None = None,
        n_nonzero: int | Sequence[int] | None = None,
        ridge: float | None = None,
        refit: bool = False,
        tol: float = 1e-10,
        max_iter: int = 5000,
        scale: bool = False,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.n_nonzero = n_nonzero
        self.ridge = ridge
        self.refit = refit
        self.tol = tol
        self.max_iter = max_iter
        self.scale = scale

    def _obeys(self) -> Laws:  # the iteration starts from the principal axes, and ends elsewhere
        return Laws(invariance="units" if self.scale else "permutation", solves_pencil=False)

    # -- moments, problem, attributes ----------------------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> Centred:
        return kind()

    def _pose(self, moments: Centred) -> SparseProblem:
        divisor, scale, given = moments.weight - 1, None, None
        k = self._require_rows(moments, divisor, "W − 1")
        if self.scale:
            given = moments
            moments, scale = standardised(moments, divisor, moments.constant_columns())
        uniform, power = moments.uniform()
        pencil = Pencil(
            Form.of(uniform, 1.0),
            n_components=k,
            constant=moments.constant_columns(),
            most=max(1, min(moments.n_rows - 1, moments.n_features)),
            leading=True,
        )
        names = getattr(self, "feature_names_in_", None)
        unit = exponents.power(power)
        return SparseProblem(pencil, moments, uniform, names, self.n_components, unit, scale, given)

    def _present(self, problem: SparseProblem, spectrum: Spectrum) -> None:
        pencil, moments, unit = problem.pencil, problem.moments, problem.unit
        dtype, k = moments.dtype, min(len(spectrum), max(1, spectrum.rank))
        total = pencil.A.trace()
        start = namespaces.to_numpy(spectrum.vectors)[:, :k]
        n_nonzero = self._counts(moments.n_features)
        axes = self._axes(pencil.A, start, total, self.alpha, n_nonzero)
        if total:
            self._tell(axes)
        loadings, variance = _loadings(axes, pencil.A)
        self.n_components_, self.n_iter_, self.alpha_ = k, axes.n_iter, axes.penalties
        self.n_nonzero_ = np.count_nonzero(axes.B, axis=0)
        self.ridge_ = axes.ridge
        whole = np.isfinite(axes.ridge) or n_nonzero is not None
        self.objective_ = axes.objective + (pencil.A.dimension if total and whole else 0.0)
        if problem.scale is None:
            varying = ~namespaces.to_numpy(moments.constant_columns())
            spread = namespaces.to_numpy(problem.pencil.A.diagonal()) ** 0.5 * varying
            warn_of_spread(spread, problem.names, SCALE_ITSELF)
        self._set_scale(problem.scale, dtype)
        self.subspace_ = _subspace(problem, loadings)
        self.mean_ = namespaces.attribute_copy(problem.given.mean, dtype)
        self.components_ = namespaces.attribute_copy(loadings.T, dtype)
        with np.errstate(over="ignore", under="ignore"):
            scale = variance / max(moments.weight - 1, 1e-300) * unit * unit
        self.explained_variance_ = namespaces.attribute_copy(namespaces.like(scale, moments.pivot), dtype)
        self.explained_variance_ratio_ = namespaces.attribute_copy(
            namespaces.like(variance / (total or 1.0), moments.pivot), dtype
        )

    def _axes(
        self,
        form: Form,
        start: np.ndarray,
        total: float,
        alpha: Any,
        n_nonzero: Any = None,
        rounds: int | None = None,
    ) -> SparseAxes:
        """Solve on the covariance scaled to trace p."""
        (p, k), ridge = start.shape, self._ridge(n_nonzero)
        if not total:
            none = np.full(k, 0.0 if n_nonzero is None else np.nan)
            return SparseAxes(np.zeros((p, k)), start, none, 1, 0.0, True, 0.0, ridge)
        G = _on_host(form)
        if n_nonzero is not None:
            axes = counted_axes(G, start, self._each("n_nonzero", n_nonzero, k).astype(int))
            if self.ridge is None or self.refit:
                return axes
        G = G.times(p / total)
        # a refit takes only the places of the nonzeros, which are settled long before the last digits
        tol, rounds = max(self.tol, REFIT_TOL) if self.refit else self.tol, rounds or self.max_iter
        if n_nonzero is not None:
            return axes_on_places(G, axes, ridge=ridge, tol=tol, max_iter=rounds)
        penalties, starts = self._each("alpha", alpha, k).astype(float), 1 if np.ndim(alpha) > 0 else STARTS
        axes = sparse_axes(G, start, penalties, ridge=ridge, tol=tol, max_iter=rounds, starts=starts)
        return replace(axes, B=loadings_on(G, axes.B)) if self.refit else axes

    def _ridge(self, n_nonzero: Any) -> float:
        if self.ridge is not None:
            return self.ridge
        return RIDGE if n_nonzero is None else np.inf

    def _along(self, form: Form, start: np.ndarray, total: float, alphas: list[float]) -> list[SparseAxes]:
        """Solve for each penalty, the strongest first; one that settles slowly goes on from the one before.

        Those that do share up to `max_iter` rounds: where directions are nearly free, each may take thousands.
        """
        found: dict[int, SparseAxes] = {}
        near, spare = start, min(self.max_iter, SHARED_ROUNDS) - PATH_ROUNDS
        for i in tracked(iter(np.argsort(alphas)[::-1].tolist()), len(alphas), "Penalties", None):
            tried = PATH_ROUNDS if spare > 0 else min(LAST_ROUNDS, PATH_ROUNDS)
            axes = self._axes(form, start, total, float(alphas[i]), rounds=min(self.max_iter, tried))
            if not axes.converged and spare > 0:
                axes = self._axes(form, near, total, float(alphas[i]), rounds=PATH_ROUNDS + spare)
                spare -= axes.n_iter
            found[i] = axes
            near = axes.A if axes.B.any(axis=0).all() else start
        return [found[i] for i in range(len(alphas))]

    def _tell(self, axes: SparseAxes) -> None:
        if not axes.converged:
            errors.warn(errors.residual_left(self.max_iter, axes.moved, self.tol))
        if self.n_nonzero is not None:
            met, asked = np.count_nonzero(axes.B, axis=0), self._each("n_nonzero", self.n_nonzero, axes.B.shape[1])
            short = np.flatnonzero(met < asked)
            if len(short):
                j = int(short[0])
                errors.warn(
                    errors.RankWarning(
                        f"n_nonzero={asked[j]} but component {j} has {met[j]} nonzero loading(s): the other columns "
                        f"are constant or add nothing. Drop them, or ask for n_nonzero={met[j]}."
                    )
                )
        dead = np.flatnonzero(~axes.B.any(axis=0))
        if len(dead):
            names = errors.listed(dead.tolist())
            which = f"component {names} has" if len(dead) == 1 else f"components {names} have"
            errors.warn(
                errors.RankWarning(
                    f"alpha is so large that {which} no nonzero loading and so no variance. Lower alpha, or ask for "
                    "fewer components."
                )
            )

    # -- checks ------------------------------------------------------------------------------------------------

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            self._wanted(known.n_rows, known.n_features)
            return
        check_count(self.n_components)
        check_flag("refit", self.refit)
        check_flag("scale", self.scale)
        if self.alpha is not None:
            self._check_each("alpha", self.alpha, 0)
        if self.n_nonzero is not None:
            self._check_each("n_nonzero", self.n_nonzero, 1, integer=True)
        if self.ridge is not None and not (is_number(self.ridge) and self.ridge >= 0):
            raise errors.InputError(f"ridge={self.ridge!r}, but it must be None, a number of at least 0, or numpy.inf.")
        check_number("tol", self.tol, 0, above=True)
        check_number("max_iter", self.max_iter, 1, integer=True)

    def _check_each(self, name: str, value: Any, low: float, integer: bool = False) -> None:
        """Refuse what is neither one number nor one for each component."""
        several = isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 1
        for one in value if several else [value]:
            check_number(name, one, low, integer=integer)
        if several and not len(value):
            raise errors.InputError(f"{name}=[] is empty; give one value, or one for each component.")
        if several and self.n_components is not None and len(value) != self.n_components:
            raise _one_for_each(name, value, int(self.n_components))

    def _each(self, name: str, value: Any, k: int) -> np.ndarray:
        """Return one value for each of k components."""
        values = np.asarray(value)
        if values.ndim == 0:
            return np.full(k, values)
        if len(values) < k:
            raise _one_for_each(name, value, k)
        return values[:k]

    def _counts(self, p: int) -> Any:
        """Return the numbers of nonzero loadings, or None if a penalty decides."""
        return math.ceil(math.sqrt(p)) if self.alpha is None and self.n_nonzero is None else self.n_nonzero

    def _wanted(self, n: int | None, p: int) -> int:
        if self.n_nonzero is not None and np.max(self.n_nonzero) > p:
            raise errors.number("n_nonzero", self.n_nonzero, f"at most {p}: X has {p} feature(s)")
        return super()._wanted(n, p)

    # -- use ---------------------------------------------------------------------------------------------------

    def transform(self, X: TableLike) -> Array:
        """Return the scores of rows: their centred columns times the loadings."""
        return self._over_rows(X, lambda rows: self.subspace_.project(rows), takes_sparse=True)

    def inverse_transform(self, X: TableLike) -> Array:
        """Return the points in the span of the components that have the given scores."""
        return self._over_scores(X, self.subspace_.lift, self.n_components_)

    def path(self, alphas: Sequence[float] | None = None) -> SparsePath:
        """Fit a range of penalties from the moments of this model: sparsity against the variance that it costs.

        Parameters
        ----------
        alphas : sequence of floats, optional
            Penalties, on the scale of `alpha`; by default 30, evenly spaced on a logarithmic scale, from one at which
            almost nothing is zero to the one at which the first component vanishes.

        Returns
        -------
        SparsePath
        """
        self._require_fit()
        form = self._pose(self._collected).pencil.A
        start = namespaces.to_numpy(self.spectrum_.vectors)[:, : self.n_components_]
        total = form.trace()
        top = _killing_penalty(form, self.spectrum_.vectors[:, :1])
        values = (np.geomspace(1e-3, 1, 30) * top).tolist() if alphas is None else list(alphas)
        for alpha in values:
            check_number("alphas", alpha, 0)
        found = self._along(form, start, total, values)
        if not all(axes.converged for axes in found):
            worst = max(axes.moved for axes in found)
            errors.warn(errors.residual_left(self.max_iter, worst, self.tol))
        both = [_loadings(axes, form) for axes in found]
        return SparsePath(
            alphas=np.asarray(values, dtype=float),
            n_nonzero=np.stack([np.count_nonzero(axes.B, axis=0) for axes in found]),
            explained_variance_ratio=np.stack([variance for _, variance in both]) / (total or 1.0),
            components=np.stack([namespaces.to_numpy(loadings).T for loadings, _ in both]),
            dense=float(np.sum(namespaces.to_numpy(self.spectrum_.values)[: self.n_components_])) / (total or 1.0),
        )


def _on_host(form: Form) -> Form:
    """Return the form of NumPy arrays."""
    if form.factor is None:
        return Form(matrix=namespaces.to_numpy(form.matrix))
    return Form(factor=namespaces.to_numpy(form.factor), squared=form.squared)


def _subspace(problem: SparseProblem, loadings: Array) -> Subspace:
    """Return centre and basis in the units of X."""
    given, scale = problem.given, problem.scale
    if scale is None:
        return Subspace(given.pivot, loadings, problem.centred.shift[0, :] * problem.unit)
    xp = namespaces.namespace(loadings)
    dual = xp.linalg.pinv(loadings).T * scale[:, None]
    return Subspace(given.pivot, problem.directions(loadings, scale), given.shift[0, :] * given.unit, dual)


def _loadings(axes: SparseAxes, form: Form) -> tuple[Array, np.ndarray]:
    """Return loadings of unit norm, signs fixed, and the adjusted variance of each, in the units of the form."""
    size = np.linalg.norm(axes.B, axis=0)
    loadings = namespaces.like(axes.B / np.where(size > 0, size, 1.0), form.values)
    loadings = loadings * orient(loadings) + 0.0  # a zero has no sign
    return loadings, adjusted_variance(form.seen_through(loadings))


def _killing_penalty(form: Form, axis: Array) -> float:
    """Return the penalty at which the axis has no loading left, on the covariance scaled to trace p."""
    scaled = form.times(form.dimension / (form.trace() or 1.0))
    return 2 * float(np.abs(namespaces.to_numpy(scaled.apply(axis))).max())


def _one_for_each(name: str, value: Any, k: int) -> errors.InputError:
    return errors.InputError(
        f"{name}={value!r} but it must be a single value or one for each of the {k} component(s); "
        f"pass a list of {k}, or set n_components."
    )
