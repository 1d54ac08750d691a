"""What tests of several folders share; helper modules of the test folders can be imported by name."""

import sys
from collections import Counter
from pathlib import Path

import pytest

collect_ignore = ["conftest.py"]  # as a module it has the name of that of the pages

HERE = Path(__file__).parent
FIRST = 8  # tests of a file of a method that `--quick` runs: the defining equation and identities come first
sys.path[:0] = [str(HERE), str(HERE / "reference"), str(HERE / "moments")]


def pytest_addoption(parser):
    parser.addoption(
        "--quick", action="store_true", help="of a method's file, run the first tests and other libraries'"
    )


def pytest_collection_modifyitems(config, items):
    """Keep the first tests of each method and those with arrays of other libraries, where `--quick` asks for it."""
    if not config.getoption("--quick"):
        return
    seen, kept, left_out = Counter(), [], []
    for item in items:
        of_a_method = item.path.parent.name in ("methods", "regress", "sources")
        seen[item.path] += 1
        others = any(library in item.nodeid for library in ("strict", "torch", "namespace"))
        (kept if not of_a_method or seen[item.path] <= FIRST or others else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of one's own, for the command line."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("eigenlens.app.main.watch", lambda: None)  # one watcher for each process, not for each test
    return tmp_path


@pytest.fixture
def wine(folder):
    """A table in that folder."""
    from eigenlens.study.demos import write_demo

    return write_demo("wine", folder)[0]
