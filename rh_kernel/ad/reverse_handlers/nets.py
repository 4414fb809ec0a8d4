"""Translation of first-order programs to nets of the paper, in which each operation on numbers is an operation of the net.

Loops are loops there too: ``map`` becomes a ``scan`` that emits a number in each round, ``foldl`` one that carries a state.
"""

from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import binders, subterms
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import SCALAR, Product, Real, Type, product
from rh_kernel.ad.language.typing import type_of
from rh_kernel.ad.language.unrolling import unrolled
from rh_kernel.ad.reverse_handlers.translate import HANDLER, check_first_order, operation, renamed, text, type_text
from rh_kernel.source.diagnostic import KernelBug


def with_loops(system: str, program: core.Program) -> core.Program:
    """Return the program with its loops, but without those of no rounds: in the paper, ``Real(0)`` is the unit.

    Raises ``Rejected`` if it has functions or sums.
    """
    check_first_order(system, program)
    return renamed(unrolled(program) if _has_empty_arrays(program) else program)


def _has_empty_arrays(program: core.Program) -> bool:
    for M in subterms(program.body):
        match M:
            case core.Array(()) | core.Replicate(0, _) | core.Generate(0, _, _):
                return True
            case _:
                pass
    return any(_is_empty(A) for A in (program.result, *(A for _, A in program.parameters)))


def _is_empty(A: Type) -> bool:
    match A:
        case Real(n):
            return n == 0
        case Product(factors):
            return any(map(_is_empty, factors))
        case _:
            return False


def net_text(f: core.Program) -> tuple[str, str]:
    """Return a program as a net with its operations, and the reverse handler for these.

    Each operation is a function symbol: the forward part of the handler applies the symbol and stores the argument, the
    backward part is the derivative at that argument.
    """
    operations = _operations(f)
    declared = [f"op {operation(symbol)} : {domain} -> Real" for symbol, domain in operations.items()]
    writer = _Writer(Names([*(x for x, _ in f.parameters), *binders(f.body)]), dict(f.parameters))
    body = "\n".join([f"  {line}" for line in writer.command(f.body)])
    parameters = ", ".join([f"{x} : {type_text(A)}" for x, A in f.parameters])
    net = "\n".join([*declared, f"net {f.name}({parameters}) : {type_text(f.result)} =", body])
    clauses = [f"  {operation(s)}(x) -> return ({s}(x), x)\n    | y, z -> return rd[{s}](y, z)" for s in operations]
    B = type_text(f.result)
    handler = "\n".join([f"handler {HANDLER}(w : {B}) : rev handler({B}) = {{", "  return y -> return w", *clauses, "}"])
    return net, handler


def _operations(f: core.Program) -> dict[str, str]:
    """The function symbols of a program, each with the type of its argument."""
    found: dict[str, str] = {}
    for M in subterms(f.body):
        match M:
            case core.Apply(symbol, arguments):
                found[symbol] = type_text(product(*[Real()] * len(arguments)))
            case core.Total():
                found["sum"] = "Real(n)"
            case core.Dot():
                found["dot"] = "Real(n) * Real(n)"
            case _:
                pass
    return found


