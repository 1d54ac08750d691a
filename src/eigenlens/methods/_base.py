"""The spine: rows → source → moments → pencil → spectrum → attributes.

A method says which moments one pass must keep (`_moments`), which pencil they pose (`_pencil`) and how the answer is
presented (`_present`). Everything else (weights, merging, partial fits, a second pass where digits would be lost, fits
that fail without a trace) is here.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from contextlib import AbstractContextManager
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from .._core import errors
from .._core import xp as _xp
from .._core.guard import unchanged_on_failure
from .._core.typing import Array, TableLike
from ..moments import Centred, Factor, Moments, choose
from ..sources import Source, collect
from ..spectral import Form, Pencil, Spectrum, solve
from ._rows import RowsEstimator

REREAD_CONDITION = 1e3  # moments square it: above this they keep fewer than 10 digits of the weakest direction
WARN_CONDITION = 1e5  # above this, fewer than about 7


class MomentsEstimator(RowsEstimator):
    """A method that is one pass over the rows and one small symmetric problem."""

    _collected: Any

    # -- what a method says ------------------------------------------------------------------------------------

    @abstractmethod
    def _moments(self, kind: type[Centred]) -> Moments:
        """Return the empty moments that a pass must fill."""

    @abstractmethod
    def _pencil(self, moments: Any) -> Pencil:
        """Return the small problem that the moments pose."""

    @abstractmethod
    def _present(self, spectrum: Spectrum, pencil: Pencil, moments: Any) -> None:
        """Set the fitted attributes."""

    def _check_parameters(self) -> None:
        """Refuse parameters that cannot work with any data."""

    def _check_source(self, source: Any, whole: bool) -> None:
        """Refuse, before any work, parameters that cannot work with these rows; unless whole, more may follow."""

    def _forget_source(self) -> None:
        """Forget what is known of rows that are no longer those of the fit, such as the library of the labels."""

    def _check_moments(self, moments: Any) -> None:
        """Refuse moments that lack what this method needs."""
        needed = self._moments(Factor)
        if type(moments) is not type(needed) and not (isinstance(needed, Centred) and isinstance(moments, Centred)):
            raise errors.moments_kind(type(moments).__name__, type(needed).__name__ + " moments", type(self).__name__)

    def _lacking(self, moments: Any) -> Exception | None:
        """Return what is missing before these moments can be solved, if anything."""
        return None

    def _kind(self, source: Source) -> type[Centred]:
        """Choose how the sums of squares and products are kept."""
        return choose(source.n_rows, source.n_columns)

    def _collect(self, source: Source, kind: type[Centred]) -> Any:
        """Read the rows and return what must be kept of them."""
        return collect(source, self._moments(kind))

    def _solve(self, pencil: Pencil, moments: Any) -> Spectrum:
        return solve(pencil)

    def _condition(self, spectrum: Spectrum, pencil: Pencil) -> float:
        """Return the condition of what the answer depends on."""
        return spectrum.condition

    def _leaves_out(self, spectrum: Spectrum, pencil: Any) -> bool:
        """Tell whether weak directions are left out, with a warning of their own, rather than given with few digits."""
        return spectrum.whitening is not None and spectrum.whitening.rank < spectrum.whitening.varying

    def _warn_ranks(self, spectrum: Spectrum, pencil: Any, moments: Any) -> None:
        """Report directions that were left out."""

    def _weakest(self) -> str:
        """Say, for a message, what the condition is of."""
        return "X"

    # -- fitting -----------------------------------------------------------------------------------------------

    def _fit(self, X: TableLike, y: Any, sample_weight: Any) -> Self:
        with unchanged_on_failure(self):
            self._check_parameters()
            source = self._open(X, y, sample_weight, reset=True)
            self._check_source(source, whole=True)
            moments = self._collect(source, self._kind(source))
            lacking = self._lacking(moments)
            if lacking:
                raise lacking
            pencil, spectrum = self._pose_and_solve(moments)
            if self._loses_digits(spectrum, pencil, moments) and source.rereadable:
                moments = self._collect(source, Factor)
                pencil, spectrum = self._pose_and_solve(moments)
            self._conclude(spectrum, pencil, moments)
            self._remember(source, X, y, sample_weight)
        return self

    def _partial_fit(self, X: TableLike, y: Any, sample_weight: Any) -> Self:
        with unchanged_on_failure(self):
            self._check_parameters()
            first = not hasattr(self, "_collected")
            source = self._open(X, y, sample_weight, reset=first, min_rows=1)
            self._check_source(source, whole=False)
            self._recall = None
            moments = self._collect(source, self._kind(source))
            if not first:
                # a scatter takes in a factor without cost, a factor would first have to take the root of a scatter
                moments = moments.merge(self.moments_) if moments.squared else self.moments_.merge(moments)
            self._collected = moments
            lacking = self._lacking(moments)
            if lacking is not None and hasattr(self, "spectrum_"):
                raise lacking  # a model that could be solved before has been given parameters that cannot
            if lacking is None:
                pencil, spectrum = self._pose_and_solve(moments)
                too_few_yet = pencil.most is not None and pencil.most < pencil.dimension
                self._conclude(spectrum, pencil, moments, warn_ranks=not too_few_yet)
        return self

    def fit_moments(self, moments: Any) -> Self:
        """Fit from moments alone: many parameters from one pass over the rows.

        Parameters
        ----------
        moments : moments of the kind this method keeps
            From `moments_` of a fitted model, merged in any way.

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            self._check_parameters()
            self._check_moments(moments)
            n_features = moments.n_features  # refuses moments that have seen nothing
            self._forget_source()
            self._recall = None
            lacking = self._lacking(moments)
            if lacking:
                raise lacking
            if getattr(self, "n_features_in_", None) != n_features:
                self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = n_features
            moments = moments.copy()
            pencil, spectrum = self._pose_and_solve(moments)
            self._conclude(spectrum, pencil, moments)
        return self

    def _check_unchanged(self, source: Source) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", errors.EigenlensWarning)
            found = [self._pose_and_solve(m)[1] for m in (self._collect(source, self._kind(source)), self._collected)]
        now, then = (_xp.to_numpy(spectrum.values) for spectrum in found)
        k = min(len(now), len(then))
        if not np.allclose(now[:k], then[:k], rtol=1e-6, atol=1e-6 * float(np.abs(then[:1]).sum())):
            raise errors.rows_changed()

    @property
    def moments_(self) -> Any:
        """What the passes so far have kept, as a snapshot: merging into it does not change this model."""
        if not hasattr(self, "_collected"):
            raise AttributeError(f"{type(self).__name__} has no moments_ before it has seen rows")
        return self._collected.copy()

    def _pose_and_solve(self, moments: Any) -> tuple[Pencil, Spectrum]:
        with _small_problem(moments):
            pencil = self._pencil(moments)
            return pencil, self._solve(pencil, moments)

    def _loses_digits(self, spectrum: Spectrum, pencil: Pencil, moments: Any) -> bool:
        return moments.squared and self._condition(spectrum, pencil) > REREAD_CONDITION

    def _conclude(self, spectrum: Spectrum, pencil: Pencil, moments: Any, warn_ranks: bool = True) -> None:
        condition = self._condition(spectrum, pencil)
        if moments.squared and condition > WARN_CONDITION and not self._leaves_out(spectrum, pencil):
            digits = -np.log10(_xp.EPS * min(condition, 1e8) ** 2)
            errors.warn(errors.ill_conditioned(self._weakest(), condition, digits))
        if warn_ranks:
            self._warn_ranks(spectrum, pencil, moments)
        self._collected = moments
        self.spectrum_ = spectrum
        with _small_problem(moments):
            self._present(spectrum, pencil, moments)

    def _require_fit(self) -> None:
        """Refuse to work unfitted, saying what is missing where rows have been seen."""
        if not hasattr(self, "spectrum_") and hasattr(self, "_collected"):
            raise NotFittedError(f"This {type(self).__name__} cannot be used yet. {self._lacking(self._collected)}")
        super()._require_fit()


def _small_problem(moments: Any) -> AbstractContextManager[None]:
    return _xp.calm_blas(moments.n_features**2)


def form_of(moments: Centred, divisor: float) -> Form:
    """Return the covariance form of moments: their sum of squares over a divisor, over 2^exponent."""
    if moments.factor is None:
        return Form(matrix=moments.matrix / divisor)
    return Form(factor=moments.factor / divisor**0.5, squared=moments.squared)


def in_data_units(estimator: Any, directions: Array, unit: Array) -> Array:
    """Return directions for the columns as they are, from those for columns over a power of two."""
    with np.errstate(over="ignore"):
        vectors = directions / unit[:, None]
    if not _xp.all_finite(vectors):
        columns = np.flatnonzero(~np.isfinite(_xp.to_numpy(vectors)).all(axis=1))
        raise errors.coefficient_overflow(column_names(estimator, columns))
    return vectors


def column_names(estimator: Any, columns: np.ndarray) -> list[str]:
    """Return the names of columns for a message: as the user named them, or their numbers."""
    names = getattr(estimator, "feature_names_in_", None)
    return [repr(str(names[j])) if names is not None else str(j) for j in columns]
