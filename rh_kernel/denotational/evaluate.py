"""Running an arrow on a heap (RH Ex. 5.13): ``Get``, ``Put`` and draws access it in the order of the boxes.

A denotation is a free arrow; here its operations act on states. Only these can: all others have to be handled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Iterate, Pure
from rh_kernel.denotational.conditions import holds, require_interior
from rh_kernel.denotational.iterations import numbers, round_inputs, round_outputs
from rh_kernel.denotational.smooth import apply
from rh_kernel.primitives.contents import content
from rh_kernel.primitives.draws import Stream, count, draws_in, seed_in
from rh_kernel.primitives.schemes import extent
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.builtin import BATCH_MEAN, DRAWS, GET, PUT, is_draw
from rh_kernel.syntax.conditions import operand_count
from rh_kernel.syntax.core import Array, Operation
from rh_kernel.syntax.runtime_errors import no_such_member, unhandled
from rh_kernel.syntax.signature import Location, Member, StateOf, within
from rh_kernel.syntax.values import UNIT_VALUE


@dataclass(frozen=True, slots=True)
class Outcome:
    """The arrays of the codomain, the heap, and the accesses in order: the name of the operation, and a location."""

    values: tuple[Array, ...]
    heap: Mapping[Location, Array]
    accesses: tuple[tuple[str, Location], ...]


def run(a: Arrow, inputs: Sequence[Array], heap: Mapping[Location, Array], *, strict: bool = False) -> Outcome:
    """Run ``a`` on the arrays of its domain; with ``strict``, its pure maps are morphisms of PSmooth.

    Raises ``Stuck`` at an operation that does not act on the heap, and where a map is undefined.
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
            case Effect(op) if op.family == BATCH_MEAN:
                values += arguments
            case Effect(op):
                location = _location(op)
                accesses.append((op.family.name, location))
                if is_draw(op.family):
                    number = draws_in(contents)
                    values.append(Stream(seed_in(contents)).draw(op.family, extent(op.codomain), number))
                    contents[location] = count(number + 1)
                elif op.family == PUT:
                    (contents[location],) = arguments
                    values.append(UNIT_VALUE.value)
                else:
                    found = content(contents, location)
                    if found is None:
                        raise KeyError(location)
                    values.append(found)
    return Outcome(tuple([values[w] for w in a.codomain]), contents, tuple(accesses))


def _location(op: Operation) -> Location:
    match op.family, op.indices:
        case family, (Location() as location,) if family in (GET, PUT):
            return location
        case family, (Member() | StateOf() as at,) if family in (GET, PUT) and isinstance(missing := within(at), Member):
            raise no_such_member(missing, op.span)
        case family, _ if is_draw(family):
            return DRAWS
        case family, _ if family in (GET, PUT):
            raise KernelBug(f"{family.name} is at no location")
        case _:
            raise unhandled(op)
