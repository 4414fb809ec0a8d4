"""Environments for the interpretation of terms and commands (RH Def. 7.12, 7.13): the variables of Δ stand for wires."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from rh_kernel.denotational.wiring import Builder, Diagram, Wires, flat, like
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.types import Type


@dataclass(frozen=True, slots=True)
class Continuation:
    """``k`` in a clause of an ordinary handler: the handled rest, given the result of the operation and the captured wires."""

    rest: Diagram[Any]
    captured: tuple[int, ...]
    answer: Type


@dataclass(frozen=True, slots=True)
class Binding:
    """``outer, name``; the value is ``None`` if nothing refers to it"""

    name: str
    value: "Wires | Continuation | None"
    outer: "Environment"


Environment: TypeAlias = Binding | None
"""The innermost variable first, as de Bruijn indices count."""


def bind(names: Sequence[str], values: Sequence[Wires], rho: Environment) -> Environment:
    """Return the environment extended by variables, the last one innermost."""
    for name, value in zip(names, values, strict=True):
        rho = Binding(name, value, rho)
    return rho


def find(rho: Environment, index: int) -> "Wires | Continuation":
    """Return the value of a variable."""
    while rho is not None and index:
        rho, index = rho.outer, index - 1
    if rho is None or rho.value is None:
        raise KernelBug("a variable is not in scope")
    return rho.value


def wires(rho: Environment, index: int) -> Wires:
    """Return the wires of a variable that stands for a value."""
    value = find(rho, index)
    if isinstance(value, Continuation):
        raise KernelBug("a continuation stands in the place of a value")
    return value


def names(rho: Environment, loose: int) -> tuple[str, ...]:
    """Return the names of the variables, outermost first, from the outermost one whose bit is set in ``loose``."""
    found: list[str] = []
    while rho is not None and loose:
        found.append(rho.name)
        rho, loose = rho.outer, loose >> 1
    return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class NestedStart:
    """The start of a nested diagram: the outer wires that its first inputs stand for, and the environment inside."""

    outer: tuple[int, ...]
    environment: Environment

    def types(self, around: Builder[Any]) -> list[Type]:
        """Return the types of those inputs."""
        return [around.types[wire] for wire in self.outer]


def enclose(rho: Environment, loose: int) -> NestedStart:
    """Start a diagram that may use the variables whose bit is set in ``loose``; the wires of the outermost come first."""
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
    return NestedStart(tuple(outer), inside)
