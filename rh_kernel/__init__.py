"""The language of "Programming Backpropagation with Reverse Handlers for Arrows", in a notebook.

From Python: ``%load_ext rh_kernel`` gives an ordinary notebook the magic ``%%rh``, and the functions below work in the same
session. In a notebook of the kernel a cell that begins with ``%%python`` is Python, and they work in the session of that
notebook, which is called ``rh`` there. A script that wants one of its own makes it: ``rh = rh_kernel.Workspace()``.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rh_kernel.notebook.magics import Extensible
    from rh_kernel.workspace.errors import Wrong
    from rh_kernel.workspace.growth import Growth
    from rh_kernel.workspace.outcomes import Derivation, Diagram, Gradient, Run, Trace
    from rh_kernel.workspace.workspace import Workspace

__all__ = ["Workspace", "Wrong", "current", "derivation", "diagram", "gradient", "growth", "run", "trace"]


def current() -> "Workspace":
    """The session that the functions below and ``%%rh`` work in: one a notebook, and one for a script."""
    from rh_kernel.workspace import workspace

    return workspace.current()


def run(text: str) -> "Run":
    """Run a program; it takes effect as a whole or not at all. Raises ``Wrong``, whose message says what is wrong and where."""
    return current().run(text)


def trace(subject: str) -> "Trace":
    """Every reduction step of a term or a command, which is evaluated in this way. Raises ``Wrong``."""
    return current().trace(subject)


def gradient(subject: str, against: str | None = None) -> "Gradient":
    """Every value that a command computes, forward and backward, and beside it those of another. Raises ``Wrong``."""
    return current().gradient(subject, against)


def diagram(subject: str) -> "Diagram":
    """The string diagram of a term, a command or a net. Raises ``Wrong``."""
    return current().diagram(subject)


def derivation(subject: str) -> "Derivation":
    """The typing derivation of a term, a command or a name. Raises ``Wrong``."""
    return current().derivation(subject)


def growth(family: Callable[[int], str], sizes: Iterable[int], *counts: str) -> "Growth":
    """How counts of the laboratory's systems grow with the size of a program, e.g. ``"chad"``, ``"chad visits"``."""
    return current().growth(family, sizes, *counts)


def load_ipython_extension(shell: "Extensible") -> None:
    """What ``%load_ext rh_kernel`` does."""
    from rh_kernel.notebook.magics import load

    load(shell)


def __getattr__(name: str) -> type:
    """The classes ``Workspace`` and ``Wrong``, loaded when they are asked for."""
    match name:
        case "Workspace":
            from rh_kernel.workspace.workspace import Workspace

            return Workspace
        case "Wrong":
            from rh_kernel.workspace.errors import Wrong

            return Wrong
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
