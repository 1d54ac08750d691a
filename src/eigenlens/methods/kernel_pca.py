r"""Kernel principal components: PCA of rows seen through the feature map of a kernel.

.. math:: \sqrt{w} K_c \sqrt{w}\, u = \lambda u, \quad K_c = (I - 1\alpha^T) K (I - \alpha 1^T), \quad \alpha = w / W,

with scores :math:`u \sqrt{\lambda / w}` for the rows of the fit and
:math:`\sum_i \sqrt{w_i / \lambda}\, u_i\, k_c(x_i, x)` for new ones. With a linear kernel this is PCA; with a
conditionally positive definite kernel −½d² it is classical scaling.

References
----------
Schölkopf, Smola, Müller (1998), Nonlinear component analysis as a kernel eigenvalue problem, Neural Computation 10.
Williams, Seeger (2001), Using the Nyström method to speed up kernel machines, NIPS 13.
Bakır, Weston, Schölkopf (2004), Learning to find pre-images, NIPS 16.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ..arrays import errors, namespaces
from ..arrays.parameters import check_count, published_at_once
from ..arrays.stored import stored
from ..arrays.typing import Array, ColumnLike, ColumnNames, TableLike
from ..distances.pairs import PRODUCT_PAIRS, joined, over_rows
from ..kernels import Kernel, Linear, Precomputed
from ..kernels.kernel import AboutPivot, about_pivot, unmoved
from ..kernels.preimage import Preimage
from ..kernels.reduction import SHOWS, reduce
from ..rows import Source, as_source, map_rows
from ..solve import Form, Pencil, Spectrum, orient, solve
from .kernel_estimator import DEFAULT, FOREIGN_NAMES, KernelEstimator, Rows
from .spine.about import Declaration, Spread
from .spine.permuted_columns import PermutedColumns

NOTHING = "The others carry nothing and were left out."
FAR = (
    "The others are below rounding and were left out: the rows lie far from the origin of the kernel. Subtract the "
    "means of the columns first."
)


@stored("KernelPCA")
class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PermutedColumns, KernelEstimator):
    """Kernel principal component analysis.

    Parameters
    ----------
    n_components : int or None
        How many axes; None keeps all above rounding error. For a few axes of many rows, the solver is Lanczos
        iteration, to machine precision.
    kernel : kernel, name or function
        Of `eigenlens.kernels`, one of their names, or a function of two tables; where X is a list of objects, such as
        words or graphs, a function of two of them. The default bandwidth is the median distance between rows. Set its
        parameters with `kernel__bandwidth` and the like.
    n_landmarks : int or None
        Number of rows that represent all others, chosen by pivoted Cholesky: work and memory are then linear in the
        number of rows, and `landmark_error_` measures what they miss. None is exact.
    scale : bool
        Divide columns by their standard deviations, so their units do not matter.

    Attributes
    ----------
    eigenvalues_ : array of shape (k,)
        Of the centred kernel matrix, descending.
    explained_variance_ratio_ : array of shape (k,)
        Their shares of its trace.
    embedding_ : array of shape (n, k)
        Scores of the rows of the fit.
    kernel_ : Kernel
        With all parameters.
    scale_ : array of shape (p,)
        With `scale=True`: the standard deviations (divisor W − 1) by which columns are divided, 1 for constant columns.
        The kernel sees the divided columns.
    n_components_ : int
    landmark_error_ : float
        With `n_landmarks`: share of the trace of K that the landmarks miss.
    landmarks_ : array of shape (m,)
        With `n_landmarks`: indices of the landmark rows.
    spectrum_ : Spectrum

    See Also
    --------
    PCA : Directions of largest variance.
    ClassicalMDS : A map from distances.
    KernelClassifier : Boundaries of any shape.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenlens import KernelPCA
    >>> from eigenlens.kernels import Gaussian
    >>> angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.vstack([circle, 3 * circle])                   # two rings
    >>> scores = KernelPCA(1, kernel=Gaussian(1.0)).fit_transform(X)
    >>> bool(scores[:60].min() > scores[60:].max())           # the first axis separates them
    True
    """

    eigenvalues_: Array
    explained_variance_ratio_: Array
    n_components_: int
    landmark_error_: float

    _declaration = Declaration(
        question="none",
        name="kernel-pca",
        place=3,
        use="curved structure, for up to a few thousand rows",
        directions=lambda n, p, excess: min(4, n, p),  # they are looked at a few at a time
        spread=Spread(cost=lambda n, p, groups: 2500 * n * max(n, p)),
        foreign_names=FOREIGN_NAMES,
    )

    _centre: Array | None
    _counts: Any = None  # weights of the rows; None counts each once

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = DEFAULT,
        n_landmarks: int | None = None,
        scale: bool = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.n_landmarks = n_landmarks
        self.scale = scale

    @published_at_once
    def fit(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : table of shape (n, p), or (n, n) for a precomputed kernel; or a list of objects
        y : ignored
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        target : column or list of columns, optional
            Columns of X to exclude, by name.
        """
        X, _ = self._take_target(X, None, target)
        check_count(self.n_components)
        kernel, table = self._tabled(self._check_kernel(), X)
        source: Any = self._open(table, None, sample_weight, reset=True)
        rows = self._gather(source, kernel)
        n = rows.X.shape[0]
        if self.n_components is not None and self.n_components > n:
            raise errors.components_out_of_range(self.n_components, n, f"{n} rows give at most {n} axes")
        kernel = self._resolve(kernel, rows)
        if kernel.conditional_order > 1:
            what = "centring makes only those of order 1 positive definite"
            raise errors.conditional_kernel(kernel, kernel.conditional_order, what, "use another kernel")
        self._forget("_preimage")
        self.kernel_, self._pivot = kernel, rows.pivot
        self._mean = (rows.weight / float(namespaces.namespace(rows.weight).sum(rows.weight))) @ rows.X
        if self.n_landmarks is None:
            self._fit_all(about_pivot(kernel, rows.pivot), rows)
        else:
            self._fit_landmarks(kernel, rows)
        self._set_embedding(X, source, rows)
        return self

    def _strengths(self) -> np.ndarray:
        return namespaces.floats(self.eigenvalues_)

    def _rows_to_test(
        self, X: TableLike | None, y: Any, sample_weight: Any, method: str, needed: bool
    ) -> Source | None:
        if isinstance(self.kernel_, Precomputed):
            raise self._never_seen("tested")
        return super()._rows_to_test(X, y, sample_weight, method, needed)

    def _fit_all(self, kernel: Kernel, rows: Rows) -> None:
        red = reduce(kernel, rows.X, rows.weight, keep=False, free="constant")
        form = Form(matrix=red.M)
        trace = form.trace()
        spectrum = solve(Pencil(form, n_components=self.n_components))
        far = _lie_far(kernel, rows.X)
        spectrum = self._kept(spectrum, trace, FAR if far else NOTHING)
        weakest = float(spectrum.values[-1])
        if (far or trace * namespaces.EPS <= SHOWS * weakest) and SHOWS * weakest < red.rounding:
            errors.warn(errors.far_from_origin(red.rounding / namespaces.EPS, weakest, "in the weakest axis"))
        spectrum = spectrum.mapped(spectrum.vectors / red.root[:, None])  # signs are those of the scores
        s = spectrum.singular_values
        self._points, self._counts, self.kernel_ = red.points, red.weight, unmoved(red.kernel)
        dual, xp = spectrum.vectors * red.weight[:, None] / s, namespaces.namespace(s)
        # they add up to 0 except for rounding, which k(x, ·) of rows far from the origin would multiply
        share = red.weight / xp.sum(red.weight)
        self._dual, self._centre = dual - share[:, None] * xp.sum(dual, axis=0), red.means
        self._scores = spectrum.vectors * s
        return self._present(spectrum, trace, rows.dtype)

    def _fit_landmarks(self, kernel: Kernel, rows: Rows) -> None:
        marks = self._landmarks(kernel, rows)
        moments, missed = marks.collect(rows.X, rows.weight)
        self._report_loss(missed, rows.kept[marks.places])
        form = Form(matrix=moments.matrix * (moments.unit[:, None] * moments.unit[None, :]))
        spectrum = self._kept(solve(Pencil(form, n_components=self.n_components)), form.trace())
        self._points, self._dual = marks.rows, marks.coefficients(spectrum.vectors)
        self._counts = None  # landmarks are chosen to differ, not in proportion to the rows
        self._shift = moments.mean @ spectrum.vectors
        self._centre = None
        self._scores = self._coordinates_of(rows.X)
        signs = orient(self._scores)
        self._dual, self._shift, self._scores = self._dual * signs, self._shift * signs, self._scores * signs
        self._present(spectrum, form.trace(), rows.dtype)

    def _kept(self, spectrum: Spectrum, trace: float, advice: str = NOTHING) -> Spectrum:
        """Keep the axes above rounding error, and warn if more were asked for."""
        if not trace > 0 or spectrum.rank == 0:
            raise errors.InputError(
                "X: all rows are the same to the kernel, so there is no axis to find. Check the columns "
                "(constant?) and the bandwidth (far above all distances?)."
            )
        if self.n_components is not None and spectrum.rank < self.n_components:
            what = "The centred kernel matrix"
            errors.warn(errors.rank_deficient(what, spectrum.rank, self.n_components, "axes were asked for", advice))
        return spectrum.first(min(spectrum.rank, len(spectrum)))

    def _present(self, spectrum: Spectrum, trace: float, dtype: Any) -> None:
        self.spectrum_ = spectrum
        self.eigenvalues_ = namespaces.attribute_copy(spectrum.values, dtype)
        self.explained_variance_ratio_ = namespaces.attribute_copy(spectrum.values / trace, dtype)
        self.n_components_ = len(spectrum)

    def _set_embedding(self, X: TableLike, source: Any, rows: Rows) -> None:
        if len(rows.kept) < source.table.shape[0]:
            self._scores = self.transform(X)  # rows of weight zero have scores too
        self._scores = namespaces.cast(self._scores, rows.dtype)

    @property
    def embedding_(self) -> Array:
        """Scores of the rows of the fit: (n, k)."""
        if not hasattr(self, "_scores"):
            raise AttributeError("KernelPCA has no embedding_ before fit")
        return self._scores

    # -- use -----------------------------------------------------------------------------------------------------

    def transform(self, X: TableLike) -> Array:
        """Return the scores of rows: (n, k). For a precomputed kernel X is k(rows, rows of the fit)."""
        return self._over_rows(X, lambda block: self._coordinates_of(self._moved(block, self._pivot)))

    def fit_transform(
        self,
        X: TableLike,
        y: ColumnLike | None = None,
        sample_weight: ColumnLike | None = None,
        *,
        target: ColumnNames | None = None,
    ) -> Array:
        """Find the axes and return the scores of the rows, without computing the kernel again."""
        scores = self.fit(X, sample_weight=sample_weight, target=target).embedding_
        return namespaces.namespace(scores).asarray(scores, copy=True)

    def _coordinates_of(self, X: Array) -> Array:
        points, dual = namespaces.like(self._points, X), namespaces.like(self._dual, X)
        if self._centre is None:
            return self.kernel_._apply(X, points, dual) - namespaces.like(self._shift, X)
        centre, function = namespaces.like(self._centre, X), about_pivot(self.kernel_, self._pivot)._against(points)

        def work(rows: slice) -> Array:
            return (function(X[rows, :]) - centre) @ dual

        return joined(list(over_rows(work, X.shape[0], points.shape[0], X, PRODUCT_PAIRS)))

    def inverse_transform(self, X: TableLike) -> Array:
        """Return rows whose scores are near the given ones.

        For a linear kernel, these are points of the subspace, as in PCA. For other kernels the inverse is learned by
        a regularised regression of the rows of the fit on their scores, with their weights; generalised
        cross-validation chooses its λ. With landmarks, only these are regressed, and each counts once.

        Parameters
        ----------
        X : table of shape (n, k)
            Scores.
        """
        self._require_fit()
        if isinstance(self.kernel_, Precomputed):
            raise self._never_seen("inverted")
        if not hasattr(self, "_preimage"):
            self._preimage = self._learn_preimage()
        source: Any = as_source(X, name="X", estimator=type(self).__name__, every_row=True)
        if source.n_features != self.n_components_:
            raise errors.not_scores(source.n_features, self.n_components_)

        def lifted(block: Array) -> Array:
            points = self._preimage(namespaces.float64(block))
            points = points if self._pivot is None else points + namespaces.like(self._pivot, points)
            return points if self._scale is None else points * namespaces.like(self._scale, points)

        return namespaces.cast(map_rows(source, lifted), source.first().X.dtype)

    def _learn_preimage(self) -> Preimage:
        points = self._points
        scores = self._coordinates_of(points)
        n, p = points.shape
        kept = [(scores, (n, self.n_components_)), (self._counts, (n,)), (getattr(self, "_mean", None), (p,))]
        kept = [(namespaces.to_numpy(part), shape) for part, shape in kept if part is not None]
        if any(  # of a file made by hand
            part.dtype.kind not in "biuf" or part.shape != shape or not np.isfinite(part).all() for part, shape in kept
        ):
            raise errors.InputError(
                "inverse_transform learns from the rows, weights and scores that the model keeps, which do not fit "
                "together or are not finite; fit the model again."
            )
        if isinstance(self.kernel_, Linear):
            return Preimage.linear(points, self._dual, self._mean)
        return Preimage.learned(points, scores, self._counts)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _lie_far(kernel: Kernel, X: Array) -> bool:
    """Tell whether rows lie further than their spread from the origin of a kernel that a shift changes."""
    if not isinstance(kernel, AboutPivot):
        return False
    xp = namespaces.namespace(X)
    return bool(xp.max(xp.abs(kernel.pivot)) > xp.max(xp.abs(X)))
