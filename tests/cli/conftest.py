"""A folder of one's own, with a table in it."""

import pytest

from eigenlens.study.demos import write_demo


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr("eigenlens.cli.main.watch", lambda: None)  # one watcher for each process, not for each test
    return tmp_path


@pytest.fixture
def wine(folder):
    return write_demo("wine", folder)[0]
