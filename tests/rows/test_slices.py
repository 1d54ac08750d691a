"""Slices of a response: quantiles with ties kept whole, weights, words, several responses, given ones."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from hypothesis import given, settings, strategies as st

from eigenlens.exceptions import InputError, InputTypeError, SliceWarning
from eigenlens.rows import Response, Slicing
from eigenlens.rows.slices import slice_response

TIED = st.lists(st.integers(0, 12), min_size=2, max_size=60).filter(lambda values: len(set(values)) > 1)


def cut(y, n_slices, weight=None, **options):
    return slice_response(Response(y), None if weight is None else np.asarray(weight, float), n_slices, **options)


def test_equal_slices_without_ties():
    y = np.random.default_rng(0).permutation(400) + 0.5
    labels, slicing = cut(y, 10)
    assert np.bincount(labels.codes).tolist() == [40] * 10
    assert np.array_equal(np.argsort(y // 40, kind="stable"), np.argsort(labels.codes, kind="stable"))
    assert slicing.cuts == (tuple(np.arange(39.5, 399, 40)),)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=60).filter(lambda v: len(set(v)) > 1),
    st.integers(2, 15),
    st.integers(0, 1000),
)
def test_ties_stay_whole_and_order_is_kept(values, n_slices, seed):
    y = np.array(values) + 0.25
    times = np.random.default_rng(seed).integers(1, 4, len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SliceWarning)
        labels, _ = cut(y, n_slices)
        weighted, _ = cut(y, n_slices, times)
        repeated, _ = cut(np.repeat(y, times), n_slices)
    for v in np.unique(y):
        assert len(np.unique(labels.codes[y == v])) == 1
    order = np.argsort(y)
    assert np.all(np.diff(labels.codes[order]) >= 0)
    assert np.array_equal(np.unique(labels.codes), np.arange(labels.codes.max() + 1))  # no empty slice
    assert len(np.unique(labels.codes)) <= n_slices
    if len(np.unique(y)) <= n_slices:
        assert len(np.unique(labels.codes)) == len(np.unique(y))
    assert np.array_equal(np.repeat(weighted.codes, times), repeated.codes)


def test_zero_weight_is_no_row():
    y = np.array([100.5, 1.5, 2.5, 3.5, 4.5, -50.5])
    labels, slicing = cut(y, 2, [0, 1, 1, 1, 1, 0])
    assert slicing.cuts == ((2.5,),)
    assert labels.codes[1:5].tolist() == [0, 0, 1, 1]


def test_a_heavy_tie_makes_fewer_slices_and_says_so():
    y = np.concatenate([np.full(60, 0.5), np.arange(40) + 1.25])
    with pytest.warns(SliceWarning, match="y gives 5 slices, but n_slices=10"):
        labels, _ = cut(y, 10)
    assert np.bincount(labels.codes).tolist() == [60, 10, 10, 10, 10]


def test_a_heavy_tie_at_the_top_is_a_slice():
    assert cut([0.5, 1.5, 1.5, 1.5], 2)[0].codes.tolist() == [0, 1, 1, 1]
    assert cut([0.5, 1.5], 2, [1.0, 3.0])[0].codes.tolist() == [0, 1]
    y = np.concatenate([np.arange(35) + 0.5, np.full(65, 99.5)])
    with pytest.warns(SliceWarning, match="5 slices"):
        assert np.bincount(cut(y, 10)[0].codes).tolist() == [10, 10, 10, 5, 65]


def test_more_slices_than_distinct_numbers():
    with pytest.warns(SliceWarning, match="3 slices, but n_slices=10"):
        labels, _ = cut([0.5, 1.5, 2.5, 0.5], 10)
    assert labels.codes.tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("y", [[3, 1, 3, 2], [3.0, 1.0, 3.0, 2.0], [True, False, True, True], ["b", "a", "b", "c"]])
def test_few_whole_numbers_and_words_are_their_own_slices(y):
    labels, slicing = cut(y, 10)
    assert labels.classes.tolist() == sorted(set(y))
    assert [labels.classes[c] for c in labels.codes] == list(y)
    assert slicing == (None if isinstance(y[0], str) else Slicing())


def test_many_whole_numbers_are_cut():
    labels, slicing = cut(np.arange(100), 4)
    assert slicing.cuts == ((24.0, 49.0, 74.0),)
    assert np.bincount(labels.codes).tolist() == [25] * 4


def test_several_responses_make_cells():
    rng = np.random.default_rng(1)
    Y = rng.standard_normal((900, 2))
    labels, slicing = cut(Y, 9)
    assert [len(c) for c in slicing.cuts] == [2, 2]
    assert slicing.n_cells == len(slicing.names()) == 9
    first, second = (np.searchsorted(c, Y[:, j]) for j, c in enumerate(slicing.cuts))
    assert np.array_equal(labels.codes, 3 * first + second)
    assert slicing.names()[0].startswith("y1 ≤ ")


def test_many_responses_are_not_cut_into_dust():
    Y = np.random.default_rng(1).standard_normal((900, 30))
    cut(Y[:, :4], 10)  # 16 cells are about 10
    with pytest.warns(SliceWarning, match="6 responses, and halving each makes 64 cells where n_slices=10"):
        cut(Y[:, :6], 10)
    with pytest.raises(InputError, match=r"30 responses.*1073741824 cells for 900 rows.*k-means"):
        cut(Y, 10)


def test_responses_of_any_library():
    y = np.random.default_rng(2).standard_normal(50)
    codes = cut(y, 5)[0].codes
    columns = (
        pd.Series(y),
        pl.Series(y),
        torch.tensor(y),
        list(y),
        y[:, None],
        pd.DataFrame({"y": y}),
        y.astype(object),
    )
    for other in columns:
        assert np.array_equal(cut(other, 5)[0].codes, codes)


def test_given_cuts():
    labels, slicing = cut([0.0, 1.0, 1.5, 9.0], [1.0, 5.0])
    assert labels.codes.tolist() == [0, 0, 1, 2]
    assert slicing == Slicing(((1.0, 5.0),))
    with pytest.raises(InputError, match="2 column"):
        cut(np.ones((4, 2)), [1.0, 5.0])


def test_missing_responses():
    y = np.array([1.5, np.nan, 2.5, 3.5])
    with pytest.raises(InputError, match=r"contains NaN \(1 missing"):
        cut(y, 3)
    assert cut(y, 3, may_miss=True)[0].codes.tolist() == [0, -1, 1, 2]
    assert cut(["a", None, "b"], 3, may_miss=True)[0].codes.tolist() == [0, -1, 1]
    assert cut(pd.Series(["a", pd.NA, "b"], dtype="string"), 3, may_miss=True)[0].codes.tolist() == [0, -1, 1]
    for empty in ([np.nan] * 4, [None] * 4):
        with pytest.raises(InputError, match="missing in all 4 rows"):
            cut(empty, 3, may_miss=True)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.inf, 2.5], "infinity"),
        (np.array([1 + 2j, 3.0]), "[Cc]omplex"),
        (np.ones((3, 2, 2)), "shape"),
        ([["a", 1], ["b", 2]], "words among them"),
    ],
)
def test_refused(y, message):
    with pytest.raises((InputError, InputTypeError), match=message):
        cut(y, 3)


def test_dates_are_cut_in_their_order():
    days = np.datetime64("2024-01-01") + np.random.default_rng(3).permutation(100)
    labels, _ = cut(days, 4)
    assert np.bincount(labels.codes).tolist() == [25] * 4
    assert np.array_equal(labels.codes, (np.argsort(np.argsort(days))) // 25)


def test_whole_numbers_too_large_for_integers():
    labels, slicing = cut([1e300, 2e300, 1e300], 5)
    assert slicing == Slicing()
    assert labels.codes.tolist() == [0, 1, 0]


def test_given_slices_must_be_labels():
    with pytest.raises(InputTypeError, match="slices must be one label"):
        slice_response(Response(None, [0.5, 1.5]), None, 3)
    assert slice_response(Response(None, ["x", "y"]), None, 3)[0].classes.tolist() == ["x", "y"]
