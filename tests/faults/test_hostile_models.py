"""Model files that lie: what they hold is refused or harmless, and showing it does nothing but show it."""

import hashlib
import json
import os
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eigenlens import LDA, PCA, KernelPCA, load, save
from eigenlens.app.main import run
from eigenlens.arrays.stored import KINDS, stored
from eigenlens.exceptions import InputError, ModelFileError, VersionWarning
from eigenlens.files import container, describe
from eigenlens.kernels import Gaussian

X = np.random.default_rng(0).standard_normal((30, 3))
y = np.arange(30) % 2


def forge(path, change):
    """Change the header of a file and make its checksum right again."""
    raw = path.read_bytes()
    size = container.PREFIX.size
    n = container.PREFIX.unpack(raw[:size])[3]
    header, arrays = json.loads(raw[size : size + n]), raw[size + n :]
    change(header)
    text = json.dumps(header).encode()
    digest = hashlib.sha256(text + arrays).digest()
    path.write_bytes(container.PREFIX.pack(container.MAGIC, container.VERSION, 0, len(text), len(arrays), digest))
    with path.open("ab") as file:
        file.write(text + arrays)
    return path


def attribute(name, node, number=0):
    """Return a change that gives an object of the file an attribute."""

    def change(header):
        state = [pair for pair in header["objects"][number]["state"] if pair[0] != name]
        header["objects"][number]["state"] = [*state, [name, node]]

    return change


@pytest.fixture
def path(tmp_path):
    return save(PCA(2).fit(X), tmp_path / "model.eigenlens")


@pytest.fixture
def pipeline(tmp_path):
    return save(make_pipeline(StandardScaler(), LDA()).fit(X, y), tmp_path / "pipeline.eigenlens")


# -- what a file may hold ------------------------------------------------------------------------------------------


def test_a_pipeline_never_brings_a_folder_to_unpickle_from(pipeline, tmp_path):
    folder = tmp_path / "cache"
    model = load(forge(pipeline, attribute("memory", str(folder))))
    assert model.memory is None
    cross_val_score(model, X, y, cv=3)
    assert not folder.exists()


def test_a_pipeline_is_saved_without_its_folder(tmp_path):
    model = make_pipeline(StandardScaler(), PCA(2), memory=str(tmp_path / "cache")).fit(X)
    path = save(model, tmp_path / "model")
    assert str(tmp_path).encode() not in path.read_bytes()
    assert np.array_equal(load(path).transform(X), model.transform(X))
    assert model.memory is not None


def object_of(number):
    return {"~": "object", "object": number}


