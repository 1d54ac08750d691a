"""What to do next: commands that follow from the findings, and run."""

import shlex

import numpy as np
import pandas as pd
import pytest

from eigenlens.app.main import run
from eigenlens.page import render
from eigenlens.rows import TableFile
from eigenlens.study import Plan, read_data, study
from eigenlens.study.demos import write_demo


def findings(name, tmp_path, **plan):
    path, asked = write_demo(name, tmp_path)
    asked = Plan(**{**vars(asked), "folds": 0, **plan})
    return study(read_data(TableFile(path), asked), asked).findings


@pytest.mark.parametrize(
    ("demo", "plan", "first"),
    [
        ("iris", {}, "without"),
        ("iris", {"target": None}, "what separates the kinds of 'kind'"),
        ("diabetes", {}, "without"),
        ("exercise", {}, "in all columns together"),
        ("cities", {}, "the map without"),
        ("us-cities", {}, "the map without"),
    ],
)
def test_steps_follow_from_the_findings(demo, plan, first, tmp_path):
    found = findings(demo, tmp_path, **plan)
    steps = found.next_steps
    assert first in steps[0].what
    assert 1 <= len(steps) <= 3
    assert len({step.command for step in steps}) == len(steps)
    assert all(step.command.startswith("eigenlens ") and step.what.endswith(".") for step in steps)
    assert "What to do next" in render(found)
    assert found.to_dict()["next"][0]["command"] == steps[0].command


def test_a_step_runs_beside_the_report_that_names_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = shlex.split(findings("iris", tmp_path, target=None).next_steps[0].command)[1:]
    assert run([*command, "--folds", "0"]) == 0
    assert (tmp_path / "iris-report-2" / "report.html").exists()
    assert "\nWhat to do next\n" in capsys.readouterr().out


def test_the_only_column_with_missing_cells_is_left_out_where_that_allows_a_test(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 500))
    rows[:, :20] += np.repeat([0, 2, 4], 20)[:, None]
    rows[:25, 5] = np.nan
    pd.DataFrame(rows, columns=[f"g{j}" for j in range(500)]).assign(y=np.repeat(list("abc"), 20)).to_csv(
        tmp_path / "genes.csv", index=False
    )

    def report(**more):
        plan = Plan(target="y", folds=0, **more)
        return study(read_data(TableFile(tmp_path / "genes.csv"), plan), plan).findings

    found = report()
    assert found.shown_directions is None
    assert "without 'g5'" in found.next_steps[0].what
    assert "--drop g5" in found.next_steps[0].command
    assert report(drop=("g5",)).shown_directions is not None


ROWS = "a;b;c;d;k;n\n" + "\n".join(
    f"{i % 7},5;{i % 5 if i % 9 else '?'};{i * i % 11};{i * i % 13};{'uv'[i % 2]};{i % 4 + 1}" for i in range(60)
)


@pytest.mark.parametrize(
    "asked",
    [
        [],
        ["--target", "k", "--words", "n"],
        ["--target", "c", "--numbers", "n", "--keep", "b"],
        ["--views", "a", "b", "--", "c", "d", "--method", "cca"],
        ["--no-stream", "--sample", "40", "--seed", "3", "--missing", "mean"],
    ],
)
def test_all_steps_run_as_they_are_printed(asked, tmp_path, monkeypatch, capsys):
    """They repeat how the file is written, what columns hold, and the question."""
    monkeypatch.chdir(tmp_path)
    for name in ("rows.csv", "NEW.csv"):
        (tmp_path / name).write_text(ROWS, encoding="utf-16")
    written = ["--delimiter", ";", "--decimal", ",", "--na", "?", "--encoding", "utf-16"]
    assert run(["report", "rows.csv", "--folds", "2", *written, *asked]) == 0
    said = capsys.readouterr().out
    commands = [line.strip() for line in said.splitlines() if line.startswith("  eigenlens ")]
    assert len(commands) == 3
    for command in commands:
        words = shlex.split(command)
        assert [word for word in written if word in words] == written
        assert run([*words[1:], *(["--folds", "0"] if words[1] == "report" else [])]) == 0
        assert capsys.readouterr().err == ""


def test_steps_after_a_map_of_distances(tmp_path, monkeypatch, capsys):
    """A point leaves with its row and its column, and new rows need no more than the points of the map."""
    monkeypatch.chdir(tmp_path)
    points = np.random.default_rng(0).standard_normal((9, 2)) * [3, 1]
    points[4] = 20
    names = [f"p{i}" for i in range(9)]
    D = pd.DataFrame(np.hypot(*(points[:, None] - points).T), index=names, columns=names)
    D.to_csv("d.csv")
    D.iloc[:3].to_csv("NEW.csv")
    assert run(["report", "d.csv", "--distances"]) == 0
    commands = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  eigenlens ")]
    assert len(commands) == 3
    assert "--drop p4" in " ".join(commands[0])
    for words in commands:
        assert run([*words[1:]]) == 0
        assert capsys.readouterr().err == ""
    assert run(["fit", "d.csv", "--distances", "--drop", "row", "--drop", "p4"]) == 0  # the names of the rows as well
    again = pd.read_parquet("d-report-2/scores.parquet").filter(like="mds").to_numpy()
    kept = np.delete(points, 4, axis=0)
    np.testing.assert_allclose(np.hypot(*(again[:, None] - again).T), np.hypot(*(kept[:, None] - kept).T), atol=1e-9)


def test_a_column_of_words_that_counts_most_is_left_out_as_a_whole(tmp_path):
    rng = np.random.default_rng(0)
    kind = np.array(["a", "b", "c"])[rng.integers(0, 3, 200)]
    y = np.where((kind == "a") ^ (rng.random(200) < 0.1), "u", "v")
    table = {"kind": kind, "size": rng.standard_normal(200), "y": y}
    pd.DataFrame({**table, "z": rng.standard_normal(200)}).to_csv(tmp_path / "t.csv", index=False)
    found = study(read_data(TableFile(tmp_path / "t.csv"), Plan(target="y")), Plan(target="y")).findings
    assert "--drop kind" in found.next_steps[0].command
    assert len(found.next_steps) == 3


def test_there_are_three_steps_where_columns_are_few(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(200)
    pd.DataFrame({"x": x, "y": x + rng.standard_normal(200)}).to_csv(tmp_path / "t.csv", index=False)
    found = study(read_data(TableFile(tmp_path / "t.csv"), Plan(target="y")), Plan(target="y")).findings
    assert len(found.next_steps) == 3
    assert "--beside" in found.next_steps[-1].command


def test_a_warning_that_names_a_method_is_followed_by_its_command(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(400)
    bent = pd.DataFrame({"a": x, "b": x**2 + 0.1 * rng.standard_normal(400), "c": rng.standard_normal(400)})
    bent.assign(y=x + 0.1 * rng.standard_normal(400)).to_csv(tmp_path / "t.csv", index=False)
    found = study(read_data(TableFile(tmp_path / "t.csv"), Plan(target="y")), Plan(target="y")).findings
    assert any("Check them with method='localized-sir'" in said for said in found.warnings)
    assert "--method localized-sir" in found.next_steps[0].command
