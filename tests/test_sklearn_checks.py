"""scikit-learn's own checks, for every estimator found by walking and every option that changes what runs."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from eigenlens import (
    FDA,
    LDA,
    MDA,
    PDA,
    QDA,
    SAVE,
    SIR,
    ClassicalMDS,
    DirectionalRegression,
    LocalizedSIR,
    MixedPCA,
    PrincipalHessianDirections,
)
from variants import all_variants, regressor_variants

# the checks feed tables of every kind: of low rank, fitted perfectly, with few rows for a slice or a subclass, or with
# columns so alike that sweeps over them hardly move; that the warnings come is tested elsewhere
WARNINGS = (
    "RankWarning",
    "ConstantFitWarning",
    "PerfectFitWarning",
    "SubclassWarning",
    "SliceWarning",
    "NotConvergedWarning",
)
pytestmark = [pytest.mark.filterwarnings(f"ignore::eigenlens.exceptions.{name}") for name in WARNINGS]
pytestmark += [pytest.mark.filterwarnings("ignore::eigenlens.exceptions.LandmarkWarning")]

SEPARATED = (
    "the check's second column is constant within each class but differs between them: its discriminant ratio is "
    "infinite, and LDA refuses it by name rather than divide by zero"
)

SATURATED = (
    "the check has 15 rows of 30 columns: eigenvalues coincide, and which axes of their space come out is arbitrary; "
    "a warning says so, and ridge decides it (test_directions_of_the_same_eigenvalue_are_told: the space is the same)"
)
NO_REST = "the check has 15 rows of 30 columns: a linear regression leaves no residuals, which the method needs"


FEW = "the check has fewer rows in a class than columns: such a class has no covariance of its own, and QDA says so"
ALONE = "the check has classes of one to four different rows: three subclasses fit them with a likelihood without bound"
DRAWN = "landmarks are drawn from the rows, so that repeated rows are drawn differently from weighted ones"
REDUCED = "one direction cannot part its three blobs as well as it demands"
INTEGERS = "scikit-learn 1.6 subtracts the mean of its integers in place"
WEIGHTS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")


def expected_failures(estimator):
    expected = {}
    plain = (
        (isinstance(estimator, LDA) and estimator.shrinkage is None)
        or (isinstance(estimator, PDA) and estimator.lam == 0)
        or (isinstance(estimator, MDA) and estimator.regressor is None)
    )
    if isinstance(estimator, QDA) and not estimator.shrinkage:
        expected |= dict.fromkeys(("check_sample_weights_shape", "check_sample_weights_not_overwritten"), SEPARATED)
        expected |= dict.fromkeys((*WEIGHTS, "check_n_features_in_after_fitting", "check_dtype_object"), FEW)
    if isinstance(estimator, MixedPCA):
        expected["check_positive_only_tag_during_fit"] = INTEGERS
    if plain:
        expected |= {"check_sample_weights_shape": SEPARATED, "check_sample_weights_not_overwritten": SEPARATED}
    if isinstance(estimator, FDA | LDA | PDA) and estimator.n_components == 1:
        expected["check_classifiers_train"] = REDUCED
    if isinstance(estimator, MDA) and estimator.n_subclasses != 1:
        expected |= dict.fromkeys(WEIGHTS, ALONE)
    if isinstance(estimator, ClassicalMDS) and estimator.n_landmarks and estimator.landmarks == "random":
        expected |= dict.fromkeys(WEIGHTS, DRAWN)
    if isinstance(estimator, SIR | SAVE | DirectionalRegression | LocalizedSIR) and not estimator.ridge:
        expected |= dict.fromkeys(WEIGHTS, SATURATED)
    if isinstance(estimator, PrincipalHessianDirections):
        expected |= dict.fromkeys(WEIGHTS, NO_REST if estimator.residuals else SATURATED)
    return expected


# three priors suit only data of three classes, the evidence needs more rows than columns, and FDA says itself that a
# nearest-neighbour regression takes no weights
CHECKED = [
    e
    for e in all_variants()
    if getattr(e, "priors", None) is None
    and getattr(e, "n_components", None) != "mle"
    and not (isinstance(e, FDA) and not e._obeys().counts_rows)
    and not (isinstance(e, MDA) and e.n_components)
]


@pytest.mark.filterwarnings("ignore::eigenlens.exceptions.ScaleWarning")  # of tables that the checks make
@parametrize_with_checks([*CHECKED, *regressor_variants()], expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)
