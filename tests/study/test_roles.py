"""What a column is for: weights, groups, names of rows, codes, years."""

import numpy as np
import pandas as pd
import pytest

import eigenlens
from eigenlens.exceptions import InputError
from eigenlens.study.compare import clustered, told_apart


def report(frame, **settings):
    return eigenlens.report(frame, **{"cv": 0, **settings})


def notes(found):
    return " ".join(found.findings.notes)


@pytest.fixture
def counted():
    """A table of counts: kinds, and how often each combination was met."""
    kinds = [(a, b, c) for a in "xyz" for b in "uv" for c in ("yes", "no")]
    return pd.DataFrame(kinds, columns=["a", "b", "met"]).assign(Freq=np.arange(12) * 3)


@pytest.fixture
def chicks():
    """Forty chicks, eight days each, whose weights say nothing of their diet, only of the chick."""
    rng = np.random.default_rng(0)
    chick = np.repeat(np.arange(40), 8)
    size, other = rng.standard_normal((2, 40))
    return pd.DataFrame(
        {
            "Chick": chick + 1,
            "weight": size[chick] + 0.05 * rng.standard_normal(320),
            "wing": other[chick] + 0.05 * rng.standard_normal(320),
            "Diet": np.array(["a", "b"])[chick % 2],
        }
    )


def test_a_frequency_repeats_rows_and_is_not_a_feature(counted):
    found = report(counted, target="met")
    assert found.findings.n_rows == counted.Freq.sum()
    assert "Freq" not in found.findings.loading_names
    assert "'Freq' weights the rows" in notes(found)
    repeated = report(counted.loc[counted.index.repeat(counted.Freq)].drop(columns="Freq"), target="met")
    np.testing.assert_allclose(found.findings.scores, repeated.findings.scores)


@pytest.mark.parametrize("name", ["n", "f", "count"])
def test_counts_of_kinds_weigh_rows_by_their_short_names_too(name, counted):
    """Of `MASS::minn38`, and of what `dplyr::count` returns."""
    table = counted.rename(columns={"Freq": name})
    assert f"'{name}' weights the rows" in notes(report(table, target="met"))
    dose = table.assign(dose=np.arange(len(table)) % 3)
    assert (f"'{name}' weights the rows" in notes(report(dose, target="met"))) == (name == "count")


def test_a_frequency_that_is_a_number_after_all(counted):
    found = report(counted, target="met", numbers="Freq")
    assert found.findings.n_rows == 12
    assert "Freq" in found.findings.loading_names


def test_weights_that_are_not_whole_weigh_in_means_and_directions():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.standard_normal((60, 3)), columns=["p", "q", "r"])
    frame["w"] = rng.choice([0.5, 1.5], 60)
    found = report(frame, weights="w", standardise=True)
    X, w = frame[["p", "q", "r"]].to_numpy(), frame.w.to_numpy()
    mean = np.average(X, axis=0, weights=w)
    S = (X - mean).T @ ((X - mean) * w[:, None])
    root = np.sqrt(np.diag(S))
    values = np.linalg.eigvalsh(S / np.outer(root, root))[::-1]
    shares = [d.share for d in found.findings.directions]
    np.testing.assert_allclose(shares, values / 3, rtol=1e-10)


@pytest.mark.parametrize(
    ("column", "words"),
    [("a", "it holds words"), ("neg", "a weight is at least 0"), ("Nope", "no such column")],
)
def test_weights_that_cannot_be_are_refused(counted, column, words):
    with pytest.raises(InputError, match=words):
        report(counted.assign(neg=-1.5), weights=column)


def test_rows_of_one_chick_stay_together(chicks):
    seen = report(chicks, target="Diet", words="Chick", keep="Chick", cv=5).findings.comparison
    assert max(c.score for c in seen) > 0.9  # by knowing the chick
    found = report(chicks, target="Diet", cv=5)
    assert "'Chick' says which rows belong together" in notes(found)
    assert max(c.score for c in found.findings.comparison) < 0.75
    assert found.findings.shown_directions == 0
    assert "moved together" in found.findings.test.about


def test_a_group_that_only_its_owner_knows_is_suggested(chicks, tmp_path):
    path = tmp_path / "birds.csv"
    chicks.rename(columns={"Chick": "ring"}).to_csv(path, index=False)
    steps = [step.command for step in eigenlens.report(path, target="Diet", cv=0).findings.next_steps]
    assert any("--group ring" in step for step in steps)


