"""A node of ONNX as an operation reads it."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from rh_kernel.interchange.sources import tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Unsupported
from rh_kernel.interchange.sources.libraries import Untyped
from rh_kernel.source.records import frozen


@frozen
class OnnxNode:
    """The inputs of a node, ``None`` where one is left out, its attributes, and how many results it has"""

    inputs: tuple[Operand | None, ...]
    attributes: Mapping[str, Untyped]
    opset: int
    results: int

    def get(self, place: int) -> Operand | None:
        """Return an input that may be left out."""
        return self.inputs[place] if place < len(self.inputs) else None

    def operand(self, place: int) -> Operand:
        """Return an input. Raises ``IndexError``."""
        found = self.get(place)
        if found is None:
            raise IndexError(f"input {place} is missing")
        return found

    def known(self, place: int) -> Known | None:
        """Return an input that may not depend on the model's inputs. Raises ``Unsupported``."""
        found = self.get(place)
        if isinstance(found, Tensor):
            raise Unsupported("an argument of it depends on the input", "use a constant")
        return found

    def numbers(self, place: int, attribute: str = "") -> list[int] | None:
        """Return the whole numbers that an input or, in older models, an attribute gives."""
        found = self.known(place)
        if found is not None:
            return [int(n) for n in found.array.reshape(-1)]
        given = self.attributes.get(attribute)
        return None if given is None else [int(n) for n in given]


Operation: TypeAlias = Callable[[Builder, OnnxNode], Operand | list[Operand]]


def first(b: Builder, n: OnnxNode) -> Tensor:
    """Return the first input as a tensor."""
    return tensors.tensor(b, n.operand(0))


def number(value: float) -> Known:
    """Return a constant."""
    return Known(np.array(float(value)), "number", is_learned=False)


def pairs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the numbers in front and behind along each axis."""
    half = len(numbers) // 2
    return list(zip(numbers[:half], numbers[half:], strict=True))


def combined(b: Builder, sign: str, x: Operand, y: Operand) -> Operand:
    """Return ``x sign y``, of two constants too."""
    if isinstance(x, Known) and isinstance(y, Known):
        x = tensors.tensor(b, x)
    return tensors.binary(b, sign, x, y)
