"""A file that is read in pieces: the findings of the table in memory, in three passes."""

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
import scipy.stats
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVC

import eigenlens
from eigenlens import LDA, PDA, QDA, SIR
from eigenlens.app.console import paced
from eigenlens.app.main import run
from eigenlens.exceptions import InputError
from eigenlens.moments import Grouped
from eigenlens.regress import CurveOnDirections
from eigenlens.rows import TableFile
from eigenlens.rows.sampled_rows import keys, smallest
from eigenlens.study import Plan, read_data, study
from eigenlens.study.compare import clustered
from eigenlens.study.whole import FIRST, SECOND, THIRD
from eigenlens.validation.folds import split_rows

N = 6_000


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small pieces and samples, so that a small table has many of them; the slow methods are not compared."""
    monkeypatch.setattr("eigenlens.rows.csv_text.BLOCK_BYTES", 2**16)
    monkeypatch.setattr("eigenlens.rows.csv_text.PLAIN_BYTES", 2**16)
    monkeypatch.setattr("eigenlens.study.data.SAMPLE_ROWS", 2_000)
    monkeypatch.setattr("eigenlens.study.data.FEWEST_ROWS", 500)
    monkeypatch.setattr("eigenlens.study.compare.MOST_ROWS", 400)
    monkeypatch.setattr("eigenlens.study.compare.FEWEST_ROWS", 200)
    ring = {"LDA": LDA(), "PDA": PDA(), "QDA": QDA(pooling=0.1, shrinkage=1e-3), "SVM (Gaussian kernel)": SVC()}
    monkeypatch.setattr("eigenlens.study.classes.compared_methods", lambda *asked: ring)


def columns(seed=0, n=N):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    table = {f"x{j}": rng.standard_normal(n) * 10.0**j + (y == j) * 10.0**j + 100 for j in range(4)}
    table["x4"] = table["x0"] + 0.5 * rng.standard_normal(n)
    table["kind"] = np.array(["low", "mid", "high"])[y]
    return table


def worded(seed=0):
    rng, table = np.random.default_rng(seed + 1), columns(seed)
    table["region"] = np.array(["north", "south", "east", "west"])[rng.integers(0, 4, N)]
    table["flag"] = np.where(rng.random(N) < 0.4, "yes", "no")
    table["same"] = np.full(N, 7.0)
    return {"label": np.array([f"row {i}" for i in range(N)]), "number": np.arange(1, N + 1), **table}


def late():
    table = worded()
    table["region"][-3:] = "moon"
    return table


def changing():
    """A column that turns out to hold a word when most of it has been read."""
    table = columns()
    cells = np.array([f"{v:.4f}" for v in table["x1"]], dtype=object)
    cells[-2] = "unknown"
    return {**table, "x1": cells}


def unknown():
    table = columns()
    kind = table["kind"].astype(object)
    kind[::17] = None
    return {**table, "kind": kind}


def weighted():
    """Rows that count more or less, some of them not at all."""
    table = columns()
    return {**table, "w": np.where(np.arange(N) % 50 == 3, 0.0, np.random.default_rng(5).gamma(2.0, 1.0, N))}


def grouped():
    """Forty sites, each of one kind or another in turn."""
    table, site = columns(), np.random.default_rng(6).integers(0, 40, N)
    return {**table, "x0": table["x0"] + site % 7, "site": np.array([f"s{i}" for i in site])}


def numbered(offset=0.0, n=N):
    """A number that depends on one direction, and bends."""
    table, rng = columns(), np.random.default_rng(7)
    y = np.exp((table["x0"] - 100) / 2) + 0.1 * rng.standard_normal(n)
    return {**{name: v for name, v in table.items() if name != "kind"}, "y": y + offset}


def far_off():
    """The first rows are nowhere near the others, and so no pivot for them."""
    table = numbered()
    table["y"][:20] -= 1e6
    return table


def counts():
    table = numbered()
    return {**table, "y": np.minimum(np.round(table["y"] * 3), 40.0)}


def holed(table, often=0.02):
    """The same rows; cells of three columns are missing, more often where the first is large."""
    rng, table = np.random.default_rng(8), dict(table)
    for name, share in (("x1", often), ("x2", often / 2)):
        gone = rng.random(N) < share * (1 + (table["x0"] > 101))
        table[name] = np.where(gone, np.nan, table[name])
    return table


def saved(table, folder, suffix="csv"):
    path = folder / f"rows.{suffix}"
    arrow = pa.table({name: pa.array(values) for name, values in table.items()})
    pa_csv.write_csv(arrow, path) if suffix == "csv" else pq.write_table(arrow, path, row_group_size=700)
    return path


def both(path, **asked):
    """Return the studies in memory and in pieces, as dicts, and how often the file was read."""
    plan, found = Plan(folds=3, **asked), []
    for stream in (False, True):
        data = read_data(TableFile(path), replace(plan, stream=stream))
        assert (data.whole is not None) is stream
        found.append(study(data, plan))
    return *found, data.whole.passes


def assert_same(one, other, place=""):
    if isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for key in one:
            assert_same(one[key], other[key], f"{place}/{key}")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), (place, one, other)
        for j, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{place}/{j}")
    elif isinstance(one, float):
        assert math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9) or (one != one and other != other), place
    else:
        assert one == other, place


def findings(result):
    told = result.findings.to_dict()
    told["notes"] = [note for note in told["notes"] if not note.startswith("The file is large")]
    without = ("With these cells missing", "The finding is the same without")  # is asked of rows in memory alone
    told["warnings"] = [warning for warning in told["warnings"] if not warning.startswith(without)]
    return told


@pytest.mark.parametrize(
    ("table", "target", "passes"),
    [
        (columns, "kind", 3),
        (columns, None, 3),
        (worded, "kind", 3),
        (worded, None, 3),
        (worded, "flag", 3),
        (late, "kind", 3),
        (changing, "kind", 4),
        (unknown, "kind", 3),
        (lambda: {**columns(), "index": np.arange(N) % 70}, "kind", 3),
        (lambda: {**columns(), "index": np.r_[np.arange(N - 9) % 70, np.arange(9)[::-1]]}, "kind", 4),
    ],
)
def test_the_findings_are_those_of_the_table_in_memory(tmp_path, table, target, passes):
    missing = {"missing": "drop"} if table is changing else {}
    method = {} if target else {"method": "pca"}  # in memory, words would be taken as they are
    one, other, read = both(saved(table(), tmp_path), target=target, **method, **missing)
    assert read == passes
    assert_same(findings(one), findings(other))
    rows = read_data(TableFile(saved(table(), tmp_path)), Plan(target=target, stream=False, **missing)).table.slice(
        0, 50
    )
    np.testing.assert_allclose(one.model.transform(rows), other.model.transform(rows), rtol=1e-7, atol=1e-9)
    assert other.about == {**one.about, "rows": other.about["rows"]}


@pytest.mark.parametrize(
    ("table", "asked", "passes"),
    [
        (weighted, {"target": "kind", "weights": "w"}, 3),
        (weighted, {"weights": "w", "drop": ("kind",)}, 3),
        (grouped, {"target": "kind", "group": "site"}, 3),
        (numbered, {"target": "y"}, 3),
        (far_off, {"target": "y"}, 5),  # another to count the far cells
        (counts, {"target": "y", "target_is": "number"}, 3),
        (lambda: {**numbered(), "w": weighted()["w"]}, {"target": "y", "weights": "w"}, 3),
        (lambda: {**numbered(), "site": grouped()["site"]}, {"target": "y", "group": "site"}, 3),
    ],
    ids=["weights", "weights alone", "groups", "number", "far off", "counts", "weighted number", "grouped number"],
)
def test_weights_groups_and_numbers_in_pieces(tmp_path, monkeypatch, table, asked, passes):
    monkeypatch.setattr("eigenlens.study.compare.MOST_ROWS", 300)
    monkeypatch.setattr("eigenlens.study.dimension_tests.WORK", 1e8)
    one, other, read = both(saved(table(), tmp_path), **asked)
    assert read == passes
    assert_same(findings(one), findings(other))


@pytest.mark.parametrize(
    ("table", "asked", "passes"),
    [
        (columns, {"target": "kind"}, 3),
        (columns, {"drop": ("kind",)}, 3),
        (numbered, {"target": "y"}, 4),
        (weighted, {"target": "kind", "weights": "w"}, 3),
    ],
    ids=["classes", "no target", "number", "weights"],
)
def test_rows_with_holes_in_pieces(tmp_path, monkeypatch, table, asked, passes):
    monkeypatch.setattr("eigenlens.study.compare.MOST_ROWS", 200)
    monkeypatch.setattr("eigenlens.study.dimension_tests.DRAWS", (19,))
    one, other, read = both(saved(holed(table()), tmp_path), **asked)
    assert read == passes
    assert "missing cells" not in " ".join(other.findings.doubts)
    assert_same(findings(one), findings(other))


@pytest.mark.parametrize("method", ["pda"])
def test_other_methods_that_fit_from_moments(tmp_path, method):
    assert_same(*map(findings, both(saved(columns(), tmp_path), target="kind", method=method)[:2]))


def test_methods_that_need_rows_get_them_all(tmp_path):
    data = read_data(TableFile(saved(columns(), tmp_path)), Plan(target="kind", method="fda", stream=True))
    assert (data.whole, data.n_rows) == (None, N)


def test_parquet(tmp_path):
    one, other, read = both(saved(worded(), tmp_path, "parquet"), target="kind")
    assert read == 3
    assert_same(findings(one), findings(other))


def test_a_small_table_is_its_own_sample(tmp_path):
    path = saved({name: values[:900] for name, values in worded().items()}, tmp_path)
    data = read_data(TableFile(path), Plan(target="kind", stream=True))
    assert (data.whole, data.n_rows) == (None, 900)
    assert_same(*(findings(study(read_data(TableFile(path), p), p)) for p in (Plan(stream=s) for s in (True, False))))


def test_a_misspelt_column_is_refused_before_the_file_is_read(tmp_path):
    file = TableFile(saved(columns(), tmp_path))
    with pytest.raises(InputError, match="'knid'"):
        read_data(file, Plan(target="knid", stream=True))
    assert file.passes == 0


def test_the_size_decides(tmp_path, monkeypatch):
    path = saved(columns(), tmp_path)
    assert read_data(TableFile(path), Plan(target="kind")).whole is None
    monkeypatch.setattr("eigenlens.study.data.LARGE_CELLS", 20_000)
    assert read_data(TableFile(path), Plan(target="kind")).whole is not None
    assert read_data(TableFile(path), Plan(target="kind", sample=1_000)).whole is None


def test_holes_are_refused_where_that_is_asked(tmp_path):
    table = columns()
    table["x1"][5_000] = np.nan
    with pytest.raises(InputError, match="missing cells in 1 of 6,000 rows"):
        read_data(TableFile(saved(table, tmp_path)), Plan(target="kind", missing="refuse", stream=True))


@pytest.mark.parametrize(
    "asked",
    [
        {"missing": "mean"},
        {"target": "x0", "method": "save"},
        {"target": "x0", "method": "localized-sir"},
        {"weights": "x5"},
    ],
)
def test_what_pieces_do_not_do_is_done_in_memory(tmp_path, asked):
    table = columns()
    table["x1"][[3, 5_000]] = np.nan
    table["x5"] = np.arange(N) % 2  # whole weights are frequencies, and these rows are few
    path = saved(table, tmp_path)
    data = read_data(TableFile(path), Plan(**{"target": "kind", "stream": True, **asked}))
    assert (data.whole, data.n_rows) == (None, N // 2 if "weights" in asked else N)


def test_weights_that_cannot_be_are_refused_in_pieces(tmp_path):
    table = {**columns(), "w": np.append(np.nan, np.ones(N - 1)), "v": -np.ones(N)}
    path = saved(table, tmp_path)
    for name, words in (("w", "1 of its cells are missing"), ("v", "it holds -1"), ("kind", "it holds words")):
        with pytest.raises(InputError, match=words):
            read_data(TableFile(path), Plan(weights=name, stream=True))


def test_many_patterns_of_holes_need_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("eigenlens.study.first_pass.MOST_PATTERNS", 10)
    data = read_data(TableFile(saved(holed(columns()), tmp_path)), Plan(target="kind", stream=True))
    assert (data.whole, data.n_rows) == (None, N)


@pytest.mark.parametrize("when", ["first", "second"])
def test_a_failure_on_the_way_leaves_nothing(tmp_path, monkeypatch, capsys, when):
    monkeypatch.chdir(tmp_path)
    saved(columns(), tmp_path)
    place = "first_pass.FirstPass.part" if when == "first" else "whole.Whole._outermost"

    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(f"eigenlens.study.{place}", full)
    assert run(["report", "rows.csv", "--target", "kind", "--folds", "0", "--stream"]) == 1
    assert "No space left" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["rows.csv"]


def test_too_many_classes_are_told_early(tmp_path):
    table = columns()
    table["kind"] = np.array([f"k{i % 400}" for i in range(N)])
    with pytest.raises(InputError, match="too many for classes"):
        study(read_data(TableFile(saved(table, tmp_path)), Plan(target="kind", stream=True)), Plan(target="kind"))


@pytest.mark.parametrize("target", ["kind", None])
def test_the_files_are_those_of_the_table_in_memory(tmp_path, monkeypatch, capsys, target):
    monkeypatch.chdir(tmp_path)
    saved(worded(), tmp_path)
    asked = ["--method", "pca"] if target is None else ["--target", target]
    for name, way in (("memory", "--no-stream"), ("pieces", "--stream")):
        assert run(["report", "rows.csv", *asked, "--folds", "3", "--out", name, way]) == 0
        assert sorted(p.name for p in (tmp_path / name).iterdir()) == [
            "model.eigenlens",
            "report.html",
            "scores.parquet",
        ]
    capsys.readouterr()
    one, other = (pq.read_table(tmp_path / name / "scores.parquet") for name in ("memory", "pieces"))
    assert one.schema.names == other.schema.names
    for name in one.schema.names:
        a, b = one.column(name).to_numpy(), other.column(name).to_numpy()
        np.testing.assert_allclose(a, b, atol=1e-9) if a.dtype.kind == "f" else np.testing.assert_array_equal(a, b)


def test_the_picture_holds_a_sample_and_the_outermost_rows(tmp_path):
    one, other, _ = both(saved(columns(), tmp_path), target="kind")
    Z, some, numbers = one.findings.scores, other.findings.scores, other.findings.numbers
    assert 2_000 <= len(some) <= 2_000 + 3 * 100 + 4
    np.testing.assert_allclose(Z[numbers], some, atol=1e-9)
    np.testing.assert_allclose([some.min(axis=0), some.max(axis=0)], [Z.min(axis=0), Z.max(axis=0)], atol=1e-9)
    assert (np.diff(numbers) > 0).all()
    assert list(other.findings.columns["kind"]) == list(np.asarray(one.findings.columns["kind"])[numbers])


def cut(table, folder, suffix="csv", parts=3):
    """Save a table as several files; return the pattern that means them."""
    folder.mkdir(exist_ok=True)
    for j, rows in enumerate(np.array_split(np.arange(N), parts)):
        saved({name: values[rows] for name, values in table.items()}, folder, suffix).rename(
            folder / f"part-{j}.{suffix}"
        )
    return folder / f"part-*.{suffix}"


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("stream", [True, False])
def test_several_files_are_one_table(tmp_path, suffix, stream):
    pattern, one = cut(worded(), tmp_path / "parts", suffix), saved(worded(), tmp_path, suffix)
    plan = Plan(target="kind", folds=3, stream=stream, title="rows")
    told = []
    for path in (one, pattern, tmp_path / "parts"):
        data = read_data(TableFile(path), plan)
        assert (data.whole is not None) is stream
        result = study(data, plan)
        told.append(findings(result) | {"source": "", "next": []})
        told[-1]["notes"] = [note.replace(" in 3 files, read as one table;", ",") for note in told[-1]["notes"]]
        assert ("in 3 files" in result.findings.notes[0]) is (path != one)
    assert_same(told[0], told[1])
    assert_same(told[0], told[2])


def test_folders_give_their_files_a_column(tmp_path):
    for year in (2023, 2024):
        folder = tmp_path / f"year={year}"
        folder.mkdir()
        saved(columns(year), folder, "parquet")
    file = TableFile(tmp_path)
    assert file.names[-1] == "year"
    assert file.profile()["year"].values == {2023, 2024}
    assert file.read(["year", "x0"]).column("year").to_pylist()[:: 2 * N - 1] == [2023, 2024]


def test_files_with_other_columns_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,z\n1,2\n")
    with pytest.raises(InputError, match=r"b.csv: its columns are not those of .*a.csv: it has 'z' in addition and no"):
        TableFile(tmp_path / "*.csv")
    (tmp_path / "b.csv").unlink()
    (tmp_path / "b.parquet").write_bytes(b"")
    with pytest.raises(InputError, match="several kinds"):
        TableFile(tmp_path)
    with pytest.raises(InputError, match="there are no files"):
        TableFile(tmp_path / "*.tsv")


def test_the_command_line_takes_patterns(tmp_path, monkeypatch, capsys):
    cut(columns(), tmp_path / "flights")
    monkeypatch.chdir(tmp_path)
    assert run(["report", "flights/*.csv", "--target", "kind", "--folds", "2", "--stream"]) == 0
    assert (tmp_path / "flights-report" / "report.html").exists()
    assert run(["transform", "flights-report/model.eigenlens", "flights", "--out", "scores.csv"]) == 0
    assert len((tmp_path / "scores.csv").read_text().splitlines()) == N + 1
    assert run(["report", "flights/*.tsv"]) == 1
    assert "there are no files" in capsys.readouterr().err


@pytest.mark.parametrize(("table", "target"), [(columns, "kind"), (columns, None), (worded, "kind")])
def test_the_code_of_a_file_in_pieces_reads_it_in_pieces(tmp_path, monkeypatch, table, target):
    monkeypatch.chdir(tmp_path)
    arrow = {name: v for name, v in table().items() if target or name != "kind"}
    saved(arrow, tmp_path)

    ask = ["report", "rows.csv", "--stream", "--folds", "2", "--out", ".", "--force"]
    assert run([*ask, *(["--target", target] if target else [])]) == 0
    plan = Plan(target=target, stream=True, folds=2)
    found = study(read_data(TableFile(saved(arrow, tmp_path)), plan), plan)
    code = found.findings.code.replace(str(tmp_path / "rows.csv"), "rows.csv")
    reading = [line for line in code.splitlines() if "rows.csv" in line and not line.startswith("#")]
    assert reading, code
    assert all("nrows=1000" in line if table is worded else "open_rows(" in line for line in reading)
    space: dict = {}
    exec(code, space)
    if table is worded:
        assert space["scores"].shape[0] == 1000
    elif target:
        np.testing.assert_allclose(space["model"].priors_, found.model[-1].priors_)
    else:
        ratio = found.model[-1].explained_variance_ratio_
        np.testing.assert_allclose(space["model"].explained_variance_ratio_, ratio, rtol=1e-8)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_passes_tell_how_far_they_are(tmp_path, suffix):
    told: dict[str, list[tuple[int, int]]] = {}
    plan = Plan(target="kind", folds=2, stream=True)

    def show(what, done, total):
        told.setdefault(what, []).append((done, total))

    study(read_data(TableFile(saved(columns(), tmp_path, suffix)), plan, progress=show), plan, show)
    for what in (FIRST, SECOND, THIRD):
        done, totals = zip(*told[what], strict=True)
        assert list(done) == sorted(done)
        assert done[-1] == N
        assert all(total >= rows for rows, total in told[what])
        assert abs(totals[0] - N) < 0.2 * N  # told from the size of the file


def test_the_pace_in_words():
    assert paced(0, 100, 5) == ""
    assert paced(1000, 3000, 0.5) == ""
    assert paced(1_000_000, 3_000_000, 2) == "500,000 rows/s, 4 s left"
    assert paced(60_000_000, 0, 20) == "3.0 million rows/s"
    assert paced(1_000, 10_000_000, 1) == "1,000 rows/s, 167 min left"


def test_moments_of_a_wide_table_are_made_of_many_rows_at_once(tmp_path, monkeypatch):
    """Merging moments of many columns, for each class, costs more than making those of a few rows."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((N, 60)).round(3), np.arange(N) % 12
    X[:, :12] += np.eye(12)[y]
    path = saved({**{f"x{j}": X[:, j] for j in range(60)}, "kind": np.array(list("abcdefghijkl"))[y]}, tmp_path)
    one, other, _ = both(path, target="kind")
    assert_same(*map(findings, (one, other)))
    merged, merge = [], Grouped.merge
    monkeypatch.setattr(Grouped, "merge", lambda self, other: (merged.append(1), merge(self, other))[1])
    read_data(TableFile(path), Plan(target="kind", stream=True))
    assert len(merged) < 8  # the file has thirty pieces


