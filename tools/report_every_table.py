"""Run the report over every table of scikit-learn, statsmodels and, where Rscript is installed, of R's packages.

Each table is asked twice: without a target, and with one (the last column of words that repeat, else the last column).
Missing cells are left to the default, as most people do. A run is answered, refused (an error of ours, with the way
out) or failed (any other error, no answer within the limit, which is in seconds of processor time so that a busy
machine changes nothing). The exit code is 1 if a run failed.

    python tools/report_every_table.py                     # everything
    python tools/report_every_table.py --only MASS         # tables whose name contains this
    python tools/report_every_table.py --folder kept       # keep the CSV files, and use them again
    python tools/report_every_table.py --folds 0           # without cross-validation, which takes most of the time
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib
import io
import json
import multiprocessing
import pkgutil
import shutil
import signal
import subprocess
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

HANGS = 30  # times the limit, by the clock: a process that answers nothing any more
EXPORT = """
folder <- commandArgs(TRUE)[1]
known <- data(package = .packages(all.available = TRUE))$results
for (i in seq_len(nrow(known))) {
  item <- sub("^.*\\\\((.*)\\\\)$", "\\\\1", known[i, "Item"])
  object <- sub(" .*$", "", known[i, "Item"])
  place <- new.env()
  try(suppressWarnings(data(list = item, package = known[i, "Package"], envir = place)), silent = TRUE)
  table <- tryCatch(get(object, envir = place, inherits = FALSE), error = function(e) NULL)
  if (!is.data.frame(table) || nrow(table) == 0) next
  path <- file.path(folder, paste0("R.", known[i, "Package"], ".", object, ".csv"))
  if (inherits(try(write.csv(as.data.frame(table), path), silent = TRUE), "try-error")) unlink(path)
}
"""


@dataclass
class Outcome:
    """What became of one run."""

    table: str
    target: str | None
    verdict: str  # answered, refused or failed
    why: str
    seconds: float


# -- tables --------------------------------------------------------------------------------------------------------


def export(folder: Path) -> None:
    """Write every table to a CSV file of a folder."""
    for name, table in [*scikit_learn(), *statsmodels()]:
        table.to_csv(folder / f"{name}.csv", index=False)
    if shutil.which("Rscript"):
        script = folder / "export.R"
        script.write_text(EXPORT)
        subprocess.run(["Rscript", str(script), str(folder)], capture_output=True, check=True)


def scikit_learn() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables that ship with scikit-learn."""
    from sklearn import datasets

    for name in ("iris", "wine", "breast_cancer", "digits", "diabetes", "linnerud"):
        yield f"sklearn.{name}", getattr(datasets, f"load_{name}")(as_frame=True).frame


