"""What the methods of inverse regression share: slices, the total covariance, variates, and tests of their number.

Each of them maximises vᵀMv against vᵀΣv, where Σ = T/W is the covariance of all rows and M is made of the means and
covariances of X within slices of y.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from .._core import errors, powers
from .._core import xp as _xp
from .._core.parameters import check_choice, check_count, check_number, wanted
from .._core.typing import Array, TableLike
from ..inference import (
    DimensionTest,
    Moves,
    check_linearity,
    choose_slices,
    permuted_after,
    resampled_test,
    with_linear,
)
from ..moments import Centred
from ..sources import GivenSlices, LabelReader, Response, SliceReader, Slicing, Source
from ..spectral import Form, Spectrum, solve
from ..spectral.ridged import plus_ridge
from ..subspace import Subspace
from ._base import MomentsEstimator, Problem
from ._declaration import Laws
from ._rows import Known, RowsTransformer, labels_of_kept, repeated
from ._summary import Table, table

SYMMETRIC = (
    "SIR cannot see a direction in which the response is symmetric, such as x²: try --method save or "
    "directional-regression where you expect one."
)
WIDE = 10  # slices of a response, and distinct whole numbers that are their own slices, where n_slices is "auto"
LOOKED_AT = 5000  # rows by which bends of X are judged
Draw = Callable[[int, np.random.Generator], np.ndarray]  # eigenvalues where all variates after the d-th are noise


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

    offsets: Array = None
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


class InverseRegression(RowsTransformer, MomentsEstimator):
    """Directions of X along which its distribution changes with y, from moments of X within slices of y."""

    _target = "labels"

    def _obeys(self) -> Laws:
        return Laws(invariance="rotation" if self.ridge else "linear")

    _tests: ClassVar[tuple[str, ...]] = ("permutation",)
    _test_stops_early: ClassVar[bool] = False  # where each draw is a fit: stop at the first d that is not rejected
    _test_largest: ClassVar[bool] = False  # one eigenvalue at a time, rather than the sum of those that are left
    _auto: ClassVar[bool] = False  # whether the number of directions can be found from the data
    _may_miss: ClassVar[bool] = False  # whether rows may lack a response
    _pooled: ClassVar[bool] = True  # whether slices have no covariances of their own
    _without_rows: ClassVar[str] = "permutation"  # the test of a model alone

    _slicing: Slicing | None = None

    def __init__(self, n_components: Any = None, *, n_slices: Any = "auto", ridge: float = 0.0) -> None:
        self.n_components = n_components
        self.n_slices = n_slices
        self.ridge = ridge

    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None, slices: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : table of shape (n, p)
        y : response of shape (n,), or several of shape (n, q)
            Numbers are sliced at their quantiles; words, and whole numbers of at most `n_slices` distinct values (10
            with "auto"), are their own slices; several responses are sliced one by one, and the cells are the slices.
            Left out where X is a source that holds it.
        sample_weight : array of shape (n,), optional
            Weight 2 means that the row counts twice.
        slices : labels of shape (n,), optional
            Slices of your own, in place of those of y, which is then not looked at.
        """
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
        spectrum = spectrum.mapped(problem.directions(spectrum.vectors))
        mean = total.shift[0, :] * unit
        self.spectrum_ = spectrum
        self.subspace_ = Subspace(total.pivot, spectrum.vectors, mean)
        self.components_ = _xp.attribute_copy(spectrum.vectors.T, dtype)
        self.eigenvalues_ = _xp.attribute_copy(spectrum.values, dtype)
        self.mean_ = _xp.attribute_copy(self.subspace_.point, dtype)
        self.slice_means_ = _xp.attribute_copy(total.pivot + (mean + problem.offsets * unit), dtype)
        self.slice_weights_ = moments.weights.copy()
        self.slices_ = moments.labels.copy()
        self._slicing = moments.meaning

    def _check_parameters(self, known: Known | None = None) -> None:
        if known is not None:
            self._wanted(known.n_classes, known.n_features)
            return
        check_count(self.n_components, auto=self._auto and not self.ridge)
        check_number("ridge", self.ridge, 0)
        check_count(self.n_components, auto=self._auto and not self.ridge)
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
        """Slice the response, as earlier rows were or anew; or take the slices that are given."""
        if y is not None and y.slices is not None:
            return y.slices, GivenSlices()
        slicing = None if reset else self._collected.meaning
        known = self._collected.labels if slicing == Slicing() else None
        if not isinstance(self.n_slices, str):
            return None if y is None else y.y, SliceReader(self.n_slices, slicing, known, self._may_miss)
        columns = 1 if y is None else y.columns
        rule = partial(choose_slices, p=columns, covariances=not self._pooled)
        return None if y is None else y.y, SliceReader(WIDE, slicing, known, self._may_miss, rule=rule)

    def _total(self, moments: Any) -> tuple[Centred, Array]:
        """Return the moments of all rows, and the slice means minus their mean, in the same units."""
        total = moments.total()
        if self.ridge:
            total = total.uniform()[0]  # a ridge asks for one unit in all columns
        return total, moments.within().rescaled(total.exponent).shift - total.shift

    def _covariance(self, total: Centred) -> Form:
        ridge = powers.ridge_over(self.ridge, float(total.unit[0]))
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
        if not self.ridge and bool(_xp.to_numpy(total.constant_columns()).all()):
            raise errors.InputError("X: every column is constant; there are no directions to find.")
        return k, total, offsets

    # -- how many directions -----------------------------------------------------------------------------------

    def _dimension_test(
        self,
        X: TableLike,
        y: Any,
        sample_weight: Any,
        alpha: float,
        method: str | None,
        n_draws: int,
        seed: Any,
        groups: Any,
        block: int | None,
    ) -> DimensionTest:
        """Run a test by theory, or by drawing from the moments or from the rows; join it with the linear one."""
        moved = groups is not None or block is not None
        self._check_test(method, n_draws, moved)
        by_rows = moved or (method or self._without_rows) in ("permutation", "ladle")
        source = self._rows_to_test(X, y, sample_weight, method or "permutation", needed=by_rows)
        moments = self._tested_moments(source)
        if method is None:
            method = (
                "permutation" if moved else self._default_test(source is not None, moments.weight, moments.n_features)
            )
        Z, codes, values, variates = None, None, None, None
        if source is not None and (method in ("permutation", "ladle") or _small(source)):
            values, variates = self._in_variates(moments)
            Z, codes = _rows_in(source, variates)
        if method == "ladle":
            return self._ladle(Z, codes, values, variates, n_draws, seed)  # type: ignore[arg-type]
        if method == "chi2":
            test = self._chi2(moments, alpha)
        elif method == "simulation":
            test = self._resampled(moments, self._simulated(moments), alpha, method, n_draws, seed)
        else:
            moves = Moves.of(len(Z), labels_of_kept(source, groups), block) if moved else None  # type: ignore[arg-type]
            draw = self._permuted(Z, codes, variates, moves)  # type: ignore[arg-type]
            words = method + ("" if moves is None else moves.words)
            test = self._resampled(moments, draw, alpha, words, n_draws, seed)
        if not moved:  # the F test takes each row by itself
            test = with_linear(test, *self._line(moments, alpha))
        if source is None:
            return test.with_note("It is right for normal X; pass X and y for a test of any law." * (not self._pooled))
        if Z is not None and test.dimension > 0:
            self._warn_bends(Z)
        return test

    def _resampled(self, moments: Any, draw: Draw, alpha: float, method: str, n_draws: int, seed: Any) -> DimensionTest:
        values = self._in_variates(moments)[0]
        return resampled_test(
            values,
            moments.weight,
            self._most(len(moments.labels), len(values)),
            draw,
            method=method,
            alpha=alpha,
            n_draws=n_draws,
            seed=seed,
            largest=self._test_largest,
            stop=self._test_stops_early,
        )

    def _default_test(self, rows: bool, n: float, p: int) -> str:
        """Return the test to take, by whether rows are at hand, how many they are, and of how many columns."""
        return "permutation" if rows else self._without_rows

    def _line(self, moments: Any, alpha: float) -> tuple[float, float]:
        """Return the p-value of the linear test of "no direction", and the least that it finds; NaN without one."""
        return float("nan"), float("nan")

    def _warn_bends(self, Z: np.ndarray) -> None:
        """Warn where variates have bent means along the first: what then looks like a direction may be the bend."""
        found = check_linearity(Z[:: -(-len(Z) // LOOKED_AT)])
        if found.doubtful:
            errors.warn(
                errors.SliceWarning(
                    f"X is clustered or curved along the first direction (means bend by {found.bend:.0%} of the "
                    f"variance of a variate, p = {found.p_value:.2g}), and {type(self).__name__} takes such bends for "
                    f"directions of y. Check them with LocalizedSIR, which does not need straight means."
                )
            )

    def _chi2(self, moments: Any, alpha: float) -> DimensionTest:
        """Run the χ² test, where a method has one, from its moments."""
        raise NotImplementedError

    def _simulated(self, moments: Any) -> Draw:
        """Return a function that draws eigenvalues from moments alone, where a method has such a one."""
        raise NotImplementedError

    @abstractmethod
    def _in_variates(self, moments: Any) -> tuple[np.ndarray, Subspace]:
        """Return all eigenvalues, and all variates."""

    @abstractmethod
    def _row_eigenvalues(self, Z: np.ndarray, codes: np.ndarray, variates: Subspace) -> np.ndarray:
        """Return the eigenvalues of rows given by their variates."""

    @abstractmethod
    def _ladle(
        self, Z: np.ndarray, codes: np.ndarray, values: np.ndarray, variates: Subspace, n_draws: int, seed: Any
    ) -> DimensionTest:
        """Find the number of directions of rows given by their variates by drawing them anew."""

    def _permuted(self, Z: np.ndarray, codes: np.ndarray, variates: Subspace, moves: Moves | None) -> Draw:
        def draw(d: int, rng: np.random.Generator) -> np.ndarray:
            return self._row_eigenvalues(permuted_after(Z, d, rng, moves), codes, variates)

        return draw

    def _check_test(self, method: str | None, n_draws: int, moved: bool) -> None:
        self._require_fit()
        if method is not None:
            check_choice("method", method, self._tests)
        if moved and method not in (None, "permutation"):
            raise errors.InputError(
                f"method={method!r} takes every row by itself; groups and block are for method='permutation'."
            )
        check_number("n_draws", n_draws, 1, integer=True)
        if self.ridge:
            raise errors.InputError(
                f"ridge={self.ridge!r}: these tests hold for plain covariances; fit with ridge=0 to test."
            )

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


def _rows_in(source: Source, variates: Subspace) -> tuple[np.ndarray, np.ndarray]:
    """Read rows as variates with slice codes, a row of weight 2 twice."""
    block = repeated(source)
    codes = np.asarray(block.y, dtype=np.intp)
    codes = np.where(codes >= 0, np.searchsorted(np.unique(codes[codes >= 0]), codes), -1)
    return _xp.to_numpy(variates.project(_xp.like(block.X, variates.basis))), codes


def _small(source: Source) -> bool:
    """Tell whether rows that a test does not need can be looked at none the less, for bends of X."""
    return not source.weighted and source.n_rows is not None and source.n_rows <= 20 * LOOKED_AT


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