def test_no_moments_are_made_of_a_table_that_the_sample_holds(tmp_path, monkeypatch):
    monkeypatch.setattr("eigenlens.study.data.SAMPLE_ROWS", 2 * N)
    monkeypatch.setattr(Grouped, "update", lambda self, block: pytest.fail("moments were made"))
    path = saved(columns(), tmp_path)
    data = read_data(TableFile(path), Plan(target="kind", stream=True), str(path))
    assert data.whole is None
    assert data.n_rows == N


def compared(table, target, **asked):
    """Return the rows that methods are judged on, their answers, and the scores by method."""
    arrow = pa.table({name: pa.array(values) for name, values in table.items()})
    found = eigenlens.report(arrow.to_pandas(), target=target, cv=3, **asked).findings
    X = np.stack([table[name] for name in table if name not in (target, *asked.values())], axis=1)
    return X, table[target], found, {c.name: c for c in found.comparison}


def test_many_rows_with_a_number_are_judged_as_by_refits():
    """Linear regression, and a curve on the directions that SIR finds, on rows drawn by their keys."""
    X, y, _, found = compared(numbered(), "y")
    at_hand = np.sort(smallest(keys(np.arange(N), 0), 2_000))
    some = at_hand[smallest(keys(at_hand, 0), 400)]
    folds = split_rows(y[at_hand], False, 3, 0)[np.searchsorted(at_hand, some)]
    X, y = X[some], y[some]
    for name, model in (("linear regression", LinearRegression()), ("SIR + curve", CurveOnDirections(SIR()))):
        guess = np.empty(len(y))
        for k in range(3):
            seen = folds != k
            Z = (X - X[seen].mean(axis=0)) / X[seen].std(axis=0, ddof=1)
            guess[folds == k] = clone(model).fit(Z[seen], y[seen]).predict(Z[folds == k])
        parts = 1 - np.array([np.mean((y - guess)[folds == k] ** 2) for k in range(3)]) / y.var()
        half = scipy.stats.t.ppf(0.975, 2) * parts.std(ddof=1) / np.sqrt(3)
        np.testing.assert_allclose(found[name].score, 1 - np.mean((y - guess) ** 2) / y.var(), rtol=1e-7)
        np.testing.assert_allclose(found[name].low, found[name].score - half, rtol=1e-7)


