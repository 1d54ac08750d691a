"""The page: one file that needs nothing else, asks nothing of any network, and runs no script but its own.

The script and the stylesheet are allowed by their hashes in the page's security policy, so that nothing that comes in
with the data can run even if it were to slip through the escaping.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import date
from importlib import import_module
from importlib.resources import files
from typing import Any

from ..arrays.errors import listed
from .charts import bars, biplot, heat, missing_cells, scatter, scree, tails
from .findings import Findings, counted, number
from .html import Markup, el, join, scrolled, table
from .payload import as_script, left_off, payload
from .predictions import comparison, confusion

SCRIPTS = ("filter.js", "export.js", "page.js")  # the last uses what the others define

CANVAS_WORDS = (
    "Scores of the rows as points; arrow keys move, plus and minus zoom. The legend and the field Select rows choose "
    "some of them, the table lists them."
)
METHOD_WORDS = {
    "none": "where the rows spread",
    "classes": "what separates the classes of {target}",
    "number": "what {target} depends on",
    "views": "what two sets of columns have in common",
    "distances": "a map of the distances",
}


def render(findings: Findings) -> str:
    """Return the page of a study as HTML."""
    script, style = scripted()
    content, shown = payload(findings)
    policy = (
        f"default-src 'none'; script-src {allowed(script)}; style-src {allowed(style)}; "
        f"base-uri 'none'; form-action 'none'"
    )
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", f"{findings.title} · eigenlens"),
        Markup(f"<style>{style}</style>"),
    )
    body = el(
        "body",
        el("a", "Skip to the findings", href="#found", class_="skip"),
        _header(findings),
        el(
            "main",
            _found(findings),
            _scores(findings, shown),
            _directions(findings),
            _loadings(findings),
            _classes(findings),
            _closer(findings),
            _misfits(findings),
            _source(findings),
            _code(findings),
        ),
        _footer(findings),
        as_script(content),
        Markup(f"<script>{script}</script>"),
    )
    return "<!doctype html>\n" + el("html", head, body, lang="en")


def allowed(*contents: str) -> str:
    """Return what allows scripts, or styles, in a security policy: their hashes."""
    return " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(c.encode('utf8')).digest()).decode('ascii')}'" for c in contents
    )


def scripted() -> tuple[str, str]:
    """Return the script and the style of every page."""
    return "\n".join(map(_asset, SCRIPTS)), _asset("page.css")


def _section(title: str, *children: Any, id_: str, wide: bool = False) -> Markup:
    """Return a section with its heading."""
    return el(
        "section",
        el("h2", title, id=f"h-{id_}"),
        *children,
        id=id_,
        aria_labelledby=f"h-{id_}",
        class_="wide" if wide else None,
    )


def _footer(f: Findings) -> Markup:
    """Return what is needed to make the page again: the version, the day and the files."""
    version = import_module("eigenlens").__version__
    made = f"Made with eigenlens {version} on {date.today()}. This page is one file and makes no network requests."
    rows = [
        el("p", el("code", name), f": {counted(size, 'byte')}, SHA-256 ", el("code", digest))
        for name, size, digest in f.files
    ]
    return el("footer", el("p", made), rows)


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf8")


def _header(f: Findings) -> Markup:
    question = METHOD_WORDS[f.kind].replace("{target}", str(f.target))
    facts = counted(f.n_rows, "row") + (f", {counted(f.n_columns, 'column')}" if f.loading_names else "")
    return el("header", el("h1", f.title), el("p", f"{f.method}: {question}. {facts}.", class_="lead"))


def _found(f: Findings) -> Markup:
    tiles = []
    if f.shown_directions is not None:
        of = "or more of" if f.test.stopped else "of"
        are = "direction is shown" if len(f.directions) == 1 else "directions are shown"
        tiles.append((f"{f.shown_directions} {of} {len(f.directions)}", are))
    shares = [d.share for d in f.directions if d.share is not None]
    if len(shares) > 2:
        tiles.append((f"{sum(shares[:2]):.0%}", "in the first two directions"))
    if f.ours is not None:
        tiles.append((f"{f.ours.score:.1%}", f"{f.score_name} on rows left out"))
    if f.kind == "views" and f.directions:
        tiles.append((f"{f.directions[0].value:.2f}", "strongest correlation"))
    if f.euclidean is not None:
        tiles.append(("yes" if f.euclidean else "no", "Euclidean distances"))
    row = [el("div", el("b", value), el("span", words), class_="tile") for value, words in tiles]
    steps = [el("li", step.what, " ", el("code", _command(step.command))) for step in f.next_steps]
    return _section(
        "What was found",
        el("div", row, class_="tiles") if row else None,
        el("p", " ".join(f.summary)),
        _listed("What to doubt", [el("li", doubt) for doubt in (*f.warnings, *f.doubts)]),
        _listed("What to do next", steps),
        id_="found",
    )


def _note(words: str) -> Markup:
    return el("p", words, class_="note")


def _listed(title: str, items: list[Markup]) -> list[Markup]:
    return [el("h3", title), el("ul", items)] if items else []


def _scores(f: Findings, shown: int) -> Markup:
    note = " ".join(filter(None, [*left_off(f, shown), f.left_out]))
    rows = el("table", el("thead", id="rows-head"), el("tbody", id="rows-body"), id="rows")
    return _section(
        "The rows",
        _note(note) if note else None,
        _controls(),
        el("div", _plot(), _side(), class_="split"),
        scrolled(rows, "Rows", "scroll rows"),
        id_="scores",
        wide=True,
    )


def _controls() -> Markup:
    def choice(name: str, words: str) -> Markup:
        return el("label", words, " ", el("select", id=name), class_="choice")

    def shown(name: str) -> Markup:
        box = el("input", type="checkbox", id=name, checked=True)
        return el("label", box, f" {name}", class_="choice", hidden=True)

    writing = el(
        "input", id="filter", type="search", autocomplete="off", spellcheck="false", aria_describedby="filter-help"
    )
    return el(
        "div",
        [choice("axis-x", "Across"), choice("axis-y", "Up"), choice("colour", "Colour")],
        [shown(name) for name in ("regions", "names", "density")],
        el(
            "span",
            _button("lasso", "Lasso", aria_pressed="true"),
            _button("move", "Move", aria_pressed="false"),
            [_button("reset", "Whole"), _button("clear", "Clear")],
            class_="buttons",
        ),
        el("label", "Select rows ", writing, class_="choice"),
        el("span", id="filter-help", class_="note"),
        el(
            "span",
            _button("save-rows", "Save rows", title="The selected rows, or all, as CSV"),
            [_button("save-png", "Save PNG"), _button("save-svg", "Save SVG")],
            class_="buttons",
        ),
        class_="controls",
    )


def _button(name: str, words: str, **more: Any) -> Markup:
    return el("button", words, id=name, type="button", **more)


def _plot() -> Markup:
    words = "The scores are listed in the table below."
    return el(
        "div",
        el("canvas", words, id="plot", tabindex="0", role="img", aria_label=CANVAS_WORDS),
        el("div", id="tip", hidden=True, role="status"),
        el("p", id="by", class_="note"),
        el("div", el("h3", "Other pairs of directions"), el("div", id="pairs"), id="more-pairs", hidden=True),
        class_="plot",
    )


def _side() -> Markup:
    return el(
        "div",
        el("div", id="legend", role="group", aria_label="Legend; a button selects its rows"),
        el("h3", "Selected rows"),
        el(
            "p",
            "Draw around points, choose a kind in the legend, or write what to select.",
            id="count",
            aria_live="polite",
        ),
        el("div", id="apart"),
        class_="side",
    )


def _command(words: str) -> list[Any]:
    """Return a command that breaks between its words, and not after the hyphens of an option."""
    parts = [(join(word, verbatim=True), "word" if len(word) < 30 else None) for word in words.split(" ")]
    return [[el("span", word, class_=kind), " "] for word, kind in parts]


def _directions(f: Findings) -> Markup:
    shared = any(d.share is not None for d in f.directions)
    rows = [
        [
            d.name,
            number(d.value),
            *(["" if d.share is None else f"{d.share:.1%}"] if shared else []),
            d.verdict.removesuffix(" by these rows"),  # the picture next to it says so once
            d.evidence.replace(" < ", "\u00a0<\u00a0").replace(" = ", "\u00a0=\u00a0"),  # p-values stay in one line
        ]
        for d in f.directions[:30]
    ]
    head = ["direction", f.value_name, *(["share"] if shared else []), "verdict", "evidence"]
    more = len(f.directions) - len(rows)
    numbers = table(head, rows, f"Directions, the first {len(rows)} of {len(f.directions)}" if more else "Directions")
    drawings = el("div", scree(f), tails(f))
    return _section(
        "The directions",
        _note(f.test.about) if f.shown_directions is not None and f.test.about else None,
        el("div", drawings, numbers, class_="pair"),
        _note(f"In the table of scores: {listed(f.score_names, 8)}."),
        id_="directions",
        wide=True,
    )


def _loadings(f: Findings) -> Markup | None:
    if not f.loading_names or f.loadings.shape[1] == 0:
        return None
    k = f.loadings.shape[1]
    shown = f.shown_axes(max(2, min(f.shown_directions or 2, 3)))
    drawings = [*(bars(f, j) for j in shown), heat(f)]
    arrows = biplot(f) if k > 1 and f.kind != "views" else None
    return _section(
        "What the columns say",
        _note(f"{f.loading_kind.capitalize()}."),
        el("div", el("div", arrows, class_="big") if arrows else None, el("div", drawings, class_="figures")),
        id_="loadings",
        wide=True,
    )


def _classes(f: Findings) -> Markup | None:
    parts = []
    if f.confusion is not None:
        parts.append(confusion(*f.confusion))
    if any(c.score == c.score for c in f.comparison):
        parts.append(comparison(f.comparison, f.score_name, f.baseline))
    if not parts:
        return None
    classes = 0 if f.confusion is None else len(f.confusion[0])
    layout = "figures" if classes <= 5 else "pair" if classes <= 12 else "stack"  # a column next to others cuts a table
    body = el("div", parts if layout == "figures" else parts[::-1], class_=layout)
    return _section("How well it predicts", body, id_="predicts", wide=True)


def _closer(f: Findings) -> Markup | None:
    """Return what only some studies have: curves, a Shepard plot, pairs of two sets."""
    parts, target, some = [], str(f.target), _some(len(f.scores))
    if f.curve is not None:
        about = (
            f"The mean of the first direction in slices of {target}, with 95% intervals. A slope or a bend shows a "
            "relation; a flat line shows none."
        )
        names, y = (target, "direction 1"), f.columns.get(target)
        parts.append(
            scatter(f.curve["y"], f.curve["z"], "Inverse-regression curve", about, names, half=f.curve["half"])
        )
        if y is not None and y.dtype.kind == "f":
            about = "The response against the first direction."
            parts.append(scatter(f.scores[some, 0], y[some], "Response", about, names[::-1]))
    if f.shepard is not None:
        given, drawn = f.shepard["given"], f.shepard["drawn"]
        near = _some(len(given))
        about = "Distances on the map against the given ones; on the line, the map is exact."
        names = ("given distance", "on the map")
        parts.append(scatter(given[near], drawn[near], "Shepard plot", about, names, diagonal=True))
    k, names = f.pairs or 0, ("first set", "second set")
    for j in range(min(k, 2)):
        about = f"Correlation {f.directions[j].value:.2f}."
        parts.append(scatter(f.scores[some, j], f.scores[some, k + j], f"Pair {j + 1}", about, names))
    return _section("A closer look", el("div", parts, class_="figures"), id_="closer", wide=True) if parts else None


def _some(n: int, most: int = 1500) -> slice:
    """Every so many rows: a figure of dots needs no more."""
    return slice(None, None, max(n // most, 1))


def _misfits(f: Findings) -> Markup | None:
    """Return the rows that do not fit, if there are any."""
    found = f.misfits
    if found is None or not found["rows"]:
        return None
    about = (
        f"Rows beyond the limits that {found['level']:.0%} of normal rows exceed: far out along the "
        f"{counted(found['components'], 'component')} (T²), or away from them (Q). The columns listed add most to it."
    )
    rows = [
        [
            row["row"],
            row["measure"],
            f"{row['times']:.1f} times the limit",
            ", ".join(f"{name} ({share:.0%})" for name, share in row["columns"]),
        ]
        for row in found["rows"]
    ]
    count = found["count"]
    caption = f"The {len(rows)} farthest of {count:,} rows" if len(rows) < count else f"{counted(count, 'row')} in all"
    numbers = table(["row", "where", "how far", "columns that add most"], rows, caption)
    return _section("Rows that do not fit", _note(about), numbers, id_="misfits", wide=True)


def _source(f: Findings) -> Markup:
    """Return what was noted of the table."""
    return _section(
        "The table",
        el("p", el("code", f.source)),
        el("ul", [el("li", note) for note in f.notes]),
        None if f.gaps is None else el("div", missing_cells(**f.gaps), class_="figures"),
        id_="table",
    )


def _code(f: Findings) -> Markup:
    """Return the Python that repeats the study."""
    return _section(
        "The same in Python",
        el("div", _button("copy", "Copy"), el("pre", el("code", f.code, id="code"), tabindex="0"), class_="code"),
        el(
            "p",
            "Or load the model that was saved with this page: ",
            el("code", "eigenlens.load('model.eigenlens')"),
            ". From a terminal: ",
            el("code", "eigenlens predict" if f.kind == "classes" else "eigenlens transform"),
            el("code", " model.eigenlens NEW.csv"),
            ".",
        ),
        id_="code-section",
    )
