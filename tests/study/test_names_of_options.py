"""In Python a message names keywords, on the command line options; a share that is not all is not 100%."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import eigenlens
from eigenlens.arrays.spelling import command_line, option, refused
from eigenlens.exceptions import InputError
from eigenlens.rows import TableFile
from eigenlens.study.sentences import _share


@pytest.mark.parametrize(
    ("asked", "keyword", "typed"),
    [
        (("target", "y"), "target='y'", "--target 'y'"),
        (("as", "number"), "target_is='number'", "--as number"),
        (("missing", "mean"), "missing='mean'", "--missing mean"),
        (("drop", "a b"), "drop='a b'", "--drop 'a b'"),
        (("keep",), "keep=", "--keep"),
        (("standardise", False), "standardise=False", "--no-standardise"),
        (("sample", 500), "sample=500", "--sample 500"),
        (("method", "localized-sir"), "method='localized-sir'", "--method localized-sir"),
        (("drop", "{x} --keep"), "drop='{x} --keep'", "--drop '{x} --keep'"),
    ],
)
def test_options_are_spelt_as_they_are_given(asked, keyword, typed):
    assert option(*asked) == keyword
    with command_line():
        assert option(*asked) == typed
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(option, *asked).result() == typed
    assert option(*asked) == keyword


def test_an_error_on_the_command_line_leaves_python_as_it_was():
    with pytest.raises(InputError, match="--method 'none': there is none"), command_line():
        raise refused("method", "none", "there is none")
    assert str(refused("method", "none", "there is none")) == "method='none': there is none."


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
