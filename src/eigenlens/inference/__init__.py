"""Eigenvalues, correlations and rows become tests: how many directions are real, and how sure loadings are.

A test returns a `DimensionTest` or another result that prints as a sentence. Methods call these functions from their
`test_dimension`; each is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..arrays.lazy import exports

if TYPE_CHECKING:  # the same names for type checkers, under the names that they are exported by
    from .agreement import (
        AgreementTest as AgreementTest,
        OutsideColumns as OutsideColumns,
        envfit as envfit,
        mantel as mantel,
        procrustes_test as procrustes_test,
    )
    from .bootstrapping import Bootstrap as Bootstrap, bootstrap as bootstrap
    from .canonical import wilks as wilks
    from .denoising import Denoised as Denoised, denoise as denoise
    from .dimension_test import DimensionTest as DimensionTest, Result as Result
    from .distance_errors import distance_errors_test as distance_errors_test
    from .inverse import CoordinateTest as CoordinateTest, Linearity as Linearity, check_linearity as check_linearity
    from .mcar import LittleTest as LittleTest, littles_mcar as littles_mcar
    from .neighbouring_rows import Neighbours as Neighbours, neighbours as neighbours
    from .noise import (
        above_negative as above_negative,
        broken_stick as broken_stick,
        gap_test as gap_test,
        hard_threshold as hard_threshold,
        minka as minka,
        noise_edge as noise_edge,
        tracy_widom_test as tracy_widom_test,
    )
    from .parallel import parallel_analysis as parallel_analysis
    from .shared_directions import components_test as components_test

_HOMES = {
    "AgreementTest": ".agreement",
    "Bootstrap": ".bootstrapping",
    "CoordinateTest": ".inverse",
    "Denoised": ".denoising",
    "DimensionTest": ".dimension_test",
    "Linearity": ".inverse",
    "LittleTest": ".mcar",
    "Neighbours": ".neighbouring_rows",
    "OutsideColumns": ".agreement",
    "Result": ".dimension_test",
    "above_negative": ".noise",
    "bootstrap": ".bootstrapping",
    "broken_stick": ".noise",
    "check_linearity": ".inverse",
    "components_test": ".shared_directions",
    "denoise": ".denoising",
    "distance_errors_test": ".distance_errors",
    "envfit": ".agreement",
    "gap_test": ".noise",
    "hard_threshold": ".noise",
    "littles_mcar": ".mcar",
    "mantel": ".agreement",
    "minka": ".noise",
    "neighbours": ".neighbouring_rows",
    "noise_edge": ".noise",
    "parallel_analysis": ".parallel",
    "procrustes_test": ".agreement",
    "tracy_widom_test": ".noise",
    "wilks": ".canonical",
}

__all__ = sorted(_HOMES)

__getattr__, __dir__ = exports(__name__, _HOMES)
