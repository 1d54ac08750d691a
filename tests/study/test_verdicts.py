"""Which directions are shown, for every method: a verdict, or the reason why there is none."""

import contextlib
import html
import io

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

from eigenlens import LDA, PCA, report
from eigenlens.exceptions import RankWarning
from eigenlens.inference import DimensionTest
from eigenlens.inference.dimension_test import p_words
from eigenlens.page import render
from eigenlens.rows import TableFile
from eigenlens.study import Plan, dimension_tests, read_data, study
from eigenlens.study.efforts import effort, some_rows
from eigenlens.study.methods import declared, made, methods
from eigenlens.study.verdicts import IN_ORDER, of_test

UNTESTED = {"mda"}  # its subclasses are clusters of the fit's own making


def findings_of(table, folder, **plan):
    table.to_csv(folder / "t.csv", index=False)
    plan = Plan(folds=0, **plan)
    return study(read_data(TableFile(folder / "t.csv"), plan), plan).findings


def columns(related, seed=0, n=150):
    """Six columns, four of which share one factor (or none do); classes and a number that know the factor (or not)."""
    rng = np.random.default_rng(seed)
    X, factor = rng.standard_normal((n, 6)), rng.standard_normal(n)
    X[:, :4] += 1.5 * factor[:, None] if related else 0.0
    told = X[:, 0] + X[:, 1] if related else rng.standard_normal(n)
    table = pd.DataFrame(X, columns=list("abcdef"))
    table["kind"] = np.array(["low", "middle", "high"])[np.digitize(told, np.quantile(told, [0.33, 0.67]))]
    table["price"] = told + 0.3 * rng.standard_normal(n)
    return table


def plan_for(method):
    """What to ask of the table so that a method answers, and the columns that it is asked with."""
    kind = declared(methods()[method]).question
    other = {"classes": {"target": "kind"}, "number": {"target": "price"}, "none": {}}
    if kind == "views":
        return {"views": (["a", "b", "e"], ["c", "d", "f"])}
    return {**other[kind], "drop": tuple(c for c in ("kind", "price") if c != other[kind].get("target"))}


TABLED = [name for name, cls in methods().items() if declared(cls).question != "distances"]


@pytest.mark.parametrize("method", TABLED)
@pytest.mark.parametrize("related", [True, False], ids=["signal", "noise"])
def test_every_method_has_a_verdict_or_says_why_not(method, related, tmp_path):
    # SAVE sees a straight line from afar; a test at 5% errs on one table in twenty, and the first is one for DR
    table = columns(related, seed=int(method == "directional-regression"), n=600 if method == "save" else 150)
    if method == "principal-hessian-directions":  # a straight line does not bend
        table["price"] **= 2
    found = findings_of(table, tmp_path, method=method, **plan_for(method))
    page, said = render(found), found.to_dict()
    assert found.test.about
    assert found.test.about in html.unescape(page)
    if method in UNTESTED:
        assert found.shown_directions is None
        assert said["test"]["name"] is None
        assert any(found.test.about in doubt for doubt in found.doubts)
        return
    bent = method == "fda"  # the middle class lies where the square of the one direction is small: a second one
    assert found.shown_directions == ((2 if bent else 1) if related else 0)
    assert said["test"]["name"]
    assert said["shown_directions"] == found.shown_directions
    if found.test.draws:
        smallest = said["test"]["smallest_p_value"]
        p = [d["p_value"] for d in said["directions"] if d["p_value"] is not None]
        assert p
        assert np.allclose(np.round(np.array(p) / smallest), np.array(p) / smallest)
        assert f"multiples of {smallest:.3g}" in page


