"""RH, the language of "Programming Backpropagation with Reverse Handlers for Arrows", as a Jupyter kernel.

In a Python notebook, ``%load_ext rh_kernel`` adds the magic ``%%rh``, and the functions below share its session. In a notebook
of the kernel, cells that begin with ``%%python`` are Python; there the functions use the notebook's session, and its workspace
is called ``rh``. A script can create a workspace of its own: ``rh = rh_kernel.Workspace()``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from rh_kernel.notebook.magics import Extensible
    from rh_kernel.workspace.errors import Wrong
    from rh_kernel.workspace.growth import Growth
    from rh_kernel.workspace.imports import Imported
    from rh_kernel.workspace.outcomes import Derivation, Diagram, Gradient, Run, Trace
    from rh_kernel.workspace.workspace import Workspace

__all__ = [
    "Workspace",
    "Wrong",
    "current",
    "derivation",
    "diagram",
    "export",
    "gradient",
    "growth",
    "import_jax",
    "import_onnx",
    "import_torch",
    "run",
    "trace",
]


def current() -> "Workspace":
    """Return the workspace used by ``%%rh`` and the functions below: one per notebook, or one per script."""
    from rh_kernel.workspace import workspace

    return workspace.current()


def run(text: str) -> "Run":
    """Run a program; it takes effect as a whole or not at all. Raises ``Wrong``, whose message says what is wrong where."""
    return current().run(text)


def trace(subject: str) -> "Trace":
    """Evaluate a term or a command and return every reduction step. Raises ``Wrong``."""
    return current().trace(subject)


def gradient(subject: str, against: str | None = None) -> "Gradient":
    """Run a command and return every value computed, forward and backward; compare with ``against``. Raises ``Wrong``."""
    return current().gradient(subject, against)


def diagram(subject: str) -> "Diagram":
    """Return the string diagram of a term, a command or a net. Raises ``Wrong``."""
    return current().diagram(subject)


def derivation(subject: str) -> "Derivation":
    """Return the typing derivation of a term, a command or a name. Raises ``Wrong``."""
    return current().derivation(subject)


def export(net: str, file: "Path | str", target: str | None = None) -> "Run":
    """Write a net, with its weights, as a function of NumPy, JAX, PyTorch or ONNX. Raises ``Wrong``."""
    return current().export(net, file, target)


def growth(family: Callable[[int], str], sizes: Iterable[int], *counts: str) -> "Growth":
    """Count operations of the AD systems as programs grow, e.g. ``"chad"``, ``"chad visits"``. Raises ``Wrong``."""
    return current().growth(family, sizes, *counts)


def import_torch(module: object, example: object, *, batch: bool = True, state_dict: Path | str | None = None) -> "Imported":
    """Read a ``torch.nn.Module`` in memory as a program for one sample, with its weights. Raises ``Wrong``."""
    return current().import_torch(module, example, batch=batch, state_dict=state_dict)


def import_onnx(
    file: Path | str, example: Mapping[str, object] | None = None, *, batch: bool = True, results: Sequence[str] = ()
) -> "Imported":
    """Read the model in an ``.onnx`` file as a program for one sample, with its weights. Raises ``Wrong``."""
    return current().import_onnx(file, example, batch=batch, results=results)


def import_jax(function: object, example: object, params: object = None, *, batch: bool = True) -> "Imported":
    """Read a function of JAX as a program for one sample, with its parameters as weights. Raises ``Wrong``."""
    return current().import_jax(function, example, params, batch=batch)


def load_ipython_extension(shell: "Extensible") -> None:
    """Called by ``%load_ext rh_kernel``."""
    from rh_kernel.notebook.magics import load

    load(shell)


def __getattr__(name: str) -> type:
    """Import the classes ``Workspace`` and ``Wrong`` on demand."""
    match name:
        case "Workspace":
            from rh_kernel.workspace.workspace import Workspace

            return Workspace
        case "Wrong":
            from rh_kernel.workspace.errors import Wrong

            return Wrong
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
