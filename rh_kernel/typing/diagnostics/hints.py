"""Hints of type errors, computed from the types and kinds involved."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from rh_kernel.source.diagnostic import Note
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.dimensions import Dim, DimVar, dim, substitute, variables
from rh_kernel.syntax.types import SCALAR, Product, Real, Type

_ATOM = re.compile(r"[\w'.]{1,20}|\[[-\w., \[\]]{1,24}\]")


@frozen
class Expectation:
    """Why a type is expected, as a phrase that follows the type, and a hint for a mismatch.

    ``story`` computes notes on the origin of the expected type; ``rule`` is the typing rule that requires it.
    """

    by: str = ""
    hint: str = ""
    story: Callable[[], Iterable[Note]] = tuple
    rule: str = ""

    def part(self, index: int) -> "Expectation":
        """The expectation for component ``index`` of the type."""
        return replace(self, by=f"component {index} of {self.by}" if self.by else "")


NO_EXPECTATION = Expectation()

EXCHANGED = "the two axes are exchanged"


def written(span: Span | None, otherwise: str) -> str:
    """The source text at ``span`` if it is short and needs no brackets; otherwise ``otherwise``."""
    text = "" if span is None else span.text
    return text if _ATOM.fullmatch(text) else otherwise


def type_mismatch_hint(A: Type, B: Type) -> str:
    """A hint for a type A where B is expected."""
    match A, B:
        case Real((m, n)), Real((p, q)) if (m, n) == (q, p):
            return EXCHANGED
        case Product(factors), Real((_,)) if all(factor == SCALAR for factor in factors):
            return "write an array in square brackets, `[1, 2]`; round brackets make a tuple"
        case Product(), Real():
            return "take a component of the tuple, `p.1`, or take it apart with `let (x, y) <- …`"
        case Real(), Product(factors):
            return f"a tuple of {len(factors)} is expected: `({', '.join('MNLPQRST'[: len(factors)])})`"
        case Real(tuple() as s), Real(tuple() as t) if len(s) == len(t):
            return next((h for c, d in zip(s, t, strict=True) if (h := counterexample(c, d))), "")
        case _:
            return ""


def counterexample(c: Dim, d: Dim) -> str:
    """A value for which two polynomials in one variable differ; empty unless there is exactly one variable and no constant."""
    names = {v.name for v in (*variables(c), *variables(d)) if isinstance(v, DimVar)}
    if c == d or len(names) != 1 or c.constant is not None or d.constant is not None:
        return ""
    (name,) = names
    for value in (2, 3, 5, 7):
        x, y = (substitute(e, {name: dim(value)}) for e in (c, d))
        if x != y and x.constant is not None and y.constant is not None:
            return f"for {name} = {value} they are {x} and {y}"
    return ""


def transpose_hint(A: Type) -> str:
    """A hint for the transpose of something of type A."""
    match A:
        case Real((_,)):
            return "the matrix y xᵀ of two vectors is `outer(y, x)`, their inner product `dot(x, y)`"
        case _:
            return ""


_APPLY = "bind its result: `let y <= {name}… in …`"

_INSTEAD = {
    ("a dimension", "a term"): "dimensions only occur in types and square brackets; for a number, declare `const a = …`",
    ("a location", "a term"): "read its content with `let w <= Get[{name}]() in …`",
    ("a function", "a term"): "give it an argument: `{name}(x)`",
    ("a continuation", "a term"): "apply it, and bind the result: `let y <= {name} • M in …`",
    ("an operation", "a term"): _APPLY,
    ("a net", "a term"): "run it with `handle {name}(…) with H`; inside a command write `let y <= {name}(…) in …`",
    ("a variable", "a function"): "a product is written `{name} * M`",
    ("a constant", "a function"): "a product is written `{name} * M`",
    ("a location", "a function"): "read its content with `let w <= Get[{name}]() in …`",
    (
        "a net",
        "a function",
    ): "a net may have effects, so it has no `rd`; `rev handle (v) <x>. {name}(x) with H` runs it backwards",
    ("an operation", "a function"): "the enclosing handlers decide what an operation does, and its derivative",
    ("a location", "an operation or a net"): "read its content with `Get[{name}]()`",
    ("a constant", "an operation or a net"): "return its value with `return {name}`",
    ("a variable", "an operation or a net"): "return its value with `return {name}`",
    ("a net", "an operation"): "clauses are for operations, declared by `op`; a net is unfolded to its operations",
    ("a function", "an operation"): "clauses are for operations, declared by `op`; functions are pure and need none",
    ("a constant", "a dimension"): "a constant contains reals; declare a dimension by `dim n = 3`",
    (
        "a variable",
        "a dimension",
    ): "a dimension is known before the program runs: `dim n = 3`, a parameter `[n : Dim]`, or the index of a `repeat`",
    ("a location", "a dimension"): "a location contains reals; declare a dimension by `dim n = 3`",
    ("a variable", "a continuation"): "`•` applies a continuation; a product is written `{name} * M`",
}


def dimension_as_number(name: str) -> str:
    """A term whose value is the dimension with this name."""
    return f"sum(fill[{name}](1))"


def instead(is_a: str, wanted: str, name: str) -> str:
    """A hint for ``name`` of kind ``is_a`` where a ``wanted`` is expected."""
    fallback = "declare a handler by `handler h = { return x -> … }`" if wanted == "a handler" else ""
    return _INSTEAD.get((is_a, wanted), fallback).replace("{name}", name)
