"""The names that Python programs may rely on: ``rh_kernel.__all__``, what a workspace has, and the groups of entry points."""

from inspect import getattr_static, getdoc

import rh_kernel
from lessons.reference.markdown import table
from rh_kernel.ad import registry as systems
from rh_kernel.display import registry as views
from rh_kernel.primitives import table as operations
from rh_kernel.session.directives import registry as directives
from rh_kernel.training.reading import formats

OF_THE_KERNEL = frozenset({"changing", "session", "take"})
"""What a workspace has for the kernel and the display: no part of the promise."""

GROUPS = tuple(sorted(module.GROUP for module in (directives, formats, operations, systems, views)))
"""The groups of entry points by which another distribution adds to the language."""


def names() -> tuple[str, ...]:
    """``rh_kernel.__all__``, in order."""
    return tuple(sorted(rh_kernel.__all__, key=str.lower))


def of_a_workspace() -> tuple[str, ...]:
    """What a ``Workspace`` has, in order."""
    return tuple(sorted(name for name in dir(rh_kernel.Workspace) if not name.startswith("_") and name not in OF_THE_KERNEL))


def names_part() -> str:
    """Two tables, and the groups."""
    module = [(f"`rh_kernel.{name}`", _first_line(getattr(rh_kernel, name))) for name in names()]
    workspace = [(f"`rh.{name}`", _first_line(getattr_static(rh_kernel.Workspace, name))) for name in of_a_workspace()]
    groups = ", ".join(f"`{group}`" for group in GROUPS)
    return "\n\n".join(
        [
            table(("name", "what it does"), module),
            "`rh` is a workspace: `rh_kernel.Workspace()`, or in a Python cell that of the notebook.",
            table(("name", "what it does"), workspace),
            f"The groups of entry points are {groups}.",
        ]
    )


def _first_line(thing: object) -> str:
    """The first line of what Python's ``help`` says about it, with the marks of code that Markdown has."""
    return (getdoc(thing) or "").partition("\n")[0].replace("``", "`")
