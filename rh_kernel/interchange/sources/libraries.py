"""The libraries of models, which come with the extra ``rh_kernel[interchange]`` and are imported when a model is read."""

from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.training.errors import MissingLibrary

Untyped: TypeAlias = Any
"""What a library without types has or takes."""

INSTALL = "pip install 'rh_kernel[interchange]'"


def library(caller: str, name: str, *modules: str) -> ModuleType:
    """Import a library, and some of its modules. Raises ``Rejected`` (RH311) if it is not installed."""
    try:
        for module in modules:
            import_module(module)
        return import_module(name)
    except ImportError:
        raise Rejected(MissingLibrary(name=caller, library=name, hint=f"install it: {INSTALL}")) from None