@pytest.mark.parametrize("related", [True, False])
def test_pca_is_judged_as_its_own_test_judges_it(related, tmp_path):
    table = columns(related)
    found = findings_of(table, tmp_path, method="pca", **plan_for("pca"))
    rows = table[list("abcdef")]
    own = PCA().fit(rows).test_dimension(rows, n_draws=found.test.draws)
    assert found.shown_directions == own.dimension
    assert [d.verdict for d in found.directions] == own.verdicts[: len(found.directions)]
    assert own.of_the_next in " ".join(found.doubts)
    tested = [np.nan if d.p_value is None else d.p_value for d in found.directions]
    np.testing.assert_array_equal(tested[: len(own.p_values)], own.p_values[: len(tested)])


def test_lda_of_shares_is_judged_as_its_own_test_judges_it(tmp_path):
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([4, 3, 2], 90) * 100
    table = pd.DataFrame(shares, columns=["sand", "silt", "clay"]).assign(kind=np.repeat(["a", "b", "c"], 30))
    found = findings_of(table, tmp_path, method="lda", target="kind")
    with pytest.warns(RankWarning):
        own = LDA().fit(shares, table["kind"]).test_dimension(shares, table["kind"])
    np.testing.assert_allclose([d.p_value for d in found.directions], own.p_values, rtol=1e-6)


def test_the_picture_shows_what_noise_reaches(tmp_path):
    for method, words in (
        ("fda", "Is there more than chance would give?"),
        ("sparse-pca", "unrelated columns would reach"),
    ):
        page = render(findings_of(columns(True), tmp_path, method=method, **plan_for(method)))
        assert words in page
        assert 'class="band"' in page


def test_the_same_rows_get_the_same_verdict(tmp_path):
    first, second = (findings_of(columns(True), tmp_path, method="fda", **plan_for("fda")).to_dict() for _ in range(2))
    assert first == second


@pytest.mark.parametrize("method", ["pca", "sparse-pca"])
def test_columns_made_of_one_column_of_words_are_no_finding(method, tmp_path):
    """They exclude each other, and so are correlated by construction: permuted one by one they would look real."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.standard_normal((200, 3)), columns=list("abc"))
    table["colour"] = rng.choice(["red", "green", "blue", "grey"], 200)
    found = findings_of(table, tmp_path, method=method)
    assert found.shown_directions == 0
    assert "from one column of words together" in found.test.about


def test_a_map_is_held_against_the_stick_and_what_is_negative(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"p{j}" for j in range(30)]
    plane = rng.standard_normal((30, 2)) * [3, 2]
    D = np.sqrt(((plane[:, None] - plane) ** 2).sum(axis=2))
    noisy = np.abs(D + 0.3 * rng.standard_normal(D.shape))
    noisy = (noisy + noisy.T) / 2 * (1 - np.eye(30))
    found = findings_of(pd.DataFrame(noisy, columns=names), tmp_path, distances=True)
    assert [d.verdict for d in found.directions[:4]] == ["shown", "open", "open", "not shown by these rows"]
    assert found.test.level is None
    assert "no p-value" in found.test.about
    assert "One coordinate is shown by both" in " ".join(found.summary)
    assert "two more by one of them" in " ".join(found.summary)
    found = findings_of(pd.DataFrame(D, columns=names), tmp_path, distances=True)
    assert [d.verdict for d in found.directions] == ["shown", "open"]  # two coordinates, none of which is error
    assert found.warnings == []


def test_where_all_eigenvalues_are_too_dear_the_map_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("eigenlens.study.distance_map.MOST_POINTS", 10)
    x = np.arange(12.0)
    table = pd.DataFrame(np.abs(x[:, None] - x) ** 0.5, columns=[f"p{j}" for j in range(12)])
    found = findings_of(table, tmp_path, distances=True)
    assert found.shown_directions is None
    assert "All eigenvalues are needed" in found.test.about


def test_too_few_rows_for_wilks_is_said(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((12, 14)), columns=[f"c{j}" for j in range(14)])
    found = findings_of(table, tmp_path, views=(list(table)[:7], list(table)[7:]))
    assert found.shown_directions is None
    assert "too few to test" in found.test.about


# -- what it may cost ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [50, 1_000, 100_000, 3_000_000])
@pytest.mark.parametrize("p", [3, 100, 2_000])
def test_the_effort_keeps_to_its_budget_and_can_always_reject(n, p):
    spent = effort(n, lambda m: m * p, 1e6, 199, 30)
    if spent is None:
        assert 19 * min(n, 30) * p > 1e6
        return
    assert spent.draws * spent.rows * p <= 1e6
    assert spent.rows <= n
    assert 1 / (1 + spent.draws) <= 0.05
    assert spent.rows == n or spent.draws == 19


def test_where_rows_are_many_some_of_them_are_tested_and_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(dimension_tests, "WORK", 2e10 * 2e4 / 7e5)
    found = findings_of(columns(True, n=400), tmp_path, method="fda", **plan_for("fda"))
    assert found.test.draws == 19
    assert found.test.rows < 400
    assert f"made on {found.test.rows:,} of the 400 rows" in found.test.about
    monkeypatch.setattr(dimension_tests, "WORK", 1.0)
    found = findings_of(columns(True, n=400), tmp_path, method="fda", **plan_for("fda"))
    assert found.shown_directions is None
    assert "too large" in found.test.about


@pytest.mark.parametrize("method", ["lda", "cca"])
def test_permutations_that_rows_call_for_keep_to_the_budget(method, tmp_path, monkeypatch):
    """Normal rows are tested by Wilks at no cost, all of them; rows far out call for permutations, which cost."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.standard_normal((400, 6)), columns=list("abcdef"))
    wild = table**5
    if method == "lda":
        for t in (table, wild):
            t["kind"] = np.repeat(["many", "few", "rare"], [360, 20, 20])
    asked = {"target": "kind"} if method == "lda" else {"views": (["a", "b", "e"], ["c", "d", "f"])}
    monkeypatch.setattr(dimension_tests, "WORK", 1e6)
    by_wilks = findings_of(table, tmp_path, method=method, **asked).test
    assert (by_wilks.name, by_wilks.draws, by_wilks.rows) == ("Wilks", None, None)
    by_draws = findings_of(wild, tmp_path, method=method, **asked).test
    assert by_draws.draws in (19, 39)


