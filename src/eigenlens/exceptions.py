"""Errors and warnings by name, to catch or to filter: all errors are ValueErrors, all warnings EigenlensWarnings."""

from sklearn.exceptions import ConvergenceWarning

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
    "NothingLeftError",
    "PerfectFitWarning",
    "PrecomputedWarning",
    "RangeWarning",
    "RankWarning",
    "ScaleWarning",
    "SelfDistanceWarning",
    "SeparationError",
    "SliceWarning",
    "SubclassWarning",
    "TooLargeError",
    "VersionWarning",
    "WeightWarning",
]


class InputError(ValueError):
    """The data or an argument cannot be used as given."""


class NothingLeftError(InputError):
    """Every column of a table was left out."""


class SeparationError(InputError):
    """A column separates classes without any spread within them, so the ratio of the two is infinite."""


class InputTypeError(TypeError, ValueError):
    """The data or an argument is of a kind that cannot be used."""


class EigenlensWarning(UserWarning):
    """Root of the warnings of this package."""


class RankWarning(EigenlensWarning):
    """Some directions carry nothing and were dropped."""


class ConditionWarning(EigenlensWarning):
    """The data are so nearly collinear that digits were lost."""


class RangeWarning(EigenlensWarning):
    """A number is too large, too small or too long for its floating-point type."""


class ScaleWarning(EigenlensWarning):
    """One column dominates because its unit differs from the others."""


class WeightWarning(EigenlensWarning):
    """Weights look like shares although they count rows."""


class NotConvergedWarning(EigenlensWarning, ConvergenceWarning):
    """An iteration ended before it converged."""


class SliceWarning(EigenlensWarning):
    """The slices of the response are not those asked for, or X bends along them.

    Attributes
    ----------
    linearity : Linearity, optional
        How far X bends.
    """

    linearity: object = None


class ConstantFitWarning(EigenlensWarning):
    """A regression sees nothing in its rows that separates the classes."""


class PerfectFitWarning(EigenlensWarning):
    """A regression reproduces the classes of its rows exactly, so nothing measures the spread within them."""


class SubclassWarning(EigenlensWarning):
    """Subclasses were empty and were dropped."""


class CommandError(InputError):
    """A command cannot be carried out as given."""


class MissingWarning(EigenlensWarning):
    """So many cells are missing that the answer is uncertain."""


class PrecomputedWarning(EigenlensWarning):
    """Rows of features look like a table of distances."""


class SelfDistanceWarning(EigenlensWarning):
    """A metric finds rows at a distance from themselves."""


class ModelFileError(InputError):
    """A file is not a model file, is damaged, or holds what this version does not know."""


class VersionWarning(EigenlensWarning):
    """A model was saved with another version of a library whose parts it holds."""


class BootstrapWarning(EigenlensWarning):
    """The replicates are too few, or some of them could not be fitted."""


class IndefiniteWarning(EigenlensWarning):
    """Negative eigenvalues of a kernel matrix were set to zero."""


class LandmarkWarning(EigenlensWarning):
    """Landmarks miss a large part of the kernel."""


class TooLargeError(InputError, MemoryError):
    """The work needs more memory than there is."""
