"""Commands and their options; their code is in other modules, imported when a command runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from glob import has_magic
from pathlib import Path
from typing import Any

import click

from ..arrays.printable import printable
from ..arrays.spelling import command_line
from .interrupt import CODE, leave, watch


class _Table(click.Path):
    """A file, a folder of files, a pattern of them, or - for stdin."""

    name = "table"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        path = Path(value)
        return path if has_magic(str(value)) and not path.exists() else super().convert(value, param, ctx)


EXISTING = click.Path(exists=True, dir_okay=False, path_type=Path)
TABLE = _Table(exists=True, allow_dash=True, path_type=Path)
FILES = _Table(exists=True, path_type=Path)
PLACE = click.Path(path_type=Path)
DEMOS = ("wine", "iris", "digits", "cancer", "diabetes", "exercise", "cities", "us-cities")
VIEWS_SYNTAX = "--views takes two lists of columns with -- between them: --views a b -- c d"
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group(context_settings=SETTINGS)
@click.version_option(package_name="eigenlens", prog_name="eigenlens")
def cli() -> None:
    """See a table in a few dimensions, and know which directions are real.

    Begin with:  eigenlens report DATA.csv --target COLUMN   (or: eigenlens report --demo wine)
    """


def together(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Join options that several commands have."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


reading = together(
    click.option("--delimiter", metavar="CHAR", help="Column separator [default: detected]."),
    click.option("--decimal", metavar="CHAR", help="Decimal mark [default: detected]."),
    click.option("--encoding", help="Text encoding [default: detected]."),
    click.option("--header-line", type=click.IntRange(1), metavar="N", help="Line of the names [default: detected]."),
    click.option("--na", multiple=True, metavar="TEXT", help="Cells that read so are missing; COL=TEXT: in a column."),
    click.option("--words", multiple=True, metavar="COL", help="Read a column as words although it holds numbers."),
    click.option("--numbers", multiple=True, metavar="COL", help="Read a column as numbers that measure something."),
    click.option("--drop", multiple=True, metavar="COL", help="Drop a column."),
)
asking = together(
    click.option("--target", metavar="COL", help="The column to explain: classes or a number."),
    click.option(
        "--as",
        "target_is",
        type=click.Choice(["classes", "number"]),
        help="What the target is, if the table leaves it open.",
    ),
    click.option("--views", "views", is_flag=True, help="Two sets of columns: --views a b -- c d."),
    click.option("--view-a", multiple=True, hidden=True),
    click.option("--view-b", multiple=True, hidden=True),
    click.option("--distances", is_flag=True, help="The table holds distances."),
    click.option("--method", default="auto", metavar="NAME", help="See `eigenlens methods` [default: auto]."),
    click.option(
        "--missing",
        type=click.Choice(["ml", "refuse", "drop", "mean"]),
        default="ml",
        help="Missing cells: maximum likelihood [default], refuse, drop their rows, or fill in the mean.",
    ),
    click.option(
        "--standardise/--no-standardise",
        default=None,
        help="Divide columns by their spread [default: if units differ].",
    ),
    click.option(
        "--keep",
        "--keep-words",
        "keep",
        multiple=True,
        metavar="COL",
        help="Use a column that would be dropped: many different words, or a running number.",
    ),
    click.option(
        "--stream/--no-stream",
        "stream",
        default=None,
        help="Read the file twice, in pieces, instead of holding it in memory [default: from 10 million cells on].",
    ),
    click.option("--id", metavar="COL", help="The column that names the rows [default: detected]."),
    click.option(
        "--weights", metavar="COL", help="How much, or how often, each row counts [default: detected, or all 1]."
    ),
    click.option(
        "--group", metavar="COL", help="Rows that belong together in folds and permutations [default: detected]."
    ),
    click.option("--sample", type=int, metavar="N", help="Analyse N rows, drawn at random."),
    click.option("--seed", type=click.IntRange(0), default=0, help="Seed of everything random [default: 0]."),
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON rather than tables.")
strict = click.option("--strict", is_flag=True, help="Refuse words where the model wants numbers.")
force = click.option("--force", is_flag=True, help="Replace existing files.")


@cli.command()
@click.argument("data", type=TABLE, nargs=-1)
@click.option("--demo", type=click.Choice(DEMOS), help="Use a table that ships with eigenlens.")
@click.option("--out", type=PLACE, help="Folder to write to [default: NAME-report].")
@click.option("--open", "show", is_flag=True, help="Open the page in a browser.")
@click.option("--title", help="Title of the page.")
@click.option("--beside", metavar="NAME", help="Also write a page with a second method next to this one.")
@click.option(
    "--format", "suffix", type=click.Choice(["parquet", "csv"]), default="parquet", help="File format of the scores."
)
@click.option(
    "--folds", type=click.IntRange(0, 50), default=5, help="Folds of the cross-validation, 0 for none [default: 5]."
)
@asking
@reading
@as_json
@force
def report(**options: Any) -> None:
    """Look at a table: an answer, a page, scores and a model.

    Without a target: principal components. With one: discriminants for classes, inverse regression for a number.
    Two sets of columns (--views): canonical correlations. A table of distances (--distances): a map.

    DATA is a file, a folder or a pattern. Several files with the same columns are one table, one below the other.
    """
    from .reporting import run_report

    run_report(options)


@cli.command()
@click.argument("data", type=TABLE, nargs=-1, required=True)
@click.option("--out", type=PLACE, help="The model file [default: NAME.eigenlens].")
@asking
@reading
@as_json
@force
def fit(**options: Any) -> None:
    """Fit a model and save it."""
    from .reporting import run_fit

    run_fit(options)


@cli.command()
@click.argument("model", type=EXISTING)
@click.argument("data", type=FILES, nargs=-1, required=True)
@click.option("--out", type=PLACE, help="A .csv, .parquet or .npy file [default: CSV to the terminal].")
@strict
@reading
@force
def transform(**options: Any) -> None:
    """Write the scores of rows, block by block, however many there are."""
    from .applying import run_transform

    run_transform(options)


@cli.command()
@click.argument("model", type=EXISTING)
@click.argument("data", type=FILES, nargs=-1, required=True)
@click.option("--out", type=PLACE, help="A .csv, .parquet or .npy file [default: CSV to the terminal].")
@click.option("--proba", is_flag=True, help="Also write the probability of each class.")
@strict
@reading
@force
def predict(**options: Any) -> None:
    """Write what a model predicts for rows, block by block, however many there are."""
    from .applying import run_predict

    run_predict(options)


@cli.command()
@click.argument("data", type=TABLE, nargs=-1, required=True)
@click.option("--folds", type=click.IntRange(2, 50), default=5, help="Folds of the cross-validation [default: 5].")
@asking
@reading
@as_json
def compare(**options: Any) -> None:
    """Compare methods by cross-validation: each row is judged by models that have not seen it."""
    from .reporting import run_compare

    run_compare(options)


@cli.command()
@as_json
def methods(**options: Any) -> None:
    """List the methods, and say when to use each."""
    from .info import run_methods

    run_methods(options)


@cli.command()
@click.argument("answers", nargs=-1)
@as_json
def advise(**options: Any) -> None:
    """Find the method for a question: at most three answers lead to one.

    On a terminal it asks for the answers that are not given. Elsewhere, without answers, it lists all methods by
    question; with some (eigenlens advise classes) those that are left.
    """
    from .advising import run_advise

    run_advise(options)


@cli.command()
@click.argument("model", type=EXISTING)
@as_json
def info(**options: Any) -> None:
    """Say what a model file holds; nothing in it is run."""
    from .info import run_info

    run_info(options)


@cli.command("export-onnx")
@click.argument("model", type=EXISTING)
@click.option("--out", type=PLACE, required=True, help="The .onnx file.")
@force
def export_onnx(**options: Any) -> None:
    """Write a linear model as an ONNX graph, for use without Python."""
    from .applying import run_export

    run_export(options)


# -- running -------------------------------------------------------------------------------------------------------


def _refuse_two_values(words: list[str]) -> None:
    """Refuse an option that takes one value and is given two: click would use the last and say nothing."""
    command = cli.commands.get(words[0]) if words else None
    options = [] if command is None else [o for o in command.params if isinstance(o, click.Option) and not o.is_flag]
    known = {name: option for option in options for name in option.opts}
    given: dict[str, str] = {}
    rest = iter(words[1:])
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            return
        if name not in known:
            continue
        value = value if equals else next(rest, "")
        if not known[name].multiple and given.setdefault(name, value) != value:
            raise click.UsageError(f"{name} is given twice, as {given[name]!r} and as {value!r}; give it once.")


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code: 0, 1 (it cannot be done), 2 (usage error) or 130 (interrupted)."""
    watch()
    try:
        words = _with_views(arguments)
        _refuse_two_values(words)
        with command_line():
            result = cli.main(words, prog_name="eigenlens", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as error:
        return int(error.exit_code)
    except click.UsageError as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        leave()
        return CODE
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except (ValueError, TypeError, ImportError, OSError, MemoryError) as error:
        if not _is_user_error(error):
            raise
        click.echo(f"eigenlens: {printable(error) or type(error).__name__}", err=True)
        return 1


def _is_user_error(error: Exception) -> bool:
    """Return whether the user can fix this mistake; if not, it is ours and its traceback is wanted."""
    from ..arrays.errors import InputError, InputTypeError

    return isinstance(error, InputError | InputTypeError | OSError | MemoryError | ImportError)


def _with_views(arguments: list[str]) -> list[str]:
    """Turn `--views a b -- c d` into options that click can read."""
    if "--views" not in arguments:
        return arguments
    start = arguments.index("--views")
    rest = arguments[start + 1 :]
    if "--" not in rest:
        raise click.UsageError(VIEWS_SYNTAX)
    middle = rest.index("--")
    first, tail = rest[:middle], rest[middle + 1 :]
    end = next((j for j, word in enumerate(tail) if word.startswith("--")), len(tail))
    second, after = tail[:end], tail[end:]
    if not first or not second or any(word.startswith("--") for word in first):
        raise click.UsageError(VIEWS_SYNTAX)
    pairs = [part for word in first for part in ("--view-a", word)]
    pairs += [part for word in second for part in ("--view-b", word)]
    return [*arguments[:start], "--views", *pairs, *after]
