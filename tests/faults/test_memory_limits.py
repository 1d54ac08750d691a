"""Memory that ends: limits of every kind are seen, and rows that do not fit are refused before they are loaded."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from eigenlens import FDA, MDA, PCA, LocalizedSIR, RobustPCA, open_rows
from eigenlens.arrays import memory
from eigenlens.exceptions import TooLargeError
from eigenlens.inference import denoise, parallel_analysis
from eigenlens.regress import AdditiveSplines

GB = 2**30


def system(root, cgroup, files, available=64 * GB):
    """Write what a Linux system says of itself below a folder."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable: {available // 1024} kB\n")
    (root / "proc/self/cgroup").write_text(cgroup)
    for name, text in files.items():
        (root / "sys/fs/cgroup" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "sys/fs/cgroup" / name).write_text(f"{text}\n")
    return root


def v2(folder, limit, taken, idle=0):
    return {
        f"{folder}memory.max": limit,
        f"{folder}memory.current": taken,
        f"{folder}memory.stat": f"anon 5\ninactive_file {idle}",
    }


def v1(folder, limit, taken, idle=0):
    return {
        f"memory/{folder}memory.limit_in_bytes": limit,
        f"memory/{folder}memory.usage_in_bytes": taken,
        f"memory/{folder}memory.stat": f"inactive_file 1\ntotal_inactive_file {idle}",
    }


SYSTEMS = {
    "no groups": ("", {}, 64 * GB),
    "v2, own": ("0::/\n", v2("", 4 * GB, 3 * GB, GB), 2 * GB),
    "v2, no limit": ("0::/a\n", v2("a/", "max", 3 * GB), 64 * GB),
    "v2, nested": ("0::/a/b\n", {**v2("a/", 3 * GB, GB), **v2("a/b/", "max", GB)}, 2 * GB),
    "v2, the tightest counts": ("0::/a/b\n", {**v2("a/", 9 * GB, GB), **v2("a/b/", 2 * GB, GB)}, GB),
    "v2, path of the host": ("0::/docker/77\n", v2("", 2 * GB, GB), GB),
    "v2, path outside": ("0::/../../other\n", v2("", 2 * GB, GB), GB),
    "v2, over the limit": ("0::/\n", v2("", GB, 2 * GB), 0),
    "v1, own": ("9:memory:/\n", v1("", 4 * GB, 2 * GB), 2 * GB),
    "v1, idle files": ("9:memory:/\n", v1("", 4 * GB, 3 * GB, GB), 2 * GB),
    "v1, no limit": ("9:memory:/\n", v1("", 9223372036854771712, GB), 64 * GB),
    "v1, nested": ("4:cpu,memory:/a/b\n", {**v1("a/", 3 * GB, GB), **v1("a/b/", 2**63 - 4096, GB)}, 2 * GB),
    "v1, path of the host": ("4:memory:/docker/77\n", v1("", 3 * GB, GB), 2 * GB),
    "both": ("4:memory:/a\n0::/b\n", {**v1("a/", 3 * GB, GB), **v2("b/", 2 * GB, GB)}, GB),
    "nonsense": ("x\n:::\n9:memory:/a\n", {"memory/a/memory.limit_in_bytes": "", "memory.max": "?"}, 64 * GB),
}


@pytest.mark.parametrize(("cgroup", "files", "expected"), SYSTEMS.values(), ids=SYSTEMS)
def test_what_groups_leave(tmp_path, cgroup, files, expected):
    assert memory.host_bytes(system(tmp_path, cgroup, files)) == expected


def test_kernels_ask_the_groups(tmp_path, monkeypatch):
    """KernelPCA of 20,000 rows was killed where version 1 of the groups set the limit."""
    from eigenlens import KernelPCA

    monkeypatch.setattr(memory, "ROOT", system(tmp_path, "9:memory:/\n", v1("", 2 * GB, GB)))
    with pytest.raises(TooLargeError, match=r"takes .* GiB but 1\.0 GiB are available"):
        KernelPCA(2).fit(np.random.default_rng(0).standard_normal((20_000, 2)))


ULIMIT = """
import numpy as np
from eigenlens.arrays import memory
room = memory.host_bytes(memory.ROOT)
assert room < 4 * 2**30, room
try:
    memory.require(room, "A table", "use less")
except MemoryError as error:
    print(type(error).__name__)
held = np.ones(2**27)  # 1 GiB
assert 0.9 * 2**30 < room - memory.host_bytes(memory.ROOT) < 1.2 * 2**30
"""


