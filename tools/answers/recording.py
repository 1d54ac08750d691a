"""Asking, and turning what comes back into arrays and text under names."""

from __future__ import annotations

import dataclasses
import functools
import io
import re
import time
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator

DEPTH = 4  # objects inside objects
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
HOMES = re.compile(r"\beigenlens(\._?[a-z]\w*)+\.(?=_?[A-Za-z])")  # a module's path, before a name
FOLDER = re.compile(r"(/[\w.-]+)*/(answers-[\w-]+|eigenlens-\w{8}(?=/))")  # ours, and a report's own
#: Of these attributes only what users are told of; the rest is how the answer was found
PARTS = {
    "moments_": ("n_features", "weight", "names", "mean", "means", "weights"),
    "spectrum_": ("singular_values", "rank", "tail", "solver"),
}

Answers = dict[str, Any]
Ask = Callable[[str, Callable[[], Any]], Any]
Case = tuple[str, Callable[[Ask], None]]


def find(path: str, *homes: str) -> Any:
    """Return the name at the end of a path from the first of its homes that has it: modules move, names stay."""
    for home in homes:
        try:
            found: Any = import_module(f"eigenlens.{home}" if home else "eigenlens")
            for name in path.split("."):
                found = getattr(found, name)
        except (ImportError, AttributeError):
            continue
        return found
    raise AttributeError(f"{path} is in none of {homes}")


def plain(text: str) -> str:
    """Return a text without what differs between machines, folders and days, or names the module of a class."""
    text = FOLDER.sub("<folder>", HOMES.sub("", ADDRESS.sub("", text)))
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


class Recorder:
    """The answers of one case after the other."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self.answers: Answers = {}
        self.seconds: dict[str, float] = {}  # of processor time, for each case
        self._wanted = wanted

    def run(self, cases: Iterable[Case]) -> Answers:
        """Ask every case that is wanted."""
        for name, case in cases:
            if self._wanted(name):
                start = time.process_time()
                try:
                    case(functools.partial(self.ask, name))
                except Exception as error:  # the case itself, such as a table that cannot be made
                    self.answers[f"{name}/case"] = said(error)
                self.seconds[name] = time.process_time() - start
        return self.answers

    def ask(self, case: str, part: str, function: Callable[[], Any], show: Callable[[Any], Any] = lambda x: x) -> Any:
        """Record what a function returns, warns of or raises; return it, or None where it raised."""
        result = None
        with warnings.catch_warnings(record=True) as caught, redirect_stdout(io.StringIO()):
            warnings.simplefilter("always")
            with redirect_stderr(io.StringIO()):  # bars of progress
                try:
                    result = function()
                    answer = show(result)
                except Exception as error:
                    answer = said(error)
        name = f"{case}/{part}"
        for path, leaf in leaves(answer):
            self.answers[name + path] = leaf
        warned = [f"{w.category.__name__}: {w.message}" for w in caught if is_ours(w)]
        if warned:
            self.answers[f"{name}:warnings"] = plain("\n".join(warned))
        return result


def is_ours(warning: warnings.WarningMessage) -> bool:
    """Return whether users of the library are meant: what NumPy says on the way depends on the road taken."""
    return any(kind.__name__ == "EigenlensWarning" for kind in warning.category.__mro__)


def said(error: Exception) -> str:
    """Return an error as text."""
    return plain(f"raised {type(error).__name__}: {error}")


def leaves(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield path and leaf of everything inside a value: arrays of numbers, and text."""
    if value is None or isinstance(value, bool | str | np.bool_ | np.str_ | bytes | range | slice):
        yield "", plain(str(value))
    elif isinstance(value, int | float | complex | np.number):
        yield "", np.asarray(value)
    elif scipy.sparse.issparse(value):
        yield "", value.toarray()
    elif isinstance(value, np.ndarray):
        yield "", value.copy() if value.dtype.kind in "iufcb" else plain(repr(value.tolist()))
    elif isinstance(value, Mapping):
        for key in value:
            yield from below(f"[{key!r}]", value[key], depth)
    elif isinstance(value, list | tuple):
        yield from sequence(value, depth)
    elif isinstance(value, type | types.FunctionType | types.MethodType | functools.partial):
        yield "", getattr(value, "__name__", "function")
    elif callable(getattr(value, "__array__", None)) and not hasattr(value, "columns"):
        yield from leaves(np.asarray(value), depth)
    elif hasattr(value, "columns") and hasattr(value, "shape"):  # a frame
        for name in value.columns:
            yield from below(f"[{str(name)!r}]", np.asarray(value[name]), depth)
    else:
        yield from inside(value, depth)


def sequence(values: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a list: one array where it holds numbers alone."""
    if values and all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in values):
        yield "", np.asarray(values)
    elif all(isinstance(v, str | None | bool) for v in values):
        yield "", plain(repr(list(values)))
    else:
        for k, value in enumerate(values):
            yield from below(f"[{k}]", value, depth)


def below(step: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield the leaves of a part, under its name."""
    for path, leaf in leaves(value, depth + 1):
        yield step + path, leaf


def inside(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield what an object shows: fitted attributes of an estimator, public attributes of a result."""
    if not type(value).__module__.startswith("eigenlens") or depth > DEPTH:
        yield "", plain(repr(value))
        return
    is_model = isinstance(value, BaseEstimator)
    yield ":kind", type(value).__name__
    if not is_model and type(value).__str__ is not object.__str__ and not dataclasses_text(value):
        yield ":text", plain(str(value))
    for name in sorted(dir(value)):
        if name.startswith("_") or name.endswith("_") != is_model:
            continue
        found = attribute(value, name)
        if isinstance(found, types.MethodType | types.FunctionType | types.ModuleType):
            continue
        if name in PARTS:
            found = {part: getattr(found, part) for part in PARTS[name] if hasattr(found, part)}
        yield from below(f".{name}", found, depth)


def dataclasses_text(value: Any) -> bool:
    """Return whether the text of an object is only the list of its fields."""
    return dataclasses.is_dataclass(value) and type(value).__str__ is object.__str__


def attribute(value: Any, name: str) -> Any:
    """Return an attribute, or what it says where it is not there."""
    try:
        return getattr(value, name)
    except Exception as error:
        return said(error)


def figures() -> dict[str, Any]:
    """Return what the open figures show, and close them."""
    import matplotlib.pyplot as plt

    shown = {}
    for k, number in enumerate(plt.get_fignums()):
        for j, axes in enumerate(plt.figure(number).axes):
            shown[f"{k}.{j}"] = drawn(axes)
    plt.close("all")
    return shown


def drawn(axes: Any) -> dict[str, Any]:
    """Return what one pair of axes shows: words, and where lines, points, bars and images are."""
    words = [text.get_text() for text in axes.texts]
    legend = axes.get_legend()
    if legend is not None:
        words += [text.get_text() for text in legend.get_texts()]
    return {
        "titles": [axes.get_title(), axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel()],
        "words": words,
        "lines": [np.asarray(line.get_xydata(), dtype=float) for line in axes.lines],
        "points": [np.ma.filled(c.get_offsets(), np.nan) for c in axes.collections],
        "bars": [[p.get_x(), p.get_y(), p.get_width(), p.get_height()] for p in axes.patches if hasattr(p, "get_x")],
        "images": [np.ma.filled(image.get_array().astype(float), np.nan) for image in axes.images],
    }
