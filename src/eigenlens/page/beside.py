"""Two pages side by side: the same rows through two methods."""

from __future__ import annotations

import html
from collections.abc import Sequence

from .build import allowed, scripted

STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.4 system-ui, sans-serif; background: Canvas; color: CanvasText; }
h1 { font-size: 1.2rem; margin: .6rem 1rem; }
main { display: grid; grid-template-columns: 1fr 1fr; gap: 4px; }
h2 { font-size: 1rem; margin: .3rem 1rem; }
iframe { width: 100%; height: calc(100vh - 6rem); border: 0; border-top: 1px solid GrayText; }
@media (max-width: 900px) { main { grid-template-columns: 1fr; } iframe { height: var(--whole, 90vh); } }
@media print {
  main { grid-template-columns: 1fr; } iframe { height: var(--whole, 100vh); } section { break-after: page; }
}
"""
# Pages in frames say how tall they are: one below the other, each is shown whole, and the phone scrolls once.
SCRIPT = """
addEventListener("message", (event) => {
  const height = Number(event.data && event.data.eigenlensHeight);
  for (const frame of document.querySelectorAll("iframe"))
    if (frame.contentWindow === event.source && height > 0) frame.style.setProperty("--whole", `${height}px`);
});
"""


def side_by_side(title: str, pages: Sequence[tuple[str, str]]) -> str:
    """Return one page that holds others next to each other, below each other on a phone.

    Parameters
    ----------
    title : str
    pages : sequence of (name, HTML)
    """
    frames = "".join(
        f"<section><h2>{html.escape(name)}</h2>"
        f'<iframe srcdoc="{html.escape(page, quote=True)}" title="{html.escape(f"{title}: {name}", quote=True)}" '
        'sandbox="allow-scripts allow-downloads"></iframe></section>'
        for name, page in pages
    )
    script, style = scripted()  # pages in frames obey the policy of the page around them, too
    policy = (
        f"default-src 'none'; script-src {allowed(SCRIPT, script)}; style-src {allowed(STYLE, style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = '<meta charset="utf-8">'
    head += f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy, quote=True)}">'
    head += '<meta name="viewport" content="width=device-width, initial-scale=1">'
    named = html.escape(f"{title}: {' and '.join(name for name, _ in pages)}")
    return (
        f'<!DOCTYPE html><html lang="en"><head>{head}<title>{named}</title><style>{STYLE}</style></head>'
        f"<body><script>{SCRIPT}</script><h1>{named}</h1><main>{frames}</main></body></html>"
    )
