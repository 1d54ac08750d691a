"""The command line where something is cut short: Ctrl-C, kill -9, a full disk, a library that is not there."""

import os
import pty
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import eigenlens
from eigenlens.app import interrupt
from eigenlens.app.main import run
from eigenlens.arrays import unfinished

HERE = [sys.executable, "-m", "eigenlens"]


def test_help_is_quick_and_light():
    heavy = ("numpy", "sklearn", "scipy", "pyarrow", "pandas", "rich", "matplotlib")
    code = (
        "import sys, time; start = time.process_time(); import click; between = time.process_time();"
        "from eigenlens.app.main import run; run(['report', '--help']);"
        f"print([m for m in {heavy} if m in sys.modules], (time.process_time() - between) / (between - start))"
    )
    last = subprocess.check_output([sys.executable, "-c", code], text=True).splitlines()[-1]
    modules, ratio = last.rsplit(" ", 1)
    assert modules == "[]"
    assert float(ratio) < 3  # importing click takes some hundredths of a second


def test_a_small_report_costs_little_more_than_its_imports(tmp_path):
    """Of both the smallest of a few runs counts, since neighbours on a machine only ever add to it."""
    script = "from eigenlens.app import main; main()"
    report = [sys.executable, "-c", script, "report", "--demo", "wine", "--out", str(tmp_path / "out"), "--force"]
    imports = [sys.executable, "-c", "import sklearn.base, numpy, scipy.linalg"]
    bytecode = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}
    used = {"report": [], "imports": []}
    for _ in range(3):
        for name, words in {"report": report, "imports": imports}.items():
            before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
            subprocess.run(words, check=True, capture_output=True, env=bytecode)
            used[name].append(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before)
    assert min(used["report"]) < 1.8 * min(used["imports"]), used


@pytest.mark.parametrize("limited", [True, False])
def test_arrow_reserves_no_addresses_where_they_are_limited(limited):
    """It would take a gibibyte of them at once, and a report of a large file under `ulimit -v` ended without memory."""
    code = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32));" if limited else ""
    code += "from eigenlens.app import _spare_addresses; _spare_addresses();"
    code += "import pyarrow; print(pyarrow.default_memory_pool().backend_name)"
    found = subprocess.check_output([sys.executable, "-c", code], text=True).strip()
    assert (found == "system") is limited


def test_results_to_stdout_progress_to_stderr_and_no_colour_in_a_pipe(folder):
    ended = subprocess.run([*HERE, "report", "--demo", "iris"], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "\x1b" not in ended.stdout
    assert ended.stderr == ""


def test_labels_are_no_commands_to_a_terminal(tmp_path):
    """Predictions go to a terminal without the commands that a label holds, and to a pipe as they are."""
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    eigenlens.save(eigenlens.LDA().fit(X, ["a\x1b[2J"] * 2 + ["b"] * 2), tmp_path / "m.eigenlens")
    (tmp_path / "rows.csv").write_text("x\n0\n11\n")
    words = [*HERE, "predict", str(tmp_path / "m.eigenlens"), str(tmp_path / "rows.csv")]
    assert b"\x1b[2J" in subprocess.run(words, capture_output=True, check=True).stdout
    ours, theirs = pty.openpty()
    subprocess.run(words, stdout=theirs, check=True)
    os.close(theirs)
    seen = os.read(ours, 4096)
    os.close(ours)
    assert b"\x1b[2J" not in seen
    assert "a\N{REPLACEMENT CHARACTER}[2J".encode() in seen


def cpu_of(process):
    """Return the seconds of a processor that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_interrupt_ends_within_a_second_and_leaves_nothing_half_written(folder):
    rng = np.random.default_rng(0)
    X, kind = rng.standard_normal((20_000, 30)), rng.integers(0, 2, 20_000)
    names = ",".join([*(f"c{j}" for j in range(30)), "kind"])
    np.savetxt("big.csv", np.column_stack([X, kind]), delimiter=",", header=names, comments="", fmt="%.4f")
    child = subprocess.Popen(
        [*HERE, "compare", "big.csv", "--target", "kind", "--as", "classes", "--folds", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while child.poll() is None and cpu_of(child.pid) < 3.0:  # by then it is in the middle of a fit
        time.sleep(0.05)
    assert child.poll() is None
    before, others = cpu_of(child.pid), resource.getrusage(resource.RUSAGE_CHILDREN)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.ru_utime + ended.ru_stime - others.ru_utime - others.ru_stime - before < 1.5
    assert child.returncode == 130
    assert b"Traceback" not in err
    assert out == b""
    assert os.listdir(folder) == ["big.csv"]


def test_what_is_entered_as_unfinished_goes_with_the_process(tmp_path, monkeypatch):
    """Whatever module writes it: nothing is looked up by the name of a module."""
    (tmp_path / "new").mkdir()
    (tmp_path / "old").mkdir()
    for name in ("new/half", "old/half", "old/whole"):
        (tmp_path / name).write_text("")
    monkeypatch.setattr(unfinished, "FILES", {str(tmp_path / "new/half"), str(tmp_path / "old/half"), "gone already"})
    monkeypatch.setattr(unfinished, "FOLDERS", {str(tmp_path / "new"), str(tmp_path / "old")})
    monkeypatch.setattr(os, "_exit", lambda code: None)
    interrupt.leave()
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["old", "old/whole"]


def test_an_interrupt_in_the_middle_of_a_file_in_pieces_leaves_nothing(folder):
    rng = np.random.default_rng(0)
    X, kind = rng.standard_normal((300_000, 12)), rng.integers(0, 2, 300_000)
    names = ",".join([*(f"c{j}" for j in range(12)), "kind"])
    with open("big.csv", "w") as file:
        file.write(names + "\n")
        for _ in range(4):
            np.savetxt(file, np.column_stack([X[:50_000], kind[:50_000]]), delimiter=",", fmt="%.4f")
    words = ["report", "big.csv", "--target", "kind", "--as", "classes", "--stream", "--folds", "0"]
    for seconds in (2.5, 4.0):
        child = subprocess.Popen([*HERE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(seconds)
        child.send_signal(signal.SIGINT)
        err = child.communicate(timeout=20)[1]
        assert b"Traceback" not in err
        left = sorted(os.listdir(folder))
        if left != ["big.csv"]:  # it came too late: all files were there
            assert left == ["big-report", "big.csv"]
            assert set(os.listdir("big-report")) == {"report.html", "scores.parquet", "model.eigenlens"}
            break


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
from eigenlens.app.main import run
sys.exit(run(["report", "wine.csv", "--target", "kind", "--folds", "0", "--force"]))
"""


def test_a_full_disk_leaves_the_old_page(wine, folder, capsys):
    assert run(["report", str(wine), "--target", "kind", "--folds", "0", "--title", "before"]) == 0
    before = (folder / "wine-report" / "report.html").read_bytes()
    ended = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True)
    assert ended.returncode == 1
    assert "eigenlens: [Errno" in ended.stderr
    assert (folder / "wine-report" / "report.html").read_bytes() == before
    assert sorted(os.listdir("wine-report")) == ["model.eigenlens", "report.html", "scores.parquet"]


