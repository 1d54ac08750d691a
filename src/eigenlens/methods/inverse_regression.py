"""What the methods of inverse regression share: slices, the total covariance, variates, and tests of their number.

Each of them maximises vᵀMv against vᵀΣv, where Σ = T/W is the covariance of all rows and M is made of the means and
covariances of X within slices of y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np

from ..arrays import errors, exponents, namespaces
from ..arrays.parameters import check_count, check_number, published_at_once
from ..arrays.spelling import option
from ..arrays.summaries import Table, table
from ..arrays.typing import Array, ColumnLike, ColumnNames, TableLike
from ..inference.inverse import choose_slices
from ..moments import Centred, Grouped
from ..rows import GivenSlices, LabelReader, Response, SliceReader, Slicing, Source
from ..solve import Form, Spectrum, solve
from ..solve.shrinkage import plus_ridge
from ..solve.subspace import Subspace
from .spine.about import Laws
from .spine.problem import Problem
from .spine.rows_estimator import Known, RowsTransformer, wanted
from .spine.slice_tests import SliceTested

TIED = 1e-12  # of the largest eigenvalue: rounding alone parts such values
USUAL_SLICES = 10  # and distinct whole numbers that are their own slices, where n_slices is "auto"


def symmetric() -> str:
    """Say what slice means cannot see, and which methods can."""
    return (
        f"SIR cannot see a direction in which the response is symmetric, such as x²: try {option('method', 'save')} or "
        "directional-regression if you expect one."
    )


@dataclass(frozen=True, eq=False)
class InverseProblem(Problem):
    """What slices differ in, against the covariance of all rows, whose moments `centred` holds.

    Attributes
    ----------
    offsets : array of shape (H, p)
        Slice means minus the mean, in the units of `centred`.
    count : callable, optional
        Finds the number of directions, where none was asked for.
    """

    offsets: Any = None
    count: Callable[[], int] | None = None

    condition_of = "X, columns scaled to unit variance,"
    metric_advice = "Use ridge, or fewer columns, if these directions matter."
    signal = "What differs between slices"
    signal_advice = "Slices differ in fewer directions."

    def solve(self) -> Spectrum:
        spectrum = solve(self.pencil)
        return spectrum if self.count is None else spectrum.first(max(1, self.count()))

    def shortfalls(self, spectrum: Spectrum) -> Iterator[Warning]:
        yield from super().shortfalls(spectrum)
        if self.moments.weight < 2 * len(self.moments.labels):
            yield errors.SliceWarning(
                f"y makes {len(self.moments.labels)} slices of {self.moments.n_rows} rows, fewer than two rows "
                "each on average: the slice means are mostly noise. Join levels and pass them as slices=, or use "
                "fewer slices."
            )
        values = namespaces.to_numpy(spectrum.values)[: spectrum.rank]
        tied = np.flatnonzero(values[:-1] - values[1:] <= TIED * values[:1])
        if len(tied):
            j = int(tied[0])
            yield errors.RankWarning(
                f"Directions {j + 1} and {j + 2} have the same eigenvalue ({values[j]:.3g}): the space that they span "
                "is found, but which axes of it come out is arbitrary, and the order of the rows can turn them. Use "
                "more rows or fewer slices, or a ridge."
            )


class InverseRegression(RowsTransformer, SliceTested[Grouped]):
    """Directions of X along which its distribution changes with y, from moments of X within slices of y."""

    components_: Array
    eigenvalues_: Array
    mean_: Array
    slice_means_: Array
    slice_weights_: Array
    slices_: Array
    subspace_: Subspace

    _target = "labels"

    def _obeys(self) -> Laws:
        return Laws(invariance="rotation" if self.ridge else "linear")

    _slicing: Slicing | None = None

    def __init__(self, n_components: Any = None, *, n_slices: Any = "auto", ridge: float = 0.0) -> None:
        self.n_components = n_components
        self.n_slices = n_slices
        self.ridge = ridge

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
            Numbers are sliced at their quantiles; words, and whole numbers of at most `n_slices` distinct values (10
            with "auto"), are their own slices; several responses are sliced one by one, and the cells are the slices.
            Omit it if X is a source that holds the response.
        sample_weight : array of shape (n,), optional
            A row of weight 2 counts twice.
        slices : labels of shape (n,), optional
            Your own slices, instead of those of y, which is then ignored.
        target : column or list of columns, optional
            Instead of y: its name in X, if the columns of X have names (also in DuckDB tables).
        """
        X, y = self._take_target(X, y, target)
        return self._fit(X, response_of(y, slices), sample_weight)

    def transform(self, X: TableLike) -> Array:
        """Return the variates (x − mean)ᵀvⱼ of rows, uncorrelated with variance 1 over the rows of the fit."""
        return self._over_rows(X, self._variates, takes_sparse=True)

    def _variates(self, X: Array) -> Array:
        return self.subspace_.project(X)

    # -- attributes and parameters -------------------------------------------------------------------------------

    def _present(self, problem: InverseProblem, spectrum: Spectrum) -> None:
        total, moments = problem.centred, problem.moments
        dtype, unit = total.dtype, total.unit
        spectrum = spectrum.first(max(1, min(len(spectrum), spectrum.rank)))
        spectrum = problem.of_columns(spectrum)
        mean = total.shift[0, :] * unit
        self.spectrum_ = spectrum
        self.subspace_ = Subspace(total.pivot, spectrum.vectors, mean)
        self.components_ = namespaces.attribute_copy(spectrum.vectors.T, dtype)
        self.eigenvalues_ = namespaces.attribute_copy(spectrum.values, dtype)
        self.mean_ = namespaces.attribute_copy(self.subspace_.point, dtype)
        self.slice_means_ = namespaces.attribute_copy(total.pivot + (mean + problem.offsets * unit), dtype)
        self.slice_weights_ = moments.weights.copy()
        self.slices_ = moments.labels.copy()
        self._slicing = moments.meaning

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            self._wanted(known.n_classes, known.n_features)
            return
        if isinstance(self.ridge, str):
            name = type(self).__name__
            raise errors.InputTypeError(
                f"ridge={self.ridge!r} but {name} takes a number of at least 0 and does not choose it. To choose one, "
                f'use eigenlens.validation.cross_validate({name}(), X, y, settings={{"ridge": [0, 1e-3, 0.1]}}).best.'
            )
        check_number("ridge", self.ridge, 0)
        check_count(self.n_components, auto=self._slices.counts and not self.ridge)
        _check_slices(self.n_slices)

    def _wanted(self, K: int | None, p: int) -> int:
        """Return how many directions to find; K is None where more slices may come."""
        if K is None:
            return wanted(self.n_components, p, f"X has {p} columns")
        most = self._most(K, p)
        return wanted(self.n_components, most, f"{K} slices of {p} columns give at most {most} directions")

    def _most(self, K: int, p: int) -> int:
        """Return how many directions K slices of p columns can give."""
        return p

    # -- what the hooks share ----------------------------------------------------------------------------------

    def _open(
        self,
        X: TableLike,
        y: Any,
        sample_weight: Any,
        reset: bool,
        min_rows: int = 2,
        reader: LabelReader | None = None,
        counts: bool = False,
    ) -> Source:
        if y is None and isinstance(X, Source):
            y = Response()
        if y is not None:
            y = replace(y, columns=_width(X))
        y, reader = self._sliced(y, reset)
        source = super()._open(X, y, sample_weight, reset, min_rows, reader, counts)
        self._slicing = source.label_reader.slicing  # type: ignore[attr-defined]
        return source

    def _target_of(self, y: Any) -> Response | None:
        return response_of(y, None)

    def _open_again(self, X: TableLike, y: Any, sample_weight: Any) -> Source:
        given = self._slicing is None  # slices of the user's own, in place of y
        return self._open(X, response_of(None if given else y, y if given else None), sample_weight, reset=False)

    def _sliced(self, y: Response | None, reset: bool) -> tuple[Any, LabelReader]:
        """Slice the response with the cuts of earlier rows, or with new ones; or take the slices that are given."""
        if y is not None and y.slices is not None:
            return y.slices, GivenSlices()
        slicing = None if reset else self._collected.meaning
        known = self._collected.labels if slicing == Slicing() else None
        if not isinstance(self.n_slices, str):
            return None if y is None else y.y, SliceReader(self.n_slices, slicing, known, self._slices.may_miss)
        columns = 1 if y is None else y.columns
        rule = partial(choose_slices, p=columns, covariances=self._slices.covariances)
        return None if y is None else y.y, SliceReader(USUAL_SLICES, slicing, known, self._slices.may_miss, rule=rule)

    def _total(self, moments: Any) -> tuple[Centred, Array]:
        """Return the moments of all rows, and the slice means minus their mean, in the same units."""
        total = moments.total()
        if self.ridge:
            total = total.uniform()[0]  # a ridge asks for one unit in all columns
        return total, moments.within().rescaled(total.exponent).shift - total.shift

    def _covariance(self, total: Centred) -> Form:
        ridge = exponents.ridge_over(self.ridge, float(total.unit[0]))
        return plus_ridge(Form.of(total, total.weight), ridge)

    def _require_slices(self, moments: Any) -> tuple[int, Centred, Array]:
        """Refuse moments that are not enough; return the number of directions to find and what `_total` does."""
        K = len(moments.labels)
        if K < 2:
            raise errors.one_slice(moments.labels.tolist()[0] if K else None)
        if moments.n_rows <= K:
            raise _rows_are_slices(moments.n_rows)
        k = self._wanted(K, moments.n_features)
        total, offsets = self._total(moments)
        if not self.ridge and bool(namespaces.to_numpy(total.constant_columns()).all()):
            raise errors.InputError("X: every column is constant; there are no directions to find.")
        return k, total, offsets

    # -- scikit-learn ------------------------------------------------------------------------------------------

    @property
    def slice_names_(self) -> list[str]:
        """What each slice is, in words, in the order of `slice_means_`."""
        self._require_fit()
        if self._slicing is None or not self._slicing.cuts:
            return [str(label) for label in self.slices_]
        names = self._slicing.names()
        return [names[int(code)] for code in self.slices_]

    def _tables(self) -> Iterator[tuple[str, Table | None]]:
        yield "slices", table("Slices", {"rows": self.slice_weights_}, self.slice_names_)
        yield from super()._tables()

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def _width(X: TableLike) -> int:
    """Return the number of columns, as far as it can be told before a table is read."""
    if isinstance(X, Source):
        return X.n_features
    shape: Any = X.shape if hasattr(X, "shape") else np.shape(X[:1]) if isinstance(X, list | tuple) else ()
    return int(shape[1]) if len(shape) == 2 else 1


