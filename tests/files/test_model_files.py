"""Model files: the same to the last bit, harmless whatever the file holds, and whole or not there."""

import hashlib
import json
import os
import pickle
import random
import resource
import signal
import struct
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenlens import FDA, LDA, PCA, SIR, load, save
from eigenlens.exceptions import ModelFileError, VersionWarning
from eigenlens.files import container, describe
from eigenlens.files.registry import import_all, name_of
from eigenlens.testing import sample, sample_for
from variants import all_variants, regressor_variants

EVERY = [*all_variants(), *regressor_variants()]
OWN = [e for e in EVERY if not any(name_of(type(p)) is None for p in e.get_params().values() if hasattr(p, "fit"))]


def fitted(estimator):
    data = sample_for(estimator, target="table")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(*data.arguments()), data


def assert_bitwise(ours, theirs, place="", seen=None):
    """Compare two object graphs: types, layouts, bits, and what is shared."""
    seen = {} if seen is None else seen
    if id(ours) in seen:
        assert seen[id(ours)] == id(theirs), f"{place} was shared and is not any more"
        return
    assert type(ours) is type(theirs), place
    if isinstance(ours, np.ndarray):
        seen[id(ours)] = id(theirs)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), place
        if ours.dtype.kind == "O":
            assert ours.tolist() == theirs.tolist(), place
        else:
            assert np.ascontiguousarray(ours).tobytes() == np.ascontiguousarray(theirs).tobytes(), place
        assert ours.flags.f_contiguous <= theirs.flags.f_contiguous, f"{place} has lost its layout"
    elif isinstance(ours, float):
        assert struct.pack("d", ours) == struct.pack("d", theirs), place
    elif isinstance(ours, dict):
        assert list(ours) == list(theirs), place
        for key in ours:
            assert_bitwise(ours[key], theirs[key], f"{place}[{key!r}]", seen)
    elif isinstance(ours, list | tuple):
        assert len(ours) == len(theirs), place
        for j, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_bitwise(a, b, f"{place}[{j}]", seen)
    elif type(ours).__module__.startswith("eigenlens"):
        seen[id(ours)] = id(theirs)
        assert_bitwise(attributes(ours), attributes(theirs), place, seen)
    else:
        assert ours == theirs, place


def attributes(thing):
    state = thing.__getstate__()
    return {**(state[0] or {}), **state[1]} if isinstance(state, tuple) else state or {}


@pytest.mark.parametrize("estimator", OWN, ids=repr)
def test_every_estimator_comes_back_to_the_last_bit(estimator, tmp_path):
    model, data = fitted(estimator)
    restored = load(save(model, tmp_path / "model.eigenlens"))
    assert_bitwise(model, restored)
    for method in ("transform", "predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            assert np.asarray(getattr(model, method)(data.X)).tobytes() == (
                np.asarray(getattr(restored, method)(data.X)).tobytes()
            )
    assert save(restored, tmp_path / "again").read_bytes() == (tmp_path / "model.eigenlens").read_bytes()


def test_the_walk_has_found_the_package():
    assert {"PCA", "LDA", "FDA", "MDA", "SIR", "CCA", "AdaptiveSplines"} <= {type(e).__name__ for e in OWN}
    assert len(EVERY) - len(OWN) <= 1  # nearest neighbours inside FDA are scikit-learn's own


@pytest.mark.parametrize("estimator", [PCA(2), LDA(), FDA(), SIR()], ids=repr)
def test_pickle_and_joblib_keep_working(estimator, tmp_path):
    import joblib

    model, data = fitted(estimator)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        assert np.array_equal(other.transform(data.X), model.transform(data.X))


def test_more_rows_can_be_taken_in_after_loading(tmp_path):
    data = sample("labels")
    first, rest = data.rows(slice(0, 60)), data.rows(slice(60, None))
    model = LDA().fit(*first.arguments())
    restored = load(save(model, tmp_path / "model"))
    assert_bitwise(model.partial_fit(*rest.arguments()), restored.partial_fit(*rest.arguments()))


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "ä", "日本"]),
        np.array(["a", "b", "c"], dtype=object),
        np.array([0, 1, 2], dtype=np.int8),
        np.array([True, False, True]),
        np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="M8[D]"),
    ],
    ids=lambda a: str(a.dtype),
)
def test_labels_of_every_kind(labels, tmp_path):
    data = sample("labels")
    y = labels[np.arange(len(data)) % 3]
    if labels.dtype.kind == "M":
        y = y.astype(str)
    model = LDA().fit(data.X, y)
    restored = load(save(model, tmp_path / "model"))
    assert restored.classes_.dtype == model.classes_.dtype
    assert np.array_equal(restored.predict(data.X), model.predict(data.X))


