"""Count what a reader crosses who follows a call: files, functions, and changes of room.

    python tools/walk.py

Three walks: `LDA().fit` and `PCA(2).fit` on an array, and the report of the wine table. Functions are listed in the
order in which they are first called, each once; whenever the next one lies in another room, the reader changes rooms.
Imports, lambdas and the code of other libraries do not count.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import eigenlens

ROOT = f"{Path(eigenlens.__file__).parent}/"


@dataclass(frozen=True)
class Walk:
    """Functions in the order of their first call: the file below the package, and the qualified name."""

    functions: tuple[tuple[str, str], ...]

    @property
    def files(self) -> set[str]:
        return {file for file, _ in self.functions}

    @property
    def changes(self) -> int:
        rooms = [file.split("/")[0] for file, _ in self.functions]
        return sum(before != after for before, after in pairwise(rooms))

    @property
    def rooms(self) -> dict[str, int]:
        """Return how many files of each room are crossed."""
        return dict(sorted(Counter(file.split("/")[0] for file in self.files).items()))

    def __str__(self) -> str:
        return f"{len(self.files)} files, {len(self.functions)} functions, {self.changes} changes of room"


def followed(call: Callable[[], Any]) -> Walk:
    """Run a call twice, so that nothing is imported on the way, and return what the second run crosses."""
    met: dict[tuple[str, str], None] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT) and "<" not in code.co_name:
            met[code.co_filename.removeprefix(ROOT), code.co_qualname] = None

    call()
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Walk(tuple(met))


def walks() -> dict[str, Walk]:
    """Return the three walks."""
    from sklearn.datasets import load_iris

    from eigenlens import LDA, PCA
    from eigenlens.app.main import run

    X, y = load_iris(return_X_y=True)

    def report() -> None:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            run(["report", "--demo", "wine", "--out", folder, "--force", "--json"])

    return {
        "LDA().fit": followed(lambda: LDA().fit(X, y)),
        "PCA(2).fit": followed(lambda: PCA(2).fit(X)),
        "report": followed(report),
    }


def own_classes() -> int:
    """Return how many classes of the package stand above the estimator that has most of them."""
    public = [getattr(eigenlens, name) for name in eigenlens.__all__]
    return max(
        sum(base.__module__.split(".")[0] == "eigenlens" for base in cls.__mro__) - 1
        for cls in public
        if inspect.isclass(cls) and hasattr(cls, "fit")
    )


if __name__ == "__main__":
    for name, walk in walks().items():
        print(f"{name}: {walk}")
        print("    files by room:", ", ".join(f"{room} {n}" for room, n in walk.rooms.items()))
        if "-v" in sys.argv:
            for file, function in walk.functions:
                print(f"    {file}: {function}")
