"""Numbers as people read them, what makes a page again, and commands that can be run as they are."""

import hashlib
import re
import shlex
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eigenlens
from eigenlens.app.main import run
from eigenlens.page.findings import number


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (113_000.0, "113,000"),
        (-117_693.4, "-117,700"),
        (1234.2, "1234"),
        (0.5, "0.5"),
        (2e9, "2e+09"),
        (99_999.9, "100,000"),
    ],
)
def test_large_numbers_have_marks_between_thousands(value, written):
    assert number(value) == written


@pytest.fixture
def prices(folder):
    rng = np.random.default_rng(0)
    size = rng.normal(120, 30, 200)
    table = pd.DataFrame({"size": size, "age": rng.uniform(0, 80, 200), "price": 900 * size + rng.normal(0, 9e3, 200)})
    table.to_csv("prices.csv", index=False)


def test_the_page_names_its_file_and_every_command_runs(prices, capsys):
    assert run(["report", "prices.csv", "--target", "price", "--out", "my folder"]) == 0
    said, page = capsys.readouterr().out, Path("my folder/report.html").read_text()
    assert "e+0" not in said
    assert f"Made with eigenlens {eigenlens.__version__} on {date.today()}" in page
    raw = Path("prices.csv").read_bytes()
    assert f"{len(raw):,} bytes" in page
    assert hashlib.sha256(raw).hexdigest() in page
    (command,) = [line.strip() for line in said.splitlines() if line.strip().startswith("eigenlens predict")]
    words = shlex.split(command)
    assert words[2] == "my folder/model.eigenlens"
    assert "my folder/model.eigenlens" in re.sub("<[^>]*>", "", page.replace("&#x27;", "'"))
    assert run([word.replace("NEW.csv", "prices.csv") for word in words[1:]]) == 0


def test_rows_in_memory_have_no_file(prices):
    found = eigenlens.report(pd.read_csv("prices.csv"), "price", cv=0)
    assert "SHA-256" not in found.to_html()
