"""Which methods there are, and how a study makes and fits one: each public class says so itself."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ..arrays import errors
from ..arrays.errors import SeparationError
from ..arrays.spelling import refused

QUESTIONS = {
    "none": "no target",
    "classes": "a target of classes",
    "number": "a target of numbers",
    "views": "two sets of columns",
    "distances": "a table of distances",
}
SECOND = "_second"  # set of columns, after the name that its direction has in the first


def methods() -> dict[str, Any]:
    """Return the classes that answer a question, by their names on the command line, in the order of a list of them."""
    package = import_module(__name__.partition(".")[0])
    public = [getattr(package, name) for name in package.__all__ if name[0].isupper()]
    answering = [cls for cls in public if declared(cls) is not None and declared(cls).question]
    order = list(QUESTIONS)
    answering.sort(key=lambda cls: (order.index(declared(cls).question), declared(cls).place, cls.__name__))
    return {declared(cls).name: cls for cls in answering}


def rivals(kind: str) -> list[Any]:
    """Return the classes that take part in the comparison of a question: those that answer it first."""
    package = import_module(__name__.partition(".")[0])
    answering = list(of_question(kind).values())
    public = [getattr(package, name) for name in package.__all__ if name[0].isupper()]
    others = [cls for cls in public if declared(cls) is not None and declared(cls).compares == kind]
    return [cls for cls in answering + others if declared(cls).compared_as]


def declared(model: Any) -> Any:
    """Return what a method, or a model of it, says about itself; None for models of other libraries."""
    return getattr(model, "_declaration", None)


def made(cls: Any, seed: int) -> Any:
    """Return an unfitted model."""
    return declared(cls).make(cls, seed)


def of_question(kind: str) -> dict[str, Any]:
    """Return the methods that answer a question."""
    return {name: cls for name, cls in methods().items() if declared(cls).question == kind}


def chosen(name: str, kind: str, words: bool = False, few_rows: bool = False, asked_by: str = "method") -> Any:
    """Return the method of a study: the one that was asked for, or the first that answers the question.

    With `words`, it is the first that takes columns of words as they are; with `few_rows`, the first that takes as many
    columns as rows. Errors name the option by which the method was asked for.
    """
    known, fitting = methods(), list(of_question(kind))
    asked = {"takes_words": words, "takes_few_rows": few_rows}
    able = (m for m in fitting if any(wanted and getattr(declared(known[m]), can) for can, wanted in asked.items()))
    usual = next(able, fitting[0])
    wanted = usual if name == "auto" else name
    if wanted not in known:
        raise refused(asked_by, wanted, f"for {QUESTIONS[kind]} there are: {', '.join(fitting) or 'none'}")
    if wanted not in fitting:
        answers = QUESTIONS[declared(known[wanted]).question]
        given = "there is no target" if kind == "none" else f"this is {QUESTIONS[kind]}"
        rule = f"it is for {answers}, but {given}; choose one of {', '.join(fitting)}"
        raise refused(asked_by, wanted, rule)
    return known[wanted]


def asked_model(cls: Any, n: int, preparation: Any, seed: int) -> Any:
    """Return an unfitted model for n prepared rows, with as many directions as are looked at."""
    model, says = made(cls, seed), declared(cls)
    excess = sum(len(levels) > 2 for levels in preparation.levels_.values())  # each such set of columns sums to 1
    wanted = None if says.directions is None else says.directions(n, len(preparation.names_out_), excess)
    return model if wanted is None else model.set_params(n_components=wanted)


def fitted(model: Any, names: list[str] | None, X: Any, y: Any = None, weights: Any = None) -> Any:
    """Fit a model to numbers whose columns have names, so that its errors and warnings say them.

    Without names it is fitted to plain numbers. Where a column separates classes perfectly, the model is fitted as it
    says it can be then. The names are not kept: a pipeline hands it plain numbers.
    """
    given = {} if weights is None else {"sample_weight": weights}
    if weights is not None and not has_fit_parameter(model, "sample_weight"):
        raise errors.InputError(f"{type(model).__name__} takes no weights; choose another method.")
    if declared(model) is None:
        return model.fit(X, y, **given)
    import pyarrow as pa

    table = X if names is None else pa.table([pa.array(column) for column in X.T], names=names)
    model = _softened(model, lambda one: one.fit(table, y, **given))
    vars(model).pop("feature_names_in_", None)
    return model


def fitted_to_moments(model: Any, moments: Any) -> Any:
    """Fit a model to moments; where a column separates classes perfectly, as it says it can be then."""
    return _softened(model, lambda one: one.fit_moments(moments))


def _softened(model: Any, fit: Callable[[Any], Any]) -> Any:
    try:
        fit(model)
    except SeparationError:
        softer = if_separated(model)
        if not softer or all(repr(getattr(model, name)) == repr(value) for name, value in softer.items()):
            raise
        return _softened(clone(model).set_params(**softer), fit)
    return model


def if_separated(model: Any) -> dict[str, Any]:
    """Return the parameters that a model needs where a column separates classes; none where it says nothing."""
    settings = getattr(declared(model), "if_separated", None)
    return {} if settings is None else dict(settings(model))


def score_names(model: Any, k: int) -> list[str]:
    """Return the names of k columns of scores of a model: `lda0`, `lda1`, …; those of a second set end in `_second`."""
    named = getattr(model, "get_feature_names_out", None)
    names = [] if named is None else [str(name) for name in named()]
    if names and k == 2 * len(names):
        return names + [name + SECOND for name in names]
    return names if len(names) == k else [f"{type(model).__name__.lower()}{j}" for j in range(k)]
