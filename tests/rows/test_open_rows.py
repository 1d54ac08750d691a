"""Bad files, bad arguments and long passes: clear words before or at the place, and nothing left behind."""

import gzip
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import zarr

from eigenlens import CCA, LDA, PCA, open_rows, write_rows
from eigenlens.arrays import progress
from eigenlens.regress import AdditiveSplines

rng = np.random.default_rng(0)
N = 90
FRAME = pd.DataFrame(rng.standard_normal((N, 3)), columns=list("abc"))
FRAME["label"] = np.array(["x", "y", "z"])[np.arange(N) % 3]
FRAME["w"] = 1.0


@pytest.fixture
def folder(tmp_path):
    FRAME.to_parquet(tmp_path / "rows.parquet", row_group_size=20)
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    np.save(tmp_path / "rows.npy", FRAME[list("abc")].to_numpy())
    return tmp_path


# -- what is wrong before a row is read ---------------------------------------------------------------------------

OPENING = {
    "missing": (lambda d: open_rows(d / "none.parquet"), "nothing to read there"),
    "empty folder": (lambda d: open_rows((d / "e", (d / "e").mkdir())[0]), "nothing to read there"),
    "mixed folder": (lambda d: open_rows(d), "several kinds"),
    "suffix": (lambda d: open_rows((d / "x.sas", (d / "x.sas").touch())[0]), "'.sas' are not read"),
    "no Arrow": (lambda d: open_rows((d / "r.arrow", (d / "r.arrow").write_text("no"))[0]), "cannot be read"),
    "Excel": (lambda d: open_rows((d / "x.xlsx", (d / "x.xlsx").touch())[0]), "Excel workbook.*pandas.read_excel"),
    "no parquet": (lambda d: open_rows((d / "n.parquet", (d / "n.parquet").write_text("no"))[0]), "cannot be read"),
    "no npy": (lambda d: open_rows((d / "n.npy", (d / "n.npy").write_text("no"))[0]), "cannot be read"),
    "npy cut short": (
        lambda d: open_rows((d / "rows.npy", os.truncate(d / "rows.npy", 500))[0]),
        "500 bytes but its header implies 2,288; it was cut short",
    ),
    "npy of words": (
        lambda d: open_rows((d / "s.npy", np.save(d / "s.npy", np.array([["a"]])))[0]),
        "must hold numbers",
    ),
    "one dimension": (lambda d: open_rows((d / "o.npy", np.save(d / "o.npy", np.ones(3)))[0]), "Expected 2D array"),
    "empty csv": (lambda d: open_rows((d / "e.csv", (d / "e.csv").touch())[0]), "it is empty"),
    "no header": (lambda d: open_rows((d / "e.csv", (d / "e.csv").write_text("1,2\n3,4\n"))[0]), "must hold the names"),
    "zarr group": (
        lambda d: open_rows((d / "g.zarr", zarr.open_group(str(d / "g.zarr"), mode="w"))[0]),
        "Zarr group",
    ),
    "no such column": (lambda d: open_rows(d / "rows.csv", columns=["q"]), "columns='q': no such.*a, b, c, label, w"),
    "no such target": (lambda d: open_rows(d / "rows.csv", target="q"), "target='q'"),
    "number for a name": (lambda d: open_rows(d / "rows.csv", target=0), "target=0"),
    "name for a number": (lambda d: open_rows(d / "rows.npy", target="a"), "numbered 0 to 2"),
    "twice": (lambda d: open_rows(d / "rows.csv", columns=["a", "label"], target="label"), "'label' is named twice"),
    "a string of columns": (lambda d: open_rows(d / "rows.csv", columns="abc"), "columns='abc'.*a list"),
    "batch_rows": (lambda d: open_rows(d / "rows.csv", batch_rows=0), "batch_rows=0"),
    "a number": (lambda d: open_rows(3), "int, which open_rows does not read"),
    "no batch": (lambda d: open_rows(iter([])), "without a batch"),
    "batches of words": (lambda d: open_rows(iter(["a"])), "iterable of str"),
    "other columns": (
        lambda d: open_rows(
            [d / "rows.parquet", (d / "q.parquet", FRAME.rename(columns={"a": "q"}).to_parquet(d / "q.parquet"))[0]]
        ),
        "q.parquet has columns q, b.*but .*rows.parquet has columns a, b",
    ),
    "other width": (
        lambda d: open_rows([d / "rows.npy", (d / "q.npy", np.save(d / "q.npy", np.ones((3, 2))))[0]]),
        "q.npy has 2 columns but .*rows.npy has 3",
    ),
}


