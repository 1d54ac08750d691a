"""Save and load fitted models."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol, TypeVar, overload

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..arrays import errors
from ..arrays.printable import printable
from ..arrays.typing import Array, TableLike
from ..moments import Moments
from ..rows.writing import replaced, require_folder
from . import container
from .rehearsal import rehearse
from .state import Decoder, Encoder

Loaded = TypeVar("Loaded")


class LoadedModel(Protocol):
    """What a file holds whose class was not named: what most models have, and anything that its own class adds."""

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def transform(self, X: TableLike) -> Array: ...
    def predict(self, X: TableLike) -> Array: ...
    def predict_proba(self, X: TableLike) -> Array: ...
    def score(self, X: TableLike, y: Any = None, sample_weight: Any = None) -> float: ...
    def __getattr__(self, name: str) -> Any: ...


def save(
    model: Any, path: str | os.PathLike[str], *, overwrite: bool = True, about: dict[str, Any] | None = None
) -> Path:
    """Write a fitted model to a file that `load` reads without running code.

    The file is a JSON header and raw arrays. It is written under a temporary name and renamed when it is complete and
    on the disk: an interruption leaves either the old file or the complete new one.

    Parameters
    ----------
    model : fitted estimator or moments
        Any estimator of this package, or a scikit-learn Pipeline of them. Arrays on a device are saved as NumPy arrays.
    path : path
        Usually ending in .eigenlens.
    overwrite : bool
        Whether an existing file may be replaced.
    about : dict, optional
        Notes to keep with the model: text, numbers, lists and dictionaries of them. `describe` returns them.

    Returns
    -------
    path : Path

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from eigenlens import PCA, load, save
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> pca = PCA(2).fit(X)
    >>> path = save(pca, os.path.join(tempfile.mkdtemp(), "pca.eigenlens"))
    >>> bool(np.array_equal(load(path).transform(X), pca.transform(X)))
    True
    """
    if not isinstance(path, str | os.PathLike):
        raise errors.InputTypeError(f"path is a {type(path).__name__}, not the name of a file; use save(model, path).")
    path = Path(path)
    if path.suffix.lower() == ".json":
        raise errors.InputError(
            f"path={str(path)!r} ends in .json, and model files are not text; end it in .eigenlens. For a channel that "
            "carries only text, send base64.b64encode(path.read_bytes())."
        )
    _require_content(model)
    require_folder(path)
    if path.exists() and not overwrite:
        raise errors.file_exists(path)
    encoder = Encoder()
    root = encoder.node(model, type(model).__name__)
    header = {
        "model": root,
        "objects": encoder.objects,
        "about": _plain_notes(about),
        "versions": {name: _version(name) for name in ("eigenlens", *sorted(encoder.foreign))},
    }
    with replaced(path) as file:
        container.write(file, header, encoder.arrays)
    return path


def _require_content(model: Any) -> None:
    """Refuse a model that is not fitted, and moments that have seen no row."""
    if isinstance(model, Moments):
        _ = model.n_features  # refuses moments that have seen nothing
        return
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise errors.InputError(
            f"This {type(model).__name__} is not fitted, so there is nothing to save; call fit first."
        ) from None


@overload
def load(path: str | os.PathLike[str]) -> LoadedModel: ...
@overload
def load(path: str | os.PathLike[str], kind: type[Loaded]) -> Loaded: ...
def load(path: str | os.PathLike[str], kind: type | None = None) -> Any:
    """Read a model that `save` wrote; nothing in the file is run.

    Parameters
    ----------
    path : path
    kind : class, optional
        What the file must hold, such as `LDA`; anything else is refused. Editors then know the type of the result.

    Returns
    -------
    model : fitted estimator or moments
        The same to the last bit, with NumPy arrays.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import LDA, load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> path = save(LDA().fit(X, y), pathlib.Path(tempfile.mkdtemp()) / "iris.eigenlens")
    >>> load(path).predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """
    path = Path(path)
    with container.opened(path) as file:
        header, arrays = container.read(file, path)
        size = os.fstat(file.fileno()).st_size
    try:
        decoder = Decoder(header.get("objects"), arrays)
        model = decoder.value(header.get("model"))
    except errors.ModelFileError as error:
        raise errors.not_a_model(path, str(error)) from None
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise errors.damaged(path, str(error) or type(error).__name__) from None
    if not isinstance(model, BaseEstimator | Moments):
        raise errors.damaged(path, "what it holds is not an estimator")
    try:
        rehearse(model, size)
    except ValueError as error:
        raise errors.damaged(path, str(error)) from None
    if kind is not None and not isinstance(model, kind):
        raise errors.ModelFileError(f"{path} holds a {type(model).__name__}, but kind={kind.__name__} was asked for.")
    _compare_versions(path, header.get("versions"))
    return model


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the header of a model file: its class, parts, versions and notes; no array is read.

    Parameters
    ----------
    path : path

    Returns
    -------
    description : dict
        "format" of the file; "classes" of all parts by the names that files give them, the model's own first; "arrays"
        as (type, shape); "versions"; "about"; "bytes".

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from eigenlens import PCA, save
    >>> from eigenlens.files import describe
    >>> path = save(PCA(2).fit(load_iris().data), pathlib.Path(tempfile.mkdtemp()) / "iris.eigenlens")
    >>> describe(path)["classes"][0]
    'PCA'
    """
    path = Path(path)
    with container.opened(path) as file:
        header, lengths = container.read_header(file, path, verify=True)
    arrays = container.checked_entries(header, lengths, path)
    objects, versions, notes = (header.get(name) for name in ("objects", "versions", "about"))
    if not isinstance(objects, list) or not all(isinstance(entry, dict) for entry in objects):
        raise errors.damaged(path, "its header does not list its parts")
    if not isinstance(versions, dict) or not isinstance(notes, dict):
        raise errors.damaged(path, "its notes are not notes")
    return {
        "format": header["format"],
        "classes": [str(entry.get("class")) for entry in objects],
        "arrays": [(dtype.str, shape) for dtype, shape, _, _ in arrays],
        "versions": {str(name): str(value) for name, value in versions.items()},
        "about": notes,
        "bytes": path.stat().st_size,
    }


def _plain_notes(about: dict[str, Any] | None) -> dict[str, Any]:
    """Return notes that JSON holds as they are."""
    import json

    try:
        return json.loads(json.dumps(about or {}, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise errors.InputTypeError(
            f"about={about!r} must be made of text, finite numbers, lists and dictionaries with text as keys ({error})."
        ) from error


def _version(library: str) -> str:
    name = {"sklearn": "scikit-learn"}.get(library, library)
    try:
        return version(name)
    except PackageNotFoundError:
        return str(import_module(library).__version__)


def _compare_versions(path: Path, versions: Any) -> None:
    """Warn where parts of another library came from another version of it."""
    for library, saved in versions.items() if isinstance(versions, dict) else ():
        if library in ("sklearn", "scipy") and saved != _version(library):
            errors.warn(
                errors.VersionWarning(
                    f"{path} holds parts of {library} {printable(str(saved)[:40])}, and {library} {_version(library)} "
                    "is installed, which may read them differently; check a few predictions, or fit again."
                )
            )
