"""Pictures for a lecture, drawn by running a program: those of the page for teachers."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lessons.reference.figures import PICTURES
from lessons.reference.running import run
from rh_kernel.display.view_files import encode_view
from rh_kernel.source.diagnostic import KernelBug

_NET = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc w0 : Real(3, 2) = [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]
loc w1 : Real(1, 3) = [[0.7, -0.8, 0.9]]
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
"""
PROGRAMS: Mapping[str, tuple[str, str]] = {
    "slide-pass": (
        "A pass, forward and backward, with its numbers",
        _NET + "%gradient rev handle ([1.0, -2.0]) <x>. "
        "let z <= FC[w0](x) in let h <= return swish(z) in FC[w1](h) with sgd(0.1, [0.5])",
    ),
    "slide-residual": (
        "A residual block under a reverse handler",
        _NET + "loc s : Real(2, 2) = [[0.5, 0], [0, 0.5]]\n%diagram rev handle ([1.0, -2.0]) <x>. "
        "let y <= FC[s](x) in return x + swish(y) with sgd(0.1, [0, 0])",
    ),
    "slide-meaning": (
        "A command and its string diagram",
        _NET + "%diagram let z <= FC[w0]([1.0, -2.0]) in let h <= return swish(z) in FC[w1](h)",
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
    return encode_view(ran.results[-1], ".svg", title=title)
