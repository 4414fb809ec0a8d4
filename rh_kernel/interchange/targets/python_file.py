"""Python files: a function or a module with its weights in an ``.npz`` file beside it."""

import io
from collections.abc import Mapping, Sequence
from importlib.metadata import version

import numpy as np

from rh_kernel.interchange.functions import ArrayFunction, Parameter
from rh_kernel.interchange.targets.python_code import PythonCode
from rh_kernel.interchange.targets.target import Exported
from rh_kernel.syntax.core import Array
from rh_kernel.training.reading.npy import write_npz

WIDTH = 100
"""Characters in a line of generated code, where it can be kept."""


def head(exported: Exported, language: str) -> list[str]:
    """Comments that say what the file is."""
    return [
        f"# A net of RH as a function of {language}, written by rh_kernel {version('rh_kernel')}:",
        f"# {' '.join(exported.signature.split())}",
    ]


def shapes(function: ArrayFunction) -> list[str]:
    """What a caller gives: a line for each parameter."""
    return [f"    {p.name}: an array of shape {shape_text(p)}" for p in function.parameters]


def shape_text(p: Parameter) -> str:
    """``(b, 3)``; b is the number of samples."""
    sizes = [*["b"] * p.batched, *map(str, p.shape)]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def returns(function: ArrayFunction) -> str:
    """What a call returns, as a sentence."""
    batched = "for a batch of b samples" if any(p.batched for p in function.parameters) else ""
    if not function.writes:
        return f"Return the result {batched}".rstrip() + "."
    mean = ", after the mean of the changes of all samples" if batched else ""
    return f"Return the result {batched}".rstrip() + f", and the new weights{mean}."


def unpacked(function: ArrayFunction, source: Mapping[str, str]) -> list[str]:
    """Lines that give the weights their names: ``w, b = weights["w"], weights["b"]``, where ``source`` has the right sides."""
    names = [w.parameter.name for w in function.weights]
    lines: list[str] = []
    while names:
        count = max(1, next((n for n in range(len(names), 0, -1) if len(_assigned(names[:n], source)) <= WIDTH), 1))
        lines.append(_assigned(names[:count], source))
        names = names[count:]
    return lines


def _assigned(names: Sequence[str], source: Mapping[str, str]) -> str:
    return f"    {', '.join(names)} = {', '.join([source[name] for name in names])}"


def stored(exported: Exported, code: PythonCode) -> bytes:
    """The weights by their names in RH, and the constants of the code, as an ``.npz`` file."""
    arrays: dict[str, Array] = {w.parameter.written: array for w, array in exported.contents.items()}
    arrays |= {name: array.astype(exported.precision) for name, array in code.constants.items()}
    file = io.BytesIO()
    write_npz({name: np.ascontiguousarray(array, exported.precision) for name, array in arrays.items()}, file)
    return file.getvalue()
