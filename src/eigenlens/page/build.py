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
from . import figures
from .biplot import biplot
from .confusion import confusion
from .findings import Findings, counted, number
from .html import Markup, el, join, table
from .payload import as_script, left_off, payload
from .sections import code, misfits, section, source_table

LONG_WORD = 30  # which may break anywhere
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
            _extras(findings),
            misfits(findings),
            source_table(findings),
            code(findings),
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


def _footer(f: Findings) -> Markup:
    """Return what is needed to make the page again: the version, the day and the files."""
    version = import_module("eigenlens").__version__
    made = f"Made with eigenlens {version} on {date.today()}. This page is one file and makes no network requests."
    rows = [
        el("p", el("code", name), f": {counted(size, 'byte')}, SHA-256 ", el("code", digest))
        for name, size, digest in f.extras.get("files", ())
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
    if f.kind in ("views",) and f.directions:
        tiles.append((f"{f.directions[0].value:.2f}", "strongest correlation"))
    if "euclidean" in f.extras:
        tiles.append(("yes" if f.extras["euclidean"] else "no", "Euclidean distances"))
    row = el(
        "div", [el("div", el("b", value), el("span", words), class_="tile") for value, words in tiles], class_="tiles"
    )
    doubts = [*f.warnings, *f.doubts]
    return section(
        "What was found",
        row if tiles else None,
        el("p", " ".join(f.summary)),
        el("h3", "What to doubt") if doubts else None,
        el("ul", [el("li", d) for d in doubts]) if doubts else None,
        el("h3", "What to do next") if f.next_steps else None,
        el("ul", [el("li", step.what, " ", el("code", _command(step.command))) for step in f.next_steps])
        if f.next_steps
        else None,
        id_="found",
    )


def _scores(f: Findings, shown: int) -> Markup:
    note = " ".join([*left_off(f, shown), *([f.extras["left_out"]] if "left_out" in f.extras else [])])
    rows = el(
        "div",
        el("table", el("thead", id="rows-head"), el("tbody", id="rows-body"), id="rows"),
        class_="scroll rows",
        tabindex="0",
        role="region",
        aria_label="Rows",
    )
    return section(
        "The rows",
        el("p", note, class_="note") if note else None,
        _controls(),
        el("div", _plot(), _side(), class_="split"),
        rows,
        id_="scores",
        wide=True,
    )


def _controls() -> Markup:
    def choice(name: str, words: str) -> Markup:
        return el("label", words, " ", el("select", id=name), class_="choice")

    return el(
        "div",
        choice("axis-x", "Across"),
        choice("axis-y", "Up"),
        choice("colour", "Colour"),
        [
            el("label", el("input", type="checkbox", id=name, checked=True), f" {name}", class_="choice", hidden=True)
            for name in ("regions", "names", "density")
        ],
        el(
            "span",
            el("button", "Lasso", id="lasso", type="button", aria_pressed="true"),
            el("button", "Move", id="move", type="button", aria_pressed="false"),
            el("button", "Whole", id="reset", type="button"),
            el("button", "Clear", id="clear", type="button"),
            class_="buttons",
        ),
        el(
            "label",
            "Select rows ",
            el(
                "input",
                type="search",
                id="filter",
                autocomplete="off",
                spellcheck="false",
                aria_describedby="filter-help",
            ),
            class_="choice",
        ),
        el("span", id="filter-help", class_="note"),
        el(
            "span",
            el("button", "Save rows", id="save-rows", type="button", title="The selected rows, or all, as CSV"),
            el("button", "Save PNG", id="save-png", type="button"),
            el("button", "Save SVG", id="save-svg", type="button"),
            class_="buttons",
        ),
        class_="controls",
    )


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
    parts = [(join(word, verbatim=True), "word" if len(word) < LONG_WORD else None) for word in words.split(" ")]
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
    drawings = el("div", figures.scree(f), figures.tails(f))
    return section(
        "The directions",
        el("p", f.test.about, class_="note") if f.shown_directions is not None and f.test.about else None,
        el("div", drawings, numbers, class_="pair"),
        el("p", f"In the table of scores: {listed(f.score_names, 8)}.", class_="note"),
        id_="directions",
        wide=True,
    )


def _loadings(f: Findings) -> Markup | None:
    if not f.loading_names or f.loadings.shape[1] == 0:
        return None
    k = f.loadings.shape[1]
    shown = f.shown_axes(max(2, min(f.shown_directions or 2, 3)))
    drawings = [*(figures.bars(f, j) for j in shown), figures.heat(f)]
    arrows = biplot(f) if k > 1 and f.kind != "views" else None
    return section(
        "What the columns say",
        el("p", f"{f.loading_kind.capitalize()}.", class_="note"),
        el("div", el("div", arrows, class_="big") if arrows else None, el("div", drawings, class_="figures")),
        id_="loadings",
        wide=True,
    )


def _classes(f: Findings) -> Markup | None:
    parts = []
    if f.confusion is not None:
        parts.append(confusion(*f.confusion))
    if any(c.score == c.score for c in f.comparison):
        parts.append(figures.comparison(f.comparison, f.score_name, f.baseline))
    if not parts:
        return None
    classes = 0 if f.confusion is None else len(f.confusion[0])
    layout = "figures" if classes <= 5 else "pair" if classes <= 12 else "stack"  # a column next to others cuts a table
    body = el("div", parts if layout == "figures" else parts[::-1], class_=layout)
    return section("How well it predicts", body, id_="predicts", wide=True)


def _extras(f: Findings) -> Markup | None:
    parts = [*_curves(f), *_shepard(f), *_pairs(f)]
    return section("A closer look", el("div", parts, class_="figures"), id_="closer", wide=True) if parts else None


def _some(n: int, most: int = 1500) -> slice:
    """Every so many rows: a figure of dots needs no more."""
    return slice(None, None, max(n // most, 1))


def _curves(f: Findings) -> list[Markup]:
    if "curve" not in f.extras:
        return []
    c, target = f.extras["curve"], str(f.target)
    about = (
        f"The mean of the first direction in slices of {target}, with 95% intervals. A slope or a bend "
        f"shows a relation; a flat line shows none."
    )
    names = (target, "direction 1")
    parts = [figures.scatter(c["y"], c["z"], "Inverse-regression curve", about, names, half=c["half"])]
    z, y = f.scores[:, 0], f.columns.get(target)
    if y is not None and y.dtype.kind == "f":
        some = _some(len(z))
        about = "The response against the first direction."
        parts.append(figures.scatter(z[some], y[some], "Response", about, names[::-1]))
    return parts


def _shepard(f: Findings) -> list[Markup]:
    if "shepard" not in f.extras:
        return []
    given, drawn = f.extras["shepard"]["given"], f.extras["shepard"]["drawn"]
    some = _some(len(given))
    about = "Distances on the map against the given ones; on the line, the map is exact."
    names = ("given distance", "on the map")
    return [figures.scatter(given[some], drawn[some], "Shepard plot", about, names, diagonal=True)]


def _pairs(f: Findings) -> list[Markup]:
    k, some, names = f.extras.get("pairs") or 0, _some(f.n_rows), ("first set", "second set")
    return [
        figures.scatter(
            f.scores[some, j],
            f.scores[some, k + j],
            f"Pair {j + 1}",
            f"Correlation {f.directions[j].value:.2f}.",
            names,
        )
        for j in range(min(k, 2))
    ]
