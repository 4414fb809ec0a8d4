"""Commands whose result is not bound: ``Put[l](M) in P`` and ``Put[l](M); P`` for ``let _ <= Put[l](M) in P``."""

from rh_kernel.source.diagnostic import Fix, Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.errors import Unexpected
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.tokens import CLOSERS, Kind, Token
from rh_kernel.syntax.surface import Apply, Expr, HandleExpr, LetExpr, RepeatExpr, ResumeExpr, RevHandleExpr

_WRITE = "Put"
_WORDS = frozenset({"let", "return", "rev", "handle"})
_ARROWS = frozenset({"→", ",", "=", "⇒", "←", "⇐", ":", ":=", "==", "."})


def check_bound(c: Cursor, e: Expr, expected: str, *, in_braces: bool = False) -> None:
    """Reject the continuation of an unbound command at the end of ``e``; ``expected`` is what may stand here.

    Raises ``Rejected``. Without an ``in``, this applies to ``Put`` only: no other command is certainly meant as the first of a
    sequence, so the caller reports the unexpected token.
    """
    last = e
    while isinstance(last, LetExpr | RepeatExpr):
        last = last.body
    match last:
        case Apply(head) if head.text == _WRITE:
            if c.at("in") or _is_followed_by_command(c, in_braces=in_braces):
                hint = "bind the result of every command, even if it is unit: `let _ <= Put[l](M) in P`"
                raise _unbound(c, last, expected, hint, _bind(c, last))
        case Apply() | ResumeExpr() | RevHandleExpr() | HandleExpr() if c.at("in"):
            text = last.span.text if len(last.span.text) <= 30 and "\n" not in last.span.text else "…"
            raise _unbound(c, last, expected, f"this `in` has no `let`: `let y <= {text} in …`", None)
        case _:
            pass


def _unbound(c: Cursor, e: Expr, expected: str, hint: str, fix: Fix | None) -> Rejected:
    notes = (Note(span=e.span, text="the result of this is not bound"),)
    return Rejected(Unexpected(span=c.here(), found=c.found(), expected=expected, hint=hint, notes=notes, fix=fix))


def _is_followed_by_command(c: Cursor, *, in_braces: bool) -> bool:
    """Whether another command follows, on the same line after ``;`` or on a line of its own."""
    following = c.rest()[1:] if c.at(";") else c.rest()
    if following[0].kind is Kind.END or following[0].text in {"}", ";", "|"}:
        return False
    if in_braces:
        return not _begins_clause(following)
    return c.at(";") or following[0].text in _WORDS


def _begins_clause(tokens: list[Token]) -> bool:
    """Whether the tokens begin with the head of a clause, ``return x`` or ``Op[i](x)``, and an arrow or a mistyped one."""
    if tokens[0].text == "return":
        end = _skip_bracket(tokens, 1) if tokens[1].text in CLOSERS else 2
    else:
        end = 1
        for opening in ("[", "("):
            end = _skip_bracket(tokens, end) if tokens[end].text == opening else end
    return tokens[0].kind in {Kind.NAME, Kind.KEYWORD} and end < len(tokens) and tokens[end].text in _ARROWS


def is_backward(tokens: list[Token]) -> bool:
    """Whether the tokens begin with a backward part ``y, z -> …`` without its ``|``."""
    y = _skip_pattern(tokens, 0)
    if y == 0 or tokens[y].text != ",":
        return False
    z = _skip_pattern(tokens, y + 1)
    return z > y + 1 and tokens[z].text in {"→", "⇒"}


def _skip_pattern(tokens: list[Token], start: int) -> int:
    """The index of the token after the pattern at ``start``, or ``start`` if there is no pattern."""
    if tokens[start].kind is Kind.NAME:
        return start + 1
    return _skip_bracket(tokens, start) if tokens[start].text in {"(", "⟨"} else start


def _skip_bracket(tokens: list[Token], start: int) -> int:
    """The index of the token after the bracket that opens at ``start``, or of the last token."""
    depth = 0
    for i, token in enumerate(tokens[start:-1], start):
        depth += (token.text in CLOSERS) - (token.text in CLOSERS.values())
        if depth == 0:
            return i + 1
    return len(tokens) - 1


def _bind(c: Cursor, e: Expr) -> Fix:
    """A quick fix that adds the ``let``, and the ``in`` if it is missing."""
    start = e.span.start
    if c.at("in"):
        return Fix(Span(c.source, start, start), "let _ <= ")
    end = c.token.end if c.at(";") else e.span.end
    space = "" if c.source.text[end : end + 1].isspace() else " "
    return Fix(Span(c.source, start, end), f"let _ <= {e.span.text} in{space}")
