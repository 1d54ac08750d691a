"""What the methods of inverse regression share: slices, the total covariance, variates, and tests of their number.

Each of them maximises vᵀMv against vᵀΣv, where Σ = T/W is the covariance of all rows and M is made of the means and
covariances of X within slices of y.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np

from .._core import errors
from .._core import xp as _xp
from .._core.parameters import check_choice, check_count, check_number, is_number
from .._core.typing import Array, TableLike
from ..inference import DimensionTest, permuted_after, resampled_test
from ..moments import Centred
from ..moments.scale import ridge_over
from ..sources import GivenSlices, LabelReader, Response, SliceReader, Slicing, Source
from ..spectral import Form, Pencil, Spectrum
from ..subspace import Subspace
from ._base import MomentsEstimator, form_of, in_data_units
from ._transformer import RowsTransformer

Draw = Callable[[int, np.random.Generator], np.ndarray]  # eigenvalues where all variates after the d-th are noise


class InverseRegression(RowsTransformer, MomentsEstimator):
    """Directions of X along which its distribution changes with y, from moments of X within slices of y."""

    _target = "labels"

    @property
    def _invariance(self) -> str:  # type: ignore[override]
        return "rotation" if self.ridge else "linear"

    _tests: ClassVar[tuple[str, ...]] = ("permutation",)
    _test_dear: ClassVar[bool] = False  # each draw is a fit: nothing is tested after the first d that is not rejected
    _test_largest: ClassVar[bool] = False  # one eigenvalue at a time, rather than the sum of those that are left
    _auto: ClassVar[bool] = False  # whether the number of directions can be found from the data
    _keeps_rows = True  # the response is sliced on the way, and not held by anybody else
    _may_miss: ClassVar[bool] = False  # whether rows may lack a response

    _slicing: Slicing | None = None

    def __init__(self, n_components: Any = None, *, n_slices: Any = 10, ridge: float = 0.0) -> None:
        self.n_components = n_components
        self.n_slices = n_slices
        self.ridge = ridge

    def fit(self, X: TableLike, y: Any = None, sample_weight: Any = None, slices: Any = None) -> Self:
        """Find the directions.

        Parameters
        ----------
        X : table of shape (n, p)
        y : response of shape (n,), or several of shape (n, q)
            Numbers are sliced at their quantiles; words, and whole numbers of at most `n_slices` distinct values, are
            their own slices; several responses are sliced one by one, and the cells are the slices. Left out where X
            is a source that holds it.
        sample_weight : array of shape (n,), optional
            Weight 2 means that the row stands there twice.
        slices : labels of shape (n,), optional
            Slices of your own, in place of those of y, which is then not looked at.
        """
        return self._fit(X, response_of(y, slices), sample_weight)

    def transform(self, X: TableLike) -> Array:
        """Return the variates (x − mean)ᵀvⱼ of rows, uncorrelated with variance 1 over the rows of the fit."""
        return self._over_rows(X, lambda block: self.subspace_.project(block))

    # -- presenting, checking ----------------------------------------------------------------------------------

    def _present(self, spectrum: Spectrum, pencil: Pencil, moments: Any) -> None:
        total, offsets = self._total(moments)
        dtype, unit = total.dtype, total.unit
        spectrum = spectrum.first(max(1, min(len(spectrum), spectrum.rank)))
        if self.n_components == "auto":
            spectrum = spectrum.first(max(1, self._found(moments)))
        spectrum = spectrum.mapped(in_data_units(self, spectrum.vectors, unit))
        mean = total.shift[0, :] * unit
        self.spectrum_ = spectrum
        self.subspace_ = Subspace(total.pivot, spectrum.vectors, mean)
        self.components_ = _xp.published(spectrum.vectors.T, dtype)
        self.eigenvalues_ = _xp.published(spectrum.values, dtype)
        self.mean_ = _xp.published(self.subspace_.point, dtype)
        self.slice_means_ = _xp.published(total.pivot + (mean + offsets * unit), dtype)
        self.slice_weights_ = moments.weights.copy()
        self.slices_ = moments.labels.copy()
        self._slicing = moments.meaning

    def _check_parameters(self) -> None:
        check_number("ridge", self.ridge, 0)
        check_count(self.n_components, auto=self._auto and not self.ridge)
        _check_slices(self.n_slices)

    def _check_source(self, source: Source, whole: bool) -> None:
        labels, p = source.labels, source.n_features
        if whole and labels is not None and len(labels.classes) > 1:
            self._wanted(len(np.unique(labels.codes[labels.codes >= 0])), p)
        elif is_number(self.n_components) and self.n_components > p:  # more slices may come, columns may not
            raise errors.components_out_of_range(self.n_components, p, f"X has {p} columns")

    def _lacking(self, moments: Any) -> Exception | None:
        K = len(moments.labels)
        if K < 2:
            return errors.one_slice(moments.labels[0] if K else None)
        if moments.n_rows <= K:
            return errors.rows_are_slices(moments.n_rows)
        try:
            self._wanted(K, moments.n_features)
        except errors.InputError as error:
            return error
        if not self.ridge and bool(_xp.to_numpy(self._total(moments)[0].constant_columns()).all()):
            return errors.InputError("X: every column is constant; there are no directions to find.")
        return None

    def _warn_ranks(self, spectrum: Spectrum, pencil: Pencil, moments: Any) -> None:
        whitening = spectrum.whitening
        assert whitening is not None
        if whitening.rank < whitening.varying:
            advice = "Use ridge, or fewer columns, if these directions matter."
            errors.warn(errors.rank_deficient("X", whitening.rank, whitening.varying, "columns vary", advice))
        elif is_number(self.n_components) and whitening.varying < self.n_components:
            p, wanted = pencil.dimension, int(self.n_components)
            errors.warn(errors.few_columns_vary("X", whitening.varying, p, wanted))
        if spectrum.rank < len(spectrum):
            advice, what = "Slices differ in fewer directions.", "What differs between slices"
            errors.warn(errors.rank_deficient(what, max(spectrum.rank, 1), len(spectrum), "were asked for", advice))
        if moments.weight < 2 * len(moments.labels):
            errors.warn(errors.many_slices(len(moments.labels), moments.n_rows))

    def _weakest(self) -> str:
        return "X, columns scaled to unit variance,"

    # -- what the hooks share ----------------------------------------------------------------------------------

    def _open(self, X: TableLike, y: Any, sample_weight: Any, reset: bool, min_rows: int | None = None) -> Source:
        source = super()._open(X, y, sample_weight, reset, min_rows)
        self._slicing = source.label_reader.slicing  # type: ignore[attr-defined]
        return source

    def _labels_of(self, y: Response | None, reset: bool) -> tuple[Any, LabelReader]:
        """Slice the response, as earlier rows were or anew; or take the slices that are given."""
        if y is not None and y.slices is not None:
            return y.slices, GivenSlices()
        slicing = None if reset else self._collected.meaning
        known = self._collected.labels if slicing == Slicing() else None
        return None if y is None else y.y, SliceReader(self.n_slices, slicing, known, self._may_miss)

    def _total(self, moments: Any) -> tuple[Centred, Array]:
        """Return the moments of all rows, and the slice means minus their mean, in the same units."""
        total = moments.total()
        if self.ridge:
            total = total.uniform()[0]  # a ridge asks for one unit in all columns
        return total, moments.within().rescaled(total.exponent).shift - total.shift

    def _covariance(self, total: Centred) -> Form:
        ridge = ridge_over(self.ridge, float(total.unit[0]))
        return form_of(total, total.weight).plus_identity(ridge)

    def _most(self, K: int, p: int) -> int:
        """Return how many directions K slices of p columns can give."""
        return p

    def _wanted(self, K: int, p: int) -> int:
        most = self._most(K, p)
        if self.n_components in (None, "auto"):
            return most
        if self.n_components > most:
            why = f"{K} slices of {p} columns give at most {most} directions"
            raise errors.components_out_of_range(self.n_components, most, why)
        return int(self.n_components)

    # -- how many directions -----------------------------------------------------------------------------------

    def _dimension_test(self, alpha: float, method: str, n_draws: int, random_state: Any) -> DimensionTest:
        """Run a test by theory, or by drawing from the moments or from the rows."""
        self._check_test(method, n_draws)
        if method == "chi2":
            return self._chi2(self._collected, alpha)
        values, variates = self._in_variates()
        if method == "ladle":
            return self._ladle(*self._rows_in(variates), values, variates, n_draws, random_state)
        most = self._most(len(self._collected.labels), len(values))
        draw = self._simulated() if method == "simulation" else self._permuted(variates)
        return resampled_test(
            values,
            self._collected.weight,
            most,
            draw,
            method=method,
            alpha=alpha,
            n_draws=n_draws,
            seed=random_state,
            largest=self._test_largest,
            stop=self._test_dear,
        )

    def _found(self, moments: Any) -> int:
        """Return the number of directions that "auto" keeps, from the moments."""
        return self._chi2(moments, 0.05).dimension

    def _chi2(self, moments: Any, alpha: float) -> DimensionTest:
        """Run the χ² test, where a method has one, from its moments."""
        raise NotImplementedError

    def _simulated(self) -> Draw:
        """Return a function that draws eigenvalues from moments alone, where a method has such a one."""
        raise NotImplementedError

    @abstractmethod
    def _in_variates(self) -> tuple[np.ndarray, Subspace]:
        """Return all eigenvalues, and all variates."""

    @abstractmethod
    def _row_eigenvalues(self, Z: np.ndarray, codes: np.ndarray, variates: Subspace) -> np.ndarray:
        """Return the eigenvalues of rows given by their variates."""

    @abstractmethod
    def _ladle(
        self, Z: np.ndarray, codes: np.ndarray, values: np.ndarray, variates: Subspace, n_draws: int, seed: Any
    ) -> DimensionTest:
        """Find the number of directions of rows given by their variates by drawing them anew."""

    def _permuted(self, variates: Subspace) -> Draw:
        Z, codes = self._rows_in(variates)

        def draw(d: int, rng: np.random.Generator) -> np.ndarray:
            return self._row_eigenvalues(permuted_after(Z, d, rng), codes, variates)

        return draw

    def _check_test(self, method: str, n_draws: int) -> None:
        self._require_fit()
        check_choice("method", method, self._tests)
        check_number("n_draws", n_draws, 1, integer=True)
        if self.ridge:
            raise errors.InputError(
                f"ridge={self.ridge!r}: these tests hold for plain covariances; fit with ridge=0 to test."
            )

    def _rows_in(self, variates: Subspace) -> tuple[np.ndarray, np.ndarray]:
        """Read the rows of the fit again, as variates with slice codes, a row of weight 2 twice."""
        block = self._rows_again()
        codes = np.asarray(block.y, dtype=np.intp)
        codes = np.where(codes >= 0, np.searchsorted(np.unique(codes[codes >= 0]), codes), -1)
        Z = _xp.to_numpy(variates.project(_xp.like(block.X, variates.basis)))
        return Z, codes

    # -- scikit-learn ------------------------------------------------------------------------------------------

    @property
    def slice_names_(self) -> list[str]:
        """What each slice is, in words, in the order of `slice_means_`."""
        self._require_fit()
        if self._slicing is None or not self._slicing.cuts:
            return [str(label) for label in self.slices_]
        names = self._slicing.names()
        return [names[int(code)] for code in self.slices_]

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def response_of(y: Any, slices: Any) -> Response | None:
    return None if y is None and slices is None else Response(y, slices)


def _check_slices(n_slices: Any) -> None:
    if isinstance(n_slices, Integral) and not isinstance(n_slices, bool):
        if n_slices < 2:
            raise errors.number("n_slices", n_slices, "at least 2, or a list of cuts")
        return
    rule = "a whole number of at least 2, or ascending cuts (a list of numbers, or one such list for each response)"
    if isinstance(n_slices, str | bool) or not np.ndim(n_slices) or len(n_slices) == 0:
        raise errors.number("n_slices", n_slices, rule)
    for column in [n_slices] if np.ndim(n_slices[0]) == 0 else n_slices:
        try:
            cuts = np.asarray(column, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise errors.number("n_slices", n_slices, rule) from error
        if cuts.ndim != 1 or len(cuts) == 0 or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
            raise errors.number("n_slices", n_slices, rule)
