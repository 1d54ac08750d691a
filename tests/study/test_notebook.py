"""The report of a table in memory: the command line's findings, in a page that shows itself."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

import eigenlens
from eigenlens.exceptions import InputError
from eigenlens.rows import TableFile
from eigenlens.study import Plan, read_data, study


@pytest.fixture(scope="module")
def wine():
    data = load_wine(as_frame=True)
    return data.data.assign(kind=data.target_names[data.target])


def test_findings_are_those_of_the_file(wine, tmp_path):
    path = tmp_path / "wine.csv"
    wine.to_csv(path, index=False)
    plan = Plan(target="kind", folds=0)
    expected = study(read_data(TableFile(path), plan), plan).findings
    found = eigenlens.report(wine, target="kind", cv=0)
    assert found.findings.summary == expected.summary
    np.testing.assert_allclose(
        found.findings.scores, expected.scores, rtol=0, atol=1e-10 * np.abs(expected.scores).max()
    )
    assert str(eigenlens.report(path, target="kind", cv=0)) == str(found)


def test_a_target_beside_the_rows_and_other_libraries(wine):
    polars = pytest.importorskip("polars")
    named = eigenlens.report(wine, target="kind", cv=0).findings
    beside = eigenlens.report(wine.drop(columns="kind"), wine["kind"], cv=0).findings
    other = eigenlens.report(polars.from_pandas(wine), target="kind", cv=0).findings
    np.testing.assert_array_equal(beside.scores, named.scores)
    np.testing.assert_array_equal(other.scores, named.scores)


def test_an_index_of_names_names_the_rows_and_the_code_runs(wine):
    rows = wine.drop(columns="kind").set_axis([f"bottle {i}" for i in range(len(wine))])
    found = eigenlens.report(rows)
    assert found.findings.row_names[:2] == ["bottle 0", "bottle 1"]
    names: dict = {"table": rows}
    exec(found.findings.code, names)
    np.testing.assert_allclose(names["scores"], found.findings.scores, rtol=0, atol=1e-10)
    assert eigenlens.report(pd.DataFrame(rows.to_numpy()).rename(columns=str)).findings.row_names is None


def test_it_shows_itself_and_saves_its_parts(wine, tmp_path):
    found = eigenlens.report(wine, target="kind", cv=0, title="Bottles")
    shown = found._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert 'sandbox="allow-scripts allow-downloads"' in shown
    assert repr(found) == "Report('Bottles': LDA, 178 rows)"
    assert found.save(tmp_path / "page.html").read_text(encoding="utf8") == found.to_html()
    model = eigenlens.load(found.save(tmp_path / "wine.eigenlens"))
    assert (model.predict(wine.drop(columns="kind")) == found.model.predict(wine.drop(columns="kind"))).all()
    with pytest.raises(InputError, match=r"it must end in \.html"):
        found.save(tmp_path / "page.pdf")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target": "kinds"}, "no such column"),
        ({"missing": "guess"}, "it is one of ml, refuse, drop, mean"),
        ({"target": [1, 2]}, "target has 2 values, but the table has 178 rows"),
        ({"method": "oracle"}, "there are: pca"),
    ],
)
def test_wrong_words_are_named(wine, given, words):
    with pytest.raises(InputError, match=words):
        eigenlens.report(wine, **given)
    with pytest.raises(InputError, match="pass a table"):
        eigenlens.report([1, 2, 3])


def test_tables_that_are_no_columns_of_numbers_and_words_are_refused(wine):
    with pytest.raises(InputError, match="rename columns of the same name"):
        eigenlens.report(pd.DataFrame(np.ones((5, 2)), columns=["a", "a"]))
    with pytest.raises(InputError, match="leave out columns that hold anything else"):
        eigenlens.report(pd.DataFrame({"a": [{}, []], "b": [1, 2]}))
    with pytest.raises(InputError, match="has a column 'target' already"):
        eigenlens.report(wine.rename(columns={"kind": "target"}), wine["kind"])


def test_a_frame_in_parts_is_read_part_by_part(wine, monkeypatch):
    frames = pytest.importorskip("dask.dataframe")
    monkeypatch.setattr("eigenlens.study.data.LARGE_CELLS", 1000)
    monkeypatch.setattr("eigenlens.study.data.SAMPLE_ROWS", 100)
    monkeypatch.setattr("eigenlens.study.data.FEWEST_ROWS", 100)
    rows = pd.concat([wine] * 4, ignore_index=True)
    parts = frames.from_pandas(rows, npartitions=4)
    found = eigenlens.report(parts, target="kind", cv=0)
    np.testing.assert_allclose(
        found.model.transform(wine), eigenlens.report(rows, target="kind", cv=0).model.transform(wine), atol=1e-9
    )
    assert found.findings.n_rows == len(rows)
    assert any(note.startswith("The file is large") for note in found.findings.notes)
    with pytest.raises(InputError, match="rows are in parts; name the column"):
        eigenlens.report(parts, rows["kind"].to_numpy())


def test_a_target_named_by_a_number():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)))
    frame[2] += 2 * frame[0]
    assert eigenlens.report(frame, target=2, cv=0).findings.target == "2"
    with pytest.raises(InputError, match="no such column"):
        eigenlens.report(frame, target=7, cv=0)
