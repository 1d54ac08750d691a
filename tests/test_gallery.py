"""Every example of the gallery runs and draws."""

import ast
import runpy
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
EXAMPLES = sorted(GALLERY.rglob("plot_*.py"))


def test_there_are_thirty():
    assert len(EXAMPLES) >= 30


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_has_a_title_and_prose(path):
    text = path.read_text(encoding="utf-8")
    title, underline, *rest = ast.get_docstring(ast.parse(text)).splitlines()
    assert underline == "=" * len(title)
    assert any(rest), "a few words about the idea come before the code"
    assert "\n# %%\n" in text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_draws(path):
    plt = pytest.importorskip("matplotlib.pyplot")
    if "statsmodels" in path.read_text(encoding="utf-8"):
        pytest.importorskip("statsmodels.api")
    plt.switch_backend("Agg")
    plt.close("all")
    runpy.run_path(str(path))
    assert plt.get_fignums()
    plt.close("all")
