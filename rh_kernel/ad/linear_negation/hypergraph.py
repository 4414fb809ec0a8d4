"""Computational graphs (§2.1) and the numeric algorithms on them: forward mode (§2.2) and backpropagation (§2.4).

A graph is an acyclic hypergraph with edges ``x1, …, xk →f y``. A node is the target of at most one hyperedge, an input of none.
The memory of backpropagation has a primal value and an adjoint for each node: a tape.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.ad.linear_negation.calculus import ZERO, Bang, Fun, Num, Partial, Plus, Symbol, Term, Var
from rh_kernel.ad.linear_negation.extraction import Extracted
from rh_kernel.ad.linear_negation.ground import Backward
from rh_kernel.ad.linear_negation.printing import number, symbol_text
from rh_kernel.ad.linear_negation.symbols import apply, operations, partial
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Edge:
    """``x1, …, xk →f y``; a numeral is an edge without sources, and the sum is ``add``"""

    symbol: Symbol | Num
    sources: tuple[int, ...]
    target: int


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes are numbered, the inputs first and every target after its sources; ``names`` are printed, and may be empty."""

    inputs: int
    names: tuple[str, ...]
    edges: tuple[Edge, ...]
    outputs: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of nodes and hyperedges."""
        return len(self.names) + len(self.edges)

    def fan_out(self, node: int) -> int:
        """How often a node is a source."""
        return sum(edge.sources.count(node) for edge in self.edges)


def graph(extracted: Extracted) -> Graph:
    """The hypergraph of a ground term; a variable that is bound by a substitution is one node."""
    builder = _GraphBuilder(list(extracted.inputs))
    for b in extracted.stack:
        if not isinstance(b, Bang):
            raise KernelBug("a graph has no pairs")
        builder.known[b.name] = builder.node(b.bound, b.name)
    outputs = tuple(map(builder.node, extracted.results))
    return Graph(len(extracted.inputs), tuple(builder.names), tuple(builder.edges), outputs)


def backward_graph(b: Backward, inputs: tuple[str, ...], a: str) -> Graph:
    """The hypergraph of ``bp(G)``, as in Fig. 2: a is an input, and the adjoints of the other inputs are outputs."""
    adjoints = tuple(b.partials.get(x, ZERO) for x in inputs)
    return graph(Extracted((*inputs, a), (*b.beta, *b.alpha), (b.value, *adjoints), 0))


class _GraphBuilder:
    def __init__(self, inputs: list[str]) -> None:
        self.names = inputs
        self.known = {x: i for i, x in enumerate(inputs)}
        self.edges: list[Edge] = []

    def node(self, t: Term, name: str = "") -> int:
        match t:
            case Var(x):
                return self.known[x]
            case Num():
                return self.target(t, (), name)
            case Plus(left, right):
                return self.target("add", (self.node(left), self.node(right)), name)
            case Fun(symbol, arguments):
                return self.target(symbol, tuple(map(self.node, arguments)), name)
            case _:
                raise KernelBug("this is no ground term")

    def target(self, symbol: Symbol | Num, sources: tuple[int, ...], name: str) -> int:
        self.names.append(name)
        self.edges.append(Edge(symbol, sources, len(self.names) - 1))
        return len(self.names) - 1


def dot(g: Graph) -> str:
    """The graph as a Graphviz document: circles for nodes, triangles for hyperedges, as in Fig. 1."""
    lines = ["digraph {", "  rankdir=LR;"]
    for i, name in enumerate(g.names):
        shape = "doublecircle" if i in g.outputs else "circle"
        lines.append(f'  n{i} [shape={shape}, label="{name}"];')
    for k, edge in enumerate(g.edges):
        label = number(edge.symbol.value) if isinstance(edge.symbol, Num) else _sign(edge.symbol)
        lines.append(f'  e{k} [shape=triangle, orientation=270, label="{label}"];')
        lines += [f"  n{i} -> e{k};" for i in edge.sources]
        lines.append(f"  e{k} -> n{edge.target};")
    return "\n".join([*lines, "}"])


def _sign(f: Symbol) -> str:
    signs = {"add": "+", "mul": "·", "sub": "−"}
    return signs.get(f, f) if isinstance(f, str) else symbol_text(f)


@dataclass(slots=True)
class Memory:
    """``x := (r, α)`` for each node, and counts of operations on numbers and of visits of hyperedges.

    ``other`` are the tangents or the adjoints, ``None`` for zeros that were not computed.
    """

    primal: list[float]
    other: list[float | None]
    operations: int = 0
    visits: int = 0


def evaluate(g: Graph, point: Sequence[float]) -> Memory:
    """Compute the primal value of each node."""
    memory = Memory([*point, *[0.0] * len(g.edges)], [None] * len(g.names))
    for edge in g.edges:
        memory.visits += 1
        match edge.symbol:
            case Num(r):
                memory.primal[edge.target] = r
            case "add":
                i, j = edge.sources
                memory.primal[edge.target] = memory.primal[i] + memory.primal[j]
                memory.operations += 1
            case str() | Partial() as f:
                memory.primal[edge.target] = apply(f, [memory.primal[i] for i in edge.sources])
                memory.operations += operations(f)
    return memory


def forward(g: Graph, point: Sequence[float], tangent: Sequence[float]) -> Memory:
    """Forward mode, (2): the tangent of the target of a hyperedge is ``Σ ∂f/∂i(s) · tᵢ``."""
    memory = evaluate(g, point)
    memory.other[: g.inputs] = tangent
    for edge in g.edges:
        for i, slope in zip(edge.sources, _slopes(edge, memory), strict=True):
            _add(memory, edge.target, _scaled(memory, slope, memory.other[i]))
    return memory


def backpropagate(g: Graph, point: Sequence[float], cotangent: Sequence[float]) -> Memory:
    """Backpropagation: in reverse topological order, each hyperedge adds ``∂f/∂i(s) · α`` to the adjoint of each source."""
    memory = evaluate(g, point)
    for node, w in zip(g.outputs, cotangent, strict=True):
        _add(memory, node, w)
    for edge in reversed(g.edges):
        memory.visits += 1
        adjoint = memory.other[edge.target]
        if adjoint is not None:
            for i, slope in zip(edge.sources, _slopes(edge, memory), strict=True):
                _add(memory, i, _scaled(memory, slope, adjoint))
    return memory


def _slopes(edge: Edge, memory: Memory) -> list[float | None]:
    """``∂f/∂i(s)`` for each source; ``None`` for 1, with which nothing is multiplied"""
    match edge.symbol:
        case Num():
            return []
        case "add":
            return [None, None]
        case str() as f:
            point = tuple(Num(memory.primal[i]) for i in edge.sources)
            return [_value(partial(f, i, point), memory) for i in range(1, len(point) + 1)]
        case Partial():
            raise KernelBug("a derivative of a derivative")


def _value(t: Term, memory: Memory) -> float:
    match t:
        case Num(r):
            return r
        case Fun(f, arguments):
            memory.operations += operations(f)
            return apply(f, [_value(u, memory) for u in arguments])
        case _:
            raise KernelBug("a partial derivative at a point is a symbol or a number")


def _scaled(memory: Memory, slope: float | None, r: float | None) -> float | None:
    if slope is None or r is None:
        return r
    memory.operations += 1
    return slope * r


def _add(memory: Memory, node: int, r: float | None) -> None:
    """Add to the tangent or adjoint of a node; adding to zero is no operation."""
    before = memory.other[node]
    if before is None:
        memory.other[node] = r
    elif r is not None:
        memory.operations += 1
        memory.other[node] = before + r
