"""A function as an ONNX model in float32.

Inputs, weights and results have the names that they have in RH; the result is called ``result``, or ``result1`` and so on. The
weights are initialisers, and the metadata list them under ``rh_weights``. Those that the function changes are inputs as well,
so that the next step can be given the new ones, which are outputs: that of ``w`` is called ``new_w``. Loops are scans.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from rh_kernel.interchange.functions import Computed, Let, Line, Rounds
from rh_kernel.interchange.targets.onnx_model import WEIGHTS, Attribute, Graph, Model, Node, Value, encoded, renamed, single
from rh_kernel.interchange.targets.onnx_nodes import Nodes, Shared
from rh_kernel.interchange.targets.target import Exported, Target
from rh_kernel.interchange.uses import uses
from rh_kernel.loops.trees import leaves

TOLERANCE = 1e-5
"""The absolute and relative difference that rounding to float32 makes in the nets of the library."""


SAMPLES = "b"
"""The name of the number of samples."""


def model_of(exported: Exported) -> Model:
    """Return the function as a model. Raises ``Rejected`` for a scalar operation that ONNX does not have."""
    function = exported.function
    shared = Shared(uses(function))
    written = {w for w, _ in function.writes}
    changing: list[Value] = []
    for w, array in exported.contents.items():
        value = shared.declare(w.parameter.variable, w.parameter.written)
        shared.initialisers[value.name] = single(array)
        changing += [value] * (w in written)
    inputs = [shared.declare(p.variable, p.written, SAMPLES) for p in function.parameters]
    nodes = Nodes(shared)
    _write(nodes, function.lines)
    results = [*leaves(function.result)]
    outputs = nodes.outputs([*results, *[e for _, e in function.writes]], SAMPLES)
    wanted = ["result"] if len(results) == 1 else [f"result{i}" for i in range(1, len(results) + 1)]
    wanted += [f"new_{w.parameter.written}" for w, _ in function.writes]
    names = {v.name: shared.name(name) for v, name in zip(outputs, wanted, strict=True)}
    graph = renamed(Graph(function.name, (*inputs, *changing), outputs, tuple(nodes.written)), names)
    weights = "\n".join([shared.variables[w.parameter.name] for w in exported.contents])
    properties = {WEIGHTS: weights, "signature": exported.signature, "precision": "float32", "tolerance": f"{TOLERANCE:g}"}
    return Model(graph, shared.initialisers, shared.constants, exported.signature, properties)


def _write(nodes: Nodes, lines: Sequence[Line]) -> None:
    """Add the nodes of lines."""
    shared = nodes.shared
    for line in lines:
        match line:
            case Computed(value):
                if shared.uses[id(value)]:
                    nodes.value(value)
            case Let(variable, value):
                shared.bind(variable, nodes.value(value))
            case Rounds():
                _scan(nodes, line)


def _scan(nodes: Nodes, loop: Rounds) -> None:
    """Add a loop, and name its results."""
    shared = nodes.shared
    firsts = [nodes.value(first) for _, first in loop.carried]
    # A scan goes on as long as there are rows.
    wholes = [nodes.value(whole) for _, whole in loop.rows] or [shared.constant(single(np.zeros(loop.count)))]
    axes = [int(whole.batched) for _, whole in loop.rows] or [0]
    body = Nodes(shared, nodes)
    inputs = [shared.declare(v) for v, _ in (*loop.carried, *loop.rows)]
    inputs += [Value(shared.name("round"), ())] * (not loop.rows)
    _write(body, loop.body)
    outputs = body.outputs([*loop.following, *loop.emitted])
    graph = Graph(shared.name("body"), tuple(inputs), outputs, tuple(body.written))
    attributes: dict[str, Attribute] = {"body": graph, "num_scan_inputs": len(wholes)}
    attributes |= _directions("input", axes, loop)
    attributes |= _directions("output", [int(e.batched) for e in loop.emitted], loop)
    results = [shared.declare(v).name for v in loop.results]
    nodes.written.append(Node("Scan", (*firsts, *wholes), tuple(results), attributes))


def _directions(side: str, axes: Sequence[int], loop: Rounds) -> Mapping[str, Attribute]:
    if not axes:
        return {}
    return {f"scan_{side}_axes": axes, f"scan_{side}_directions": [int(loop.backward)] * len(axes)}


def _written(exported: Exported) -> Mapping[str, bytes]:
    return {".onnx": encoded(model_of(exported))}


ONNX = Target(
    "onnx",
    "ONNX",
    ".onnx",
    _written,
    requires=("onnx",),
    install="pip install 'rh_kernel[interchange]'",
    remark=f"in float32: its numbers agree to about {TOLERANCE:g}",
    tolerance=TOLERANCE,
)