@pytest.mark.parametrize("method", ["sir", "save", "directional-regression"])
def test_permutations_of_slices_keep_to_the_budget(method, tmp_path, monkeypatch):
    monkeypatch.setattr(dimension_tests, "WORK", 3e5)
    found = findings_of(columns(True, n=115), tmp_path, method=method, **plan_for(method)).test
    assert found.draws == 19
    if method == "sir":  # with 20 rows for each column it is a test by theory, which costs nothing
        found = findings_of(columns(True, n=400), tmp_path, method=method, **plan_for(method)).test
        assert (found.name, found.rows) == ("chi2 and linear", None)


def test_p_values_in_words():
    assert p_words(1e-16) == "p < 0.001"
    assert p_words(1e-16, draws=199) == "p < 0.001"  # of the linear regression that is joined with draws
    assert p_words(0.0005, draws=1999) == "p = 0.0005"
    assert p_words(0.005, draws=199) == "p = 0.005"


@pytest.mark.parametrize(("p_values", "told"), [([0.01, 0.6, 0.02], True), ([0.01, 0.6, 0.7], False)])
def test_a_small_p_after_a_direction_that_is_not_shown_is_explained(p_values, told):
    found = DimensionTest(1, np.array(p_values), {}, 0.05, "t")
    verdicts = of_test(found.told("About."), 3)
    assert verdicts.words == ["shown", "not shown by these rows", "not shown by these rows"]
    assert (IN_ORDER in verdicts.test.about) is told


def test_rows_are_drawn_by_class():
    y = np.array(["a"] * 900 + ["b"] * 97 + ["c"] * 3)
    rows = some_rows(100, len(y), 0, y)
    assert len(np.unique(rows)) == len(rows)
    counts = dict(zip(*np.unique(y[rows], return_counts=True), strict=True))
    assert counts == {"a": 90, "b": 10, "c": 2}


