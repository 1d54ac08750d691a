"""The Python that repeats a study."""

from __future__ import annotations

import shlex
from glob import has_magic
from pathlib import Path
from typing import Any

from sklearn.base import clone

from ..regress.directions_curve import CurveOnDirections
from ..rows.csv_text import PLAIN, Dialect
from ..rows.endings import SHEETS, kind_of
from ..rows.parts import files_of
from ..rows.selection import Selection
from .data import Data
from .plan import Plan


def code_for(cls: Any, data: Data, plan: Plan, model: Any, second: Any = None) -> str:
    """Return Python that repeats the fit: the same rows, the same columns, the same model.

    Parameters
    ----------
    cls : class of the method
    data : Data
    plan : Plan
    model : Pipeline
    second : Preparation, optional
        Of the second set of columns.
    """
    rows = _rows(data, plan)
    ours = f"from eigenlens import {cls.__name__}"
    if data.kind == "distances":
        lines = ["import pandas as pd", ours, "", *rows, f"D = table[{_kept(data)!r}].to_numpy()"]
        return "\n".join([*lines, f"model = {model[-1]!r}.fit(D)", "model.embedding_"])
    if data.whole is not None:
        return _in_pieces(cls, data, plan, model)
    imports = ["import glob"] if any("glob.glob(" in line for line in rows) else []
    imports += [*(["import numpy as np"] if plan.sample else []), "import pandas as pd"]
    imports += [] if second is not None else ["from sklearn.pipeline import make_pipeline"]
    filling = [repr(step) for name, step in model.steps if name == "fill"]
    ours += "\nfrom eigenlens.moments.expected_cells import ExpectedCells" if filling else ""
    bent = isinstance(model[-1], CurveOnDirections)
    ours += "\nfrom eigenlens.regress import CurveOnDirections" if bent else ""
    if isinstance(model[0], Selection):  # the model takes words as they are
        words = dict.fromkeys(model[0].words, "str")
        taken = f"X = table[{list(model[0].columns)!r}]" + (f".astype({words!r})" if words else "")
        return "\n".join(
            [*imports[:-1], ours, "", *rows, taken, f"model = {model[-1]!r}.fit(X)", "scores = model.transform(X)"]
        )
    lines = [*imports, ours, "from eigenlens.rows import Preparation", "", *rows]
    preparation = model[0]
    if second is not None:
        first, other = plan.views or ([], [])
        Y = f"table[{list(other)!r}]"
        if second.levels_ or second.left_out_ or second.missing == "mean":
            Y = f"{second!r}.fit_transform({Y})"
        X = f"{preparation!r}.fit_transform(table[{list(first)!r}])"
        for fill in filling:
            X, Y = f"{fill}.fit_transform({X})", f"{fill}.fit_transform({Y})"
        seed = f", random_state={plan.seed}" if plan.seed else ""
        tested = (
            f"model.test_dimension(X, Y{seed})"  # with the rows, as on the page: from moments it would be another test
        )
        shown = "model.correlations_" if preparation.missing == "keep" else tested
        lines += [f"X = {X}", f"Y = {Y}"]
        return "\n".join([*lines, f"model = {model[-1]!r}.fit(X, Y)", f"print({shown})"])
    lines.append(f"X = {_selection(data)}")
    target = ""
    if plan.target is not None:
        as_text = ".astype(str)" if data.kind == "classes" else ""
        lines.append(f"y = table[{plan.target!r}]{as_text}")
        target = ", y"
    steps = ", ".join([repr(preparation), *filling, repr(model[-1])])
    if data.weights is not None:
        lines.append(f"w = table[{data.roles.weights!r}] / table[{data.roles.weights!r}].mean()")
        target += f", preparation__sample_weight=w, {type(model[-1]).__name__.lower()}__sample_weight=w"
    lines += [f"model = make_pipeline({steps}).fit(X{target})", "scores = model.transform(X)"]
    return "\n".join(lines)


def _in_pieces(cls: Any, data: Data, plan: Plan, model: Any) -> str:
    """Return Python for a file of any size: it is read in pieces, and never held as a whole."""
    preparation, last = model[0], model[-1]
    if data.in_memory:
        lines = ["import eigenlens", "", "# table: the rows as a Dask DataFrame", f"X = table[{_kept(data)!r}]"]
        return "\n".join([*lines, "scores = X.map_partitions(model.transform)  # model: that of this report"])
    simple = preparation.missing == "refuse" and not data.gone and data.dialect in (None, PLAIN)
    if preparation.levels_ or not simple:
        reader = "import pandas as pd" if data.dialect is not None else "import pyarrow.parquet as pq"
        lines = [reader, "import eigenlens", "", "model = eigenlens.load('model.eigenlens')"]
        lines.append("# new rows, as a data frame with the same columns; a large file goes in pieces:")
        lines.append(f"# eigenlens transform model.eigenlens {shlex.join(data.sources)} --out scores.parquet")
        return "\n".join([*lines, f"table = {_head(data)}", "scores = model.transform(table)"])
    scaled = "scale" in last.get_params() and preparation.standardise
    again = clone(last).set_params(scale=True) if scaled else last
    target = f", target={plan.target!r}" if plan.target is not None else ""
    lines = [f"from eigenlens import {cls.__name__}, open_rows", ""]
    lines.append(f"rows = open_rows({_places(data)!r}, columns={list(preparation.columns_)!r}{target})")
    return "\n".join([*lines, f"model = {again!r}.fit(rows)  # reads the file in pieces", "print(model.summary())"])


