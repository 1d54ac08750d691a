"""From columns of a table to columns of numbers: how they are centred and scaled, and what is noted of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.errors import listed
from ..arrays.spelling import option
from ..page.findings import number
from ..rows import Preparation
from .data import Data
from .gaps import holes_in
from .plan import Plan

HUGE = 1e150  # what is larger, or smaller than its inverse, cannot be squared
FEW_NOTES = 4  # columns of words that get a note each
UNLIKE = 5.0  # standard deviations that differ by more than this factor have unlike units


def prepared(data: Data, plan: Plan, table: Any = None, full: bool = False, of: str = "") -> Preparation:
    """Fit the preparation of a table, deciding whether its columns are standardised, and note what it did."""
    table = data.table if table is None else table
    missing = "keep" if plan.missing == "ml" and holes_in(data.table).any() else plan.missing
    missing = missing if missing in ("mean", "keep") else "refuse"

    if data.whole is not None:
        trial = data.whole.preparation(standardise=False)
    else:
        trial = Preparation(standardise=False, missing=missing, full=full, keep=plan.keep)
        trial.fit(table, sample_weight=data.weights)
    spread = trial.spread_
    decided = plan.standardise
    beyond = (spread > HUGE) | (spread < 1 / HUGE)
    if decided is None:
        decided = bool(spread.max() > UNLIKE * spread.min()) or bool(trial.levels_) or bool(beyond.any())
    if beyond.any() and not decided:
        name = trial.names_out_[int(np.argmax(beyond))]
        size = f"a standard deviation of {spread[beyond][0]:.3g}, whose square is too large or too small for a number"
        rule = f"the column {name!r} has {size}"
        asked = option("standardise", False)
        raise errors.InputError(f"{asked} {name!r}: {rule}; leave out {asked}, or the column ({option('drop')}).")
    why = f"standard deviations from {number(spread.min(), 3)} to {number(spread.max(), 3)}"
    columns = f"Columns of the {of}" if of else "Columns"
    done = f"{columns} are standardised" if decided else f"{columns} are centred, not standardised"
    how = "" if plan.standardise is None else ", as asked"
    if len(spread) > 1:
        data.notes.append(f"{done}{how} ({why}).")
    data.notes += _words_noted(trial)
    for reason in dict.fromkeys(trial.left_out_.values()):
        names = [repr(name) for name, why in trial.left_out_.items() if why == reason]
        data.notes.append(f"{listed(names)} left out: {reason}.")
    trial.set_params(standardise=decided)
    trial.scale_ = trial.spread_ if decided else trial.scale_
    return trial


def _words_noted(preparation: Preparation) -> list[str]:
    """Say what became of columns of words: each for itself while they are few."""
    levels = preparation.levels_
    if len(levels) <= FEW_NOTES:
        columns = {name: "a column" if len(words) == 2 else "columns" for name, words in levels.items()}
        return [
            f"{name!r} holds {len(words)} different words, which become {columns[name]} of 0 and 1."
            for name, words in levels.items()
        ]
    made = sum(len(b) for b, c in zip(preparation.blocks(), preparation.columns_, strict=True) if c in levels)
    return [f"{len(levels):,} columns hold words ({listed(map(repr, levels))}) and become {made:,} columns of 0 and 1."]