WITHOUT_PANDAS = """
import sys

class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Gone())
from eigenlens.app.main import run
sys.exit(run(sys.argv[1:]))
"""


def test_pandas_is_not_needed(folder):
    for words in (["report", "--demo", "iris"], ["predict", "iris-report/model.eigenlens", "iris-report/iris.csv"]):
        ended = subprocess.run([sys.executable, "-c", WITHOUT_PANDAS, *words], capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr


WITHOUT = """
import sys

gone = sys.argv.pop(1)

class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == gone:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Gone())
from eigenlens.app import main
main()
"""


@pytest.mark.parametrize("library", ["click", "rich", "pyarrow"])
def test_a_library_that_is_not_there_is_named(library, wine, folder):
    arguments = [sys.executable, "-c", WITHOUT, library, "report", wine]
    ended = subprocess.run(arguments, capture_output=True, text=True)
    assert ended.returncode == 1
    assert f"pip install {library}." in ended.stderr
    assert "Traceback" not in ended.stderr


WRITER = """
import sys
from eigenlens.app.main import run
arguments = ["report", "wine.csv", "--target", "kind", "--folds", "0", "--force"]
run(arguments)
print("ready", flush=True)
while True:
    run(arguments)
    run(["predict", "wine-report/model.eigenlens", "wine.csv", "--out", "guesses.csv", "--force"])
"""


def test_a_killed_command_leaves_whole_files(wine, folder):
    """Whatever the moment of kill -9, each file is the old one or the new one, and both are complete."""
    rng = random.Random(0)
    out = folder / "wine-report"
    for _ in range(2):
        with subprocess.Popen([sys.executable, "-c", WRITER], stdout=subprocess.PIPE, text=True) as writer:
            while writer.stdout.readline() != "ready\n":
                assert writer.poll() is None
            time.sleep(0.3 * rng.random())
            writer.send_signal(signal.SIGKILL)
        assert (out / "report.html").read_text().rstrip().endswith("</html>")
        assert pq.read_table(out / "scores.parquet").num_rows == 178
        assert eigenlens.load(out / "model.eigenlens")
        guesses = Path("guesses.csv")
        assert not guesses.exists() or len(guesses.read_text().splitlines()) == 179


ASKED = """
import sys

class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("matplotlib", "pandas", "pyarrow", "onnx", "zarr"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Gone())
import numpy as np
import eigenlens
from eigenlens.files.onnx import export_onnx
from eigenlens.inference import bootstrap
from eigenlens import displays
from eigenlens.rows import Preparation, TableFile

rng = np.random.default_rng(0)
X, y = rng.standard_normal((30, 3)), np.arange(30) % 2
np.savetxt("t.csv", X, delimiter=",", header="a,b,c", comments="")
for name in eigenlens.__all__:
    getattr(eigenlens, name)
model = eigenlens.LDA().fit(X, y)
eigenlens.save(model, "m.eigenlens")
assert np.array_equal(eigenlens.load("m.eigenlens").transform(X), model.transform(X))
found = bootstrap(eigenlens.PCA(2), X, n_boot=200)
attempts = {
    "matplotlib": [lambda: displays.scores(model, X, y), found.plot, model.test_dimension().plot],
    "pandas": [found.to_frame, model.test_dimension().to_frame],
    "pyarrow": [lambda: TableFile("t.csv"), lambda: eigenlens.PCA().fit(eigenlens.open_rows("t.csv")),
            lambda: Preparation().fit(X)],
    "onnx": [lambda: export_onnx(model, "m.onnx")],
}
for library, calls in attempts.items():
    for call in calls:
        try:
            call()
        except ImportError as error:
            assert f"pip install {library}." in str(error), error
        else:
            raise AssertionError(library)
"""


def test_a_base_install_works_and_names_the_library_that_is_wanted(folder):
    ended = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_commands_of_one_process_share_one_watching_thread(capsys):
    """A thread for each command read its closed socket without end, and took a core."""
    import threading

    from eigenlens.app.main import run

    run(["methods"])
    before = threading.active_count()
    for _ in range(3):
        run(["methods"])
    assert threading.active_count() == before
