"""Results of ``%ad`` in ``%%lambda`` cells and of ``%%eff`` cells, for Python."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from rh_kernel.ad.comparison import Refused
from rh_kernel.ad.system import JvpResult, VjpResult
from rh_kernel.session.results import Counted, Differentiated, FormsShown, ReductionShown, Returned
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.workspace.outcome import Outcome, Shown, unwritable

if TYPE_CHECKING:
    from rh_kernel.ad.eff import core
    from rh_kernel.ad.eff.types import ComputationType

Plain: TypeAlias = "float | int | str | bool | Array | list[Plain] | tuple[Plain, ...]"
"""A value of EFF in Python: ``Paired 1 2`` is ``("Paired", 1.0, 2.0)``, a tensor is a read-only array.

A value without a Python counterpart is given as its text.
"""


@dataclass(frozen=True, slots=True, repr=False)
class Derivative(Outcome[Differentiated]):
    """``%ad SYSTEM f(V)``, and ``%ad all f(V)``"""

    @property
    def found(self) -> Mapping[str, VjpResult | JvpResult]:
        """The result of each system that accepts the program, by name: value, gradient or tangent, and operation counts."""
        rows = {row.system.name: row.outcome for row in self.result.rows}
        return MappingProxyType({name: o for name, o in rows.items() if not isinstance(o, Refused)})

    @property
    def refused(self) -> Mapping[str, str]:
        """Why each of the other systems rejects the program, by name."""
        rows = {row.system.name: row.outcome for row in self.result.rows}
        return MappingProxyType({name: o.diagnostics[0].message for name, o in rows.items() if isinstance(o, Refused)})


@dataclass(frozen=True, slots=True, repr=False)
class Forms(Outcome[FormsShown]):
    """``%ad SYSTEM f``"""

    @property
    def forms(self) -> Mapping[str, str]:
        """The text of each form of the program, by title, in the order of the transformations."""
        return MappingProxyType({stage.title: plain(stage.doc) for stage in self.result.stages})


@dataclass(frozen=True, slots=True, repr=False)
class Returning(Outcome[Returned]):
    """An expression of a ``%%eff`` cell"""

    @property
    def value(self) -> "Plain | None":
        """The value returned; ``None`` for a function."""
        return _returned(self.result)

    @property
    def printed(self) -> tuple[str, ...]:
        """The lines printed."""
        return self.result.printed

    @property
    def type(self) -> str:
        """The type, in concrete syntax."""
        return _type(self.result.type)


@dataclass(frozen=True, slots=True, repr=False)
class Counting(Outcome[Counted]):
    """``%count M``"""

    @property
    def value(self) -> "Plain | None":
        """The value returned; ``None`` for a function."""
        return _returned(self.result.returned)

    @property
    def printed(self) -> tuple[str, ...]:
        """The lines printed."""
        return self.result.returned.printed

    @property
    def type(self) -> str:
        """The type, in concrete syntax."""
        return _type(self.result.returned.type)

    @property
    def counts(self) -> Mapping[str, int]:
        """Machine steps, continuations captured, cells allocated, the most cells alive, and the most frames on the stack."""
        found = self.result.counts
        return MappingProxyType(
            {
                "steps": found.steps,
                "continuations": found.captured,
                "cells": found.cells,
                "cells alive": found.cells_alive,
                "frames": found.frames,
            }
        )

    @property
    def handled(self) -> Mapping[str, int]:
        """The number of operations that each handler handled, by its name; ``""`` counts all anonymous handlers."""
        found: Counter[str] = Counter()
        for handler, _, n in self.result.counts.handled:
            found[handler] += n
        return MappingProxyType(dict(found))

    @property
    def performed(self) -> Mapping[str, int]:
        """How often each operation was performed, by name."""
        found: Counter[str] = Counter()
        for _, operation, n in self.result.counts.performed:
            found[operation] += n
        return MappingProxyType(dict(found))


@dataclass(frozen=True, slots=True, repr=False)
class Reduction(Shown[ReductionShown]):
    """``%trace M`` in a ``%%eff`` cell"""

    @property
    def value(self) -> "Plain | None":
        """The value at the end of the trace; ``None`` if it ends in none."""
        V = self.result.trace.value
        return None if V is None else _plain(V)

    @property
    def rules(self) -> tuple[str, ...]:
        """The rule of each step shown."""
        return tuple(step.rule for step in self.result.trace.steps[1:])

    @property
    def terms(self) -> tuple[str, ...]:
        """The whole term, at the start and after each of these steps."""
        return tuple(plain(step.term) for step in self.result.trace.steps)

    @property
    def printed(self) -> tuple[str, ...]:
        """The lines printed."""
        return self.result.trace.printed

    @property
    def type(self) -> str:
        """The type, in concrete syntax."""
        return _type(self.result.type)


def _type(C: "ComputationType") -> str:
    from rh_kernel.ad.eff.printing.types import computation

    return computation(C)


def _returned(result: Returned) -> "Plain | None":
    return None if result.value is None else _plain(result.value)


def _plain(V: "core.Value") -> Plain:
    from rh_kernel.ad.eff import core
    from rh_kernel.ad.eff.definitions import shown
    from rh_kernel.ad.eff.machine.tensor_values import Tensor
    from rh_kernel.ad.eff.printing.terms import value

    match V:
        case core.Literal(Tensor() as tensor):
            return unwritable(tensor.array)
        case core.Literal(float() | int() | str() as c):
            return c
        case core.Tuple(components):
            return tuple([_plain(W) for W in components])
        case core.Constructed("True" | "False" as name, ()):
            return name == "True"
        case core.Constructed("Nil" | "Cons"):
            entries: list[Plain] = []
            while isinstance(V, core.Constructed) and V.fields:
                entries.append(_plain(V.fields[0]))
                V = V.fields[1]
            return entries
        case core.Constructed(name, fields):
            return (shown(name), *[_plain(W) for W in fields])
        case _:
            return plain(value(V))