def response_of(y: Any, slices: Any) -> Response | None:
    return None if y is None and slices is None else Response(y, slices)


def _check_slices(n_slices: Any) -> None:
    if isinstance(n_slices, str) and n_slices == "auto":
        return
    if isinstance(n_slices, Integral) and not isinstance(n_slices, bool):
        if n_slices < 2:
            raise errors.number("n_slices", n_slices, "at least 2, 'auto', or a list of cuts")
        return
    rule = "a whole number of at least 2, 'auto', or ascending cuts (a list of numbers, one list for each response)"
    if isinstance(n_slices, str | bool) or not np.ndim(n_slices) or len(n_slices) == 0:
        raise errors.number("n_slices", n_slices, rule)
    for column in [n_slices] if np.ndim(n_slices[0]) == 0 else n_slices:
        try:
            cuts = np.asarray(column, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise errors.number("n_slices", n_slices, rule) from error
        if cuts.ndim != 1 or len(cuts) == 0 or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
            raise errors.number("n_slices", n_slices, rule)


def _rows_are_slices(n: int) -> errors.InputError:
    if n < 4:
        return errors.InputError(f"Each of the {n} rows is a slice of its own: there must be more rows than slices.")
    return errors.InputError(
        f"Each of the {n} rows is a slice of its own, so every direction fits perfectly: y is like a list of "
        f"names. Use fewer slices (n_slices up to {n // 2}), or join levels and pass them as slices=."
    )
