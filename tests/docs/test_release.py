"""What a release carries beside the package: a citation that tools can read, and a recipe with all its needs."""

import re
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


def test_the_citation_has_what_the_format_asks_for():
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8"))
    assert {"cff-version", "message", "title", "authors"} <= set(found)  # required by version 1.2.0
    assert found["cff-version"] == "1.2.0"
    assert found["type"] == "software"
    assert found["license"] == PROJECT["license"]
    assert all({"name"} <= set(author) or {"family-names"} <= set(author) for author in found["authors"])
