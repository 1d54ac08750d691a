"""Cross-validation of many settings: one pass for the moments of folds, one more that scores each row."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from ..arrays import errors
from ..arrays.linalg import limit_blas
from ..arrays.parameters import is_number
from ..arrays.progress import tracked
from ..arrays.typing import ColumnLike, RandomState, TableLike
from ..moments import Factor
from ..moments.folded import Folded, has_rows
from ..rows import ClassReader, Source
from ..rows.labels import are_shares
from .folds import Folds, GivenFolds, of_splits, read_cv, unseen
from .measures import Measure, measure_for
from .refits import by_refits, by_whole_folds, splits_of
from .result import CrossValidation, best_of, said
from .scored import Scored, in_rows
from .subjects import Fitted, MomentsSubject, PipelineSubject, Subject, subject_of


def cross_validate(
    model: Any,
    X: TableLike,
    y: ColumnLike | None = None,
    *,
    cv: Any = 5,
    settings: Any = None,
    sample_weight: ColumnLike | None = None,
    scoring: Any = None,
    random_state: RandomState | None = 0,
) -> CrossValidation:
    """Score a model, with one or many settings, on rows that it has not seen.

    One pass collects the moments of the folds. Every setting is fitted from merged moments, and a second pass scores
    each row with the model of its fold. The result is the same as from refits on the same folds, up to round-off; a
    response that is sliced is cut once, at the quantiles of all rows, where a refit would cut its own rows.
    Methods that do not fit from moments are refitted to the rows of each fold; the result tells you.

    Parameters
    ----------
    model : estimator
        LDA, QDA, PDA, PCA, CCA, SIR, PenalizedRegression or another method that fits from moments; a pipeline of
        StandardScaler and one of these; any other scikit-learn estimator, by refits.
    X : table of shape (n, p)
        Array, data frame, sparse matrix, source (`eigenlens.open_rows`) or Dask collection.
    y : labels, response or table, optional
        As in the model's `fit`.
    cv : int, splitter of scikit-learn, or array of shape (n,)
        A number of folds, which are dealt by row number, seed and class, so a file has the same folds as the table in
        memory; a splitter; or the fold of each row, counted from 0, with −1 for rows that are always used for fitting.
    settings : dict of lists, or list of dicts, optional
        Parameters to try; a dict means all combinations.
    sample_weight : array of shape (n,), optional
        A row of weight 2 counts twice, in fits and in scores.
    scoring : str or callable, optional
        "accuracy" or "neg_log_loss" for classifiers, "r2" or "neg_mean_squared_error" for responses, "likelihood" or
        "reconstruction" for PCA, "slice_share" for SIR; the first of each is the default. Other scorers of
        scikit-learn, and functions (model, X, y) → number, get whole folds, in memory.
    random_state : int
        Seed of the folds, if `cv` is a number.

    Returns
    -------
    CrossValidation

    Examples
    --------
    >>> from eigenlens import QDA
    >>> from eigenlens.validation import cross_validate
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> result = cross_validate(QDA(), X, y, settings={"pooling": [0, 0.25, 0.5, 1]})
    >>> result.best, result.scores.shape
    ({'pooling': 0.5}, (4, 5))
    >>> result.model.pooling
    0.5
    """
    tried = read_settings(model, settings)
    subject = subject_of(model, tried)
    if isinstance(subject, str):
        return by_refits(model, X, y, cv, tried, sample_weight, scoring, random_state, f"{subject}.")
    return _Run(subject, tried).run(X, y, cv, sample_weight, scoring, random_state)


def read_settings(model: Any, settings: Any) -> list[dict[str, Any]]:
    """Return what is to be tried, refusing parameters that the model does not have."""
    if settings is None:
        return [{}]
    if isinstance(settings, dict):
        for name, values in settings.items():
            if isinstance(values, str) or not hasattr(values, "__iter__"):
                raise errors.InputError(f"settings[{name!r}]={values!r} must be a list of values; write [{values!r}].")
        lists = [[v.item() if isinstance(v, np.generic) else v for v in values] for values in settings.values()]
        tried = [dict(zip(settings, values, strict=True)) for values in product(*lists)]
    else:
        tried = list(settings) if hasattr(settings, "__iter__") and not isinstance(settings, str) else []
    if not tried or not all(isinstance(setting, dict) for setting in tried):
        raise errors.InputError(
            f"settings={settings!r} must be a dict of lists, {{'shrinkage': [0.1, 0.5]}}, or a list of dicts."
        )
    known = model.get_params()
    for name in {name for setting in tried for name in setting}:
        if name not in known:
            raise errors.InputError(
                f"settings: {type(model).__name__} has no parameter {name!r}; it has "
                f"{errors.listed(sorted(n for n in known), 12)}."
            )
    return tried


@dataclass
class _Run:
    """A cross-validation from moments, on its way."""

    subject: Subject
    settings: list[dict[str, Any]]
    passes: list[int | None] = field(default_factory=lambda: [0])
    failures: dict[str, str] = field(default_factory=dict)
    alone: str = ""  # of classes that lie in one fold

    def run(self, X: Any, y: Any, cv: Any, sample_weight: Any, scoring: Any, random_state: Any) -> CrossValidation:
        subject = self.subject
        source = subject.source(X, y, sample_weight)
        by_class = source.n_responses is None and isinstance(source.label_reader, ClassReader)
        if not source.in_order:
            _require_number(cv)
        folds = read_cv(cv, random_state, by_class) or of_splitter(cv, source, X, y)
        if folds is None:
            why = "cv does not fit to all rows that it does not score, so models are fitted to its rows."
            return by_refits(subject.model, X, y, cv, self.settings, sample_weight, scoring, random_state, why)
        models = [clone(subject.model).set_params(**setting) for setting in self.settings]
        found = self.collected(source, folds, models)
        if found is None:
            why = "settings need different moments, or columns are out of ordinary range."
            return by_refits(subject.model, X, y, cv, self.settings, sample_weight, scoring, random_state, why)
        return self.scored(source, folds, models, found, scoring, X, y)

    def collected(self, source: Source, folds: Folds, models: Sequence[Any]) -> Folded | None:
        """Read the rows once and return the moments of folds; once more, as factors, where digits were lost."""
        if not source.rereadable:
            raise errors.InputError(
                "X is a stream that is read once, and cross-validation reads rows twice; pass open_rows a list of "
                "batches, files, or a function that returns a new iterator each time."
            )
        source.numbered = True
        empty = self.subject.empty(models, self.subject.kind(source))
        if empty is None:
            return None
        moments = self._pass(source, Folded(empty, folds, folds.n_folds))
        if moments.squared:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lost = self._loses(models[0], moments)
            if lost:
                again = self.subject.empty(models, Factor)
                assert again is not None
                moments = self._pass(source, Folded(again, folds, folds.n_folds))
        if isinstance(self.subject, PipelineSubject) and not moments.total().scalable:
            return None
        return moments

    def _loses(self, model: Any, moments: Folded) -> bool:
        try:
            return self.subject.loses_digits(model, moments.total())
        except errors.InputError:  # what is wrong with it is said by the fit itself
            return False

    def _pass(self, source: Source, start: Any) -> Any:
        self.passes[0] = (self.passes[0] or 0) + 1
        found = source.collect(start)
        if isinstance(found, Folded) and are_shares(found.weight):  # as a fit to all rows takes them
            rows = float(sum(part.n_rows for part in found.parts))
            found.parts = [part.times(rows) if has_rows(part) else part for part in found.parts]
        return found

    def scored(
        self, source: Source, folds: Folds, models: list[Any], moments: Folded, scoring: Any, X: Any, y: Any
    ) -> CrossValidation:
        total, training = moments.total(), moments.training()
        measure = measure_for(self.subject.final, scoring, total, source)
        teams = [
            self._fitted(models, source, part, measure is None)
            for part in tracked(iter(training), len(training), "Fitting", source.progress)
        ]
        if measure is None:
            _require_order(source, scoring)
            scores, second, predict = by_whole_folds(self.subject, teams, folds, scoring, X, y), None, None
            self.passes[0] = (self.passes[0] or 0) + 1
            name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
        else:
            scores, second, predict = self._pass_of_scores(source, folds, teams, measure)
            name = measure.name
        if is_classifier(self.subject.final):
            grouped: list[Any] = [total, *training]
            every, *seen = [set(part.labels.tolist()) for part in grouped]
            self.alone = unseen(every, seen)
        best = best_of(scores.mean(axis=1), second)
        whole = self.subject.fit(models[best], source, total)
        return CrossValidation(
            self.settings, scores, lambda: whole.model, name, True, self._note(), self.passes, predict, {}, second
        )

    def _fitted(self, models: Sequence[Any], source: Source, moments: Any, named: bool) -> list[Fitted | None]:
        """Fit every setting to the moments of one fold's training rows; None for those that cannot be."""
        found: list[Fitted | None] = []
        shared: dict[Any, Any] = {}
        with warnings.catch_warnings(), limit_blas(min(moments.n_rows, moments.n_features) ** 2):
            warnings.simplefilter("ignore")  # the model that is kept says what there is to say
            for setting, model in zip(self.settings, models, strict=True):
                try:
                    found.append(self.subject.fit(model, source, moments, named, shared))
                except errors.InputError as error:
                    if len(models) == 1:
                        raise
                    self.failures.setdefault(said(setting), str(error).split(". ")[0])
                    found.append(None)
        if all(one is None for one in found):
            raise errors.InputError(f"settings: none can be fitted. {self._note()}")
        return found

    def _pass_of_scores(
        self, source: Source, folds: Folds, teams: list[list[Fitted | None]], measure: Measure
    ) -> tuple[np.ndarray, np.ndarray | None, Any]:
        sound = [s for s in range(len(self.settings)) if all(team[s] is not None for team in teams)]
        if not sound:
            raise errors.InputError(f"settings: none can be fitted in every fold: {self._note()}")
        chosen = [[team[s] for s in sound] for team in teams]
        start = Scored(folds, [measure.team(team) for team in chosen], measure, len(sound))  # type: ignore[arg-type]
        if not source.in_order:
            start.kept = None
        found: Scored = self._pass(source, start)
        scores, deciding = np.full((len(self.settings), folds.n_folds), np.nan), found.second()
        scores[sound] = found.scores()
        second = None
        if deciding is not None:
            second = np.full(len(scores), -np.inf)
            second[sound] = deciding.mean(axis=1)
        best = sound.index(best_of(scores.mean(axis=1), second))

        def predict() -> Any:
            if not source.in_order:
                raise errors.InputError(
                    "predictions: the rows of this table have no fixed order, so their predictions would have none; "
                    "`model.predict` adds a column to the table."
                )
            answers = found.answers_of(best)
            if answers is None:
                alone = [measure.team([team[best]]) for team in chosen]  # type: ignore[list-item]
                answers = self._pass(source, Scored(folds, alone, measure, 1)).answers_of(0)
            if answers is None:
                raise errors.InputError("predictions: there are too many rows to keep them; take fewer rows.")
            numbers, values = answers
            n = len(folds.folds) if isinstance(folds, GivenFolds) else _length(source, numbers)
            return in_rows(numbers, measure.predictions(values), n)

        return scores, second, predict

    def _note(self) -> str:
        failed = (f"{setting} could not be fitted: {why}." for setting, why in list(self.failures.items())[:3])
        return " ".join([*filter(None, [self.alone]), *failed])


