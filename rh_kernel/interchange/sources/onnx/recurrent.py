"""``LSTM``, ``GRU`` and ``RNN`` of ONNX: one layer, forward."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from rh_kernel.interchange.sources import recurrent, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Typed, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped


class Node(Protocol):
    """A node of ONNX."""

    @property
    def attributes(self) -> Mapping[str, Untyped]:
        """The attributes by their names."""
        ...

    def get(self, place: int) -> Operand | None:
        """Return an input that may be left out."""
        ...

    def operand(self, place: int) -> Operand:
        """Return an input."""
        ...

    def known(self, place: int) -> Known | None:
        """Return an input that may not depend on the model's inputs."""
        ...


def lstm(b: Builder, n: Node) -> list[Operand]:
    """Return the states after each row, the last one, and the last memory."""
    if n.get(7) is not None and np.any(getattr(n.known(7), "array", 0)):
        raise Unsupported("its gates look at the memory", "use an LSTM without peepholes")
    if n.attributes.get("input_forget"):
        raise Unsupported("its gates depend on each other", "use input_forget=0")
    _check(n, ["Sigmoid", "Tanh", "Tanh"])
    return _layer(b, n, recurrent.ONNX_LSTM, states=2)


def gru(b: Builder, n: Node) -> list[Operand]:
    """Return the states after each row, and the last one."""
    _check(n, ["Sigmoid", "Tanh"])
    gates = recurrent.ONNX_GRU if n.attributes.get("linear_before_reset") else recurrent.ONNX_FIRST_GRU
    return _layer(b, n, gates, states=1)


def rnn(b: Builder, n: Node) -> list[Operand]:
    """Return the states after each row, and the last one."""
    given = [a.lower() for a in n.attributes.get("activations", ["Tanh"])]
    if given not in (["tanh"], ["relu"]):
        raise Unsupported("its activation is neither Tanh nor Relu", "use one of these")
    _check(n, None)
    return _layer(b, n, recurrent.ELMAN, states=1, activation=given[0])


def _check(n: Node, activations: Sequence[str] | None) -> None:
    if n.attributes.get("direction", "forward") != "forward":
        raise Unsupported(f"its direction is {n.attributes['direction']}", "use direction forward")
    if activations is not None and n.attributes.get("activations", activations) != activations:
        raise Unsupported("its activations are not the usual ones", f"use {', '.join(activations)}")
    if n.attributes.get("clip"):
        raise Unsupported("it clips what goes into its gates", "use no clip")


def _layer(b: Builder, n: Node, gates: recurrent.Gates, *, states: int, activation: str = "tanh") -> list[Operand]:
    layout = n.attributes.get("layout", 0)
    x = tensors.tensor(b, n.operand(0))
    rows = recurrent.sequence(b, x, 1 if layout else 0)
    lengths = n.known(4)
    if lengths is not None and np.any(lengths.array != rows.shape[0]):
        raise Unsupported("it stops before the end of the sequence", "give sequences of one length")
    w, u, bias = n.known(1), n.known(2), n.known(3)
    if w is None or u is None or w.array.ndim != 3 or w.shape[0] != 1:
        raise Unsupported("it has no weights, or those of two directions")
    parts: list[Known | None] = [None, None]
    if bias is not None:
        half = bias.array.size // 2
        first, second = bias.moved(lambda array: array.reshape(-1)[:half]), bias.moved(lambda array: array.reshape(-1)[half:])
        parts = [replace(first, name=f"{bias.name}.w"), replace(second, name=f"{bias.name}.r")]
    first, second = (k.moved(lambda array: array[0]) for k in (w, u))
    size = u.shape[2]
    zero = Known(np.zeros(size), "zero", is_learned=False)
    initial = [_state(b, n.get(5 + k), zero) for k in range(states)]
    cell = recurrent.Cell(gates, first, second, parts[0], parts[1], activation)
    outputs, finals = recurrent.recurrent(b, rows, cell, initial)
    count = rows.shape[0]
    shape, batch = ((1, count, 1, size), 0) if layout else ((count, 1, 1, size), 2)
    whole = Tensor(b.reshape(outputs, _without(shape, batch)).term, shape, batch)
    last = [_final(b, final, layout) for final in finals]
    return [whole, *last]


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def _final(b: Builder, final: Typed, layout: int) -> Tensor:
    size = final.shape[0]
    return Tensor(b.reshape(final, (1, size)).term, (1, 1, size), 0 if layout else 1)


def _state(b: Builder, given: Operand | None, zero: Known) -> Operand:
    if given is None:
        return zero
    if isinstance(given, Known):
        return given.moved(lambda array: array.reshape(-1))
    return given
