"""What people read: signatures, reports with their pages, and the command line."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets

import eigenlens

from .recording import Ask, Case, find
from .tables import named, with_gaps, words

#: Rooms that move: what is asked in each stands under one name
MOVED = {"spectral": "solve", "sources": "rows", "tables": "rows", "report": "displays"}
DATES = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d(:\d\d)?|\b[0-9a-f]{12,64}\b|\b\d+(\.\d+)?(\.dev\d+)?\+?\w* seconds?")
VERSION = re.compile(r"eigenlens \d+\.\d+\S*")
TAG = re.compile(r"(<[^<>]*>)")


# -- signatures ----------------------------------------------------------------------------------------------------


def signatures() -> Iterator[Case]:
    """Yield every public name, with how it is called."""
    for room in ("", *sorted(set(eigenlens.__all__) | {"displays", "solve", "rows"})):
        with contextlib.suppress(ImportError):
            module: Any = import_module(f"eigenlens.{room}") if room else eigenlens
            for name in getattr(module, "__all__", ()):
                thing = getattr(module, name, None)
                if callable(thing) and not inspect.ismodule(thing):
                    yield f"signatures/{MOVED.get(room, room)}/{name}", partial(called, thing)


def called(thing: Any, ask: Ask) -> None:
    """Record the signature of a function, or of a class with its methods and attributes."""
    ask("call", lambda: signature(thing))
    if not isinstance(thing, type):
        return
    for name in sorted(dir(thing)):
        value = inspect.getattr_static(thing, name)
        if name.startswith("_") or "sklearn" in getattr(value, "__module__", ""):
            continue
        if isinstance(value, property):
            ask(name, lambda: "property")
        elif callable(getattr(thing, name, None)):
            ask(name, lambda name=name: signature(getattr(thing, name)))


def signature(thing: Any) -> str:
    """Return a signature as text, or that there is none."""
    try:
        return str(inspect.signature(thing))
    except ValueError:
        return "no signature"


# -- reports -------------------------------------------------------------------------------------------------------


def frames() -> dict[str, tuple[Any, dict[str, Any]]]:
    """Return ten tables and what is asked of them."""
    wine = datasets.load_wine(as_frame=True).frame
    iris = datasets.load_iris(as_frame=True).frame
    diabetes = datasets.load_diabetes(as_frame=True).frame.iloc[::3]
    exercise = datasets.load_linnerud(as_frame=True).frame
    gaps = pd.DataFrame(with_gaps(named("blobs").X), columns=list("abcde"))
    gaps["kind"] = named("blobs").labels
    X = named("few").X
    D = pd.DataFrame(np.abs(X[:, None] - X[None]).sum(axis=2), columns=[f"p{i}" for i in range(9)])
    weighted = named("ties").X
    weighted = pd.DataFrame(weighted, columns=list("abcd")).assign(count=1 + np.arange(len(weighted)) % 3)
    patients = iris.assign(patient=np.repeat(np.arange(30), 5))
    counted = pd.DataFrame(named("counts").X.astype(int), columns=[f"k{j}" for j in range(6)])
    return {
        "wine": (wine, {"target": "target", "target_is": "classes"}),
        "no target": (wine.drop(columns="target"), {}),
        "number": (diabetes, {"target": "target"}),
        "views": (exercise, {"views": (list(exercise.columns[:3]), list(exercise.columns[3:]))}),
        "distances": (D, {"distances": True}),
        "gaps": (gaps, {"target": "kind"}),
        "words": (words(), {}),
        "words with target": (words(), {"target": "size"}),
        "weights": (weighted, {"weights": "count"}),
        "groups": (patients, {"target": "target", "target_is": "classes", "group": "patient", "method": "lda"}),
        "counts": (counted, {"method": "correspondence-analysis"}),
    }


def reports() -> Iterator[Case]:
    """Yield what `report` finds in each table, and its page."""
    for name in frames():
        yield f"reports/{name}", partial(reported, name)


def reported(name: str, ask: Ask) -> None:
    """Report on one table: findings, sentences, and the page as lines of text and tags."""
    data, options = frames()[name]
    report = ask("text", lambda: find("report", "study")(data, **options), str)
    if report is not None:
        ask("json", report.to_dict, undated)
        ask("page", report.to_html, lambda page: dict(enumerate(parts(page))))


def undated(value: Any) -> Any:
    """Return findings without dates, versions and hashes."""
    if isinstance(value, str):
        return VERSION.sub("eigenlens", DATES.sub("#", value))
    if isinstance(value, dict):
        return {key: undated(each) for key, each in value.items()}
    return [undated(each) for each in value] if isinstance(value, list | tuple) else value


def parts(page: str) -> Iterator[str]:
    """Yield the sections of a page as text: each tag and each run of words on a line of its own."""
    for section in re.split(r"(?=<section|<style|<script|<footer|<svg)", page):
        lines = [unescape(line.strip()) for line in TAG.split(undated(section))]
        yield "\n".join(line for line in lines if line)


# -- the command line ----------------------------------------------------------------------------------------------

COMMANDS = {
    "help": "--help",
    **{
        f"help of {name}": f"{name} --help"
        for name in ("advise", "compare", "export-onnx", "fit", "info", "methods", "predict", "report", "transform")
    },
    "methods": "methods",
    "advise": "advise",
    "report": "report iris.csv --target kind --method lda --out seen --format csv",
    "report json": "report iris.csv --target kind --method lda --out told --json --folds 3",
    "fit": "fit iris.csv --method lda --target kind --out model.eigenlens",
    "info": "info model.eigenlens",
    "predict": "predict model.eigenlens new.csv --out predicted.csv",
    "transform": "transform model.eigenlens new.csv --out scores.csv",
    "compare": "compare iris.csv --target kind",
    "no file": "report nothing.csv",
    "no column": "report iris.csv --target size",
    "no method": "report iris.csv --method tsne",
    "a file that exists": "fit iris.csv --method lda --target kind --out model.eigenlens",
    "no model": "predict iris.csv new.csv --out other.csv",
    "no directions": "report iris.csv --target kind --method pca --drop a",
    "no command": "look iris.csv",
    "bad number": "report iris.csv --folds many",
}


def command_line() -> Iterator[Case]:
    """Yield every command with what it prints and writes, and what it refuses."""
    iris = pd.DataFrame(named("iris").X, columns=list("abcd")).assign(kind=named("iris").labels)
    iris.to_csv("iris.csv", index=False)
    iris.head(12).drop(columns="kind").to_csv("new.csv", index=False)
    for name, command in COMMANDS.items():
        yield f"command line/{name}", partial(run, command)


def run(command: str, ask: Ask) -> None:
    """Run one command, and show its exit code, its words and the tables that it wrote."""
    surroundings = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}
    before = set(Path.cwd().rglob("*.csv"))
    words = [sys.executable, "-m", "eigenlens", *command.split()]
    done = subprocess.run(words, capture_output=True, text=True, env=surroundings)
    for part, value in {"code": done.returncode, "out": done.stdout, "err": done.stderr}.items():
        ask(part, lambda value=value: undated(value) if isinstance(value, str) else value)
    for path in sorted(set(Path.cwd().rglob("*.csv")) - before):
        ask(path.name, lambda path=path: pd.read_csv(path))
