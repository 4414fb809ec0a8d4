"""Quick fixes that are certain to be right, found from the source and from the types of its parts."""

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import prod

from rh_kernel.source.diagnostic import Fix
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.dimensions import DimMeta, variables
from rh_kernel.syntax.types import SCALAR, UNIT, Real, Type, TypeMeta, show_shape
from rh_kernel.typing.diagnostics.hints import EXCHANGED, written

_SHORTEST = 4
_SIMILARITY = 0.8
_LETTERS = re.compile(r"[^\W\d_]+")


@frozen
class Advice:
    """A hint and a quick fix, as far as they are known."""

    hint: str = ""
    fix: Fix | None = None


def is_typo(name: str, known: str) -> bool:
    """Whether ``name`` is certainly a typo for ``known``: not if it is short, or differs only in its digits."""
    if name.casefold() == known.casefold():
        return True
    if len(name) < _SHORTEST or _LETTERS.findall(name) == _LETTERS.findall(known):
        return False
    return difflib.SequenceMatcher(None, name, known).ratio() >= _SIMILARITY


def sign(left: Span, right: Span, found: str, wanted: str) -> Fix | None:
    """A quick fix that replaces the operator between two operands by ``wanted``; ``found`` is a pattern for it."""
    between = Span(left.source, left.end, right.start)
    signs = [*re.finditer(found, between.text)]
    if len(signs) != 1 or "#" in between.text:
        return None
    start = left.end + signs[0].start()
    return Fix(Span(left.source, start, start + len(signs[0][0])), wanted)


def inserted(span: Span, text: str) -> Fix:
    """A quick fix that inserts ``text`` before ``span``."""
    return Fix(replace(span, end=span.start), text)


def transposed(e: s.Expr) -> Fix:
    """A quick fix that transposes ``e``."""
    return Fix(e.span, f"{_atom(e)}^T")


def type_mismatch_advice(e: s.Expr, A: Type, B: Type) -> Advice:
    """Advice for ``e : A`` where B is expected."""
    match A, B:
        case Real((m, n)), Real((p, q)) if (m, n) == (q, p):
            return Advice(fix=transposed(e))
        case Real(tuple()), Real((_, _, *_) as shape) if isinstance(e, s.ArrayLiteral):
            axes = [d.constant for d in shape if d.constant is not None]
            return _in_rows(e, axes) if len(axes) == len(shape) else Advice()
        case _:
            return Advice()


def _in_rows(e: s.ArrayLiteral, axes: list[int]) -> Advice:
    """Advice to write the same numbers as an array with these axes."""
    written = list(_entries(e))
    needed = prod(axes)
    if needed != len(written):
        count = f"{needed} entr{'y' if needed == 1 else 'ies'}"
        given = f"{len(written)} {'is' if len(written) == 1 else 'are'}"
        return Advice(f"An array of type Real({', '.join(map(str, axes))}) has {count}, but {given} written here")
    for n in reversed(axes[1:]):
        written = [f"[{', '.join(written[i : i + n])}]" for i in range(0, len(written), n)]
    return Advice("put each row of a matrix in its own brackets: `[[1, 2], [3, 4]]`", Fix(e.span, f"[{', '.join(written)}]"))


def _entries(e: s.Expr) -> Iterator[str]:
    if isinstance(e, s.ArrayLiteral):
        for item in e.items:
            yield from _entries(item)
    else:
        yield e.span.text


def operand_advice(e: s.Binary, A: Type, B: Type) -> Advice:
    """Advice for operands of types A and B that are incompatible under an operator other than ``@``."""
    match e.operator, A, B:
        case _ if UNIT in (A, B):
            return Advice("`()` contains nothing; it is the result of `Put[l](M)`, `let _ <= Put[l](M) in …`")
        case s.BinaryOperator.TIMES, Real(tuple()), _ if B == SCALAR:
            return Advice("write the scalar on the left of `*`", Fix(e.span, f"{_atom(e.right)} * {_atom(e.left)}"))
        case _, Real(tuple()), _ if B == SCALAR:
            return _fill_scalar(e.right, A)
        case _, _, Real(tuple()) if A == SCALAR:
            return _fill_scalar(e.left, B)
        case s.BinaryOperator.TIMES, Real((_, n)), Real((k,)):
            fix = sign(e.left.span, e.right.span, r"[*×]", "@") if n == k else None
            return Advice("use `@` for the product of a matrix and a vector", fix)
        case _, Real((m, n)), Real((p, q)) if (m, n) == (q, p):
            fix = _swap_outer(e.right) or _swap_outer(e.left)
            return Advice(
                f"{EXCHANGED}: {'`outer(y, x)` is the transpose of `outer(x, y)`' if fix else 'transpose one of them'}", fix
            )
        case _:
            return Advice()


