"""In Python a message names keywords, on the command line options; a share that is not all is not 100%."""

import numpy as np
import pandas as pd
import pytest

import eigenlens
from eigenlens.exceptions import InputError
from eigenlens.rows import TableFile
from eigenlens.study.sentences import _share
from eigenlens.study.spelling import in_python


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("--target 'y': no such column", "target='y': no such column"),
        ("if it is a number, add --as number.", "if it is a number, add target_is='number'."),
        ("fill them with --missing mean, or --drop 'a b'", "fill them with missing='mean', or drop='a b'"),
        ("left out (--keep keeps it)", "left out (keep= keeps it)"),
        ("leave out --no-standardise", "leave out standardise=False"),
        ("analyse some: --sample 500", "analyse some: sample=500"),
        ("(--method localized-sir asks for it)", "(method='localized-sir' asks for it)"),
        ("--delimiter overrides this", "--delimiter overrides this"),
    ],
)
def test_options_become_keywords(said, meant):
    assert in_python(said) == meant


def test_a_report_in_python_names_no_options():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((40, 2)), columns=["p", "q"]).assign(patient_id=rng.permutation(40))
    said = " ".join(eigenlens.report(frame).findings.notes)
    assert "numbers= keeps it" in said
    assert "--" not in said
    with pytest.raises(InputError, match=r"^target='P'.*did you mean 'p'"):
        eigenlens.report(frame, target="P")


@pytest.mark.parametrize(
    ("part", "said"), [(0.998, "more than 99%"), (1.0, "100%"), (0.5, "50%"), (0.001, "less than 1%")]
)
def test_shares_are_true(part, said):
    assert _share(part) == said


def test_a_first_line_with_words_may_be_a_row(tmp_path):
    path = tmp_path / "flowers.csv"
    rows = [f"{5 + j / 10:.1f},{j % 7}.2,{'red' if j % 2 else 'blue'}" for j in range(30)]
    path.write_text("\n".join(rows) + "\n")
    table = TableFile(path)
    assert list(table.profile()) == ["x1", "x2", "x3"]
    assert table.n_rows == 30
    assert "it counts as a row" in table.notes[-1]
    found = eigenlens.report(path, target="x3", cv=0)
    assert found.findings.n_rows == 30


def test_two_methods_stand_side_by_side(tmp_path, monkeypatch):
    from eigenlens.app.main import run

    monkeypatch.chdir(tmp_path)
    assert run(["report", "--demo", "iris", "--beside", "pda", "--folds", "0", "--json"]) == 0
    page = (tmp_path / "iris-report" / "beside.html").read_text()
    assert page.count("<iframe ") == 2
    assert "<h2>LDA</h2>" in page
    assert "<h2>PDA</h2>" in page
    assert run(["report", "--demo", "iris", "--beside", "nope", "--out", "other"]) == 2
