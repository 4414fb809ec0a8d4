"""Translation of first-order programs to the language of the paper: to a term (RH Def. 3.4), and to a net of operations.

The result is the text of a cell, so users can copy it.
"""

import math
from typing import cast

from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import binders, bottom_up, renaming, subterms
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.printing import term as printed
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import Product, Real, Type, is_ground, product
from rh_kernel.ad.language.unrolling import LONGEST, longest, unrolled, without_arrays
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import refuse
from rh_kernel.primitives.table import SYMBOLS as FUNCTION_SYMBOLS
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.printing.doc import plain

HANDLER = "backwards"
"""The name of the handler; the net has the name of the program."""

_WIDTH = 96


def first_order(system: str, program: core.Program) -> core.Program:
    """Return the program without arrays. Raises ``Rejected`` if it has functions, sums or long arrays."""
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
    if longest(program) > LONGEST:
        refuse(system, f"arrays of more than {LONGEST} entries", "they are unrolled to tuples")
    return _renamed(unrolled(program))


def _renamed(f: core.Program) -> core.Program:
    """Rename the program and its variables so that none has the name of a symbol, an operation or the handler."""
    names = Names([*FUNCTION_SYMBOLS, *map(operation, SYMBOLS), HANDLER])
    name = names.fresh(f.name)
    renamed = {x: names.fresh(x) for x, _ in f.parameters}
    parameters = tuple((renamed[x], A) for x, A in f.parameters)
    return core.Program(name, parameters, f.result, renaming(f.body, renamed, names))


def body_text(f: core.Program) -> str:
    """Return the body of a program on tuples as a term of the paper's language."""
    return _text(f.body)


def _text(M: core.Term) -> str:
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
    """Return the text of a type of numbers and tuples."""
    match A:
        case Real():
            return "Real"
        case Product(()):
            return "1"
        case Product(factors):
            return " * ".join(f"({type_text(B)})" if isinstance(B, Product) and B.factors else type_text(B) for B in factors)
        case _:
            raise KernelBug(f"{A} is not a type of numbers and tuples")


def value_text(V: Value) -> str:
    """Return the text of a value of numbers and tuples."""
    if isinstance(V, tuple):
        return f"({', '.join(value_text(W) for W in cast(tuple[Value, ...], V))})"
    if isinstance(V, float):
        return repr(V)
    raise KernelBug("a function or an injection has no text")


def net_text(f: core.Program) -> tuple[str, str]:
    """Return a program on tuples as a net with its operations, and the reverse handler for these.

    Each operation is a function symbol: the forward part of the handler applies the symbol and stores the argument, the
    backward part is the derivative at that argument.
    """
    arities = {M.symbol: len(M.arguments) for M in subterms(f.body) if isinstance(M, core.Apply)}
    declared = [f"op {operation(s)} : {type_text(product(*[Real()] * k))} -> Real" for s, k in arities.items()]
    names = Names([*(x for x, _ in f.parameters), *binders(f.body)])
    lines: list[str] = []
    result = _command(f.body, lines, names)
    parameters = ", ".join(f"{x} : {type_text(A)}" for x, A in f.parameters)
    body = "\n".join(f"  {line}" for line in (*lines, f"return {_text(result)}"))
    net = "\n".join([*declared, f"net {f.name}({parameters}) : {type_text(f.result)} =", body])
    clauses = [f"  {operation(s)}(x) -> return ({s}(x), x)\n    | y, z -> return rd[{s}](y, z)" for s in arities]
    B = type_text(without_arrays(f.result))
    handler = "\n".join([f"handler {HANDLER}(w : {B}) : rev handler({B}) = {{", "  return y -> return w", *clauses, "}"])
    return net, handler


def operation(symbol: str) -> str:
    """Return the operation for a function symbol: ``Sin`` for ``sin``."""
    return symbol.capitalize()


def _command(M: core.Term, lines: list[str], names: Names) -> core.Term:
    """Bind each application in M to a name, by a line of ``lines``; return the remaining pure term."""
    while isinstance(M, core.Let):
        _bind(M.name, M.bound, lines, names)
        M = M.body
    match M:
        case core.Constant() | core.Variable():
            return M
        case core.Apply() | core.If():
            x = names.fresh("v")
            _bind(x, M, lines, names)
            return core.Variable(x)
        case core.Tuple(many):
            return core.Tuple(tuple(_command(N, lines, names) for N in many))
        case core.Projection(i, N):
            return core.Projection(i, _command(N, lines, names))
        case _:
            raise KernelBug("the program has other terms than numbers and tuples")


def _bind(x: str, M: core.Term, lines: list[str], names: Names) -> None:
    match M:
        case core.Apply(symbol, arguments):
            given = ", ".join(_text(_command(N, lines, names)) for N in arguments)
            lines.append(f"let {x} <= {operation(symbol)}({given}) in")
        case core.If(smaller, larger, then, otherwise):
            left, right = [_text(_command(N, lines, names)) for N in (smaller, larger)]
            lines.append(f"let {x} <= (if not ({left} > {right})")
            lines.extend(_branch("then", then, names))
            lines.extend(_branch("else", otherwise, names))
            lines[-1] += ") in"
        case _:
            lines.append(f"let {x} <- {_text(_command(M, lines, names))} in")


def _branch(word: str, M: core.Term, names: Names) -> list[str]:
    """``then P`` or ``else P``"""
    lines: list[str] = []
    result = _command(M, lines, names)
    return [f"  {word}", *[f"    {line}" for line in (*lines, f"return {_text(result)}")]]
