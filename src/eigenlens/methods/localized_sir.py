r"""Localized sliced inverse regression.

If the rows of a slice lie in several places, or along a curve, their mean is meaningless. Localized SIR replaces the
slice mean with the mean of each row's k nearest neighbours *within its slice*: maximise

.. math:: \frac{v^T M v}{v^T (\Sigma + sI) v}, \quad
          M = \frac1W \sum_i w_i (m_{i,loc} - m)(m_{i,loc} - m)^T, \quad \Sigma = T/W .

Rows without a response count in m and T, and are possible neighbours in every slice (semi-supervised form); the sum in
M runs over the rows that have one. With k at least the size of the largest slice this is SIR.

References
----------
Wu, Liang, Mukherjee (2010), Localized sliced inverse regression, J. Computational and Graphical Statistics 19.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.parameters import check_choice, published_at_once
from ..arrays.stored import stored
from ..arrays.typing import ColumnLike, ColumnNames, RandomState, TableLike
from ..inference.dimension_test import DimensionTest
from ..moments import Centred, Grouped, local_means
from ..moments.centred import choose_kind
from ..moments.local import LocalMoments
from ..rows import Block, Source, as_source, whole
from ..solve import Form, Pencil, solve, whiten
from ..solve.subspace import Subspace
from .inverse_regression import InverseProblem, InverseRegression, symmetric
from .spine.about import Declaration, DirectionTest, Laws, basis_of
from .spine.rows_estimator import Known
from .spine.slice_tests import UseOfSlices


@stored("LocalizedSIR")
class LocalizedSIR(InverseRegression):
    """Localized sliced inverse regression: SIR with local means, for slices that are not one round cloud.

    Parameters
    ----------
    n_components : int, None or "auto"
        How many directions; None is all p; "auto" is what `test_dimension` finds at 5% (at least one).
    n_slices : int, "auto" or cuts
        As in `SIR`.
    n_neighbors : int
        Neighbours of each row within its slice, including itself; a row of weight 2 counts as two.
    ridge : float
        s, added to the diagonal of T/W.
    between : {"weighted", "slices"}
        Whether a slice counts by its rows, or all slices alike, as in `SIR`.

    Attributes
    ----------
    components_ : array of shape (k, p)
        Directions as rows; variates have variance 1 (divisor W), plus ridge·‖v‖² with a ridge.
    eigenvalues_ : array of shape (k,)
        Share of each variate's variance that local means keep, descending.
    mean_ : array of shape (p,)
    slice_means_ : array of shape (H, p)
    slice_weights_ : array of shape (H,)
    slices_ : array of shape (H,)
    slice_names_ : list of str
        A description of each slice.
    n_neighbors_ : int
        The number used.
    moments_ : LocalMoments
        For `fit_moments`: other ridges and dimensions without another search.
    subspace_ : Subspace
    spectrum_ : Spectrum

    See Also
    --------
    SIR : Directions along which the mean of x moves with y.
    SAVE : Directions along which the spread of x changes with y.
    KernelPCA : Components of curved data.

    Notes
    -----
    Distances are Euclidean, so units matter: scale columns that are not comparable. There is no `partial_fit`, since a
    new row may be a neighbour of any other.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import LocalizedSIR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((1000, 4))
    >>> y = X[:, 0] ** 2 + 0.1 * rng.standard_normal(1000)       # symmetric: SIR sees nothing
    >>> model = LocalizedSIR(1).fit(X, y)
    >>> (model.components_ / np.linalg.norm(model.components_)).round(1) + 0.0
    array([[1., 0., 0., 0.]])
    """

    _declaration = Declaration(
        question="number",
        name="localized-sir",
        place=1,
        use="SIR for rows in several places with the same response",
        test=DirectionTest(
            lambda n, p, groups: 50_000 * n * min(p, groups),
            draws=39,
        ),
        compared_as="localized SIR",
        blind_spot=symmetric,
        display="response",
        linear_map=basis_of,
    )

    _in_memory = True
    _slices = UseOfSlices(("permutation",), may_miss=True, one_by_one=True)

    def __init__(
        self,
        n_components: int | Literal["auto"] | None = None,
        *,
        n_slices: int | Literal["auto"] | Sequence[float] = "auto",
        n_neighbors: int = 10,
        ridge: float = 0.0,
        between: Literal["weighted", "slices"] = "weighted",
    ) -> None:
        self.n_components = n_components
        self.n_slices = n_slices
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.between = between

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        slices: Any = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : table of shape (n, p)
        y : response of shape (n,), or several of shape (n, q)
            Sliced as in `SIR`. Rows whose y is NaN (None among words) have no response: they count in the mean and the
            covariance, and as neighbours in every slice.
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        slices : labels of shape (n,), optional
            Your own slices, instead of those of y, which is then ignored.
        target : column or list of columns, optional
            Instead of y: its name in X, if the columns of X have names.
        """
        super().fit(X, y, sample_weight, slices, target=target)
        if self.n_components == "auto" and len(self.eigenvalues_) > 1:
            response = y if slices is None else slices
            self._keep(max(1, self.test_dimension(X, response, sample_weight).dimension))
        return self

    def fit_moments(self, moments: Any) -> Self:
        """Fit from the local means of another fit: other ridges and dimensions without another search.

        Parameters
        ----------
        moments : LocalMoments
            From `moments_` of a fitted model.
        """
        if self.n_components == "auto":
            raise errors.components_kind(
                "auto", "a positive integer or None: its test permutes rows, and moments have none"
            )
        return super().fit_moments(moments)

    def _obeys(self) -> Laws:
        return Laws(invariance="rotation")

    # -- moments, problem, attributes, parameters ----------------------------------------------------------------

    def _moments(self, kind: type[Centred]) -> LocalMoments:
        return LocalMoments(Grouped(kind, meaning=self._slicing), kind(), kind(), int(self.n_neighbors), self.between)

    def _collect(self, source: Source, kind: type[Centred] | None = None, complete: bool = True) -> LocalMoments:
        kind = choose_kind(source.n_rows, source.n_columns) if kind is None else kind
        empty, block = self._moments(kind).slices, whole(source)
        codes, weight = np.asarray(block.y, dtype=np.intp), np.asarray(block.weight)
        labelled = codes >= 0
        if labelled.all():
            slices = source.collect(empty)
            everything = slices.total()
        else:
            everything = source.collect(kind())
            slices = empty.anchored(source.first())
            X, w = (namespaces.like(part[labelled], everything.pivot) for part in (block.X, weight))
            slices.update(Block(X, namespaces.like(codes[labelled], everything.pivot), w, source.labels.classes))  # type: ignore[union-attr]
        k = int(self.n_neighbors)
        smallest = slices.weights.min() + weight[~labelled].sum()
        if k > smallest:
            errors.warn(
                errors.SliceWarning(
                    f"n_neighbors={k} but the smallest slice has a weight of {smallest:g}: in such slices all rows are "
                    f"neighbours, as in plain SIR. Use n_neighbors up to {max(int(smallest), 1)}, or fewer slices."
                )
            )
        with np.errstate(over="ignore"):
            rows = block.X - namespaces.to_numpy(everything.pivot)
        beyond = ~np.isfinite(rows).all(axis=0)
        if beyond.any():
            j = int(beyond.argmax())
            name = repr(source.feature_names[j]) if source.feature_names else j
            raise errors.InputError(
                f"X: differences within column {name} go beyond float64; divide it by a large number."
            )
        size = exponents.unit_of(rows)
        means = local_means(rows / size, codes, weight, k) * size
        local = as_source(means, sample_weight=self._counts(codes, weight)).collect(kind())
        local = local.moved_to(np.zeros(rows.shape[1])).brought_to(everything.pivot)  # rows were taken minus it
        local.pivot = everything.pivot
        moments = LocalMoments(slices, everything, local, k, self.between)
        names = self.__dict__.get("feature_names_in_")
        moments.names = None if names is None else tuple(map(str, names))
        return moments

    def _counts(self, codes: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return what each row of a slice counts in M: its weight, or so much of it that slices count alike."""
        codes, weight = codes[codes >= 0], weight[codes >= 0]
        if self.between == "weighted":
            return weight
        of_slices = np.bincount(codes, weight)
        return weight * (weight.sum() / np.count_nonzero(of_slices) / of_slices[codes])

    def _pose(self, moments: LocalMoments) -> InverseProblem:
        k, total, offsets = self._require_slices(moments)
        p, constant = total.n_features, None if self.ridge else total.constant_columns()
        local = moments.local.rescaled(total.exponent).about(total.shift[0, :]).rescaled(total.exponent)
        pencil = Pencil(
            Form.of(local, moments.weight),
            self._covariance(total),
            n_components=k,
            constant=constant,
            most=p if self.ridge else max(1, min(p, total.n_rows - 1)),
        )
        names = getattr(self, "feature_names_in_", None)
        return InverseProblem(pencil, moments, total, names, self.n_components, offsets)

    @property
    def n_neighbors_(self) -> int:
        """The number of neighbours used."""
        if not hasattr(self, "spectrum_"):
            raise AttributeError("LocalizedSIR has no n_neighbors_ before it is fitted")
        k: int = self._collected.k
        return k

    def _keep(self, d: int) -> None:
        """Present the first d directions of those that were found."""
        problem, spectrum = self._solved(self._collected)
        self._present(problem, spectrum.first(d))  # type: ignore[arg-type]

    def _check_parameters(self, known: Known | None = None) -> None:
        super()._check_parameters(known)
        check_choice("between", self.between, ("weighted", "slices"))
        k = self.n_neighbors
        if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
            raise errors.number("n_neighbors", k, "a positive whole number")

    # -- how many directions -----------------------------------------------------------------------------------

    def test_dimension(
        self,
        X: TableLike | None = None,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        alpha: float = 0.05,
        method: Literal["permutation"] = "permutation",
        groups: ColumnLike | None = None,
        block: int | None = None,
        n_draws: int = 99,
        random_state: RandomState | None = 0,
    ) -> DimensionTest:
        """Test how many directions there are: "at most d", d = 0, 1, …

        Parameters
        ----------
        X, y : rows and their response, optional
            The rows to test, sliced like those of the fit. Without them, the test uses the moments of the fit.
        sample_weight : array of shape (n,), optional
        alpha : float
            Level.
        method : {"permutation"}
            "permutation" permutes the variates after the d-th between rows, all together, searches neighbours again,
            and compares λ_{d+1}: it costs `n_draws` fits for each d. Tests after the first d that is not rejected are
            skipped (NaN). It needs X and y.
        groups : array of shape (n,), optional
            Rows that belong together move together.
        block : int, optional
            Number of consecutive rows that are alike: variates are shifted by at least this many rows.
        n_draws : int
            Number of permutations.
        random_state : int, Generator, RandomState or None
            Their seed.
        """
        return self._dimension_test(X, y, sample_weight, alpha, method, n_draws, random_state, groups, block)

    def _warn_bends(self, Z: np.ndarray) -> None:
        """Local means follow clusters and curves."""

    def _in_variates(self, moments: LocalMoments) -> tuple[np.ndarray, Subspace]:
        problem = self._pose(moments)
        pencil, total = problem.pencil, problem.centred
        whitening = whiten(pencil.B, pencil.constant, pencil.most)  # type: ignore[arg-type]
        spectrum = solve(Pencil(Form(matrix=pencil.A.seen_through(whitening.matrix).dense())))
        basis = whitening.matrix @ spectrum.vectors / total.unit[:, None]
        return namespaces.to_numpy(spectrum.values), Subspace(total.pivot, basis, total.shift[0, :] * total.unit)

    def _row_eigenvalues(self, Z: np.ndarray, codes: np.ndarray, variates: Subspace) -> np.ndarray:
        local, centred = self._local_variates(Z, codes, variates)
        pencil = Pencil(Form(factor=local, squared=False), Form(matrix=centred.T @ centred))
        return np.asarray(solve(pencil).values)

    def _local_variates(self, Z: np.ndarray, codes: np.ndarray, variates: Subspace) -> tuple[np.ndarray, np.ndarray]:
        """Return local means and rows as variates, about the mean of all rows, over √W."""
        rows = namespaces.to_numpy(
            variates.offsets(namespaces.like(Z, variates.basis))
        )  # neighbours are those of X, not of Z
        size = exponents.unit_of(rows)
        small = rows / size
        local = (
            local_means(small, codes, np.ones(len(Z)), self._collected.k) * size @ namespaces.to_numpy(variates.basis)
        )
        centre, W = Z.mean(axis=0), len(Z)
        counts = self._counts(codes, np.ones(W))[:, None]
        return (local - centre) * counts**0.5 / W**0.5, (Z - centre) / W**0.5