def test_names_of_columns_pipelines_and_foreign_regressors(tmp_path):
    import pandas as pd

    data = sample("labels")
    frame = pd.DataFrame(data.X, columns=["<b>", "b c", "ü", "d", "e"])
    for model in (make_pipeline(StandardScaler(), PCA(2)), make_pipeline(StandardScaler(), FDA(regressor=Ridge(0.1)))):
        model.fit(frame, data.y)
        restored = load(save(model, tmp_path / "model"))
        assert np.array_equal(restored.transform(frame), model.transform(frame))
        assert list(restored[0].feature_names_in_) == list(frame.columns)


def test_arrays_of_another_library_become_numpy(tmp_path):
    import torch

    data = sample()
    model = PCA(2).fit(torch.asarray(data.X))
    restored = load(save(model, tmp_path / "model"))
    assert isinstance(restored.components_, np.ndarray)
    assert np.allclose(restored.transform(data.X), model.transform(torch.asarray(data.X)).numpy(), rtol=1e-13)


def test_notes_and_description(tmp_path):
    path = save(fitted(LDA())[0], tmp_path / "model", about={"target": "kind", "rows": 120})
    description = describe(path)
    assert description["classes"][0] == "LDA"
    assert description["about"] == {"target": "kind", "rows": 120}
    assert description["bytes"] == path.stat().st_size
    with pytest.raises(TypeError, match="about="):
        save(fitted(LDA())[0], path, about={"x": object()})


def test_what_cannot_be_saved_says_so(tmp_path):
    with pytest.raises(ValueError, match=r"not fitted.*call fit first"):
        save(PCA(), tmp_path / "model")
    neighbours, _ = fitted(FDA(regressor=KNeighborsRegressor(7)))
    with pytest.raises(TypeError, match=r"FDA\.regressor is a sklearn\.neighbors.*pickle or joblib"):
        save(neighbours, tmp_path / "model")
    with pytest.raises(TypeError, match=r"path is a PCA, not the name of a file; use save\(model, path\)"):
        save(tmp_path / "model", fitted(PCA())[0])
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "model").write_text("mine")
    with pytest.raises(FileExistsError):
        save(fitted(PCA())[0], tmp_path / "model", overwrite=False)
    assert (tmp_path / "model").read_text() == "mine"


def test_what_cannot_be_loaded_says_so(tmp_path):
    path = tmp_path / "model"
    good = save(fitted(PCA(2))[0], path).read_bytes()
    cases = {
        b"": "it is empty",
        b"PK\x03\x04 something else entirely, and long enough to be a prefix of 64 bytes": "it begins otherwise",
        good[:-1]: "cut or changed",
        good[:1000]: "cut or changed",
        good + b"x": "cut or changed",
        good[:-100] + b"x" + good[-99:]: "checksum is wrong",
        good[:8] + b"\x63" + good[9:]: "format version 99.*upgrade",
        good[:8] + b"\x01" + good[9:]: "format version 1,.*fit the model again and save it",
        pickle.dumps(PCA()): "it begins otherwise",
    }
    for content, words in cases.items():
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=words):
            load(path)


def test_another_version_of_scikit_learn_is_mentioned(tmp_path):
    data = sample()
    path = save(make_pipeline(StandardScaler(), PCA(2)).fit(data.X), tmp_path / "model")
    rewrite(path, lambda header: header["versions"].update(sklearn="0.1"))
    with pytest.warns(VersionWarning, match=r"scikit|sklearn 0\.1"):
        load(path)


# -- hostile files -------------------------------------------------------------------------------------------------


def rewrite(path, change):
    """Change the header of a file and make its checksum right again, as an attacker would."""
    raw = path.read_bytes()
    prefix = list(container.PREFIX.unpack(raw[: container.PREFIX.size]))
    body = raw[container.PREFIX.size :]
    header, arrays = json.loads(body[: prefix[3]]), body[prefix[3] :]
    text = change(header)
    text = text if isinstance(text, bytes) else json.dumps(header).encode()
    write_raw(path, text, arrays)


