"""Groups, consecutive blocks and strata are read in one place, for tests, the bootstrap and folds."""

import numpy as np
import pytest

from eigenlens import PCA
from eigenlens.exceptions import InputError
from eigenlens.inference import bootstrap
from eigenlens.inference.units import Units
from eigenlens.validation.folds import split_rows

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4))


@pytest.mark.parametrize(
    "ask",
    [
        lambda **given: PCA(2).fit(X).test_dimension(X, n_draws=19, **given),
        lambda **given: bootstrap(PCA(2), X, n_boot=20, **given),
    ],
    ids=["test", "bootstrap"],
)
def test_tests_and_the_bootstrap_refuse_the_same(ask):
    groups = np.arange(60) // 5
    for given, words in [
        ({"groups": groups, "block": 5}, "groups and block were both given"),
        ({"groups": groups[:7]}, "groups has 7"),
        ({"groups": np.zeros(60)}, "groups holds 1 distinct value, and at least"),
        ({"block": 40}, "60 rows make 1 whole blocks"),
        ({"block": 0}, "block=0"),
        ({"groups": [None, *groups[1:]]}, "groups has no label in row 0"),
    ]:
        with pytest.raises(InputError, match=words):
            ask(**given)


def test_blocks_are_drawn_and_left_out_whole():
    units = Units.of(60, block=5)
    result = bootstrap(PCA(2), X, n_boot=200, block=5)
    assert result.unit == "blocks of 5 consecutive rows"
    folds = split_rows(np.zeros(60), False, 3, 0, units.codes)
    assert all(len(set(folds[units.codes == unit])) == 1 for unit in range(12))
    assert set(folds) == {0, 1, 2}


def test_units_of_some_rows_keep_who_belongs_together():
    units = Units.of(6, list("aabbcc"), least=3)
    kept = units.of_rows(np.array([0, 1, 4, 5]))
    assert kept.n == 4
    np.testing.assert_array_equal(kept.codes, [0, 0, 1, 1])
    assert Units.of(6).codes is None
