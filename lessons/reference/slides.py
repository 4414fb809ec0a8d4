"""Pictures for a lecture, drawn by running a program: those of the page for teachers."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lessons.reference.figures import PICTURES
from lessons.reference.running import FIRST_PROGRAM, run
from lessons.reference.symbols import rounded
from rh_kernel.display.view_files import encode_view
from rh_kernel.source.diagnostic import KernelBug

_NET = FIRST_PROGRAM + "%reset\n"
PROGRAMS: Mapping[str, tuple[str, str]] = {
    "slide-pass": (
        "A pass, forward and backward, with its numbers",
        _NET + "%gradient rev handle ([1.0, -2.0]) <x>. mlp(x) with sgd(0.1, t)",
    ),
    "slide-residual": (
        "A residual block under a reverse handler",
        _NET + "loc s : Real(2, 2) = [[0.5, 0], [0, 0.5]]\n%diagram rev handle ([1.0, -2.0]) <x>. "
        "let y <= FC[s](x) in return x + swish(y) with sgd(0.1, [0, 0])",
    ),
    "slide-meaning": (
        "A command and its string diagram",
        _NET + "%diagram mlp([1.0, -2.0])",
    ),
}
"""The title and the program of each picture, by the name of its file; the last thing that the program shows is drawn."""


@cache
def slides() -> Mapping[Path, str]:
    """The pictures as files. Raises ``KernelBug`` if a program has an error."""
    return {PICTURES / f"{name}.svg": _drawn(title, program) for name, (title, program) in PROGRAMS.items()}


def _drawn(title: str, program: str) -> str:
    ran = run(program.strip())
    if ran.diagnostics:
        raise KernelBug(ran.text)
    return rounded(encode_view(ran.results[-1], ".svg", title=title))
