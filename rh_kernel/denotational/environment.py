"""What the variables in scope stand for, while a term or a command is interpreted (RH Def. 7.12, 7.13): Δ as wires."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rh_kernel.denotational.wiring import Builder, Diagram, Wires, flat, like
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.types import Type


@dataclass(frozen=True, slots=True)
class Continuation:
    """``k`` of an ordinary handler's clause: the handled rest, on the operation's result and the wires it left aside."""

    rest: Diagram[Any]
    captured: tuple[int, ...]
    answer: Type


@dataclass(frozen=True, slots=True)
class Binding:
    """``outer, name``; the value is ``None`` where nothing refers to it"""

    name: str
    value: "Wires | Continuation | None"
    outer: "Environment"


Environment: TypeAlias = Binding | None
"""The nearest variable first, as indices count."""


def bind(names: Sequence[str], values: Sequence[Wires], rho: Environment) -> Environment:
    """The environment with further variables, the last of them the nearest."""
    for name, value in zip(names, values, strict=True):
        rho = Binding(name, value, rho)
    return rho


def find(rho: Environment, index: int) -> "Wires | Continuation":
    """What a variable stands for."""
    while rho is not None and index:
        rho, index = rho.outer, index - 1
    if rho is None or rho.value is None:
        raise KernelBug("a variable is not in scope")
    return rho.value


def wires(rho: Environment, index: int) -> Wires:
    """The wires of a variable that stands for a value."""
    value = find(rho, index)
    if isinstance(value, Continuation):
        raise KernelBug("a continuation stands in the place of a value")
    return value


def names(rho: Environment, loose: int) -> tuple[str, ...]:
    """The names of the variables from the farthest that ``loose`` has a bit for, to the nearest."""
    found: list[str] = []
    while rho is not None and loose:
        found.append(rho.name)
        rho, loose = rho.outer, loose >> 1
    return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class Enclosure:
    """The start of a diagram inside another one: the outer wires that its first inputs stand for, and its variables."""

    outer: tuple[int, ...]
    environment: Environment

    def types(self, around: Builder[Any]) -> list[Type]:
        """The types of those inputs."""
        return [around.types[wire] for wire in self.outer]


def enclose(rho: Environment, loose: int) -> Enclosure:
    """A diagram that may use the variables that ``loose`` has a bit for; the wires of the farthest come first."""
    mentioned: list[tuple[str, Wires | Continuation | None]] = []
    while rho is not None and loose:
        mentioned.append((rho.name, rho.value if loose & 1 else None))
        rho, loose = rho.outer, loose >> 1
    outer: list[int] = []

    def image(wire: int) -> int:
        outer.append(wire)
        return len(outer) - 1

    inside: Environment = None
    for name, value in reversed(mentioned):
        match value:
            case None:
                inside = Binding(name, None, inside)
            case Continuation(rest, captured, answer):
                inside = Binding(name, Continuation(rest, tuple([image(wire) for wire in captured]), answer), inside)
            case value:
                inside = Binding(name, like(value, [image(wire) for wire in flat(value)]), inside)
    return Enclosure(tuple(outer), inside)