def by_refits(X, y, folds, w=None):
    """Return what LDA says about rows of the folds that it was not fitted to."""
    guess = np.empty(len(y), dtype=object)
    for k in range(3):
        seen = folds != k
        Z = (X - np.average(X[seen], axis=0, weights=None if w is None else w[seen])) / X[seen].std(axis=0)
        fitted = LDA().fit(Z[seen], y[seen], sample_weight=None if w is None else w[seen])
        guess[folds == k] = fitted.predict(Z[folds == k])
    return guess


def test_weighted_rows_of_classes_are_judged_as_by_refits():
    X, y, _, found = compared(weighted(), "kind", weights="w")
    w = weighted()["w"]
    counting = np.flatnonzero(w > 0)
    at_hand = counting[smallest(keys(counting, 0), 2_000)]
    X, y, w = X[at_hand], y[at_hand], w[at_hand] / w[counting].mean()
    right = y == by_refits(X, y, split_rows(y, True, 3, 0), w)
    n, share = len(w), np.average(right, weights=w)
    half = scipy.stats.t.ppf(0.975, n - 1) * np.sqrt(n / (n - 1) * np.sum((w * (right - share)) ** 2)) / w.sum()
    np.testing.assert_allclose([found["LDA"].score, found["LDA"].low], [share, share - half], rtol=1e-9)


