"""Tables as they come: dates, running numbers, rare words, few rows, many rows; and what is said of them."""

import json
import shlex
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import eigenlens
from eigenlens import app
from eigenlens.app import interrupt
from eigenlens.app.main import run
from eigenlens.page.payload import MOST_AXES, MOST_COLUMNS
from eigenlens.rows import Dialect, TableFile
from eigenlens.study import Plan, compare, read_data, study


@pytest.fixture
def people(folder):
    """A table such as a shop would have, with a number that depends on size and weight."""
    rng = np.random.default_rng(0)
    n = 120
    table = pd.DataFrame(
        {
            "id": np.arange(1, n + 1),
            "when": pd.date_range("2024-01-01", periods=n),
            "member": rng.random(n) < 0.5,
            "town": rng.choice([f"town {j}" for j in range(80)], n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "size": rng.normal(170, 10, n),
            "weight": rng.normal(70, 12, n),
        }
    )
    table["price"] = 2 * table["size"] + table["weight"] + rng.normal(0, 3, n)
    table["kind"] = np.where(table["price"] > 410, "dear", "cheap")
    table.to_csv("people.csv", index=False)
    table.to_parquet("people.parquet")
    return table


def answer(capsys, *arguments):
    assert run(["report", *map(str, arguments), "--json", "--force"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("file", ["people.csv", "people.parquet"])
def test_dates_counters_and_names_are_left_out_with_a_word(file, people, capsys):
    for rows in ([], ["--sample", 60]):
        said = answer(capsys, file, "--target", "price", *rows)
        notes = " ".join(said["notes"])
        assert "1 of dates" in notes
        assert "'when' left out: it holds dates" in notes
        assert "'id' left out: it identifies rows, by its name" in notes
        assert "'town' left out" in notes
        assert said["shown_directions"] >= 1
    assert "'id' left out" not in " ".join(answer(capsys, file, "--keep", "id")["notes"])
    assert run(["report", file, "--target", "when", "--force"]) == 1
    assert "it holds dates" in capsys.readouterr().err


def test_a_failure_leaves_no_folder(people, folder, capsys):
    assert run(["report", "people.csv", "--target", "town"]) == 1
    assert "too many for classes" in capsys.readouterr().err
    assert not (folder / "people-report").exists()


def test_a_word_that_stands_in_one_row_does_not_stop_the_comparison(people, capsys):
    people.loc[3, "colour"] = "violet"
    people.to_csv("people.csv", index=False)
    said = answer(capsys, "people.csv", "--target", "kind")
    assert all(c["score"] is not None for c in said["comparison"])


@pytest.mark.parametrize("n", [3, 5, 8, 12, 20])
def test_few_rows_are_answered_or_refused_and_never_overrated(n, people, capsys):
    people.iloc[:n].to_csv("few.csv", index=False)
    said = answer(capsys, "few.csv")
    assert said["rows"] == n
    if n > 3:
        said = answer(capsys, "few.csv", "--target", "price")
        assert all(c["high"] is None or c["high"] <= 1 for c in said["comparison"])


def test_a_difference_of_methods_is_judged_row_by_row():
    rng = np.random.default_rng(0)
    y = np.zeros(600, dtype=int)
    first, second = y.copy(), y.copy()
    first[:26], second[:12] = 1, 1  # 95.7% and 98%: the intervals overlap, and yet 14 rows to 0 are no chance
    assert compare.wilson(574, 600)[2] > compare.wilson(588, 600)[1]
    assert compare.told_apart(y, first, second, tries=4)
    assert not compare.told_apart(y, first, first)
    shuffled = rng.permutation(first)
    assert not compare.told_apart(y, first, shuffled)


def test_more_rows_than_are_compared_is_said(people, capsys, monkeypatch):
    monkeypatch.setattr(compare, "MOST_ROWS", 100)
    some = "on 100 of the 120 rows, drawn at random."
    of_classes = f"LDA, PDA, QDA are compared on all rows, FDA, MDA, SVM (Gaussian kernel) {some}"
    of_number = f"Methods are compared {some}"
    for target, said in (("kind", of_classes), ("price", of_number)):
        assert said in answer(capsys, "people.csv", "--target", target)["notes"]


@pytest.mark.parametrize("method", ["fda", "pda", "mda"])
def test_real_or_noise_is_told_or_the_reason_why_not(method, people, folder, capsys):
    said = answer(capsys, "people.csv", "--target", "kind", "--method", method, "--folds", 0)
    page = (folder / "people-report" / "report.html").read_text()
    tested = said["shown_directions"] is not None
    assert tested == (method != "mda")
    assert ("not tested" in page) != tested
    assert run(["report", "people.csv", "--target", "kind", "--method", method, "--folds", "0", "--force"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert " ".join(said["test"]["about"].split()) in printed


def test_what_the_page_leaves_off_is_said(folder, capsys):
    X = np.random.default_rng(0).standard_normal((60, 45))
    pd.DataFrame(X, columns=[f"c{j}" for j in range(45)]).to_csv("wide.csv", index=False)
    answer(capsys, "wide.csv")
    page = (folder / "wide-report" / "report.html").read_text()
    assert f"The first {MOST_AXES} of 45 directions can be drawn here." in page
    assert f"The first {MOST_COLUMNS} of 45 columns are listed" in page
    assert "The file of scores has all rows and directions." in page
    assert len(pq.read_schema("wide-report/scores.parquet").names) == 45


def test_a_model_of_two_sets_predicts_in_the_units_of_the_second(people, capsys):
    answer(capsys, "people.csv", "--views", "size", "weight", "--", "price", "id")
    assert run(["predict", "people-report/model.eigenlens", "people.csv", "--out", "p.csv"]) == 0
    guesses = pd.read_csv("p.csv")
    assert list(guesses.columns) == ["predicted price", "predicted id"]
    assert np.corrcoef(guesses["predicted price"], people["price"])[0, 1] > 0.95
    assert np.isclose(guesses["predicted price"].mean(), people["price"].mean())


def test_npy(people, folder, capsys):
    answer(capsys, "people.csv", "--target", "kind")
    model = "people-report/model.eigenlens"
    for verb, name in (("transform", "z.npy"), ("predict", "g.npy")):
        assert run([verb, model, "people.csv", "--out", name]) == 0
    fitted = eigenlens.load(model)
    assert np.array_equal(np.load("z.npy"), fitted.transform(people))
    assert np.array_equal(np.load("g.npy"), fitted.predict(people))
    capsys.readouterr()
    assert run(["predict", model, "people.csv", "--proba", "--out", "p.npy"]) == 1
    assert "write a .parquet file" in capsys.readouterr().err
    assert not (folder / "p.npy").exists()


EUROPE = {"delimiter": ";", "decimal": ",", "encoding": "latin-1", "na": ("?",)}


@pytest.mark.parametrize(
    "plan",
    [
        Plan(target="price"),
        Plan(target="price", sample=50, seed=3, missing="drop"),
        Plan(target="kind", missing="mean"),
        Plan(missing="drop", drop=("kind",)),
        Plan(views=(["size", "weight"], ["price", "colour"]), missing="drop"),
        Plan(),
        Plan(target="kind"),
        Plan(target="kind", method="fda"),
        Plan(views=(["size", "weight"], ["price", "colour"])),
    ],
    ids=["number", "sample", "classes", "spread", "views", "ml", "ml classes", "filled", "ml views"],
)
def test_the_code_of_the_page_repeats_the_study(plan, people, folder):
    if plan.missing != "refuse":
        people.loc[[4, 9], "weight"] = np.nan
        people.loc[7, "colour"] = None
    people.to_csv("euro.csv", index=False, sep=";", decimal=",", encoding="latin-1", na_rep="?")
    data = read_data(TableFile("euro.csv", Dialect(**EUROPE)), plan)
    result = study(data, Plan(**{**vars(plan), "folds": 0}))
    names: dict = {}
    exec(result.findings.code, names)  # the code is ours
    scores = names["model"].transform(names["X"])
    assert np.allclose(scores, result.findings.scores[:, : scores.shape[1]], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("keep", [(), ("row",)])
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_the_code_of_the_page_reads_an_index_without_a_name(ending, keep, people, folder):
    people = people[["size", "weight", "price", "kind"]]
    people.to_csv("t.csv") if ending == "csv" else people.to_excel("t.xlsx")
    plan = Plan(target="kind", folds=0, keep=keep)
    result = study(read_data(TableFile(f"t.{ending}"), plan), plan)
    names: dict = {}
    exec(result.findings.code, names)  # the code is ours
    assert names["X"].shape[1] == 3 + len(keep)
    assert np.allclose(names["model"].transform(names["X"]), result.findings.scores, rtol=1e-9, atol=1e-9)


def test_the_code_of_the_page_reads_numbers_in_a_dress(people, folder):
    people["price"] = [f"{price:,.2f} $" for price in people["price"] * 1000]
    people.to_csv("money.csv", index=False, sep="|")
    plan = Plan(target="price", folds=0)
    data = read_data(TableFile("money.csv"), plan)
    assert any(" $', which is read as " in note for note in data.notes)
    result = study(data, plan)
    names: dict = {}
    exec(result.findings.code, names)  # the code is ours
    assert np.allclose(names["model"].transform(names["X"]), result.findings.scores, rtol=1e-9, atol=1e-9)


def test_a_table_too_big_for_memory_is_refused_before_it_is_read(people, folder, capsys, monkeypatch):
    """The way out that is named works."""
    monkeypatch.setattr("eigenlens.arrays.memory.available_bytes", lambda like=None: 60_000)
    assert run(["report", "people.csv", "--target", "kind"]) == 1
    said = capsys.readouterr().err
    assert "A report on 120 rows" in said
    assert "KiB" in said or "MiB" in said
    assert "open_rows('people.csv')" in said
    assert not (folder / "people-report").exists()
    size = said.split("--sample ")[1].split(";")[0]
    assert 10 <= int(size) < 120
    assert run(["report", "people.csv", "--target", "kind", "--sample", size, "--folds", "0"]) == 0
    model = eigenlens.PCA(2).fit(eigenlens.open_rows("people.csv", columns=["size", "weight"]))
    assert model.components_.shape == (2, 2)


def test_huge_numbers_are_answered_in_full_or_refused(folder, capsys):
    """The square of 1e200 is no number; a column of them used to vanish without a word."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((60, 4)), columns=list("abcd"))
    table["e"], table["a"] = (table["b"] + 0.3 * rng.standard_normal(60)) * 1e200, table["a"] * 1e-170
    table.to_csv("huge.csv", index=False)
    said = answer(capsys, "huge.csv")
    assert len(said["directions"]) == 5
    assert said["shown_directions"] == 1
    assert abs(said["loadings"]["component 1"]["e"]) > 0.5
    assert not said["warnings"]
    for words in (["--no-standardise"], ["--target", "e"]):
        assert run(["report", "huge.csv", *words, "--force"]) == 1
        assert "whose square is" in capsys.readouterr().err


def test_a_target_with_one_class_or_none_repeated_is_refused_in_its_own_words(people, capsys):
    people.assign(same="x").to_csv("one.csv", index=False)
    assert run(["report", "one.csv", "--target", "same"]) == 1
    assert "it holds one class ('x')" in capsys.readouterr().err
    people.iloc[:12].assign(name=[f"n{j}" for j in range(12)]).to_csv("names.csv", index=False)
    assert run(["report", "names.csv", "--target", "name"]) == 1
    assert "occurs in only one row" in capsys.readouterr().err


def test_commands_run_one_after_the_other_leave_no_thread_behind():
    earlier = signal.set_wakeup_fd(-1)
    try:
        interrupt.watch()
        before, end = threading.active_count(), time.monotonic() + 20
        for _ in range(4):
            interrupt.watch()
        while threading.active_count() > before and time.monotonic() < end:
            time.sleep(0.05)
        assert threading.active_count() <= before
    finally:
        signal.set_wakeup_fd(earlier)


def test_all_lines_of_the_wrong_length_are_named_at_once(tmp_path, capsys):
    (tmp_path / "bad.csv").write_text("a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,2,3\n" + "1,2\n" * 10)
    assert run(["report", str(tmp_path / "bad.csv")]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "12 lines do not have 3 cells, as the header has: line 3 (2), 4 (4), 6 (2)" in said
    assert "and 4 more. Every line must have the same number." in said


def test_files_that_a_shell_has_listed_are_one_table(people, folder, capsys):
    header, *lines = (folder / "people.csv").read_text().splitlines()
    halves = ["first half.csv", "second.csv"]
    for name, part in zip(halves, (lines[:40], lines[40:]), strict=True):
        (folder / name).write_text("\n".join([header, *part]) + "\n")
    assert run(["report", *halves, "--target", "kind", "--folds", "0", "--json"]) == 0
    several = json.loads(capsys.readouterr().out)
    assert several["notes"][0].startswith(f"{len(lines)} rows in 2 files, read as one table; ")
    assert several["source"] == "first half.csv, second.csv"
    assert run(["report", "people.csv", "--target", "kind", "--folds", "0", "--json"]) == 0
    one = json.loads(capsys.readouterr().out)
    assert several["directions"] == one["directions"]
    for step in several["next"]:
        command = step["command"]
        assert run(shlex.split(command.replace("NEW.csv", "second.csv"))[1:]) == 0
    capsys.readouterr()
    model = "first half-and-second-report/model.eigenlens"
    assert run(["predict", model, *halves]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(lines) + 1


@pytest.mark.parametrize(
    ("files", "code", "words"),
    [
        (["p.csv", "p.csv"], 1, "p.csv: it is named twice, so its rows would count twice; name it once."),
        (["p.csv", "link.csv"], 1, "link.csv: it is the same file as p.csv, so"),
        (["p.csv", "other.csv"], 1, "other.csv: its columns are not those of p.csv: it has 'z' in addition and no 'b'"),
        (["p.csv", "tabs.csv"], 1, "tabs.csv: its columns are separated by tabs, those of p.csv by commas."),
        (["p.csv", "-"], 2, "cannot be combined with files"),
        (["p.csv", "t.parquet"], 1, "files are of several kinds (.parquet, text); name those of one kind"),
        (["p.csv", "gone.csv"], 2, "'gone.csv' does not exist"),
    ],
)
def test_files_that_are_not_one_table_are_refused(files, code, words, folder, capsys):
    (folder / "p.csv").write_text("a,b\n1,2\n3,4\n")
    (folder / "other.csv").write_text("a,z\n1,2\n3,4\n")
    (folder / "tabs.csv").write_text("a\tb\n1\t2\n3\t4\n")
    (folder / "link.csv").symlink_to("p.csv")
    (folder / "t.parquet").write_bytes(b"")
    assert run(["report", *files]) == code
    assert words in " ".join(capsys.readouterr().err.split())


def test_files_with_columns_in_another_order_are_one_table(folder):
    (folder / "p.csv").write_text("a,b,c\n1,x,3\n4,y,6\n")
    (folder / "q.csv").write_text("c,a,b\n9,7,z\n")
    table = TableFile(["p.csv", "q.csv"])
    assert table.read(["b", "a", "c"]).to_pydict() == {"b": ["x", "y", "z"], "a": [1, 4, 7], "c": [3, 6, 9]}


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_the_page_opens_or_the_reader_is_told(words, folder, capsys, monkeypatch):
    (folder / "t.csv").write_text("a,b,c\n1,2,3\n3,4,7\n5,1,2\n2,2,9\n4,4,1\n")
    opened = []
    for there in (True, False):
        monkeypatch.setattr("webbrowser.open", lambda place, there=there: opened.append(place) or there)
        assert run(["report", "t.csv", "--open", "--force", *words]) == 0
        told = f"--open: no browser was found; open {Path('t-report/report.html')} yourself."
        assert (told in capsys.readouterr().err) is not there
    assert opened == [(folder / "t-report" / "report.html").resolve().as_uri()] * 2


def test_the_stack_of_a_command_has_room():
    def depth():
        return sys._getframe().f_code.co_stacksize

    assert depth() < 100 < app.STACK_WORDS == app._with_room(depth)()


def test_an_option_with_two_values_is_refused(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,3\n3,4,7\n")
    for words in (["--target", "a", "--target", "b"], ["--target=a", "--target", "b"]):
        assert run(["report", str(tmp_path / "t.csv"), *words]) == 2
        assert "--target is given twice, as 'a' and as 'b'; give it once." in capsys.readouterr().err
    assert run(["report", str(tmp_path / "t.csv"), "--drop", "a", "--drop", "zz"]) == 1  # several may be dropped
    assert "--drop 'zz': no such column" in capsys.readouterr().err
