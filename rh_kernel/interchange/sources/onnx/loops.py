"""What is seen from outside of a node of ONNX: the rounds of a ``Scan``, and which values nodes use, and for what."""

from collections.abc import Iterator, Sequence

from rh_kernel.interchange.sources.builder import Operand, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped
from rh_kernel.interchange.sources.loops import Side
from rh_kernel.interchange.sources.shapes import axis_of
from rh_kernel.source.records import frozen

FIRST_OPSET = 9
"""Before, a ``Scan`` had an axis of samples of its own."""

WHOLE_KINDS = frozenset({2, 3, 4, 5, 6, 7, 12, 13})
"""The types of whole numbers, as ``TensorProto`` numbers them."""


@frozen
class ScanNode:
    """The graph of a round, the number of rounds, the first states, the arrays of rows, and where the results go"""

    body: Untyped
    count: int
    initial: tuple[Operand, ...]
    rows: tuple[tuple[Operand, Side], ...]
    results: tuple[Side, ...]


def scan_of(onnx: Untyped, node: Untyped, given: Sequence[Operand | None], opset: int) -> ScanNode:
    """Read the attributes of a node. Raises ``Unsupported``, or ``ValueError`` if its arrays differ in length."""
    if opset < FIRST_OPSET:
        raise Unsupported(f"it is one of opset {opset}", f"convert the model to opset {FIRST_OPSET} or later")
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    body, count = attributes["body"], int(attributes["num_scan_inputs"])
    operands = [x for x in given if x is not None]
    if len(operands) < len(given) or not 0 < count <= len(given):
        raise ValueError("it lacks an input")
    states, arrays = operands[: len(operands) - count], operands[len(operands) - count :]
    sides = _sides(attributes, "input", [len(x.shape) for x in arrays])
    lengths = {x.shape[side.axis] for x, side in zip(arrays, sides, strict=True)}
    if len(lengths) != 1:
        raise ValueError(f"it scans arrays of {len(lengths)} lengths")
    outputs = len(body.output) - len(states)
    results = _sides(attributes, "output", [0] * outputs)
    return ScanNode(body, lengths.pop(), tuple(states), tuple(zip(arrays, sides, strict=True)), tuple(results))


def _sides(attributes: Untyped, side: str, ranks: Sequence[int]) -> list[Side]:
    """Return the axes and directions of the arrays of one side; those of results, whose ranks are not known yet, from 0 on."""
    zeros = [0] * len(ranks)
    axes, directions = (attributes.get(f"scan_{side}_{what}") or zeros for what in ("axes", "directions"))
    if any(axis < 0 and not rank for axis, rank in zip(axes, ranks, strict=True)):
        raise Unsupported("it counts the axes of its results from behind", "count them from 0")
    return [
        Side(axis_of(axis, rank) if rank else axis, bool(way)) for axis, rank, way in zip(axes, ranks, directions, strict=True)
    ]


def outside(node: Untyped) -> Iterator[str]:
    """Yield the names that the graphs inside a node use of the graph around it."""
    for attribute in node.attribute:
        for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            own = {entry.name for entry in (*graph.input, *graph.initializer)}
            own.update([name for inner in graph.node for name in inner.output])
            used = [name for inner in graph.node for name in (*inner.input, *outside(inner))]
            used += [entry.name for entry in graph.output]
            yield from [name for name in used if name and name not in own]


def numbers_rows(graph: Untyped, name: str) -> bool:
    """Whether all that a graph does with a value is to make whole numbers of it."""
    users = [node for node in graph.node if name in (*node.input, *outside(node))]
    kinds = [a.i for node in users if node.op_type == "Cast" for a in node.attribute if a.name == "to"]
    return bool(users) and len(kinds) == len(users) and all(kind in WHOLE_KINDS for kind in kinds)
