"""The spine: rows → source → moments → problem → spectrum → attributes.

A method says which moments one pass must keep (`_moments`), which problem they pose (`_pose`), which attributes the
answer becomes (`_present`), which parameters cannot work (`_check_parameters`), and how its directions are tested
(`test_dimension`). Everything else (weights, merging, partial fits, a second pass where digits would be lost, fits that
fail without a trace) is here. A `Problem` says everything that is asked of it: what to solve, how far digits can be
trusted, which directions were dropped, and how the answer becomes directions of the columns again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from sklearn.exceptions import NotFittedError

from ...arrays import errors, namespaces
from ...arrays.parameters import published_at_once
from ...arrays.typing import Array, TableLike
from ...inference.dimension_test import DimensionTest
from ...moments import Centred, Cross, Factor, Grouped, Moments, Outline
from ...moments.centred import choose_kind
from ...moments.completion import Completed
from ...rows import Response, Source, as_source
from ...rows.labels import are_shares
from ...solve import Spectrum
from .chosen import FOLDS, Validated
from .patterns import keeps_patterns, taking_holes
from .problem import REREAD_CONDITION, SCALE_FIRST, Problem, warn_of_spread
from .rows_estimator import MODELLED, Known, RowsEstimator
from .structure import spreads, structure, total_of

WARN_CONDITION = 1e5  # above this, fewer than about 7
Kept = TypeVar("Kept", bound=Moments)  # the moments of a method
T = TypeVar("T")

OF_HOLES = ("_law", "_whole", "covariance_", "log_likelihood_")  # attributes of a fit that modelled missing cells
OF_ROWS = ("_chosen", "cv_path_", "_count_test")  # what rows have chosen, where moments would choose otherwise or not


class MomentsEstimator(RowsEstimator, Generic[Kept]):
    """A method that is one pass over the rows and one small symmetric problem."""

    _collected: Any

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
        """Refuse parameters: those that are wrong for any rows, and then, before the pass, by what is known about X."""

    # -- what a method says that models missing cells: TakesHoles ----------------------------------------------

    log_likelihood_: float

    def _completed(self, moments: Any) -> Completed:
        """Return the moments that rows without holes would have given."""
        raise NotImplementedError

    # -- fitting -----------------------------------------------------------------------------------------------

    def _collect(self, source: Source, kind: type[Centred] | None = None, complete: bool = True) -> Any:
        """Read the rows and return what must be kept of them.

        Parameters
        ----------
        source : Source
        kind : {Scatter, Factor, Outline}, optional
            By default, what suits the shape of the table.
        complete : bool
            Whether these rows are all there are: weights that turn out to be shares of them become counts.
        """
        kind = choose_kind(source.n_rows, source.n_columns) if kind is None else kind
        moments = source.collect(self._kept(kind))
        names = self.__dict__.get("feature_names_in_")
        moments.names = None if names is None else tuple(map(str, names))
        if isinstance(moments, Cross):
            moments.second_names = None if self._y_names is None else tuple(self._y_names)
            moments.second_single = self._single_response
        if isinstance(moments, Grouped):
            moments.order = self._class_order
        shares = complete and source.weighted and are_shares(moments.weight)
        return moments.times(float(moments.n_rows)) if shares else moments

    def _kept(self, kind: type[Centred]) -> Moments:
        """Return the empty moments of a pass: those that take holes, where rows may have some."""
        needed = self._moments(kind)
        return taking_holes(needed) if self.missing in MODELLED else needed

    @published_at_once
    def _fit(self, X: TableLike, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        source = self._open(X, y, sample_weight, reset=True)
        self._note_target(source, first=True)
        self._check_parameters(Known.of(source, complete=True))
        if self._asks_validation:
            moments = self._validate(source)
        else:
            for name in OF_ROWS:
                self.__dict__.pop(name, None)
            moments = self._collect(source)
        problem, spectrum = self._solved(moments)
        better = problem.better_kind(spectrum, source)
        if better is not None:
            moments = self._collect(source, better)
            problem, spectrum = self._solved(moments)
        self._conclude(moments, problem, spectrum)
        return self

    # -- a parameter that cross-validation chooses -------------------------------------------------------------

    _units_advice: ClassVar[str] = SCALE_FIRST  # where columns have other units, and units count
    _validated: ClassVar[Validated | None] = None
    _chosen: Any = None
    _count_test: DimensionTest | None = None  # of the rows of a fit, which has chosen the number of directions

    @property
    def _asks_validation(self) -> bool:
        value = None if self._validated is None else getattr(self, self._validated.name)
        return isinstance(value, str) and value == "cv"

    def _value(self, name: str) -> Any:
        """Return a parameter: as it was given, or as cross-validation has chosen it."""
        if self._validated is None or name != self._validated.name or not self._asks_validation:
            return getattr(self, name)
        if self._chosen is None:
            raise errors.InputError(
                f"{name}='cv' scores rows by models that have not seen them, which moments cannot do; use fit, or give "
                f"{name} as a number."
            )
        return self._chosen

    def _pinned(self) -> dict[str, Any]:
        """Return parameters whose meaning must not change where a number takes the place of "cv"."""
        return {}

    def _facts(self) -> Iterator[str]:
        yield from super()._facts()
        if self._validated is not None and self._asks_validation:
            yield f"{self._validated.name} = {self._chosen:.4g}, chosen by cross-validation."

    #: What fits to the same moments with other parameters leave each other, while they are compared.
    _shared: dict[Any, Any] | None = None

    def _once(self, key: Any, make: Callable[[], T]) -> T:
        """Return what does not depend on the parameter that varies: made once where fits share it."""
        if self._shared is None:
            return make()
        if key not in self._shared:
            self._shared[key] = make()
        found: T = self._shared[key]
        return found

    def _validate(self, source: Source) -> Any:
        """Choose the parameter, in two passes over the rows, and return the moments of all of them."""
        from ...validation.cross_validation import choose  # brings scikit-learn's scorers, which nothing else needs

        assert self._validated is not None
        found = choose(self, source, self._validated, FOLDS)
        self._chosen, self.cv_path_ = found.value, found.path
        return found.moments

    @published_at_once
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
        self.__dict__.pop("_count_test", None)
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
        self.n_features_in_ = moments.n_features
        problem, spectrum = self._solved(moments)
        return bool(problem.condition(spectrum) > REREAD_CONDITION)

    @published_at_once
    def _partial_fit(self, X: TableLike, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        first = not hasattr(self, "_collected")
        if self._target_columns is not None and self._target != "none" and _is_nothing(y):
            X, found = self._with_target(X, None)
            y = self._target_of(found)
        elif self._target_columns is not None:
            X = self._without_target(X)
        if _has_no_rows(X) and _is_nothing(y) and _is_nothing(sample_weight):
            if not first:
                words = None if self.categories is None else self._words(reset=False)
                self._check_columns(as_source(X, min_rows=0, words=words), reset=False)
            return self
        source = self._open(X, y, sample_weight, reset=first, min_rows=1, counts=True)
        self._note_target(source, first)
        self.__dict__.pop("_count_test", None)
        self._check_parameters(Known.of(source, complete=False))
        moments = self._collect(source, choose_kind(source.n_rows, source.n_columns), complete=False)
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

    @published_at_once
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
        self.__dict__.pop("_count_test", None)
        self._check_parameters()
        self._check_moments(moments)
        n_features = moments.n_features  # refuses moments that have seen nothing
        self._note_target(None, first=True)
        self._class_order = getattr(moments, "order", None)
        if isinstance(moments, Cross):
            self._y_names = None if moments.second_names is None else list(moments.second_names)
            self._single_response = moments.second_single
        self._check_parameters(Known(n_features))
        if moments.names is not None:
            self.feature_names_in_ = np.array(moments.names, dtype=object)
        elif getattr(self, "n_features_in_", None) != n_features:
            self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = n_features
        moments = moments.copy()
        self._conclude(moments, *self._solved(moments))
        return self

    @property
    def moments_(self) -> Kept:
        """What the passes so far have kept, as a snapshot: merging into it does not change this model."""
        if not hasattr(self, "_collected"):
            raise AttributeError(f"{type(self).__name__} has no moments_ before it has seen rows")
        return self._collected.copy()

    @property
    def _whole_moments(self) -> Any:
        """The moments that the problem was posed from: rows with holes completed by maximum likelihood."""
        return self.__dict__.get("_whole", self._collected)

    @property
    def structure_(self) -> Array:
        """Correlations of the columns of X with the scores of all rows, of shape (p, k); NaN for constant columns."""
        total = total_of(self._whole_moments) if hasattr(self, "subspace_") else None
        if total is None:
            why = ": its rule has no directions" if hasattr(self, "spectrum_") else " before it is fitted"
            raise AttributeError(f"{type(self).__name__} has no structure_{why}")
        return namespaces.cast(structure(total, self.subspace_.basis)[: self.n_features_in_, :], total.dtype)

    def _check_moments(self, moments: Any) -> None:
        """Refuse moments that lack what this method needs."""
        if self.missing not in MODELLED and keeps_patterns(moments):
            raise errors.moments_kind("Patterns", "moments of rows without holes", type(self).__name__)
        needed = self._moments(Factor)
        needed = taking_holes(needed) if keeps_patterns(moments) else needed
        if type(moments) is not type(needed) and not (isinstance(needed, Centred) and isinstance(moments, Centred)):
            name = type(needed).__name__
            wanted = name if name.endswith("Moments") else f"{name} moments"
            raise errors.moments_kind(type(moments).__name__, wanted, type(self).__name__)
        lacking = moments.lacks(needed)
        if lacking is not None:
            absent, kept = lacking
            raise errors.InputTypeError(
                f"moments keep {kept} but {self!r} needs {absent}; collect them with that option set: "
                "fit(...).moments_."
            )

    def _solved(self, moments: Any) -> tuple[Problem, Spectrum]:
        """Return the problem of moments as a pass has left them, and its solution."""
        if self.missing not in MODELLED:
            problem = self._pose(moments)
        else:
            found = self._completed(moments)
            problem = replace(self._pose(found.moments), log_likelihood=found.log_likelihood)
        return problem, problem.solve()

    def _conclude(self, moments: Any, problem: Problem, spectrum: Spectrum, warn_ranks: bool = True) -> None:
        condition = problem.condition(spectrum)
        if condition > WARN_CONDITION:
            self._warn_of_digits(problem, spectrum, condition)
        if warn_ranks:
            for shortfall in problem.shortfalls(spectrum):
                errors.warn(shortfall)
        if not hasattr(self, "scale") and self._obeys().invariance == "rotation":
            found = spreads(problem.centred, problem.centred.weight)
            for columns, names in problem.side_by_side:
                warn_of_spread(found[columns], names, self._units_advice)
        self._collected = moments.with_products(None) if isinstance(moments, Outline) else moments
        self.spectrum_ = spectrum
        for name in OF_HOLES:
            self.__dict__.pop(name, None)
        if self.missing in MODELLED:
            if problem.log_likelihood is not None:
                self.log_likelihood_ = problem.log_likelihood
            self._whole = problem.given
        self._present(problem, spectrum)

    def _warn_of_digits(self, problem: Problem, spectrum: Spectrum, condition: float) -> None:
        """Warn where squares, or a metric that one row dominates, leave fewer than about seven digits."""
        squared = problem.moments.squared
        # a row far beyond the others takes digits of a metric, whatever the moments
        lost = min(condition, 1e8) ** 2 if squared else min(condition, problem.condition_of_metric(spectrum))
        if lost <= WARN_CONDITION**2 or problem.drops_weak(spectrum):
            return
        why = "moments square it" if squared else "float64 has 16 digits"
        advice = "Fit on rows that can be read again (an array)" if squared else "Leave out rows far from the others"
        errors.warn(
            errors.ConditionWarning(
                f"{problem.condition_of} has condition {condition:.1e}; {why}, so about "
                f"{max(-np.log10(namespaces.EPS * lost), 0):.0f} digits of the weakest direction are right. "
                f"{advice}, or drop nearly collinear columns."
            )
        )

    # -- testing -----------------------------------------------------------------------------------------------

    def _tested_moments(self, source: Source | None) -> Any:
        """Return the moments that a test is about: those of the rows it was given, or of the fit."""
        if source is None:
            return self._collected
        return self._collect(source, choose_kind(source.n_rows, source.n_columns))

    def _holed_test(
        self,
        moments: Any,
        method: str | None,
        moved: bool,
        alpha: float,
        n_draws: int,
        seed: Any,
        budget: float | None = None,
    ) -> DimensionTest | None:
        """Return the test of moments with holes; None where there are none, and the usual tests hold."""
        return None

    def _without_holes(self, moments: Any) -> Any:
        """Return moments without holes as methods pose their problems from."""
        return moments

    def _require_fit(self) -> None:
        """Refuse to work unfitted, saying what is missing where rows have been seen."""
        if not hasattr(self, "spectrum_") and hasattr(self, "_collected"):
            try:
                self._solved(self._collected)
            except errors.InputError as lacking:
                raise NotFittedError(f"This {type(self).__name__} cannot be used yet. {lacking}") from lacking
        super()._require_fit()


def _is_nothing(values: Any) -> bool:
    """Tell whether labels, a response or weights are those of an empty batch."""
    if isinstance(values, Response):
        return _is_nothing(values.y) and _is_nothing(values.slices)
    return values is None or (hasattr(values, "__len__") and len(values) == 0)


def _has_no_rows(X: Any) -> bool:
    """Tell whether a batch is empty, as far as that is known before it is read."""
    if isinstance(X, Source):
        return X.n_rows == 0
    shape: Any = getattr(X, "shape", ())
    return len(shape) == 2 and isinstance(shape[0], int) and shape[0] == 0 and shape[1] > 0
