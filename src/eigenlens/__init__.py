"""See a table in a few dimensions, and know which directions are real.

Nearly every method of this field is one pass that collects mergeable moments, one small symmetric eigenproblem, and a
subspace to look through. Names are loaded when they are first used, so that importing eigenlens is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._core.lazy import exports

if TYPE_CHECKING:
    from . import (
        distances,
        exceptions,
        files,
        inference,
        kernels,
        moments,
        regress,
        report,
        sources,
        spectral,
        study,
        tables,
        testing,
        validation,
    )
    from ._core.errors import ConditionWarning, EigenlensWarning, RangeWarning, RankWarning
    from .files import load, save
    from .methods._diagnosed import Diagnosis
    from .methods._rotated import Rotation
    from .methods._summary import Summary
    from .methods.cca import CCA
    from .methods.classical_mds import ClassicalMDS
    from .methods.correspondence_analysis import CorrespondenceAnalysis
    from .methods.directional_regression import DirectionalRegression
    from .methods.fda import FDA
    from .methods.kernel_machine import KernelClassifier, KernelRegressor
    from .methods.kernel_pca import KernelPCA
    from .methods.lda import LDA
    from .methods.localized_sir import LocalizedSIR
    from .methods.mda import MDA
    from .methods.mixed_pca import MixedPCA
    from .methods.pca import PCA
    from .methods.pda import PDA
    from .methods.qda import QDA
    from .methods.robust_pca import RobustPCA
    from .methods.save import SAVE
    from .methods.sir import SIR
    from .methods.sparse_pca import SparsePCA
    from .sources import open_rows, write_rows
    from .subspace import Subspace

__version__ = "0.1.0.dev0"

_HOMES = {
    "CCA": ".methods.cca",
    "ClassicalMDS": ".methods.classical_mds",
    "ConditionWarning": "._core.errors",
    "CorrespondenceAnalysis": ".methods.correspondence_analysis",
    "Diagnosis": ".methods._diagnosed",
    "DirectionalRegression": ".methods.directional_regression",
    "EigenlensWarning": "._core.errors",
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
    "QDA": ".methods.qda",
    "RangeWarning": "._core.errors",
    "RankWarning": "._core.errors",
    "RobustPCA": ".methods.robust_pca",
    "Rotation": ".methods._rotated",
    "SAVE": ".methods.save",
    "SIR": ".methods.sir",
    "SparsePCA": ".methods.sparse_pca",
    "Subspace": ".subspace",
    "Summary": ".methods._summary",
    "load": ".files",
    "open_rows": ".sources",
    "save": ".files",
    "write_rows": ".sources",
}
_ROOMS = (
    "distances",
    "exceptions",
    "files",
    "inference",
    "kernels",
    "moments",
    "regress",
    "report",
    "sources",
    "spectral",
    "study",
    "tables",
    "testing",
    "validation",
)

__all__ = [
    "CCA",
    "FDA",
    "LDA",
    "MDA",
    "PCA",
    "PDA",
    "QDA",
    "SAVE",
    "SIR",
    "ClassicalMDS",
    "ConditionWarning",
    "CorrespondenceAnalysis",
    "Diagnosis",
    "DirectionalRegression",
    "EigenlensWarning",
    "KernelClassifier",
    "KernelPCA",
    "KernelRegressor",
    "LocalizedSIR",
    "MixedPCA",
    "RangeWarning",
    "RankWarning",
    "RobustPCA",
    "Rotation",
    "SparsePCA",
    "Subspace",
    "Summary",
    "distances",
    "exceptions",
    "files",
    "inference",
    "kernels",
    "load",
    "moments",
    "open_rows",
    "regress",
    "report",
    "save",
    "sources",
    "spectral",
    "study",
    "tables",
    "testing",
    "validation",
    "write_rows",
]

__getattr__, __dir__ = exports(__name__, _HOMES, _ROOMS)
