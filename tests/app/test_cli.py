"""The command line, as a newcomer and as a script use it."""

import csv
import io
import json
import os
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import eigenlens
from eigenlens.app.main import run
from eigenlens.study.demos import DEMOS, write_demo


def told(capsys, *arguments, code=0):
    """Run a command and return what it says on stdout and stderr."""
    assert run([str(a) for a in arguments]) == code
    return capsys.readouterr()


# -- report --------------------------------------------------------------------------------------------------------


def test_report_on_classes(wine, folder, capsys):
    said = told(capsys, "report", wine, "--target", "kind").out
    for words in (
        "178 rows, 14 columns",
        "standardised",
        "discriminant 1",
        "shown",
        "flavanoids",
        "LDA",
        "FDA",
        "PDA",
        "MDA",
    ):
        assert words in said
    assert "SVM" in said
    assert "always 'class_1'" in said
    out = folder / "wine-report"
    assert sorted(os.listdir(out)) == ["model.eigenlens", "report.html", "scores.parquet"]
    assert all(str(out.relative_to(folder) / name) in said for name in os.listdir(out))
    scores = pq.read_table(out / "scores.parquet").to_pandas()
    assert list(scores.columns) == ["kind", "lda0", "lda1", "predicted"]
    assert (scores.kind == scores.predicted).mean() > 0.98
    model = eigenlens.load(out / "model.eigenlens")
    import pandas as pd

    assert np.array_equal(model.transform(pd.read_csv(wine))[:, 0], scores.lda0)


@pytest.mark.parametrize("demo", [d for d in DEMOS if d not in ("digits", "cancer")])
def test_report_on_every_kind_of_question(demo, folder, capsys):
    said = json.loads(told(capsys, "report", "--demo", demo, "--out", "out", "--json").out)
    assert said["directions"]
    assert said["summary"]
    assert set(said["files"].values()) == {f"out/{n}" for n in ("report.html", "scores.parquet", "model.eigenlens")}
    assert (folder / "out" / "report.html").read_text().startswith("<!doctype html>")
    assert eigenlens.load(folder / "out" / "model.eigenlens")


def test_report_without_a_target_counts_real_components(wine, folder, capsys):
    said = json.loads(told(capsys, "report", wine, "--drop", "kind", "--json").out)
    assert (said["method"], said["kind"]) == ("PCA", "none")
    assert said["shown_directions"] == 6  # shared by columns beyond their own noise
    assert abs(sum(d["share"] for d in said["directions"]) - 1) < 1e-12
    X = np.genfromtxt(wine, delimiter=",", skip_header=1)[:, :13]
    expected = np.linalg.eigvalsh(np.corrcoef(X.T))[::-1]
    assert np.allclose([d["variance"] for d in said["directions"]], expected)


def test_report_on_two_sets_of_columns(folder, capsys):
    table, _ = write_demo("exercise", folder)
    said = json.loads(
        told(capsys, "report", table, "--views", "Chins", "Situps", "--", "Weight", "Waist", "--json").out
    )
    assert said["method"] == "CCA"
    X = np.genfromtxt(table, delimiter=",", skip_header=1)
    expected = eigenlens.CCA().fit(X[:, :2], X[:, 3:5]).correlations_
    assert np.allclose([d["canonical correlation"] for d in said["directions"]], expected)
    assert told(capsys, "report", table, "--views", "Chins", "Weight", code=2).err.count("--views a b -- c d") == 1


def test_the_target_decides_the_question(folder, capsys):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 3))
    rows = ["a,b,c,few,many,word"]
    rows += [f"{u},{v},{w},{int(u > 0.3 * v)},{u + 0.1 * v},{'pq'[int(u > 0)]}" for u, v, w in x]
    (folder / "t.csv").write_text("\n".join(rows) + "\n")
    for target, more, kind in (
        ("few", (), "classes"),
        ("many", (), "number"),
        ("word", (), "classes"),
        ("few", ("--as", "number"), "number"),
    ):
        others = [part for name in ("few", "many", "word") if name != target for part in ("--drop", name)]
        said = told(capsys, "fit", "t.csv", "--target", target, *more, *others, "--json", "--force").out
        assert json.loads(said)["kind"] == kind
    assert "it holds words" in told(capsys, "fit", "t.csv", "--target", "word", "--as", "number", "--force", code=1).err
    assert (
        "too many for classes"
        in told(capsys, "fit", "t.csv", "--target", "many", "--as", "classes", "--force", code=1).err
    )


