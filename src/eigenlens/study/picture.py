"""What the page shows of a file that was read in pieces: a sample of its rows, and those at the ends of each axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..page.findings import Findings
from .data import Data
from .targets import labels_of, shown_column, written

if TYPE_CHECKING:
    from .whole import Passed


def show_all(findings: Findings, data: Data, passed: Passed) -> None:
    """Add the outermost rows to those that the page shows, and say how the file was read."""
    whole = data.whole
    assert data.numbers is not None
    new = ~np.isin(passed.numbers, data.numbers)
    numbers = np.append(data.numbers, passed.numbers[new])
    order = np.argsort(numbers)
    places = np.flatnonzero(new)
    rows = passed.rows.take(places)
    findings.scores = np.concatenate([findings.scores, passed.scores[new]])[order]
    findings.columns = {
        name: np.append(values, _values(rows.column(name), name, data))[order] for name, values in data.shown.items()
    }
    if findings.row_names is not None and whole.layout.row_column is not None:
        more = [written(v) for v in rows.column(whole.layout.row_column).to_pylist()]
        names = [*findings.row_names, *more]
        findings.row_names = [names[i] for i in order]
    findings.numbers = numbers[order]
    how = "three times" if whole.passes == 3 else f"{whole.passes} times"
    data.notes.append(f"The file is large: its rows were read {how}, in pieces, and never all held in memory.")


def _values(column: Any, name: str, data: Data) -> np.ndarray:
    if name == data.whole.layout.target and data.kind == "classes":
        labels, codes = labels_of(column)
        return np.array(labels[codes], dtype=object)
    return shown_column(column)