def _head(data: Data) -> str:
    """Return what reads the first rows of a file."""
    first = str(data.whole.file.paths[0])
    if data.dialect is None:
        return f"next(pq.ParquetFile({first!r}).iter_batches(1000)).to_pandas()"
    return f"pd.read_csv({first!r}{_options(data.dialect, data.all_names)}{_index(data)}, nrows=1000)"


def _rows(data: Data, plan: Plan) -> list[str]:
    """Return the lines that read the rows of the study."""
    if data.in_memory:
        lines = ["# table: the rows as a pandas DataFrame"]
    elif data.dialect is None:
        reader = "read_excel" if kind_of(_files(data.sources)[0]) in SHEETS else "read_parquet"
        lines = [f"table = {_of_files(data.sources, f'pd.{reader}', _index(data))}"]
    else:
        lines = ["import sys", ""] if data.source == "-" else []
        options = _options(data.dialect, data.all_names) + _index(data)
        lines.append(f"table = {_of_files(data.sources, 'pd.read_csv', options)}")
        lines += [_undressed(name, data.dialect.decimal) for name in data.dialect.dressed]
    if data.unnamed_index and not _index(data):
        lines.append(f"table = table.rename(columns={{'Unnamed: 0': {data.all_names[0]!r}}})")
    if plan.sample is not None and data.sampled:
        draw = f"np.random.default_rng({plan.seed}).choice(len(table), {plan.sample}, replace=False)"
        lines.append(f"table = table.iloc[np.sort({draw})]")
    gaps = _kept(data) + ([plan.target] if plan.target else [])
    if plan.missing == "drop":
        lines.append(f"table = table.dropna(subset={gaps!r})")
    elif "target" in data.gone or (plan.missing == "mean" and plan.target):
        lines.append(f"table = table.dropna(subset={[plan.target]!r})")
    elif odd := _odd(data, plan, gaps):
        lines.append(f"table = table.dropna(subset={odd!r})")
    if data.first_copies is not None:
        lines.append(f"table = table.loc[table.index.repeat(table[{data.roles.weights!r}])]")
    elif data.weights is not None:
        lines.append(f"table = table[table[{data.roles.weights!r}] > 0]")
    if "empty" in data.gone:
        lines.append(f"table = table.dropna(subset={_kept(data)!r}, how='all')")
    return lines


def _places(data: Data) -> str | list[str]:
    return data.sources[0] if len(data.sources) == 1 else list(data.sources)


def _files(sources: tuple[str, ...]) -> list[Path]:
    return files_of([Path(source) for source in sources])[0]


def _of_files(sources: tuple[str, ...], reader: str, options: str) -> str:
    """Return what reads a file, or several, or all files of a folder or a pattern, one below the other."""
    if len(sources) > 1:
        return f"pd.concat([{reader}(path{options}) for path in {list(map(str, _files(sources)))!r}])"
    source = sources[0]
    if source == "-":
        return f"{reader}(sys.stdin{options})"
    path = Path(source)
    if path.is_dir() or (has_magic(source) and not path.exists()):
        pattern = f"{source}/**/*.*" if path.is_dir() else source
        return f"pd.concat([{reader}(path{options}) for path in sorted(glob.glob({pattern!r}, recursive=True))])"
    return f"{reader}({source!r}{options})"


def _odd(data: Data, plan: Plan, used: list[str]) -> list[str]:
    """Return the columns of numbers whose words count as missing, where that leaves their rows out."""
    if data.dialect is None or (plan.missing == "ml" and data.kind != "distances"):
        return []
    return [name for name, _ in data.dialect.na_of if name in used]


def _options(dialect: Dialect, names: list[str]) -> str:
    """Return how the file is written, as pandas wants to be told; nothing where it would guess right."""
    given: dict[str, Any] = {}
    for name, ours in (("sep", "delimiter"), ("decimal", "decimal"), ("encoding", "encoding")):
        if getattr(dialect, ours) != getattr(PLAIN, ours):
            given[name] = getattr(dialect, ours)
    if dialect.skipped:
        given["skiprows"] = dialect.skipped
    if not dialect.header:
        given |= {"header": None, "names": names}
    if dialect.na_of or any("=" in text for text in dialect.na):
        missing = {name: list(dialect.missing_in(name)) for name in names}
        given["na_values"] = {name: words for name, words in missing.items() if words}
    elif dialect.na:
        given["na_values"] = list(dialect.na)
    if dialect.words or dialect.dressed:
        given["dtype"] = dict.fromkeys((*dialect.words, *dialect.dressed), "str")
    return "".join(f", {name}={value!r}" for name, value in given.items())


def _index(data: Data) -> str:
    """Return the option that reads a first column without a name as the names of the rows."""
    return ", index_col=0" if data.unnamed_index and data.all_names[0] not in data.shown else ""


def _undressed(name: str, decimal: str) -> str:
    """Return the line that makes numbers of a column whose numbers have signs."""
    bare = f"table[{name!r}].str.replace('[^0-9{decimal}eE+-]', '', regex=True)"
    bare += "" if decimal == "." else f".str.replace({decimal!r}, '.')"
    return f"table[{name!r}] = pd.to_numeric({bare})"


def _kept(data: Data) -> list[str]:
    return [str(name) for name in data.table.column_names]


def _selection(data: Data) -> str:
    """Return how to take the columns from the table: by what is left out, where that is shorter."""
    kept = _kept(data)
    taken = set(kept)
    names = data.all_names[1:] if _index(data) else data.all_names
    gone = [name for name in names if name not in taken]
    if len(gone) < len(kept):
        return f"table.drop(columns={gone!r})" if gone else "table"
    return f"table[{kept!r}]"
