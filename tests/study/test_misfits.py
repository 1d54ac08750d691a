"""Rows that do not fit, in the report."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

import eigenlens

WINE = load_wine(as_frame=True).data


def findings(frame, **options):
    return eigenlens.report(frame, **options).findings


def test_a_cell_that_was_mistyped_is_blamed():
    frame = WINE.set_index(pd.Index([f"bottle {i}" for i in range(len(WINE))], name="bottle"))
    frame.loc["bottle 5", "ash"] = 24.3  # the point was lost
    found = findings(frame)
    first = found.misfits["rows"][0]
    assert first["row"] == "bottle 5"
    assert first["columns"][0][0] == "ash"
    assert first["times"] > 3
    assert "farthest are bottle 5 (ash)" in found.summary[-1]
    assert found.to_dict()["rows_that_do_not_fit"]["count"] >= 1


def test_the_page_lists_them(tmp_path):
    page = eigenlens.report(WINE).save(tmp_path / "page.html").read_text()
    assert "Rows that do not fit" in page
    assert "columns that add most" in page
    assert "row 70" in page


def test_normal_rows_are_few():
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((500, 6)), columns=list("abcdef"))
    said = findings(frame).summary[-1]
    assert "no more than chance gives" in said or "No row lies beyond" in said


@pytest.mark.parametrize(
    "asked",
    [
        {"target": "kind"},
        {"target": "ash"},
        {"target": "kind", "method": "mda"},
        {"views": (list(WINE.columns[:6]), list(WINE.columns[6:]))},
        {"drop": "kind", "method": "mixed-pca"},
    ],
)
def test_every_method_finds_them(asked):
    frame = WINE.assign(kind=load_wine().target_names[load_wine().target])
    frame.loc[4, "alcohol"] = 142.3
    found = findings(frame, cv=0, **asked)
    first = found.misfits["rows"][0]
    assert first["row"] == "row 5"
    assert first["columns"][0][0] == "alcohol"
    assert "row 5 (alcohol)" in " ".join(found.summary)


@pytest.mark.parametrize("p", [30, 300])
@pytest.mark.parametrize("asked", [{}, {"target": "kind"}])
def test_rows_of_the_fit_have_limits_of_their_own(asked, p):
    """Scores of few rows lie farther out than those of new ones: of 60 × 2,000 numbers of noise, 35 "did not fit"."""
    frame = pd.DataFrame(np.random.default_rng(0).standard_normal((60, p))).add_prefix("x")
    found = findings(frame.assign(kind=list("ab") * 30) if asked else frame, cv=0, **asked)
    assert (found.misfits or {"count": 0})["count"] <= 4
    frame.loc[7, "x3"] = 80.0
    found = findings(frame.assign(kind=list("ab") * 30) if asked else frame, cv=0, **asked)
    assert "row 8 (x3)" in " ".join(found.summary)


def test_few_rows_and_other_methods_say_nothing():
    assert findings(WINE.head(15)).misfits is None
    assert findings(WINE, method="kernel-pca").misfits is None
