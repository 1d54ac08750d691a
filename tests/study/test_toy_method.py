"""A new method is known everywhere by its own file: here one that exists in this test only."""

import json

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("Agg")

import eigenlens
from eigenlens import load
from eigenlens.app.main import run
from eigenlens.arrays.stored import KINDS, stored
from eigenlens.files.onnx import export_onnx
from eigenlens.inference import DimensionTest
from eigenlens.inference.dimension_test import drawn
from eigenlens.methods.spine.about import Declaration, DirectionTest, Laws, NextMethod, basis_of
from eigenlens.methods.spine.rows_estimator import RowsEstimator, RowsTransformer
from eigenlens.rows import whole
from eigenlens.solve import Form, Pencil, solve
from eigenlens.solve.subspace import Subspace


def toy_class(**declared):
    """Return a method that looks along the columns of largest variance: one line for each column that it keeps."""

    class WidestColumns(RowsTransformer, RowsEstimator):
        """Keeps the columns that vary most."""

        _declaration = Declaration(
            question="none",
            name="widest",
            place=9,
            use="the columns that vary most",
            test=DirectionTest(
                lambda n, p, groups: n * p,
                draws=39,
            ),
            **declared,
        )

        def __init__(self, n_components=2):
            self.n_components = n_components

        def _obeys(self):
            return Laws(invariance="permutation", solves_pencil=False)

        def fit(self, X, y=None, sample_weight=None):
            rows = whole(self._open(X, None, sample_weight, reset=True)).X
            self.spectrum_ = solve(Pencil(Form(matrix=np.diag(rows.var(axis=0))), n_components=self.n_components))
            self.subspace_ = Subspace(rows.mean(axis=0), self.spectrum_.vectors)
            self.n_components_ = self.n_components
            self.explained_variance_ = self.spectrum_.values
            self.components_ = self.spectrum_.vectors.T
            return self

        def transform(self, X):
            return self._over_rows(X, self.subspace_.project)

        def test_dimension(self, X=None, y=None, *, alpha=0.05, n_draws=99, random_state=0):
            p_values = np.array([1 / (1 + n_draws), 1.0])
            test = DimensionTest.sequential(p_values, {"statistic": self.explained_variance_}, alpha, "toy test")
            return test.told(f"Columns were weighed by hand ({drawn(n_draws)}).", draws=n_draws)

    return WidestColumns


@pytest.fixture
def publish(monkeypatch):
    """Do what one line of `__init__` does; the name of its files is forgotten afterwards."""

    def published(**declared):
        cls = toy_class(**declared)
        monkeypatch.setitem(KINDS, "WidestColumns", None)  # so that what `stored` sets is taken back
        del KINDS["WidestColumns"]
        stored("WidestColumns")(cls)
        monkeypatch.setattr(eigenlens, "WidestColumns", cls, raising=False)
        monkeypatch.setattr(eigenlens, "__all__", [*eigenlens.__all__, "WidestColumns"])
        return cls

    return published


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((40, 3)) * [1.0, 5.0, 2.0], columns=["low", "high", "middle"])
    table.to_csv("t.csv", index=False)
    return tmp_path


def test_it_is_on_the_command_line(publish, capsys):
    publish()
    assert run(["methods", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {"name": "widest", "class": "WidestColumns", "for": ["none"], "use": "the columns that vary most"} in said
    assert run(["methods"]) == 0
    assert "--method widest" in capsys.readouterr().out
    assert next(m["name"] for m in said if m["for"] == ["none"]) == "pca"  # `auto` takes the first


def test_it_has_a_report_and_a_model_file(publish, folder, capsys):
    cls = publish()
    assert run(["report", "t.csv", "--method", "widest", "--no-standardise", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["method"] == "WidestColumns"
    assert said["shown_directions"] == 1
    assert said["test"]["name"] == "toy test"
    assert said["test"]["about"] == (
        "Columns were weighed by hand (39 permutations, so p-values are multiples of 0.025)."
    )
    page = (folder / "t-report" / "report.html").read_text()
    assert "WidestColumns: where the rows spread" in page
    assert "from eigenlens import WidestColumns" in page
    model = load("t-report/model.eigenlens")
    assert type(model[-1]) is cls
    X = pd.read_csv("t.csv")
    scores = pd.read_parquet("t-report/scores.parquet")
    np.testing.assert_allclose(model.transform(X), scores.to_numpy())
    assert list(scores) == ["widestcolumns0", "widestcolumns1"]
    assert run(["transform", "t-report/model.eigenlens", "t.csv", "--out", "again.csv"]) == 0
    np.testing.assert_allclose(pd.read_csv("again.csv").to_numpy(), scores.to_numpy())


def test_columns_of_words_are_permuted_together_for_it_too(publish, folder, capsys):
    publish()
    table = pd.read_csv("t.csv").assign(colour=["red", "green", "blue", "grey"] * 10)
    table.to_csv("w.csv", index=False)
    assert run(["report", "w.csv", "--method", "widest", "--json"]) == 0
    assert (
        "WidestColumns was repeated with each column permuted separately"
        in json.loads(capsys.readouterr().out)["test"]["about"]
    )


def test_onnx_takes_it_where_it_is_a_linear_map_and_refuses_it_where_not(publish, tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    X = np.random.default_rng(0).standard_normal((20, 3)) + 1e6
    model = publish(linear_map=basis_of)().fit(X)
    session = runtime.InferenceSession(str(export_onnx(model, tmp_path / "m.onnx")))
    np.testing.assert_allclose(session.run(["scores"], {"X": X})[0], model.transform(X), atol=1e-12)


def test_onnx_refuses_it_where_it_does_not_say_that_it_is_one(publish, tmp_path):
    pytest.importorskip("onnx")
    model = publish()().fit(np.random.default_rng(0).standard_normal((20, 3)))
    with pytest.raises(TypeError, match=r"WidestColumns cannot be written as ONNX.*not a linear map"):
        export_onnx(model, tmp_path / "m.onnx")


@pytest.mark.parametrize("display", ["scores", "loadings"])
def test_it_is_drawn_as_it_says(publish, display):
    X = np.random.default_rng(0).standard_normal((20, 3))
    shown = publish(display=display)().fit(X).plot(X)
    assert display in shown.data
    mpl.pyplot.close(shown.figure_)


@pytest.mark.parametrize(("when", "said"), [("always", True), ("no direction", False), ("warned", False)])
def test_it_says_which_method_to_try_next(publish, folder, capsys, when, said):
    """One direction is shown and nothing warned of: only what is always worth a look is suggested."""
    publish(next_methods=(NextMethod("sparse-pca", "See which columns are enough.", when),))
    assert run(["report", "t.csv", "--method", "widest", "--no-standardise", "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["next"]
    assert any("--method sparse-pca" in step["command"] for step in steps) is said
