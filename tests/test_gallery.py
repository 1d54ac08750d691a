"""Every example of the gallery runs and draws, in less than five seconds."""

import ast
import runpy
import time
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
EXAMPLES = sorted(GALLERY.rglob("plot_*.py"))
SECONDS = 5


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
    # The machine may be busy: what counts is the work of this thread, which has no other to wait for.
    with threadpool_limits(1):
        start = time.thread_time()
        runpy.run_path(str(path))
        figures = [plt.figure(number) for number in plt.get_fignums()]
        assert figures
        for figure in figures:
            figure.canvas.draw()
        assert time.thread_time() - start < SECONDS
    plt.close("all")
