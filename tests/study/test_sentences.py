"""Sentences are true of the numbers that they speak of, and are English."""

import numpy as np
import pandas as pd
import pytest

import eigenlens
from eigenlens.page import render
from eigenlens.page.findings import ComparedMethod, Direction, Findings
from eigenlens.study.sentences import class_words, number_words, spread_words


def findings(kind="none", weights=((0.9, 0.1), (0.3, 0.9), (0.2, 0.3), (0.1, 0.1)), compared=(), **options):
    """Return findings with loadings, and methods compared: (name, score, low, high), the first of which is ours."""
    loadings = np.array(weights, dtype=float)
    p, k = loadings.shape
    ring = [ComparedMethod(*each, 0.1, ours=j == 0 and kind == "classes") for j, each in enumerate(compared)]
    return Findings(
        title="t",
        source="t.csv",
        method="M",
        kind=kind,
        n_rows=options.pop("n_rows", 100),
        n_columns=p,
        notes=[],
        value_name="value",
        directions=[Direction(f"d{j}", 1.0, 1 / k) for j in range(k)],
        axes=[f"d{j}" for j in range(k)],
        scores=np.zeros((100, k)),
        loading_names=[f"c{j}" for j in range(p)],
        loadings=loadings,
        loading_kind="weight",
        scree={"values": np.ones(k)},
        comparison=ring,
        target=None if kind == "none" else "medv",
        **options,
    )


def said(of, words, *arguments):
    words(of, *arguments)
    return " ".join(of.summary)


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        (0.55, "A straight line on all columns does better than any curve on a few directions; the best explains 55%."),
        (
            0.95,
            "A straight line on all columns does as well as the best curve on a few directions, which explains 95%.",
        ),
        (
            -475.0,
            "A straight line on all columns does better than any curve on a few directions; the best explains none",
        ),
    ],
)
def test_a_straight_line_is_compared_with_the_best_curve(curve, words):
    ring = [("linear regression", 0.96, 0.94, 0.98), ("SIR + curve", curve, curve - 0.1, min(curve + 0.1, 1.0))]
    text = said(findings("number", compared=ring), number_words, "")
    assert words in text
    assert "linear regression explains 96% of the variance of 'medv' (95% interval 94.0% to 98.0%)." in text


def test_a_curve_that_does_best_is_named_with_what_a_line_explains():
    ring = [("linear regression", -3.0, -9.0, 1.0), ("SIR + curve", 0.9, 0.8, 1.0)]
    text = said(findings("number", compared=ring), number_words, "")
    assert "SIR + curve explains 90%" in text
    assert "; linear regression explains none of it." in text


def test_an_r2_far_below_zero_is_not_written_out():
    method = ComparedMethod("x", -474.758, -1785.77, 1.0, 0.1)
    assert (method.written, method.interval) == ("below -100%", "")
    assert ComparedMethod("x", -0.2, -1.8, 0.4, 0.1).interval == "below -100% to 40.0%"
    text = said(findings("number", compared=[("linear regression", -474.0, -1785.0, 1.0)]), number_words, "")
    assert "none of the methods does better than the mean of 'medv' (R² below -100%)" in text


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (1.0, "None of the other methods compared does better."),
        (0.96, "FDA comes out at 96.0%, a difference that these rows cannot tell from chance."),
        (0.9504, "None of the other methods compared does better by more than a tenth of a percent."),
    ],
)
def test_a_difference_is_one_that_can_be_seen(other, words):
    ours = 1.0 if other == 1.0 else 0.95
    ring = [("FDA", other, 0.9, 1.0), ("LDA", ours, 0.9, 1.0)]
    found = findings("classes", compared=ring[::-1], baseline=("always 'a'", 0.5))
    text = said(found, class_words, np.array([50, 50]))
    assert words in text


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([0.30, -0.29, 0.29, 0.31, 0.28], "is driven by all 5 columns alike (0.28 to 0.31 in size)."),
        ([0.9, 0.3, 0.2, 0.1], "is driven by c0 (+0.90), c1 (+0.30) and c2 (+0.20)."),
        ([0.5, 0.5, 0.5, 0.495, 0.1], "is driven by 4 of 5 columns alike, c0 (+0.50) and c1 (+0.50) among them."),
        ([0.71, 0.70], "is driven by c0 (+0.71) and c1 (+0.70)."),
        ([0.94, -0.29, 0.10, 0.08], "is driven by c0 (+0.94) and c1 (-0.29)."),
    ],
)
def test_columns_that_weigh_alike_are_not_named_one_by_one(weights, words):
    assert words in said(findings(weights=np.array(weights)[:, None]), spread_words, True)


def test_the_header_of_the_page_is_a_sentence():
    assert "M: what medv depends on. 100 rows, 4 columns." in render(findings("number"))
    assert "M: what separates the classes of medv. 100 rows, 4 columns." in render(findings("classes"))
    assert "M: where the rows spread. 100 rows, 1 column." in render(findings(weights=[[1.0]]))


def test_a_difference_within_the_interval_is_not_called_equal():
    ring = [("linear regression", 0.31, -0.24, 0.86), ("SIR + curve", 0.08, -0.3, 0.4)]
    text = said(findings("number", compared=ring), number_words, "")
    assert "does as well as" not in text
    assert "explains 8%, a difference from the straight line that these rows cannot tell from chance." in text


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ((0.72, 0.66, 0.77), "The rule does better."),
        ((0.80, 0.74, 0.86), "These rows do not show that it does better than this rule."),
        ((0.9, 0.85, 0.95), "is right for 78.0%."),
    ],
)
def test_a_rule_that_does_better_is_said_to(score, words):
    found = findings("classes", compared=[("LDA", *score)], baseline=("always 'a'", 0.78))
    assert words in said(found, class_words, np.array([78, 22]))


def test_a_single_column_is_not_said_to_drive_anything():
    said = eigenlens.report(pd.DataFrame({"volume": np.random.default_rng(0).standard_normal(60)})).findings.summary
    assert said[0] == "There is a single column, volume, and it is the only direction."
    assert not any("driven" in sentence for sentence in said)


def test_a_sum_of_columns_is_a_leak():
    """Of `carData::Depredations`, where number = early + late."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 30, (80, 2)), columns=["early", "late"])
    frame["number"], frame["latitude"] = frame["early"] + frame["late"], rng.standard_normal(80)
    said = " ".join(eigenlens.report(frame, target="late", target_is="number").findings.summary)
    assert "A leak? The other columns determine 'late': on rows left out, linear regression explains all" in said


@pytest.mark.parametrize(("shares", "words"), [([0.2, 0.1, 0.1], "that were computed are"), ([0.5, 0.3, 0.2], "are")])
def test_all_directions_are_those_that_were_computed(shares, words):
    of = findings(weights=np.eye(4, 3))
    of.directions = [Direction(f"d{j}", 1.0, share, "shown") for j, share in enumerate(shares)]
    assert said(of, spread_words, True).startswith(f"All three directions {words} shown")
