"""Objects as JSON: plain values as they are, everything else as {"~": kind, …}.

Instances and arrays are listed once and referred to by their number, so that what was shared is shared again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays import errors, namespaces
from ..arrays.stored import Kind
from ..moments.base import Moments
from .checks import check_keys, check_tree, checked
from .container import PLAIN
from .registry import FOREIGN, class_of, kind_named, name_of

DEPTH = 60  # of lists within lists; models have fewer than ten
TAG = "~"


class Encoder:
    """Turns objects into nodes, and collects the instances and arrays they refer to."""

    def __init__(self) -> None:
        self.objects: list[dict[str, Any]] = []
        self.arrays: list[np.ndarray] = []
        self.foreign: set[str] = set()  # libraries whose classes were met
        self._objects_seen: dict[int, int] = {}
        self._arrays_seen: dict[int, int] = {}
        self._alive: list[Any] = []  # an object that died would lend its id to another

    def node(self, value: Any, place: str) -> Any:
        """Return the node of a value; `place` says, for a message, where it was found."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {TAG: "float", "value": repr(value)}
        if kind is list:
            return [self.node(item, f"{place}[{j}]") for j, item in enumerate(value)]
        if kind is tuple:
            return {TAG: "tuple", "items": [self.node(item, f"{place}[{j}]") for j, item in enumerate(value)]}
        if kind is dict:
            pairs = [[self.node(k, place), self.node(v, f"{place}[{k!r}]")] for k, v in value.items()]
            return {TAG: "dict", "items": pairs}
        if kind.__name__ == "dtype" and not isinstance(
            value, np.dtype
        ):  # of a device's library, whose arrays become ours
            value = np.dtype(str(value).rpartition(".")[2])
        if isinstance(value, np.dtype):
            return {TAG: "dtype", "name": self._plain(value, place).str}
        if isinstance(value, np.generic):
            return {TAG: "scalar", "array": self._array(np.asarray(value), place)}
        return self._large(value, place)

    def _large(self, value: Any, place: str) -> Any:
        if type(value) is np.ndarray and value.dtype.kind == "O":
            items = [self.node(item, f"{place}[{j}]") for j, item in enumerate(value.ravel())]
            return {TAG: "objects", "shape": list(value.shape), "items": items}
        if type(value) is np.ndarray or (namespaces.is_array(value) and not isinstance(value, np.ndarray)):
            return {TAG: "array", "array": self._array(value, place)}
        if isinstance(value, type):
            if name_of(value) is None or not issubclass(value, Moments):
                raise _cannot_hold(place, f"class ({value.__name__})")
            return {TAG: "class", "name": name_of(value)}
        return {TAG: "object", "object": self._object(value, place)}

    def _object(self, value: Any, place: str) -> int:
        if id(value) in self._objects_seen:
            return self._objects_seen[id(value)]
        cls, name = type(value), name_of(type(value))
        if name is None:
            raise _cannot_hold(place, f"{cls.__module__}.{cls.__name__}")
        if name in FOREIGN:
            self.foreign.add(FOREIGN[name].library)
        number = self._objects_seen[id(value)] = len(self.objects)
        self._alive.append(value)
        entry: dict[str, Any] = {"class": name}
        self.objects.append(entry)
        state = _state(value, place)
        if name == "sklearn.Pipeline":
            state["memory"] = None  # a folder of this machine
        entry["state"] = [[key, self.node(part, f"{place}.{key}")] for key, part in state.items()]
        return number

    def _array(self, value: Any, place: str) -> int:
        if id(value) in self._arrays_seen:
            return self._arrays_seen[id(value)]
        host = value if isinstance(value, np.ndarray) else namespaces.to_numpy(value)
        self._plain(host.dtype, place)
        number = self._arrays_seen[id(value)] = len(self.arrays)
        self._alive.append(value)
        self.arrays.append(host)
        return number

    @staticmethod
    def _plain(dtype: np.dtype, place: str) -> np.dtype:
        if dtype.kind not in "biufcUSmM" or dtype.hasobject or dtype.itemsize == 0 or dtype.str == "<f16":
            raise _cannot_hold(place, f"array of {dtype}")
        return dtype


def _state(value: Any, place: str) -> dict[str, Any]:
    """Return the attributes of an instance: as it hands them to pickle, slots included."""
    state = value.__getstate__()
    if isinstance(state, tuple) and len(state) == 2:  # the attributes, and those in slots
        state = {**(state[0] or {}), **(state[1] or {})}
    if state is None:
        return {}
    if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
        raise _cannot_hold(place, f"{type(value).__name__} with a state of its own making")
    return {key: part for key, part in state.items() if key != "_sklearn_version"}


