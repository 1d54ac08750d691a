"""Kill processes that write (SIGKILL) at random moments, and count files that are damaged or in the way.

    python benchmarks/stress_kills.py [rounds=300] [reports=20] [commands=0]

Models are saved and scores written over an older file again and again; reports are made into one folder. After each
kill everything with the name of a result is read back. Reports are asked for once more at the end.

Commands are processes of their own that get SIGTERM at a random moment, from their first import on: each must end
within three seconds, with 143 or with 0 if it was done, and without a traceback.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from eigenlens import PCA, load, save
from eigenlens.app.main import run


def killed(work: Callable[[], None], after: float) -> bool:
    """Run in a process of its own that is killed after some seconds; tell whether it was still at work."""
    child = os.fork()
    if not child:
        with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
            try:
                work()
            except BaseException:
                traceback.print_exc()
        os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def whole(path: Path) -> bool:
    """Tell whether a file of a report can be read to its end."""
    try:
        if path.suffix == ".parquet":
            pq.read_table(path)
        elif path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix == ".html":
            return path.read_text().rstrip().endswith("</html>")
        elif path.suffix == ".csv":
            pd.read_csv(path)
        elif path.suffix == ".eigenlens":
            load(path)
    except Exception as error:
        print(f"{path.name}: {type(error).__name__}: {error}")
        return False
    return True


def forever(work: Callable[[], object]) -> Callable[[], None]:
    def again() -> None:
        while True:
            work()

    return again


def left_over(folder: Path, known: set[str]) -> int:
    return sum(path.name not in known for path in folder.iterdir())


def models(folder: Path, rounds: int) -> Counter:
    rng, counts, path = np.random.default_rng(0), Counter(), folder / "model.eigenlens"
    model = PCA(20).fit(rng.standard_normal((400, 300)))
    save(model, path)
    for _ in range(rounds):
        counts["killed at work"] += killed(forever(lambda: save(model, path)), random.uniform(0.002, 0.08))
        counts["damaged"] += not (whole(path) and np.array_equal(load(path).components_, model.components_))
    counts["left over"] = left_over(folder, {path.name})
    return counts


def scores(folder: Path, rounds: int) -> Counter:
    rng, counts = np.random.default_rng(0), Counter()
    table, model, out = folder / "rows.csv", folder / "model.eigenlens", folder / "scores.parquet"
    frame = pd.DataFrame(rng.standard_normal((4000, 6)), columns=list("abcdef"))
    frame.to_csv(table, index=False)
    save(PCA(2).fit(frame), model)
    words = ["transform", str(model), str(table), "--out", str(out), "--force"]
    if run(words):
        raise SystemExit("the command itself failed")
    truth = pq.read_table(out)
    for _ in range(rounds):
        counts["killed at work"] += killed(forever(lambda: run(words)), random.uniform(0.01, 0.3))
        counts["damaged"] += not (whole(out) and pq.read_table(out).equals(truth))
    counts["left over"] = left_over(folder, {table.name, model.name, out.name})
    counts["rerun failed"] = int(run(words) != 0)
    return counts


def reports(folder: Path, rounds: int) -> Counter:
    rng, counts, out = np.random.default_rng(0), Counter(), folder / "out"
    table = folder / "rows.csv"
    frame = pd.DataFrame(rng.standard_normal((60, 4)), columns=list("abcd"))
    frame.assign(kind=np.array(["x", "y", "z"])[np.arange(60) % 3]).to_csv(table, index=False)
    words = ["report", str(table), "--target", "kind", "--out", str(out), "--folds", "0", "--force"]
    run(words)  # imports
    start = time.perf_counter()
    run(words)
    usual = time.perf_counter() - start
    for _ in range(rounds):
        counts["killed at work"] += killed(lambda: run(words), random.uniform(0.3, 1.2) * usual)
        counts["damaged"] += sum(not whole(path) for path in out.iterdir() if not path.name.startswith("."))
    counts["left over"] = sum(path.name.startswith(".") for path in out.iterdir())
    counts["rerun failed"] = int(run(words) != 0)
    return counts


def terminated(folder: Path, rounds: int) -> Counter:
    """Send SIGTERM to reports, fits and transforms; count how they end and what they leave."""
    rng, counts, table = np.random.default_rng(0), Counter(), folder / "rows.csv"
    frame = pd.DataFrame(rng.standard_normal((4000, 4)), columns=list("abcd"))
    frame.assign(kind=np.array(["x", "y", "z"])[np.arange(4000) % 3]).to_csv(table, index=False)
    save(PCA(2).fit(frame), folder / "model.eigenlens")
    commands = (
        f"report {table} --target kind --folds 0 --force --out {folder / 'out'}",
        f"fit {table} --force --out {folder / 'fitted.eigenlens'}",
        f"transform {folder / 'model.eigenlens'} {table} --force --out {folder / 'scores.csv'}",
    )
    usual = {}
    for words in commands:
        start = time.perf_counter()
        started(words).communicate()
        usual[words] = time.perf_counter() - start
    for k in range(rounds):
        words = commands[k % len(commands)]
        process = started(words)
        time.sleep(random.uniform(0, 1.1) * usual[words])
        process.send_signal(signal.SIGTERM)
        start = time.perf_counter()
        said = process.communicate()[0]
        late = time.perf_counter() - start > 3
        counts["slow" if late else "traceback" if "Traceback" in said else f"code {process.returncode}"] += 1
        if "Traceback" in said:
            print(said, file=sys.__stdout__)
        there = [path for path in folder.rglob("*") if path.is_file()]
        counts["damaged"] += sum(not whole(path) for path in there)
        counts["left over"] += sum(path.name.startswith(".") for path in there)
    return counts


def started(words: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "eigenlens", *words.split()]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def main() -> None:
    rounds, few, commands = (int(word) for word in (sys.argv[1:] + ["300", "20", "0"][len(sys.argv) - 1 :]))
    random.seed(0)
    works = (("models", models, rounds), ("scores", scores, rounds), ("reports", reports, few))
    for name, work, many in (*works, ("commands", terminated, commands)):
        if not many:
            continue
        with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nothing:
            said = sys.stdout
            with contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
                counts = work(Path(folder), many)
            print(f"{name}: {many} kills:", dict(counts), file=said, flush=True)


if __name__ == "__main__":
    main()
