"""What travels with the rows: class labels and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.typing import Array


@dataclass(frozen=True)
class Labels:
    """Class labels as codes.

    Attributes
    ----------
    codes : array of shape (n,)
        Position of each row's class in `classes`; −1 where a row has none and the method allows that. Whole numbers of
        another library stay there.
    classes : ndarray of shape (K,)
        The distinct labels, sorted; categories of pandas, or of a polars Enum, in their own order.
    native : array or None
        An empty array of the library the labels came in, where that was not NumPy.
    order : ndarray or None
        All categories in their own order, where the labels have one.
    """

    codes: Array
    classes: np.ndarray
    native: Array | None = None
    order: np.ndarray | None = None

    @classmethod
    def read(cls, y: Any) -> Labels:
        """Read class labels from any one-dimensional array or column."""
        if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "iu" and not isinstance(y, np.ma.MaskedArray):
            return cls(*_codes_of_numbers(np.asarray(y)))
        refuse_lazy(y, "y")
        if namespaces.is_whole(y) and len(y.shape) == 1 and y.shape[0]:
            xp = namespaces.namespace(y)
            found = xp.unique_inverse(y)
            return cls(found.inverse_indices, namespaces.to_numpy(found.values), xp.asarray(y[:0], copy=True))
        values = as_column(y, "y")
        if values.ndim == 2 and values.shape[1] == 1:
            _warn_column_vector()
            values = values[:, 0]
        if values.ndim != 1:
            raise errors.InputError(
                f"y should be a 1d array of class labels, got an array of shape {tuple(values.shape)} instead."
            )
        native = None
        if namespaces.is_array(y) and not isinstance(y, np.ndarray):
            native = namespaces.namespace(y).asarray(y[:0], copy=True)
        if values.dtype.kind in "OUST":
            codes, classes = _codes_of_objects(values)
        else:
            _refuse_continuous(values)
            codes, classes = _codes_of_numbers(values)
        return cls(codes, classes, native)._in_order(_categories(y))

    def _in_order(self, categories: list[Any] | None) -> Labels:
        """Return the labels with classes in the order of categories."""
        if categories is None:
            return self
        rank = {category: place for place, category in enumerate(categories)}
        places = np.argsort([rank[label] for label in self.classes.tolist()], kind="stable")
        order = np.array(categories, dtype=self.classes.dtype)
        if (np.diff(places) > 0).all():  # they come in this order anyway
            return Labels(self.codes, self.classes, self.native, order)
        return Labels(np.argsort(places)[self.codes], self.classes[places], self.native, order)

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    def among(self, rows: np.ndarray) -> Labels:
        """Forget the classes that none of these rows has; the codes of other rows no longer mean anything."""
        codes = namespaces.to_numpy(self.codes)
        counted = codes[rows]
        present = np.bincount(counted[counted >= 0], minlength=len(self.classes)) > 0
        if present.all():
            return self
        moved = np.where(codes >= 0, (np.cumsum(present) - 1)[codes], -1)
        return Labels(moved, self.classes[present], self.native, self.order)


class LabelReader(Protocol):
    """How the second argument of a fit becomes labels.

    Attributes
    ----------
    settled : bool
        Whether rows can be read a few at a time; if not, all of y must be seen first.
    """

    @property
    def settled(self) -> bool: ...
    def read(self, y: Any, weight: np.ndarray | None) -> tuple[Labels, LabelReader]:
        """Return labels, and a settled reader that gives other parts of the same y theirs."""


class ClassReader:
    """y holds the labels."""

    settled = True

    def read(self, y: Any, weight: np.ndarray | None) -> tuple[Labels, ClassReader]:
        return Labels.read(y), self


def _categories(y: Any) -> list[Any] | None:
    """Return the categories of a column in their order, None where it has none: pandas categories, a polars Enum."""
    categories = getattr(getattr(y, "dtype", None), "categories", None)
    return None if categories is None or not hasattr(categories, "to_list") else categories.to_list()


def refuse_other_labels(y: Any, classes: Any) -> None:
    """Refuse labels that are not among the given classes."""
    unknown = np.setdiff1d(Labels.read(y).classes, np.asarray(classes))
    if len(unknown):
        raise errors.InputError(
            f"y has labels {errors.listed(map(repr, unknown.tolist()))} that are not among "
            f"classes={errors.listed(map(repr, np.asarray(classes).tolist()))}; correct them, or leave classes out: "
            "they are found on the way."
        )


def as_column(y: Any, name: str) -> np.ndarray:
    """Turn labels or weights of any library into a NumPy array, without reading their meaning."""
    if isinstance(y, np.ma.MaskedArray):
        raise errors.masked(name, int(np.ma.count_masked(y)))
    y = unlabelled(y)
    refuse_lazy(y, name)
    if namespaces.is_array(y):
        return namespaces.to_numpy(y)
    if hasattr(y, "to_numpy"):
        y = y.to_numpy(zero_copy_only=False) if type(y).__module__.startswith("pyarrow") else y.to_numpy()
    try:
        values = np.asarray(y)
    except ValueError as error:
        raise errors.ragged(name, error) from error
    if values.dtype.kind in "US" and isinstance(y, list | tuple) and not all(isinstance(v, str | bytes) for v in y):
        return np.array(y, dtype=object)  # NumPy would turn 1 and NaN among words into words
    return values


#: Libraries whose compute() or collect() gives no table that is read, and what does.
CONVERTED = {"pyspark": ("toPandas", "to_pandas"), "ray": ("to_pandas",)}


def unlabelled(values: Any) -> Any:
    """Return what an xarray DataArray that accompanies rows holds: in their order."""
    is_labelled = type(values).__module__.partition(".")[0] == "xarray" and hasattr(values, "dtype")
    return values.data if is_labelled else values


def given_target(y: Any) -> Any:
    """Return the y of a fit; refuse the name of a column in its place."""
    name = getattr(y, "y", y)  # slices are given with it
    if isinstance(name, str):
        raise errors.InputTypeError(
            f"y={name!r} is a single word, but y needs a value for each row. Pass the column itself, or name it: "
            f"fit(X, target={name!r})."
        )
    return unlabelled(y)


def refuse_lazy(values: Any, name: str) -> None:
    """Refuse tables whose rows are still to be computed (polars LazyFrame, Dask): they may not fit in memory."""
    library = type(values).__module__.partition(".")[0].lstrip("_")
    if library == "duckdb" and hasattr(values, "columns"):
        raise errors.InputTypeError(
            f"{name} is a {type(values).__name__}, whose rows have no fixed order relative to another table; keep "
            f"{name} as a column and name that, open_rows(relation, target=…, weight=…) or fit(relation, target=…)."
        )
    if library == "duckdb":
        raise errors.InputTypeError(
            f"{name} is a {type(values).__name__}, not rows; pass a relation, connection.sql('SELECT … FROM …')."
        )
    for verb in CONVERTED.get(library, ()):
        if callable(getattr(values, verb, None)):
            raise errors.InputTypeError(
                f"{name} is a {type(values).__name__}, which is not read as it is, since its rows may not fit in "
                f"memory; if they do, pass {name}.{verb}()."
            )
    for verb in ("collect", "compute"):
        if callable(getattr(values, verb, None)):
            raise errors.InputTypeError(
                f"{name} is a {type(values).__name__}, whose rows have not been computed, and it is not loaded "
                f"silently; pass {name}.{verb}() if it fits into memory, or open the file that it reads, "
                f"eigenlens.open_rows('rows.parquet')."
            )


def _refuse_continuous(values: np.ndarray) -> None:
    if values.dtype.kind == "c":
        raise errors.complex_numbers("y")
    if values.dtype.kind in "mM" and np.isnat(values).any():
        raise _target_nan(int(np.isnat(values).sum()))
    if values.dtype.kind == "f":
        missing = int(np.isnan(values).sum())
        if missing:
            raise _target_nan(missing)
        fractional = values != np.floor(values)
        if not np.isfinite(values).all() or fractional.any():
            raise errors.InputError(
                "Unknown label type: continuous. y holds numbers such as "
                f"{values[fractional | ~np.isfinite(values)][0].item()!r}, which are not class labels. Bin them "
                "(pandas.cut) or use a method for a numeric response, such as SIR."
            )


def _codes_of_numbers(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct values; by counting where their range is short, which takes no sort."""
    if values.dtype.kind in "iu" and values.size:
        low, high = int(values.min()), int(values.max())
        if high - low <= 4 * values.size:
            wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)  # 120 − (−120) is not an int8
            base = wide.dtype.type(low)
            offsets = (wide - base).astype(np.intp)
            present = np.bincount(offsets) > 0
            codes = (np.cumsum(present) - 1)[offsets]
            return codes, (np.flatnonzero(present).astype(wide.dtype) + base).astype(values.dtype)
    classes, codes = np.unique(values, return_inverse=True)
    return codes, classes


