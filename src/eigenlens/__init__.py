"""See a table in a few dimensions, and know which directions are real.

Nearly every method of this field is one pass that collects mergeable moments, one small symmetric eigenproblem, and a
subspace to look through. Names are loaded when they are first used, so importing eigenlens is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .arrays.lazy import exports

if TYPE_CHECKING:  # the same names for type checkers, under the names that they are exported by
    from . import (
        displays as displays,
        distances as distances,
        exceptions as exceptions,
        files as files,
        inference as inference,
        kernels as kernels,
        moments as moments,
        regress as regress,
        rows as rows,
        solve as solve,
        study as study,
        testing as testing,
        validation as validation,
    )
    from .arrays.summaries import Summary as Summary
    from .exceptions import (
        ConditionWarning as ConditionWarning,
        EigenlensWarning as EigenlensWarning,
        RangeWarning as RangeWarning,
        RankWarning as RankWarning,
    )
    from .files import load as load, save as save
    from .methods.cca import CCA as CCA
    from .methods.classical_mds import ClassicalMDS as ClassicalMDS
    from .methods.correspondence_analysis import CorrespondenceAnalysis as CorrespondenceAnalysis
    from .methods.directional_regression import DirectionalRegression as DirectionalRegression
    from .methods.fda import FDA as FDA
    from .methods.kernel_machine import KernelClassifier as KernelClassifier, KernelRegressor as KernelRegressor
    from .methods.kernel_pca import KernelPCA as KernelPCA
    from .methods.lda import LDA as LDA
    from .methods.localized_sir import LocalizedSIR as LocalizedSIR
    from .methods.mda import MDA as MDA
    from .methods.mixed_pca import MixedPCA as MixedPCA
    from .methods.pca import PCA as PCA
    from .methods.pda import PDA as PDA
    from .methods.principal_hessian_directions import PrincipalHessianDirections as PrincipalHessianDirections
    from .methods.qda import QDA as QDA
    from .methods.robust_pca import RobustPCA as RobustPCA
    from .methods.rotation import Rotation as Rotation
    from .methods.row_diagnosis import Diagnosis as Diagnosis
    from .methods.save import SAVE as SAVE
    from .methods.sir import SIR as SIR
    from .methods.sparse_pca import SparsePCA as SparsePCA
    from .rows import open_rows as open_rows, write_rows as write_rows
    from .solve.subspace import Subspace as Subspace
    from .study.notebook import report as report

__version__ = "0.1.0.dev0"

_HOMES = {
    "CCA": ".methods.cca",
    "ClassicalMDS": ".methods.classical_mds",
    "ConditionWarning": ".exceptions",
    "CorrespondenceAnalysis": ".methods.correspondence_analysis",
    "Diagnosis": ".methods.row_diagnosis",
    "DirectionalRegression": ".methods.directional_regression",
    "EigenlensWarning": ".exceptions",
    "FDA": ".methods.fda",
    "KernelClassifier": ".methods.kernel_machine",
    "KernelPCA": ".methods.kernel_pca",
    "KernelRegressor": ".methods.kernel_machine",
    "LDA": ".methods.lda",
    "LocalizedSIR": ".methods.localized_sir",
    "MDA": ".methods.mda",
    "MixedPCA": ".methods.mixed_pca",
    "PCA": ".methods.pca",
    "PDA": ".methods.pda",
    "PrincipalHessianDirections": ".methods.principal_hessian_directions",
    "QDA": ".methods.qda",
    "RangeWarning": ".exceptions",
    "RankWarning": ".exceptions",
    "RobustPCA": ".methods.robust_pca",
    "Rotation": ".methods.rotation",
    "SAVE": ".methods.save",
    "SIR": ".methods.sir",
    "SparsePCA": ".methods.sparse_pca",
    "Subspace": ".solve.subspace",
    "Summary": ".arrays.summaries",
    "load": ".files",
    "open_rows": ".rows",
    "report": ".study.notebook",
    "save": ".files",
    "write_rows": ".rows",
}
_ROOMS = (
    "displays",
    "distances",
    "exceptions",
    "files",
    "inference",
    "kernels",
    "moments",
    "regress",
    "rows",
    "solve",
    "study",
    "testing",
    "validation",
)

__all__ = sorted([*_HOMES, *_ROOMS])

__getattr__, __dir__ = exports(__name__, _HOMES, _ROOMS)
