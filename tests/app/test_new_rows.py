"""New rows on the command line: they are read as the rows of the fit were, and what is no number is missing."""

import numpy as np
import pandas as pd
import pytest

from eigenlens.app.main import run


@pytest.fixture
def table(folder):
    """A table with words among its numbers, each a spelling of a missing cell, and a model of it."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    table["y"] = 3 * table["a"] + table["b"] + 0.1 * rng.normal(size=200)
    table = table.astype(object)
    table.loc[[3, 20], "a"] = ["abc", "?"]
    table.loc[[9, 12], "b"] = ["-", 999]
    table.to_csv("fitted.csv", index=False)
    assert run(["fit", "fitted.csv", "--target", "y", "--na", "b=999", "--out", "m.eigenlens"]) == 0
    return table


def test_the_file_of_the_fit_is_read_as_it_was(table, capsys):
    assert run(["predict", "m.eigenlens", "fitted.csv", "--out", "p.csv", "--strict"]) == 0, capsys.readouterr().err
    table.loc[[3, 20], "a"] = table.loc[[9, 12], "b"] = None
    table.to_csv("empty.csv", index=False)
    assert run(["predict", "m.eigenlens", "empty.csv", "--out", "q.csv"]) == 0
    np.testing.assert_array_equal(pd.read_csv("p.csv"), pd.read_csv("q.csv"))


def test_words_among_numbers_are_missing_with_one_note_or_refused_at_once(table, capsys):
    table.loc[[30, 31], "a"] = "oops"
    table.loc[40, "b"] = "n.d."
    table.to_csv("new.csv", index=False)
    capsys.readouterr()
    assert run(["predict", "m.eigenlens", "new.csv", "--out", "p.csv"]) == 0
    said = capsys.readouterr().err
    listed = "'oops' in 'a' (2 cells, first in line 32), 'n.d.' in 'b' (1 cell, first in line 42)"
    assert said.count("count as missing") == 1
    assert listed in said
    assert len(pd.read_csv("p.csv")) == 200
    assert run(["predict", "m.eigenlens", "new.csv", "--out", "strict.csv", "--strict"]) == 1
    assert listed in capsys.readouterr().err


def test_a_column_without_a_number_is_another_column(table, capsys):
    table["a"] = "word"
    table.to_csv("new.csv", index=False)
    assert run(["predict", "m.eigenlens", "new.csv", "--out", "p.csv"]) == 1
    assert "is not a number" in capsys.readouterr().err