def matmul_advice(whole: Span, M: s.Expr, N: s.Expr, A: Type, B: Type, product: Callable[[str, str], str]) -> Advice:
    """Advice for ``M : A`` and ``N : B`` without a matrix product; ``product`` formats the product of two factors."""
    left, right = written(M.span, "M"), written(N.span, "N")
    match A, B:
        case Real((_,)), Real((_,)):
            inner, outer = f"`dot({left}, {right})`", f"`outer({left}, {right})`"
            return Advice(f"{inner} is the inner product of two vectors, {outer} the matrix of products")
        case Real((k,)), Real((m, n)) if k in (m, n):
            matrix = _atom(N) if k == n else f"{_atom(N)}^T"
            return Advice("write the matrix on the left, the vector on the right", Fix(whole, product(matrix, _atom(M))))
        case Real((m, _)), Real((p, *_)) if m == p:
            return Advice("use the transpose", transposed(M))
        case Real((_, n)), Real((_, q)) if n == q:
            return Advice("use the transpose", transposed(N))
        case Real((_, _)), _ if B == SCALAR:
            return Advice("use `*` to scale a matrix", Fix(whole, f"{_atom(N)} * {_atom(M)}"))
        case _, Real((_, _)) if A == SCALAR:
            return Advice("use `*` to scale a matrix", Fix(whole, f"{_atom(M)} * {_atom(N)}"))
        case Real((_, n)), TypeMeta() if is_number(N) and n.constant is not None:
            return Advice(_ANY_ZERO, Fix(N.span, f"fill[{n}](0)"))
        case (TypeMeta(), _) | (_, TypeMeta()):
            return Advice(f"{_ANY_ZERO}: `fill[m, n](0)` is the matrix of zeros, `fill[n](0)` the vector")
        case _:
            return Advice()


_ANY_ZERO = "`0` is the zero of every type, and its type cannot be inferred here"


def is_number(e: s.Expr) -> bool:
    """Whether ``e`` is a number literal."""
    return isinstance(e, s.Number) or (isinstance(e, s.Negate) and isinstance(e.operand, s.Number))


def array_of(entries: tuple[s.Expr, ...], A: Type) -> Fix | None:
    """A quick fix that makes an array of the numbers, if an array of that length is expected."""
    whole = entries[0].span.to(entries[-1].span)
    match A:
        case Real((n,)) if n.constant in (None, len(entries)):
            return Fix(whole, f"[{whole.text}]")
        case _:
            return None


def _fill_scalar(e: s.Expr, A: Real) -> Advice:
    if not isinstance(A.shape, tuple) or any(isinstance(v, DimMeta) for d in A.shape for v in variables(d)):
        return Advice(f"make an array of the scalar: `fill[…]({written(e.span, 'a')})`")
    return Advice("make an array of the scalar", Fix(e.span, f"fill[{show_shape(A.shape)}]({e.span.text})"))


def _swap_outer(e: s.Expr) -> Fix | None:
    match e:
        case s.Apply(s.Name("outer"), (), (y, x)):
            return Fix(e.span, f"outer({x.span.text}, {y.span.text})")
        case _:
            return None


def _atom(e: s.Expr) -> str:
    """The source text of ``e``, bracketed if a tighter operator could split it."""
    match e:
        case s.Var() | s.Number() | s.ArrayLiteral() | s.Unit() | s.TupleExpr() | s.Apply() | s.Projection() | s.Transpose():
            return e.span.text
        case _:
            return f"({e.span.text})"
