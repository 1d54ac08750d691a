"""Every law, for every method found by walking, over shapes, offsets and scales."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenlens.testing import LAWS, laws_of, sample
from variants import all_variants

DRIVEN = {"merge", "partial_fit", "weight", "row_order", "defining_equation"}


def obeyed(laws):
    """Pairs of an estimator and a law that it is to obey."""
    return [(estimator, law) for estimator in all_variants() for law in sorted(laws & laws_of(estimator).keys())]


def test_exemptions_name_laws():
    for estimator in all_variants():
        assert estimator._without_laws.keys() <= LAWS.keys()
        assert all(len(reason) > 20 for reason in estimator._without_laws.values())


@pytest.mark.parametrize(("estimator", "law"), obeyed(LAWS.keys()), ids=str)
def test_law(estimator, law):
    LAWS[law](estimator, sample(estimator._target))


# a spectrum says which directions are well apart; methods without one drive their laws in their own tests
@pytest.mark.parametrize(("estimator", "law"), [c for c in obeyed(DRIVEN) if hasattr(c[0], "fit_moments")], ids=str)
def test_law_over_shapes(estimator, law):
    @settings(max_examples=8, deadline=None, derandomize=True)
    @given(
        n=st.integers(20, 200),
        p=st.integers(3, 8),
        offset=st.sampled_from([0.0, -3.0, 1e4, 1e8]),
        scale=st.sampled_from([1.0, 1e-3, 1e6]),
        seed=st.integers(0, 10**6),
    )
    def holds(n, p, offset, scale, seed):
        data = sample(estimator._target, n, p, offset=offset, scale=scale, seed=seed)
        if not _well_separated(estimator, data):
            return
        LAWS[law](estimator, data)

    holds()


def _well_separated(estimator, data):
    """Directions whose values nearly coincide may turn under round-off; laws speak of the others."""
    from sklearn.base import clone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = np.asarray(clone(estimator).fit(*data.arguments()).spectrum_.values)
    return np.all(values[1:] < 0.9 * values[:-1]) and np.all(values > 1e-4 * values[0])
