"""How well rows are predicted by models that have not seen them: sums over rows, so that parts can be added up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..arrays import errors, linalg, namespaces
from ..arrays.typing import Array
from ..rows import Block
from .subjects import Fitted

Team = Callable[[Any], np.ndarray]


class Measure(ABC):
    """A score that is a function of sums over the rows.

    `team` returns what the models of a fold, one for each setting, say about rows: an array whose first axis is the
    settings. `sums` adds that up, and `score` turns the sums into one number; more is better.
    """

    name: ClassVar[str]

    @abstractmethod
    def team(self, models: Sequence[Fitted]) -> Team:
        """Return a function of rows that answers for all models."""

    @abstractmethod
    def sums(self, answers: np.ndarray, block: Block, weight: np.ndarray) -> np.ndarray:
        """Return sums over the rows of a block: one row of numbers for each setting."""

    @abstractmethod
    def score(self, sums: np.ndarray) -> np.ndarray:
        """Return scores from sums, whose last axis holds the numbers."""

    def second(self, sums: np.ndarray) -> np.ndarray | None:
        """Return what decides among settings of equal scores; None where the first of them is taken."""
        return None

    def predictions(self, answers: np.ndarray) -> np.ndarray:
        """Return what a user is shown of the answers of one setting."""
        return answers


class Accuracy(Measure):
    """Share of rows, by weight, whose class is predicted rightly."""

    name = "accuracy"

    def __init__(self, labels: np.ndarray) -> None:
        self.labels = labels

    def team(self, models: Sequence[Fitted]) -> Team:
        fast = LinearTeam.of(models, self.labels)
        return fast if fast is not None else _Each(models, self._codes)

    def _codes(self, model: Fitted, X: Any) -> np.ndarray:
        scores = namespaces.to_numpy(model.final._scores(X, sharp=True))
        return places_in(self.labels, namespaces.to_numpy(model.final.classes_))[scores.argmax(axis=1)]

    def sums(self, answers: np.ndarray, block: Block, weight: np.ndarray) -> np.ndarray:
        hits = (answers == truth(block, self.labels)) @ weight
        return np.column_stack([hits, np.full(len(answers), weight.sum())])

    def score(self, sums: np.ndarray) -> np.ndarray:
        return sums[..., 0] / sums[..., 1]

    def predictions(self, answers: np.ndarray) -> np.ndarray:
        return self.labels[answers]


class LogLoss(Accuracy):
    """Mean logarithm of the posterior probability of the true class."""

    name = "neg_log_loss"

    def team(self, models: Sequence[Fitted]) -> Team:
        return _Each(models, self._log_posteriors)

    def _log_posteriors(self, model: Fitted, X: Any) -> np.ndarray:
        found = namespaces.to_numpy(linalg.log_softmax(model.final._scores(X, sharp=True)))
        answers = np.full((len(found), len(self.labels)), -np.inf)
        answers[:, places_in(self.labels, namespaces.to_numpy(model.final.classes_))] = found
        return answers

    def sums(self, answers: np.ndarray, block: Block, weight: np.ndarray) -> np.ndarray:
        codes = truth(block, self.labels)
        of_truth = answers[:, np.arange(len(codes)), codes]
        least = np.log(
            np.finfo(np.float64).eps
        )  # as scikit-learn clips: a class that was never seen costs much, not all
        return np.column_stack([np.maximum(of_truth, least) @ weight, np.full(len(answers), weight.sum())])

    def predictions(self, answers: np.ndarray) -> np.ndarray:
        return self.labels[answers.argmax(axis=1)]


class AccuracyFirst(LogLoss):
    """Accuracy, and log-loss where it is equal.

    Log-loss alone prefers a rule that says no more than the priors to a good one that is too sure of itself.
    """

    name = "accuracy"

    def sums(self, answers: np.ndarray, block: Block, weight: np.ndarray) -> np.ndarray:
        hits = (answers.argmax(axis=2) == truth(block, self.labels)) @ weight
        return np.column_stack([hits, super().sums(answers, block, weight)])

    def score(self, sums: np.ndarray) -> np.ndarray:
        return sums[..., 0] / sums[..., 2]

    def second(self, sums: np.ndarray) -> np.ndarray:
        return sums[..., 1] / sums[..., 2]


class Response(Measure):
    """What errors of a predicted table share: sums of y and of squared errors, about a point near the mean."""

    def __init__(self, centre: np.ndarray, single: bool) -> None:
        self.centre, self.single = centre, single

    def team(self, models: Sequence[Fitted]) -> Team:
        return _Each(models, _responses)

    def sums(self, answers: np.ndarray, block: Block, weight: np.ndarray) -> np.ndarray:
        Y = namespaces.floats(block.y).reshape(len(weight), -1)
        about, errors_of = Y - self.centre, Y - answers
        S, s = len(answers), Y.shape[1]
        lost = np.einsum("i,sij->sj", weight, errors_of**2)
        same = np.concatenate([weight @ about, weight @ about**2, [weight.sum()]])
        return np.concatenate([lost, np.broadcast_to(same, (S, 2 * s + 1))], axis=1)

    def predictions(self, answers: np.ndarray) -> np.ndarray:
        return answers[:, 0] if self.single and answers.shape[1] == 1 else answers


class RSquared(Response):
    """R², averaged over the columns of y."""

    name = "r2"

    def score(self, sums: np.ndarray) -> np.ndarray:
        s = (sums.shape[-1] - 1) // 3
        lost, first, second, W = sums[..., :s], sums[..., s : 2 * s], sums[..., 2 * s : 3 * s], sums[..., -1:]
        spread = second - first**2 / W
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(spread > 0, 1 - lost / spread, np.where(lost == 0, 1.0, 0.0))
        return shares.mean(axis=-1)


class SquaredError(Response):
    """Minus the mean squared error, averaged over the columns of y."""

    name = "neg_mean_squared_error"

    def score(self, sums: np.ndarray) -> np.ndarray:
        s = (sums.shape[-1] - 1) // 3
        return -(sums[..., :s] / sums[..., -1:]).mean(axis=-1)


class RowMean(Measure):
    """Mean of a number that a model gives each row."""

    def __init__(self, name: str, of_rows: Callable[[Any, Any], Array]) -> None:
        self.name, self.of_rows = name, of_rows  # type: ignore[misc]

    def team(self, models: Sequence[Fitted]) -> Team:
        return _Each(models, lambda model, X: namespaces.floats(self.of_rows(model.final, X)))

    def sums(self, answers: np.ndarray, block: Block, weight: np.ndarray) -> np.ndarray:
        return np.column_stack([answers @ weight, np.full(len(answers), weight.sum())])

    def score(self, sums: np.ndarray) -> np.ndarray:
        return sums[..., 0] / sums[..., 1]


class SliceShare(Measure):
    """Share of the variance of variates that slices explain, by the slice means of the other folds.

    1 − Σ w‖z − z_h‖² / Σ w‖z − z̄‖², where z_h and z̄ are means of the rows that the model was fitted to.
    """

    name = "slice_share"

    def __init__(self, labels: np.ndarray) -> None:
        self.labels = labels

    def team(self, models: Sequence[Fitted]) -> Team:
        return _Each(models, self._distances)

    def _distances(self, model: Fitted, X: Any) -> np.ndarray:
        """Return squared distances to the mean and to each slice mean."""
        final = model.final
        Z = namespaces.to_numpy(final._variates(X))
        means = namespaces.to_numpy(final._variates(namespaces.like(final.slice_means_, X)))
        centres = np.zeros((len(self.labels), Z.shape[1]))  # a slice that was not seen has the mean of all
        centres[places_in(self.labels, namespaces.to_numpy(final.slices_))] = means
        return np.column_stack([np.sum(Z**2, axis=1), ((Z[:, None, :] - centres) ** 2).sum(axis=2)])

    def sums(self, answers: np.ndarray, block: Block, weight: np.ndarray) -> np.ndarray:
        codes = truth(block, self.labels)
        return np.column_stack([answers[:, np.arange(len(codes)), 1 + codes] @ weight, answers[:, :, 0] @ weight])

    def score(self, sums: np.ndarray) -> np.ndarray:
        return 1 - sums[..., 0] / sums[..., 1]

    def predictions(self, answers: np.ndarray) -> np.ndarray:
        return self.labels[answers[:, 1:].argmin(axis=1)]


class LinearTeam:
    """Classifiers whose scores are linear in the row, all of them by one product.

    Scores are taken against the first class, which all settings share: K − 1 columns for each of them.
    """

    def __init__(self, coef: np.ndarray, intercept: np.ndarray, pivot: np.ndarray, places: np.ndarray, S: int) -> None:
        self.coef, self.intercept, self.pivot, self.places, self.S = coef, intercept, pivot, places, S

    @classmethod
    def of(cls, models: Sequence[Fitted], labels: np.ndarray) -> LinearTeam | None:
        """Return the team of models with centroids in a linear subspace, None where some are not of that kind."""
        finals = [model.final for model in models]
        if len(models) < 2 or not all(hasattr(m, "_centroids") and hasattr(m, "subspace_") for m in finals):
            return None
        if any(m.missing != "refuse" or not isinstance(m._centroids, np.ndarray) for m in finals):
            return None
        classes = np.asarray(finals[0].classes_)
        if any(not np.array_equal(m.classes_, classes) for m in finals):
            return None
        pivot = models[0].pivot
        coefs, intercepts = zip(*(model.linear_rule(pivot) for model in models), strict=True)
        return cls(np.hstack(coefs), np.concatenate(intercepts), pivot, places_in(labels, classes), len(models))

    def __call__(self, X: Any) -> np.ndarray:
        rows = namespaces.floats(X)
        D = ((rows - self.pivot) @ self.coef + self.intercept).reshape(len(rows), self.S, -1)
        if D.shape[2] == 1:
            best = (D[:, :, 0] > 0).astype(np.intp)
        else:
            best = D.argmax(axis=2)
            top = np.take_along_axis(D, best[:, :, None], axis=2)[:, :, 0]
            best = np.where(top > 0, best + 1, 0)
        return self.places[best.T]


class _Each:
    """A function of rows that asks one model after the other."""

    def __init__(self, models: Sequence[Fitted], answer: Callable[[Fitted, Any], np.ndarray]) -> None:
        self.models, self.answer = list(models), answer

    def __call__(self, X: Any) -> np.ndarray:
        return np.stack([self.answer(model, model.prepared(X)) for model in self.models])


def _responses(model: Fitted, X: Any) -> np.ndarray:
    found = namespaces.floats(model.final.predict(X))
    return found.reshape(len(found), -1)


def places_in(labels: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Return the places of labels in a sorted list; −1 where they are not in it."""
    places = np.minimum(np.searchsorted(labels, some), len(labels) - 1)
    return np.where(labels[places] == some, places, -1).astype(np.int16 if len(labels) < 2**15 else np.intp)


