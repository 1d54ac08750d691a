"""Formulas as MathML, which browsers draw themselves: docutils translates them when the site is built.

Symbols in sentences are plain text, so that the pages and docstrings can be read as they are: T_W, x_{j}, e^{−d}. On
the site their indices and powers are set as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.transforms import SphinxTransform

SYMBOL = r"(?:(?<![A-Za-z0-9_][A-Za-z])(?<=[A-Za-z])|(?<=[\u0391-\u03c9‖]))"  # one letter, not the end of a name
INDEX = re.compile(SYMBOL + r"_(\{[^{}]+\}|(?:[A-Za-z]{1,2}|\d|\*)(?![A-Za-z0-9_]))")
POWER = re.compile(r"(?<=\S)\^(\{[^{}]+\}|(?:[±−-]?\d{1,3}[A-Z]?|½|[a-z])(?![A-Za-z0-9_]))")
PLAIN = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.FixedTextElement)


class Indices(SphinxTransform):
    """Set what follows a letter and an underscore as an index, and what follows ^ as a power."""

    default_priority = 600

    def apply(self, **keywords: Any) -> None:
        """Walk through the sentences of the page that is being read."""
        for text in list(self.document.findall(nodes.Text)):
            if ("_" in text or "^" in text) and not is_code(text):
                pieces = list(set_indices(str(text)))
                if len(pieces) > 1:
                    text.parent.replace(text, pieces)


def is_code(node: nodes.Node) -> bool:
    while node is not None:
        if isinstance(node, PLAIN):
            return True
        node = node.parent
    return False


def set_indices(text: str) -> Iterator[nodes.Node]:
    """Yield a sentence as text, indices and powers."""
    end = 0
    found = [(match, nodes.subscript) for match in INDEX.finditer(text)]
    found += [(match, nodes.superscript) for match in POWER.finditer(text)]
    for match, kind in sorted(found, key=lambda pair: pair[0].start()):
        if match.start() > end:
            yield nodes.Text(text[end : match.start()])
        inside = match[1].strip("{}")
        yield kind(inside, inside)
        end = match.end()
    if end < len(text):
        yield nodes.Text(text[end:])


def inline(page: Any, node: nodes.math) -> None:
    """Write a formula of a sentence."""
    page.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def displayed(page: Any, node: nodes.math_block) -> None:
    """Write a formula of its own; a wide one scrolls on a narrow screen."""
    page.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Make this the renderer of formulas in place of MathJax, which pages would fetch from the network."""
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
    app.add_transform(Indices)
