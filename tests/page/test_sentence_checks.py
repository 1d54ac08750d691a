"""The script that checks the sentences of reports finds what is wrong with them, and nothing else."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from check_sentences import faults, faults_of_grammar

SAID = {
    "summary": [
        "Two of 4 directions are shown (shared directions, 5%), and carry 83% of the variance.",
        "The first direction carries 51% of the variance; the first two together 83%.",
        "It is driven by time (+0.65), day (-0.55) and temp (+0.43).",
    ],
    "doubts": [],
    "notes": ["114 rows, 5 columns of numbers."],
    "next": [],
    "shown_directions": 2,
    "directions": [{"share": s} for s in (0.51, 0.32, 0.1, 0.07)],
    "loadings": {"component 1": {"time": 0.651, "day": -0.549, "temp": 0.43}},
    "comparison": [],
    "confusion": None,
}


def test_a_good_report_has_no_faults():
    assert faults(SAID) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "There are 1 columns.",
        "Two direction are shown.",
        "It is is driven by time.",
        "The share is nan.",
        "no full stop at the end",
        "Use n_components=3 instead.",
        "It carries 120% of the variance.",
        "The end (of it.",
        "An answer..",
    ],
)
def test_bad_english_is_found(sentence):
    assert list(faults_of_grammar(sentence))


def test_names_may_hold_anything():
    assert not list(faults_of_grammar("'1 columns' is driven by 'the the', “a  nan”."))


@pytest.mark.parametrize(
    ("old", "new"),
    [("Two of 4", "Three of 4"), ("carry 83%", "carry 90%"), ("carries 51%", "carries 40%"), ("(+0.65)", "(+0.56)")],
)
def test_what_is_not_so_is_found(old, new):
    assert faults(SAID | {"summary": [s.replace(old, new) for s in SAID["summary"]]})
