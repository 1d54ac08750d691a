"""Reports of tables with words and no target."""

import numpy as np
import pandas as pd
import pytest

import eigenlens
from eigenlens import MixedPCA

rng = np.random.default_rng(0)
Z = rng.standard_normal(300)
STEPS = np.array(["low", "middle", "high"])


def words(noise):
    return STEPS[np.digitize(Z + noise * rng.standard_normal(300), [-0.5, 0.5])]


FRAME = pd.DataFrame({"a": words(0.5), "b": words(0.7), "c": words(0.6), "size": Z + 0.5 * rng.standard_normal(300)})


def test_words_of_three_levels_are_taken_as_they_are(tmp_path):
    report = eigenlens.report(FRAME)
    assert report.findings.method == "MixedPCA"
    assert report.findings.shown_directions >= 1
    model = MixedPCA(report.findings.scores.shape[1]).fit(FRAME)
    np.testing.assert_allclose(report.findings.scores, model.transform(FRAME), atol=1e-9)
    page = report.save(tmp_path / "page.html").read_text()
    assert "a = high" in page
    loaded = eigenlens.load(report.save(tmp_path / "model.eigenlens"))
    np.testing.assert_allclose(loaded.transform(FRAME), report.findings.scores, atol=1e-12)


def test_the_code_it_shows_runs():
    report = eigenlens.report(FRAME)
    scope = {"table": FRAME}
    exec(report.findings.code, scope)
    np.testing.assert_allclose(scope["scores"], report.findings.scores, atol=1e-9)


def test_unrelated_words_rarely_show_anything():
    found = [eigenlens.report(FRAME.apply(lambda c: rng.permutation(c))).findings.shown_directions for _ in range(12)]
    assert sum(shown > 0 for shown in found) <= 3


def test_two_levels_numbers_alone_and_holes_stay_with_pca():
    two = FRAME.assign(a=FRAME["a"] == "low", b=FRAME["b"] == "low", c=FRAME["c"] == "low")
    assert eigenlens.report(two).findings.method == "PCA"
    holed = FRAME.copy()
    holed.loc[3, "size"] = np.nan
    assert eigenlens.report(holed).findings.method == "PCA"
    assert eigenlens.report(FRAME, method="pca").findings.method == "PCA"


def test_words_alone_say_adjusted_shares():
    said = str(eigenlens.report(FRAME[["a", "b", "c"]]))
    assert "Greenacre" in said


def test_words_with_holes():
    holed = FRAME.copy()
    holed.loc[::7, "a"] = None
    found = eigenlens.report(holed).findings
    assert found.method == "MixedPCA"
    gone = int(holed["a"].isna().sum())
    assert any(f"'a' {gone:,}." in note for note in found.notes)
    assert any("a kind of their own, 'missing', in 'a'" in note for note in found.notes)


@pytest.mark.parametrize("kind", ["words", "mixed"])
def test_level_of_unrelated_columns(kind):
    """About 5% of tables of unrelated columns show an axis."""
    hits, runs = 0, 120
    for _ in range(runs):
        columns = {f"w{j}": STEPS[rng.integers(0, 3, 80)] for j in range(4)}
        if kind == "mixed":
            columns |= {f"x{j}": np.exp(rng.standard_normal(80)) for j in range(3)}
        table = pd.DataFrame(columns)
        hits += MixedPCA().fit(table).test_dimension(table, n_draws=39).dimension > 0
    assert hits / runs < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_weights_of_a_test_are_counts():
    times = np.arange(300) % 3
    repeated = FRAME.iloc[np.repeat(np.arange(300), times)]
    model = MixedPCA().fit(FRAME, sample_weight=times)
    ours = model.test_dimension(FRAME, sample_weight=times, n_draws=19)
    theirs = MixedPCA().fit(repeated).test_dimension(repeated, n_draws=19)
    np.testing.assert_allclose(ours.statistics["eigenvalue"], theirs.statistics["eigenvalue"], atol=1e-10)
    np.testing.assert_allclose(ours.statistics["eigenvalue"][0], model.eigenvalues_[0], rtol=1e-10)
    with pytest.raises(ValueError, match="whole numbers"):
        model.test_dimension(FRAME, sample_weight=times + 0.5)