def test_a_column_that_gives_the_classes_away_is_named(folder, capsys):
    rows = [f"{x},{i % 2},{'pq'[i % 2]}" for i, x in enumerate(np.random.default_rng(0).standard_normal(40))]
    (folder / "t.csv").write_text("x,leak,kind\n" + "\n".join(rows) + "\n")
    said = told(capsys, "fit", "t.csv", "--target", "kind").out
    assert "'leak' has a single value within each class of 'kind'" in " ".join(said.split())


def test_sampling_is_said_and_repeats(wine, folder, capsys):
    first, second = (
        told(capsys, "fit", wine, "--sample", 50, "--seed", 3, "--drop", "kind", "--json", "--force").out
        for _ in range(2)
    )
    assert first == second
    assert "50 of 178 rows are analysed" in first


def test_missing_cells_are_refused_with_counts_and_a_way_out(folder, capsys):
    (folder / "t.csv").write_text("a,b,c\n1,2,x\n2,,y\n3,4,\n4,6,x\n5,NA,y\n7,1,x\n")
    said = told(capsys, "fit", "t.csv", "--missing", "refuse", code=1).err
    assert "3 of 6 rows" in said
    assert "'b' 2, 'c' 1" in said
    assert "--missing drop" in said
    assert json.loads(told(capsys, "fit", "t.csv", "--missing", "drop", "--json").out)["rows"] == 3
    filled = json.loads(told(capsys, "fit", "t.csv", "--missing", "mean", "--json", "--force").out)
    assert filled["rows"] == 6
    assert any("3 missing cells are filled" in note for note in filled["notes"])


def test_names_constants_and_counters_are_left_out_with_a_word(folder, capsys):
    rng = np.random.default_rng(0)
    rows = [f"{i},n{i},{rng.standard_normal()},{rng.standard_normal()},7" for i in range(1, 41)]
    (folder / "t.csv").write_text("id,name,x,y,same\n" + "\n".join(rows) + "\n")
    notes = " ".join(json.loads(told(capsys, "fit", "t.csv", "--json").out)["notes"])
    assert "'name' names the rows" in notes
    assert "'id' left out: it identifies rows, by its name" in notes
    assert "'same' left out: constant" in notes