def _require_number(cv: Any) -> None:
    if not is_number(cv, integer=True):
        raise errors.InputError(
            f"cv={errors.shortened(cv)}: the rows of this table have no fixed order, so their folds cannot be given "
            "row by row; give a number of folds."
        )


def _require_order(source: Source, scoring: Any) -> None:
    if not source.in_order:
        raise errors.InputError(
            f"scoring={errors.shortened(scoring)} is a function of the rows of whole folds, and the rows of this table "
            "stay where they are; leave scoring out, or read the rows into memory first."
        )


def of_splitter(cv: Any, source: Source, X: Any, y: Any) -> Folds | None:
    """Return the splits of a splitter as folds, None where they are not complements of each other."""
    splits, n = splits_of(cv, X, y, source)
    return of_splits(splits, n)


def _length(source: Source, numbers: np.ndarray) -> int:
    table = getattr(source, "table", None)
    return int(table.shape[0]) if table is not None else int(numbers[-1]) + 1


@dataclass(frozen=True, eq=False)
class Choice:
    """A value that cross-validation has chosen.

    Attributes
    ----------
    value : object
    path : ndarray of shape (m, 3)
        The values tried, with mean scores and standard errors.
    moments : Moments
        Of all rows.
    """

    value: Any
    path: np.ndarray
    moments: Any


def choose(model: Any, source: Source, asked: Any, n_folds: int) -> Choice:
    """Choose a parameter of a model that fits from moments: two passes over the rows of a source.

    Parameters
    ----------
    model : estimator
    source : Source
        As the model has opened it.
    asked : Validated
        The parameter, what is tried, and how it is scored.
    n_folds : int
    """
    subject = MomentsSubject(clone(model).set_params(**{asked.name: asked.start, **model._pinned()}))
    subject.opened = model
    by_class = source.n_responses is None and isinstance(source.label_reader, ClassReader)
    folds = read_cv(n_folds, 0, by_class)
    assert folds is not None
    run = _Run(subject, [{}])
    moments = run.collected(source, folds, [clone(subject.model)])
    assert moments is not None
    total = moments.total()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = asked.values(clone(subject.model), total)
        run.settings = [{asked.name: value} for value in values]
        models = [clone(subject.model).set_params(**setting) for setting in run.settings]
        found = run.scored(source, folds, models, moments, asked.scoring, None, None)
    path = np.column_stack([values, found.mean_scores, found.standard_errors])
    taken = found.one_standard_error if asked.simplest else found.best
    return Choice(taken[asked.name], path, total)
