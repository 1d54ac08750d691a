"""A column that gives the target away is named, with the number; one that only helps is not."""

import numpy as np

from eigenlens.study.leaks import leak_words

rng = np.random.default_rng(0)
X = rng.standard_normal((200, 3))
NAMES = ["a", "b", "c"]


def test_a_column_that_the_classes_were_cut_from():
    (said,) = leak_words(X, np.where(X[:, 1] < 0.3, "low", "high"), NAMES, "classes", "low")
    assert said.startswith("A leak? 'b' alone predicts 'low': it is right for 100.0% of the rows.")
    three = np.digitize(X[:, 2], [-0.5, 0.5])
    assert "'c' alone" in leak_words(X, three, NAMES, "classes", "t")[0]


def test_a_copy_in_other_units():
    (said,) = leak_words(X, 2.54 * X[:, 0] + 0.01 * X[:, 1], NAMES, "number", "inches")
    assert said.startswith("A leak? 'a' alone predicts 'inches': it explains 100.0% of it.")


def test_columns_that_help_are_no_leak():
    y = X[:, 0] + 0.5 * X[:, 1]
    assert leak_words(X, y, NAMES, "number", "t") == []
    assert leak_words(X, np.where(y < 0, "low", "high"), NAMES, "classes", "t") == []
    assert leak_words(X, np.array(["a"] * 199 + ["b"]), NAMES, "classes", "t") == []  # nearly all rows are of one class
    assert leak_words(X[:20], np.where(X[:20, 1] < 0, 0, 1), NAMES, "classes", "t") == []