def test_the_first_page_shows_what_the_command_says(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    page = (Path(__file__).parents[2] / "docs/start.md").read_text(encoding="utf8")
    shown = page.split("```text\n")[1].split("```")[0]
    said = told(capsys, "report", "--demo", "wine").out

    def compared(text):
        """Leave out the scores of methods, which may move by a row with a better search."""
        lines = [line.rstrip() for line in text.strip().splitlines()]
        table = [line for line in lines if re.search(r"% to \d.*%$", line)]
        names = sorted(line[:22].strip() for line in table)
        return [line for line in lines if line not in table and "comes out at" not in line], names

    assert compared(said) == compared(shown)


# -- transform, predict, compare, methods, info --------------------------------------------------------------------


def test_transform_and_predict_stream_any_file(wine, folder, capsys, monkeypatch):
    told(capsys, "fit", wine, "--target", "kind", "--out", "m.eigenlens")
    monkeypatch.setattr("eigenlens.rows.csv_text.BLOCK_BYTES", 4000)  # many blocks
    told(capsys, "transform", "m.eigenlens", wine, "--out", "z.parquet")
    told(capsys, "predict", "m.eigenlens", wine, "--out", "p.csv", "--proba")
    import pandas as pd

    model, table = eigenlens.load("m.eigenlens"), pd.read_csv(wine)
    assert np.allclose(
        pq.read_table("z.parquet").to_pandas().to_numpy(), model.transform(table), rtol=1e-12, atol=1e-12
    )
    guessed = pd.read_csv("p.csv")
    assert list(guessed.predicted) == list(model.predict(table))
    assert list(guessed.columns) == ["predicted", *(f"probability class_{k}" for k in range(3))]
    lines = told(capsys, "predict", "m.eigenlens", wine).out.splitlines()
    assert lines[0] == "predicted"
    assert len(lines) == 179


def test_models_made_in_python_work_too(wine, folder, capsys):
    import pandas as pd

    table = pd.read_csv(wine).drop(columns="kind")
    eigenlens.save(eigenlens.PCA(2, scale=True).fit(table), "named.eigenlens")
    eigenlens.save(eigenlens.PCA(2, scale=True).fit(table.to_numpy()), "plain.eigenlens")
    one = told(capsys, "transform", "named.eigenlens", wine).out
    two = told(capsys, "transform", "plain.eigenlens", wine, "--drop", "kind").out
    assert one == two
    assert "takes 13 columns" in told(capsys, "transform", "plain.eigenlens", wine, code=1).err
    assert "PCA does not predict" in told(capsys, "predict", "plain.eigenlens", wine, code=1).err


def test_compare(wine, folder, capsys):
    said = told(capsys, "compare", wine, "--target", "kind", "--folds", 3).out
    assert all(name in said for name in ("LDA", "FDA", "PDA", "MDA", "SVM", "95% interval", "always 'class_1'"))
    found = json.loads(told(capsys, "compare", wine, "--target", "kind", "--folds", 3, "--json").out)
    assert all(c["low"] < c["score"] <= c["high"] or c["score"] == 1 for c in found["comparison"])
    assert "compare needs --target" in told(capsys, "compare", wine, code=2).err


def test_methods_and_info(wine, folder, capsys):
    assert {"PCA", "LDA", "CCA", "SIR"} <= {m["class"] for m in json.loads(told(capsys, "methods", "--json").out)}
    assert "--method lda" in told(capsys, "methods").out
    told(capsys, "fit", wine, "--target", "kind", "--out", "m.eigenlens")
    said = told(capsys, "info", "m.eigenlens").out
    assert "LDA" in said
    assert "kind" in said
    assert json.loads(told(capsys, "info", "m.eigenlens", "--json").out)["about"]["target"] == "kind"
    assert "not a model file" in told(capsys, "info", wine, code=1).err


def test_export_onnx(wine, folder, capsys):
    import onnxruntime as runtime

    told(capsys, "fit", wine, "--target", "kind", "--out", "m.eigenlens")
    told(capsys, "export-onnx", "m.eigenlens", "--out", "m.onnx")
    import pandas as pd

    table = pd.read_csv(wine)
    session = runtime.InferenceSession("m.onnx")
    out = dict(
        zip(
            [o.name for o in session.get_outputs()],
            session.run(None, {"X": table.iloc[:, :13].to_numpy()}),
            strict=True,
        )
    )
    model = eigenlens.load("m.eigenlens")
    assert np.allclose(out["scores"], model.transform(table), rtol=1e-12, atol=1e-12)
    assert list(out["label"]) == list(model.predict(table))
    assert np.allclose(out["probabilities"], model.predict_proba(table))


# -- conventions ---------------------------------------------------------------------------------------------------


def test_nothing_is_overwritten_without_force(wine, folder, capsys):
    (folder / "m.eigenlens").write_text("mine")
    assert "--force" in told(capsys, "fit", wine, "--out", "m.eigenlens", code=1).err
    assert (folder / "m.eigenlens").read_text() == "mine"
    told(capsys, "fit", wine, "--out", "m.eigenlens", "--force")
    assert eigenlens.load("m.eigenlens")
    (folder / "out").mkdir()
    (folder / "out" / "report.html").write_text("mine")
    assert "--force" in told(capsys, "report", wine, "--out", "out", code=1).err
    assert os.listdir(folder / "out") == ["report.html"]


def test_output_is_not_input_and_links_are_not_followed(wine, folder, capsys):
    before = wine.read_bytes()
    told(capsys, "fit", wine, "--out", "m.eigenlens")
    assert "is the input file" in told(capsys, "transform", "m.eigenlens", wine, "--out", wine, "--force", code=1).err
    assert "is the input file" in told(capsys, "fit", wine, "--out", wine, "--force", code=1).err
    (folder / "link.csv").symlink_to(wine)
    assert "symbolic link" in told(capsys, "transform", "m.eigenlens", wine, "--out", "link.csv", "--force", code=1).err
    (folder / "elsewhere").mkdir()
    (folder / "out").symlink_to(folder / "elsewhere")
    assert "symbolic link" in told(capsys, "report", wine, "--out", "out", "--force", code=1).err
    assert wine.read_bytes() == before
    assert os.listdir(folder / "elsewhere") == []
    said = told(capsys, "transform", "m.eigenlens", wine, "--out", "z.xlsx", code=1).err
    assert "must end in .parquet or .npy or .csv" in said
    assert "no folder" in told(capsys, "transform", "m.eigenlens", wine, "--out", "no/z.csv", code=1).err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["report"], 2, "DATA"),
        (["report", "no.csv"], 2, "does not exist"),
        (["report", "wine.csv", "--demo", "wine"], 2, "DATA"),
        (["report", "wine.csv", "--target", "nothing"], 1, "no such column; the columns are 'alcohol'"),
        (["report", "wine.csv", "--target", "kind", "--distances"], 2, "one at a time"),
        (["report", "wine.csv", "--target", "kind", "--method", "pca"], 1, "it is for no target"),
        (["report", "wine.csv", "--method", "tsne"], 2, "no such method; there are auto, pca"),
        (["report", "wine.csv", "--distances"], 1, "names of the rows must be numbers"),
        (["report", "wine.csv", "--delimiter", ";;"], 2, "one character"),
        (["report", "wine.csv", "--delimiter", ","], 1, None),
        (["report", "wine.csv", "--delimiter", ";"], 1, "has no ';' but is full of ','"),
        (["report", "wine.csv", "--seed", "-1"], 2, "--seed"),
        (["report", "wine.csv", "--decimal", ",", "--delimiter", ","], 2, "same character"),
        (["report", "wine.csv", "--decimal", ","], 1, "leave out --decimal"),
        (["report", "wine.csv", "--sample", "3"], 1, "at least 10"),
        (["report", "wine.csv", "--drop", "none"], 1, "--drop 'none': no such column"),
        (["report", "wine.csv", "--keep", "none"], 1, "--keep 'none': no such column"),
        (["report", "wine.csv", "--target", "Kind"], 1, "no such column; did you mean 'kind'? The columns are"),
        (["report", "wine.csv", "--drop", "alkohol"], 1, "no such column; did you mean 'alcohol'? The columns are"),
        (["wine"], 2, "No such command"),
    ],
)
def test_usage_errors(arguments, code, words, wine, folder, capsys):
    if words is None:
        assert run([*arguments, "--drop", "kind"]) == 0
        return
    said = told(capsys, *arguments, code=code)
    assert words in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


