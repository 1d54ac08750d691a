"""`report`, `fit` and `compare`: from a file to an answer."""

from __future__ import annotations

import shlex
import shutil
import sys
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np

from ..arrays import errors, unfinished
from ..files import save
from ..page.findings import Findings
from ..rows import Dialect, TableFile
from ..rows.endings import name_of
from ..rows.writing import replaced, sink_for
from ..study import Data, Plan, Study, read_data, study
from ..study.demos import write_demo
from ..study.methods import chosen, methods
from ..study.whole import score_columns
from .console import comparison_table, console, escape, print_findings, print_json, progress
from .main import VIEWS_SYNTAX
from .outputs import file_for, folder_for

STDIN = Path("-")
BESIDE = "beside.html"


def dialect_of(options: dict[str, Any]) -> Dialect:
    """Return how a file is written, from the options; what they leave open, the file tells."""
    given = {name: options[name] for name in ("delimiter", "decimal", "encoding") if options[name] is not None}
    if "delimiter" in given:
        given["delimiter"] = {"\\t": "\t", "tab": "\t"}.get(given["delimiter"], given["delimiter"])
    for name in ("delimiter", "decimal"):
        if len(given.get(name, " ")) != 1:
            raise click.UsageError(f"--{name} {given[name]!r}: one character is needed.")
    if "decimal" in given and given["decimal"] == given.get("delimiter"):
        raise click.UsageError("--delimiter and --decimal are the same character, so numbers would be ambiguous.")
    given["header_line"] = options["header_line"] or 0
    return Dialect(**given, na=tuple(options["na"]), words=tuple(options["words"]), numbers=tuple(options["numbers"]))


def plan_of(options: dict[str, Any], plan: Plan | None = None) -> Plan:
    """Return what is asked, from the options; on top of what a demo asks."""
    plan = plan or Plan()
    method = known_method("--method", options["method"])
    questions = [options.get("target") is not None, bool(options.get("views")), bool(options.get("distances"))]
    if sum(questions) > 1:
        raise click.UsageError("--target, --views and --distances are three questions; ask one at a time.")
    if options.get("views"):
        if not options["view_a"] or not options["view_b"]:
            raise click.UsageError(VIEWS_SYNTAX)
        plan = replace(plan, target=None, distances=False, views=(list(options["view_a"]), list(options["view_b"])))
    if options.get("target") is not None:
        plan = replace(plan, views=None, distances=False, target=options["target"])
    if options.get("distances"):
        plan = replace(plan, target=None, views=None, distances=True)
    given = {"target_is": options.get("target_is"), "title": options.get("title")}
    return replace(
        plan,
        method=method,
        drop=tuple(options["drop"]),
        keep=tuple(options["keep"]),
        numbers=tuple(options["numbers"]),
        id=options["id"],
        weights=options["weights"],
        group=options["group"],
        missing=options["missing"],
        standardise=options["standardise"],
        sample=options["sample"],
        seed=options["seed"],
        folds=options.get("folds", 0),
        stream=options.get("stream"),
        **{name: value for name, value in given.items() if value is not None},
    )


def known_method(option: str, name: str) -> str:
    """Return the name of a method as the command line has it."""
    method = name.lower().replace("_", "-")
    if method != "auto" and method not in methods():
        raise click.UsageError(f"{option} {method!r}: no such method; there are auto, {', '.join(methods())}.")
    return method


def name_for(data: Sequence[Path]) -> str:
    """Return the name of what a command writes by default."""
    return "stdin" if is_stdin(data) else name_of(data)


def is_stdin(data: Sequence[Path]) -> bool:
    """Tell whether rows come through a pipe; refuse a pipe together with files."""
    if STDIN in data and len(data) > 1:
        raise click.UsageError("- (standard input) cannot be combined with files; name one or the other.")
    return STDIN in data


def read_rows(data: Sequence[Path], options: dict[str, Any], plan: Plan, show: Any = None) -> Data:
    """Read what a plan needs; what comes by a pipe is kept until it is read, since it is read twice."""
    if not is_stdin(data):
        return read_data(table_of(data, options), plan, [str(path) for path in data], show)
    with TemporaryDirectory() as folder:
        kept = Path(folder) / "stdin.csv"
        with kept.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        try:
            return read_data(TableFile(kept, dialect_of(options)), replace(plan, stream=False), [str(STDIN)])
        except errors.InputError as error:
            raise errors.InputError(str(error).replace(str(kept), "stdin")) from error


def table_of(data: Sequence[Path], options: dict[str, Any]) -> TableFile:
    """Return the table of one or several files."""
    return TableFile(data[0] if len(data) == 1 else data, dialect_of(options))


def run_report(options: dict[str, Any]) -> None:
    """Answer, and write the page, the scores and the model."""
    data, demo = options["data"], options["demo"]
    if (not data) == (demo is None):
        raise click.UsageError("give the DATA to look at, or --demo and the name of a table that ships with eigenlens.")
    if options["views"] and not options["view_a"]:
        raise click.UsageError(VIEWS_SYNTAX)
    folder = options["out"] or Path(f"{demo or name_for(data)}-report")
    names = ["report.html", f"scores.{options['suffix']}", "model.eigenlens"]
    beside = None if options["beside"] is None else known_method("--beside", options["beside"])
    places = folder_for(
        folder,
        [*names, *([f"{demo}.csv"] if demo else []), *([BESIDE] if beside else [])],
        () if is_stdin(data) else data,
        options["force"],
    )
    plan = None
    if demo:
        folder.mkdir(parents=True, exist_ok=True)
        place, plan = write_demo(demo, folder)
        data = (place,)
    plan = plan_of(options, plan)
    if is_stdin(data) and plan.title is None:
        plan = replace(plan, title="stdin")
    with progress() as show:
        rows = read_rows(data, options, plan, show)
        if beside:
            _require_answer(beside, rows.kind)
        again = replace(rows, notes=list(rows.notes))
        result = _answered(rows, plan, show, places, names)
        if beside:
            other = study(again, replace(plan, method=beside), show)
            _write_beside(result, other, places[BESIDE])
            names = [*names, BESIDE]
    if options["as_json"]:
        print_json({**result.findings.to_dict(), "files": {name: str(places[name]) for name in names}})
    else:
        print_findings(result.findings)
        _print_files(result, places, names)
    if options["show"] and not webbrowser.open(places[names[0]].resolve().as_uri()):
        click.echo(f"--open: no browser was found; open {places[names[0]]} yourself.", err=True)


