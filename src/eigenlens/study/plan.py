"""What was asked of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MISSING = ("ml", "refuse", "drop", "mean")  # what can be done about missing cells

Progress = Callable[[str, int, int], None]  # what is done, how much of it, of how much


@dataclass(frozen=True)
class Plan:
    """The question of a study, with its options.

    Attributes
    ----------
    target : str, optional
        Column to explain.
    target_is : {"classes", "number"}, optional
        What the target holds, if the table leaves it open.
    views : pair of lists of str, optional
        Two sets of columns to relate.
    distances : bool
        The table holds distances.
    method : str
        "auto", or the name of a method.
    drop, keep : tuples of str
        Columns to drop; columns of many words to keep.
    numbers : tuple of str
        Columns that measure something, whatever their names and cells say.
    id, weights, group : str, optional
        The column that names the rows; that says how much, or how often, each counts; that says which belong together.
    missing : {"ml", "refuse", "drop", "mean"}
        Missing cells: maximum likelihood if the method has it, otherwise the value that the rest of the row predicts;
        an error; rows left out; the mean of the column.
    standardise : bool, optional
        By default the spreads of the columns decide.
    sample : int, optional
        Analyse this many rows, drawn at random.
    seed : int
    folds : int
        Of the cross-validation; 0 skips it.
    title : str, optional
    stream : bool, optional
        Whether the file is read in pieces and not held in memory; by default its size decides.

    Examples
    --------
    >>> from eigenlens.study import Plan
    >>> Plan(target="kind").target
    'kind'
    """

    target: str | None = None
    target_is: str | None = None
    views: tuple[list[str], list[str]] | None = None
    distances: bool = False
    method: str = "auto"
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    id: str | None = None
    weights: str | None = None
    group: str | None = None
    missing: str = "ml"
    standardise: bool | None = None
    sample: int | None = None
    seed: int = 0
    folds: int = 5
    title: str | None = None
    stream: bool | None = None