def test_groups_widen_the_interval_and_count_once():
    right = np.repeat(np.arange(10) < 7, 20)
    groups = np.repeat(np.arange(10), 20)
    share, low, high = clustered(right, None, groups)
    assert share == 0.7
    assert high - low > 0.6
    y, wrong = np.zeros(200), np.zeros(200)
    wrong[:20] = 1
    assert told_apart(y, y, wrong)
    assert not told_apart(y, y, wrong, groups=groups)


def test_codes_are_words_and_many_codes_are_left_out():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.standard_normal((80, 2)), columns=["p", "q"])
    frame["race"], frame["zip"] = rng.integers(1, 4, 80), rng.integers(10000, 99999, 80)
    frame["schoolNR"] = rng.permutation(80)
    found = report(frame)
    assert found.findings.loading_names == ["p", "q", "race = 1", "race = 2", "race = 3"]
    for name in ("'race' holds codes of kinds", "'zip' left out", "'schoolNR' left out"):
        assert name in notes(found)
    taken = report(frame, numbers=["race", "zip", "schoolNR"])
    assert taken.findings.loading_names == ["p", "q", "race", "zip", "schoolNR"]
    assert found.model.transform(frame.astype({"race": float})).shape[0] == 80  # 1.0 is the code 1


def test_years_say_when_and_not_what():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.standard_normal((60, 2)), columns=["p", "q"])
    frame["year"] = rng.integers(1990, 2010, 60)
    assert report(frame).findings.loading_names == ["p", "q"]
    with_target = report(frame, target="q")
    assert "year" in with_target.findings.loading_names
    assert "'year' holds years and counts as a number" in notes(with_target)


def test_steps_of_ten_count_rows_too():
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.standard_normal((30, 2)), columns=["p", "q"]).assign(place=np.arange(30) * 10 + 5)
    assert "'place' left out: it only numbers the rows" in notes(report(frame))


@pytest.mark.parametrize(("name", "counts"), [("index", True), ("Obs", True), ("seq_no", True), ("day", False)])
def test_a_running_number_that_restarts_identifies_rows_where_its_name_says_so(name, counts):
    """Crabs are numbered within sex and species; days run and restart too, and measure time."""
    rng = np.random.default_rng(4)
    running = np.tile(np.arange(1, 21), 4)
    frame = pd.DataFrame(rng.standard_normal((80, 2)), columns=["p", "q"]).assign(**{name: running})
    left_out = f"{name!r} left out: it only numbers the rows (keep= keeps it)"
    assert (left_out in notes(report(frame))) == counts
    assert (left_out in notes(report(frame, target="q"))) == counts
    assert name in report(frame, numbers=[name]).findings.loading_names
    shuffled = frame.assign(**{name: rng.permutation(running)})
    assert name in report(shuffled).findings.loading_names


def test_id_names_the_rows():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.standard_normal((30, 3)), columns=["p", "q", "r"]).assign(tag=np.arange(30) ** 2)
    found = report(frame, id="tag")
    assert found.findings.row_names[:3] == ["0", "1", "4"]
    assert "tag" not in found.findings.loading_names


def test_a_column_has_one_use(counted):
    with pytest.raises(InputError, match="a column has one use"):
        report(counted, target="met", weights="Freq", group="Freq")


def test_words_among_numbers_count_as_missing_where_the_column_is_of_numbers(tmp_path):
    path = tmp_path / "mixed.csv"
    cells = [str(v) if v % 3 else "low" for v in range(40)]
    path.write_text("p,q\n" + "".join(f"{c},{j * j}\n" for j, c in enumerate(cells)))
    found = eigenlens.report(path, numbers="p", cv=0)
    assert "p" in found.findings.loading_names
    path.write_text("p,q\n" + "".join(f"low{j},{j * j}\n" for j in range(40)))
    with pytest.raises(InputError, match="its cells are words"):
        eigenlens.report(path, numbers="p", cv=0)


def test_a_number_gets_a_model_that_predicts(tmp_path):
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.standard_normal((300, 4)), columns=list("abcd"))
    frame["y"] = np.exp(frame.a + 0.5 * frame.b)
    found = eigenlens.report(frame[:200], target="y")
    ours = found.findings.ours
    assert ours.name == "SIR + curve"
    new = frame[200:]
    guess = found.model.predict(new)
    r2 = 1 - ((new.y - guess) ** 2).sum() / ((new.y - new.y.mean()) ** 2).sum()
    assert r2 > 0.7
    place = found.save(tmp_path / "m.eigenlens")
    np.testing.assert_array_equal(eigenlens.load(place).predict(new), guess)
    assert found.model.transform(new).shape[0] == 100
