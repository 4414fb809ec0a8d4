"""Recurrent layers as scans: a product with the input and one with the state, in the order of gates that a framework has."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.interchange.model import Call, Infix, Let, Node, Number, Perform, Scan, Term, Value, Weight
from rh_kernel.interchange.sources import tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Typed, Unsupported
from rh_kernel.interchange.sources.shapes import show
from rh_kernel.source.records import frozen


@frozen
class Gates:
    """The places of the gates among the rows of the weights.

    An ``lstm`` has ``enter``, ``leave``, ``stay`` and ``candidate``, a ``gru`` ``reset``, ``keep`` and ``candidate``. A ``gru``
    applies ``reset`` behind the product with its weights, like PyTorch, a ``first gru`` in front of it, like Cho and others.
    """

    kind: str
    order: tuple[str, ...]


TORCH_LSTM = Gates("lstm", ("enter", "stay", "candidate", "leave"))
TORCH_GRU = Gates("gru", ("reset", "keep", "candidate"))
ONNX_LSTM = Gates("lstm", ("enter", "leave", "stay", "candidate"))
ONNX_GRU = Gates("gru", ("keep", "reset", "candidate"))
ONNX_FIRST_GRU = Gates("first gru", ("keep", "reset", "candidate"))
ELMAN = Gates("elman", ("candidate",))


@frozen
class Cell:
    """The weights of one layer: of the input, of the state, and their biases, where there are some"""

    gates: Gates
    w: Known
    u: Known
    w_bias: Known | None
    u_bias: Known | None
    activation: str = "tanh"


def recurrent(b: Builder, x: Typed, cell: Cell, initial: Sequence[Operand]) -> tuple[Typed, tuple[Typed, ...]]:
    """Return the states after each row of x and the last ones: of an LSTM, the state and the memory."""
    d = x.shape[1]
    size = cell.u.shape[1]
    count = len(cell.gates.order)
    if cell.w.shape != (count * size, d) or cell.u.shape != (count * size, size):
        raise Unsupported(f"an input of shape {show(x.shape)} and weights of shape {show(cell.w.shape)} do not fit")
    item = b.variable((d,))
    states = tuple([b.variable((size,)) for _ in initial])
    before = tuple([_initial(b, s, size).term for s in initial])
    body: list[Node] = []
    inputs = _layer(b, body, item, cell.w, cell.w_bias)
    if cell.gates.kind == "first gru":
        after = (_first_gru(b, body, cell, inputs, states[0], size),)
        return _scanned(b, x, item, states, before, body, after)
    recurrent_part = _layer(b, body, states[0], cell.u, cell.u_bias)
    if cell.gates.kind == "lstm":
        after = _lstm(b, body, cell.gates, inputs, recurrent_part, states, size)
    elif cell.gates.kind == "gru":
        after = _gru(b, body, cell.gates, inputs, recurrent_part, states[0], size)
    else:
        after = (_let(b, body, Call(cell.activation, (Infix("+", inputs, recurrent_part),)), size),)
    return _scanned(b, x, item, states, before, body, after)


def _scanned(
    b: Builder,
    x: Typed,
    item: Value,
    states: tuple[Value, ...],
    before: tuple[Term, ...],
    body: Sequence[Node],
    after: tuple[Value, ...],
) -> tuple[Typed, tuple[Typed, ...]]:
    """Add the scan whose rounds are the body, and give the states ``after``; the first of them is what each round gives."""
    shape = (x.shape[0], *after[0].shape)
    outputs, finals = b.variable(shape), tuple([b.variable(state.shape) for state in states])
    b.nodes.append(Scan(outputs, finals, item, x.term, states, before, tuple(body), after[0], after))
    return Typed(outputs, shape), tuple([Typed(final, final.shape) for final in finals])


def _initial(b: Builder, state: Operand, size: int) -> Typed:
    if isinstance(state, Known) and not np.any(state.array):
        return b.call("fill", [Typed(Number(0.0), (1,))], (size,), (size,))
    return b.reshape(b.typed(state), (size,))


def _let(b: Builder, body: list[Node], M: Term, size: int) -> Value:
    x = b.variable((size,))
    body.append(Let(x, M))
    return x


def _layer(b: Builder, body: list[Node], x: Value, w: Known, bias: Known | None) -> Value:
    places: tuple[Weight, ...] = (b.weight(w),)
    if bias is not None:
        places = (*places, b.weight(bias))
    y = b.variable((w.shape[0],))
    body.append(Perform(y, "FC" if bias is None else "Affine", places, x))
    return y


def _gate(gates: Gates, name: str, x: Term, size: int) -> Term:
    place = gates.order.index(name)
    return Call("slice", (x,), (place * size, (place + 1) * size))


def _lstm(
    b: Builder, body: list[Node], gates: Gates, x: Value, s: Value, states: Sequence[Value], size: int
) -> tuple[Value, ...]:
    y = _let(b, body, Infix("+", x, s), len(gates.order) * size)

    def sigmoid(name: str) -> Term:
        return Call("sigmoid", (_gate(gates, name, y, size),))

    kept = Infix("*", sigmoid("stay"), states[1])
    candidate = Call("tanh", (_gate(gates, "candidate", y, size),))
    memory = _let(b, body, Infix("+", kept, Infix("*", sigmoid("enter"), candidate)), size)
    state = _let(b, body, Infix("*", sigmoid("leave"), Call("tanh", (memory,))), size)
    return state, memory


def _gru(b: Builder, body: list[Node], gates: Gates, x: Value, s: Value, state: Value, size: int) -> tuple[Value, ...]:
    """One step: the gate ``reset`` is applied behind the product with its weights, as PyTorch does."""

    def both(name: str) -> Term:
        return Infix("+", _gate(gates, name, x, size), _gate(gates, name, s, size))

    reset = Call("sigmoid", (both("reset"),))
    used = Infix("*", reset, _gate(gates, "candidate", s, size))
    candidate = _let(b, body, Call("tanh", (Infix("+", _gate(gates, "candidate", x, size), used),)), size)
    kept = Infix("*", Call("sigmoid", (both("keep"),)), Infix("-", state, candidate))
    return (_let(b, body, Infix("+", candidate, kept), size),)


def _first_gru(b: Builder, body: list[Node], cell: Cell, x: Value, state: Value, size: int) -> Value:
    """One step in which the gate ``reset`` is applied in front of the product with the weights of the candidate."""
    order, bias = cell.gates.order, cell.u_bias
    if order.index("candidate") != len(order) - 1:
        raise Unsupported("its candidate is not the last of its gates")
    ends = (len(order) - 1) * size
    parts = [Known(cell.u.array[a:e], f"{cell.u.name}.{n}", cell.u.is_learned) for a, e, n in _halves(ends, len(order) * size)]
    biases = [
        None if bias is None else Known(bias.array[a:e], f"{bias.name}.{n}", bias.is_learned)
        for a, e, n in _halves(ends, len(order) * size)
    ]
    gates = _layer(b, body, state, parts[0], biases[0])

    def gate(name: str) -> Term:
        both = Infix("+", _gate(cell.gates, name, x, size), _gate(cell.gates, name, gates, size))
        return Call("sigmoid", (both,))

    used = _let(b, body, Infix("*", gate("reset"), state), size)
    product = _layer(b, body, used, parts[1], biases[1])
    candidate = _let(b, body, Call("tanh", (Infix("+", _gate(cell.gates, "candidate", x, size), product),)), size)
    kept = Infix("*", gate("keep"), Infix("-", state, candidate))
    return _let(b, body, Infix("+", candidate, kept), size)


def _halves(middle: int, end: int) -> tuple[tuple[int, int, str], ...]:
    return (0, middle, "gates"), (middle, end, "candidate")


def sequence(b: Builder, x: Tensor, time_axis: int) -> Typed:
    """Return a sequence of one sample as rows; the other one of the first two axes is that of samples."""
    if len(x.shape) == 2:
        return x.typed
    return b.with_samples(x, 1 - time_axis)


def stacked(b: Builder, states: Sequence[Typed], batch: int | None) -> Tensor:
    """Return the last states of several layers, with the axes layers, samples, features; without samples, two axes."""
    size = states[0].shape[0]
    rank = 2 if batch is None else 3
    shape = (1, size) if rank == 2 else (1, 1, size)
    parts = [Tensor(b.reshape(s, (1, size)).term, shape, batch) for s in states]
    return parts[0] if len(parts) == 1 else tensors.concat(b, parts, 0)
