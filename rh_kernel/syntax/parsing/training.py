"""Training items, races of several handlers, and samples ``p in data("…")`` of both and of some directives (LANGUAGE §6)."""

import difflib
from collections.abc import Sequence

from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.errors import RepeatedOption
from rh_kernel.syntax.parsing.cursor import Cursor
from rh_kernel.syntax.parsing.expressions import expression, handler
from rh_kernel.syntax.parsing.patterns import pattern
from rh_kernel.syntax.parsing.tokens import TRAINING_OPTIONS, Kind
from rh_kernel.syntax.surface import Expr, HandleExpr, HandlerExpr, Pattern, RevHandleExpr

_TRAINING = 'write train P for x in data("…") epochs 10'


def training(c: Cursor, start: int, *, races: bool = False) -> items.TrainItem:
    """Parse ``train P for p in D epochs e …``, which began at ``start``.

    With ``races`` P may end in several handlers, with commas between them.
    """
    c.advance()
    P = expression(c)
    others: list[HandlerExpr] = []
    if c.at(",") and isinstance(P, RevHandleExpr | HandleExpr):
        if not races:
            raise c.fail("`for`", "`%race train P with H1, H2 for …` compares handlers; `train` has one")
        while c.take(","):
            others.append(handler(c))
    if c.at("with"):
        raise c.fail("`for`", "`with` belongs to a handled command: train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for …")
    c.need("for", _TRAINING)
    p, drawn = samples(c)
    numbers: dict[str, Expr] = {}
    measures: list[items.Measure] = []
    surfaces: list[Expr] = []
    while c.holds(Kind.NAME) and c.token.text in TRAINING_OPTIONS:
        option = c.token
        if option.text in numbers:
            raise Rejected(RepeatedOption(span=c.span(option), found=f"`{option.text}`", hint="keep one of the two"))
        c.advance()
        if c.at("="):
            fix = Fix(c.since(option.start).to(c.here()), f"{option.text} ")
            raise c.fail("a number or a command", f"an option has no `=`: {option.text} 2", fix)
        if option.text == "measure":
            Q = expression(c)
            held_out = data(c) if c.take("on") else None
            name = _measure_name(c, measures) if c.take("as") else None
            measures.append(items.Measure(Q, held_out, name, span=c.since(option.start)))
        elif option.text == "surface":
            surfaces.append(expression(c))
        else:
            numbers[option.text] = expression(c)
    if c.holds(Kind.NAME):
        close = difflib.get_close_matches(c.token.text, TRAINING_OPTIONS, n=1)
        raise c.fail(
            "`epochs`, `batch`, `pieces`, `shuffle`, `measure` or `surface`", "", Fix(c.here(), close[0]) if close else None
        )
    return items.TrainItem(
        P,
        p,
        drawn,
        numbers.get("epochs"),
        numbers.get("batch"),
        numbers.get("pieces"),
        numbers.get("shuffle"),
        tuple(measures),
        tuple(surfaces),
        tuple(others),
        span=c.since(start),
    )


def _measure_name(c: Cursor, others: Sequence[items.Measure]) -> str:
    if c.token.kind is not Kind.STRING or c.token.text == '""':
        raise c.fail('a name in quotes, e.g. "accuracy"', "the name is shown instead of the command")
    token = c.advance()
    name = token.text[1:-1]
    if any(name == other.name for other in others):
        hint = "give each measure another name"
        raise Rejected(RepeatedOption(span=c.span(token), found=f"the name {token.text}", hint=hint))
    return name


def samples(c: Cursor) -> tuple[Pattern, items.DataExpr]:
    """Parse ``p in D``, after ``for``."""
    p = pattern(c)
    c.need("in")
    return p, data(c)


def data(c: Cursor) -> items.DataExpr:
    """Parse ``data("x.npy", "t.npy")``."""
    start = c.token.start
    hint = 'give a data set by its name or its files: data("xor"), data("mine.npz"), data("x.npy", "t.npy")'
    c.need("data", hint)

    def name(c: Cursor) -> str:
        if c.token.kind is not Kind.STRING:
            raise c.fail('the name of a data set in quotes, e.g. "xor"', hint)
        return c.advance().text[1:-1]

    return items.DataExpr(c.listed("(", name), span=c.since(start))
