"""Change one thing in model files, with a right checksum, and count what becomes of models that still load.

    python benchmarks/stress_models.py [changes=2500] [--start 0] [--only seed]

Each round fits a method, saves it, changes the shape, the type or some values of an array, an attribute or a class in
the file, loads it and asks the model for everything it gives for rows. An error of ours is a refusal; any other is raw.
"""

from __future__ import annotations

import argparse
import copy
import functools
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from eigenlens import load, save
from eigenlens.files import container
from eigenlens.files.registry import import_all, name_of
from eigenlens.testing import sample_for
from fuzz.judge import verdict_of
from variants import all_variants, regressor_variants

USES = ("transform", "predict", "predict_proba", "decision_function", "inverse_transform", "score")
DTYPES = ("<f8", "<f4", "<i8", "|b1", "<U3", "<c16", "|S4", "<M8[s]")
VALUES = (
    None,
    0,
    1,
    -1,
    7,
    10**9,
    0.5,
    "x",
    [],
    [1, 2],
    True,
    {"~": "float", "value": "nan"},
    {"~": "dict", "items": []},
)


@functools.cache
def files() -> list[tuple[str, Any, dict[str, Any], list[np.ndarray]]]:
    """Return title, rows, header and arrays of the file of every kind of model."""
    import_all()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for k, estimator in enumerate([*all_variants(), *regressor_variants()]):
            if any(name_of(type(part)) is None for part in estimator.get_params().values() if hasattr(part, "fit")):
                continue
            data = sample_for(estimator, target="table")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                path = save(estimator.fit(*data.arguments()), Path(folder) / f"{k}.eigenlens")
            with path.open("rb") as file:
                found.append((repr(estimator), data, *container.read(file, path)))
    return found


def changed(rng: np.random.Generator, header: dict[str, Any], arrays: list[np.ndarray]) -> str:
    """Change one thing in place and tell what."""
    how = rng.choice(
        ["shape", "type", "values", "attribute", "swap", "lost", "class"], p=[0.3, 0.1, 0.1, 0.2, 0.15, 0.1, 0.05]
    )
    if how in ("shape", "type", "values"):
        k = int(rng.integers(len(arrays)))
        before = arrays[k]
        arrays[k] = {"shape": reshaped, "type": retyped, "values": revalued}[how](rng, before)
        return f"{how} of array {k}: {before.dtype.str}{before.shape} → {arrays[k].dtype.str}{arrays[k].shape}"
    entry = header["objects"][int(rng.integers(len(header["objects"])))]
    if how == "class" or not entry["state"]:
        before, entry["class"] = (
            entry["class"],
            str(rng.choice([e["class"] for _, _, h, _ in files() for e in h["objects"]])),
        )
        return f"class {before} → {entry['class']}"
    k = int(rng.integers(len(entry["state"])))
    name, node = entry["state"][k]
    place = f"{entry['class']}.{name}"
    if how == "lost":
        del entry["state"][k]
        return f"{place} lost"
    if how == "attribute":
        entry["state"][k] = [name, VALUES[int(rng.integers(len(VALUES)))]]
        return f"{place} = {str(node)[:40]} → {entry['state'][k][1]}"
    other = header["objects"][int(rng.integers(len(header["objects"])))]
    theirs, there = other["state"][int(rng.integers(len(other["state"])))] if other["state"] else ("nothing", None)
    entry["state"][k] = [name, copy.deepcopy(there)]
    return f"{place} = {other['class']}.{theirs} ({str(there)[:40]})"


def reshaped(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    if array.ndim == 0 or rng.random() < 0.1:
        return array[None].copy()
    axis = int(rng.integers(array.ndim))
    ways = [
        lambda: np.delete(array, 0, axis) if array.shape[axis] else array[None].copy(),
        lambda: np.concatenate([array, array.take([-1], axis)], axis) if array.shape[axis] else array[None].copy(),
        lambda: np.swapaxes(array, axis, 0).copy() if array.ndim > 1 else array[:, None].copy(),
        lambda: array.take([], axis),
        lambda: array.ravel().copy(),
        lambda: array.take(0, axis).copy() if array.shape[axis] else array,
    ]
    return np.asarray(ways[int(rng.integers(len(ways)))]())


def retyped(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    dtype = np.dtype(str(rng.choice(DTYPES)))
    try:
        return np.asarray(array).astype(dtype)
    except (TypeError, ValueError):
        return np.zeros(array.shape, dtype)


def revalued(rng: np.random.Generator, array: np.ndarray) -> np.ndarray:
    made = array.copy()
    if made.dtype.kind not in "iuf" or not made.size:
        return made
    flat = made.reshape(-1)
    bad = [np.nan, np.inf, 1e308, -1e300, 0.0, -1.0] if made.dtype.kind == "f" else [-1, 0, 10**9, -(2**62), 7]
    flat[rng.integers(flat.size, size=int(rng.choice([1, flat.size])))] = bad[int(rng.integers(len(bad)))]
    return made


def write(path: Path, header: dict[str, Any], arrays: list[np.ndarray]) -> None:
    """Write a file with a right checksum, whatever is in it."""
    header = {name: part for name, part in header.items() if name not in ("format", "arrays")}
    with path.open("w+b") as file:
        container.write(file, header, arrays)


def uses(model: Any, data: Any) -> dict[str, Any]:
    """Return what a model can be asked for: actions by name."""
    actions: dict[str, Any] = {}
    for name in USES:
        if not hasattr(model, name):
            continue
        if name == "inverse_transform":
            actions[name] = lambda: model.inverse_transform(model.transform(data.X))
        elif name == "score":
            actions[name] = lambda: model.score(*data.arguments())
        else:
            actions[name] = functools.partial(lambda name: getattr(model, name)(data.X), name)
    actions["get_feature_names_out"] = lambda: getattr(model, "get_feature_names_out", list)()
    actions["repr"] = lambda: repr(model)
    return actions


def round_of(seed: int, folder: Path) -> tuple[str, list[Any]]:
    """Change the file of one seed; return what was changed and the verdicts."""
    rng = np.random.default_rng(seed)
    title, data, header, arrays = files()[int(rng.integers(len(files())))]
    header, arrays = copy.deepcopy(header), [array.copy() for array in arrays]
    what = f"{title}: {changed(rng, header, arrays)}"
    path = folder / "model.eigenlens"
    write(path, header, arrays)
    loaded, model = verdict_of("load", lambda: load(path))
    if model is None:
        return what, [loaded]
    verdicts = [loaded]
    for name, action in uses(model, data).items():
        verdicts.append(verdict_of(name, action)[0])
    return what, verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("changes", type=int, nargs="?", default=2500)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    seeds = [options.only] if options.only is not None else range(options.start, options.start + options.changes)
    counts: Counter = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            what, verdicts = round_of(seed, Path(folder))
            bad = [verdict for verdict in verdicts if verdict.outcome in ("raw", "hung")]
            counts[
                "refused by load" if len(verdicts) == 1 and not bad else "raw or hung" if bad else "loaded and used"
            ] += 1
            for verdict in bad:
                print(f"{seed}: {what}\n    {verdict.outcome} in {verdict.call}: {verdict.error}", flush=True)
                if options.only is not None:
                    print(verdict.trace)
    print(f"{sum(counts.values()):,} changed files:", dict(counts))
    return int(counts["raw or hung"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
