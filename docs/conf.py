"""How Sphinx builds the site: `make docs`. No part of it needs the network."""

from __future__ import annotations

import inspect
import os
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.inspect import stringify_signature

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
os.environ.setdefault("MPLBACKEND", "Agg")

import _advice  # noqa: E402
import _benchmarks  # noqa: E402
import _math  # noqa: E402
import _pictures  # noqa: E402
import _reference  # noqa: E402
import _search  # noqa: E402

import eigenlens  # noqa: E402

project = "eigenlens"
author = "The eigenlens developers"
copyright = author
release = eigenlens.__version__
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery", "pictures", "_*"]
templates_path = ["_templates"]
default_role = "code"

# Markdown
myst_enable_extensions = ["colon_fence", "attrs_inline", "dollarmath"]
myst_dmath_allow_labels = False
myst_heading_anchors = 3
myst_links_external_new_tab = False

# The reference comes from the docstrings
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say what a person should know about types
autodoc_preserve_defaults = True  # as they are written
numpydoc_show_class_members = False  # the template lists them
numpydoc_xref_param_type = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"eigenlens {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_show_sphinx = False
html_math_renderer = "mathml"  # docs/_math.py
html_theme_options: dict[str, Any] = {
    "logo": {"image_light": "_static/logo.svg", "image_dark": "_static/logo.svg", "text": "eigenlens"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "show_prev_next": False,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {page: [] for page in ("index", "start", "which_method", "one_idea")}

# A host that keeps several versions sets the address of its list of versions.
if os.environ.get("EIGENLENS_DOCS_VERSIONS"):
    html_theme_options["switcher"] = {"json_url": os.environ["EIGENLENS_DOCS_VERSIONS"], "version_match": release}
    html_theme_options["check_switcher"] = False
    html_theme_options["navbar_end"] = ["version-switcher", "theme-switcher"]

# Examples: docs/gallery/plot_*.py. `-D plot_gallery=0` builds their pages without running them.
SECTIONS = ("spread", "sure", "classes", "response", "two_tables", "distances", "kernels", "scale")
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
    "subsection_order": [f"gallery/{name}" for name in SECTIONS],
    "within_subsection_order": "FileNameSortKey",
    "image_srcset": ["2x"],
    "matplotlib_animations": False,
    "min_reported_time": 1e9,  # the clock of a busy machine tells nothing; a test counts the seconds of the processor
    "write_computation_times": False,  # its table needs scripts from the network
}


def skip_member(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what scikit-learn and Python themselves put into our classes."""
    if name.startswith("set_") and name.endswith("_request"):
        return True
    member = member.fget if isinstance(member, property) else member
    home = getattr(member, "__module__", None) or "eigenlens"
    return None if home.startswith("eigenlens") else True


def plain_text(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Escape what reStructuredText would take for markup: |u − v|, and attributes_ with their underscore."""
    formula: int | None = None  # how far the directive of a formula is indented, of which nothing is escaped
    for j, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.strip() and formula is not None and indent <= formula:
            formula = None
        if line.lstrip().startswith(".. math::"):
            formula = indent
        if formula is None and not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(``[^`]*``|`[^`]*`)", line)
            parts[::2] = [re.sub(r"(?<=\w)(?<!\\)_(?!\w)|(?<!\\)\|", r"\\\g<0>", part) for part in parts[::2]]
            lines[j] = "".join(parts)


def signature_of_class(
    app: Any, what: str, name: str, thing: Any, options: Any, shown: str | None, returned: str | None
) -> tuple[str, None] | None:
    """Show the parameters of `__init__`: Sphinx takes those of `__new__`."""
    if what != "class" or shown != "(*args, **keywords)":
        return None
    return stringify_signature(inspect.signature(thing), show_annotation=False, show_return_annotation=False), None


def close_up(app: Any, page: nodes.document) -> None:
    """Drop the empty line that ends a doctest in Markdown: a reader would see an empty line in the box."""
    for block in page.findall(nodes.literal_block):
        if block.rawsource == block.astext():  # otherwise it holds markup
            block.rawsource = block.astext().rstrip("\n")
            block.children = [nodes.Text(block.rawsource)]


def setup(app: Any) -> None:
    """Write the pages that are made from the package, and connect the hooks above."""
    _reference.write_pages(HERE / "api")
    _advice.write_page(HERE / "_made/which_method.md")
    _pictures.draw_all(HERE / "_made", keep_old=bool(os.environ.get("EIGENLENS_DOCS_KEEP_PICTURES")))
    _benchmarks.write_page(HERE / "_made/benchmarks.md")
    _math.setup(app)
    _search.setup(app)
    app.connect("doctree-read", close_up)
    app.connect("autodoc-process-signature", signature_of_class)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-docstring", plain_text, priority=900)  # after numpydoc
