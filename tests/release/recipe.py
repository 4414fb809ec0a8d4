"""The recipe for conda, written from ``pyproject.toml`` and the source distribution, and read as rattler-build reads it."""

import hashlib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

ON_CONDA = {"graphviz": "python-graphviz"}
"""The packages that have another name on conda-forge."""


def recipe(project: Mapping[str, Any], source: Path, repository: str = "") -> str:
    """The text of ``recipe.yaml`` (schema version 1) for a package that is the same on all platforms.

    ``project`` is the table ``[project]`` of ``pyproject.toml``, ``source`` the source distribution as it lies on PyPI.
    """
    oldest = str(project["requires-python"]).removeprefix(">=")
    scripts = [f"{name} = {entry}" for name, entry in project["scripts"].items()]
    homepage = f"https://pypi.org/project/{project['name']}/"
    return "\n".join(
        [
            "schema_version: 1",
            "",
            "context:",
            f'  version: "{project["version"]}"',
            f'  python_min: "{oldest}"',
            "",
            "package:",
            f"  name: {project['name']}",
            "  version: ${{ version }}",
            "",
            "source:",
            f"  url: https://pypi.org/packages/source/{project['name'][0]}/{project['name']}/{source.name}",
            f"  sha256: {hashlib.sha256(source.read_bytes()).hexdigest()}",
            "",
            "build:",
            "  number: 0",
            "  noarch: python",
            "  script: ${{ PYTHON }} -m pip install . --no-deps --no-build-isolation -vv",
            "  python:",
            "    entry_points:",
            *[f"      - {script}" for script in scripts],
            "",
            "requirements:",
            "  host:",
            "    - python ${{ python_min }}.*",
            "    - pip",
            "    - hatchling",
            "  run:",
            "    - python >=${{ python_min }}",
            *[f"    - {on_conda(each)}" for each in project["dependencies"]],
            "",
            "tests:",
            "  - python:",
            f"      imports: [{project['name']}]",
            "      pip_check: true",
            "  - script:",
            "      - rh --version",
            "      - jupyter kernelspec list",
            "",
            "about:",
            f"  homepage: {repository or homepage}",
            f"  summary: {project['description']!r}",
            f"  license: {project['license']}",
            f"  license_file: {project['license-files'][0]}",
            *([f"  repository: {repository}"] if repository else []),
            "",
        ]
    )


def on_conda(dependency: str) -> str:
    """``graphviz>=0.20`` ↦ ``python-graphviz >=0.20``. Raises ``ValueError`` for what is no lower bound."""
    name, bound, version = dependency.partition(">=")
    if not bound:
        raise ValueError(f"{dependency} has no lower bound")
    return f"{ON_CONDA.get(name, name)} >={version}"


def rendered(file: Path) -> list[str]:
    """The names of the packages that rattler-build makes of a recipe. Raises what it raises for one that is wrong."""
    library = import_module("rattler_build")
    variants = library.VariantConfig.from_yaml("python: [3.11.* *_cpython]\n")
    return [str(each.recipe.package.name) for each in library.Stage0Recipe.from_file(str(file)).render(variants)]
