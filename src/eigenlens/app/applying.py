"""`transform` and `predict`: a saved model applied to a file, block by block."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from sklearn.pipeline import Pipeline

from ..arrays import errors
from ..arrays.printable import printable
from ..exceptions import CommandError
from ..files import describe, load
from ..rows import Dialect, Preparation, TableFile
from ..rows.selection import Selection
from ..rows.writing import SUFFIXES, Csv, sink_for
from ..study.methods import score_names
from ..study.run import WRITTEN
from .console import console, escape
from .outputs import file_for, is_input
from .reporting import dialect_of

Columns = tuple[list[str], np.ndarray | list[np.ndarray]]  # names, and a matrix or columns


def run_transform(options: dict[str, Any]) -> None:
    """Write scores."""
    model = load(options["model"])
    if not hasattr(model, "transform"):
        raise _cannot(type(_last(model)).__name__, "transform rows", "use `eigenlens predict`")

    def scores(X: Any) -> Columns:
        Z = np.asarray(model.transform(X))
        return score_names(_last(model), Z.shape[1]), Z

    _apply(model, scores, options)


def run_predict(options: dict[str, Any]) -> None:
    """Write predictions, and probabilities where they are asked for."""
    model = load(options["model"])
    last = _last(model)
    if not hasattr(last, "predict"):
        raise _cannot(type(last).__name__, "predict", "use `eigenlens transform` for scores")
    if options["proba"] and not hasattr(last, "predict_proba"):
        raise _cannot(type(last).__name__, "give probabilities", "leave out --proba")

    known = describe(options["model"])["about"].get("predicts")

    def guesses(X: Any) -> Columns:
        found = np.asarray(model.predict(X))
        if found.ndim == 1:
            columns = {"predicted": found}
        else:
            names = known if known and len(known) == found.shape[1] else range(1, found.shape[1] + 1)
            columns = {f"predicted {name}": c for name, c in zip(names, found.T, strict=True)}
        if options["proba"]:
            P = np.asarray(model.predict_proba(X))
            columns |= {f"probability {c}": P[:, j] for j, c in enumerate(last.classes_)}
        return list(columns), list(columns.values())

    _apply(model, guesses, options)


def _apply(model: Any, function: Callable[[Any], Columns], options: dict[str, Any]) -> None:
    data, out = options["data"], options["out"]
    if out is not None:
        out = file_for(out, data, options["force"], SUFFIXES)
        if out.exists() and out.samefile(options["model"]):
            raise is_input(out)
    known = describe(options["model"])["about"].get("reading", {})
    table = TableFile(data[0] if len(data) == 1 else data, as_read(dialect_of(options), known))
    table.lenient = True
    for note in table.notes:
        click.echo(f"· {printable(note)}", err=True)
    if options["strict"]:
        _refuse_words(model, table, tuple(options["drop"]))
    results = _results(model, function, table, tuple(options["drop"]))
    if out is None:
        sink = Csv(sys.stdout.buffer, terminal=sys.stdout.isatty())
        for names, columns in results:
            sink.rows(names, columns)
        sink.close()
        return
    rows = 0
    with sink_for(out) as sink:
        for names, columns in results:
            sink.rows(names, columns)
            rows += len(columns) if isinstance(columns, np.ndarray) else len(columns[0])
    console().print(f"{escape(str(out))}  [dim]{rows:,} rows[/dim]", soft_wrap=True)


def as_read(asked: Dialect, known: dict[str, Any]) -> Dialect:
    """Return how new rows are written: as the user says, and in all else as the rows of the fit were.

    Parameters
    ----------
    asked : Dialect
    known : dict
        What a model file keeps of the reading of its rows.
    """
    own = {name: known[name] for name in WRITTEN if known.get(name) and _open(asked, name)}
    missing = tuple((name, tuple(words)) for name, words in known.get("na_of", ()))
    return replace(asked, **own, na=tuple(dict.fromkeys([*asked.na, *known.get("na", ())])), na_of=missing)


def _open(asked: Dialect, name: str) -> bool:
    return bool(getattr(asked, name) == getattr(Dialect(), name))


def _results(
    model: Any, function: Callable[[Any], Columns], table: TableFile, drop: tuple[str, ...]
) -> Iterator[Columns]:
    """Yield what a function makes of rows; say at the end which cells were no numbers."""
    try:
        for X in _blocks(model, table, drop):
            yield function(X)
    except errors.InputError as error:
        if not table.unread:
            raise
        raise errors.InputError(f"{error} Some of these cells are not numbers: {table.unread_words()}.") from error
    if table.unread:
        click.echo(f"· Cells that are not numbers count as missing: {printable(table.unread_words())}.", err=True)


def _refuse_words(model: Any, table: TableFile, drop: tuple[str, ...]) -> None:
    """Refuse words where the model wants numbers, all of them at once."""
    for _ in _blocks(model, table, drop):
        pass
    if table.unread:
        raise errors.InputError(
            f"{table.path}: these cells are not numbers, but the model was fitted to numbers: {table.unread_words()}. "
            "Correct them, say that they stand for missing values (--na), or leave out --strict."
        )


def _blocks(model: Any, table: TableFile, drop: tuple[str, ...]) -> Iterator[Any]:
    """Yield what the model takes: tables with the columns it knows, or plain numbers where it knows none."""
    first = model[0] if isinstance(model, Pipeline) else model
    prepared = getattr(first, "_of_words", None)  # of a regressor that was fitted to words
    first = prepared if isinstance(prepared, Preparation) else first
    if isinstance(first, Preparation):
        kinds = {name: "word" if name in first.levels_ else "number" for name in first.columns_}
        yield from table.batches(kinds, first.columns_)
        return
    if isinstance(first, Selection):
        yield from table.batches({c: "word" if c in first.words else "number" for c in first.columns}, first.columns)
        return
    known = getattr(first, "feature_names_in_", None)
    names = [name for name in table.names if name not in drop] if known is None else [str(name) for name in known]
    if known is None and len(names) != first.n_features_in_:
        raise CommandError(
            f"the model takes {first.n_features_in_} columns and does not know their names, and the table has "
            f"{len(names)} of numbers; leave out the others with --drop."
        )
    words = None if getattr(first, "categories", None) is None else first._words(reset=False)
    is_word = dict.fromkeys(names, False) if words is None else dict(zip(names, words, strict=True))
    kinds = {name: "word" if is_word[name] else "number" for name in names}
    for batch in table.batches(kinds, names):
        yield batch if known is not None else np.stack([c.to_numpy() for c in batch.columns], axis=1)


def _last(model: Any) -> Any:
    return model[-1] if isinstance(model, Pipeline) else model


def run_export(options: dict[str, Any]) -> None:
    """Write a linear model as ONNX."""
    from ..files.onnx import export_onnx

    out: Path = file_for(options["out"], (options["model"],), options["force"], (".onnx",))
    export_onnx(load(options["model"]), out)
    console().print(escape(str(out)), soft_wrap=True)


def _cannot(method: str, verb: str, instead: str) -> CommandError:
    return CommandError(f"{method} does not {verb}; {instead}.")
