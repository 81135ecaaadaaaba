"""The Spack recipe and the container file fit what they install: version, licence, needs, wheel."""

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import containerfile
import release_wheels

ROOT = Path(__file__).parents[2]
REPOSITORY = ROOT / "packaging" / "spack" / "spack_repo" / "hopscope"
RECIPE = REPOSITORY / "packages" / "hopscope_collector" / "package.py"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BUILD = (ROOT / "collector" / "CMakeLists.txt").read_text()


def calls(name: str) -> list[tuple[str, dict[str, Any]]]:
    """The first argument and the named ones of each call of a function in the recipe's class."""
    return [
        (ast.literal_eval(node.args[0]), {word.arg: ast.literal_eval(word.value) for word in node.keywords if word.arg})
        for node in ast.walk(ast.parse(RECIPE.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    ]


def test_the_collector_and_its_recipe_have_the_project_s_version_and_licence() -> None:
    version = PROJECT["version"]
    assert f"project(hopscope_collector VERSION {version} " in BUILD
    assert calls("version") == [("main", {"branch": "main"}), (version, {"tag": f"v{version}"})]
    assert calls("license") == [(PROJECT["license"], {})]


def test_the_recipe_lies_in_the_repository_that_it_installs() -> None:
    assert RECIPE.resolve().parents[6] == ROOT
    assert (ROOT / ".git").exists()
    assert "namespace: hopscope" in (REPOSITORY / "repo.yaml").read_text()


def test_the_recipe_needs_what_the_collector_s_build_needs() -> None:
    cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", BUILD)
    assert cmake is not None
    for_building = {"type": "build"}
    assert calls("depends_on") == [
        ("c", for_building),
        (f"cmake@{cmake[1]}:", for_building),
        ("pkgconfig", for_building),
        ("mpi", {}),
        ("otf2", {}),
    ]
    packages = re.findall(r"find_package\((\w+) REQUIRED", BUILD + (ROOT / "collector" / "otf2.cmake").read_text())
    assert set(packages) == {"MPI", "Threads", "PkgConfig"}


def test_the_container_file_copies_a_released_wheel_and_ends_with_a_command() -> None:
    steps = containerfile.steps((ROOT / "packaging" / "Containerfile").read_text())
    (copied,) = [argument for instruction, argument in steps if instruction == "COPY"]
    assert [tag for tag in release_wheels.MINORS if f"-{tag}-" in copied] == ["cp312-abi3"]
    assert [steps[0][0], steps[-1][0]] == ["FROM", "CMD"]
