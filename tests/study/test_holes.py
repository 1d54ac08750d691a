"""Tables with holes are answered: by maximum likelihood where the method has it, else from filled rows."""

import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import eigenlens
from eigenlens.app.main import run
from eigenlens.exceptions import InputError
from eigenlens.moments.expected_cells import ExpectedCells
from eigenlens.rows import Preparation, TableFile
from eigenlens.study import Plan, read_data, study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def flowers():
    """Iris with a fifth of its cells missing at random."""
    from sklearn.datasets import load_iris

    frame = load_iris(as_frame=True).frame
    frame["target"] = np.array(["setosa", "versicolor", "virginica"])[frame["target"]]
    X = frame.iloc[:, :4].to_numpy().copy()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    return pd.concat([pd.DataFrame(X, columns=list("abcd")), frame["target"]], axis=1)


def found(table, **asked):
    return eigenlens.report(table, **{"cv": 0, **asked})


def notes(result):
    return " ".join(result.findings.notes)


# -- maximum likelihood --------------------------------------------------------------------------------------------


def test_a_report_of_rows_with_holes_is_the_fit_by_maximum_likelihood(flowers):
    X = flowers[list("abcd")]
    result = found(X)
    direct = eigenlens.PCA(missing="ml").fit((X - X.mean()).to_numpy())
    np.testing.assert_allclose(
        [d.value for d in result.findings.directions], direct.explained_variance_, rtol=1e-6, atol=1e-9
    )
    counts = X.isna().sum()
    assert f"{counts.sum()} of 600 cells are missing" in notes(result)
    assert all(f"'{name}' {count}" in notes(result) for name, count in counts.items())
    assert "PCA is fitted by maximum likelihood to the observed cells" in notes(result)
    assert "Little's test" in notes(result)
    whole = len(X.dropna())
    assert f"Without the rows with unobserved cells, {whole} of 150 rows would be left" in notes(result)
    assert "missing at random" in " ".join(result.findings.doubts)
    assert "All 150 rows were tested, those with missing numbers too." in result.findings.test.about
    assert result.findings.test.draws == 199


def test_noise_of_complete_rows_is_not_held_against_variances_of_all(flowers):
    flowers["a2"] = flowers["target"].map({"setosa": "x", "versicolor": "y", "virginica": "z"})
    result = found(flowers, method="pca")
    assert "those without missing numbers" in result.findings.test.about
    assert all(d.p_value is None or f"p = {d.p_value:.2g}" == d.evidence for d in result.findings.directions)
    assert not any("noise reaches" in d.evidence for d in result.findings.directions)


def test_methods_without_a_likelihood_get_filled_rows_and_say_so(flowers):
    result = found(flowers, target="target", cv=3)
    assert result.findings.directions[0].value > 0.95
    compared = {c.name: c for c in result.findings.comparison}
    assert all(np.isfinite(c.score) for c in compared.values())
    filled = {name for name, c in compared.items() if c.fills}
    assert {"FDA", "MDA", "SVM (Gaussian kernel)"} <= filled
    assert not {"LDA", "PDA", "QDA"} & filled
    assert re.search(r"FDA\b[^.]* need complete rows: missing cells are filled", notes(result))
    fda = found(flowers, target="target", method="fda")
    assert isinstance(fda.model[1], ExpectedCells)
    assert "since FDA has no likelihood of rows with holes" in notes(fda)


def test_the_page_shows_the_pattern_of_holes_where_there_are_some(flowers):
    assert "patterns of missing cells" in found(flowers[list("abcd")]).to_html()
    assert "patterns of missing cells" not in found(flowers[list("abcd")].fillna(0.0)).to_html()


def test_two_sets_of_columns_with_holes(flowers):
    result = found(flowers[list("abcd")], views=(["a", "b"], ["c", "d"]))
    assert result.model[-1].missing == "ml"
    direct = eigenlens.CCA(missing="ml").fit(flowers[["a", "b"]].to_numpy(), flowers[["c", "d"]].to_numpy())
    np.testing.assert_allclose(result.findings.directions[0].value, direct.correlations_[0], rtol=1e-6)


# -- where there is no likelihood ----------------------------------------------------------------------------------


