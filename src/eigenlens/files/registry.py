"""Which classes a model file may name.

Those of this package that have given themselves a name (`arrays.stored`): a new one joins by doing so in its own file.
Of scikit-learn, only what is listed. Instances are made without calling their constructors.
"""

from __future__ import annotations

import pkgutil
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ..arrays import errors
from ..arrays.stored import KINDS, Kind, kind_of

ROOT = __name__.split(".")[0]
LATER = (
    "app",
    "displays",
    "drawing",
    "exceptions",
    "files",
    "page",
    "study",
    "testing",
)  # rooms that hold nothing that is saved
NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
LENGTH = 80

Number = (int, float, np.number)
Whole = (int, np.integer)


@dataclass(frozen=True)
class Foreign:
    """A class of another library, and the kinds of values that its parameters may have."""

    module: str
    parameters: dict[str, tuple[type, ...]]

    @property
    def library(self) -> str:
        return self.module.split(".")[0]


FLAGS = {"fit_intercept": (bool,), "copy_X": (bool,), "positive": (bool,)}
FOREIGN = {
    "sklearn.Pipeline": Foreign(
        "sklearn.pipeline",
        # A pipeline with a memory unpickles what it finds in that folder: a file must not name one.
        {"steps": (list,), "memory": (type(None),), "verbose": (bool,), "transform_input": (list, type(None))},
    ),
    "sklearn.StandardScaler": Foreign(
        "sklearn.preprocessing", {"copy": (bool,), "with_mean": (bool,), "with_std": (bool,)}
    ),
    "sklearn.LinearRegression": Foreign(
        "sklearn.linear_model", {**FLAGS, "tol": Number, "n_jobs": (*Whole, type(None))}
    ),
    "sklearn.Ridge": Foreign(
        "sklearn.linear_model",
        {
            **FLAGS,
            "alpha": (*Number, np.ndarray),
            "max_iter": (*Whole, type(None)),
            "tol": Number,
            "solver": (str,),
            "random_state": (*Whole, type(None)),
        },
    ),
}


def name_of(cls: type) -> str | None:
    """Return the name under which a class is kept, None where files may not hold it."""
    kind = kind_of(cls)
    if kind is not None:
        return kind.name
    if not cls.__module__.startswith("sklearn."):
        return None
    name = f"sklearn.{cls.__name__}"
    return name if name in FOREIGN and class_of(name) is cls else None


def kind_named(name: Any) -> Kind:
    """Return what a name in a file stands for."""
    if not isinstance(name, str) or len(name) > LENGTH or not NAME.fullmatch(name):
        raise _unknown_class(str(name)[:LENGTH])
    if name in FOREIGN:
        return _foreign(name)
    if name not in KINDS:
        _look_for(name)
    if name not in KINDS:
        raise _unknown_class(name)
    return KINDS[name]


def class_of(name: Any) -> type:
    """Return the class of a name in a file."""
    return kind_named(name).cls


@cache
def _foreign(name: str) -> Kind:
    cls = getattr(import_module(FOREIGN[name].module), name.rpartition(".")[2])
    return Kind(name, cls)


def _look_for(name: str) -> None:
    """Import what may define a name: the public class of that name, and if it is none, everything."""
    for home in (ROOT, f"{ROOT}.regress"):
        module = import_module(home)
        if name in module.__all__:
            getattr(module, name)
    if name not in KINDS:
        import_all()


@cache
def import_all() -> None:
    """Import every module of this package that may define what is saved, once."""
    root = import_module(ROOT)
    rooms = [entry for entry in pkgutil.iter_modules(root.__path__) if entry.name not in (*LATER, "__main__")]
    for room in rooms:
        module = import_module(f"{ROOT}.{room.name}")
        inside = pkgutil.walk_packages(module.__path__, f"{module.__name__}.") if room.ispkg else ()
        for entry in inside:
            with suppress(ImportError):  # of a library that is not installed
                import_module(entry.name)


def _unknown_class(name: str) -> errors.ModelFileError:
    return errors.ModelFileError(
        f"it names the class {name!r}, which model files may not hold; it comes from another "
        f"version of eigenlens, or was made by hand"
    )
