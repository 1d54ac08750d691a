"""Tables with more columns than rows: what is drawn and said is of rows that the fit has not seen."""

import json

import numpy as np
import pandas as pd
import pytest

import eigenlens
from eigenlens.app.main import run


def wide(signal, n=60, p=300, seed=0):
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 3
    X = rng.standard_normal((n, p))
    X[:, :5] += signal * np.eye(3)[kind] @ rng.standard_normal((3, 5))
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(p)]).assign(kind=np.array(["a", "b", "c"])[kind])


@pytest.mark.parametrize("method", ["auto", "lda", "pda"])
def test_noise_does_not_look_separated(method):
    found = eigenlens.report(wide(0), "kind", method=method).findings
    assert found.directions[0].value < 0.5
    within = [np.var(found.scores[found.columns["kind"] == c, 0]) for c in "abc"]
    assert np.mean(within) > 0.5 * np.var(found.scores[:, 0])
    assert "rows left out" in found.value_name
    assert any("rows left out" in note for note in found.notes)
    assert "each row is drawn where a fit to the" in eigenlens.report(wide(0), "kind", method=method).to_html()


def test_what_is_there_is_still_seen():
    found = eigenlens.report(wide(3), "kind").findings
    assert found.directions[0].value > 0.6
    by_score = np.asarray(found.scores[:, 0])
    order = np.argsort([by_score[found.columns["kind"] == c].mean() for c in "abc"])
    assert len(set(order)) == 3


def test_the_file_of_scores_is_what_the_model_says(folder, capsys):
    wide(3).to_csv("wide.csv", index=False)
    assert run(["report", "wide.csv", "--target", "kind", "--format", "csv", "--json"]) == 0
    json.loads(capsys.readouterr().out)
    assert run(["transform", "wide-report/model.eigenlens", "wide.csv", "--out", "again.csv"]) == 0
    scores, again = pd.read_csv("wide-report/scores.csv"), pd.read_csv("again.csv")
    np.testing.assert_allclose(scores[again.columns], again, rtol=1e-9, atol=1e-9)


def test_tables_with_enough_rows_are_drawn_as_they_are_fitted():
    found = eigenlens.report(wide(3, n=120, p=6), "kind").findings
    assert not found.left_out
    assert found.value_name == "canonical correlation"


def test_cells_that_were_filled_do_not_bring_the_fitted_scores_back():
    frame = wide(0)
    frame.loc[::3, "x7"] = np.nan
    found = eigenlens.report(frame, "kind").findings
    assert "rows left out" in found.value_name
    assert found.directions[0].value < 0.6


def test_large_counts_and_small_shares_are_written_for_people():
    frame = wide(0, n=20, p=1100)
    frame.loc[3, "x7"] = np.nan
    notes = " ".join(eigenlens.report(frame, "kind", cv=0).findings.notes)
    assert "1,101 columns: 1,100 of numbers, 1 of words" in notes
    assert "1 of 22,000 cells is missing (less than 0.1%)" in notes
