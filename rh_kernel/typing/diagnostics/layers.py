"""The diagnostic of a command in the place of a term (RH Fig. 2, 3: the two layers)."""

from typing import TypeAlias

from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.typing.errors import CommandInTerm

CommandExpr: TypeAlias = s.LetExpr | s.ReturnExpr | s.RevHandleExpr | s.HandleExpr | s.ResumeExpr | s.ScanExpr | s.RepeatExpr
"""Expressions that are commands; of a let, one that binds the result of a command."""


def command_in_term(e: CommandExpr) -> Rejected:
    """The diagnostic for the command ``e`` in the place of a term."""
    match e:
        case s.LetExpr():
            what = "`let x <= P in Q`"
            hint = "inside a term use `let x <- M in N`; bind the result of a command outside: `let x <= P in …`"
        case s.ReturnExpr():
            hint = "remove `return` inside a term"
            return Rejected(CommandInTerm(span=e.span, what="`return`", hint=hint, fix=_without_return(e)))
        case s.RevHandleExpr():
            what, hint = "handling", bind_first(e, "rev handle …")
        case s.HandleExpr():
            what, hint = "handling", bind_first(e, "handle …")
        case s.ScanExpr():
            what, hint = "`scan`", bind_first(e, "scan …")
        case s.RepeatExpr():
            what, hint = "`repeat`", bind_first(e, "repeat …")
        case s.ResumeExpr():
            what, hint = "applying a continuation", bind_first(e)
    return Rejected(CommandInTerm(span=e.span, what=what, hint=hint))


def _without_return(e: s.ReturnExpr) -> Fix | None:
    """A quick fix that removes the word ``return``; ``None`` for ``⌊M⌋``."""
    text = e.span.text
    word = len(text) - len(text.removeprefix("return").lstrip())
    return Fix(Span(e.span.source, e.span.start, e.span.start + word), "") if word else None


def bind_first(e: s.Expr, text: str = "") -> str:
    """The hint to bind the result of the command ``e``."""
    text = text or (e.span.text if len(e.span.text) <= 30 and "\n" not in e.span.text else "…")
    return f"bind its result first: `let y <= {text} in …`"
