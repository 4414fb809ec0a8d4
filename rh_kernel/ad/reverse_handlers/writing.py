"""A first-order program in the language of the paper: as a term (RH Def. 3.4), and as a net whose primitives are operations.

The text is what one would write in a cell, so that it can be taken there.
"""

from collections.abc import Iterable
from typing import cast

from rh_kernel.ad.language.binding import binders, parts, rebuilt, renaming, subterms
from rh_kernel.ad.language.core import (
    Apply,
    Call,
    Case,
    Constant,
    If,
    Inject,
    Lambda,
    Let,
    Program,
    Projection,
    Term,
    Tuple,
    Variable,
)
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.printing import term as printed
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import Product, Real, Type, is_ground, product
from rh_kernel.ad.language.unrolling import LONGEST, longest, unrolled, without_arrays
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import refuse
from rh_kernel.primitives.table import ROWS
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.printing.doc import plain

HANDLER = "backwards"
"""What the handler is called; the net has the name of the program."""

_WIDTH = 96


def first_order(system: str, program: Program) -> Program:
    """The program on tuples, if there are no functions, sums and conditionals in it. Raises ``Rejected``."""
    hint = "it only handles first-order programs"
    if not all(is_ground(A) for A in (program.result, *(A for _, A in program.parameters))):
        refuse(system, "functions or sums as arguments or results", hint)
    for M in subterms(program.body):
        match M:
            case Lambda() | Call():
                refuse(system, "function values (λ)", hint)
            case Inject() | Case():
                refuse(system, "sums (inl, inr, case)", hint)
            case If():
                refuse(system, "conditionals (if)", hint)
            case _:
                pass
    if longest(program) > LONGEST:
        refuse(system, f"arrays of more than {LONGEST} entries", "they are unrolled to tuples")
    return _named_apart(unrolled(program))


def _named_apart(f: Program) -> Program:
    """The program without a variable that has the name of a symbol, of an operation, or of what is declared beside it."""
    names = Names([*ROWS, *map(operation, SYMBOLS), HANDLER])
    name = names.fresh(f.name)
    renamed = {x: names.fresh(x) for x, _ in f.parameters}
    parameters = tuple((renamed[x], A) for x, A in f.parameters)
    return Program(name, parameters, f.result, renaming(f.body, renamed, names))


def body_text(f: Program) -> str:
    """The body of a program on tuples, as a term of the paper's language."""
    return _text(f.body)


def _text(M: Term) -> str:
    return plain(printed(_pointed(M)), _WIDTH)


def _pointed(M: Term) -> Term:
    """M with its numbers written with a point: there, ``0`` alone is the zero of whatever type is asked for."""
    spine: list[tuple[str, Term]] = []
    while isinstance(M, Let):
        spine.append((M.name, _pointed(M.bound)))
        M = M.body
    if isinstance(M, Constant):
        M = Variable(repr(M.value)) if M.value >= 0 else Apply("neg", (Variable(repr(-M.value)),))
    else:
        M = rebuilt(M, tuple((names, _pointed(N)) for names, N in parts(M)))
    for x, N in reversed(spine):
        M = Let(x, N, M)
    return M


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


def net_text(f: Program) -> tuple[str, str]:
    """A program on tuples as a net, with the operations that it performs; and a handler that runs it backwards.

    Each operation is a function symbol: the handler's forward part applies it and keeps its argument, the backward part is its
    derivative at what was kept.
    """
    symbols = list(dict.fromkeys(M.symbol for M in subterms(f.body) if isinstance(M, Apply)))
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


def _arities(f: Program, symbols: Iterable[str]) -> Iterable[tuple[str, int]]:
    found = {M.symbol: len(M.arguments) for M in subterms(f.body) if isinstance(M, Apply)}
    return [(s, found[s]) for s in symbols]


def _command(M: Term, lines: list[str], names: Names) -> Term:
    """The pure term that is left of M when each application has a name of its own; ``lines`` grows by their lets."""
    while isinstance(M, Let):
        _bind(M.name, M.bound, lines, names)
        M = M.body
    match M:
        case Constant() | Variable():
            return M
        case Apply():
            x = names.fresh("v")
            _bind(x, M, lines, names)
            return Variable(x)
        case Tuple(many):
            return Tuple(tuple(_command(N, lines, names) for N in many))
        case Projection(i, N):
            return Projection(i, _command(N, lines, names))
        case _:
            raise KernelBug("the program is not on tuples alone")


def _bind(x: str, M: Term, lines: list[str], names: Names) -> None:
    if isinstance(M, Apply):
        arguments = ", ".join(_text(_command(N, lines, names)) for N in M.arguments)
        lines.append(f"let {x} <= {operation(M.symbol)}({arguments}) in")
    else:
        N = _command(M, lines, names)
        lines.append(f"let {x} <- {_text(N)} in")