def write_raw(path, text, arrays):
    digest = hashlib.sha256(text + arrays).digest()
    prefix = container.PREFIX.pack(container.MAGIC, container.VERSION, 0, len(text), len(arrays), digest)
    path.write_bytes(prefix + text + arrays)


def set_class(name):
    return lambda header: header["objects"][0].update({"class": name})


def set_entry(**changes):
    return lambda header: header["arrays"][0].update(changes)


def set_node(node):
    return lambda header: header["objects"][0]["state"].append(["extra_", node])


HOSTILE = {
    "os.system": set_class("os.system"),
    "subprocess.Popen": set_class("subprocess.Popen"),
    "builtins.eval": set_class("builtins.eval"),
    "a module inside ours": set_class("eigenlens.methods.pca.np"),
    "a class that we import": set_class("eigenlens.methods._transformer.TransformerMixin"),
    "a writer of files": set_class("eigenlens.rows.writing._Npy"),
    "an exception": set_class("eigenlens.exceptions.InputError"),
    "dunder": set_class("eigenlens.methods.__init__.x"),
    "up": set_class("eigenlens.methods..pca.PCA"),
    "no such module": set_class("eigenlens.methods.nothing.PCA"),
    "a number for a class": set_class(7),
    "a function for a value": set_node({"~": "class", "name": "eigenlens.methods.spine.moments_estimator.form_of"}),
    "more numbers than the file": set_entry(shape=[10**12, 10**3]),
    "a shape beyond counting": set_entry(shape=[2**61, 2**61, 2**61]),
    "negative": set_entry(shape=[-1, 4]),
    "not whole": set_entry(shape=[1.5]),
    "objects": set_entry(dtype="|O8"),
    "no size": set_entry(dtype="<U0", shape=[10**15]),
    "a structure": set_entry(dtype="f8,f8"),
    "order": set_entry(order="K"),
    "unknown kind": set_node({"~": "call", "f": "os.system"}),
    "no kind": set_node({"x": 1}),
    "a list for a kind": set_node({"~": ["dict"]}),
    "no such array": set_node({"~": "array", "array": 10**6}),
    "array minus one": set_node({"~": "array", "array": -1}),
    "true for one": set_node({"~": "object", "object": True}),
    "a list as key": set_node({"~": "dict", "items": [[[], 1]]}),
    "a set of lists": set_node({"~": "set", "items": [[]]}),
    "pairs of three": set_node({"~": "dict", "items": [[1, 2, 3]]}),
    "objects without end": set_node({"~": "objects", "shape": [10**15], "items": []}),
    "nested": set_node(json.loads("[" * 200 + "]" * 200)),
    "dunder class": lambda header: header["objects"][0]["state"].append(["__class__", 1]),
    "a space": lambda header: header["objects"][0]["state"].append(["a b", 1]),
    "no estimator": lambda header: header.update(model=[1, 2]),
    "no model": lambda header: header.pop("model"),
    "nothing": lambda header: header.clear(),
    "a list for a header": lambda header: b"[]",
    "nested without end": lambda header: b"[" * 10**6,
    "NaN": lambda header: b'{"model": NaN}',
    "digits without end": lambda header: b'{"model": 1' + b"0" * 10**6 + b"}",
    "not ASCII": lambda header: '{"model": "ü"}'.encode("latin-1"),
    "not JSON": lambda header: b"import os",
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_file_made_by_hand_is_refused(change, tmp_path):
    path = save(fitted(PCA(2))[0], tmp_path / "model")
    rewrite(path, change)
    with pytest.raises(ModelFileError):
        load(path)


@pytest.mark.parametrize("values", [np.array([True, False]), np.array(["ab", "c"])], ids=["truth", "text"])
def test_bytes_that_are_no_value_are_refused(values, tmp_path):
    path = tmp_path / "model"
    with path.open("w+b") as file:
        container.write(file, {}, [values])
    raw = path.read_bytes()
    n = container.PREFIX.unpack(raw[: container.PREFIX.size])[3]
    write_raw(path, raw[64 : 64 + n], b"\xff" * (len(raw) - 64 - n))
    with path.open("rb") as file, pytest.raises(ModelFileError, match=r"truth value|not a character"):
        container.read(file, path)


def mutants(good, count, seed):
    """Yield damaged files, half of them with a right checksum: bytes changed, runs cut or doubled, numbers huge."""
    rng = random.Random(seed)
    size = container.PREFIX.size
    n = container.PREFIX.unpack(good[:size])[3]
    header, arrays = good[size : size + n], good[size + n :]
    for j in range(count):
        target = bytearray(header if j % 2 else good)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(target))
            kind = rng.randrange(5)
            if kind == 0:
                target[at] ^= 1 << rng.randrange(8)
            elif kind == 1:
                target[at] = rng.choice(b'0123456789{}[]",:~.-eE')
            elif kind == 2:
                del target[at : at + rng.randint(1, 40)]
            elif kind == 3:
                target[at:at] = target[at : at + rng.randint(1, 40)]
            else:
                target[at:at] = rng.choice([b"999999999999", b"null", b"[]", b"{}", b'"', b"-1", b"1e999", b"\xff"])
            if not target:
                target = bytearray(b"x")
        if j % 2:
            body = bytes(target)
            digest = hashlib.sha256(body + arrays).digest()
            yield (
                container.PREFIX.pack(container.MAGIC, container.VERSION, 0, len(body), len(arrays), digest)
                + body
                + arrays
            )
        else:
            yield bytes(target)


