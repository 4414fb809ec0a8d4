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
        f"# {summary(exported)}",
    ]


def summary(exported: Exported) -> str:
    """The signature of the net, on one line."""
    return " ".join(exported.signature.split())


def files(
    exported: Exported, code: PythonCode, language: str, imports: Sequence[str], load: Sequence[str], definition: Sequence[str]
) -> Mapping[str, bytes]:
    """The ``.py`` file, and the ``.npz`` file if there is anything in it, which ``load`` are lines to read."""
    has_data = bool(exported.contents or code.constants)
    lines = head(exported, language)
    lines += ["", *["from pathlib import Path", ""] * has_data, *imports, *["", *load] * bool(load and has_data)]
    for name in code.auxiliary:
        lines += ["", *code.functions[name].rstrip().split("\n")]
    made = {".py": "\n".join([*lines, "", "", *definition, ""]).encode()}
    return {**made, ".npz": stored(exported, code)} if has_data else made


def docstring(function: ArrayFunction, indent: int) -> list[str]:
    """What a call returns, and the shapes of its arguments; b is the number of samples."""
    batched = any(p.batched for p in function.parameters)
    result = "the result of each sample" if batched else "the result"
    lines = [f'"""Return {result}{" and the new weights" * bool(function.writes)}.']
    if function.writes and batched:
        lines += ["", "A new weight is the mean of those after the changes of every sample."]
    lines += ["", *[f"{p.name}: an array of shape {shape_text(p)}" for p in function.parameters]] if function.parameters else []
    return [" " * indent + line if line else "" for line in [*lines, '"""']]


def shape_text(p: Parameter) -> str:
    """``(b, 3)``; b is the number of samples."""
    sizes = [*["b"] * p.batched, *map(str, p.shape)]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def unpacked(function: ArrayFunction, source: Mapping[str, str], indent: int) -> list[str]:
    """Lines that give the weights their names: ``w, b = weights["w"], weights["b"]``, where ``source`` has the right sides."""
    names = [w.parameter.name for w in function.weights]
    lines: list[str] = []
    while names:
        fitting = [n for n in range(1, len(names) + 1) if len(_assigned(names[:n], source)) + indent <= WIDTH]
        count = max(fitting, default=1)
        lines.append(" " * indent + _assigned(names[:count], source))
        names = names[count:]
    return lines


def _assigned(names: Sequence[str], source: Mapping[str, str]) -> str:
    return f"{', '.join(names)} = {', '.join([source[name] for name in names])}"


def returned(result: str, written: Sequence[str], others: Sequence[str], indent: int) -> list[str]:
    """The lines that return the result, and the new weights, if there are any, in a dictionary with others."""
    if not written:
        return [f"{' ' * indent}return {result}"]
    entries = [*others, *written]
    return [f"{' ' * indent}return {result}, {{", *[" " * (indent + 4) + entry for entry in entries], " " * indent + "}"]


def stored(exported: Exported, code: PythonCode) -> bytes:
    """The weights by their names in RH, and the constants of the code, as an ``.npz`` file."""
    arrays: dict[str, Array] = {w.parameter.written: array for w, array in exported.contents.items()}
    arrays |= {name: array.astype(exported.precision) for name, array in code.constants.items()}
    file = io.BytesIO()
    write_npz({name: np.ascontiguousarray(array, exported.precision) for name, array in arrays.items()}, file)
    return file.getvalue()
