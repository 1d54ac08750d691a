"""From questions to a method."""

import io
import json

import numpy as np
import pytest

import eigenlens
from eigenlens.app.advice import FIRST, Leaf, leaves
from eigenlens.app.main import run
from eigenlens.testing import all_estimators, all_regressors

WAYS = list(leaves())


def test_every_method_is_the_answer_to_something():
    named = {leaf.method.rpartition(".")[2] for _, leaf in WAYS}
    methods = {cls.__name__ for cls in all_estimators()}
    regressors = {cls.__name__ for cls in all_regressors()} - {"PolynomialRegression"}  # a case of adaptive splines
    assert named == methods | regressors


def test_at_most_three_questions():
    assert max(len(way) for way, _ in WAYS) <= 3
    assert len({tuple(a.key for a in way) for way, _ in WAYS}) == len(WAYS)


@pytest.mark.filterwarnings("ignore:n_components='auto' finds no direction")  # these rows are noise
@pytest.mark.parametrize("leaf", [leaf for _, leaf in WAYS], ids=lambda leaf: leaf.method)
def test_the_line_it_prints_runs(leaf):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 8))
    names = {name: getattr(eigenlens, name) for name in eigenlens.__all__}
    names |= {name: getattr(eigenlens.regress, name) for name in eigenlens.regress.__all__}
    if leaf.code.endswith("(D)"):
        given = {"D": np.linalg.norm(X[:, None] - X, axis=-1)}
    elif leaf.code.endswith("(N)"):
        given = {"N": rng.integers(1, 30, (5, 4))}
    elif leaf.code.endswith("(table)"):
        pd = pytest.importorskip("pandas")
        given = {"table": pd.DataFrame(X).assign(word=rng.choice(["a", "b"], 200)).rename(columns=str)}
    else:
        number = X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.standard_normal(200)
        labels = np.digitize(X[:, 0], [-0.4, 0.4])
        is_class = any(leaf.method == each.method for way, each in WAYS if way[0].key == "classes")
        given = {"X": X, "Y": X[:, :2] + rng.standard_normal((200, 2)), "y": labels if is_class else number}
    assert hasattr(eval(leaf.code, names | given), "n_features_in_")


def test_the_command(capsys):
    assert run(["advise"]) == 0
    assert "classes lumps" in capsys.readouterr().out
    assert run(["advise", "classes", "lumps"]) == 0
    assert "from eigenlens import MDA" in capsys.readouterr().out
    assert run(["advise", "number", "formula", "--json"]) == 0
    assert "regress.AdaptiveSplines" in {entry["method"] for entry in json.loads(capsys.readouterr().out)}


def test_on_a_terminal_it_asks(capsys, monkeypatch):
    monkeypatch.setattr("eigenlens.app.advising.on_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("classes\nnonsense\nlumps\n"))
    assert run(["advise"]) == 0
    said = capsys.readouterr().out
    assert FIRST.text in said
    assert "What do the classes look like?" in said
    assert "from eigenlens import MDA" in said
    monkeypatch.setattr("sys.stdin", io.StringIO("clouds\n"))
    assert run(["advise", "classes"]) == 0
    assert "from eigenlens import LDA" in capsys.readouterr().out


def test_wrong_answers_are_told_the_right_ones(capsys):
    assert run(["advise", "glasses"]) == 2
    assert "choose one of table, classes, number" in capsys.readouterr().err
    assert run(["advise", "two", "tables"]) == 2
    assert "already lead to CCA" in capsys.readouterr().err


def test_methods_of_other_versions_are_left_out():
    assert not Leaf("TSNE", "", "").available
    assert FIRST.answers[0].key == "table"
