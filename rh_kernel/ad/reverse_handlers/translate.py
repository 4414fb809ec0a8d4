"""Translation of first-order programs to terms of the language of the paper (RH Def. 3.4).

The result is the text of a cell, so users can copy it.
"""

import math

from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import bottom_up, renaming, subterms
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.printing import term as printed
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import Product, Real, Type, is_ground
from rh_kernel.ad.language.unrolling import LONGEST, longest, unrolled
from rh_kernel.ad.language.values import Value, numbers
from rh_kernel.ad.system import refuse
from rh_kernel.primitives.table import SYMBOLS as FUNCTION_SYMBOLS
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.printing.doc import plain

HANDLER = "backwards"
"""The name of the handler; the net has the name of the program."""

OF_ARRAYS = "sum", "dot"
"""The function symbols of arrays that are operations of a net."""

_WIDTH = 96


def without_loops(system: str, program: core.Program) -> core.Program:
    """Return the program without arrays. Raises ``Rejected`` if it has functions, sums or long arrays."""
    check_first_order(system, program)
    if longest(program) > LONGEST:
        refuse(system, f"arrays of more than {LONGEST} entries", "they are unrolled to tuples")
    return renamed(unrolled(program))


def check_first_order(system: str, program: core.Program) -> None:
    """Raise ``Rejected`` if the program has functions or sums."""
    hint = "it only handles first-order programs"
    if not all(is_ground(A) for A in (program.result, *(A for _, A in program.parameters))):
        refuse(system, "functions or sums as arguments or results", hint)
    for M in subterms(program.body):
        match M:
            case core.Lambda() | core.Call():
                refuse(system, "function values (λ)", hint)
            case core.Inject() | core.Case():
                refuse(system, "sums (inl, inr, case)", hint)
            case _:
                pass


def renamed(f: core.Program) -> core.Program:
    """Rename the program and its variables so that none has the name of a symbol, an operation or the handler."""
    names = Names([*FUNCTION_SYMBOLS, *map(operation, (*SYMBOLS, *OF_ARRAYS)), HANDLER])
    name = names.fresh(f.name)
    images = {x: names.fresh(x) for x, _ in f.parameters}
    parameters = tuple((images[x], A) for x, A in f.parameters)
    return core.Program(name, parameters, f.result, renaming(f.body, images, names))


def body_text(f: core.Program) -> str:
    """Return the body of a program on tuples as a term of the paper's language."""
    return text(f.body)


def text(M: core.Term) -> str:
    """Return the text of a term of numbers and tuples."""
    return plain(printed(_in_the_papers_words(M)), _WIDTH)


def _in_the_papers_words(M: core.Term) -> core.Term:
    """Write M as the paper's language does, in which ``0`` is the zero of any type, and ``>`` takes the place of ``<=``."""

    def written(N: core.Term) -> core.Term:
        match N:
            case core.Constant(value):
                return core.Variable(repr(value)) if value >= 0 else core.Apply("neg", (core.Variable(repr(-value)),))
            case core.If(smaller, larger, then, otherwise):
                a, b, then, otherwise = [plain(printed(L), math.inf) for L in (smaller, larger, then, otherwise)]
                return core.Variable(f"(if not ({a} > {b}) then {then} else {otherwise})")
            case _:
                return N

    return bottom_up(M, written)


def type_text(A: Type) -> str:
    """Return the text of a type of numbers, arrays and tuples."""
    match A:
        case Real(1):
            return "Real"
        case Real(n):
            return f"Real({n})"
        case Product(()):
            return "1"
        case Product(factors):
            return " * ".join(f"({type_text(B)})" if isinstance(B, Product) and B.factors else type_text(B) for B in factors)
        case _:
            raise KernelBug(f"{A} is not a type of numbers, arrays and tuples")


def value_text(V: Value, A: Type) -> str:
    """Return the text of a value of numbers, arrays and tuples."""
    match A, V:
        case Real(1), float():
            return repr(V)
        case Real(), tuple():
            return f"[{', '.join([repr(x) for x in numbers(V)])}]"
        case Product(factors), tuple():
            return f"({', '.join([value_text(W, B) for W, B in zip(V, factors, strict=True)])})"
        case _:
            raise KernelBug("a function or an injection has no text")


def operation(symbol: str) -> str:
    """Return the operation for a function symbol: ``Sin`` for ``sin``."""
    return symbol.capitalize()