def truth(block: Block, labels: np.ndarray) -> np.ndarray:
    """Return the classes of a block's rows as places in a list."""
    assert block.classes is not None
    assert block.y is not None
    return places_in(labels, block.classes)[namespaces.to_numpy(block.y)]


OF_CLASSES = {"accuracy": Accuracy, "neg_log_loss": LogLoss, "accuracy first": AccuracyFirst}
OF_RESPONSES = {"r2": RSquared, "neg_mean_squared_error": SquaredError}
OF_ROWS: dict[str, Callable[[Any, Any], Array]] = {
    "likelihood": lambda model, X: model.score_samples(X),
    "reconstruction": lambda model, X: -model.reconstruction_error(X),
}


def measure_for(model: Any, scoring: Any, total: Any, source: Any) -> Measure | None:
    """Return the measure that `scoring` names for a kind of model; None where rows of whole folds are needed."""
    if scoring is not None and not isinstance(scoring, str):
        return None
    if hasattr(model, "predict_log_proba") and hasattr(model, "_scores"):
        kind = OF_CLASSES.get(scoring or "accuracy")
        return None if kind is None else kind(total.labels)
    if hasattr(model, "slices_") or hasattr(model, "n_slices"):
        return SliceShare(total.labels) if scoring in (None, "slice_share") else None
    if source.n_responses is not None and hasattr(model, "predict"):
        kind_of_response = OF_RESPONSES.get(scoring or "r2")
        centre = namespaces.to_numpy(total.joint.pivot)[total.split :]
        return None if kind_of_response is None else kind_of_response(np.nan_to_num(centre), source.single_response)
    if hasattr(model, "score_samples") and (scoring or "likelihood") in OF_ROWS:
        return RowMean(scoring or "likelihood", OF_ROWS[scoring or "likelihood"])
    if scoring is None:
        raise errors.InputError(
            f"{type(model).__name__} does not predict, so rows have no score of their own; pass scoring=, a function "
            f"(model, X, y) → number."
        )
    return None
