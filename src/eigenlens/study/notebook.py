"""The report of a table in memory: the findings of the command line as an object that displays itself."""

from __future__ import annotations

import html
import tempfile
import webbrowser
from collections.abc import Hashable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..arrays import errors
from ..arrays.parameters import is_number
from ..arrays.spelling import refused
from ..arrays.typing import ColumnLike
from ..files import save
from ..page.findings import Findings
from ..rows import Dialect, TableFile
from ..rows.engines import is_engine
from ..rows.labels import refuse_lazy
from ..rows.writing import replaced
from .data import read_data
from .plan import MISSING, Plan, Progress
from .run import Study, study

SHOWN_HEIGHT = 900  # pixels of the page in a notebook; it scrolls


class Report:
    """A report: a page in a notebook, sentences in a terminal, a model, and numbers.

    Attributes
    ----------
    findings : Findings
        Everything that the page shows.
    model : Pipeline
        Takes tables with the same columns.

    Examples
    --------
    >>> import eigenlens
    >>> from sklearn.datasets import load_wine
    >>> found = eigenlens.report(load_wine(as_frame=True).frame, target="target", method="lda", cv=0)
    >>> print(found)
    LDA: both directions separate the classes of 'target' beyond chance. ...
    """

    def __init__(self, result: Study) -> None:
        self._result = result
        self.findings: Findings = result.findings
        self.model = result.model

    def __str__(self) -> str:
        said = " ".join(self.findings.summary)
        return f"{self.findings.method}: {said[:1].lower()}{said[1:]}" if said else self.findings.method

    def __repr__(self) -> str:
        f = self.findings
        return f"Report({f.title!r}: {f.method}, {f.n_rows:,} rows)"

    def to_html(self) -> str:
        """Return the page: one file that needs nothing else."""
        from ..page import render

        return render(self.findings)

    def beside(self, other: Report) -> str:
        """Return a page with this report and another next to each other, such as that of a second method."""
        from ..page.beside import side_by_side

        pages = [(each.findings.method, each.to_html()) for each in (self, other)]
        return side_by_side(self.findings.title, pages)

    def _repr_html_(self) -> str:
        page = html.escape(self.to_html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" title="{html.escape(repr(self))}" '
            f'style="width:100%;height:{SHOWN_HEIGHT}px;border:0"></iframe>'
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as a dict, as `eigenlens report --json` writes them."""
        return self.findings.to_dict()

    def save(self, path: Any) -> Path:
        """Write the page (.html) or the model (.eigenlens), and return the path."""
        place = Path(path)
        if place.suffix == ".eigenlens":
            save(self.model, place, about=self._result.about)
        elif place.suffix in (".html", ".htm"):
            with replaced(place) as file:
                file.write(self.to_html().encode("utf8"))
        else:
            raise refused("path", str(path), "it must end in .html (the page) or .eigenlens (the model)")
        return place

    def open(self) -> Path:
        """Write the page to a temporary file, and open it in a browser."""
        place = self.save(Path(tempfile.mkdtemp(prefix="eigenlens-")) / "report.html")
        webbrowser.open(place.as_uri())
        return place


def report(
    data: Any,
    target: ColumnLike | Hashable | None = None,
    *,
    target_is: Literal["classes", "number"] | None = None,
    views: tuple[list[str], list[str]] | None = None,
    distances: bool = False,
    method: str = "auto",
    drop: Any = (),
    keep: Any = (),
    na: Any = (),
    words: Any = (),
    numbers: Any = (),
    id: str | None = None,
    weights: str | None = None,
    group: str | None = None,
    missing: Literal["ml", "refuse", "drop", "mean"] | None = None,
    standardise: bool | None = None,
    sample: int | None = None,
    cv: int = 5,
    title: str | None = None,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Analyse a table, or one of its columns in terms of the others; `eigenlens.report` is this function.

    Parameters
    ----------
    data : DataFrame, Arrow table, array or path
        Rows; a file, folder or pattern as the command line takes it; or a frame of Dask, whose parts are written to
        disk one by one and read as a large file is. The index of a pandas frame names the rows, unless it counts them.
    target : str or array, optional
        Column to explain, or its values.
    target_is : {"classes", "number"}, optional
        What the target holds, if the table leaves it open.
    views : pair of lists of str, optional
        Two sets of columns to relate, instead of a target.
    distances : bool
        Whether the table holds distances.
    method : str
        "auto", or the name of a method as on the command line ("lda", "pda", "sir"...).
    drop, keep : str or list of str
        Columns to drop; columns to keep although they would be dropped.
    na : str, number or list of these
        Cells that stand for a missing value; "COLUMN=VALUE" says so of one column.
    words, numbers : str or list of str
        Columns to read as words although they hold numbers; columns to read as numbers, whatever their names and cells
        suggest.
    id, weights, group : str, optional
        The column that names the rows; the column with their weights or counts; the column of groups of rows that stay
        together in folds and permutations.
    missing : {"ml", "refuse", "drop", "mean"}, optional
        What to do about missing cells; "ml" if nothing is said, as in `--missing`.
    standardise : bool, optional
        By default it depends on the spreads of the columns.
    sample : int, optional
        Analyse this many rows, drawn at random.
    cv : int
        Folds of the comparison of methods; 0 skips it.
    title : str, optional
    random_state : int
    progress : function of (what, done, total), optional

    Returns
    -------
    Report
        Displays itself in a notebook; `print` shows the findings.

    Examples
    --------
    >>> import eigenlens
    >>> from sklearn.datasets import load_iris
    >>> found = eigenlens.report(load_iris(as_frame=True).frame.drop(columns="target"))
    >>> found
    Report('table': PCA, 150 rows)
    """
    drop, keep, na, words, numbers = (
        (str(names),) if isinstance(names, str | float | int) else tuple(map(str, names))
        for names in (drop, keep, na, words, numbers)
    )
    if is_number(target, integer=True):
        target = str(target)  # columns named by numbers are read by their text
    plan = Plan(
        target=target if target is None or isinstance(target, str) else "target",
        target_is=target_is,
        views=views,
        distances=distances,
        method=method.lower().replace("_", "-"),
        drop=drop,
        keep=keep,
        numbers=numbers,
        id=id,
        weights=weights,
        group=group,
        standardise=standardise,
        sample=sample,
        seed=random_state,
        folds=cv,
        title=title,
    )
    if missing is not None:
        if missing not in MISSING:
            raise refused("missing", missing, f"it is one of {', '.join(MISSING)}")
        plan = replace(plan, missing=missing)
    return Report(_answered(data, target, plan, Dialect(na=na, words=words, numbers=numbers), progress))


def _answered(data: Any, target: Any, plan: Plan, dialect: Dialect, progress: Progress | None) -> Study:
    """Answer from a file, or from rows in memory, which are written to one for a moment."""
    named = target is None or isinstance(target, str)
    if _is_files(data):
        if not named:
            raise errors.InputError("target= is an array, but the rows are in a file; name the column to explain.")
        return study(read_data(TableFile(data, dialect), plan, progress=progress), plan, progress)
    with tempfile.TemporaryDirectory(prefix="eigenlens-") as folder:
        if is_in_parts(data):
            if not named:
                raise errors.InputError("target= is an array, but the rows are in parts; name the column to explain.")
            row_names = _write_parts(data, Path(folder), progress)
            rows = read_data(TableFile(folder, dialect), plan, "a table in parts", progress)
        else:
            place = Path(folder) / "table.parquet"
            table, row_names = _arrow(data, None if named else target)
            import_module("pyarrow.parquet").write_table(table, place)
            rows = read_data(TableFile(place, dialect), replace(plan, stream=False), "a table in memory")
        rows = replace(rows, in_memory=True, all_names=[n for n in rows.all_names if n not in row_names])
        return study(rows, replace(plan, title=plan.title or "table"), progress)


def _is_files(data: Any) -> bool:
    """Tell whether rows are in a file, a folder or a pattern, or in several files that are one table."""
    several = isinstance(data, list | tuple) and len(data) > 0
    return isinstance(data, str | Path) or (several and all(isinstance(each, str | Path) for each in data))


def is_in_parts(data: Any) -> bool:
    """Tell whether a frame is one of Dask, whose parts need not fit into memory together."""
    return all(hasattr(data, name) for name in ("partitions", "npartitions", "columns", "compute"))


def _write_parts(data: Any, folder: Path, progress: Progress | None) -> list[str]:
    """Write each part of a frame to a file, one at a time; return the column that was made of names of rows."""
    row_names: list[str] = []
    write = import_module("pyarrow.parquet").write_table
    for j in range(data.npartitions):
        if progress:
            progress("writing parts of the table", j, data.npartitions)
        table, row_names = _arrow(data.partitions[j].compute(), None)
        if table.num_rows or data.npartitions == 1:
            write(table, folder / f"part-{j:06d}.parquet")
    return row_names


def _arrow(data: Any, target: Any) -> tuple[Any, list[str]]:
    """Return the rows as an Arrow table, and the column that was made of their names, if they have any."""
    import narwhals.stable.v2 as nw
    import pyarrow as pa
    from narwhals.exceptions import DuplicateError

    made: list[str] = []
    if isinstance(data, pa.Table):
        table = data
    else:
        index = table = None
        try:
            frame = nw.from_native(data, eager_only=True, pass_through=True)
            if isinstance(frame, nw.DataFrame):
                index, table = nw.maybe_get_index(frame), frame.to_arrow()
        except (ValueError, TypeError, DuplicateError) as error:  # Arrow's are ValueErrors
            raise errors.InputError(
                f"data cannot be read as columns of numbers and words ({str(error).splitlines()[0]}); rename columns "
                "of the same name, and leave out columns that hold anything else."
            ) from error
        if table is not None:
            table = table.select([name for name in table.column_names if not name.startswith("__index_level_")])
            if index is not None and not _counts(np.asarray(index)):
                made = [_fresh("row", table)]
                table = table.add_column(0, made[0], pa.array([str(v) for v in index]))
        else:
            if is_engine(data):
                library = type(data).__module__.partition(".")[0]
                raise errors.InputTypeError(
                    f"data is a table of {library}, whose rows are elsewhere; write it to a folder of Parquet files "
                    "and report that: eigenlens.report('folder')."
                )
            refuse_lazy(data, "data")
            values = np.asarray(data)
            if values.ndim != 2:
                raise errors.InputError(f"data has shape {values.shape}; pass a table: a frame, an array, or a path.")
            table = pa.table({f"x{j}": values[:, j] for j in range(values.shape[1])})
    if target is not None:
        values = np.asarray(target)
        if "target" in table.column_names:
            raise errors.InputError("data has a column 'target' already; name it (target='target'), or rename it.")
        if len(values) != table.num_rows:
            raise errors.InputError(f"target has {len(values):,} values, but the table has {table.num_rows:,} rows.")
        table = table.append_column("target", pa.array(values.tolist()))
    return table, made


def _counts(index: np.ndarray) -> bool:
    return index.dtype.kind in "iu" and (len(index) < 2 or bool((np.diff(index) == 1).all()))


def _fresh(name: str, table: Any) -> str:
    while name in table.column_names:
        name += "_"
    return name
