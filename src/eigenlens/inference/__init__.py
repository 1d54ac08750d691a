"""How many directions are shown, and how far loadings can be trusted."""

from .agreement import AgreementTest, OutsideColumns, envfit, mantel, procrustes_test
from .bootstrap import Bootstrap, bootstrap
from .canonical import CANONICAL, wilks
from .coordinate_tests import CoordinateTest, coordinate_test
from .counting import above_negative, broken_stick, hard_threshold, minka, noise_edge, tracy_widom_test
from .denoising import Denoised, denoise
from .dimension_test import DimensionTest, Result
from .hessian import hessian_eigenvalues, hessian_test
from .inverse import SliceMoments, li_test, permuted_after, resampled_test, save_test
from .leverage import Advice, advise, class_leverages, leverages
from .linear_part import choose_slices, linear_p_value, with_linear
from .linearity import Linearity, check_linearity
from .mcar import LittleTest, littles_mcar
from .neighbouring_values import gap_test
from .neighbours import Neighbours, neighbours
from .parallel import against_normal, against_permutations, against_refits, parallel_analysis
from .permutation import Choice, canonical_permutation_test
from .shared_directions import components_test, components_test_of_factor, components_test_of_moments
from .units import Moves

__all__ = [
    "CANONICAL",
    "Advice",
    "AgreementTest",
    "Bootstrap",
    "Choice",
    "CoordinateTest",
    "Denoised",
    "DimensionTest",
    "Linearity",
    "LittleTest",
    "Moves",
    "Neighbours",
    "OutsideColumns",
    "Result",
    "SliceMoments",
    "above_negative",
    "advise",
    "against_normal",
    "against_permutations",
    "against_refits",
    "bootstrap",
    "broken_stick",
    "canonical_permutation_test",
    "check_linearity",
    "choose_slices",
    "class_leverages",
    "components_test",
    "components_test_of_factor",
    "components_test_of_moments",
    "coordinate_test",
    "denoise",
    "envfit",
    "gap_test",
    "hard_threshold",
    "hessian_eigenvalues",
    "hessian_test",
    "leverages",
    "li_test",
    "linear_p_value",
    "littles_mcar",
    "mantel",
    "minka",
    "neighbours",
    "noise_edge",
    "parallel_analysis",
    "permuted_after",
    "procrustes_test",
    "resampled_test",
    "save_test",
    "tracy_widom_test",
    "wilks",
    "with_linear",
]
