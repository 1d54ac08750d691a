"""What can be wrong with a model file, in words."""

from __future__ import annotations

from pathlib import Path

from ._kinds import EigenlensWarning, InputError, InputTypeError


class ModelFileError(InputError):
    """A file is not a model file, is damaged, or holds what this version does not know."""


class VersionWarning(EigenlensWarning):
    """A model was saved with another version of a library whose parts it holds."""


def not_a_model(path: Path, why: str) -> ModelFileError:
    return ModelFileError(
        f"{path} is not a model file of eigenlens: {why}. Model files are written by eigenlens.save or by the "
        f"command `eigenlens fit`."
    )


def damaged(path: Path, why: str) -> ModelFileError:
    return ModelFileError(f"{path} is damaged: {why}. Nothing of it was loaded; get the file again, or fit again.")


def newer_format(path: Path, found: int, known: int) -> ModelFileError:
    return ModelFileError(
        f"{path} has format version {found}, and this eigenlens reads up to version {known}; "
        f"upgrade with pip install -U eigenlens."
    )


def unknown_class(name: str) -> ModelFileError:
    return ModelFileError(
        f"it speaks of the class {name!r}, which is not among those that model files may hold; it comes from another "
        f"version of eigenlens, or was made by hand"
    )


def cannot_hold(place: str, kind: str) -> InputTypeError:
    return InputTypeError(
        f"{place} is a {kind}, which model files do not hold: they keep numbers, text and the classes of eigenlens, so "
        f"that loading runs no code. Use pickle or joblib for this model, if you trust whoever will send it back."
    )


def not_fitted(kind: str) -> InputError:
    return InputError(f"This {kind} is not fitted, so that there is nothing to save; call fit first.")


def other_version(path: Path, library: str, saved: str, here: str) -> VersionWarning:
    return VersionWarning(
        f"{path} holds parts of {library} {saved}, and {library} {here} is installed, which may read them otherwise; "
        f"check a few predictions, or fit again."
    )


def not_linear(kind: str, why: str) -> InputTypeError:
    return InputTypeError(f"{kind} cannot be written as ONNX: {why}. Use eigenlens.save, or pickle.")
