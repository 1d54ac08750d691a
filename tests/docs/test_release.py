"""What a release has in addition to the package: a citation that tools can read, a recipe, a checklist, a changelog."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
CONDA_NAMES = {"matplotlib": "matplotlib-base"}


def needs(line):
    name, rule = re.fullmatch(r"([\w-]+)\s*(.*)", line).groups()
    return CONDA_NAMES.get(name, name), rule.replace(" ", "")


def test_the_recipe_needs_what_the_package_and_its_command_need():
    recipe = (ROOT / "conda/meta.yaml").read_text(encoding="utf8")
    run = recipe.partition("  run:\n")[2].partition("\ntest:")[0]
    found = dict(needs(line) for line in re.findall(r"- (.+)", run))
    wanted = dict(map(needs, PROJECT["dependencies"] + PROJECT["optional-dependencies"]["cli"]))
    assert found == {**wanted, "python": PROJECT["requires-python"]}


def recipe():
    """Return the recipe as conda-build would read it: it fills in Jinja's values and then reads YAML."""
    yaml = pytest.importorskip("yaml")
    text = (ROOT / "conda/meta.yaml").read_text(encoding="utf8")
    values = dict(re.findall(r'{% set (\w+) = "([^"]*)" %}', text)) | {"PYTHON": "python"}
    plain = re.sub(r"{{ (\w+) }}", lambda match: values[match[1]], re.sub(r"{%.*?%}", "", text))
    return yaml.safe_load(plain)


def test_the_recipe_can_be_read():
    from eigenlens import __version__

    found = recipe()
    assert found["package"] == {"name": PROJECT["name"], "version": __version__}
    assert found["build"]["noarch"] == "python"
    assert "{" not in found["build"]["script"]
    command, place = next(iter(PROJECT["scripts"].items()))
    assert found["build"]["entry_points"] == [f"{command} = {place}"]
    assert (ROOT / found["about"]["license_file"]).exists()
    assert found["about"]["license"] == PROJECT["license"]
    assert found["about"]["summary"] == PROJECT["description"]


def test_the_recipe_builds_with_what_the_package_builds_with():
    host = dict(needs(line) for line in recipe()["requirements"]["host"])
    built_by = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["build-system"]["requires"]
    assert host == {**dict(map(needs, built_by)), "python": PROJECT["requires-python"], "pip": ""}


def test_commands_of_the_recipe_are_commands_of_the_package():
    for line in recipe()["test"]["commands"]:
        program, *words = line.split()
        assert program in PROJECT["scripts"]
        run = [sys.executable, "-m", PROJECT["name"], *words]
        assert subprocess.run(run, capture_output=True, check=False).returncode == 0, line


def test_the_checklist_names_files_that_exist():
    text = (ROOT / "docs/project/release.md").read_text(encoding="utf8")
    named = [name for name in re.findall(r"`([\w./-]+)`", text) if "/" in name or name.endswith((".cff", ".md"))]
    assert named
    assert [name for name in named if not (ROOT / name).exists() and not name.startswith(("build/", "dist/"))] == []


def test_the_changelog_begins_with_what_is_not_released():
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf8"), re.M)
    assert heads[0] == "Unreleased"
    assert all(re.fullmatch(r"\[?\d+\.\d+\.\d+\]?.*", head) for head in heads[1:])


def test_the_citation_has_what_the_format_asks_for():
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8"))
    assert {"cff-version", "message", "title", "authors"} <= set(found)  # required by version 1.2.0
    assert found["cff-version"] == "1.2.0"
    assert found["type"] == "software"
    assert found["license"] == PROJECT["license"]
    assert all({"name"} <= set(author) or {"family-names"} <= set(author) for author in found["authors"])
