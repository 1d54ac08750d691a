"""The house stays as the design reads: rooms, cheap import, a page and tests for each public class."""

import ast
import inspect
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import eigenlens
from eigenlens.methods.spine.moments_estimator import MomentsEstimator
from eigenlens.methods.spine.rows_estimator import RowsEstimator
from eigenlens.testing import all_estimators, all_regressors

ROOT = Path(__file__).parents[1]
METHODS = sorted({cls.__module__.rsplit(".", 1)[1] for cls in all_estimators()})
CLASSES = [(cls, "methods") for cls in all_estimators()] + [(cls, "regress") for cls in all_regressors()]
NAMES = {cls.__name__ for cls, _ in CLASSES}


@pytest.mark.parametrize(("cls", "folder"), CLASSES)
def test_every_public_class_has_its_tests_and_its_page(cls, folder):
    named = rf"\b{cls.__name__}\b"
    tests = (ROOT / f"tests/{folder}").glob("test_*.py")
    assert any(len(re.findall(named, path.read_text(encoding="utf8"))) >= 5 for path in tests)
    pages = {*(ROOT / f"docs/{folder}").glob("*.md")} - {ROOT / f"docs/{folder}/index.md"}
    assert sum(cls.__name__ in introduced(page) for page in pages) == 1


def introduced(page):
    """Return the classes that a page is about: those of its title, or the first that its first paragraph names."""
    title, text = page.read_text(encoding="utf8").split("\n", 1)
    in_title = NAMES & set(re.findall(r"\w+", title))
    return in_title or {next((name for name in re.findall(r"`(\w+)`", text.split("\n#")[0]) if name in NAMES), None)}


LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["tool"]["importlinter"]["contracts"][0]
ROOMS = [room.strip() for layer in LAYERS["layers"] for room in layer.split("|")]


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_in_the_table_of_rooms(room):
    table = (ROOT / "docs/architecture.md").read_text(encoding="utf8")
    assert f"| `{room}/` |" in table or f"| `{room}.py` |" in table


def test_the_map_of_the_rooms_is_drawn_from_the_layers_and_a_fit():
    rooms = runpy.run_path(str(ROOT / "docs/pictures/rooms.py"))
    drawn = rooms["svg"](LAYERS["layers"], rooms["passed"]())
    kept = (ROOT / "docs/images/rooms.svg").read_text(encoding="utf8")
    assert drawn == kept, "the layers or the walk of a fit have changed; run python docs/pictures/rooms.py"
    assert all(f">{room}</text>" in kept for room in ROOMS)


@pytest.mark.parametrize("regressor", all_regressors())
def test_every_regressor_is_a_public_name(regressor):
    assert getattr(eigenlens.regress, regressor.__name__) is regressor
    assert_documented(regressor)


@pytest.mark.parametrize("module", sorted(p.stem for p in (ROOT / "src/eigenlens/methods").glob("*.py")))
def test_no_method_is_imported_beside_it(module):
    tree = ast.parse((ROOT / f"src/eigenlens/methods/{module}.py").read_text())
    imported = {name for node in ast.walk(tree) for name in modules_of(node)}
    assert not imported & set(METHODS), (
        f"methods/{module}.py imports {imported & set(METHODS)}; move what they share down"
    )


SPINE = {
    name
    for cls in (MomentsEstimator, RowsEstimator)
    for name, value in vars(cls).items()
    if callable(value) or isinstance(value, property)
    if name.startswith("_") and not name.startswith("__") and name != "_obeys"  # which declares, and does nothing
}


@pytest.mark.parametrize("method", [cls for cls in all_estimators() if issubclass(cls, MomentsEstimator)])
def test_a_method_says_at_most_five_things_to_the_spine(method):
    said = SPINE & vars(method).keys() | {"test_dimension"} & vars(method).keys()
    most = 6 if method.__name__ == "CorrespondenceAnalysis" else 5  # it keeps the rows that it has read
    assert len(said) <= most, sorted(said)


def modules_of(node):
    """Yield the modules of methods/ that an import statement there names."""
    if isinstance(node, ast.ImportFrom) and node.level == 1:
        yield from [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]
    absolute = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
    absolute += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    yield from (name.split(".")[2] for name in absolute if name.startswith("eigenlens.methods."))


def test_type_checkers_know_the_public_names():
    tree = ast.parse(Path(eigenlens.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    known = {alias.asname: node.module for node in block.body for alias in node.names}
    assert sorted(known) == eigenlens.__all__
    assert {name: f".{module}" for name, module in known.items() if module} == eigenlens._HOMES


def test_every_estimator_is_a_public_name():
    for cls in all_estimators():
        assert getattr(eigenlens, cls.__name__) is cls


@pytest.mark.parametrize("name", eigenlens.__all__)
def test_public_names_load_and_are_documented(name):
    assert_documented(getattr(eigenlens, name))


def assert_documented(thing):
    assert thing.__doc__
    if isinstance(thing, type) and not issubclass(thing, Warning):
        assert ">>>" in thing.__doc__
        for attribute in vars(thing):
            if not attribute.startswith("_") and callable(getattr(thing, attribute)):
                assert getattr(thing, attribute).__doc__, f"{thing.__name__}.{attribute} has no docstring"


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'TSNE'"):
        eigenlens.TSNE  # noqa: B018


def test_importing_is_cheap():
    heavy = ("numpy", "scipy", "sklearn", "torch", "cupy", "pandas", "polars", "pyarrow", "matplotlib", "dask")
    code = f"import sys, eigenlens; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_fitting_arrays_imports_no_back_end():
    # scikit-learn itself loads pandas
    optional = ("torch", "cupy", "polars", "matplotlib", "dask", "distributed", "zarr", "rich")
    code = (
        "import sys, numpy as np; from eigenlens import PCA; PCA(1).fit(np.eye(5));"
        f"print([m for m in {optional} if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def entries(docstring, section):
    """Names listed in a section of a numpydoc docstring."""
    text = inspect.cleandoc(docstring)
    if f"{section}\n-" not in text:
        return []
    lines = text.split(f"{section}\n{'-' * len(section)}\n", 1)[1].split("\n\n")[0].splitlines()
    heads = [line.split(" : ")[0] for line in lines if not line.startswith(" ")]
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


@pytest.mark.parametrize("estimator", [*all_estimators(), *all_regressors()])
def test_docstrings_name_the_parameters_that_there_are(estimator):
    assert entries(estimator.__doc__, "Parameters") == list(inspect.signature(estimator).parameters)
    for name, method in inspect.getmembers(estimator, inspect.isfunction):
        described = entries(method.__doc__ or "", "Parameters")
        if method.__module__.startswith("eigenlens.") and described:
            assert {"self", *described} == set(inspect.signature(method).parameters), name


def test_every_error_and_warning_can_be_imported_by_name():
    from eigenlens import exceptions
    from eigenlens.arrays import errors

    kinds = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception) and value.__module__.startswith(eigenlens.__name__)
    }
    assert {kind for kind in kinds if kind[0] != "_"} - {"CommandError"} == set(exceptions.__all__)