WATCHED = (
    "exec",
    "compile",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "subprocess.Popen",
    "socket.connect",
    "pickle.find_class",
)


def test_thousands_of_damaged_files_do_no_harm(tmp_path):
    path, ran, watching = tmp_path / "model", [], [False]
    sys.addaudithook(lambda event, _: ran.append(event) if watching[0] and event in WATCHED else None)
    models = [fitted(e)[0] for e in (PCA(2), LDA(), FDA(), SIR(), make_pipeline(StandardScaler(), PCA()))]
    outcomes = {"refused": 0, "harmless": 0}
    before, slowest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 0.0
    for seed, model in enumerate(models):
        good = save(model, path).read_bytes()
        load(path)  # its modules are imported now, so that nothing has to be executed any more
        import_all()  # nor where a changed name makes `load` look for its class
        for raw in mutants(good, 500, seed):
            path.write_bytes(raw)
            start = time.perf_counter()
            watching[0] = True
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    load(path)
                    describe(path)
                outcomes["harmless"] += 1
            except ModelFileError:
                outcomes["refused"] += 1
            finally:
                watching[0] = False
            slowest = max(slowest, time.perf_counter() - start)
    assert ran == []
    assert sum(outcomes.values()) == 2_500
    assert outcomes["refused"] > 2_250
    assert outcomes["harmless"] > 0  # such as a changed note, or a changed number: the checksum was made right
    assert slowest < 2.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


# -- faults --------------------------------------------------------------------------------------------------------

WRITER = """
import sys, numpy as np
from eigenlens import PCA, save
models = [PCA(k).fit(np.random.default_rng(0).standard_normal((400, 300))) for k in (10, 200)]
print("ready", flush=True)
while True:
    for model in models:
        save(model, sys.argv[1])
"""


def test_a_killed_writer_leaves_a_whole_file(tmp_path):
    path = tmp_path / "model"
    rng = random.Random(0)
    seen = set()
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            time.sleep(0.02 + 0.1 * rng.random())
            writer.send_signal(signal.SIGKILL)
        if path.exists():
            seen.add(load(path).n_components_)
    assert seen <= {10, 200}
    assert seen


FULL = """
import resource, signal, sys, numpy as np
from eigenlens import PCA, save
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
save(PCA().fit(np.random.default_rng(0).standard_normal((400, 300))), sys.argv[1])
"""


@pytest.mark.parametrize("room", [0, 5000, 300_000])
def test_a_full_disk_leaves_the_old_file(room, tmp_path):
    path = save(fitted(PCA(2))[0], tmp_path / "model")
    before = path.read_bytes()
    ended = subprocess.run([sys.executable, "-c", FULL, path, str(room)], capture_output=True, text=True)
    assert ended.returncode != 0
    assert "OSError" in ended.stderr
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def test_a_file_must_hold_the_kind_that_was_asked_for(tmp_path):
    path = save(PCA(1).fit(np.eye(4)), tmp_path / "pca.eigenlens")
    assert isinstance(load(path, PCA), PCA)
    with pytest.raises(ValueError, match="holds a PCA, but kind=LDA was asked for"):
        load(path, LDA)
