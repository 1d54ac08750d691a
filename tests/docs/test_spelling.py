"""Pages, docstrings and messages hold no known misspelling; words.txt lists what only looks like one."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "src", "examples", "benchmarks", "tests/docs")
MADE = "*.png,*.svg,*.json,*/_made/*,*/api/*,*/auto_examples/*,*/words.txt"


def misspelled(*places):
    pytest.importorskip("codespell_lib")
    ours = ["--ignore-words", str(Path(__file__).with_name("words.txt")), "--skip", MADE]
    run = [sys.executable, "-m", "codespell_lib", *ours, *map(str, places)]
    return subprocess.run(run, capture_output=True, text=True, cwd=ROOT, check=False).stdout


def test_no_known_misspelling():
    assert misspelled(*PLACES) == ""


def test_a_misspelling_would_be_found(tmp_path):
    (tmp_path / "page.md").write_text("The eigenvalues are " + "seperate" + "d.\n")  # codespell:ignore
    assert "separated" in misspelled(tmp_path)
