"""The tool that compares this tree with the frozen commit: what it takes for equal, and what for a difference."""

import importlib.util
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from eigenlens import LDA, PCA
from eigenlens.exceptions import RankWarning

TOOLS = Path(__file__).parents[1] / "tools"


@pytest.fixture(scope="module")
def beside():
    spec = importlib.util.spec_from_file_location("beside", TOOLS / "beside.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["beside"] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules["beside"]


@pytest.fixture
def recording(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module("answers.recording")


def outcome(beside, before, after, bits=(), declared=()):
    rules = {"bits": [{"pattern": p, "reason": ""} for p in bits], "declared": list(declared)}
    result = beside.compare({"s/x": before}, {"s/x": after}, rules)
    return [name for name, count in result.counts["s"].items() if count]


X = np.array([[1.0, -2.0], [0.0, 1e-20]])


def test_three_classes(beside):
    assert outcome(beside, X, X.copy()) == ["same bits"]
    assert outcome(beside, X, X * (1 + 5e-10)) == ["within 1e-9"]
    assert outcome(beside, X, X * (1 + 5e-10), bits=["^s/x"]) == ["different"]
    assert outcome(beside, X, X * (1 + 5e-9)) == ["different"]
    assert outcome(beside, X, X + 5e-10) == ["within 1e-9"]  # relative to the largest of the array


def test_signs_shapes_kinds_and_gaps_count(beside):
    gaps = np.where(X == 0, np.nan, X)
    others = (-X, X[:1], X.astype(int), "text", None, gaps, np.where(X == 0, np.inf, X), X.astype(np.float32) * 1.001)
    assert all(outcome(beside, X, other) == ["different"] for other in others)
    assert outcome(beside, gaps, gaps.copy()) == ["same bits"]
    assert outcome(beside, np.array([1, 2]), np.array([1, 3])) == ["different"]
    assert outcome(beside, "n=3 is too few", "n=3 is too small") == ["different"]


def test_a_declaration_has_a_tolerance_and_is_named_when_nothing_needs_it(beside):
    by_a_bit = {"pattern": "^s/", "tolerance": 1e-6, "reason": "another iteration"}
    assert outcome(beside, X, X * (1 + 1e-7), declared=[by_a_bit]) == ["declared"]
    assert outcome(beside, X, X * (1 + 1e-5), declared=[by_a_bit]) == ["different"]
    assert outcome(beside, X, "gone", declared=[{**by_a_bit, "tolerance": "changed"}]) == ["declared"]
    result = beside.compare({"s/x": X}, {"s/x": X}, {"bits": [], "declared": [by_a_bit]})
    assert result.needed == set()


def test_what_is_gone_and_what_is_new_are_differences(beside):
    result = beside.compare({"s/old": X}, {"s/new": X}, {"bits": [], "declared": []})
    assert result.differences == [("s/old", "is gone"), ("s/new", "is new")]


def test_every_declaration_says_why():
    kept = json.loads((TOOLS / "beside.json").read_text(encoding="utf8"))
    assert all(rule["reason"] for rule in [*kept["bits"], *kept["declared"]])
    assert all("tolerance" in rule for rule in kept["declared"])


def test_one_failure_hides_no_other_answer(recording):
    def case(ask):
        ask("first", lambda: 1 / 0)
        ask("second", lambda: warnings.warn("few", RankWarning, stacklevel=1) or 2.0)
        raise ValueError("the case itself")

    answers = recording.Recorder(lambda _: True).run([("a", case), ("b", lambda ask: ask("third", lambda: "x"))])
    assert answers == {
        "a/first": "raised ZeroDivisionError: division by zero",
        "a/second": np.asarray(2.0),
        "a/second:warnings": "RankWarning: few",
        "a/case": "raised ValueError: the case itself",
        "b/third": "x",
    }


def test_models_are_their_fitted_attributes(recording):
    rows = np.random.default_rng(0).standard_normal((20, 3))
    found = dict(recording.leaves(PCA(2).fit(rows)))
    assert found[".components_"].shape == (2, 3)
    assert found[".spectrum_['rank']"] == 3
    assert not any(name.split(".")[1].startswith("_") for name in found if name[0] == ".")
    scaled = dict(recording.leaves(LDA().fit(rows, np.arange(20) % 2)))
    assert scaled[".classes_"].tolist() == [0, 1]


def test_text_does_not_name_modules_folders_or_addresses(recording):
    said = "eigenlens.exceptions.InputError in /tmp/answers-x1/rows.csv of <f at 0x7f12ab>; eigenlens.open_rows"
    assert recording.plain(said) == "InputError in <folder>/rows.csv of <f>; eigenlens.open_rows"
    assert recording.plain("/tmp/eigenlens-q2q3acwx/table.parquet is empty") == "<folder>/table.parquet is empty"