def test_columns_never_observed_together_fall_back_to_the_mean(flowers):
    X = flowers[list("abcd")].copy()
    X.loc[::2, "a"], X.loc[1::2, "b"] = np.nan, np.nan
    result = found(X)
    assert "filled with the mean of the column, since" in notes(result)
    assert result.findings.test.name == ""
    assert "0 of the 150 rows are too few" in result.findings.test.about
    assert np.isfinite(result.findings.scores).all()


def test_a_table_of_distances_with_holes_is_refused():
    D = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    D[2, 3] = np.nan
    with pytest.raises(eigenlens.exceptions.InputError, match="missing cells in 1 of 12 rows"):
        found(D, distances=True)


# -- words, targets, empty columns ---------------------------------------------------------------------------------


def test_frequent_missing_words_are_a_kind_and_rare_ones_are_unobserved(flowers):
    rng = np.random.default_rng(1)
    flowers["place"] = rng.choice(["north", "south", "west"], 150)
    flowers["soil"] = rng.choice(["clay", "clay", "sand"], 150)
    flowers.loc[:19, "place"], flowers.loc[:2, "soil"] = None, None
    result = found(flowers, target="target")
    assert "Missing words are a kind of their own, 'missing', in 'place'" in notes(result)
    assert "Missing words are unobserved, like missing numbers, in 'soil' (3)." in notes(result)
    assert "fitted by maximum likelihood to the observed cells" in notes(result)
    assert result.model[0].fill_words_ == {"place": "missing"}
    prepared = pd.DataFrame(result.model[0].transform(flowers), columns=result.model[0].names_out_)
    assert prepared["soil = sand"].isna().sum() == 3
    assert not prepared["place = north"].isna().any()
    posterior = result.model.predict_proba(flowers)
    np.testing.assert_allclose(posterior.sum(axis=1), 1)
    assert result.model[0].levels_["place"] == ["missing", "north", "south", "west"]
    assert result.model[-1].missing == "ml"
    spread = found(flowers.drop(columns="target"))
    assert "some columns are determined by others" in notes(spread)
    assert np.isfinite(spread.findings.scores).all()


def test_rows_without_a_target_and_empty_rows_and_columns_are_left_out(flowers):
    flowers.loc[:4, "target"] = None
    flowers.loc[7, list("abcd")] = np.nan
    flowers["nothing"] = np.nan
    result = found(flowers, target="target")
    assert result.findings.n_rows == 144
    assert "5 rows whose 'target' is missing are left out." in notes(result)
    assert "1 row without any observed cell is left out." in notes(result)
    assert "'nothing' left out: empty." in notes(result)
    with pytest.raises(eigenlens.exceptions.InputError, match="all its cells are missing"):
        found(flowers.assign(target=None), target="target")


