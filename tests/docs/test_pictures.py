"""The scripts that draw the pictures of the pages run, and draw; the site builds with the pictures it has."""

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))

import _pictures  # noqa: E402

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.mark.parametrize("script", sorted((DOCS / "pictures").glob("*.py")), ids=lambda path: path.stem)
def test_a_script_draws(script):
    plt.switch_backend("Agg")
    plt.close("all")
    for name in _pictures.figures(script):
        assert plt.gcf().get_axes(), name
        plt.close("all")


def test_pictures_are_drawn_anew_where_their_script_changed(tmp_path, monkeypatch):
    docs, source = tmp_path / "docs", tmp_path / "src"
    (docs / "pictures").mkdir(parents=True)
    source.mkdir()
    script, made = docs / "pictures/one.py", docs / "made"
    monkeypatch.setattr(_pictures, "INPUTS", ())
    monkeypatch.setattr(_pictures, "HERE", docs)
    drawn = []
    monkeypatch.setattr(_pictures, "draw", lambda script, folder: drawn.append(script.stem))
    script.write_text("1")
    _pictures.draw_all(made)
    _pictures.draw_all(made)
    (source / "a.py").write_text("changed")
    _pictures.draw_all(made, keep_old=True)
    assert drawn == ["one"]
    _pictures.draw_all(made)
    script.write_text("2")
    _pictures.draw_all(made, keep_old=True)
    assert drawn == ["one"] * 3