def statsmodels() -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables that ship with statsmodels."""
    package = importlib.import_module("statsmodels.datasets")
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"statsmodels.datasets.{found.name}")
        if not hasattr(module, "load_pandas"):
            continue
        with contextlib.suppress(FileNotFoundError):  # a template without data
            yield f"statsmodels.{found.name}", module.load_pandas().data


def likely_target(path: Path) -> str | None:
    """Guess what the owner of a table would ask for: its last column of words that repeat, else its last column."""
    table = pd.read_csv(path, low_memory=False)
    names = [name for name in table.columns if not name.startswith("Unnamed: ")]
    words = [name for name in names if not pd.api.types.is_numeric_dtype(table[name])]
    repeating = [name for name in words if 2 <= table[name].nunique() <= min(50, len(table) / 2)]
    return (repeating or names or [None])[-1] if len(names) > 1 else None


# -- runs ----------------------------------------------------------------------------------------------------------


class OverLimit(BaseException):
    """A run has used up its processor time; nothing in the package may take it for an error of its own."""


def over_limit(*_: Any) -> None:
    """End a run whose time is over."""
    raise OverLimit


def work(requests: Any, limit: float) -> None:
    """Answer requests until there are none: a list of words in, an exit code, what was printed and the seconds out."""
    from eigenlens.app.main import run

    signal.signal(signal.SIGPROF, over_limit)
    while (words := requests.recv()) is not None:
        out, err = io.StringIO(), io.StringIO()
        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, limit)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = run(words)
            complaint = err.getvalue()
        except OverLimit:
            code, complaint = -1, f"no answer in {limit:g} s of processor time"
        except BaseException:
            code, complaint = -1, traceback.format_exc()
        signal.setitimer(signal.ITIMER_PROF, 0)
        requests.send((code, out.getvalue(), complaint, time.process_time() - start))


class Worker:
    """A process that makes reports, ended and begun anew when one hangs."""

    def __init__(self, limit: float, folds: int) -> None:
        self.limit, self.folds = limit, folds
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.ours, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, self.limit), daemon=True)
        self.process.start()

    def report(self, path: Path, target: str | None, out: Path) -> Outcome:
        """Ask for a report of one table."""
        words = ["report", str(path), "--json", "--force", "--out", str(out)]
        words += ["--folds", str(self.folds)] + ([] if target is None else [f"--target={target}"])
        self.ours.send(words)
        if self.ours.poll(HANGS * self.limit):
            *answer, seconds = self.ours.recv()
            verdict, why = judged(*answer)
        else:
            verdict, why, seconds = "failed", "it hangs", HANGS * self.limit
            self.process.kill()
            self.process.join()
            self._start()
        return Outcome(path.stem, target, verdict, why, seconds)

    def close(self) -> None:
        """End the process."""
        self.ours.send(None)
        self.process.join()


def judged(code: int, printed: str, complaint: str) -> tuple[str, str]:
    """Return what an exit code and the words that came with it mean."""
    if code == 0:
        said = json.loads(printed)
        return ("answered", " ".join(said["summary"])) if said["summary"] else ("failed", "an answer without a word")
    if code == 1 and complaint.startswith("eigenlens: "):
        return "refused", complaint.removeprefix("eigenlens: ").strip()
    return "failed", complaint.strip()


def outcomes(paths: list[Path], limit: float, folds: int) -> Iterator[Outcome]:
    """Yield what becomes of each table, without a target and with one."""
    worker = Worker(limit, folds)
    with tempfile.TemporaryDirectory() as out:
        for path in paths:
            target = likely_target(path)
            for asked in (None, target) if target is not None else (None,):
                yield worker.report(path, asked, Path(out))
    worker.close()


def main() -> int:
    """Run, print each outcome and the totals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tables whose name contains this")
    parser.add_argument("--limit", type=float, default=60, help="seconds of processor time for each run")
    parser.add_argument("--folds", type=int, default=5, help="of the cross-validation")
    parser.add_argument("--part", default="1/1", help="2/10 takes every tenth table, from the second on")
    parser.add_argument("--folder", type=Path, help="where the CSV files are kept; made where there are none")
    parser.add_argument("--json", type=Path, help="a file for all outcomes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not list(folder.glob("*.csv")):
            export(folder)
        part, parts = map(int, options.part.split("/"))
        paths = sorted(path for path in folder.glob("*.csv") if options.only in path.stem)[part - 1 :: parts]
        found = []
        for outcome in outcomes(paths, options.limit, options.folds):
            found.append(outcome)
            why = "" if outcome.verdict == "answered" else outcome.why.splitlines()[-1]
            asked = f" --target {outcome.target}" if outcome.target else ""
            print(f"{outcome.verdict:9} {outcome.seconds:5.1f} s  {outcome.table}{asked}  {why}", flush=True)
    totals = collections.Counter(outcome.verdict for outcome in found)
    print(f"\n{len(found)} runs on {len(paths)} tables: " + ", ".join(f"{n} {what}" for what, n in totals.items()))
    if options.json:
        options.json.write_text(json.dumps([asdict(outcome) for outcome in found], indent=1))
    return int(totals["failed"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
