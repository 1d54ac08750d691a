"""What tests of several folders share; helper modules of the test folders can be imported by name."""

import sys
from pathlib import Path

import pytest

collect_ignore = ["conftest.py"]  # as a module it has the name of that of the pages

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "reference"), str(HERE / "moments")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of one's own, for the command line."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("eigenlens.cli.main.watch", lambda: None)  # one watcher for each process, not for each test
    return tmp_path


@pytest.fixture
def wine(folder):
    """A table in that folder."""
    from eigenlens.study.demos import write_demo

    return write_demo("wine", folder)[0]
