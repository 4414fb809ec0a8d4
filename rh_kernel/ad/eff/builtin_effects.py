"""The effects that the machine handles: ``RefState``, references and arrays, and ``Console``, printing."""

from functools import reduce

from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.types import INT, TEXT, UNIT, Data, EffectDeclaration, Operation, ValueType, Variable

REFERENCES, CONSOLE = "RefState", "Console"
READ, WRITE = "read", "write"

_a = Variable("a")


def reference(A: ValueType) -> ValueType:
    """``Ref A``"""
    return Data("Ref", (A,))


def array(A: ValueType) -> ValueType:
    """``Array A``"""
    return Data("Array", (A,))


def list_of(A: ValueType) -> ValueType:
    """``List A``"""
    return Data("List", (A,))


_references = EffectDeclaration(
    REFERENCES,
    (),
    (
        Operation("new", (_a,), reference(_a), ("a",)),
        Operation(READ, (reference(_a),), _a, ("a",)),
        Operation(WRITE, (reference(_a), _a), UNIT, ("a",)),
        Operation("array", (list_of(_a),), array(_a), ("a",)),
        Operation("fetch", (array(_a), INT), _a, ("a",)),
        Operation("store", (array(_a), INT, _a), UNIT, ("a",)),
        Operation("size", (array(_a),), INT, ("a",)),
    ),
)

_console = EffectDeclaration(CONSOLE, (), (Operation("print", (TEXT,), UNIT),))

EFFECTS: tuple[EffectDeclaration, ...] = (_references, _console)

BUILT_IN: Definitions = reduce(lambda found, effect: found.with_(effect), EFFECTS, Definitions())
"""The definitions of the machine's effects alone."""
