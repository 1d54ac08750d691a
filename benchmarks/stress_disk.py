"""Save, write and report onto a disk that is full at a random moment, and count what is left there.

    python benchmarks/stress_disk.py [rounds=200] [reports=40] [--seed 0]

The disk is a file system in memory of 16 MiB (needs an administrator of Linux). Before each round it is filled up to a
random rest. What was written before must still be there, whole; what is new must be whole or not there; nothing else
may be left, and the error must be one that says so: OSError, or exit code 1 of a command without a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from eigenlens import PCA, load, save, write_rows
from eigenlens.app.main import run
from eigenlens.files.onnx import export_onnx

SIZE = 2**24
rng = np.random.default_rng(0)
MODEL = PCA(40).fit(rng.standard_normal((900, 400)))
ROWS = rng.standard_normal((6000, 400))


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def command(words: list[str]) -> None:
    """Run a command; its failure becomes an OSError where it was said in words."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run(words)
    if code:
        raise OSError(said.getvalue())


def writers(folder: Path, table: Path) -> dict[str, Callable[[], object]]:
    """Return what writes one file, or a folder, by the name of it."""
    found: dict[str, Callable[[], object]] = {
        "model.eigenlens": lambda: save(MODEL, folder / "model.eigenlens"),
        "model.json": lambda: save(MODEL, folder / "model.json"),
        "model.onnx": lambda: export_onnx(MODEL, folder / "model.onnx"),
    }
    for suffix in (".npy", ".csv", ".parquet"):
        path = folder / f"scores{suffix}"
        found[path.name] = lambda path=path: write_rows(MODEL.transform, ROWS, path, overwrite=True)
    found["report"] = lambda: command(
        ["report", str(table), "--out", str(folder / "report"), "--folds", "0", "--force"]
    )
    return found


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def round_of(folder: Path, name: str, write: Callable[[], object], free: int) -> str:
    """Write onto a disk with so many bytes free, and judge what is there afterwards."""
    before, filler = content(folder), folder / "filler"
    there = os.statvfs(folder)
    with filler.open("wb") as file:
        file.write(bytes(max(there.f_bavail * there.f_frsize - free, 0)))
    try:
        write()
        outcome = "written"
    except OSError as error:
        outcome = "refused" if "space" in str(error) else f"refused in other words: {error!r}"[:200]
    except Exception as error:
        outcome = f"raw: {error!r}"[:200]
    filler.unlink()
    after = content(folder)
    if outcome == "refused" and name != "report" and after != before:
        return "refused, but changed what was there"
    strange = [path for path in after if path.split("/")[-1].startswith(".") or not whole(folder / path)]
    return f"{outcome}, and left {strange[0]}" if strange else outcome


def whole(path: Path) -> bool:
    """Tell whether a file can be read to its end."""
    try:
        if path.suffix == ".parquet":
            pd.read_parquet(path)
        elif path.suffix == ".html":
            return path.read_text().rstrip().endswith("</html>")
        elif path.name.startswith("model.") and path.suffix in (".eigenlens", ".json"):
            load(path)
        elif path.suffix == ".npy":
            return len(np.load(path)) == len(ROWS)
        elif path.suffix == ".csv":
            return len(pd.read_csv(path)) == len(ROWS)
    except Exception:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rounds", type=int, nargs="?", default=200)
    parser.add_argument("reports", type=int, nargs="?", default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random, bad = np.random.default_rng(options.seed), False
    with small_disk() as folder, tempfile.TemporaryDirectory() as elsewhere:
        table = Path(elsewhere, "rows.csv")
        frame = pd.DataFrame(rng.standard_normal((3000, 12)), columns=list("abcdefghijkl"))
        frame.assign(kind=np.array(["x", "y", "z"])[np.arange(3000) % 3]).to_csv(table, index=False)
        for name, write in writers(folder, table).items():
            write()
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            counts: Counter = Counter()
            for _ in range(options.reports if name == "report" else options.rounds):
                counts[round_of(folder, name, write, int(random.uniform(0, 1.3 * size)))] += 1
            print(f"{name}, {size:,} bytes: {dict(counts)}", flush=True)
            bad = bad or not set(counts) <= {"written", "refused"}
            write()  # the disk is as good as before
            subprocess.run(["rm", "-rf", *map(str, folder.iterdir())], check=True)
    return int(bad)


if __name__ == "__main__":
    raise SystemExit(main())