def _codes_of_objects(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct words; by hashing, an order of magnitude faster than sorting them all."""
    items = values.tolist()
    try:
        distinct = list(dict.fromkeys(items))
    except TypeError as error:
        raise errors.not_numbers("y", f"its entries are not labels ({error})") from error
    missing = [v for v in distinct if _is_missing(v)]
    if missing:
        raise _target_nan(sum(_is_missing(v) for v in items))
    if all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in distinct):
        numbers = np.asarray(items)
        _refuse_continuous(numbers)
        return _codes_of_numbers(numbers)
    try:
        distinct.sort()
    except TypeError as error:
        kinds = errors.listed(sorted({type(v).__name__ for v in distinct}))
        raise errors.InputTypeError(
            f"y mixes labels of different kinds ({kinds}); make them all of one kind."
        ) from error
    position = {label: k for k, label in enumerate(distinct)}
    codes = np.fromiter(map(position.__getitem__, items), dtype=np.intp, count=len(items))
    return codes, np.array(distinct, dtype=values.dtype)


def _is_missing(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _warn_column_vector() -> None:
    from sklearn.exceptions import DataConversionWarning

    message = "A column-vector y was passed when a 1d array was expected: y is read as its only column."
    errors.warn(DataConversionWarning(message))


def read_weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Read one weight per row; None where every row counts once."""
    if sample_weight is None:
        return None
    weight = as_column(sample_weight, "sample_weight")
    return check_weights(np.full(n, weight) if weight.ndim == 0 else weight, n)


SHARES = 1e-6  # how near to 1 a total must be for weights to be shares: they may come in single precision


def as_counts(weight: np.ndarray) -> np.ndarray:
    """Return weights as counts: those that add up to 1 are shares of the rows, and count on average once each."""
    return weight * float(np.count_nonzero(weight)) if are_shares(float(weight.sum())) else weight


def are_shares(total: float) -> bool:
    """Tell whether weights of this total are shares."""
    return abs(total - 1.0) <= SHARES


def given_as_counts(sample_weight: Any) -> Any:
    """Return weights for rows that lie elsewhere as counts; those that lie elsewhere too stay as they are."""
    if sample_weight is None or getattr(sample_weight, "ndim", 1) != 1 or hasattr(sample_weight, "__dask_graph__"):
        return sample_weight
    weight = as_column(sample_weight, "sample_weight")
    return as_counts(weight) if weight.dtype.kind in "biuf" else weight


WEIGHT_RANGE = 1e-50, 1e50  # of the largest weight: beyond, weighted squares leave the range of numbers


def check_weights(weight: np.ndarray, n: int, some: bool = True) -> np.ndarray:
    """Refuse what are not weights; with `some`, all of them must not be zero."""
    if weight.shape != (n,):
        raise errors.weight_shape(weight.shape, n)
    if weight.dtype.kind == "c":
        raise errors.complex_numbers("sample_weight")
    if weight.dtype.kind not in "biuf":
        raise errors.not_numbers("sample_weight", f"it holds {weight.dtype}")
    weight = weight.astype(np.float64)
    if not np.isfinite(weight).all():
        raise errors.weight_values("NaN or infinite", float(weight[~np.isfinite(weight)][0]))
    if (weight < 0).any():
        raise errors.weight_values("negative", float(weight.min()))
    if some and not weight.any():
        raise errors.weight_all_zero()
    with np.errstate(over="ignore"):
        if np.isinf(weight.sum()):
            raise errors.weight_values("too large", float(weight.max()))
    low, high = WEIGHT_RANGE
    largest = float(weight.max(initial=0.0))
    if largest > high or 0 < largest < low:
        raise errors.InputError(
            f"sample_weight goes up to {largest:g}, but its largest value must lie between {low:g} and {high:g}: "
            f"weighted sums of squares would leave the range of numbers. Weights count rows: divide them "
            f"all by {largest:g}."
        )
    return weight


def _target_nan(count: int) -> errors.InputError:
    return errors.InputError(
        f"y contains NaN ({count} missing labels). Drop those rows first: there is no class to learn from them."
    )
