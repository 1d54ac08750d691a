"""Two methods on one page, asked for on the command line."""

from pathlib import Path

from eigenlens.app.main import run


def test_a_second_method_that_answers_another_question_is_refused_before_anything_is_written(folder, capsys):
    Path("t.csv").write_text("a,b,kind\n" + "".join(f"{j % 7},{j * j % 11},{'xy'[j % 2]}\n" for j in range(40)))
    assert run(["report", "t.csv", "--target", "kind", "--beside", "pca"]) == 1
    said = capsys.readouterr().err
    assert "--beside 'pca': it is for no target" in said
    assert "choose one of lda" in said
    assert not Path("t-report").exists()
    assert run(["report", "t.csv", "--target", "kind", "--beside", "pda", "--folds", "0"]) == 0
    assert Path("t-report/beside.html").exists()


def test_a_header_of_empty_names_is_called_so(folder, capsys):
    Path("t.csv").write_text(",,\n1.5,2,9\n3,4,1\n8,1,2\n")
    assert run(["report", "t.csv"]) == 1
    assert "line 1: the 3 columns have no names" in capsys.readouterr().err
