"""What cross-validation knows about a model: how its rows are opened, which moments it needs, how it is fitted to them.

A model of this package that fits from moments says so itself; a penalised regression is fitted to a factor of its joint
scatter; a pipeline of scalers before one of these is fitted to moments of scaled columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import validate_data

from ..arrays import errors, namespaces
from ..moments import Centred, Cross, Factor, Moments
from ..moments.centred import choose_kind
from ..regress.penalized import PenalizedRegression
from ..rows import Source, as_source


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model that was fitted to moments.

    Attributes
    ----------
    model : estimator
        As a user has it: the pipeline, where there is one.
    final : estimator
        Its last step, which takes prepared rows.
    pivot : ndarray of shape (p,)
        A row near all others, in the units of the data.
    centre, scale : ndarray of shape (p,), or None
        What prepares rows: (x − centre)/scale; infinite where a column is 0 since it did not vary.
    """

    model: Any
    final: Any
    pivot: np.ndarray
    centre: np.ndarray | None = None
    scale: np.ndarray | None = None

    def prepared(self, X: Any) -> Any:
        """Return rows as the last step takes them."""
        if self.centre is None or self.scale is None:
            return X
        return namespaces.cast((X - namespaces.like(self.centre, X)) / namespaces.like(self.scale, X), X.dtype)

    def linear_rule(self, pivot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients and intercepts of scores against the first class, of rows minus the pivot."""
        space, C = self.final.subspace_, self.final._centroids
        apart = (C[1:] - C[:1]).T
        coef = space.basis @ apart
        start = pivot if self.centre is None or self.scale is None else (pivot - self.centre) / self.scale
        away = (space.centre - start) + (0.0 if space.remainder is None else space.remainder)
        log_odds = np.log(self.final._priors[1:] / self.final._priors[0])
        intercept = log_odds - 0.5 * np.sum(apart * (C[1:] + C[:1]).T, axis=0) - away @ coef
        return coef if self.scale is None else coef / self.scale[:, None], intercept


class Subject(ABC):
    """A model to be validated from moments."""

    def __init__(self, model: Any) -> None:
        self.model = model

    @abstractmethod
    def source(self, X: Any, y: Any, sample_weight: Any) -> Source:
        """Open the rows as a fit does."""

    def kind(self, source: Source) -> type[Centred]:
        """Return how scatters are kept."""
        return Factor

    @abstractmethod
    def empty(self, models: Sequence[Any], kind: type[Centred]) -> Moments | None:
        """Return the empty moments that serve all of these models; None where none do."""

    @abstractmethod
    def fit(
        self, model: Any, source: Source, moments: Any, named: bool = True, shared: dict[Any, Any] | None = None
    ) -> Fitted:
        """Fit a copy of the model; `shared` is what fits to the same moments with other parameters leave each other."""

    def loses_digits(self, model: Any, moments: Any) -> bool:
        """Tell whether moments should be collected again as factors."""
        return False

    @property
    def final(self) -> Any:
        """The estimator that decides what kind of answers there are."""
        return self.model


class MomentsSubject(Subject):
    """A method of this package that fits from moments."""

    def source(self, X: Any, y: Any, sample_weight: Any) -> Source:
        self.opened = clone(self.model)
        self.opened._check_parameters()
        source: Source = self.opened._open(X, self.opened._target_of(y), sample_weight, reset=True)
        return source

    def kind(self, source: Source) -> type[Centred]:
        return choose_kind(source.n_rows, source.n_columns)

    def empty(self, models: Sequence[Any], kind: type[Centred]) -> Moments | None:
        for model in models:
            model._check_parameters()
            if hasattr(self.opened, "_slicing"):
                if not np.array_equal(model.n_slices, self.opened.n_slices):
                    raise errors.InputError(
                        "settings: n_slices changes the slices that scores refer to, so they cannot be compared; give "
                        "n_slices to the model, and cross-validate once for each."
                    )
                model._slicing = self.opened._slicing
        needed = [model._kept(kind) for model in models]
        return next((one for one in needed if all(_serves(one, other) for other in needed)), None)

    def fit(
        self, model: Any, source: Source, moments: Any, named: bool = True, shared: dict[Any, Any] | None = None
    ) -> Fitted:
        found = copy(model)
        found._shared = shared
        found._fit_collected(source, moments, named)
        del found._shared
        return Fitted(found, found, pivot_of(moments))

    def loses_digits(self, model: Any, moments: Any) -> bool:
        return bool(copy(model)._loses_digits(moments))


class RegressionSubject(Subject):
    """A penalised regression, from a factor of the joint scatter of X and y."""

    def source(self, X: Any, y: Any, sample_weight: Any) -> Source:
        name = type(self.model).__name__
        return as_source(X, y, sample_weight, target="table", second_name="y", estimator=name, min_rows=2)

    def empty(self, models: Sequence[Any], kind: type[Centred]) -> Moments | None:
        return Cross(Factor)

    def fit(
        self, model: Any, source: Source, moments: Any, named: bool = True, shared: dict[Any, Any] | None = None
    ) -> Fitted:
        found = copy(model)
        if named:
            validate_data(found, source.native, reset=True, skip_check_array=True)
        joint, p = moments.joint, moments.split
        F, mean = namespaces.to_numpy(joint.factor * joint.unit), namespaces.to_numpy(joint.mean)
        found._fit_centred(F[:, :p], F[:, p:], joint.weight, mean[:p], mean[p:], source.single_response)
        return Fitted(found, found, pivot_of(moments))


class PipelineSubject(Subject):
    """Scalers of columns, then a model that fits from moments."""

    def __init__(self, model: Pipeline, inner: Subject) -> None:
        super().__init__(model)
        self.inner = inner

    @property
    def final(self) -> Any:
        return self.inner.final

    def source(self, X: Any, y: Any, sample_weight: Any) -> Source:
        return self.inner.source(X, y, sample_weight)

    def kind(self, source: Source) -> type[Centred]:
        return self.inner.kind(source)

    def empty(self, models: Sequence[Any], kind: type[Centred]) -> Moments | None:
        empty = self.inner.empty([model[-1] for model in models], kind)
        return empty if empty is not None and getattr(empty, "of", Factor) in (Factor, kind) else None

    def fit(
        self, model: Any, source: Source, moments: Any, named: bool = True, shared: dict[Any, Any] | None = None
    ) -> Fitted:
        p = source.n_features
        steps, centre, scale, scaled = [], np.zeros(p), np.ones(p), moments
        for k, (name, step) in enumerate(model.steps[:-1]):
            if step is None or isinstance(step, str):
                steps.append((name, step))
                continue
            done, c, s = _scaler_of(step, scaled.total(), p, source if named and k == 0 else None)
            steps.append((name, done))
            centre, scale = centre + c * scale, scale * s
            scaled = scaled.standardised(c, np.where(np.isinf(s), 1.0, s))
        found = self.inner.fit(model[-1], source, scaled, False, shared)  # no setting changes a scaler
        whole = copy(model)
        whole.steps = [*steps, (model.steps[-1][0], found.final)]
        return Fitted(whole, found.final, pivot_of(moments), centre, scale)

    def loses_digits(self, model: Any, moments: Any) -> bool:
        return self.inner.loses_digits(model[-1], moments)


def subject_of(model: Any, settings: Sequence[dict[str, Any]] = ()) -> Subject | str:
    """Return how a model is validated from moments, or why it cannot be: it is then fitted to the rows of each fold."""
    if isinstance(model, Pipeline):
        inner = subject_of(model[-1], settings)
        if isinstance(inner, str):
            return inner
        for name, step in model.steps[:-1]:
            known = step is None or step == "passthrough" or type(step) is StandardScaler
            if not known and not hasattr(step, "fit_column_moments"):
                return f"{type(step).__name__} cannot be applied to moments"
            if any(key == name or key.startswith(f"{name}__") for setting in settings for key in setting):
                return f"settings change the step {name!r}"
        return PipelineSubject(model, inner)
    if type(model) is PenalizedRegression:
        return RegressionSubject(model)
    if hasattr(model, "_asks_validation") and (model._asks_validation or _any_cv(settings)):
        return f"{type(model).__name__} chooses a parameter by a cross-validation of its own"
    if hasattr(model, "partial_fit") and hasattr(model, "_fit_collected"):  # its moments merge
        return MomentsSubject(model)
    return f"{type(model).__name__} needs the rows themselves"


def _any_cv(settings: Sequence[dict[str, Any]]) -> bool:
    return any(isinstance(value, str) and value == "cv" for setting in settings for value in setting.values())


def pivot_of(moments: Any) -> np.ndarray:
    """Return the row that all parts of a pass were taken about; an empty one where words have none."""
    if hasattr(moments, "groups"):
        return namespaces.to_numpy(moments.groups[0].pivot)
    if hasattr(moments, "joint"):
        return namespaces.to_numpy(moments.joint.pivot)[: moments.split]
    return namespaces.to_numpy(moments.pivot) if hasattr(moments, "pivot") else np.empty(0)


def _serves(one: Any, other: Any) -> bool:
    """Tell whether moments of one kind are enough for a model that would keep the other kind."""
    if isinstance(one, Centred) and isinstance(other, Centred):
        return type(one) is type(other) or isinstance(one, Factor)
    return type(one) is type(other) and one.lacks(other) is None


def _scaler_of(step: Any, total: Centred, p: int, source: Source | None) -> tuple[Any, np.ndarray, np.ndarray]:
    """Return a fitted scaler from the moments of all columns, what it subtracts and what it divides by.

    A scaler of another kind learns by `fit_column_moments`, and has `mean_` and `scale_` then.
    """
    scaler = clone(step)
    if source is not None:
        validate_data(scaler, source.native, reset=True, skip_check_array=True)
    else:
        scaler.n_features_in_ = p
    mean = namespaces.to_numpy(total.mean)[:p]
    variance = namespaces.to_numpy(total.store.diagonal())[:p] / total.weight
    still = namespaces.to_numpy(total.constant_columns())[:p]
    if not isinstance(scaler, StandardScaler):
        scaler.fit_column_moments(mean, variance, still, total.weight)
        return scaler, scaler.mean_, scaler.scale_
    scaler.mean_, scaler.n_samples_seen_ = mean, total.n_rows
    scaler.var_, scaler.scale_ = None, None
    if scaler.with_std:
        scaler.var_, scaler.scale_ = variance, np.where(still, 1.0, np.sqrt(variance))
    centre = mean if scaler.with_mean else np.zeros(p)
    return scaler, centre, np.ones(p) if scaler.scale_ is None else scaler.scale_


__all__ = ["Fitted", "Subject", "pivot_of", "subject_of"]