def _require_answer(method: str, kind: str) -> None:
    """Refuse a second method that does not answer the question, before anything is written."""
    chosen(method, kind, asked_by="beside")


def _print_files(result: Study, places: dict[str, Path], names: list[str]) -> None:
    out = console()
    out.print()
    first = "".join(f"; {axis} is column {name}" for axis, name in result.findings.named_axes()[:1])
    whats = ("the page, for any browser", f"the scores of each row{first}", "the model", "two methods side by side")
    for name, what in zip(names, whats, strict=False):
        out.print(f"{escape(str(places[name]))}  [dim]{what}[/dim]", soft_wrap=True)


def _write_beside(result: Study, other: Study, place: Path) -> None:
    from ..page import render
    from ..page.beside import side_by_side

    pages = [(each.findings.method, render(each.findings)) for each in (result, other)]
    with replaced(place) as file:
        file.write(side_by_side(result.findings.title, pages).encode("utf8"))


def run_fit(options: dict[str, Any]) -> None:
    """Fit and save a model."""
    data = options["data"]
    place = options["out"] or Path(f"{name_for(data)}.eigenlens")
    place = file_for(place, () if is_stdin(data) else data, options["force"])
    plan = plan_of(options)
    with progress() as show:
        rows = read_rows(data, options, plan, show)
        result = study(rows, plan, show)
    _named(result.findings, place)
    save(result.model, place, about=result.about)
    if options["as_json"]:
        print_json({**result.findings.to_dict(), "files": {"model": str(place)}})
        return
    print_findings(result.findings)
    console().print(f"\n{escape(str(place))}  [dim]the model[/dim]", soft_wrap=True)


def run_compare(options: dict[str, Any]) -> None:
    """Compare methods by cross-validation."""
    plan = plan_of(options)
    if plan.target is None:
        raise click.UsageError("compare needs --target COL: methods are compared by how well they predict it.")
    data = options["data"]
    with progress() as show:
        rows = read_rows(data, options, plan, show)
        findings = study(rows, plan, show).findings
    if options["as_json"]:
        wanted = ("source", "target", "kind", "rows", "score", "baseline", "comparison")
        print_json({name: value for name, value in findings.to_dict().items() if name in wanted})
        return
    out = console()
    for note in findings.notes:
        out.print(f"· {escape(note)}")
    out.print()
    out.print(comparison_table(findings))


def _answered(data: Data, plan: Plan, show: Any, places: dict[str, Path], names: list[str]) -> Study:
    """Make a study, and write the page, the scores and the model; those of a file in pieces while it is read again."""
    from ..page import render

    page, scores, model = (places[name] for name in names)
    result = study(data, plan, show) if data.whole is None else None
    html = None if result is None else render(_named(result.findings, model))
    with _folder(page.parent, (page, scores, model)):
        with ExitStack() as stack:
            if result is None or html is None:
                data.whole.sink = stack.enter_context(sink_for(scores))
                result = study(data, plan, show)
                html = render(_named(result.findings, model))
                save(result.model, model, about=result.about)
            else:
                save(result.model, model, about=result.about)
                stack.enter_context(sink_for(scores)).rows(*scores_in_memory(result, data))
        with replaced(page) as file:
            file.write(html.encode("utf8"))
    return result


def _named(findings: Findings, model: Path) -> Findings:
    """Let the commands that are suggested name the file of the model."""
    for j, step in enumerate(findings.next_steps):
        if " model.eigenlens " in step.command:
            command = step.command.replace(" model.eigenlens ", f" {shlex.quote(str(model))} ", 1)
            findings.next_steps[j] = replace(step, command=command)
    return findings


@contextmanager
def _folder(folder: Path, files: Sequence[Path]) -> Iterator[None]:
    """Make a folder to write files to; one that was not there goes again, with its files, if not all get written."""
    if folder.exists():
        yield
        return
    folder.mkdir(parents=True)
    ours = {str(file) for file in files}
    unfinished.FILES.update(ours)
    unfinished.FOLDERS.add(str(folder))
    try:
        yield
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()
        raise
    finally:
        unfinished.FILES.difference_update(ours)
        unfinished.FOLDERS.discard(str(folder))


def scores_in_memory(result: Study, data: Data) -> tuple[list[str], list[np.ndarray]]:
    """Return the columns of the file of scores."""
    findings: Findings = result.findings
    predicted = None
    if data.kind in ("classes", "number") and hasattr(result.model, "predict"):
        predicted = np.asarray(result.model.predict(data.table))
    y = None if findings.target is None else np.asarray(data.y)
    scores = findings.scores
    if findings.left_out:  # the file holds what `transform` would write
        scores = np.asarray(result.model.transform(data.table))
    names, columns = score_columns(findings.score_names, scores, findings.target, y, findings.row_names, predicted)
    if data.first_copies is not None:  # a row for each row of the file, however often it occurred
        columns = [column[data.first_copies] for column in columns]
    return names, columns
