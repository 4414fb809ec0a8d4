"""Running an arrow on a heap (RH Ex. 5.13): ``Get`` and ``Put`` access it in the order of the boxes.

A denotation is a free arrow; here its operations act on states. Only these two can: all others have to be handled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Iterate, Pure
from rh_kernel.denotational.conditions import holds, require_interior
from rh_kernel.denotational.iterations import numbers, round_inputs, round_outputs
from rh_kernel.denotational.smooth import apply
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.conditions import operand_count
from rh_kernel.syntax.core import Array, Operation
from rh_kernel.syntax.runtime_errors import no_such_member, unhandled
from rh_kernel.syntax.signature import Location, Member
from rh_kernel.syntax.values import UNIT_VALUE


@dataclass(frozen=True, slots=True)
class Outcome:
    """The arrays of the codomain, the heap, and the heap accesses in order: ``("Get", ℓ)`` or ``("Put", ℓ)``."""

    values: tuple[Array, ...]
    heap: Mapping[Location, Array]
    accesses: tuple[tuple[str, Location], ...]


def run(a: Arrow, inputs: Sequence[Array], heap: Mapping[Location, Array], *, strict: bool = False) -> Outcome:
    """Run ``a`` on the arrays of its domain; with ``strict``, its pure maps are morphisms of PSmooth.

    Raises ``Stuck`` at an operation other than ``Get`` and ``Put``, and where a map is undefined.
    """
    values, contents = list(inputs), dict(heap)
    accesses: list[tuple[str, Location]] = []
    for box, _ in a.wired():
        arguments = [values[w] for w in box.inputs]
        match box.content:
            case Pure(f):
                values += apply(f, arguments, strict=strict)
            case Choose(condition, then, otherwise) as choice:
                n = operand_count(condition)
                if strict and choice.is_derived:
                    require_interior(condition, arguments[:n], choice.command.span)
                branch = then if holds(condition, arguments[:n]) else otherwise
                outcome = run(branch, arguments[n:], contents, strict=strict)
                values += outcome.values
                contents = dict(outcome.heap)
                accesses += outcome.accesses
            case Iterate(captured=c, state=m) as loop:
                state, emitted = tuple(arguments[c : c + m]), list[tuple[Array, ...]]()
                for k in numbers(loop):
                    outcome = run(loop.arrow(k), round_inputs(loop, arguments, state, k), contents, strict=strict)
                    state = outcome.values[:m]
                    emitted.append(outcome.values[m:])
                    contents = dict(outcome.heap)
                    accesses += outcome.accesses
                values += (*state, *round_outputs(loop, emitted))
            case Effect(op):
                location = _location(op)
                accesses.append((op.family.name, location))
                if op.family == PUT:
                    (contents[location],) = arguments
                    values.append(UNIT_VALUE.value)
                else:
                    values.append(contents[location])
    return Outcome(tuple([values[w] for w in a.codomain]), contents, tuple(accesses))


def _location(op: Operation) -> Location:
    match op.family, op.indices:
        case family, (Location() as location,) if family in (GET, PUT):
            return location
        case family, (Member() as missing,) if family in (GET, PUT):
            raise no_such_member(missing, op.span)
        case family, _ if family in (GET, PUT):
            raise KernelBug(f"{family.name} is at no location")
        case _:
            raise unhandled(op)
