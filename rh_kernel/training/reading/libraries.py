"""The libraries of some formats, which come with the extra ``rh_kernel[data]`` and are imported when a file is opened."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.training.errors import MissingLibrary
from rh_kernel.training.reading.reader import error_text

Untyped: TypeAlias = Any
"""What a library without types has or takes."""

INSTALL = "pip install 'rh_kernel[data]'"


def library(name: str, module: str, file: Path) -> ModuleType:
    """Import a module of the library, which the file needs. Raises ``Rejected`` (RH311) if that fails."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        found = "" if missing.name == module.partition(".")[0] else error_text(missing)
        problem = MissingLibrary(name=file.name, library=name, found=found, hint=f"install it: {INSTALL}")
    except ImportError as failure:
        hint = f"install it again: {INSTALL}"
        problem = MissingLibrary(name=file.name, library=name, found=error_text(failure), hint=hint)
    raise Rejected(problem)
