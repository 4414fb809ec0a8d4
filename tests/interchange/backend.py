"""The node tests of the ONNX backend, run as programs."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from rh_kernel.interchange.sources.imported import Imported, import_onnx
from rh_kernel.source.diagnostic import Failure, Rejected
from rh_kernel.workspace.errors import Wrong
from rh_kernel.workspace.workspace import Workspace
from tests.interchange import models
from tests.interchange.programs import largest_difference, net_name, results


@dataclass(frozen=True)
class NodeTest:
    """A test of the backend: a model of one operation, its inputs, and its results."""

    name: str
    made: Any

    def __str__(self) -> str:
        return self.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def model(self) -> Any:
        found = models.onnx().ModelProto()
        found.CopyFrom(self.made.model)
        return found

    @property
    def operations(self) -> set[str]:
        return {node.op_type for node in self.made.model.graph.node}

    @property
    def arrays(self) -> tuple[list[Any], list[Any]] | None:
        """The inputs and the results; ``None`` if one is not a tensor of numbers."""
        inputs, outputs = self.made.data_sets[0] if self.made.data_sets else ([], [])
        every = [*inputs, *outputs]
        if not inputs or any(
            not isinstance(x, np.ndarray | np.generic) or x.dtype.kind not in "fiub" or x.size == 0 for x in every
        ):
            return None
        return [np.asarray(x) for x in inputs], [np.asarray(x) for x in outputs]


def node_tests(operation: str | None = None) -> list[NodeTest]:
    """Return the node tests of one operation, or all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = import_module("onnx.backend.test.case.node").collect_testcases(operation)
    return [NodeTest(case.name, case) for case in sorted(cases, key=lambda case: case.name) if case.model is not None]


def forms(test: NodeTest, inputs: Sequence[Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the model with its inputs, and with all but the first of them as weights."""
    model = test.model
    given = dict(zip([i.name for i in model.graph.input], inputs, strict=True))
    yield model, given
    if len(given) > 1:
        changed = test.model
        first, *others = changed.graph.input
        changed.graph.initializer.extend([models.tensor(i.name, given[i.name]) for i in others])
        del changed.graph.input[1:]
        yield changed, {first.name: given[first.name]}


def status(test: NodeTest, folder: Path) -> str:
    """Return ``passed`` or ``refused``, or else what is wrong."""
    if test.arrays is None:
        return "refused"
    inputs, expected = test.arrays
    for model, given in forms(test, inputs):
        try:
            found = import_onnx(models.saved(model, folder / "node.onnx"), given, batch=False)
        except Rejected:
            continue
        try:
            return _compared(found, given, expected, folder)
        except (Wrong, Failure) as failure:
            return f"wrong program: {failure}"
    return "refused"


def _compared(found: Imported, given: dict[str, Any], expected: Sequence[Any], folder: Path) -> str:
    file = found.save(folder / "node.rh", overwrite=True)
    workspace = Workspace(folder)
    text = file.read_text(encoding="utf-8")
    workspace.run(text[: text.index("\ncheck ")])
    assert net_name(found)
    finite = [np.where(np.isfinite(x), x, 0) for x in expected]
    difference = largest_difference(results(workspace, found, list(given.values())), finite)
    scale = max(1.0, *[float(np.max(np.abs(x))) for x in finite])
    return "passed" if difference < 1e-3 * scale else f"differs by {difference}"


def counted(found: dict[NodeTest, str]) -> str:
    """``Relu 1/1/1``: passed, covered and all tests of each operation of which some are covered, and of all."""
    passed, covered, every = Counter[str](), Counter[str](), Counter[str]()
    for test, how in found.items():
        for name in {*test.operations, "all"}:
            every[name] += 1
            covered[name] += how != "refused"
            passed[name] += how == "passed"
    return "\n".join([f"{name} {passed[name]}/{covered[name]}/{every[name]}" for name in sorted(covered) if covered[name]])
