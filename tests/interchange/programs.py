"""Run imported models, and compare with what their frameworks compute."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rh_kernel.interchange.sources.imported import Imported
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.parsing.formatting import format_source
from rh_kernel.workspace.workspace import Workspace

EXACT = 1e-10
SINGLE = 2e-4


def started(found: Imported, folder: Path) -> Workspace:
    """Save an imported model, run its file, and return the workspace after it; the check at its end has passed."""
    file = found.save(folder / "net.rh", overwrite=True)
    workspace = Workspace(folder)
    text = file.read_text(encoding="utf-8")
    done = workspace.run(text)
    assert "\n✓ " in done.text.rpartition(" ~> ")[2], done.text
    assert format_source(Source("net.rh", text)), "a person can format it"
    return workspace


def net_name(found: Imported) -> str:
    return (
        next(line for line in found.text.splitlines() if line.startswith("net ") and "each_row" not in line)
        .split()[1]
        .split("(")[0]
    )


def results(workspace: Workspace, found: Imported, inputs: Sequence[Array]) -> list[Array]:
    """Return what the net gives for inputs without an axis of samples."""
    names = [f"input_{k}" for k in range(len(inputs))]
    for name, array in zip(names, inputs, strict=True):
        workspace.const(name, np.asarray(array, np.float64).reshape(np.shape(array) or (1,)))
    value = workspace.run(f"handle {net_name(found)}({', '.join(names)}) with infer").value
    return [np.asarray(v) for v in (value if isinstance(value, tuple) else (value,))]


def largest_difference(found: Sequence[Any], expected: Sequence[Any]) -> float:
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert np.size(a) == np.size(b)
    return max(float(np.max(np.abs(np.ravel(a) - np.ravel(b)))) for a, b in zip(found, expected, strict=True))
