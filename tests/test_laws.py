"""Every law, for every method found by walking, over shapes, offsets and scales."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

from eigenlens.exceptions import InputError
from eigenlens.testing import LAWS, applies, sample_for
from variants import all_variants

# batches of a stream may begin with few rows for a slice, and a penalty may kill a weak component; that the warnings
# come is tested elsewhere
pytestmark = [
    pytest.mark.filterwarnings("ignore::eigenlens.exceptions.SliceWarning"),
    pytest.mark.filterwarnings("ignore:alpha is so large:eigenlens.exceptions.RankWarning"),
    pytest.mark.filterwarnings("ignore:.*finds no direction:eigenlens.exceptions.RankWarning"),
]

OFFSETS = [0.0, -3.0, 1e4, 1e8]
DRIVEN = {"merge", "partial_fit", "weight", "row_order", "defining_equation"}


def spoken_of(laws):
    return [
        pytest.param(estimator, law, id=f"{estimator!r}-{law}")
        for estimator in all_variants()
        for law in sorted(laws)
        if applies(LAWS[law], estimator)
    ]


@pytest.mark.parametrize(("estimator", "law"), spoken_of(LAWS))
def test_law(estimator, law):
    LAWS[law](estimator, sample_for(estimator))


@pytest.mark.parametrize(("estimator", "law"), spoken_of(DRIVEN))
def test_law_over_shapes(estimator, law):
    @settings(max_examples=8, deadline=None, derandomize=True)
    @given(
        n=st.integers(20, 200),
        p=st.integers(3, 8),
        offset=st.sampled_from(
            OFFSETS if estimator._obeys().centres else OFFSETS[:1]
        ),  # to some the mean is a direction
        scale=st.sampled_from([1.0, 1e-3, 1e6]),
        seed=st.integers(0, 10**6),
    )
    def holds(n, p, offset, scale, seed):
        data = sample_for(estimator, n, p, offset=offset, scale=scale, seed=seed)
        assume(_well_separated(estimator, data))
        LAWS[law](estimator, data)

    holds()


def _well_separated(estimator, data):
    """Directions whose values nearly coincide may turn under round-off; laws speak of the others."""
    from sklearn.base import clone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = clone(estimator).fit(*data.arguments())
        except InputError:  # too few rows for this method, which says so
            return False
    if not hasattr(model, "spectrum_") or isinstance(model.spectrum_, tuple):  # one for each class: nothing can turn
        return True
    values = np.asarray(model.spectrum_.values)
    return np.all(values[1:] < 0.9 * values[:-1]) and np.all(values > 1e-4 * values[0])
