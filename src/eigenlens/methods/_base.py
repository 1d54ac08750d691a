"""The spine: rows → source → moments → problem → spectrum → attributes.

A method says which moments one pass must keep (`_moments`), which problem they pose (`_pose`), which attributes the
answer becomes (`_present`), which parameters cannot work (`_check_parameters`), and how its directions are tested
(`test_dimension`). Everything else (weights, merging, partial fits, a second pass where digits would be lost, fits that
fail without a trace) is here.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from .._core import errors
from .._core import xp as _xp
from .._core.guard import unchanged_on_failure
from .._core.typing import TableLike
from ..moments import Centred, Factor, Moments, choose
from ..problem import Problem
from ..sources import Source, collect
from ..spectral import Spectrum
from ._patterns import keeps_patterns, taking_holes
from ._rows import Known, RowsEstimator

REREAD_CONDITION = 1e3  # moments square it: above this they keep fewer than 10 digits of the weakest direction
WARN_CONDITION = 1e5  # above this, fewer than about 7


class MomentsEstimator(RowsEstimator):
    """A method that is one pass over the rows and one small symmetric problem."""

    _collected: Any

    #: What becomes of NaN in rows; methods that model missing cells have a parameter of this name.
    missing: str = "refuse"

    # -- what a method says ------------------------------------------------------------------------------------

    @abstractmethod
    def _moments(self, kind: type[Centred]) -> Moments:
        """Return the empty moments that a pass must fill."""

    @abstractmethod
    def _pose(self, moments: Any) -> Problem:
        """Return the problem that the moments pose; raise an InputError where they are not enough."""

    @abstractmethod
    def _present(self, problem: Any, spectrum: Spectrum) -> None:
        """Set the fitted attributes."""

    def _check_parameters(self, known: Known | None = None) -> None:
        """Refuse parameters: those that no rows could make right, and then, before the pass, by what is known of X."""

    # -- fitting -----------------------------------------------------------------------------------------------

    def _collect(self, source: Source, kind: type[Centred]) -> Any:
        """Read the rows and return what must be kept of them."""
        return collect(source, self._kept(kind))

    def _kept(self, kind: type[Centred]) -> Moments:
        """Return the empty moments of a pass: those that take holes, where rows may have some."""
        needed = self._moments(kind)
        return needed if self.missing == "refuse" else taking_holes(needed)

    def _fit(self, X: TableLike, y: Any, sample_weight: Any) -> Self:
        with unchanged_on_failure(self):
            self._check_parameters()
            source = self._open(X, y, sample_weight, reset=True)
            self._note_target(source, first=True)
            self._check_parameters(Known.of(source, complete=True))
            moments = self._collect(source, choose(source.n_rows, source.n_columns))
            problem, spectrum = self._solved(moments)
            if moments.squared and problem.condition(spectrum) > REREAD_CONDITION and source.rereadable:
                moments = self._collect(source, Factor)
                problem, spectrum = self._solved(moments)
            self._conclude(moments, problem, spectrum)
        return self

    def _fit_collected(self, source: Source, moments: Any, named: bool = True) -> Self:
        """Fit from moments of a source's rows, or of some of them, that were collected before.

        Parameters
        ----------
        source : Source
            Says how rows and y were given.
        moments : Moments
        named : bool
            Whether the columns are those of the source, with their names.
        """
        with unchanged_on_failure(self):
            self._check_parameters()
            if named:
                self._check_columns(source, reset=True)
            else:
                self.n_features_in_ = source.n_features
            self._note_target(source, first=True)
            self._check_parameters(Known.of(source, complete=False))
            moments = moments.copy()
            self._conclude(moments, *self._solved(moments))
        return self

    def _loses_digits(self, moments: Any) -> bool:
        """Tell whether moments are squares of so bad a condition that a fit would read the rows once more."""
        if not moments.squared:
            return False
        problem, spectrum = self._solved(moments)
        return bool(problem.condition(spectrum) > REREAD_CONDITION)

    def _partial_fit(self, X: TableLike, y: Any, sample_weight: Any) -> Self:
        with unchanged_on_failure(self):
            self._check_parameters()
            first = not hasattr(self, "_collected")
            source = self._open(X, y, sample_weight, reset=first, min_rows=1)
            self._note_target(source, first)
            self._check_parameters(Known.of(source, complete=False))
            moments = self._collect(source, choose(source.n_rows, source.n_columns))
            if not first:
                # a scatter takes in a factor without cost, a factor would first have to take the root of a scatter
                moments = moments.merge(self.moments_) if moments.squared else self.moments_.merge(moments)
            self._collected = moments
            try:
                problem, spectrum = self._solved(moments)
            except errors.InputError:
                if hasattr(self, "spectrum_"):
                    raise  # a model that could be solved before has been given parameters that cannot
                return self
            self._conclude(moments, problem, spectrum, warn_ranks=not problem.rows_are_few)
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
            self._note_target(None, first=True)
            self._check_parameters(Known(n_features))
            if getattr(self, "n_features_in_", None) != n_features:
                self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = n_features
            moments = moments.copy()
            self._conclude(moments, *self._solved(moments))
        return self

    @property
    def moments_(self) -> Any:
        """What the passes so far have kept, as a snapshot: merging into it does not change this model."""
        if not hasattr(self, "_collected"):
            raise AttributeError(f"{type(self).__name__} has no moments_ before it has seen rows")
        return self._collected.copy()

    def _check_moments(self, moments: Any) -> None:
        """Refuse moments that lack what this method needs."""
        if self.missing == "refuse" and keeps_patterns(moments):
            raise errors.moments_kind("Patterns", "moments of rows without holes", type(self).__name__)
        needed = self._kept(Factor) if keeps_patterns(moments) else self._moments(Factor)
        if type(moments) is not type(needed) and not (isinstance(needed, Centred) and isinstance(moments, Centred)):
            raise errors.moments_kind(type(moments).__name__, type(needed).__name__ + " moments", type(self).__name__)
        lacking = moments.lacks(needed)
        if lacking is not None:
            raise errors.moments_lack(*lacking, repr(self))

    def _solved(self, moments: Any) -> tuple[Problem, Spectrum]:
        with _xp.limit_blas(moments.n_features**2):
            problem = self._problem(moments)
            return problem, problem.solve()

    def _problem(self, moments: Any) -> Problem:
        """Return the problem of moments as a pass has left them."""
        return self._pose(moments)

    def _conclude(self, moments: Any, problem: Problem, spectrum: Spectrum, warn_ranks: bool = True) -> None:
        condition = problem.condition(spectrum)
        if problem.moments.squared and condition > WARN_CONDITION and not problem.drops_weak(spectrum):
            digits = -np.log10(_xp.EPS * min(condition, 1e8) ** 2)
            errors.warn(
                errors.ConditionWarning(
                    f"{problem.condition_of} has condition {condition:.1e}; moments square it, so that about "
                    f"{max(digits, 0):.0f} digits of the weakest direction are right. Fit on rows that can be read "
                    "again (an array), or drop nearly collinear columns."
                )
            )
        if warn_ranks:
            for shortfall in problem.shortfalls(spectrum):
                errors.warn(shortfall)
        self._collected = moments
        self.spectrum_ = spectrum
        with _xp.limit_blas(problem.moments.n_features**2):
            self._present(problem, spectrum)

    # -- testing -----------------------------------------------------------------------------------------------

    def _tested_moments(self, source: Source | None) -> Any:
        """Return the moments that a test is about: those of the rows it was given, or of the fit."""
        if source is None:
            return self._collected
        return self._collect(source, choose(source.n_rows, source.n_columns))

    def _require_fit(self) -> None:
        """Refuse to work unfitted, saying what is missing where rows have been seen."""
        if not hasattr(self, "spectrum_") and hasattr(self, "_collected"):
            try:
                self._problem(self._collected)
            except errors.InputError as lacking:
                raise NotFittedError(f"This {type(self).__name__} cannot be used yet. {lacking}") from lacking
        super()._require_fit()
