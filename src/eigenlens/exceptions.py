"""Errors and warnings by name, to catch or to filter: all errors are ValueErrors, all warnings EigenlensWarnings."""

from ._core.errors import (
    ConditionWarning,
    ConstantFitWarning,
    EigenlensWarning,
    InputError,
    InputTypeError,
    NotConvergedWarning,
    PerfectFitWarning,
    RangeWarning,
    RankWarning,
    SeparationError,
    SliceWarning,
    SubclassWarning,
    WeightWarning,
)
from ._core.errors.decomposition import MissingWarning
from ._core.errors.distances import PrecomputedWarning, SelfDistanceWarning
from ._core.errors.files import ModelFileError, VersionWarning
from ._core.errors.inference import BootstrapWarning
from ._core.errors.kernels import IndefiniteWarning, LandmarkWarning
from ._core.errors.memory import TooLargeError

__all__ = [
    "BootstrapWarning",
    "ConditionWarning",
    "ConstantFitWarning",
    "EigenlensWarning",
    "IndefiniteWarning",
    "InputError",
    "InputTypeError",
    "LandmarkWarning",
    "MissingWarning",
    "ModelFileError",
    "NotConvergedWarning",
    "PerfectFitWarning",
    "PrecomputedWarning",
    "RangeWarning",
    "RankWarning",
    "SelfDistanceWarning",
    "SeparationError",
    "SliceWarning",
    "SubclassWarning",
    "TooLargeError",
    "VersionWarning",
    "WeightWarning",
]
