"""Pieces of tapes: what was recorded since, and the values that a piece produces and captures."""

from rh_kernel.arrays.symbolic.tape import Aliased, Applied, Branched, Called, Entry, Gated, Looped, Performed, Tape
from rh_kernel.arrays.symbolic.values import Slot, Symbolic


def since(tape: Tape, base: Tape) -> Tape:
    """Return the part of the tape that was recorded after ``base``."""
    entries: list[Entry] = []
    while tape is not None and tape is not base:
        entry, tape = tape
        entries.append(entry)
    piece: Tape = None
    for entry in reversed(entries):
        piece = (entry, piece)
    return piece


def produced(tape: Tape, bit: int) -> dict[int, Slot]:
    """Return the slots that depend on the region of ``bit`` and are results of entries of the tape, by their registers."""
    found: dict[int, Slot] = {}
    while tape is not None:
        entry, tape = tape
        match entry:
            case Branched(_, then, otherwise):
                found |= produced(then, bit) | produced(otherwise, bit)
            case Looped(loop):
                found |= slots((*[c.end for c in loop.carried], *[r.whole for r in loop.stacked]), bit)
            case _:
                found |= slots(entry.result, bit)
    return found


def captured(tape: Tape, bit: int) -> dict[int, Slot]:
    """Return the slots that depend on the region of ``bit`` and are arguments of entries of the tape, but not results."""
    found: dict[int, Slot] = {}
    rest = tape
    while rest is not None:
        entry, rest = rest
        match entry:
            case Branched(_, then, otherwise):
                found |= captured(then, bit) | captured(otherwise, bit)
            case Applied(_, arguments):
                found |= slots(arguments, bit)
            case Aliased(source, _) | Gated(source, _, _):
                found |= slots(source, bit)
            case Called(_, argument) | Performed(argument):
                found |= slots(argument, bit)
            case Looped(loop, piece):
                own = {slot.register for slot in loop.own}
                results = [c.following for c in loop.carried] + [r.row for r in loop.stacked]
                mentioned = captured(piece, bit) | slots(tuple(results), bit)
                made = produced(piece, bit).keys() | own
                found |= {r: slot for r, slot in mentioned.items() if r not in made}
                found |= slots((*[c.start for c in loop.carried], *[r.whole for r in loop.rows]), bit)
    made = produced(tape, bit)
    return {register: slot for register, slot in found.items() if register not in made}


def slots(V: Symbolic, bit: int) -> dict[int, Slot]:
    """Return the slots in V that depend on the region of ``bit``, by their registers."""
    if isinstance(V, Slot):
        return {V.register: V} if V.active & bit else {}
    found: dict[int, Slot] = {}
    if isinstance(V, tuple):
        for W in V:
            found |= slots(W, bit)
    return found