def test_rows_that_belong_together_are_judged_as_by_refits():
    """No model has seen a row of the groups that it judges."""
    X, y, findings, found = compared(grouped(), "kind", group="site")
    at_hand = smallest(keys(np.arange(N), 0), 2_000)
    X, y, sites = X[at_hand], y[at_hand], np.unique(grouped()["site"], return_inverse=True)[1][at_hand]
    folds = split_rows(y, True, 3, 0, sites)
    assert all(len(set(folds[sites == site])) == 1 for site in set(sites))
    score = clustered(y == by_refits(X, y, folds), None, sites)[:2]
    np.testing.assert_allclose([found["LDA"].score, found["LDA"].low], score, rtol=1e-9)
    assert any("LDA" in note and "are compared on 2,000 of the 6,000 rows" in note for note in findings.notes)


def test_very_many_groups_are_dealt_without_their_classes():
    groups = np.repeat(np.arange(1_500), 2)
    y = groups % 3
    folds = split_rows(y, True, 5, 0, groups)
    assert (folds[::2] == folds[1::2]).all()
    assert all(0.15 < np.mean(folds[y == label] == k) < 0.25 for label in range(3) for k in range(5))


def test_a_rare_class_has_rows_in_every_comparison():
    """Two rows at least, however many rows others have; so the folds are two."""
    table = columns()
    table["kind"] = np.where(np.isin(np.arange(N), [7, 3_001]), "rare", table["kind"])
    arrow = pa.table({name: pa.array(values) for name, values in table.items()})
    found = eigenlens.report(arrow.to_pandas(), target="kind", cv=3).findings
    classes, counts = found.confusion
    assert counts[classes.index("rare")].sum() == 2