def test_names_with_points_have_folders_of_their_own(wine, folder, capsys):
    for name in ("wine.tr.csv", "wine.te.csv"):
        (folder / name).write_bytes(wine.read_bytes())
        told(capsys, "report", name, "--target", "kind", "--folds", "0")
        told(capsys, "fit", name)
    assert {"wine.tr-report", "wine.te-report", "wine.tr.eigenlens", "wine.te.eigenlens"} <= set(os.listdir(folder))


def test_rows_come_by_a_pipe(wine, folder, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(wine.read_bytes())))
    told(capsys, "report", "-", "--target", "kind", "--folds", "0")
    assert "report.html" in os.listdir(folder / "stdin-report")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n3\n")))
    assert "eigenlens: stdin, line 3: 1 cell," in told(capsys, "fit", "-", code=1).err


def test_formulas_are_neutralised_in_csv(folder, capsys):
    rng = np.random.default_rng(0)
    labels = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)"]
    with open("t.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "y", "=kind"])
        writer.writerows([rng.standard_normal() + 3 * (i % 4), rng.standard_normal(), labels[i % 4]] for i in range(80))
    told(capsys, "report", "t.csv", "--target", "=kind", "--format", "csv", "--out", "out")
    with open("out/scores.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][0] == "'=kind"
    assert {row[0] for row in rows[1:]} == {"'" + label for label in labels}
    assert all(not row[-1].startswith(("=", "+", "-", "@")) for row in rows)
    assert any(float(row[1]) < 0 for row in rows[1:])  # negative numbers stay numbers
    said = told(capsys, "predict", "out/model.eigenlens", "t.csv").out
    assert all(line.startswith(("'", '"', "predicted")) for line in said.splitlines())


def test_suggested_commands_name_the_model_that_was_written(wine, folder, capsys):
    assert run(["report", str(wine), "--target", "kind", "--folds", "0", "--out", "my wine"]) == 0
    assert "eigenlens predict 'my wine/model.eigenlens' NEW.csv" in capsys.readouterr().out
    assert run(["fit", str(wine), "--target", "kind", "--out", "w.eigenlens"]) == 0
    assert "eigenlens predict w.eigenlens NEW.csv" in capsys.readouterr().out