@pytest.mark.parametrize(("attempt", "message"), OPENING.values(), ids=OPENING)
def test_opening(attempt, message, folder):
    with pytest.raises(ValueError, match=message):
        attempt(folder)


READING = {
    "no target": (lambda d: LDA().fit(open_rows(d / "rows.npy")), "requires y.*open_rows.*target"),
    "two targets": (
        lambda d: LDA().fit(open_rows(d / "rows.csv", list("abc"), "label"), FRAME["label"]),
        "y was passed, but the source holds it",
    ),
    "two weights": (
        lambda d: PCA().fit(open_rows(d / "rows.csv", list("abc"), weight="w"), sample_weight=np.ones(N)),
        "sample_weight was passed, but",
    ),
    "words in X": (lambda d: PCA().fit(open_rows(d / "rows.parquet")), r"not numbers: label \("),
    "y too short": (lambda d: LDA().fit(open_rows(d / "rows.npy"), np.zeros(5)), "X has 90 rows but y has 5"),
    "y too long for a csv": (
        lambda d: LDA().fit(open_rows(d / "rows.csv", list("abc")), np.arange(N + 1) % 3),
        "X has 90 rows but y has 91",
    ),
    "weights too long": (
        lambda d: PCA().fit(open_rows(d / "rows.csv", list("abc")), sample_weight=np.ones(N + 1)),
        r"shape \(91,\)",
    ),
    "y too short for a stream": (
        lambda d: LDA().fit(open_rows(iter(np.ones((5, 20, 3)))), np.arange(70) % 3),
        "X has at least 100 rows but y has 70",
    ),
    "Y too short for a stream": (
        lambda d: CCA().fit(open_rows(iter(np.ones((5, 20, 3))), batch_rows=20), np.ones((30, 2))),
        "X has at least 40 rows but Y has 30",
    ),
    "one weight for a stream": (
        lambda d: PCA().fit(open_rows(iter(np.ones((5, 20, 3)))), sample_weight=2.0),
        "sample_weight has shape",
    ),
    "Y of another file": (
        lambda d: CCA().fit(open_rows(d / "rows.npy"), open_rows(d / "rows.npy")),
        r"name the columns of Y, open_rows\(",
    ),
    "no such device": (lambda d: PCA().fit(open_rows(d / "rows.npy", device="moon")), "device='moon' cannot be"),
    "damaged chunk": (lambda d: PCA().fit(open_rows(_damaged(d / "z.zarr"))), "z.zarr, rows 0 to 89 cannot be read"),
    "damaged row group": (
        lambda d: PCA().fit(open_rows(_damaged_group(d / "bad.parquet", 3))),
        "bad.parquet, row group 3 cannot be read",
    ),
    "a response of words": (
        lambda d: CCA().fit(open_rows(d / "rows.parquet", list("ab"), target=["label"])),
        "Y must hold numbers",
    ),
    "continuous labels": (
        lambda d: LDA().fit(open_rows(d / "rows.parquet", list("ab"), target="c")),
        "rows.parquet, row group 0, rows 0 to .*Unknown label type",
    ),
    "too few rows": (
        lambda d: PCA().fit(open_rows((d / "1.npy", np.save(d / "1.npy", np.ones((1, 3))))[0])),
        "1 sample",
    ),
    "no rows": (lambda d: PCA().fit(open_rows((d / "0.csv", (d / "0.csv").write_text("a,b\n"))[0])), "0 sample"),
    "weights of zero": (
        lambda d: PCA().fit(open_rows(_frame(d, FRAME.assign(w=0.0)), list("abc"), weight="w")),
        "zero for every row",
    ),
    "negative weight": (
        lambda d: PCA().fit(open_rows(_frame(d, FRAME.assign(w=-1.0)), list("abc"), weight="w")),
        "rows 0 to .*negative",
    ),
    "missing label": (
        lambda d: LDA().fit(open_rows(_frame(d, FRAME.assign(label=None)), list("abc"), target="label")),
        "y contains NaN",
    ),
    "read twice": (lambda d: _twice(open_rows(iter([np.eye(3), np.eye(3)]))), "cannot be read again"),
    "parts differ": (lambda d: PCA().fit(open_rows(iter([np.eye(3), np.eye(2)]))), "batch 1 has other columns"),
    "y missing in a batch": (
        lambda d: LDA().fit(open_rows([(np.eye(3), [0, 1, 2]), np.eye(3)])),
        "batch 1 does not have the same parts",
    ),
}


