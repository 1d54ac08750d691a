"""Public signatures say what editors should know: no `Any` comes back, and choices of words are spelled out."""

import inspect
import re
import typing
from importlib import import_module

import pytest
from numpydoc.docscrape import NumpyDocString

ROOMS = ("", ".moments", ".regress", ".kernels", ".inference", ".distances", ".validation")
#: What people may use although no room hands it on.
BESIDE = {
    ".moments.completion": ("Completed", "fit"),
    ".moments.conditional": ("Conditional",),
    ".moments.expected_cells": ("ExpectedCells",),
    ".moments.low_rank": ("fit_low_rank",),
    ".moments.redrawn": ("HoledResampler",),
    ".solve.least_absolute": ("least_absolute",),
    ".solve.low_rank_and_sparse": ("Parts", "Report", "only", "pursue"),
}

#: What may be anything, and why.
RETURNS_ANYTHING = {
    "CCA.transform",  # one array, or a pair of them where Y is given
    "CCA.fit_transform",
    "CurveOnDirections.transform",  # what its own directions return
    "CurveOnDirections.predict",
    "CurveOnDirections.get_feature_names_out",
    "RKHSFunction.inner",  # a number, or an array of numbers for several functions
    "RKHSFunction.norm",
}
FREE_WORDS = {("ExpectedCells", "given")}  # a study hands them on as words


def public():
    seen = set()
    for room in (*ROOMS, *BESIDE):
        module = import_module(f"eigenlens{room}")
        for name in BESIDE.get(room) or module.__all__:
            thing = getattr(module, name)
            if id(thing) not in seen and (inspect.isclass(thing) or inspect.isfunction(thing)):
                seen.add(id(thing))
                yield name, thing


def functions():
    for name, thing in public():
        if inspect.isfunction(thing):
            yield name, thing
            continue
        for method, function in inspect.getmembers(thing, inspect.isfunction):
            if not method.startswith("_") and (function.__module__ or "").startswith("eigenlens"):
                yield f"{name}.{method}", function


def is_any(annotation):
    return re.search(r"(^|\| )Any( \||$)", str(annotation)) is not None


FUNCTIONS = dict(functions())
ESTIMATORS = {name: thing for name, thing in public() if inspect.isclass(thing) and hasattr(thing, "fit")}


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - RETURNS_ANYTHING))
def test_a_function_says_what_it_returns(name):
    annotations = FUNCTIONS[name].__annotations__
    assert "return" in annotations
    if typing.get_overloads(FUNCTIONS[name]):
        return
    assert not is_any(annotations["return"]), annotations["return"]


def choices_of(doc):
    """Yield the parameters of a docstring whose type is one of some words, with these."""
    for parameter in NumpyDocString(inspect.cleandoc(doc or ""))["Parameters"]:
        kind = re.sub(r"default.*", "", parameter.type)
        if re.match(r'(\{"|"[\w-]+")', kind):
            yield parameter.name, set(re.findall(r'"([^"]+)"', kind))


def spelled(annotation):
    return set(re.findall(r'"([^"]+)"', str(annotation).replace("'", '"')))


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *ESTIMATORS}))
def test_choices_are_spelled_out(name):
    """The words of the docstring are those of the annotation."""
    thing = ESTIMATORS.get(name) or FUNCTIONS[name]
    annotations = getattr(thing.__init__ if inspect.isclass(thing) else thing, "__annotations__", {})
    for parameter, words in choices_of(thing.__doc__):
        if parameter in annotations and (name, parameter) not in FREE_WORDS:
            assert "Literal[" in annotations[parameter], (parameter, annotations[parameter])
            assert spelled(annotations[parameter]) == words, parameter


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_attributes_of_a_fit_have_types(name):
    cls = ESTIMATORS[name]
    hints = {key: kind for base in reversed(cls.__mro__) for key, kind in inspect.get_annotations(base).items()}
    for attribute in NumpyDocString(inspect.cleandoc(cls.__doc__))["Attributes"]:
        for key in re.split(r",\s*", attribute.name):
            found = inspect.getattr_static(cls, key, None)
            if isinstance(found, property):
                assert not is_any(found.fget.__annotations__["return"]), key
            else:
                assert key in hints, key
                assert not is_any(hints[key]), key


GIVEN = {"X", "y", "Y", "sample_weight", "groups", "target", "random_state", "priors"}  # what users hand in


@pytest.mark.parametrize("name", sorted({*FUNCTIONS, *ESTIMATORS}))
def test_what_is_handed_in_has_a_type(name):
    """Editors then show what may be passed; the names are those of `arrays/typing.py`."""
    thing = ESTIMATORS.get(name) or FUNCTIONS[name]
    annotations = getattr(thing.__init__ if inspect.isclass(thing) else thing, "__annotations__", {})
    assert [key for key, kind in annotations.items() if key in GIVEN and is_any(kind)] == []


def test_annotations_can_be_read():
    """Tools read them at run time."""
    for name, function in FUNCTIONS.items():
        assert typing.get_type_hints(function) is not None, name
