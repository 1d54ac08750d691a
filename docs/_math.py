"""Formulas as MathML, which browsers draw themselves: docutils translates them when the site is built."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


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