def _frame(folder, frame):
    frame.to_parquet(folder / "made.parquet")
    return folder / "made.parquet"


def _damaged(path):
    array = zarr.open(str(path), mode="w", shape=(N, 3), chunks=(30, 3), dtype="f8")
    array[:] = FRAME[list("abc")].to_numpy()
    chunk = next(p for p in sorted((path / "c").rglob("*")) if p.is_file())
    chunk.write_bytes(chunk.read_bytes()[:20])
    return path


def _damaged_group(path, group):
    FRAME[list("abc")].to_parquet(path, row_group_size=20, write_page_checksum=True)
    place = pq.ParquetFile(path).metadata.row_group(group).column(0)
    cells = bytearray(path.read_bytes())
    cells[place.data_page_offset + place.total_compressed_size // 2] ^= 0xFF
    path.write_bytes(cells)
    return path


def _twice(source):
    PCA(1).fit(source).transform(source)


@pytest.mark.parametrize(("attempt", "message"), READING.values(), ids=READING)
def test_reading(attempt, message, folder):
    with pytest.raises((ValueError, TypeError), match=message):
        attempt(folder)


# -- what is wrong in the middle ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_poison_block_is_named(tmp_path, bad, word):
    """File 7, row group 3: the error says which file, which rows and which cell."""
    for k in range(10):
        rows = FRAME.copy()
        if k == 7:
            rows.loc[65, "b"] = bad
        rows.to_parquet(tmp_path / f"part-{k}.parquet", row_group_size=20)
    match = rf"part-7.parquet, row group 3, rows 60 to 79: X contains {word}.*row 65, column b"
    for fit in (
        lambda: PCA(2).fit(open_rows(tmp_path, columns=list("abc"))),
        lambda: LDA().fit(open_rows(tmp_path, columns=list("abc"), target="label")),
    ):
        with pytest.raises(ValueError, match=match):
            fit()


def test_model_survives_a_poison_block(tmp_path):
    np.save(tmp_path / "rows.npy", np.where(np.arange(300)[:, None] == 250, np.nan, np.ones((300, 3))))
    model = PCA(1).fit(FRAME[list("abc")].to_numpy())
    before = model.components_
    with pytest.raises(ValueError, match=r"rows.npy, rows 240 to 249|rows.npy, rows 250 to 259"):
        model.fit(open_rows(tmp_path / "rows.npy", batch_rows=10))
    assert model.components_ is before


CELLS = {
    "word": ("1,2\n3,4\nx,6\n", r"rows.csv, line 4, column 'a': 'x' is not a number"),
    "too many": ("1,2\n3,4,5\n", r"rows.csv, line 3: 3 cells, but the header has 2"),
    "too few": ("1,2\n3\n", r"rows.csv, line 3: 1 cell, but the header has 2"),
    "hole": ("1,2\n3,\n5,6\n", r"rows.csv, lines 2 to 4: X contains NaN \(the first in line 3, column b"),
    "hole below blank lines": ("1,2\n\n\n3,\n", r"lines 2 to 5: X contains NaN \(the first in line 5, column b"),
    "thousands": ('1,2\n"3,000",4\n', r"line 3, column 'a': '3,000' is not a number"),
    "underscore": ("1,2\n1_0,4\n", r"line 3, column 'a': '1_0' is not a number"),
    "late word": ("1,2\n" * 5000 + "1,oops\n", r"line 5002, column 'b': 'oops' is not a number"),
}


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize(("text", "message"), CELLS.values(), ids=CELLS)
def test_csv_names_file_line_and_column(text, message, compressed, tmp_path):
    path = tmp_path / ("rows.csv.gz" if compressed else "rows.csv")
    path.write_bytes(gzip.compress(f"a,b\n{text}".encode()) if compressed else f"a,b\n{text}".encode())
    with pytest.raises(ValueError, match=message.replace("rows.csv", "rows.csv.gz") if compressed else message):
        PCA(1).fit(open_rows(path))


@pytest.mark.filterwarnings("ignore:The first component is column")
def test_csv_integers_that_turn_into_fractions(tmp_path):
    """The trap of inferred types: whole numbers for a long time, then a fraction."""
    (tmp_path / "rows.csv").write_text("a,b\n" + "1,2\n" * 3000 + "0.5,1e3\n")
    model = PCA(1).fit(open_rows(tmp_path / "rows.csv"))
    np.testing.assert_allclose(model.mean_, [3000.5 / 3001, 7000 / 3001])


@pytest.mark.parametrize(("labels", "kind"), [([3, 1, 2], "i"), (["3", "1x", "2"], "O"), ([1.0, 2.0, 3.0], "f")])
def test_csv_labels_are_what_they_look_like(labels, kind, tmp_path):
    FRAME.assign(label=np.array(labels)[np.arange(N) % 3]).to_csv(tmp_path / "rows.csv", index=False)
    model = LDA().fit(open_rows(tmp_path / "rows.csv", list("abc"), "label"))
    assert model.classes_.dtype.kind == kind
    assert model.classes_.tolist() == sorted(labels)


def test_csv_label_that_changes_its_kind(tmp_path):
    labels = np.arange(2000) % 3
    text = "".join(f"{v},{k}\n" for v, k in zip(rng.standard_normal(2000), labels, strict=True))
    (tmp_path / "rows.csv").write_text("a,k\n" + text + "0,late\n")
    with pytest.raises(ValueError, match=r"line 2002, column 'k': 'late' is not a whole number"):
        LDA().fit(open_rows(tmp_path / "rows.csv", ["a"], "k"))


# -- writing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
@pytest.mark.parametrize("verb", ["transform", "predict", "predict_proba", "decision_function"])
def test_write_rows(folder, verb, suffix):
    source = open_rows(folder / "rows.parquet", list("abc"), batch_rows=7)
    model = LDA().fit(FRAME[list("abc")], FRAME["label"])
    expected = getattr(model, verb)(FRAME[list("abc")])
    if suffix == ".npy" and expected.dtype.kind == "O":
        with pytest.raises(TypeError, match=r"write a \.parquet file"):
            write_rows(getattr(model, verb), source, folder / f"out{suffix}")
        assert not list(folder.glob("*out*"))
        return
    path = write_rows(getattr(model, verb), source, folder / f"out{suffix}")
    written = np.load(path) if suffix == ".npy" else pd.read_parquet(path).to_numpy().reshape(expected.shape)
    assert np.array_equal(written, expected)
    assert sorted(p.name for p in folder.iterdir()) == sorted(["rows.parquet", "rows.csv", "rows.npy", f"out{suffix}"])


def test_written_columns_have_names(folder):
    source = open_rows(folder / "rows.parquet", list("abc"))
    model = LDA().fit(FRAME[list("abc")], FRAME["label"])
    names = {
        verb: pq.read_schema(write_rows(getattr(model, verb), source, folder / f"{verb}.parquet")).names
        for verb in ("transform", "predict", "predict_proba")
    }
    assert names["transform"] == ["lda0", "lda1"]
    assert names["predict"] == ["predict"]
    assert names["predict_proba"] == ["predict_proba_x", "predict_proba_y", "predict_proba_z"]


def test_every_row_is_answered_for(folder):
    """Rows of weight zero count for nothing in a fit, but they have scores and a class like any other."""
    frame = FRAME.assign(w=np.arange(N) % 4)
    frame.to_parquet(folder / "weighted.parquet", row_group_size=20)
    X, w = frame[list("abc")], frame["w"].to_numpy()
    files = open_rows(folder / "weighted.parquet", list("abc"), "label", "w", batch_rows=7)
    batches = open_rows([(X[:50], frame["label"][:50], w[:50]), (X[50:], frame["label"][50:], w[50:])])
    for source in (files, batches):
        model = LDA().fit(source)
        np.testing.assert_allclose(model.scalings_, LDA().fit(X, frame["label"], w).scalings_, rtol=1e-12)
        assert np.array_equal(model.transform(source), model.transform(X))
        assert np.array_equal(model.predict(source), model.predict(X))
        path = write_rows(model.transform, source, folder / "scores.npy", overwrite=True)
        assert np.array_equal(np.load(path), model.transform(X))
    regressor = AdditiveSplines().fit(X[["a", "b"]], X["c"])
    rows = open_rows(folder / "weighted.parquet", ["a", "b"], weight="w")
    np.testing.assert_allclose(regressor.predict(rows), regressor.predict(X[["a", "b"]]), rtol=1e-12)


def test_a_column_that_nobody_asks_for_is_not_read(tmp_path):
    """PCA of a CSV whose labels change their kind: they are none of its business."""
    (tmp_path / "rows.csv").write_text("a,b,k\n" + "1,2,0\n2,1,1\n" * 800 + "3,4,late\n")
    assert PCA(1).fit(open_rows(tmp_path / "rows.csv", target="k")).n_features_in_ == 2


def test_folders_of_a_writers_own_are_passed_over(folder):
    lake = folder / "lake"
    for part in ("_delta_log/0.json", "_temporary/0/half.parquet", ".ipynb_checkpoints/x.csv"):
        (lake / part).parent.mkdir(parents=True)
        (lake / part).write_text("{}")
    FRAME.to_parquet(lake / "part-0.parquet")
    assert open_rows(lake, list("abc")).n_rows == N


def test_no_folder_to_write_to(folder):
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*nowhere'; make it first"):
        write_rows(PCA(1).fit(np.eye(3)).transform, open_rows(folder / "rows.npy"), folder / "nowhere" / "out.npy")


def test_a_file_that_is_there_stays(folder):
    model = PCA(1).fit(FRAME[list("abc")].to_numpy())
    with pytest.raises(FileExistsError, match="overwrite=True"):
        write_rows(model.transform, open_rows(folder / "rows.npy"), folder / "rows.npy")
    before = (folder / "rows.csv").read_bytes()
    write_rows(model.transform, open_rows(folder / "rows.npy"), folder / "new.npy")
    write_rows(model.transform, open_rows(folder / "rows.npy"), folder / "new.npy", overwrite=True)
    assert (folder / "rows.csv").read_bytes() == before
    with pytest.raises(ValueError, match="suffix of path"):
        write_rows(model.transform, open_rows(folder / "rows.npy"), folder / "new.txt")


def test_a_failed_write_leaves_the_old_file(folder):
    model = PCA(1).fit(FRAME[list("abc")].to_numpy())
    path = write_rows(model.transform, open_rows(folder / "rows.npy"), folder / "scores.npy")
    before = path.read_bytes()
    X = FRAME[list("abc")].to_numpy().copy()
    X[80, 1] = np.nan
    np.save(folder / "bad.npy", X)
    with pytest.raises(ValueError, match="row 80"):
        write_rows(model.transform, open_rows(folder / "bad.npy", batch_rows=10), path, overwrite=True)
    assert path.read_bytes() == before
    assert not list(folder.glob(".*"))


# -- long passes --------------------------------------------------------------------------------------------------

INTERRUPTED = """
import numpy as np, sys, time
from eigenlens import PCA, open_rows, write_rows
def batches():
    while True:
        time.sleep(0.01)
        yield np.random.default_rng(0).standard_normal((2000, 50))
model = PCA(2).fit(next(batches()))
print("ready", flush=True)
source = open_rows(batches)
try:
    write_rows(model.transform, source, sys.argv[2]) if sys.argv[1] == "write" else PCA(2).fit(source)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize(("job", "suffix"), [("fit", ""), ("write", ".npy"), ("write", ".parquet"), ("write", ".csv")])
def test_ctrl_c_stops_within_a_second(job, suffix, tmp_path):
    command = [sys.executable, "-c", INTERRUPTED, job, str(tmp_path / f"scores{suffix}")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopped\n"
    assert time.monotonic() - start < 1.0
    assert process.communicate(timeout=10)[1] == ""
    assert list(tmp_path.iterdir()) == []


def test_progress_after_two_seconds(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    np.save(tmp_path / "rows.npy", rng.standard_normal((3000, 3)))

    def slow():
        for rows in np.array_split(np.load(tmp_path / "rows.npy"), 10):
            time.sleep(0.03)
            yield rows

    monkeypatch.setenv("EIGENLENS_PROGRESS", "1")
    PCA(1).fit(open_rows(slow, batch_rows=40))
    assert "Reading" in capsys.readouterr().err
    monkeypatch.setenv("EIGENLENS_PROGRESS", "0")
    PCA(1).fit(open_rows(slow, batch_rows=40, progress=True))
    monkeypatch.delenv("EIGENLENS_PROGRESS")
    PCA(1).fit(open_rows(slow, batch_rows=40, progress=False))
    PCA(1).fit(open_rows(slow, batch_rows=40))  # no terminal here
    captured = capsys.readouterr()
    assert captured.err == captured.out == ""


LIMITED = textwrap.dedent(
    """
    import resource, sys
    import numpy as np
    from eigenlens import PCA, LDA, CCA, open_rows
    folder, limit = sys.argv[1], int(sys.argv[2])
    columns = [f"c{j}" for j in range(50)]
    def fit(name):
        PCA(3).fit(open_rows(f"{folder}/{name}.npy"))
        PCA(3).fit(open_rows(f"{folder}/{name}.parquet", columns))
        LDA().fit(open_rows(f"{folder}/{name}.parquet", columns, target="label"))
        CCA(3).fit(open_rows(f"{folder}/{name}.parquet", columns[:40], target=columns[40:]))
    resource.setrlimit(resource.RLIMIT_DATA, (2**40, 2**40))  # a limit from the start, as a shell gives it
    fit("small")  # libraries, their threads and their buffers
    taken = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmData")) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (taken + limit,) * 2)
    fit("large")
    try:
        np.load(f"{folder}/large.npy")
    except MemoryError:
        print("limited")
    """
)


def write_table(path, rows, step=100_000):
    """The same rows as .npy and as Parquet, without holding them."""
    block, writer = rng.standard_normal((step, 50)), None
    with open(f"{path}.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (rows, 50)})
        for k in range(rows // step):
            file.write((block + k).tobytes())
            table = pa.table({**{f"c{j}": block[:, j] + k for j in range(50)}, "label": np.arange(step) % 5})
            options = {"compression": "none", "use_dictionary": False}
            writer = writer or pq.ParquetWriter(f"{path}.parquet", table.schema, **options)
            writer.write_table(table, row_group_size=20_000)
    writer.close()


def test_a_file_larger_than_memory(tmp_path):
    """Four times what the process may allocate beyond its libraries; benchmarks/stress_memory.py does it with 4 GB."""
    limit = 128 * 2**20
    write_table(tmp_path / "small", 100_000)
    write_table(tmp_path / "large", 1_400_000)
    for name in ("large.npy", "large.parquet"):
        assert (tmp_path / name).stat().st_size >= 4 * limit
    command = [sys.executable, "-c", LIMITED, str(tmp_path), str(limit)]
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}  # others reserve more than they use
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert run.stdout == "limited\n", run.stderr


@pytest.mark.parametrize("name", ["rows.npy", "rows.parquet"])
def test_input_is_not_written_over(name, tmp_path):
    X = np.random.default_rng(0).standard_normal((50, 3))
    path = tmp_path / name
    np.save(path, X) if name == "rows.npy" else pd.DataFrame(X, columns=list("abc")).to_parquet(path)
    before = path.read_bytes()
    source = open_rows(path)
    with pytest.raises(ValueError, match="is among the files that are read"):
        write_rows(PCA(2).fit(source).transform, source, tmp_path / ".." / tmp_path.name / name, overwrite=True)
    assert path.read_bytes() == before
