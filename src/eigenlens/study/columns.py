"""Which columns of a file a plan names, which are analysed, and which only count the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.spelling import option, refused
from ..page.findings import counted
from ..rows import TableFile
from ..rows.judging import Column
from ..rows.preparation import MOST_WORDS
from .identifiers import is_running
from .part_sums import restarts, runs_of
from .plan import Plan
from .roles import Roles, quoted

FEWEST_COUNTED = 10  # rows in which a running number is told from chance


def check_names(file: TableFile, plan: Plan) -> None:
    """Refuse names of columns that the file does not have."""
    views = [name for view in plan.views or () for name in view]
    roles = [("target", plan.target)] if plan.target else []
    roles += [("drop", name) for name in plan.drop] + [("views", name) for name in views]
    roles += [("keep", name) for name in plan.keep] + [("numbers", name) for name in plan.numbers]
    single = {"target": plan.target, "id": plan.id, "weights": plan.weights, "group": plan.group}
    roles += [(role, name) for role, name in single.items() if name is not None and role != "target"]
    for role, name in roles:
        if name not in file.names:
            raise errors.no_column(str(name), file.names, option(role, name))
    taken: dict[str, str] = {}
    for role, column in [*single.items(), *(("drop", name) for name in plan.drop)]:
        if column is not None and taken.setdefault(column, role) != role:
            raise refused(taken[column], column, f"it is also the column of {option(role)}; a column has one use")
    twice = {name for name in views if views.count(name) > 1}
    if twice:
        raise refused("views", sorted(twice)[0], "name each column once, in one of the two sets")
    if plan.sample is not None and plan.sample < 10:
        raise refused("sample", plan.sample, "at least 10 rows are needed")


def counted_kinds(file: TableFile, profile: dict[str, Column]) -> list[str]:
    """Say how many rows and columns there are, and how the reader has read them."""
    kinds = [c.kind for c in profile.values()]
    nouns = {"number": "numbers", "word": "words", "date": "dates"}
    found = {noun: kinds.count(kind) for kind, noun in nouns.items() if kind in kinds}
    counts = ": " + ", ".join(f"{count:,} of {noun}" for noun, count in found.items())
    counts = f" of {next(iter(found))}" if list(found.values()) == [len(kinds)] else counts
    files = f" in {len(file.paths):,} files, read as one table;" if len(file.paths) > 1 else ","
    rows, columns = counted(file.n_rows or 0, "row"), counted(len(profile), "column")
    first = f"{rows}{files} {columns}{counts if found else ''}."
    remarks = [column.remark for column in profile.values()] + [_differing_in_capitals(c) for c in profile.values()]
    return [first, *file.notes, *filter(None, remarks)]


def _differing_in_capitals(column: Column) -> str:
    """Say that two words of a column are the same except for capitals, unless its words look like names of rows."""
    spelled: dict[str, str] = {}
    for word in column.levels if column.kind == "word" and column.distinct <= MOST_WORDS else ():
        other = spelled.setdefault(word.casefold(), word)
        if other != word:
            return f"{column.name!r} holds {other!r} and {word!r}, which count as different words."
    return ""


def used_columns(plan: Plan, profile: dict[str, Column], roles: Roles) -> list[str]:
    """Return the columns to analyse."""
    dates = [column.name for column in profile.values() if column.kind == "date"]
    for role, names in (("target", [plan.target]), ("views", [n for view in plan.views or () for n in view])):
        for name in set(names) & set(dates):
            raise refused(role, name, "it holds dates; turn them into numbers first, such as days since the first")
    if plan.views is not None:
        return [*plan.views[0], *plan.views[1]]
    used = [name for name in profile if name != plan.target and name not in roles.gone]
    if not used:
        raise errors.nothing_left(
            f"{name!r} {why}" + ("" if "dates" in why else f" ({option('keep', name)} keeps it)")
            for name, why in roles.gone.items()
            if name != plan.target
        )
    return used


def counts_rows(column: Any, profile: Column, n: int) -> bool:
    """Tell whether a column is a running number of n rows, in steps of 1 or more; not all may be in memory."""
    if profile.kind != "number" or not profile.whole or len(column) < FEWEST_COUNTED:
        return False
    step = (profile.high - profile.low) / (n - 1)
    values = np.asarray(column.to_numpy(), dtype=float)
    return step >= 1 and not ((values - profile.low) % step).any() and bool((np.diff(values) > 0).all())


def may_restart(profile: Column, n: int) -> bool:
    """Tell whether a column may be a running number that restarts, as of rows within blocks: by name and cells."""
    if profile.kind != "number" or not profile.whole or n < FEWEST_COUNTED or not is_running(profile.name):
        return False
    whole_range = profile.low in (0, 1) and profile.high - profile.low + 1 == profile.distinct
    return whole_range and 3 <= profile.distinct <= n / 2


def counts_blocks(column: Any, profile: Column, n: int) -> bool:
    """Tell whether a column counts n rows within blocks; where some of the rows are gone, it may."""
    return may_restart(profile, n) and (len(column) < n or restarts(runs_of(column)))


def without_counters(used: list[str], running: list[str], plan: Plan, notes: list[str]) -> list[str]:
    """Leave out running numbers; where a target has nothing else to depend on, they may be its time and stay."""
    left_out = [name for name in running if name not in (*plan.keep, *plan.numbers)]
    rest = [name for name in used if name not in left_out]
    if not left_out:
        return used
    if rest:
        verb = "it only numbers" if len(left_out) == 1 else "they only number"
        notes.append(f"{quoted(left_out)} left out: {verb} the rows ({option('keep')} keeps {_it(left_out)}).")
        return rest
    if plan.target is None:
        raise errors.nothing_left(
            f"{name!r} only numbers the rows ({option('keep', name)} keeps it)" for name in left_out
        )
    notes.append(f"{quoted(left_out)} only numbers the rows, but is kept since there is no other column.")
    return used


def _it(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"
