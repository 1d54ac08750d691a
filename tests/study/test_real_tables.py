"""Tables as their owners keep them: what the report leaves out, reads differently or cannot do, and what it says."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from eigenlens import LDA, MDA, PCA
from eigenlens.app.main import run
from eigenlens.exceptions import InputError, SeparationError
from eigenlens.files import load
from eigenlens.methods.spine.component_tests import cost_of_permuted, squared_spreads
from eigenlens.rows import TableFile
from eigenlens.study import Plan, dimension_tests, read_data, study
from eigenlens.study.methods import declared, if_separated


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def measures():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.standard_normal((60, 3)), columns=["length", "width", "height"])


def answered(capsys, table, *words):
    table.to_csv("t.csv", index=False)
    code = run(["report", "t.csv", "--json", "--force", "--folds", "0", *words])
    told = capsys.readouterr()
    assert code == 0, told.err
    return json.loads(told.out)


def refused(capsys, table, *words):
    table.to_csv("t.csv", index=False)
    assert run(["report", "t.csv", "--json", "--force", *words]) == 1
    return capsys.readouterr().err


# -- gaps and encodings --------------------------------------------------------------------------------------------


def test_dropping_rows_until_none_is_left_is_explained(measures, folder, capsys):
    measures.loc[measures.index % 2 == 0, "length"] = np.nan
    measures.loc[measures.index % 2 == 1, "width"] = np.nan
    said = refused(capsys, measures, "--missing", "drop")
    assert "each of the 60 rows has a missing cell (by column: 'length' 30, 'width' 30)" in said
    assert "--missing mean" in said
    assert "--drop 'length'" in said


def test_a_target_without_a_value_is_named(measures, folder, capsys):
    measures["kind"] = np.nan
    assert "--target 'kind': all its cells are missing" in refused(
        capsys, measures, "--missing", "mean", "--target", "kind"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_a_wrong_encoding_is_told(encoding, measures, folder, capsys):
    said = refused(capsys, measures, "--encoding", encoding)
    assert f"it is not {encoding} text" in said
    assert "utf-8" in said


def test_the_right_encoding_is_read(measures, folder, capsys):
    measures.to_csv("t.csv", index=False, encoding="utf-16")
    assert run(["report", "t.csv", "--json", "--encoding", "utf-16"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 60


# -- columns that say nothing --------------------------------------------------------------------------------------


def test_nothing_left_says_why_and_what_to_do(folder, capsys):
    said = refused(capsys, pd.DataFrame({"step": np.arange(1, 31)}))
    assert "no column is left to analyse: 'step' only numbers the rows (--keep 'step' keeps it)." in said
    said = refused(capsys, pd.DataFrame({"patient_id": np.arange(30) * 7 % 31, "day": ["2024-01-01"] * 30}))
    assert "'patient_id' identifies rows, by its name (--keep 'patient_id' keeps it)" in said
    assert "'day' holds dates" in said
    said = refused(capsys, pd.DataFrame({"y": np.arange(30.0) ** 2}), "--target", "y")
    assert "the table has no other columns. Add columns" in said


def test_nothing_left_names_columns_of_every_step(folder, capsys):
    """A running number is left out before constant columns are: both are named."""
    table = pd.DataFrame({"n": range(1, 31), "same": 5, "when": pd.date_range("2024-01-01", periods=30)})
    said = refused(capsys, table)
    assert "no column is left to analyse: 'same' is constant" in said
    assert "Before that: " in said
    assert all(f"'{name}'" in said for name in table)
    assert "--keep" in said


def test_nothing_left_names_rows_without_a_target(measures, folder, capsys):
    measures["rare"] = [7.0] + [None] * (len(measures) - 1)
    said = refused(capsys, measures, "--target", "rare")
    assert f"{len(measures) - 1} rows whose 'rare' is missing are left out" in said


def test_a_running_number_stays_where_a_target_has_nothing_else(folder, capsys):
    rng = np.random.default_rng(0)
    flow = pd.DataFrame({"year": np.arange(1900, 1960), "flow": np.arange(60) + 5 * rng.standard_normal(60)})
    said = answered(capsys, flow, "--target", "flow")
    assert "'year' only numbers the rows, but is kept since there is no other column." in said["notes"]
    assert said["shown_directions"] == 1


def test_a_running_number_beside_other_columns_is_left_out(measures, folder, capsys):
    measures["step"] = np.arange(60)
    said = answered(capsys, measures, "--target", "height")
    assert "'step' left out: it only numbers the rows (--keep keeps it)." in said["notes"]
    assert answered(capsys, measures, "--target", "height", "--keep", "step")["columns"] == 3


@pytest.mark.parametrize("name", ["ID", "Id", "patient_id", "PatientID", "subject id", "Id.number"])
def test_an_identifier_is_no_predictor(name, measures, folder, capsys):
    measures[name] = np.random.default_rng(1).integers(10**5, 10**6, 60)
    said = answered(capsys, measures)
    assert said["columns"] == 3
    assert f"{name!r} left out: it identifies rows, by its name (--numbers keeps it)." in said["notes"]
    assert answered(capsys, measures, "--keep", name)["columns"] == 4


@pytest.mark.parametrize("name", ["humid", "valid", "bid", "width2", "ideal"])
def test_other_names_are_no_identifiers(name, measures, folder, capsys):
    measures[name] = np.random.default_rng(1).integers(10**5, 10**6, 60)
    assert answered(capsys, measures)["columns"] == 4


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "index", "rownames"])
def test_the_index_of_some_rows_is_no_predictor(name, measures, folder, capsys):
    some = measures.iloc[::2]
    table = pd.concat([pd.Series(some.index, some.index, name=name), some], axis=1)
    said = answered(capsys, table)
    assert said["columns"] == 3
    assert any("names the rows and is not analysed" in note for note in said["notes"])


def test_words_name_rows_better_than_their_number(measures, folder, capsys):
    table = pd.concat([pd.Series(np.arange(60), name=""), measures], axis=1)
    table["town"] = [f"town {j}" for j in range(60)]
    said = answered(capsys, table)
    assert said["columns"] == 3
    assert "'town' names the rows and is not analysed." in said["notes"]
    assert pq.read_table("t-report/scores.parquet").column("row")[3].as_py() == "town 3"


def test_many_columns_of_words_are_noted_together(folder, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"base {j}": rng.choice(list("ACGT"), 80) for j in range(12)})
    notes = answered(capsys, table)["notes"]
    assert (
        "12 columns hold words ('base 0', 'base 1', 'base 2', 'base 3', 'base 4' and 7 more) and become 48 columns of "
        "0 and 1." in notes
    )


# -- words among numbers -------------------------------------------------------------------------------------------


def test_a_word_among_numbers_counts_as_missing(measures, folder, capsys):
    measures["cylinders"] = np.random.default_rng(1).choice(["3", "4", "6", "8"], 60)
    measures.loc[7, "cylinders"] = "rotary"
    said = answered(capsys, measures)
    notes = " ".join(said["notes"])
    assert "'cylinders' holds numbers, except 1 of 60 cells ('rotary', line 9), which counts as missing" in notes
    assert "--words 'cylinders'" in notes
    assert "1 of 240 cells is missing (0.4%), in 1 of 60 rows: 'cylinders' 1." in notes
    assert (said["rows"], said["columns"]) == (60, 4)
    assert answered(capsys, measures, "--missing", "drop")["rows"] == 59
    assert answered(capsys, measures, "--missing", "mean")["rows"] == 60


def test_the_code_of_a_report_reads_such_a_column_too(measures, folder):
    measures["cylinders"] = np.random.default_rng(1).choice(["3", "4", "6", "8"], 60)
    measures.loc[7, "cylinders"] = "rotary"
    measures.to_csv("t.csv", index=False)
    result = study(read_data(TableFile("t.csv"), Plan()), Plan())
    place = {}
    exec(result.findings.code, place)
    np.testing.assert_allclose(place["scores"], result.findings.scores, atol=1e-12)


def test_a_column_of_many_words_and_some_numbers_is_words(measures, folder, capsys):
    measures["age"] = np.random.default_rng(1).choice(["15-24", "25-34", "35-44", "60"], 60)
    said = answered(capsys, measures)
    count = (measures["age"] == "60").sum()
    assert f"'age' holds numbers in {count} of 60 cells and words in the others" in " ".join(said["notes"])
    assert said["columns"] == 7


def test_words_that_differ_only_in_capitals_are_told(measures, folder, capsys):
    measures["smokes"], measures["treated"] = ["Yes", "no", "yes"] * 20, ["Yes", "no"] * 30
    notes = answered(capsys, measures)["notes"]
    assert [note for note in notes if "count as different" in note] == [
        "'smokes' holds 'Yes' and 'yes', which count as different words."
    ]


# -- classes that a column gives away ------------------------------------------------------------------------------


@pytest.fixture
def animals(measures):
    measures["kind"] = np.repeat(["bird", "fish", "cow"], 20)
    measures["length"] += np.repeat([0.0, 2.0, 4.0], 20)
    measures["milk"] = (measures["kind"] == "cow").astype(int)
    return measures


def test_perfect_separation_is_an_answer(animals, folder, capsys):
    animals.to_csv("t.csv", index=False)
    assert run(["report", "t.csv", "--target", "kind", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert any("'milk' has a single value within each class of 'kind'" in s for s in said["summary"])
    assert any("LDA was fitted with shrinkage='oas'" in note for note in said["notes"])
    assert said["shown_directions"] >= 1
    assert all(c["score"] is not None for c in said["comparison"])


def test_without_separation_nothing_is_shrunk(animals, folder, capsys):
    said = answered(capsys, animals.drop(columns="milk"), "--target", "kind")
    assert not any("shrinkage" in note for note in said["notes"])
    assert said["test"]["name"] == "Wilks"


def test_the_library_names_columns_that_separate(animals):
    y = animals.pop("kind")
    animals["eggs"] = 1 - animals["milk"]
    with pytest.raises(SeparationError, match=r"columns .*milk.*eggs.* are constant within every class"):
        LDA().fit(animals, y)
    for model in (LDA(), MDA()):
        assert model.set_params(**if_separated(model)).fit(animals, y).score(animals, y) > 0.8


def test_classes_that_all_columns_give_away_are_told_and_the_columns_shown(folder, capsys):
    table = pd.DataFrame({"kind": ["a", "b", "c"] * 10, "code": [1, 5, 9] * 10, "size": [2, 1, 7] * 10})
    said = answered(capsys, table, "--target", "kind")
    assert "Every column ('code', 'size') has a single value within each class of 'kind'" in said["summary"][0]
    assert said["method"] == "PCA"
    assert len(said["notes"]) == len(set(said["notes"]))
    assert "the classes can be read off the columns" in refused(capsys, table, "--target", "kind", "--method", "lda")


# -- what a test may cost ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "p", "blocks", "draws"), [(3186, 720, 180, 19), (9822, 700, 85, 19), (43, 7407, 7405, 19), (150, 20, 10, 99)]
)
def test_permutations_are_budgeted_by_their_work(n, p, blocks, draws):
    spread = declared(PCA).spread
    spent = dimension_tests.effort(n, lambda m: spread.cost(m, p, blocks), dimension_tests.WORK, spread.draws, 50)
    assert spent.draws == draws
    assert spent.draws * cost_of_permuted(spent.rows, p, blocks) <= dimension_tests.WORK


def test_the_spread_of_permuted_columns_is_that_of_a_decomposition():
    rng = np.random.default_rng(0)
    for shape in ((30, 8), (8, 30)):
        X = rng.standard_normal(shape)
        values = np.linalg.svd(X, compute_uv=False) ** 2
        np.testing.assert_allclose(squared_spreads(X)[: len(values)], values, rtol=1e-10)


# -- two sets, and names of scores ---------------------------------------------------------------------------------


def test_columns_are_listed_under_their_own_set(folder, capsys):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 80))
    noise = rng.standard_normal((80, 4)) / 3
    table = pd.DataFrame(np.column_stack([a, b, a, b]) + noise, columns=["sit", "jump", "waist", "pulse"])
    words = ["--views", "sit", "jump", "--", "waist", "pulse"]
    said = answered(capsys, table, *words)
    assert set(said["loadings"]["pair 1, first set"]) == {"sit", "jump"}
    assert set(said["loadings"]["pair 1, second set"]) == {"waist", "pulse"}
    first, second = said["summary"][1].split("in the second with")
    assert "waist" not in first
    assert "sit" not in second
    assert run(["report", "t.csv", "--force", *words]) == 0
    printed = capsys.readouterr().out
    lines = {line.split("  ")[0]: line for line in printed.splitlines() if line.startswith("pair ")}
    assert "waist" not in lines["pair 1, first set"]
    assert "waist" in lines["pair 1, second set"] or "pulse" in lines["pair 1, second set"]
    names = pq.read_table("t-report/scores.parquet").column_names
    assert names == ["cca0", "cca1", "cca0_second", "cca1_second"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ([], "mixedpca"),  # words of three levels are taken as they are
        (["--method", "pca"], "pca"),
        (["--target", "kind"], "lda"),
        (["--target", "height"], "sir"),
    ],
)
def test_scores_have_one_naming(words, name, animals, folder, capsys):
    table = animals.drop(columns="milk")
    said = answered(capsys, table, *words)
    model = load("t-report/model.eigenlens")
    names = [str(n) for n in model.get_feature_names_out()]
    assert names == [f"{name}{j}" for j in range(len(names))]
    written = [n for n in pq.read_table("t-report/scores.parquet").column_names if n not in (*table, "predicted")]
    assert written == names
    assert [d["column"] for d in said["directions"]] == names
    assert run(["transform", "t-report/model.eigenlens", "t.csv", "--out", "again.csv"]) == 0
    assert list(pd.read_csv("again.csv")) == names
    capsys.readouterr()
    assert run(["report", "t.csv", "--force", "--folds", "0", *words]) == 0
    assert f"is column {name}0" in " ".join(capsys.readouterr().out.split())


def test_a_word_among_numbers_of_new_rows_is_still_refused(measures, folder, capsys):
    measures["size"] = np.arange(60) % 7
    answered(capsys, measures)
    measures["size"] = measures["size"].astype(object)
    measures.loc[4, "size"] = "big"
    measures.to_csv("new.csv", index=False)
    assert run(["transform", "t-report/model.eigenlens", "new.csv"]) == 1
    assert "not numbers: 'big' in 'size' (1 cell, first in line 6)" in capsys.readouterr().err


def test_input_error_is_the_kind_of_a_separation():
    assert issubclass(SeparationError, InputError)


def test_methods_are_compared_on_as_many_cells_as_can_be_paid():
    from eigenlens.study import compare

    assert compare.affordable_rows(4) == compare.MOST_ROWS
    assert compare.affordable_rows(14) ** 2 < 1e8  # what an SVM of pure noise pays for, in each of five folds
    for p in (50, 180, 290):
        assert compare.affordable_rows(p) * p <= compare.MOST_CELLS
    assert compare.affordable_rows(5000) == compare.FEWEST_ROWS


def test_ranks_that_do_not_repeat_are_numbers(measures, folder, capsys):
    wines = measures.iloc[:8].assign(rank=[3, 1, 2, 8, 7, 5, 6, 4])
    assert answered(capsys, wines, "--target", "rank")["kind"] == "number"
    kinds = measures.assign(kind=np.arange(60) % 8)
    assert answered(capsys, kinds, "--target", "kind")["kind"] == "classes"


def test_an_unnamed_column_beside_one_named_row(measures, folder, capsys):
    table = pd.concat([pd.Series(np.arange(60), name=""), measures.assign(row=np.arange(60) // 10)], axis=1)
    said = answered(capsys, table)
    assert "'row names' names the rows and is not analysed." in said["notes"]
    assert said["columns"] == 4