class _Writer:
    """Writes the terms of one program as commands; ``types`` has the types of its variables."""

    def __init__(self, names: Names, types: dict[str, Type]) -> None:
        self.names, self.types = names, types

    def command(self, M: core.Term) -> list[str]:
        """The lines of a command that returns the value of M."""
        lines: list[str] = []
        N = self.value(M, lines)
        return [*lines, f"return {text(N)}"]

    def value(self, M: core.Term, lines: list[str]) -> core.Term:
        """Bind each operation in M to a name, by a line of ``lines``; return the remaining pure term."""
        while isinstance(M, core.Let):
            self.bind(M.name, M.bound, lines)
            M = M.body
        match M:
            case core.Constant() | core.Variable():
                return M
            case core.Tuple(many):
                return core.Tuple(tuple([self.value(N, lines) for N in many]))
            case core.Projection(i, N):
                return core.Projection(i, self.value(N, lines))
            case _:
                x = self.names.fresh("v")
                self.bind(x, M, lines)
                return core.Variable(x)

    def text(self, M: core.Term, lines: list[str]) -> str:
        """The text of the value of M."""
        return text(self.value(M, lines))

    def bind(self, x: str, M: core.Term, lines: list[str]) -> None:
        """Bind x to the value of M."""
        self.types[x] = type_of(M, self.types)
        match M:
            case core.Apply(symbol, arguments):
                self.perform(x, symbol, arguments, lines)
            case core.Total(N):
                self.perform(x, "sum", (N,), lines)
            case core.Dot(left, right):
                self.perform(x, "dot", (left, right), lines)
            case core.If(smaller, larger, then, otherwise):
                left, right = self.text(smaller, lines), self.text(larger, lines)
                branches = [("then", self.command(then)), ("else", self.command(otherwise))]
                written = [line for word, branch in branches for line in (f"  {word}", *[f"    {each}" for each in branch])]
                lines += [f"let {x} <= (if not ({left} > {right})", *written[:-1], f"{written[-1]}) in"]
            case core.Map(y, body, N):
                self.types[y] = SCALAR
                self.emit(x, y, self.text(N, lines), body, lines)
            case core.Map2(y, z, body, left, right):
                self.types |= {y: SCALAR, z: SCALAR}
                self.emit(x, f"({y}, {z})", f"({self.text(left, lines)}, {self.text(right, lines)})", body, lines)
            case core.Generate(n, i, body):
                self.types[i] = SCALAR
                self.emit(x, i, f"[{', '.join([repr(float(k)) for k in range(n)])}]", body, lines)
            case core.Reduce() | core.Foldl():
                self.loop(f"(_, {x})", M, "((), {})", self.text(M.start, lines), lines)
            case core.Scanl():
                start, y = self.text(M.start, lines), self.names.fresh("v")
                self.loop(f"({y}, _)", M, "({0}, {0})", start, lines)
                n = _size_of(self.types[x]) - 1
                lines.append(f"let {x} <- concat({start}, reshape[{n}]({y})) in")
            case core.Array(entries):
                lines.append(f"let {x} <- {_joined([self.text(N, lines) for N in entries])} in")
            case core.Index(N, i):
                lines.append(f"let {x} <- slice[{i}, {i + 1}]({self.text(N, lines)}) in")
            case core.Replicate(n, N):
                lines.append(f"let {x} <- fill[{n}]({self.text(N, lines)}) in")
            case _:
                lines.append(f"let {x} <- {self.text(M, lines)} in")

    def perform(self, x: str, symbol: str, arguments: tuple[core.Term, ...], lines: list[str]) -> None:
        """``let x <= Op(M, …) in``"""
        given = ", ".join([self.text(N, lines) for N in arguments])
        lines.append(f"let {x} <= {operation(symbol)}({given}) in")

    def emit(self, x: str, row: str, rows: str, body: core.Term, lines: list[str]) -> None:
        """Bind x to the array of the values of ``body``, by a ``scan`` whose state is the unit."""
        y = self.names.fresh("v")
        self.scan(f"({y}, _)", f"({row} in {rows}) from {self.names.fresh('u')} = ()", body, "({}, ())", lines)
        lines.append(f"let {x} <- reshape[{_size_of(self.types[x])}]({y}) in")

    def loop(self, pattern: str, M: core.Reduce | core.Foldl | core.Scanl, result: str, start: str, lines: list[str]) -> None:
        """Bind the results of a ``scan`` whose state is the accumulator of a fold."""
        rows = self.text(M.array, lines)
        self.types |= {M.accumulator: type_of(M.start, self.types), M.name: SCALAR}
        self.scan(pattern, f"({M.name} in {rows}) from {M.accumulator} = {start}", M.body, result, lines)

    def scan(self, pattern: str, head: str, body: core.Term, result: str, lines: list[str]) -> None:
        """``let pattern <= scan head do …``, where each round returns ``result`` with the value of ``body`` in it."""
        inner: list[str] = []
        value = self.text(body, inner)
        lines += [f"let {pattern} <= (scan {head} do", *[f"  {line}" for line in inner]]
        lines.append(f"  return {result.format(value)}) in")


def _joined(entries: list[str]) -> str:
    """``concat(M1, concat(M2, …))``"""
    *others, last = entries
    for entry in reversed(others):
        last = f"concat({entry}, {last})"
    return last


def _size_of(A: Type) -> int:
    """The number of entries of an array."""
    if not isinstance(A, Real):
        raise KernelBug(f"{A} is not an array")
    return A.size
