"""What a cross-validation returns: scores of settings and folds, the best setting, its predictions and its model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import errors, optional
from ..arrays.parameters import is_number
from ..arrays.typing import Axes, Frame
from ..drawing import Display
from ..inference.dimension_test import Result

#: Which way a parameter makes a model simpler: 1 where larger values do.
SIMPLER = {
    **{"shrinkage": 1, "lam": 1, "ridge": 1, "pooling": 1, "alpha": 1, "penalty": 1, "cost": 1},
    **{"n_components": -1, "df": -1, "n_slices": -1, "degree": -1, "max_terms": -1, "n_subclasses": -1},
}


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation(Result):
    """Scores of settings on rows that their models have not seen.

    Attributes
    ----------
    settings : list of dict
        What was tried.
    scores : ndarray of shape (settings, folds)
        Larger is better; NaN if a model could not be fitted.
    best : dict
        The setting with the best mean score; of equal ones, the first.
    model : estimator
        Fitted to all rows with the best setting; by refits, when it is first asked for.
    scoring : str
        What the scores are.
    passes : int
        How often the rows were read so far; None where models were fitted to rows again and again.
    from_moments : bool
        Whether models were fitted from the moments of one pass.
    note : str
        What else a reader should know: why models had to be fitted to rows, which settings failed.

    Examples
    --------
    >>> from eigenlens import LDA
    >>> from eigenlens.validation import cross_validate
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> result = cross_validate(LDA(), X, y, settings={"shrinkage": [0, 1e-4, 0.01, 1]})
    >>> result.scores.shape, result.passes
    ((4, 5), 2)
    >>> print(result)
    shrinkage=0 is best of 4 settings: accuracy 0.977 ± 0.011 in 5 folds, from moments in 2 passes.
    """

    settings: list[dict[str, Any]]
    scores: np.ndarray
    _model: Callable[[], Any]
    scoring: str
    from_moments: bool = True
    note: str = ""
    _passes: list[int | None] = field(default_factory=lambda: [None])
    _predict: Callable[[], Any] | None = None
    _cache: dict[str, Any] = field(default_factory=dict)
    _second: np.ndarray | None = None  # a score for each setting that decides among equals

    @property
    def passes(self) -> int | None:
        """How often the rows were read so far."""
        return self._passes[0]

    @property
    def model(self) -> Any:
        """The model with the best setting, fitted to all rows."""
        if "model" not in self._cache:
            self._cache["model"] = self._model()
        return self._cache["model"]

    @property
    def mean_scores(self) -> np.ndarray:
        """Mean score of each setting."""
        return self.scores.mean(axis=1)

    @property
    def standard_errors(self) -> np.ndarray:
        """Standard error of each mean score, by the spread of the folds."""
        F = self.scores.shape[1]
        return self.scores.std(axis=1, ddof=1) / np.sqrt(F) if F > 1 else np.full(len(self.scores), np.nan)

    @property
    def best_index(self) -> int:
        """The place of the best setting."""
        return best_of(self.mean_scores, self._second)

    @property
    def best(self) -> dict[str, Any]:
        """The setting with the best mean score."""
        return self.settings[self.best_index]

    @property
    def one_standard_error(self) -> dict[str, Any]:
        """The simplest setting whose mean score is within one standard error of the best.

        Simpler is more shrinkage, pooling, ridge or penalty, and fewer components or degrees of freedom. If the
        settings differ in more than one parameter, or in one that has no such order, it is the best setting itself.
        """
        return self.settings[self._simplest()]

    @property
    def predictions(self) -> Any:
        """What the models of the best setting predict for the rows that they have not seen.

        Classes, responses, or the score of each row where a model does not predict. They are kept if they are few;
        otherwise the rows are read once more, when this is first used. Rows that no fold scores, and rows of weight 0
        of a model that is fitted from moments, have NaN, or None among labels.
        """
        if "predictions" not in self._cache:
            if self._predict is None:
                raise errors.InputError("predictions: this result has none; its scoring was a function of whole folds.")
            self._cache["predictions"] = self._predict()
        return self._cache["predictions"]

    def _simplest(self) -> int:
        means, best = self.mean_scores, self.best_index
        name, values = varying(self.settings)
        way = SIMPLER.get("" if name is None else name.rpartition("__")[2])
        least = means[best] - self.standard_errors[best]
        if way is None or values is None or not np.isfinite(least):
            return best
        enough = np.flatnonzero(means >= least)
        return int(enough[np.argmax(way * values[enough])])

    def __str__(self) -> str:
        k, F = self.best_index, self.scores.shape[1]
        se = self.standard_errors[k]
        spread = f" ± {se:.3f}" if np.isfinite(se) else ""
        head = f"{self.scoring} {self.mean_scores[k]:.3f}{spread} in {F} folds"
        if len(self.settings) > 1:
            head = f"{said(self.best)} is best of {len(self.settings)} settings: {head}"
        how = f", from moments in {self.passes} passes." if self.from_moments else ", by refits."
        return head + how + (f" {self.note}" if self.note else "")

    def to_frame(self) -> Frame:
        """Return a pandas DataFrame, a row for each setting: its parameters, mean score, standard error, folds."""
        pd = optional.pandas()
        names = list(dict.fromkeys(key for setting in self.settings for key in setting))
        columns: dict[str, Any] = {name: [setting.get(name) for setting in self.settings] for name in names}
        columns |= {"mean": self.mean_scores, "standard_error": self.standard_errors}
        columns |= {f"fold {f}": self.scores[:, f] for f in range(self.scores.shape[1])}
        return pd.DataFrame(columns)

    def plot(self, ax: Axes | None = None) -> Display:
        """Draw the mean score of each setting with its standard error; return the display.

        Parameters
        ----------
        ax : axes, optional
        """
        from .figures import draw_curve

        return Display(draw_curve(self, ax))


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut(Result):
    """What the model fitted to all other rows says about each row.

    Attributes
    ----------
    predictions : array of shape (n,) or (n, s)
        Classes, responses, or the score of each row where a model does not predict.
    probabilities : array of shape (n, K) or None
        Posterior probabilities of the classes, in the order of `classes`.
    classes : array of shape (K,) or None
    score : float
        Accuracy, R², or the mean of the rows' scores.
    scoring : str
        Which of them.
    closed_form : bool
        Whether the answers come from a formula rather than from n fits; they are the same to round-off.
    note : str

    Examples
    --------
    >>> from eigenlens import LDA
    >>> from eigenlens.validation import leave_one_out
    >>> from sklearn.datasets import load_iris
    >>> result = leave_one_out(LDA(), *load_iris(return_X_y=True))
    >>> print(result)
    accuracy 0.980, each of 150 rows left out in turn, in closed form.
    """

    predictions: Any
    score: float
    scoring: str
    probabilities: np.ndarray | None = None
    classes: np.ndarray | None = None
    closed_form: bool = True
    note: str = ""

    def __str__(self) -> str:
        how = "in closed form" if self.closed_form else "by refits"
        words = f"{self.scoring} {self.score:.3f}, each of {len(self.predictions):,} rows left out in turn, {how}."
        return words + (f" {self.note}" if self.note else "")

    def to_frame(self) -> Frame:
        """Return a pandas DataFrame, a row for each row left out."""
        pd = optional.pandas()
        found = np.asarray(self.predictions)
        columns: dict[str, Any] = (
            {"prediction": found}
            if found.ndim == 1
            else {f"prediction {j}": found[:, j] for j in range(found.shape[1])}
        )
        if self.probabilities is not None and self.classes is not None:
            columns |= {f"P({label})": self.probabilities[:, k] for k, label in enumerate(self.classes)}
        return pd.DataFrame(columns)


def best_of(means: np.ndarray, second: np.ndarray | None = None, why: str = "") -> int:
    """Return the place of the largest number, NaN left out; of equals, that with most of a second score, or the first.

    Means of folds that were added up in another order are equal. `why` tells why there may be no number at all.
    """
    if np.isnan(means).all():
        raise errors.InputError(f"settings: none can be fitted in every fold. {why}".strip())
    if second is None:
        return int(np.nanargmax(means))
    equal = np.isclose(means, np.nanmax(means), rtol=1e-12, atol=0.0)
    return int(np.argmax(np.where(equal, second, -np.inf)))


def varying(settings: Sequence[dict[str, Any]]) -> tuple[str | None, np.ndarray | None]:
    """Return the one parameter in which settings differ, with its values where they are numbers."""
    names = list(dict.fromkeys(key for setting in settings for key in setting))
    names = [name for name in names if any(setting.get(name) != settings[0].get(name) for setting in settings[1:])]
    if len(names) != 1:
        return None, None
    values = [setting.get(names[0]) for setting in settings]
    return names[0], np.array(values, dtype=float) if all(is_number(value) for value in values) else None


def said(setting: dict[str, Any]) -> str:
    """Write a setting as it is typed."""
    return ", ".join(f"{key}={value:.4g}" if is_number(value) else f"{key}={value!r}" for key, value in setting.items())