@pytest.mark.parametrize("option", ["-v", "-d"])
def test_a_real_ulimit(option):
    shell = f'ulimit {option} 4194304 && exec "$0" -c "$1"'
    run = subprocess.run(["bash", "-c", shell, sys.executable, ULIMIT], capture_output=True, text=True, timeout=100)
    assert run.stdout == "TooLargeError\n", run.stderr


# -- methods that load all rows ----------------------------------------------------------------------------------------

rng = np.random.default_rng(0)
N = 60_000
X = rng.standard_normal((N, 4))
Y = np.arange(N) % 3
LOADING = {
    "FDA": lambda rows: FDA().fit(rows, Y),
    "MDA": lambda rows: MDA().fit(rows, Y),
    "LocalizedSIR": lambda rows: LocalizedSIR(1).fit(rows, X[:, 0]),
    "regressor": lambda rows: AdditiveSplines().fit(rows, X[:, 0]),
    "denoise": lambda rows: denoise(rows),
    "parallel analysis": lambda rows: parallel_analysis(rows),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    frame = pd.DataFrame(X, columns=list("abcd"))
    np.save(folder / "rows.npy", X)
    frame.to_csv(folder / "rows.csv", index=False)
    return {
        "array": lambda: X,
        "frame": lambda: frame,
        "npy": lambda: open_rows(folder / "rows.npy"),
        "csv": lambda: open_rows(folder / "rows.csv"),
    }


@pytest.mark.parametrize("kind", ["array", "frame", "npy", "csv"])
@pytest.mark.parametrize("fit", LOADING.values(), ids=LOADING)
def test_rows_that_do_not_fit_are_refused(tables, kind, fit, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 2**20)
    with pytest.raises(
        TooLargeError,
        match=r"rows of X in one table( with the work on it)? takes .* MiB are available; take fewer rows",
    ):
        fit(tables[kind]())


@pytest.mark.parametrize("kind", ["frame", "npy", "csv"])
def test_robust_pca(tables, kind, monkeypatch):
    """Its array is read in place; everything else is copied."""
    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 2**20)
    with pytest.raises(TooLargeError, match="rows of X in one table"):
        RobustPCA(2).fit(tables[kind]())


def test_dask(monkeypatch):
    import dask.array as da
    import dask.dataframe as dd

    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 2**20)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=6)
    for rows, y in ((da.from_array(X, chunks=(9000, 4)), da.from_array(Y, chunks=9000)), (frame, frame["a"] > 0)):
        with pytest.raises(TooLargeError, match="rows of X in one table"):
            FDA().fit(rows, y)


def test_memory_that_ends_during_a_fit_is_told_and_leaves_the_model(monkeypatch):
    X = np.random.default_rng(0).standard_normal((30, 3))
    model = PCA(2).fit(X)
    before = model.components_
    monkeypatch.setattr(PCA, "_pose", lambda *_: np.empty(2**50))
    with pytest.raises(TooLargeError, match=r"ran out during the fit of PCA \(Unable to allocate .*fewer rows"):
        model.fit(X)
    assert model.components_ is before


@pytest.mark.parametrize("fit", [lambda X, y: FDA().fit(X, y), lambda X, y: MDA().fit(X, y)], ids=["FDA", "MDA"])
def test_searches_ask_for_the_memory_of_their_work(fit, monkeypatch):
    """The rows alone would fit; the system ended the process in the middle of the search."""
    X = np.random.default_rng(0).standard_normal((60_000, 4))
    monkeypatch.setattr(memory, "available_bytes", lambda like=None: 8 * X.nbytes)
    with pytest.raises(TooLargeError, match=r"rows of X in one table with the work on it takes .* take fewer"):
        fit(X, np.arange(len(X)) % 3)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        ImportError("x.so: failed to map segment from shared object"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_opening_without_memory_is_told(error, tmp_path, monkeypatch):
    """It was raw: whatever a library said."""

    def fail(*_):
        raise error

    np.save(tmp_path / "rows.npy", X[:5])
    monkeypatch.setattr("eigenlens.rows.files._reader", fail)
    with pytest.raises(TooLargeError, match="ran out while rows were opened"):
        open_rows(tmp_path / "rows.npy")
