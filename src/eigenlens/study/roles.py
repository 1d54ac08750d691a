"""What a column is for: to be analysed, to name rows, to say which belong together, or how much each counts.

What the options leave open, names and cells tell: each guess is a note that says which option decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays.spelling import option
from ..rows import TableFile
from ..rows.judging import Column
from ..rows.preparation import MOST_WORDS
from . import identifiers as by_name
from .plan import Plan

FEWEST_GROUPS = 6  # with fewer, neither folds nor permutations of whole groups say anything
MOST_KINDS = 10  # codes that are taken for words
FEWEST_OF_CLASS = 3  # groups, for a hint that there are any
MOST_LOOKED_AT = 200  # columns, for such a hint
FEWEST_REPEATS = 2.0  # rows of a group, on average


@dataclass
class Roles:
    """What became of columns that are not simply analysed.

    Attributes
    ----------
    rows, weights, group : str or None
        The column that names the rows, that weights them, that says which belong together.
    gone : dict of str to str
        Columns that are not analysed, and why, in words that follow the name of a column.
    notes : list of str
    years : list of str
        Columns of years that are analysed, since there is a target.
    hints : list of (str, str)
        Columns that may weight rows ("weights") or group them ("group"), which only the owner can tell.
    """

    rows: str | None = None
    weights: str | None = None
    group: str | None = None
    gone: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    years: list[str] = field(default_factory=list)
    hints: list[tuple[str, str]] = field(default_factory=list)

    def leave_out(self, names: list[str], why: str, plural: str, way_back: str = "numbers") -> None:
        """Leave columns out, with a note."""
        if not names:
            return
        self.gone |= dict.fromkeys(names, why)
        what, them = (why, "it") if len(names) == 1 else (plural, "them")
        takes = f" ({option(way_back)} keeps {them})" if way_back else ""
        verb = f"it {what}" if len(names) == 1 else f"they {what}"
        self.notes.append(f"{quoted(names)} left out: {verb}{takes}.")


def roles_of(file: TableFile, plan: Plan, profile: dict[str, Column]) -> Roles:
    """Decide what each column is for, from the options, from names, and from how often cells repeat."""
    n = file.n_rows or 0
    roles = Roles(plan.id, plan.weights, plan.group)
    told = {plan.target, *plan.keep, *plan.numbers, plan.id, plan.weights, plan.group}
    told |= {name for view in plan.views or () for name in view}
    open_ = [column for column in profile.values() if column.name not in told]
    _name_rows(roles, file, plan, open_, n)
    if plan.drop and plan.views is None:
        roles.notes.append(f"{quoted(plan.drop)} left out, as asked.")
    dates = [column.name for column in open_ if column.kind == "date"]
    roles.leave_out(dates, "holds dates, which are not numbers", "hold dates, which are not numbers", "")
    if plan.views is not None or plan.distances:
        return _without_roles(roles)
    open_ = [column for column in open_ if column.name not in roles.gone and column.name not in file.dialect.words]
    _weigh(roles, plan, profile, open_)
    _group(roles, open_, n)
    _leave_out_codes(roles, file, [c for c in open_ if c.name not in (roles.weights, roles.group)], n)
    _settle_years(roles, plan, profile, open_)
    return _without_roles(roles)


def quoted(names: object) -> str:
    """Return names as they are written in a note."""
    return ", ".join(repr(name) for name in names)  # type: ignore[attr-defined]


def _without_roles(roles: Roles) -> Roles:
    for name, why in ((roles.rows, "names the rows"), (roles.weights, "weights rows"), (roles.group, "groups rows")):
        roles.gone |= {} if name is None else {name: why}
    return roles


def _name_rows(roles: Roles, file: TableFile, plan: Plan, columns: list[Column], n: int) -> None:
    """Find the column that names the rows: an index, or the first whose words all differ."""
    distinct = [c.name for c in columns if c.kind == "word" and _all_differ(c, n) and n > 2]
    index = [c for c in columns if _is_index(c, file)]
    if roles.rows is None:
        roles.rows = distinct[0] if distinct else None
        if index and (roles.rows is None or index[0].kind == "word"):
            roles.rows = index[0].name
    roles.gone |= dict.fromkeys([c.name for c in index], "is the index of the rows")
    if roles.rows:
        roles.notes.append(f"{roles.rows!r} names the rows and is not analysed.")


def _all_differ(column: Column, n: int) -> bool:
    return len(column.levels) >= min(n, 1000) and all(v == 1 for v in column.levels.values())


def _is_index(column: Column, file: TableFile) -> bool:
    """Tell whether a column is the index of the table, which was written without a name or by that of a program."""
    if not by_name.is_index(column.name):
        return False
    first = column.name == file.names[0] or column.name.startswith("__index")  # pandas writes that last to Parquet
    return first and column.kind in ("number", "word") and column.whole


def _weigh(roles: Roles, plan: Plan, profile: dict[str, Column], columns: list[Column]) -> None:
    """Guess the column that says how often a row occurred: all other columns hold words."""
    if roles.weights is not None:
        roles.notes.append(f"Rows are weighted by {roles.weights!r}, as asked.")
        return
    counts = [c for c in columns if c.kind == "number" and c.whole and c.low >= 0 and by_name.is_frequency(c.name)]
    others = [c for c in profile.values() if c not in counts and c.name not in roles.gone and c.kind != "empty"]
    most = MOST_KINDS if counts and len(counts[0].name) > 1 else 0  # n and f may count anything
    if len(counts) == 1 and len(others) > 1 and all(c.kind == "word" or c.distinct <= most for c in others):
        roles.weights = counts[0].name
        why = "the other columns hold kinds, and it says how often each combination occurred"
        roles.notes.append(
            f"{roles.weights!r} weights the rows: {why} ({option('numbers', roles.weights)} reads it as a column)."
        )
        return
    sampled = [c for c in columns if c.kind == "number" and c.low >= 0 and by_name.is_survey_weight(c.name)]
    roles.hints += [("weights", c.name) for c in sampled[:1]]


def _group(roles: Roles, columns: list[Column], n: int) -> None:
    """Guess the column that says which rows belong together: the widest of those that are named so and repeat."""
    if roles.group is not None:
        roles.notes.append(f"Rows of one {roles.group!r} stay together in folds and permutations, as asked.")
        return
    found = [c for c in columns if _names_things(c) and FEWEST_GROUPS <= c.distinct <= n / FEWEST_REPEATS]
    found = [c for c in found if c.distinct <= 1000]
    if not found:
        return
    roles.group = min(found, key=lambda c: c.distinct).name
    roles.notes.append(
        f"{roles.group!r} says which rows belong together: it is not analysed, and rows of one {roles.group!r} stay "
        f"together in folds and permutations ({option('group')} names another column, {option('words', roles.group)} "
        f"or {option('numbers', roles.group)} reads it as a column)."
    )


def _names_things(column: Column) -> bool:
    if column.kind not in ("number", "word") or not column.whole:
        return False
    return by_name.is_unit(column.name) or by_name.is_identifier(column.name)


def _leave_out_codes(roles: Roles, file: TableFile, columns: list[Column], n: int) -> None:
    """Leave out numbers that name things; those of a few kinds become words."""
    whole = [c for c in columns if c.kind == "number" and c.whole and c.name not in roles.gone]
    marks = [c.name for c in whole if by_name.is_identifier(c.name) or (by_name.is_unit(c.name) and c.distinct > n / 2)]
    roles.leave_out(marks, "identifies rows, by its name", "identify rows, by their names")
    rest = [c for c in whole if c.name not in marks and c.distinct > 2]
    codes = [c for c in rest if by_name.is_code(c.name)]
    many = [c.name for c in codes if c.distinct > MOST_WORDS]
    roles.leave_out(many, "holds codes, by its name", "hold codes, by their names")
    kinds = [c for c in rest if c not in codes and by_name.is_kind(c.name) and c.distinct <= MOST_KINDS]
    words = [c for c in codes if c.name not in many] + kinds
    if words:
        file.read_as_words(words)
        one = f"holds codes of kinds, by its name, and is read as words ({option('numbers')} reads it as a number)"
        more = f"hold codes of kinds, by their names, and are read as words ({option('numbers')} reads them as numbers)"
        roles.notes.append(f"{quoted(c.name for c in words)} {one if len(words) == 1 else more}.")


def _settle_years(roles: Roles, plan: Plan, profile: dict[str, Column], columns: list[Column]) -> None:
    """Years say when and not what: without a target they are left out, with one they may be its trend."""
    years = [c.name for c in columns if _holds_years(c) and c.name not in roles.gone]
    years = [name for name in years if profile[name].distinct > 2]
    rest = [c for c in profile.values() if c.name not in (*years, *roles.gone, roles.weights, roles.group)]
    if not years or not any(c.kind in ("number", "word") and c.name != plan.target for c in rest):
        return
    if plan.target is None:
        roles.leave_out(years, "holds years, which say when and not what", "hold years, which say when and not what")
    else:
        roles.years = years


def noted_years(roles: Roles, used: list[str]) -> list[str]:
    """Say that years count as numbers, of those that do."""
    years = [name for name in roles.years if name in used]
    verb = "holds years and counts as a number" if len(years) == 1 else "hold years and count as numbers"
    return [f"{quoted(years)} {verb} ({option('words')} or {option('drop')} decides)."] if years else []


def hinted_groups(table: Any, used: list[str], y: np.ndarray, profile: dict[str, Column]) -> list[tuple[str, str]]:
    """Return the first column each of whose values goes with one class: its rows may belong together."""
    n, classes = len(y), len(np.unique(y))
    for name in used[:MOST_LOOKED_AT]:
        column = profile[name]
        if not column.whole or column.kind == "empty" or not FEWEST_OF_CLASS * classes <= column.distinct <= n / 3:
            continue
        codes = np.unique([str(v) for v in table.column(name).to_pylist()], return_inverse=True)[1]
        pairs = np.unique(np.stack([codes, np.unique(y, return_inverse=True)[1]]), axis=1).shape[1]
        if pairs == codes.max() + 1 and column.distinct >= FEWEST_GROUPS:
            return [("group", name)]
    return []


def _holds_years(column: Column) -> bool:
    inside = column.low >= by_name.FIRST_YEAR and column.high <= by_name.LAST_YEAR
    return column.kind == "number" and column.whole and inside and by_name.is_year(column.name)
