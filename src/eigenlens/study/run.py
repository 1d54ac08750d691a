"""A study: the method for a question, fitted, tested, compared, and put into words."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

from sklearn.pipeline import Pipeline

from ..arrays.errors import EigenlensWarning, NothingLeftError, SeparationError, listed
from ..arrays.spelling import option
from ..inference.inverse import Linearity
from ..page.findings import Findings
from ..rows.csv_text import Dialect
from ..rows.selection import Selection
from .code import code_for
from .data import Data
from .extremes import changed, extremes_of, tell_extremes, without_extremes
from .methods import chosen, declared, score_names
from .misfits import tell_misfits_of_columns
from .plan import Plan, Progress
from .suggestions import suggestions
from .words_and_numbers import asks_for_words

WRITTEN = ("delimiter", "decimal", "encoding", "header_line")  # how a text file is written


@dataclass
class Study:
    """What came out: the findings, and a model that takes tables with the same columns.

    Attributes
    ----------
    findings : Findings
    model : Pipeline
    about : dict
        What a model file keeps about the study.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from eigenlens.study import read_data, study
    >>> from eigenlens.study.demos import write_demo
    >>> from eigenlens.rows import TableFile
    >>> path, plan = write_demo("iris", pathlib.Path(tempfile.mkdtemp()))
    >>> data = read_data(TableFile(path), plan)
    >>> study(data, plan).findings.shown_directions
    2
    """

    findings: Findings
    model: Pipeline
    about: dict[str, Any]


def study(data: Data, plan: Plan, progress: Progress | None = None) -> Study:
    """Answer the question of a plan.

    Parameters
    ----------
    data : Data
        From `read_data`.
    plan : Plan
    progress : function of (what, done, total), optional

    Returns
    -------
    Study
        The findings, and the fitted model.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from eigenlens.study import read_data, study
    >>> from eigenlens.study.demos import write_demo
    >>> from eigenlens.rows import TableFile
    >>> path, plan = write_demo("iris", pathlib.Path(tempfile.mkdtemp()))
    >>> data = read_data(TableFile(path), plan)
    >>> study(data, plan).findings.method
    'LDA'
    """
    cls = chosen(plan.method, data.kind) if plan.method != "auto" else _usual(data)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            findings, model = _answer(cls, data, plan, progress)
        except SeparationError:
            if plan.method != "auto" or data.whole is not None:
                raise
            cls, data, plan, told = _without_classes(data, plan)
            findings, model = _answer(cls, data, plan, progress)
            findings.summary.insert(0, told)
        except NothingLeftError as error:
            raise NothingLeftError(f"{error}{_left_out_before(data, plan)}") from None
    said = [_told(w.message, cls, plan.target) for w in heard if isinstance(w.message, EigenlensWarning)]
    if data.kind in ("classes", "number", "views") or declared(cls).takes_words:
        tell_misfits_of_columns(findings, data, plan.seed)
    extremes = extremes_of(data, plan)
    findings.warnings = [*dict.fromkeys(said), *tell_extremes(extremes, data)]
    other = without_extremes(extremes, data, plan) if extremes else None
    if other is not None:
        findings.warnings += changed(findings, lambda: _quietly(cls, *other, progress))
    findings.notes = list(dict.fromkeys(data.notes))  # a second question repeats those of the first
    findings.score_names = score_names(model[-1], len(findings.axes))
    if findings.directions and findings.shown_directions is None:
        findings.doubts.append(f"The directions were not tested. {findings.test.about}".strip())
    elif findings.test.stopped:
        findings.doubts.append(
            f"Directions after the first {findings.shown_directions} were not tested: that would take long. In Python, "
            "model[-1].test_dimension(X) tests all."
        )
    elif not all(d.shown for d in findings.directions):
        findings.doubts.append(f"A direction that is not shown may still exist. {findings.test.of_the_next}".strip())
    findings.files = () if data.in_memory else data.files
    findings.code = code_for(cls, data, plan, model, findings.second)
    findings.next_steps = suggestions(cls, findings, data, plan, [o for each in extremes for o in each.options])
    about = {
        "source": data.source,
        "kind": data.kind,
        "target": plan.target,
        "rows": data.n_rows,
        "method": declared(cls).name,
        "columns": list(data.table.column_names),
        "words": _words_of(model[0]),
        "reading": _reading(data),
    }
    if plan.views is not None:
        about["views"] = [list(view) for view in plan.views]
        about["predicts"] = findings.second.names_out_
    return Study(findings, model, about)


def _told(warning: Warning, cls: Any, target: str | None) -> str:
    """Return a warning of a model as a study says it: bent rows lead to another method of the study."""
    found = getattr(warning, "linearity", None)
    if not isinstance(found, Linearity):
        return str(warning)
    return found.warning(cls.__name__, "The cloud of rows", repr(target), option("method", "localized-sir"))


def _quietly(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> Findings:
    """Answer a second question whose warnings would repeat those of the first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _answer(cls, data, plan, progress)[0]


def _usual(data: Data) -> Any:
    """Return the method of a study that asks for none; say where the table makes it another than the first."""
    words = data.whole is None and asks_for_words(data)
    few_rows = data.kind == "classes" and data.n_rows <= data.table.num_columns + len(data.class_sizes()[0])
    cls, first = chosen("auto", data.kind, words, few_rows), chosen("auto", data.kind)
    if few_rows and cls is not first:
        data.notes.append(
            f"{data.n_rows:,} rows are too few for {first.__name__} of {data.table.num_columns:,} columns, so "
            f"{cls.__name__} is used ({option('method', declared(first).name)} asks for the other)."
        )
    return cls


def _without_classes(data: Data, plan: Plan) -> tuple[Any, Data, Plan, str]:
    """Return what is asked instead where classes have no spread within them: what the columns share."""
    names = listed(map(repr, data.table.column_names), 6)
    told = (
        f"Every column ({names}) has a single value within each class of {plan.target!r}: the class can be read off "
        "the columns, and there is no spread within classes to measure directions by. The table is shown without the "
        "target."
    )
    plan = replace(plan, target=None)
    return chosen("auto", "none"), replace(data, kind="none", y=None), plan, told


def _left_out_before(data: Data, plan: Plan) -> str:
    """Return what was noted of columns that never came to be analysed, and of rows without a target."""
    gone = [name for name in data.all_names if name == plan.target or name not in data.table.column_names]
    why = [note for note in data.notes if any(repr(name) in note for name in gone)]
    return " Before that: " + " ".join(why) if why else ""


def _reading(data: Data) -> dict[str, Any]:
    """Return how the table was read, as far as that is to be said of new rows too."""
    given = {name: getattr(data.asked, name) for name in WRITTEN}
    missing = [] if data.dialect is None else [[name, list(words)] for name, words in data.dialect.na_of]
    said = {name: value for name, value in given.items() if value != getattr(Dialect(), name)}
    return {**said, "na": list(data.asked.na), "na_of": missing}


def _words_of(first: Any) -> list[str]:
    """Return the columns of words of what a table meets first."""
    if isinstance(first, Selection):
        return list(first.words)
    return [name for name, levels in getattr(first, "levels_", {}).items() if levels]


def _answer(cls: Any, data: Data, plan: Plan, progress: Progress | None) -> tuple[Findings, Pipeline]:
    if declared(cls).takes_words:
        from .words_and_numbers import answer
    elif data.kind == "none":
        from .spread import answer
    elif data.kind == "classes":
        from .classes import answer
    elif data.kind == "number":
        from .number import answer
    elif data.kind == "views":
        from .views import answer
    else:
        from .distance_map import answer
    return answer(cls, data, plan, progress)
