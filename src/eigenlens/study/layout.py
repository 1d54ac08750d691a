"""Which columns of a file a study uses, and as what: decided from counts of their cells, before any row is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..rows import Preparation, TableFile
from ..rows.judging import Column
from ..rows.preparation import ABSENT, OFTEN
from .columns import FEWEST_COUNTED, may_restart, used_columns
from .plan import Plan
from .roles import Roles, roles_of
from .targets import kind_of_target


@dataclass(frozen=True)
class Layout:
    """What a study makes of the columns of a file; two that are equal read the same numbers from the same rows.

    Attributes
    ----------
    kind : str
        "none", "classes" or "number".
    target, row_column : str or None
    weights, group : str or None
        Columns that say how much each row counts, and which rows belong together.
    used : tuple of str
        Columns that are analysed or left out of the analysis with a reason.
    columns : tuple of str
        Those that are analysed.
    levels : tuple of (str, tuple of str)
        Words of each column of words.
    filled : tuple of (str, str)
        The word that missing words count as, if they are not unobserved; without missing words it is that of new
        rows alone.
    fills : tuple of (str, str)
        The same, where words are missing.
    left_out : tuple of (str, str)
        Columns that are not analysed, and why.
    counters : tuple of str
        Columns that only count the rows.
    missing : {"refuse", "drop", "keep"}
        What is done about missing cells: there are none; their rows are left out; they are taken as they are.
    """

    kind: str
    target: str | None
    row_column: str | None
    used: tuple[str, ...]
    columns: tuple[str, ...]
    levels: tuple[tuple[str, tuple[str, ...]], ...]
    filled: tuple[tuple[str, str], ...] = field(compare=False)
    left_out: tuple[tuple[str, str], ...]
    counters: tuple[str, ...]
    missing: str
    fills: tuple[tuple[str, str], ...] = ()
    weights: str | None = None
    group: str | None = None

    @property
    def wanted(self) -> list[str]:
        """All columns that are read."""
        beside = (self.target, self.row_column, self.weights, self.group)
        others = [name for name in beside if name is not None]
        return list(dict.fromkeys([*self.used, *others, *self.counters]))

    def preparation(self, plan: Plan, **options: Any) -> Preparation:
        """Return a preparation that knows the columns and words, and nothing of their means yet."""
        options = {"standardise": False, "full": self.kind == "none", **options}
        new = Preparation(missing="keep" if self.missing == "keep" else "refuse", keep=plan.keep, **options)
        new.columns_, new.left_out_ = list(self.columns), dict(self.left_out)
        new.levels_, new.fill_words_ = {name: list(words) for name, words in self.levels}, dict(self.filled)
        new.fill_ = np.zeros(sum(name not in new.levels_ for name in self.columns))
        new.names_out_ = new._names_out()
        new.n_features_in_, new.feature_names_in_ = len(self.used), np.array(self.used, dtype=object)
        return new


def layout_of(
    file: TableFile, plan: Plan, profile: dict[str, Column], n: int, running: set[str], roles: Roles | None = None
) -> Layout:
    """Return the layout of a table of n rows.

    Parameters
    ----------
    file : TableFile
    plan : Plan
    profile : dict of str to Column
    n : int
    running : set of str
        Columns whose numbers ascend from row to row, in even steps of one or more; or that count rows within blocks.
    roles : Roles, optional
        What columns are for; told from the profile if not given.
    """
    roles = roles_of(file, plan, profile) if roles is None else roles
    used, row_column = used_columns(plan, profile, roles), roles.rows
    counters = tuple(
        name for name in used if name in running and (only_counts(profile[name], n) or may_restart(profile[name], n))
    )
    used = [name for name in used if name not in counters or name in (*plan.keep, *plan.numbers)] or used
    trial = Preparation(full=False, keep=plan.keep)
    columns, levels, filled, left_out = [], [], [], []
    holed = any(profile[name].missing for name in used)
    keeps = plan.missing == "ml" and holed
    for name in used:
        column, why = profile[name], ""
        if column.kind in ("word", "date"):
            counts = dict(column.levels)
            often = keeps and column.missing >= OFTEN * n
            if often and counts:
                counts[ABSENT] = counts.get(ABSENT, 0) + column.missing
            why = trial._reason(name, sorted(counts), n)
            if not why:
                levels.append((name, tuple(sorted(counts))))
                if often or not keeps:
                    filled.append((name, ABSENT if often else max(counts, key=lambda w: (counts[w], w))))
        else:
            why = "" if column.low < column.high else "constant" if column.numbers else "empty"
        if why:
            left_out.append((name, why))
        else:
            columns.append(name)
    found = (tuple(columns), tuple(levels), tuple(filled), tuple(left_out), counters)
    kind = kind_of_target(plan, profile)
    missing = "keep" if keeps else "drop" if holed else "refuse"
    beside = (tuple(filled) if keeps else (), roles.weights, roles.group)
    return Layout(kind, plan.target, row_column, tuple(used), *found, missing, *beside)


def only_counts(column: Column, n: int) -> bool:
    """Tell whether the numbers of a column are those that n rows would be counted with."""
    whole = column.kind == "number" and column.whole and n >= FEWEST_COUNTED
    return whole and column.high - column.low >= n - 1
