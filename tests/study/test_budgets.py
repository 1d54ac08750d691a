"""What a study spends is decided by work: the size of a table, never a clock."""

import numpy as np
import pandas as pd

import eigenlens
from eigenlens.study.compare import FLOOR, compared_methods, within_budget


def names(n, p, ours="LDA"):
    kept, rows = within_budget(compared_methods("classes", 0, n, 5), n, p, 5, ours)
    return set(kept), rows


def test_small_tables_compare_everything_on_all_rows():
    kept, rows = names(569, 30)
    assert {"LDA", "FDA", "PDA", "MDA", "QDA"} <= kept
    assert rows == 569


def test_searches_through_many_columns_do_not_take_part():
    kept, _ = names(200, 1000)
    assert "LDA" in kept
    assert not kept & {"FDA", "MDA", "QDA"}
    kept, _ = names(200, 1000, ours="FDA")
    assert "FDA" in kept


def test_large_tables_are_compared_on_some_rows():
    _, rows = names(500_000, 20)
    assert FLOOR <= rows <= 8000


def test_the_report_says_who_does_not_take_part():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 400)), columns=[f"g{j}" for j in range(400)])
    frame["kind"] = np.where(frame.g0 > 0, "a", "b")
    found = eigenlens.report(frame, target="kind", method="pda")
    assert not {"FDA", "MDA"} & {c.name for c in found.findings.comparison}
    assert any("FDA" in note and "not take part" in note for note in found.findings.notes)


def test_a_wide_table_is_tested_from_its_moments(monkeypatch):
    monkeypatch.setattr("eigenlens.study.dimension_tests.WORK", 1e9)
    rng = np.random.default_rng(1)
    n, p = 120, 3000
    shared = rng.standard_normal((n, 1)) @ rng.standard_normal((1, p))
    frame = pd.DataFrame(shared + rng.standard_normal((n, p)), columns=[f"g{j}" for j in range(p)])
    found = eigenlens.report(frame)
    assert found.findings.shown_directions == 1
    assert "normal noise" in found.findings.test.about


def test_directions_beyond_the_budget_are_not_tested_and_the_page_says_so(monkeypatch):
    monkeypatch.setattr("eigenlens.study.dimension_tests.WORK", 4e8)
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 20)) @ rng.standard_normal((20, 60)) + 0.1 * rng.standard_normal((150, 60))
    found = eigenlens.report(pd.DataFrame(X, columns=[f"g{j}" for j in range(60)])).findings
    assert 0 < found.shown_directions < 20
    assert found.summary[0].startswith("At least ")
    assert {d.verdict for d in found.directions[found.shown_directions :]} == {"not tested"}
    assert any("were not tested" in doubt for doubt in found.doubts)


def test_rows_with_missing_cells_are_tested_within_the_budget_too(monkeypatch):
    """Each direction that is shown takes nineteen draws: musk, of 167 columns, has 46 of them, and took minutes."""
    monkeypatch.setattr("eigenlens.study.dimension_tests.WORK", 7e7)
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 8)) @ rng.standard_normal((8, 20)) + 0.1 * rng.standard_normal((150, 20))
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(20)])
    frame.loc[:40:10, "g3"] = np.nan
    found = eigenlens.report(frame).findings
    assert 0 < found.shown_directions < 8
    assert found.test.stopped
    assert any("were not tested" in doubt for doubt in found.doubts)
    frame.loc[3, "g5"] = 1e4  # the finding without this cell tests other directions: the counts are not compared
    told = " ".join(eigenlens.report(frame).findings.warnings)
    assert "'g5' holds" in told
    assert "directions are significant instead of" not in told


def test_many_columns_with_a_word_are_not_taken_for_a_table_of_words():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.standard_normal((30, 1200)), columns=[f"g{j}" for j in range(1200)])
    frame["kind"] = np.array(["a", "b", "c"])[rng.integers(0, 3, 30)]
    assert eigenlens.report(frame).findings.method == "PCA"
    assert eigenlens.report(frame[["g0", "g1", "kind"]]).findings.method == "MixedPCA"


def test_a_machine_of_few_columns_pays_for_its_pairs_of_rows():
    """Classes that overlap take ten seconds for 8,000 rows of seven columns, most of it not for columns."""
    _, rows = names(70_000, 7)
    assert FLOOR <= rows <= 6_500
    assert names(2_000, 7)[1] == 2_000
