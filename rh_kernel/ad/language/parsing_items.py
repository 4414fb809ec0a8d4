"""Parser of the items of ``%%lambda`` cells: ``fun f(x : A) : B = M``, terms to evaluate, and ``%ad``.

Items begin and end as in other cells (LANGUAGE §1).
"""

import re

from rh_kernel.ad.language.parsing import expression, expressions, name
from rh_kernel.ad.language.parsing_types import ARROWS, type_expression
from rh_kernel.ad.language.surface import AdItem, EvaluationItem, FunItem, Item
from rh_kernel.ad.language.types import Type
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.hints import FOREIGN_WORDS
from rh_kernel.syntax.parsing.parser import reject_stub
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface import Name

_FUNCTION = "declare a function with its parameters: `fun f(x : Real) : Real = M`"
_LOOPS = "to iterate over an array use `map(x. M, xs)`, `foldl(a x. M, z, xs)` and similar forms: see `%help map`"
FOREIGN = {
    **{word: advice for word, advice in FOREIGN_WORDS.items() if word not in {"if", "map", "λ"}},
    **dict.fromkeys(("for", "while", "repeat", "scan"), ("loops", _LOOPS)),
    **dict.fromkeys(("lambda", "fn"), ("functions in this form", "A function is written `λx : A. M` or `\\x : A. M`.")),
    "match": ("pattern matching", "A sum is taken apart by `case M of inl x -> N | inr y -> L`."),
}
"""Keywords of other languages, which are names here, each with what it is called and what to write instead."""

_AD = re.compile(r"%[ \t]*ad\b[ \t]*")
_SYSTEM = re.compile(r"[^\s()]+")
_TRACE = re.compile(r"[-−]{2}[ \t]*trace(?=\s*(?:#[^\n]*\s*)*\Z)")


def item(chunk: Span) -> Item | None:
    """Parse one item of a ``%%lambda`` cell; ``None`` if it has only comments. Raises ``Rejected``."""
    directive = _AD.match(chunk.source.text, chunk.start, chunk.end)
    if directive is not None:
        return _ad(chunk, directive.end())
    c = Cursor(chunk, FOREIGN)
    if c.token.kind is Kind.END:
        return None
    reject_stub(c, chunk)
    start = c.token.start
    found: Item
    if c.take("fun"):
        found = _fun(c, start)
    elif c.at("%"):
        raise c.fail("`fun`, a term or `%ad`", "other directives go below a line %%rh")
    else:
        M = expression(c)
        found = EvaluationItem(M, span=c.since(start))
    _end(c)
    return found


def _end(c: Cursor) -> None:
    if c.token.kind is not Kind.END:
        raise c.fail("the end of the item", f"{_FUNCTION} {ARROWS}" if c.at(":") else "")


def _fun(c: Cursor, start: int) -> FunItem:
    f = name(c, "the name of the function that is declared")
    c.open("(", f"{_FUNCTION} {ARROWS}" if c.at(":") else _FUNCTION)
    parameters: list[tuple[Name, Type]] = []
    while not c.at_closer():
        x = name(c, "a parameter")
        c.need(":", "a parameter is written with its type: x : Real")
        parameters.append((x, type_expression(c)))
        if not c.take(","):
            break
    c.close(",")
    A = type_expression(c) if c.take(":") else None
    c.need("=", "a function is declared by fun f(x : Real) : Real = M", "←", ":=")
    M = expression(c)
    return FunItem(f, tuple(parameters), A, M, span=c.since(start))


def _ad(whole: Span, start: int) -> AdItem:
    text = whole.source.text
    asked = _TRACE.search(text, start, whole.end)
    chunk = whole if asked is None else Span(whole.source, whole.start, asked.start())
    word = _SYSTEM.match(text, start, chunk.end)
    c = Cursor(chunk, FOREIGN)
    while c.token.kind is not Kind.END and c.token.start < (start if word is None else word.end()):
        c.advance()
    if word is None:
        raise c.fail("the name of a system, or `all`", "%ad chad f(0.5) differentiates f at 0.5")
    system = Name(word[0], span=Span(chunk.source, *word.span()))
    f = c.name("the name of a function", "%ad chad f(0.5) differentiates f at 0.5")
    arguments = expressions(c, "(") if c.at("(") else None
    W = expression(c) if c.take("with") else None
    V = None
    if W is None and arguments is not None and c.at("along"):
        c.advance()
        V = expression(c)
    if c.token.kind is not Kind.END:
        raise c.fail("`with` and a cotangent, `along` and a tangent, `--trace`, or the end of the item")
    end = c.end if asked is None else asked.end()
    return AdItem(system, f, arguments, W, V, traces=asked is not None, span=Span(chunk.source, chunk.start, end))
