"""scikit-learn's own checks, for every estimator found by walking and every option that changes what runs."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from eigenlens import LDA, SAVE, SIR, DirectionalRegression, LocalizedSIR
from variants import all_variants, regressor_variants

# the checks feed rank-deficient tables of every kind, and columns so alike that sweeps over them hardly move; that the
# warnings come is tested elsewhere
pytestmark = [
    pytest.mark.filterwarnings("ignore::eigenlens._core.errors.RankWarning"),
    pytest.mark.filterwarnings("ignore::eigenlens._core.errors.NotConvergedWarning"),
    pytest.mark.filterwarnings("ignore::eigenlens._core.errors.SliceWarning"),  # and few rows for each slice
]

SEPARATED = (
    "the check's second column is constant within each class but differs between them: its discriminant ratio is "
    "infinite, and LDA refuses it by name rather than divide by zero"
)

SATURATED = (
    "the check has 15 rows of 30 columns: every direction fits the slices perfectly, all eigenvalues are the same, and "
    "which directions of their space come out is arbitrary; a warning says so, and ridge decides it"
)


def expected_failures(estimator):
    expected = {}
    if isinstance(estimator, LDA) and estimator.shrinkage is None:
        expected |= {"check_sample_weights_shape": SEPARATED, "check_sample_weights_not_overwritten": SEPARATED}
    if isinstance(estimator, LDA) and estimator.n_components == 1:
        expected["check_classifiers_train"] = "one direction cannot part its three blobs as well as it demands"
    if isinstance(estimator, SIR | SAVE | DirectionalRegression | LocalizedSIR) and not estimator.ridge:
        weights = "check_sample_weight_equivalence_on"
        expected |= {f"{weights}_dense_data": SATURATED, f"{weights}_sparse_data": SATURATED}
    return expected


# three priors suit only data of three classes, and the evidence needs more rows than columns
CHECKED = [e for e in all_variants() if getattr(e, "priors", None) is None and e.n_components != "mle"]


@parametrize_with_checks([*CHECKED, *regressor_variants()], expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)
