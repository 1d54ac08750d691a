"""A section of the page, and those at its end: rows that do not fit, the table, the same in Python."""

from __future__ import annotations

from typing import Any

from . import figures
from .findings import Findings, counted
from .html import Markup, el, join, table


def section(title: str, *children: Any, id_: str, wide: bool = False) -> Markup:
    """Return a section with its heading."""
    return el(
        "section",
        el("h2", title, id=f"h-{id_}"),
        *children,
        id=id_,
        aria_labelledby=f"h-{id_}",
        class_="wide" if wide else None,
    )


def misfits(f: Findings) -> Markup | None:
    """Return the rows that do not fit, if there are any."""
    found = f.extras.get("misfits")
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
    return section("Rows that do not fit", el("p", about, class_="note"), numbers, id_="misfits", wide=True)


def source_table(f: Findings) -> Markup:
    """Return what was noted of the table."""
    holes = f.extras.get("holes")
    return section(
        "The table",
        el("p", el("code", f.source)),
        el("ul", [el("li", note) for note in f.notes]),
        None if holes is None else el("div", figures.holes(**holes), class_="figures"),
        id_="table",
    )


def code(f: Findings) -> Markup:
    """Return the Python that repeats the study."""
    return section(
        "The same in Python",
        el(
            "div",
            el("button", "Copy", id="copy", type="button"),
            el("pre", el("code", f.code, id="code"), tabindex="0"),
            class_="code",
        ),
        join(
            el(
                "p",
                "Or load the model that was saved with this page: ",
                el("code", "eigenlens.load('model.eigenlens')"),
                ". ",
                "From a terminal: ",
                el("code", "eigenlens predict" if f.kind == "classes" else "eigenlens transform"),
                el("code", " model.eigenlens NEW.csv"),
                ".",
            )
        ),
        id_="code-section",
    )
