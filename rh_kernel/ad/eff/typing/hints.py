"""Hints and quick fixes for a type that is not the expected one, found from the two types and the source text."""

from collections.abc import Mapping
from types import MappingProxyType

from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.core import BuiltIn, Global, Literal, Value, Variable
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.builtins import OPERATORS
from rh_kernel.ad.eff.printing.cropping import value
from rh_kernel.ad.eff.quick_fixes import FORCE_HINT
from rh_kernel.ad.eff.typing.unification import Unknowns
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.diagnostic import Fix
from rh_kernel.source.span import Span

SIDES = "`.1` and `.2` are of a computation pair, `<| M, N |>`; the components of a tuple get names by `let (x, y) = M in N`"
"""A hint for ``(1, 2).1``."""

_SIGNS: Mapping[str, str] = MappingProxyType({g: sign for sign, g in OPERATORS.items()} | {"negate": "-"})
_COMPARISONS = ("equal", "less", "lesseq")
_SMOOTH: Mapping[str, str] = MappingProxyType(
    {
        "add": "p",
        "sub": "sub",
        "mul": "t",
        "div": "divide",
        "negate": "n",
        **{f.name: f"{f.name}_" for f in SYMBOLS.values() if f.eff is not None},
    }
)
"""The function of the library that performs the operation of each built-in function on numbers."""


def difference(found: t.ComputationType, expected: t.ComputationType, text: str) -> str:
    """A hint where the source ``text`` has one type instead of another."""
    taken, wanted = _arguments(found), _arguments(expected)
    match found, expected:
        case t.Function(A), t.Returner() if value(A) == "_":
            return "it needs one more argument; put it in braces to make a value that can be applied later"
        case t.Function(A), t.Returner():
            return f"an argument of type `{value(A)}` is missing; put it in braces to make a value that can be applied later"
        case t.Returner(t.Thunk()), t.Returner(t.Thunk()) if taken and wanted and taken != wanted:
            return f"it takes {_count(taken)}, but a function of {_count(wanted)} is needed here"
        case t.Returner(A), t.Returner(B) if _needs_force(A, B):
            return FORCE_HINT
        case t.Returner(A), t.Returner(t.Thunk(_, t.Returner(B))) if A == B or (
            isinstance(A, t.Meta) and B in (t.FLOAT, t.INT)
        ):
            return f"`{{{text}}}` is a thunk of it"
        case t.Returner(t.Product(components)), t.Returner(B) if len(components) > 1 and _is_number(B):
            return "write several arguments one after the other, f M N; a tuple is one argument"
        case t.Returner(A), t.Returner(B) if B == t.TEXT and _is_number(A):
            return f"`show {_in_brackets(text)}` is the text of it"
        case t.Returner(A), t.Returner(B) if A == t.INT and B == t.FLOAT:
            return f"`float {_in_brackets(text)}` is the Float of it; a parameter is an Int where it is written `(x : Int)`"
        case t.Returner(A), t.Returner(B) if A == t.FLOAT and B == t.INT:
            return "`quotient` and `remainder` are of Ints, and a parameter is one where it is written `(x : Int)`"
        case t.Returner(A), t.Returner(t.Meta(_, True)) if A == t.TEXT:
            return "concatenate texts with `++`"
        case t.Returner(), t.Function():
            return "there are too many arguments, or a λ is missing"
        case _:
            return ""


def _needs_force(A: t.ValueType, B: t.ValueType) -> bool:
    """Whether A is a type of thunks that return a B, which is not a thunk."""
    match A:
        case t.Thunk(_, t.Returner(C)) if not isinstance(B, t.Thunk):
            return Unknowns.apart().allows(C, B)
        case _:
            return False


def forcing(V: object, found: t.ComputationType, expected: t.ComputationType) -> Fix | None:
    """A quick fix that forces a name where the result of its thunk is needed."""
    match V, found, expected:
        case Variable(span=Span() as span) | Global(span=Span() as span), t.Returner(A), t.Returner(B) if _needs_force(A, B):
            return Fix(span, f"{span.text}!")
        case _:
            return None


def performed(M: BuiltIn, definitions: Definitions) -> str:
    """A hint where M is applied to numbers of an inner level: the function of the library that performs the operation."""
    other = _SMOOTH.get(M.name, "")
    if other not in definitions.functions:
        return ""
    arguments = " ".join(map(_argument, M.arguments))
    sign = _SIGNS.get(M.name, M.name)
    return f"`{sign}` is of plain numbers; a program that is differentiated performs it: `{other} {arguments}`"


def compared(M: BuiltIn, found: str) -> str:
    """A hint where M compares values of the type ``found``."""
    if M.name not in _COMPARISONS or found in ("Float", "Int"):
        return ""
    return "`==`, `<` and `<=` compare numbers, two Floats or two Ints; use `match` for other values"


def _argument(V: Value) -> str:
    text = "" if V.span is None else " ".join(V.span.text.split())
    if isinstance(V, Literal):
        return f"(c {text})"
    return text if text.isidentifier() else f"({text})"


def _in_brackets(text: str) -> str:
    return text if text.isalnum() else f"({text})"


def _is_number(A: t.ValueType) -> bool:
    return A in (t.FLOAT, t.INT) or (isinstance(A, t.Meta) and A.numeric)


def _arguments(C: t.ComputationType) -> int:
    """The number of arguments of a function, or of the function in a thunk."""
    match C:
        case t.Function(_, D):
            return 1 + _arguments(D)
        case t.Returner(t.Thunk(_, D)) if isinstance(D, t.Function):
            return _arguments(D)
        case _:
            return 0


def _count(arguments: int) -> str:
    return "one argument" if arguments == 1 else f"{arguments} arguments"
