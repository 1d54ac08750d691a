"""Factor maps: what is drawn for words, numbers, both, and tables of counts."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from eigenlens import CorrespondenceAnalysis, MixedPCA
from eigenlens.exceptions import InputError

mpl.use("Agg")
rng = np.random.default_rng(0)
T = pd.DataFrame(
    {
        "colour": rng.choice(["red", "green", "blue"], 200),
        "place": rng.choice(["north", "south"], 200),
        "size": rng.standard_normal(200),
        "age": rng.standard_normal(200),
    }
)


def names(ax):
    return {text.get_text() for text in ax.texts} - {""}


def test_words_and_numbers_have_a_map_each():
    display = MixedPCA(3).fit(T).plot(T)
    first, second = display.axes_
    assert names(first) == {"red", "green", "blue", "north", "south"}
    assert names(second) == {"size", "age"}
    assert first.get_xlabel().startswith("axis 1 (")
    with pytest.raises(InputError, match="ax holds 1 axes but this picture draws on 2"):
        MixedPCA(2).fit(T).plot(ax=mpl.pyplot.figure().add_subplot())
    mpl.pyplot.close("all")


def test_supplementary_columns_are_on_the_map():
    model = MixedPCA(2).fit(T[["colour", "place"]])
    extra = model.supplementary(pd.DataFrame({"vote": rng.choice(["yes", "no"], 200)}))
    display = model.plot(supplementary=extra)
    assert {"yes", "no"} <= names(display.ax_)
    assert len(display.axes_) == 1
    mpl.pyplot.close("all")


def test_rows_and_columns_of_counts_share_a_map():
    table = pd.crosstab(T["colour"], T["place"])
    display = CorrespondenceAnalysis().fit(table).plot()  # one axis: a map with one height
    assert names(display.ax_) == {"red", "green", "blue", "north", "south"}
    mpl.pyplot.close("all")


def test_many_points_are_named_only_where_they_count():
    many = pd.DataFrame(rng.poisson(3, (80, 30)))
    display = CorrespondenceAnalysis(2).fit(many).plot(directions=(1, 0))
    assert len(names(display.ax_)) <= 40
    assert display.ax_.get_xlabel().startswith("axis 2")
    mpl.pyplot.close("all")
