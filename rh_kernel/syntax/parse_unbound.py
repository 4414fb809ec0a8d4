"""Commands whose result is not bound: ``Put[l](M) in P`` and ``Put[l](M); P`` for ``let _ <= Put[l](M) in P``."""

from rh_kernel.source.diagnostic import Fix, Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.cursor import Cursor
from rh_kernel.syntax.errors import Unexpected
from rh_kernel.syntax.surface import Apply, Expr, HandleExpr, LetExpr, ResumeExpr, RevHandleExpr
from rh_kernel.syntax.tokens import CLOSERS, Kind

_WRITE = "Put"
_WORDS = frozenset({"let", "return", "rev", "handle"})
_ENDS = frozenset({";", "|", "in", "with", "←", "⇐"})


def check_bound(c: Cursor, e: Expr, expected: str, *, in_braces: bool = False) -> None:
    """Reject what goes on behind the command that ``e`` ends with; ``expected`` is what can stand here.

    Raises ``Rejected``. What belongs elsewhere is left to others: of all commands without an ``in``, only one that writes is
    surely meant to be followed by another.
    """
    last = e
    while isinstance(last, LetExpr):
        last = last.body
    match last:
        case Apply(head) if head.text == _WRITE:
            if c.at("in") or _goes_on(c, in_braces=in_braces):
                hint = "what a command gives is bound, also where it is nothing: `let _ <= Put[l](M) in P`"
                raise _unbound(c, last, expected, hint, _bound(c, last))
        case Apply() | ResumeExpr() | RevHandleExpr() | HandleExpr() if c.at("in"):
            text = last.span.text if len(last.span.text) <= 30 and "\n" not in last.span.text else "…"
            raise _unbound(c, last, expected, f"this `in` has no `let`: `let y <= {text} in …`", None)
        case _:
            pass


def _unbound(c: Cursor, e: Expr, expected: str, hint: str, fix: Fix | None) -> Rejected:
    notes = (Note(span=e.span, text="the result of this is not bound"),)
    return Rejected(Unexpected(span=c.here(), found=c.found(), expected=expected, hint=hint, notes=notes, fix=fix))


def _goes_on(c: Cursor, *, in_braces: bool) -> bool:
    """Whether a further command follows, on the same line behind ``;`` or on one of its own."""
    following = c.rest()[1:] if c.at(";") else c.rest()
    if following[0].kind is Kind.END or following[0].text in {"}", ";", "|"}:
        return False
    if not in_braces:
        return c.at(";") or following[0].text in _WORDS
    depth = 0
    for token in following:
        if token.text in CLOSERS and token.text != "<":
            depth += 1
        elif token.text in CLOSERS.values() and token.text != ">":
            depth -= 1
        if depth < 0 or (depth == 0 and token.text in _ENDS):
            return True
        if depth == 0 and token.text == "→":
            return False
    return True


def _bound(c: Cursor, e: Expr) -> Fix:
    """The command with its ``let``, and its ``in`` if that is missing."""
    start = e.span.start
    if c.at("in"):
        return Fix(Span(c.source, start, start), "let _ <= ")
    end = c.token.end if c.at(";") else e.span.end
    space = "" if c.source.text[end : end + 1].isspace() else " "
    return Fix(Span(c.source, start, end), f"let _ <= {e.span.text} in{space}")