def test_the_level_is_kept_whatever_the_law_of_the_columns():
    """The permutation null holds the columns as they are: at 5%, five in a hundred tables of nothing may say more."""
    cls, found = methods()["kernel-pca"], 0
    for seed in range(120):
        X = np.random.default_rng(seed).standard_t(3, (30, 3))
        model = made(cls, 0).set_params(n_components=3).fit(X)
        values = declared(cls).spread.variances(model, np.asarray(model.transform(X)))
        blocks = [np.array([j]) for j in range(3)]
        found += bool(
            dimension_tests.spread_verdicts(model, X, values, blocks, Plan(seed=seed), None).words[0] == "shown"
        )
    assert found <= 13  # P(more | 5%) < 1%


def test_too_few_rows_for_theory_are_no_reason_to_refuse():
    """As many rows as columns and classes together: normal theory does not test the directions; all else is said."""
    rows = np.random.default_rng(0).standard_normal((16, 14))
    frame = pd.DataFrame(rows, columns=[f"c{j}" for j in range(14)]).assign(kind=["a", "b"] * 8)
    (direction,) = report(frame, target="kind", method="lda").findings.directions
    assert direction.verdict == "not tested"


def test_more_columns_than_rows_are_answered_by_a_penalty():
    """LDA of as many columns as rows separates any classes; the report takes PDA, says so, and tests it."""
    rng = np.random.default_rng(0)
    kind = np.repeat(["a", "b", "c"], 20)
    rows = rng.standard_normal((60, 150))
    rows[:, :30] += rng.standard_normal((3, 30))[np.repeat([0, 1, 2], 20)]
    frame = pd.DataFrame(rows, columns=[f"c{j}" for j in range(150)]).assign(kind=kind)
    findings = report(frame, target="kind").findings
    assert findings.method == "PDA"
    assert any("so PDA is used" in note for note in findings.notes)
    assert findings.directions[0].verdict == "shown"


def test_columns_that_stand_in_the_way_of_a_test_are_named():
    """Rows without holes are tested alone, and a column may be constant within classes in those."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 60)
    frame = pd.DataFrame(rng.standard_normal((120, 5)), columns=[f"x{j}" for j in range(5)])
    frame["leaf"] = np.where(y == "a", 1.0, 2.0)
    frame.loc[::7, "leaf"] += rng.standard_normal(len(frame.loc[::7]))
    frame.loc[::7, "x1"] = np.nan
    frame["twin"] = frame["x2"] + frame["x3"]  # so that nothing can be fitted by likelihood
    found = report(frame.assign(y=y), target="y").findings
    assert "column 'leaf' is constant" in found.test.about


# -- the page and the code that it prints ----------------------------------------------------------------------------

TESTED = [name for name in TABLED if declared(methods()[name]).test is not None]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n", [24, 150])
@pytest.mark.parametrize("method", TESTED)
def test_the_page_and_its_code_make_the_same_test(method, n, tmp_path):
    """One statistic for each method: p-values of the page are those of the model that the printed code makes."""
    on_page = findings_of(columns(True, n=n), tmp_path, method=method, **plan_for(method))
    place: dict = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(on_page.code, place)
    if isinstance(place["model"], Pipeline):
        model, X = place["model"][-1], place["model"][:-1].transform(place["X"])
        rows = (X, place["y"]) if "y" in place else (X,)
        model = getattr(model, "directions_", model)  # of a curve on the directions
        test = model.test_dimension(*rows, **({"n_draws": on_page.test.draws} if on_page.test.draws else {}))
    else:
        test = place["model"].test_dimension(place["X"], place["Y"])
        assert str(test) in printed.getvalue()
    found = [direction.p_value for direction in on_page.directions]
    k = min(len(found), len(test.p_values))
    assert [None if np.isnan(p) else p for p in test.p_values[:k].tolist()] == pytest.approx(found[:k], nan_ok=True)
    assert test.dimension == sum(direction.shown for direction in on_page.directions)