class Decoder:
    """Builds objects from nodes; whatever does not fit raises ValueError with the reason."""

    def __init__(self, objects: Any, arrays: list[np.ndarray]) -> None:
        if not isinstance(objects, list) or not all(isinstance(entry, dict) for entry in objects):
            raise ValueError("its header does not list the objects")
        self.arrays = arrays
        kinds = [kind_named(entry.get("class")) for entry in objects]
        self.objects: list[Any] = [object.__new__(kind.cls) for kind in kinds]
        self._parts: list[list[int]] = [[] for _ in objects]  # the numbers of the objects that each refers to
        self._met: list[int] = []
        for number, (kind, entry) in enumerate(zip(kinds, objects, strict=True)):
            self._met = self._parts[number]
            self._fill(self.objects[number], kind, entry.get("state"))
        for number in check_tree(self._parts):
            self._upgrade(kinds[number], self.objects[number])

    def _fill(self, made: Any, kind: Kind, state: Any) -> None:
        if not isinstance(state, list):
            raise ValueError("an object has no list of attributes")
        attributes: dict[str, Any] = {}
        for pair in state:
            if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str):
                raise ValueError("an attribute is not a name and a value")
            name = kind.renamed.get(pair[0], pair[0])
            if name is None:
                continue
            if not name.isidentifier() or name.startswith("__") or name in attributes:
                raise ValueError(f"an attribute is called {name[:40]!r}")
            attributes[name] = self.value(pair[1])
        for name, part in checked(kind, attributes).items():
            object.__setattr__(made, name, part)

    @staticmethod
    def _upgrade(kind: Kind, made: Any) -> None:
        """Bring an object of an older file to the state of today."""
        try:
            if kind.upgrade is not None:
                kind.upgrade(made)
        except Exception as error:  # whatever a file may hold
            raise ValueError(f"the parts of a {kind.cls.__name__} do not fit together") from error

    def value(self, node: Any, depth: int = 0) -> Any:
        """Return what a node stands for."""
        if depth > DEPTH:
            raise ValueError("its parts are nested too deeply")
        if node is None or isinstance(node, bool | int | float | str):
            return node
        if isinstance(node, list):
            return [self.value(item, depth + 1) for item in node]
        make = MAKERS.get(node.get(TAG)) if isinstance(node.get(TAG), str) else None
        if make is None:
            raise ValueError(f"it holds a part of the unknown kind {str(node.get(TAG))[:40]!r}")
        return make(self, node, depth + 1)

    def items(self, node: dict[str, Any], depth: int) -> list[Any]:
        items = node.get("items")
        if not isinstance(items, list):
            raise ValueError("a part has no list of items")
        return [self.value(item, depth) for item in items]

    def numbered(self, table: list[Any], number: Any) -> Any:
        if type(number) is not int or not 0 <= number < len(table):
            raise ValueError("it refers to a part that does not exist")
        return table[number]

    def _float(self, node: dict[str, Any], depth: int) -> float:
        if node.get("value") not in ("nan", "inf", "-inf"):
            raise ValueError("a number is not one")
        return float(node["value"])

    def _dict(self, node: dict[str, Any], depth: int) -> dict[Any, Any]:
        pairs = self.items(node, depth)
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise ValueError("a dictionary is not made of pairs")
        check_keys([key for key, _ in pairs])
        return dict(pairs)

    def _class(self, node: dict[str, Any], depth: int) -> type:
        found = class_of(node.get("name"))
        if not issubclass(found, Moments):  # which remember what they are moments of; nobody needs to call others
            raise ValueError(f"it holds the class {found.__name__} rather than an instance")
        return found

    def _object(self, node: dict[str, Any], depth: int) -> Any:
        found = self.numbered(self.objects, node.get("object"))
        self._met.append(node["object"])
        return found

    def _dtype(self, node: dict[str, Any], depth: int) -> np.dtype:
        name = node.get("name")
        if not isinstance(name, str) or not PLAIN.fullmatch(name):
            raise ValueError("a type is not known")
        return np.dtype(name)

    def _scalar(self, node: dict[str, Any], depth: int) -> np.generic:
        array = self.numbered(self.arrays, node.get("array"))
        if array.shape != ():
            raise ValueError("a number is a table")
        return array[()]

    def _objects(self, node: dict[str, Any], depth: int) -> np.ndarray:
        items, shape = self.items(node, depth), node.get("shape")
        whole = isinstance(shape, list) and len(shape) <= 32 and all(type(n) is int and 0 <= n < 2**62 for n in shape)
        if not whole or math.prod(shape) != len(items):  # type: ignore[arg-type]
            raise ValueError("an array of objects has an impossible shape")
        flat = np.empty(len(items), dtype=object)
        flat[:] = items
        return flat.reshape(shape)


MAKERS: dict[str, Any] = {
    "float": Decoder._float,
    "tuple": lambda self, node, depth: tuple(self.items(node, depth)),
    "dict": Decoder._dict,
    "dtype": Decoder._dtype,
    "scalar": Decoder._scalar,
    "objects": Decoder._objects,
    "array": lambda self, node, depth: self.numbered(self.arrays, node.get("array")),
    "class": Decoder._class,
    "object": Decoder._object,
}


def _cannot_hold(place: str, kind: str) -> errors.InputTypeError:
    return errors.InputTypeError(
        f"{place} is a {kind}, which model files do not hold: they keep numbers, text and the classes of eigenlens, so "
        f"loading runs no code. Use pickle or joblib for this model, if you trust whoever will send it back."
    )
