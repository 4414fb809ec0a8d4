"""Advice on a command in the place of a term (RH Fig. 2, 3: the two layers)."""

from rh_kernel.source.diagnostic import Fix
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s


def without_return(e: s.ReturnExpr) -> Fix | None:
    """A quick fix that removes the word ``return``; ``None`` for ``⌊M⌋``."""
    text = e.span.text
    word = len(text) - len(text.removeprefix("return").lstrip())
    return Fix(Span(e.span.source, e.span.start, e.span.start + word), "") if word else None


def bind_first(e: s.Expr) -> str:
    """The hint to bind the result of the command ``e``."""
    text = e.span.text if len(e.span.text) <= 30 and "\n" not in e.span.text else "…"
    if isinstance(e, s.RevHandleExpr | s.HandleExpr):
        text = "rev handle …" if isinstance(e, s.RevHandleExpr) else "handle …"
    return f"bind its result first: `let y <= {text} in …`"
