"""Codes for missing cells, and mistakes: cells far beyond the others of their column, in every report."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import eigenlens
from eigenlens.app.main import run
from eigenlens.rows import TableFile
from eigenlens.rows.extreme_cells import extreme_cells
from eigenlens.study import Plan, read_data, study


@pytest.fixture
def houses():
    """500 houses whose distance to the centre counts; in ten of them it is written as 999."""
    rng = np.random.default_rng(0)
    n = 500
    km, size = rng.uniform(0, 25, n).round(1), rng.normal(120, 30, n).round()
    price = 200_000 + 1500 * size - 6000 * km + rng.normal(0, 40_000, n)
    table = pd.DataFrame({"size": size, "rooms": (size / 30).round(), "km_to_centre": km, "price": price.round()})
    table.loc[rng.choice(n, 10, replace=False), "km_to_centre"] = 999
    return table


def answer(capsys, *words):
    assert run(["report", *words, "--json", "--force"]) == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def ours(found):
    return next(c["score"] for c in found["comparison"] if c["method"] == "SIR + curve")


def test_a_code_for_missing_cells_is_named_with_the_way_out_and_what_it_hides(houses, folder, capsys):
    houses.to_csv("houses.csv", index=False)
    said = answer(capsys, "houses.csv", "--target", "price")
    warned, rows = " ".join(said["warnings"]), np.flatnonzero(houses["km_to_centre"] == 999) + 1
    assert f"'km_to_centre' holds 999 in 10 cells (row {rows[0]}, row {rows[1]}, row {rows[2]} and 7 more)" in warned
    assert "--na 'km_to_centre=999'" in warned
    words = said["next"][0]["command"].split()
    assert words[words.index("--na") + 1] == "km_to_centre=999"
    without = answer(capsys, "houses.csv", "--target", "price", "--na", "km_to_centre=999")
    assert ours(without) > ours(said) + 0.15
    assert f"R² on rows left out is {ours(without):.1%} instead of {ours(said):.1%}" in warned
    assert re.search("the first direction is another one, in which [a-z_]+ and [a-z_]+ count most", warned)
    assert not without["warnings"]


@pytest.mark.parametrize("pieces", [[], ["--stream"]])
def test_the_way_out_is_written_with_the_decimal_mark_of_the_file(houses, pieces, folder, capsys):
    houses["km_to_centre"] = houses["km_to_centre"].replace(999, 99.9)
    houses.to_csv("houses.csv", index=False, sep=";", decimal=",")
    warned = " ".join(answer(capsys, "houses.csv", "--folds", "0", *pieces)["warnings"])
    assert "--na 'km_to_centre=99,9'" in warned
    without = answer(capsys, "houses.csv", "--folds", "0", *pieces, "--na", "km_to_centre=99,9")
    assert not without["warnings"]
    assert "no cell" not in " ".join(without["notes"])


@pytest.mark.parametrize("asked", [{}, {"target": "kind"}, {"views": (["size", "rooms"], ["km_to_centre", "price"])}])
def test_every_question_looks_for_them(houses, asked):
    houses["kind"] = np.where(houses["price"] > houses["price"].median(), "dear", "cheap")
    found = eigenlens.report(houses, cv=0, **asked).findings
    assert "na='km_to_centre=999'" in " ".join(found.warnings)


@pytest.mark.parametrize(("code", "side"), [(999, "above 24.8"), (-99, "below 0.1")])
def test_the_side_on_which_a_code_lies_is_told(code, side, houses):
    houses["km_to_centre"] = houses["km_to_centre"].clip(0.1, 24.9).replace(24.9, code)
    found = " ".join(eigenlens.report(houses, cv=0).findings.warnings)
    assert f"and no other number {side}" in found


def test_a_wild_target_is_found(houses):
    houses["km_to_centre"] = houses["km_to_centre"].clip(upper=25)
    houses.loc[7, "price"] = 4.2e9
    found = " ".join(eigenlens.report(houses, "price").findings.warnings)
    assert "'price' holds 4.2e+09 in 1 cell (row 8), far beyond the others" in found
    assert "instead of" in found


def test_a_file_in_pieces_counts_them_in_all_rows(folder, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((120_000, 3)), columns=list("abc"))
    table.loc[[5, 70_000, 119_999], "b"] = -99
    table.to_parquet("large.parquet")
    said = answer(capsys, "large.parquet", "--stream")
    assert "'b' holds -99 in 3 cells (row 6, row 70,001, row 120,000)" in " ".join(said["warnings"])


@pytest.mark.parametrize(
    ("code", "share", "others"),
    [
        (999, 0.02, "uniform"),
        (999, 0.4, "uniform"),
        (-1, 0.02, "uniform"),
        (-99, 0.02, "incomes"),
        (99, 0.02, "ages"),
        (9, 0.05, "ratings"),
    ],
)
def test_usual_codes_are_found(code, share, others):
    rng = np.random.default_rng(1)
    column = {
        "uniform": rng.uniform(0.1, 25, 500),
        "incomes": rng.lognormal(10, 0.6, 500),
        "ages": rng.integers(18, 81, 500),
        "ratings": rng.integers(1, 6, 500),
    }[others].astype(float)
    places = np.sort(rng.choice(500, int(share * 500), replace=False))
    column[places] = code
    (found,) = extreme_cells(column)
    np.testing.assert_array_equal(found.places, places)
    assert found.is_code
    assert found.values.tolist() == [code]


@pytest.mark.parametrize("name", ["cauchy", "lognormal", "poisson", "ratings", "mixture", "limits"])
def test_clean_columns_raise_no_alarm(name):
    rng = np.random.default_rng(2)
    draw = {
        "cauchy": lambda: rng.standard_cauchy(300),
        "lognormal": lambda: rng.lognormal(0, 2, 300),
        "poisson": lambda: rng.poisson(0.5, 300).astype(float),
        "ratings": lambda: rng.choice([1.0, 2, 3, 4, 5], 300, p=[0.005, 0.01, 0.035, 0.25, 0.7]),
        "mixture": lambda: np.where(rng.random(300) < 0.1, 20.0, 0.0) + rng.standard_normal(300),
        "limits": lambda: np.clip(rng.standard_normal(300), -1, 1),  # −1 is a limit, not a code
    }[name]
    assert sum(bool(extreme_cells(draw())) for _ in range(200)) <= 3


def test_columns_without_numbers_to_judge_are_quiet():
    for column in ([], [np.nan] * 5, [1.0] * 30, [0.0] * 29 + [1.0], [999.0] * 20):
        assert extreme_cells(np.array(column)) == []


def test_rows_without_wild_cells_are_asked_for_no_more_than_the_sentence_needs(houses, folder):
    """The other methods are not compared again, which took most of the time of a report; stages are named."""
    houses.to_csv("houses.csv", index=False)
    told, plan = [], Plan(target="price")
    study(read_data(TableFile("houses.csv"), plan), plan, lambda what, done, total: told.append(what))
    compared = [what for what in dict.fromkeys(told) if what.startswith("comparing")]
    names = ("linear regression", "SIR + curve", "localized SIR + curve")
    assert compared[:3] == [f"comparing {name}, {k} of 3" for k, name in enumerate(names, 1)]
    assert compared[3:] in ([], ["comparing SIR + curve, 1 of 1"])