# -- the model, the code, the command line -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["lda", "fda"])
def test_the_saved_model_takes_rows_with_holes(method, flowers, folder, capsys):
    flowers.to_csv("t.csv", index=False)
    assert run(["report", "t.csv", "--target", "target", "--method", method, "--folds", "0", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rows"] == 150
    model = "t-report/model.eigenlens"
    for verb, name in (("transform", "z.csv"), ("predict", "g.csv")):
        assert run([verb, model, "t.csv", "--out", name]) == 0
    assert pd.read_csv("z.csv").filter(like=method).notna().all(axis=None)
    assert (pd.read_csv("g.csv").iloc[:, -1] == flowers["target"]).mean() > 0.9
    np.testing.assert_allclose(
        eigenlens.load(model).transform(flowers), pd.read_csv("z.csv").filter(like=method).to_numpy(), rtol=1e-9
    )


@pytest.mark.parametrize("target", [None, "target", "d"])
def test_the_code_repeats_the_fit(target, flowers, folder):
    flowers.loc[3, "target"] = None
    flowers.to_csv("t.csv", index=False)
    plan = Plan(target=target, folds=0)
    result = study(read_data(TableFile("t.csv"), plan), plan)
    place: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ties of the response, of which the page speaks
        exec(result.findings.code, place)
    np.testing.assert_allclose(place["scores"], result.findings.scores, rtol=1e-9, atol=1e-9)


def test_the_other_choices_are_as_before(flowers, folder, capsys):
    X = flowers[list("abcd")]
    assert found(X, missing="drop").findings.n_rows == len(X.dropna())
    assert re.search(r"\d+ missing cells are filled with the mean", notes(found(X, missing="mean")))
    with pytest.raises(eigenlens.exceptions.InputError, match="missing cells in"):
        found(X, missing="refuse")
    whole = found(X.fillna(1.0))
    assert whole.model[0].missing == whole.model[-1].missing == "refuse"


# -- the parts -----------------------------------------------------------------------------------------------------


def test_preparation_keeps_holes():
    table = pd.DataFrame({"x": [1.0, 2.0, np.nan, 4.0], "kind": ["a", "b", "a", None]})
    prepared = Preparation(missing="keep").fit(table)
    assert prepared.names_out_ == ["x", "kind = b", "kind = missing"]
    Z = np.asarray(prepared.transform(table))
    assert np.argwhere(np.isnan(Z)).tolist() == [[2, 0]]
    np.testing.assert_allclose(Z[[0, 1, 3], 0], (table["x"].dropna() - 7 / 3) / table["x"].std())


def test_expected_cells_are_those_of_the_likelihood():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4)) @ np.array([[1, 0.5, 0, 0], [0, 1, 0.5, 0], [0, 0, 1, 0.7], [0, 0, 0, 1]])
    X[rng.random(X.shape) < 0.2] = np.nan
    X = X[~np.isnan(X).all(axis=1)]
    np.testing.assert_allclose(
        ExpectedCells().fit_transform(X), eigenlens.PCA(missing="ml").fit(X).impute(X), rtol=1e-8
    )
    means = ExpectedCells(given="nothing").fit_transform(X)
    np.testing.assert_allclose(means, np.where(np.isnan(X), np.nanmean(X, axis=0), X))
    sets = np.column_stack([X, np.eye(3)[rng.integers(0, 3, len(X))]])
    assert np.isfinite(ExpectedCells().fit_transform(sets)).all()
    with pytest.raises(eigenlens.exceptions.InputError, match="given"):
        ExpectedCells(given="all").fit(X)


def test_a_method_without_moments_is_judged_on_complete_rows(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 4))
    X[::9, 1] = np.nan
    pd.DataFrame(X, columns=list("abcd")).to_csv(tmp_path / "t.csv", index=False)
    plan = Plan(method="robust-pca")
    found = study(read_data(TableFile(tmp_path / "t.csv"), plan), plan).findings
    assert found.n_rows == 60
    assert found.shown_directions is not None
    with pytest.raises(InputError, match=r"some are missing in .b.; use method='pca', or leave"):
        study(read_data(TableFile(tmp_path / "t.csv"), plan), replace(plan, method="mixed-pca"))


def test_a_set_of_indicators_is_filled_as_a_set():
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 3, 200)
    X = np.column_stack([kinds + rng.standard_normal(200), np.eye(3)[kinds]])
    X[:9, 1:], X[9:20, 0] = np.nan, np.nan
    filling = ExpectedCells().fit(X)
    filled = filling.transform(X)
    assert len(filling.asked_) == 3
    np.testing.assert_allclose(filled[:, 1:].sum(axis=1), 1)
    np.testing.assert_array_equal(filled[20:], X[20:])
    other = np.delete(np.arange(4), filling.tied_)
    np.testing.assert_allclose(filled[:, other], ExpectedCells().fit_transform(X[:, other]))


def test_columns_with_holes_in_the_same_rows_are_tied_in_one_regression(monkeypatch):
    """One for each column took minutes where there are more columns than rows."""
    rng, calls, solve = np.random.default_rng(0), [], np.linalg.lstsq
    X = rng.standard_normal((80, 3)) @ rng.standard_normal((3, 8))
    monkeypatch.setattr(np.linalg, "lstsq", lambda *given: calls.append(given) or solve(*given))
    filling = ExpectedCells().fit(X)
    assert len(filling.tied_) == 5
    assert len(calls) == 1
    new = X[10:12].copy()
    new[:, filling.tied_] = np.nan
    np.testing.assert_allclose(filling.transform(new), X[10:12])
