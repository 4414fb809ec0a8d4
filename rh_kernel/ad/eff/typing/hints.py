"""What to do where a type is not the one that is needed: the likeliest reason, found from the two types and from the text."""

from collections.abc import Mapping
from types import MappingProxyType

from rh_kernel.ad.eff.core import BuiltIn, Global, Literal, Value, Variable
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.builtins import OPERATORS
from rh_kernel.ad.eff.printing.cropping import value
from rh_kernel.ad.eff.quick_fixes import TO_FORCE
from rh_kernel.ad.eff.types import (
    FLOAT,
    INT,
    TEXT,
    ComputationType,
    Function,
    Meta,
    Product,
    Returner,
    Thunk,
    ValueType,
)
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.diagnostic import Fix
from rh_kernel.source.span import Span

_ELSEWHERE = 1 << 60
"""The numbers of unknown types that have nothing to do with those of the item."""

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
"""The functions of the library that perform what a built-in function calculates."""


def of_types(found: ComputationType, expected: ComputationType, text: str) -> str:
    """Why what is written ``text`` has one type, and should have another one."""
    taken, wanted = _arguments(found), _arguments(expected)
    match found, expected:
        case Function(A), Returner() if value(A) == "_":
            return "it needs one more argument; put it in braces to make a value that can be applied later"
        case Function(A), Returner():
            return f"an argument of type `{value(A)}` is missing; put it in braces to make a value that can be applied later"
        case Returner(Thunk()), Returner(Thunk()) if taken and wanted and taken != wanted:
            return f"it takes {_count(taken)}, but a function of {_count(wanted)} is needed here"
        case Returner(A), Returner(B) if is_to_be_forced(A, B):
            return TO_FORCE
        case Returner(A), Returner(Thunk(_, Returner(B))) if A == B or (isinstance(A, Meta) and B in (FLOAT, INT)):
            return f"`{{{text}}}` is a thunk of it"
        case Returner(Product(components)), Returner(B) if len(components) > 1 and _is_number(B):
            return "write several arguments one after the other, f M N; a tuple is one argument"
        case Returner(A), Returner(B) if B == TEXT and _is_number(A):
            return f"`show {_in_brackets(text)}` is the text of it"
        case Returner(A), Returner(B) if A == INT and B == FLOAT:
            return f"`float {_in_brackets(text)}` is the Float of it; a parameter is an Int where it is written `(x : Int)`"
        case Returner(A), Returner(B) if A == FLOAT and B == INT:
            return "`quotient` and `remainder` are of Ints, and a parameter is one where it is written `(x : Int)`"
        case Returner(A), Returner(Meta(_, True)) if A == TEXT:
            return "concatenate texts with `++`"
        case Returner(), Function():
            return "there are too many arguments, or a λ is missing"
        case _:
            return ""


def is_to_be_forced(A: ValueType, B: ValueType) -> bool:
    """Whether A is a thunk of what returns a B, which is none."""
    match A:
        case Thunk(_, Returner(C)) if not isinstance(B, Thunk):
            try:
                Unknowns(_ELSEWHERE).types(C, B)
            except Mismatch:
                return False
            return True
        case _:
            return False


def forcing(V: object, found: ComputationType, expected: ComputationType) -> Fix | None:
    """``!`` after a name that stands where the result of its thunk should."""
    match V, found, expected:
        case Variable(span=Span() as span) | Global(span=Span() as span), Returner(A), Returner(B) if is_to_be_forced(A, B):
            return Fix(span, f"{span.text}!")
        case _:
            return None


def performed(M: BuiltIn, definitions: Definitions) -> str:
    """What a program performs that is differentiated, where M calculates with numbers of the outermost level."""
    other = _SMOOTH.get(M.name, "")
    if other not in definitions.functions:
        return ""
    arguments = " ".join(map(_argument, M.arguments))
    sign = _SIGNS.get(M.name, M.name)
    return f"`{sign}` is of plain numbers; a program that is differentiated performs it: `{other} {arguments}`"


def compared(M: BuiltIn, found: str) -> str:
    """Why what is of a type that is ``found`` cannot be compared."""
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


def _is_number(A: ValueType) -> bool:
    return A in (FLOAT, INT) or (isinstance(A, Meta) and A.numeric)


def _arguments(C: ComputationType) -> int:
    """How many arguments a function takes, or the function in a thunk."""
    match C:
        case Function(_, D):
            return 1 + _arguments(D)
        case Returner(Thunk(_, D)) if isinstance(D, Function):
            return _arguments(D)
        case _:
            return 0


def _count(arguments: int) -> str:
    return "one argument" if arguments == 1 else f"{arguments} arguments"