KIND = {"~": "class", "name": "moments.Scatter"}
LIES = {
    "a class for a model": lambda header: header.update(model=KIND),
    "an estimator's class for a model": lambda header: header.update(model={"~": "class", "name": "PCA"}),
    "a part for a model": lambda header: header.update(model=object_of(3)),
    "a class for a parameter": attribute("n_components", KIND),
    "a class in a list for a parameter": attribute("n_components", [1, KIND]),
    "a part for a parameter": attribute("n_components", object_of(1)),
    "an unknown parameter": attribute("surprise", 1),
    "a method": attribute("transform", 1),
    "a property": attribute("moments_", 1),
    "an attribute twice": lambda header: header["objects"][0]["state"].append(["ddof", 1]),
    "an object as key": attribute("x_", {"~": "dict", "items": [[object_of(1), 1]]}),
    "an object in a set": attribute("x_", {"~": "set", "items": [object_of(1)]}),
    "a key twice": attribute("x_", {"~": "dict", "items": [["a", 1], ["a", 2]]}),
    "itself": attribute("x_", object_of(0)),
    "no such side": lambda header: header["arrays"].append({"dtype": "<f8", "shape": [0, 2**61], "order": "C"}),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_a_lie_is_refused(lie, path):
    with pytest.raises(ModelFileError):
        load(forge(path, lie))


def of_part(kind, name, node):
    """Return a change of an attribute of the first part of a kind."""

    def change(header):
        attribute(name, node, [entry["class"] for entry in header["objects"]].index(kind))(header)

    return change


def lost(kind, name):
    """Return a change that takes an attribute from the first part of a kind."""

    def change(header):
        entry = next(entry for entry in header["objects"] if entry["class"] == kind)
        entry["state"] = [pair for pair in entry["state"] if pair[0] != name]

    return change


MISFITS = {
    "a centre of two columns": of_part("Subspace", "centre", [1.0, 2.0]),
    "a basis that is text": of_part("Subspace", "basis", "x"),
    "a subspace without a centre": lost("Subspace", "centre"),
    "a spectrum without a rank": lost("Spectrum", "rank"),
    "no number of columns": lost("PCA", "n_features_in_"),
    "more columns than bytes": attribute("n_features_in_", 10**9),
    "a fraction of columns": attribute("n_features_in_", 2.5),
    "names of other columns": attribute("feature_names_in_", ["a", "b"]),
    "a spectrum that is a number": attribute("spectrum_", -1),
    "another number of components": attribute("n_components_", 1),
}


@pytest.mark.parametrize("change", MISFITS.values(), ids=MISFITS.keys())
def test_parts_that_do_not_fit_together_are_refused(change, path):
    """They were loaded, and `transform` failed with an error of NumPy's."""
    with pytest.raises(ModelFileError, match="is damaged"):
        load(forge(path, change))


def test_classes_that_answers_do_not_have_are_refused(tmp_path):
    path = save(LDA().fit(X, np.arange(30) % 3), tmp_path / "model")
    with pytest.raises(ModelFileError, match="do not fit together"):
        load(forge(path, attribute("classes_", [0, 1])))


def test_moments_of_nothing_are_refused(tmp_path):
    path = save(PCA(2).fit(X).moments_, tmp_path / "moments")
    with pytest.raises(ModelFileError, match="do not fit together"):
        load(forge(path, lambda header: header["objects"][0].update(state=[])))


def test_a_way_back_that_cannot_be_learned_is_refused_when_it_is_asked_for(tmp_path):
    """KernelPCA learns it from what it keeps, which takes too long for `load`."""
    path = save(KernelPCA(2).fit(X), tmp_path / "model")
    model = load(forge(path, attribute("_counts", [1.0, 2.0])))
    with pytest.raises(InputError, match="inverse_transform learns from the rows"):
        model.inverse_transform(model.transform(X))


def test_a_model_is_not_changed_by_its_rehearsal(tmp_path):
    model = KernelPCA(2).fit(X)
    assert vars(load(save(model, tmp_path / "model"))).keys() == vars(model).keys()


def test_the_same_file_untouched_is_not_refused(path):
    assert load(forge(path, lambda header: None)).n_components_ == 2


@pytest.mark.parametrize(
    ("name", "value"), [("steps", []), ("steps", [1]), ("verbose", "yes"), ("transform_input", 3)], ids=str
)
def test_a_pipeline_of_something_else_is_refused(name, value, pipeline):
    with pytest.raises(ModelFileError):
        load(forge(pipeline, attribute(name, value)))


def test_a_step_that_is_no_estimator_is_refused(pipeline):
    steps = [{"~": "tuple", "items": ["a", "eval"]}]
    with pytest.raises(ModelFileError, match="not an estimator"):
        load(forge(pipeline, attribute("steps", steps)))


COLLIDING = {
    "set": {"~": "set", "items": [j * (2**61 - 1) for j in range(100_000)]},
    "dict": {"~": "dict", "items": [[j * (2**61 - 1), 0] for j in range(100_000)]},
    "complex": {
        "~": "set",
        "items": [{"~": "complex", "parts": [-1000003.0 * j, float(j)]} for j in range(1, 100_000)],
    },
}


@pytest.mark.parametrize("node", COLLIDING.values(), ids=COLLIDING.keys())
def test_numbers_made_to_collide_take_no_time(node, path):
    """They took minutes, in which no signal was heard: a set of equal hash values is filled in quadratic time."""
    forge(path, attribute("x_", node))
    start = time.process_time()
    with pytest.raises(ModelFileError, match="collide"):
        load(path)
    assert time.process_time() - start < 10


def test_too_many_values_are_refused_before_they_are_read(path):
    with pytest.raises(ModelFileError, match="values"):
        load(forge(path, attribute("x_", [0] * (container.VALUES_LIMIT + 1))))


def test_very_many_arrays_without_entries_are_refused_before_they_are_looked_at(path):
    empty = {"dtype": "<f8", "shape": [0], "order": "C"}
    forge(path, lambda header: header["arrays"].extend([empty] * 250_000))
    with pytest.raises(ModelFileError, match="lists more than 65,536 arrays"):
        load(path)


def test_what_could_not_be_loaded_is_not_saved(tmp_path):
    model = PCA(2).fit(X)
    model.x_ = [0] * (container.VALUES_LIMIT + 1)
    with pytest.raises(ValueError, match="very many small parts"):
        save(model, tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_parts_that_share_parts_without_end_are_refused(tmp_path):
    """Thirty kernels, each the sum of the one before with itself, are 2³⁰ kernels to whoever walks through them."""
    path = save(KernelPCA(1, kernel=Gaussian(1.0) + Gaussian(2.0)).fit(X), tmp_path / "model")

    def change(header):
        first = next(j for j, entry in enumerate(header["objects"]) if entry["class"] == "kernel.Gaussian")
        for _ in range(30):
            last = object_of(first)
            header["objects"].append({"class": "kernel.Sum", "state": [["left", last], ["right", last]]})
            first = len(header["objects"]) - 1
        attribute("kernel", object_of(first))(header)

    with pytest.raises(ModelFileError, match="nested"):
        load(forge(path, change))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("function", [load, describe])
def test_a_pipe_is_not_waited_for(function, tmp_path):
    os.mkfifo(tmp_path / "model")
    with pytest.raises(ModelFileError, match="a pipe or a device"):
        function(tmp_path / "model")
    with pytest.raises(ValueError, match="a pipe or a device"):
        save(PCA(2).fit(X), tmp_path / "model")


def test_a_folder_is_called_a_folder(tmp_path):
    with pytest.raises(IsADirectoryError, match=f"{tmp_path.name} is a folder; give the path of a model file"):
        load(tmp_path)


# -- names that outlive modules ------------------------------------------------------------------------------------


@pytest.fixture
def registered():
    before = dict(KINDS)
    yield
    for name in KINDS.keys() - before.keys():
        del KINDS[name]


def test_a_class_joins_by_naming_itself_and_may_move_and_change(registered, tmp_path):
    @stored("test.Toy")
    class Toy(BaseEstimator):
        def __init__(self, size=1):
            self.size = size

        def fit(self, X, y=None):
            self.mean_, self._old, self._gone = X.mean(axis=0), 7, 8
            return self

    path = save(Toy(3).fit(X), tmp_path / "toy")
    assert describe(path)["classes"] == ["test.Toy"]
    assert type(load(path)) is Toy
    del KINDS["test.Toy"]

    @stored("test.Toy", renamed={"_old": "_new", "_gone": None})
    class Moved(BaseEstimator):
        def __init__(self, size=1, shape="round"):
            self.size, self.shape = size, shape

    model = load(path)
    assert type(model) is Moved
    assert (model.size, model.shape, model._new) == (3, "round", 7)
    assert not hasattr(model, "_gone")
    assert np.array_equal(model.mean_, X.mean(axis=0))


def test_two_classes_cannot_have_one_name(registered):
    with pytest.raises(RuntimeError, match="both stored as 'PCA'"):

        @stored("PCA")
        class Other:
            pass


def test_a_class_without_a_name_of_its_own_is_not_saved(tmp_path):
    class Mine(PCA):
        pass

    with pytest.raises(TypeError, match="Mine"):
        save(Mine(2).fit(X), tmp_path / "model")


# -- what is shown -------------------------------------------------------------------------------------------------

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"


def test_a_terminal_is_told_nothing_by_a_file(path, capsys):
    def change(header):
        header["versions"][f"v{ESCAPES}"] = f"1{ESCAPES}"
        header["about"] = {f"note{ESCAPES}": f"text{ESCAPES}", "list": [f"item{ESCAPES}"]}
        header["objects"][0]["class"] = f"PCA{ESCAPES}"

    forge(path, change)
    for arguments in (["info", str(path)], ["info", str(path), "--json"], ["transform", str(path), str(path)]):
        run(arguments)
        shown = capsys.readouterr()
        for sign in set(ESCAPES) - set("]0;owned[2J31m"):
            assert sign not in shown.out + shown.err, arguments
    run(["info", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["about"][f"note{ESCAPES}"] == f"text{ESCAPES}"


def test_a_warning_repeats_no_command_of_a_file(pipeline):
    with pytest.warns(VersionWarning) as heard:
        load(forge(pipeline, lambda header: header["versions"].update(sklearn=f"0.1{ESCAPES}")))
    assert all(sign not in str(heard[0].message) for sign in "\x1b\x9b\u202e")


def test_names_do_not_turn_the_page_around(tmp_path):
    from eigenlens.page import render
    from eigenlens.rows import TableFile
    from eigenlens.study import Plan, read_data, study

    names = ["a\u202eb", "\u2067c", "אורך", "d"]
    rows = np.column_stack([X, X[:, 0] + X[:, 1]])
    table = tmp_path / "table.csv"
    table.write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows.tolist())]), "utf8")
    page = render(study(read_data(TableFile(table), Plan()), Plan()).findings)
    assert not set("\u202e\u2067") & set(page)
    assert "\\u202e" not in page
    assert "\u2068אורך\u2069" in page


@pytest.mark.parametrize("value", ["three", True])
def test_parameters_that_no_fit_would_take_are_refused(path, value):
    with pytest.raises(ModelFileError, match="a parameter that PCA does not take: n_components="):
        load(forge(path, attribute("n_components", value)))


def test_parameters_of_a_step_are_asked_too(pipeline):
    def change(header):
        for one in header["objects"]:
            one["state"] = [[name, "best"] if name == "shrinkage" else [name, node] for name, node in one["state"]]

    with pytest.raises(ModelFileError, match="a parameter that LDA does not take: shrinkage='best'"):
        load(forge(pipeline, change))
