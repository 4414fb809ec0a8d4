"""A first-order program in the language of the paper: as a term (RH Def. 3.4), and as a net whose primitives are operations.

The text is what one would write in a cell, so that it can be taken there.
"""

from collections.abc import Iterable
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
"""What the handler is called; the net has the name of the program."""

_WIDTH = 96


def first_order(system: str, program: core.Program) -> core.Program:
    """The program on tuples, if there are no functions, sums and conditionals in it. Raises ``Rejected``."""
    hint = "it only handles first-order programs"
    if not all(is_ground(A) for A in (program.result, *(A for _, A in program.parameters))):
        refuse(system, "functions or sums as arguments or results", hint)
    for M in subterms(program.body):
        match M:
            case core.Lambda() | core.Call():
                refuse(system, "function values (λ)", hint)
            case core.Inject() | core.Case():
                refuse(system, "sums (inl, inr, case)", hint)
            case core.If():
                refuse(system, "conditionals (if)", hint)
            case _:
                pass
    if longest(program) > LONGEST:
        refuse(system, f"arrays of more than {LONGEST} entries", "they are unrolled to tuples")
    return _named_apart(unrolled(program))


def _named_apart(f: core.Program) -> core.Program:
    """The program without a variable that has the name of a symbol, of an operation, or of what is declared beside it."""
    names = Names([*FUNCTION_SYMBOLS, *map(operation, SYMBOLS), HANDLER])
    name = names.fresh(f.name)
    renamed = {x: names.fresh(x) for x, _ in f.parameters}
    parameters = tuple((renamed[x], A) for x, A in f.parameters)
    return core.Program(name, parameters, f.result, renaming(f.body, renamed, names))


def body_text(f: core.Program) -> str:
    """The body of a program on tuples, as a term of the paper's language."""
    return _text(f.body)


def _text(M: core.Term) -> str:
    return plain(printed(_pointed(M)), _WIDTH)


def _pointed(M: core.Term) -> core.Term:
    """M with its numbers written with a point: there, ``0`` alone is the zero of whatever type is asked for."""

    def pointed(N: core.Term) -> core.Term:
        if not isinstance(N, core.Constant):
            return N
        return core.Variable(repr(N.value)) if N.value >= 0 else core.Apply("neg", (core.Variable(repr(-N.value)),))

    return bottom_up(M, pointed)


def type_text(A: Type) -> str:
    """A type of numbers and tuples as it is written."""
    match A:
        case Real():
            return "Real"
        case Product(()):
            return "1"
        case Product(factors):
            return " * ".join(f"({type_text(B)})" if isinstance(B, Product) and B.factors else type_text(B) for B in factors)
        case _:
            raise KernelBug(f"{A} is not made of numbers")


def value_text(V: Value) -> str:
    """A value of numbers and tuples as it is written."""
    if isinstance(V, tuple):
        return f"({', '.join(value_text(W) for W in cast(tuple[Value, ...], V))})"
    if isinstance(V, float):
        return repr(V)
    raise KernelBug("a function or an injection has no text")


def net_text(f: core.Program) -> tuple[str, str]:
    """A program on tuples as a net, with the operations that it performs; and a handler that runs it backwards.

    Each operation is a function symbol: the handler's forward part applies it and keeps its argument, the backward part is its
    derivative at what was kept.
    """
    symbols = list(dict.fromkeys(M.symbol for M in subterms(f.body) if isinstance(M, core.Apply)))
    declared = [f"op {operation(s)} : {type_text(product(*[Real()] * k))} -> Real" for s, k in _arities(f, symbols)]
    names = Names([*(x for x, _ in f.parameters), *binders(f.body)])
    lines: list[str] = []
    result = _command(f.body, lines, names)
    parameters = ", ".join(f"{x} : {type_text(A)}" for x, A in f.parameters)
    body = "\n".join(f"  {line}" for line in (*lines, f"return {_text(result)}"))
    net = "\n".join([*declared, f"net {f.name}({parameters}) : {type_text(f.result)} =", body])
    clauses = [f"  {operation(s)}(x) -> return ({s}(x), x)\n    | y, z -> return rd[{s}](y, z)" for s in symbols]
    B = type_text(without_arrays(f.result))
    handler = "\n".join([f"handler {HANDLER}(w : {B}) : rev handler({B}) = {{", "  return y -> return w", *clauses, "}"])
    return net, handler


def operation(symbol: str) -> str:
    """The operation that stands for a function symbol: ``Sin`` for ``sin``."""
    return symbol.capitalize()


def _arities(f: core.Program, symbols: Iterable[str]) -> Iterable[tuple[str, int]]:
    found = {M.symbol: len(M.arguments) for M in subterms(f.body) if isinstance(M, core.Apply)}
    return [(s, found[s]) for s in symbols]


def _command(M: core.Term, lines: list[str], names: Names) -> core.Term:
    """The pure term that is left of M when each application has a name of its own; ``lines`` grows by their lets."""
    while isinstance(M, core.Let):
        _bind(M.name, M.bound, lines, names)
        M = M.body
    match M:
        case core.Constant() | core.Variable():
            return M
        case core.Apply():
            x = names.fresh("v")
            _bind(x, M, lines, names)
            return core.Variable(x)
        case core.Tuple(many):
            return core.Tuple(tuple(_command(N, lines, names) for N in many))
        case core.Projection(i, N):
            return core.Projection(i, _command(N, lines, names))
        case _:
            raise KernelBug("the program is not on tuples alone")


def _bind(x: str, M: core.Term, lines: list[str], names: Names) -> None:
    if isinstance(M, core.Apply):
        arguments = ", ".join(_text(_command(N, lines, names)) for N in M.arguments)
        lines.append(f"let {x} <= {operation(M.symbol)}({arguments}) in")
    else:
        N = _command(M, lines, names)
        lines.append(f"let {x} <- {_text(N)} in")
