"""Which methods there are, what each is for, and how a study makes one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .._core import errors
from .._core.errors import InputError, SeparationError
from .separation import softened


@dataclass(frozen=True)
class Entry:
    """A method by name.

    Attributes
    ----------
    name : str
        On the command line.
    class_name : str
    kinds : tuple of str
        Questions that it answers.
    use : str
        When to use it.
    make : callable
        Makes an unfitted model for a seed.
    """

    name: str
    class_name: str
    kinds: tuple[str, ...]
    use: str
    make: Callable[[Any, int], Any] = lambda cls, seed: cls()

    @property
    def available(self) -> bool:
        return self.class_name in package().__all__

    def model(self, seed: int = 0) -> Any:
        """Return an unfitted model."""
        return self.make(getattr(package(), self.class_name), seed)


def package() -> Any:
    """Return the package with its public names; which methods there are is asked when it is needed."""
    return import_module(__name__.partition(".")[0])


_ENTRIES = (
    Entry("pca", "PCA", ("none",), "the directions of largest spread; the first look at any table"),
    Entry("robust-pca", "RobustPCA", ("none",), "the same where single cells are wildly wrong"),
    Entry("sparse-pca", "SparsePCA", ("none",), "directions that each use a few columns only"),
    Entry("kernel-pca", "KernelPCA", ("none",), "curved structure, for up to some thousand rows"),
    Entry("lda", "LDA", ("classes",), "directions that part classes of like shape; fast, with tests"),
    Entry("fda", "FDA", ("classes",), "classes parted by bent boundaries, found by adaptive splines"),
    Entry("pda", "PDA", ("classes",), "many columns, or columns in order (signals, images): coefficients are smoothed"),
    Entry("mda", "MDA", ("classes",), "classes made of several clusters", lambda cls, seed: cls(random_state=seed)),
    Entry("sir", "SIR", ("number",), "directions on which a number depends, in whatever way, from one pass"),
    Entry("localized-sir", "LocalizedSIR", ("number",), "the same where equal responses come from several places"),
    Entry("save", "SAVE", ("number",), "the same where the response is symmetric in a direction, such as x²"),
    Entry("directional-regression", "DirectionalRegression", ("number",), "SIR and SAVE in one"),
    Entry("cca", "CCA", ("views",), "what two sets of columns have in common"),
    Entry("mds", "ClassicalMDS", ("distances",), "a map of points of which only distances are known"),
)
METHODS = {entry.name: entry for entry in _ENTRIES if entry.available}
FIRST = {"none": "pca", "classes": "lda", "number": "sir", "views": "cca", "distances": "mds"}
QUESTIONS = {
    "none": "no target",
    "classes": "a target of classes",
    "number": "a target of numbers",
    "views": "two sets of columns",
    "distances": "a table of distances",
}


def fitted(model: Any, names: list[str], *arguments: Any) -> Any:
    """Fit a model to plain numbers; where it complains of a column by number, say its name.

    Where a column separates classes perfectly, the model is fitted as it says it can be then.
    """
    try:
        return model.fit(*arguments)
    except InputError as error:
        softer = softened(model) if isinstance(error, SeparationError) else None
        if softer is not None:
            return fitted(softer, names, *arguments)
        numbered = re.compile(r"\bcolumns? (\d+(?:, \d+)*)")

        def named(found: re.Match[str]) -> str:
            places = [int(j) for j in found[1].split(", ")]
            if max(places) >= len(names):
                return found[0]
            return f"column{'s' if len(places) > 1 else ''} " + ", ".join(repr(names[j]) for j in places)

        raise type(error)(numbered.sub(named, str(error))) from error


def chosen(name: str, kind: str) -> Entry:
    """Return the method of a study: the one that was asked for, or the first that answers the question."""
    wanted = FIRST[kind] if name == "auto" else name
    fitting = [entry.name for entry in METHODS.values() if kind in entry.kinds]
    if wanted not in METHODS:
        raise errors.setting("--method", wanted, f"for {QUESTIONS[kind]} there are: {', '.join(fitting) or 'none'}")
    if kind not in METHODS[wanted].kinds:
        answers = " or ".join(QUESTIONS[k] for k in METHODS[wanted].kinds)
        rule = f"it is for {answers}, and this is {QUESTIONS[kind]}; take one of {', '.join(fitting)}"
        raise errors.setting("--method", wanted, rule)
    return METHODS[wanted]
