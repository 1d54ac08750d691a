"""What to do next: commands that follow from what was found."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..methods.spine.about import NextMethod
from ..page.findings import Findings, NextStep
from ..rows.csv_text import AUTO, Dialect
from ..rows.endings import name_of
from .data import Data
from .methods import declared, of_question
from .plan import Plan

MOST_STEPS = 3
FEW_KINDS = 10  # of a column of words that could be explained


def suggestions(cls: Any, findings: Findings, data: Data, plan: Plan, missing: Sequence[str] = ()) -> list[NextStep]:
    """Return at most three steps that follow from the findings; none where the rows are in no file to name.

    Parameters
    ----------
    cls : class of the method
    findings : Findings
    data : Data
    plan : Plan
    missing : list of str
        What treats cells far beyond all others as missing (`--na`).
    """
    if data.in_memory or data.source == "-":
        return []
    steps = {
        "none": _of_spread,
        "classes": _of_classes,
        "number": _of_number,
        "views": _of_views,
        "distances": _of_distances,
    }[data.kind]
    without = replace(data, asked=replace(data.asked, na=(*data.asked.na, *missing)))
    unread = [_step("If cells far beyond the others stand for missing ones, treat them so.", without, plan)]
    found = unread if missing else []
    found += [*_of_gaps(findings, data, plan), *_of_hints(data, plan), *steps(cls, findings, data, plan)]
    found += _of_any(findings, data, plan)
    if len({step.command for step in found}) < MOST_STEPS:
        found += _beside(cls, data, plan)
    kept = list({step.command: step for step in found}.values())[:MOST_STEPS]
    return [_elsewhere(step, data, j) for j, step in enumerate(kept, 2)]


def _elsewhere(step: NextStep, data: Data, j: int) -> NextStep:
    """Give a report a folder of its own: that of this one is there already."""
    if not step.command.startswith("eigenlens report "):
        return step
    return replace(step, command=f"{step.command} --out {shlex.quote(f'{name_of(data.sources)}-report-{j}')}")


def _of_spread(cls: Any, findings: Findings, data: Data, plan: Plan) -> list[NextStep]:
    steps = []
    kinds = {name: len(set(v)) for name, v in data.shown.items() if v.dtype == object}
    names = [name for name, k in kinds.items() if 2 <= k <= FEW_KINDS and k < data.n_rows / 2]
    if names:
        steps.append(
            _step(f"See what separates the kinds of {names[0]!r}.", data, replace(plan, target=names[0], method="auto"))
        )
    tops = [name for name, _ in findings.top_loadings(0, 1)] if findings.axes else []
    if tops and tops[0] in data.shown and len(data.table.column_names) > 1:
        target = replace(plan, target=tops[0], method="auto")
        steps.append(_step(f"See what {tops[0]!r}, which counts most, depends on.", data, target))
    if any("not standardised" in doubt for doubt in findings.doubts):
        steps.append(_step("Give all columns the same weight.", data, replace(plan, standardise=True)))
    return steps + _of_method(cls, findings, data, plan)


def _of_classes(cls: Any, findings: Findings, data: Data, plan: Plan) -> list[NextStep]:
    steps = []
    known = {declared(c).compared_as: name for name, c in of_question("classes").items()}
    scored = sorted((c for c in findings.comparison if np.isfinite(c.score)), key=lambda c: -c.score)
    better = [c for c in scored if c.name in findings.told_apart and c.name in known]
    if better and findings.ours is not None and better[0].score > findings.ours.score:
        what = f"Look at the directions of {better[0].name}, which does better."
        steps.append(_step(what, data, replace(plan, method=known[better[0].name])))
    return steps + _without_the_first(findings, data, plan)


def _of_number(cls: Any, findings: Findings, data: Data, plan: Plan) -> list[NextStep]:
    return _of_method(cls, findings, data, plan) + _without_the_first(findings, data, plan)


def _of_distances(cls: Any, findings: Findings, data: Data, plan: Plan) -> list[NextStep]:
    """Leave out the point that lies farthest from the middle of the map, and place others on it."""
    farthest = data.table.column_names[int(np.argmax((findings.scores[:, :2] ** 2).sum(axis=1)))]
    without = replace(plan, drop=(*plan.drop, farthest))
    return [
        _step(f"See the map without {farthest!r}, which lies farthest from its middle.", data, without),
        _applied("Place other points by their distances to these.", "transform", data),
    ]


def _of_views(cls: Any, findings: Findings, data: Data, plan: Plan) -> list[NextStep]:
    together = replace(plan, views=None, method="auto")
    steps = [_step("See where the rows spread in all columns together.", data, together)]
    tops = [name for name, _ in findings.top_loadings(0, 1)] if findings.axes else []
    a, b = ([name for name in view if name not in tops] for view in plan.views or ([], []))
    if a and b and (a, b) != plan.views:
        what = f"See what the two sets have in common without {tops[0]!r}, which counts most."
        steps.append(_step(what, data, replace(plan, views=(a, b))))
    return steps


def _of_method(cls: Any, findings: Findings, data: Data, plan: Plan) -> list[NextStep]:
    """Return the methods that this one names after itself, where they answer the question and the findings call."""
    known = of_question(data.kind)
    return [
        _step(other.why.format(target=repr(plan.target)), data, replace(plan, method=other.name))
        for other in declared(cls).next_methods
        if other.name in known and _called_for(other, findings)
    ]


def _called_for(other: NextMethod, findings: Findings) -> bool:
    if other.when == "warned":
        return any(other.name in said for said in findings.warnings)
    return other.when == "always" or findings.shown_directions == 0


def _without_the_first(findings: Findings, data: Data, plan: Plan) -> list[NextStep]:
    """Leave out the column that counts most: what it says may be all there is, or given away."""
    columns = data.table.column_names
    tops = [name for name, _ in findings.top_loadings(0, 1)] if findings.axes else []
    owners = [name for name in columns if tops and (tops[0] == name or tops[0].startswith(f"{name} = "))]
    if not owners or len(columns) < 3:
        return []
    what = f"See what is left without {owners[0]!r}, which counts most."
    return [_step(what, data, replace(plan, drop=(*plan.drop, owners[0])))]


def _beside(cls: Any, data: Data, plan: Plan) -> list[NextStep]:
    """Put another method that answers the same question beside this one."""
    others = [(name, other) for name, other in of_question(data.kind).items() if other is not cls]
    if not others or data.whole is not None:
        return []
    name, other = others[0]
    step = _step(f"See what {other.__name__} finds, side by side with this page.", data, plan)
    return [replace(step, command=f"{step.command} --beside {name}")]


def _of_any(findings: Findings, data: Data, plan: Plan) -> list[NextStep]:
    steps = []
    if data.sampled:
        steps.append(_step("See whether other rows say the same.", data, replace(plan, seed=plan.seed + 1)))
    if plan.target is not None:
        steps.append(
            _step("See where the rows spread without a target.", data, replace(plan, target=None, method="auto"))
        )
    if data.kind in ("classes", "number"):
        what = "the classes of new rows" if data.kind == "classes" else f"{plan.target!r} for new rows"
        steps.append(_applied(f"Predict {what}.", "predict", data))
    elif data.kind != "distances":
        steps.append(_applied("Place new rows in the picture.", "transform", data))
    else:
        steps.append(NextStep("See which other methods there are.", "eigenlens advise"))
    return steps


def _applied(what: str, command: str, data: Data) -> NextStep:
    words = shlex.join(_writing(data.asked))
    return NextStep(what, f"eigenlens {command} model.eigenlens NEW.csv{' ' * bool(words)}{words}")


def _of_gaps(findings: Findings, data: Data, plan: Plan) -> list[NextStep]:
    """Leave out the one column with missing cells, where the directions could not be tested because of it."""
    gaps = findings.gaps
    if gaps is None or findings.shown_directions is not None or len(gaps["names"]) < 3:
        return []
    lacking = [name for name, some in zip(gaps["names"], gaps["gaps"].any(axis=0), strict=True) if some]
    if len(lacking) != 1:
        return []
    what = f"Test the directions without {lacking[0]!r}, the only column with missing cells."
    return [_step(what, data, replace(plan, drop=(*plan.drop, lacking[0])))]


def _of_hints(data: Data, plan: Plan) -> list[NextStep]:
    """Columns that may weight rows, or say which belong together: only the owner of the table can tell."""
    steps = []
    for role, name in data.roles.hints:
        if role == "weights":
            what = f"If {name!r} says how much each row counts, use it as weights."
            steps.append(_step(what, data, replace(plan, weights=name)))
        else:
            what = f"If rows of one {name!r} belong together, judge by whole groups: they all have one {plan.target!r}."
            steps.append(_step(what, data, replace(plan, group=name)))
    return steps


def _step(what: str, data: Data, plan: Plan) -> NextStep:
    words = ["eigenlens", "report", *data.sources, *_question(plan), *_writing(data.asked), *_columns(data.asked, plan)]
    words += ["--missing", plan.missing] if plan.missing != Plan.missing else []
    if plan.standardise is not None:
        words.append("--standardise" if plan.standardise else "--no-standardise")
    words += ["--sample", str(plan.sample)] if plan.sample is not None else []
    words += ["--seed", str(plan.seed)] if plan.seed else []
    return NextStep(what, shlex.join(words))


def _question(plan: Plan) -> list[str]:
    words = ["--target", plan.target] if plan.target is not None else []
    words += ["--as", plan.target_is] if plan.target_is and plan.target is not None else []
    words += ["--distances"] if plan.distances else []
    words += [] if plan.views is None else ["--views", *plan.views[0], "--", *plan.views[1]]
    return words + (["--method", plan.method] if plan.method != "auto" else [])


def _writing(asked: Dialect) -> list[str]:
    """Return how the file is written, as far as the user had to say it: new rows are written in the same way."""
    given = {name: getattr(asked, name) for name in ("delimiter", "decimal", "encoding")}
    words = [word for name, value in given.items() if value != AUTO for word in (f"--{name}", value)]
    words += ["--header-line", str(asked.header_line)] if asked.header_line else []
    words = ["tab" if word == "\t" else word for word in words]
    return words + [word for text in asked.na for word in ("--na", text)]


def _columns(asked: Dialect, plan: Plan) -> list[str]:
    several = {"--words": asked.words, "--numbers": plan.numbers, "--drop": plan.drop, "--keep": plan.keep}
    words = [word for option, names in several.items() for name in names for word in (option, name)]
    single = {"--id": plan.id, "--weights": plan.weights, "--group": plan.group}
    return words + [word for option, name in single.items() if name is not None for word in (option, name)]
