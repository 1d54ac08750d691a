"""Displays of maps: what they draw, and on what."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from scipy.spatial.distance import pdist, squareform

from eigenlens import ClassicalMDS, displays
from eigenlens.distances import Power, procrustes
from eigenlens.exceptions import InputError

rng = np.random.default_rng(0)
X = np.abs(rng.standard_normal((40, 4)))


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def test_configuration_shows_the_map_and_its_names():
    mds = ClassicalMDS().fit(X)
    shown = displays.configuration(mds, labels=[f"row {i}" for i in range(40)])
    np.testing.assert_allclose(shown.ax_.collections[0].get_offsets(), mds.embedding_)
    assert {text.get_text() for text in shown.ax_.texts} == {f"row {i}" for i in range(40)}
    share = mds.eigenvalues_[0] / np.sum((X - X.mean(axis=0)) ** 2)
    assert shown.ax_.get_xlabel() == f"axis 1 ({share:.0%})"
    _, ax = plt.subplots()
    assert displays.configuration(mds, ax=ax).ax_ is ax


def test_configuration_laid_onto_a_target():
    mds = ClassicalMDS().fit(X)
    target = mds.embedding_ @ np.array([[0.0, 2.0], [2.0, 0.0]]) + 5 + 0.01 * rng.standard_normal((40, 2))
    shown = displays.configuration(mds, target=target)
    np.testing.assert_allclose(shown.data["coordinates"], procrustes(mds.embedding_, target).aligned)
    assert len(shown.ax_.lines) == 40


def test_names_that_do_not_fit():
    with pytest.raises(InputError, match="the map has 40 rows but labels has 2"):
        displays.configuration(ClassicalMDS().fit(X), labels=["a", "b"])


def test_one_axis_is_drawn_on_a_line():
    shown = displays.configuration(ClassicalMDS(1).fit(X))
    assert np.ptp(shown.data["coordinates"][:, 1]) == 0


@pytest.mark.parametrize(
    "model",
    [
        ClassicalMDS(),
        ClassicalMDS(metric="cityblock"),
        ClassicalMDS(metric="cityblock", correction="cailliez"),
        ClassicalMDS(metric="cityblock", schoenberg=Power(0.5), correction="lingoes"),
        ClassicalMDS(metric="precomputed"),
    ],
    ids=repr,
)
def test_shepard_diagram_tells_the_stress(model):
    given = squareform(pdist(X, "cityblock")) if model.metric == "precomputed" else X
    mds = model.fit(given)
    distances, drawn = displays.shepard(mds, given).data.values()
    assert len(distances) == 40 * 39 // 2
    stress = np.sqrt(np.sum((distances - drawn) ** 2) / np.sum(drawn**2))
    assert stress == pytest.approx(mds.stress_, rel=1e-9)


def test_shepard_diagram_of_many_pairs_is_a_density():
    rows = rng.standard_normal((300, 3))
    shown = displays.shepard(ClassicalMDS().fit(rows), rows)
    assert len(shown.ax_.collections) == 1
    with pytest.raises(InputError, match="align maps of the same points"):
        displays.shepard(ClassicalMDS().fit(rows), rows[:5])


def test_names_stay_within_the_frame():
    rows = np.column_stack([np.linspace(0, 10, 7), np.zeros(7)]) + np.random.default_rng(0).uniform(0, 1, (7, 2))
    names = ["a rather long name"] * 7
    display = displays.configuration(ClassicalMDS(2).fit(rows), labels=names)
    display.figure_.draw_without_rendering()
    frame = display.ax_.get_window_extent()
    for name in display.ax_.texts:
        box = name.get_window_extent()
        assert frame.x0 - 2 <= box.x0
        assert box.x1 <= frame.x1 + 2


def test_a_single_axis_has_none_across():
    display = displays.configuration(ClassicalMDS(1).fit(np.arange(12.0).reshape(6, 2)))
    assert display.ax_.get_ylabel() == ""
    assert len(display.ax_.get_yticks()) == 0


def test_points_have_the_names_of_the_index():
    frame = pd.DataFrame(X[:12], index=[f"place {i}" for i in range(12)])
    shown = ClassicalMDS().fit(frame).plot(frame)
    assert {text.get_text() for text in shown.ax_.texts} == set(frame.index)
