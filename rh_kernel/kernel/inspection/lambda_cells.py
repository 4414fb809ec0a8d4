"""Inspection in a ``%%lambda`` section: functions and variables with their types, keywords, symbols, AD systems."""

import re
from typing import TYPE_CHECKING

from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Term
from rh_kernel.ad.language.elaboration import Elaboration, Functions, Scope, elaborate_function, elaborate_term
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import SCALAR, Function, Type, product
from rh_kernel.ad.registry import is_system, system
from rh_kernel.kernel.inspection.content import Inspection, directive, first_lines, form, tokens_at
from rh_kernel.kernel.sections.lambda_cells import declared, read
from rh_kernel.kernel.sections.position import SectionPosition
from rh_kernel.primitives.table import SYMBOLS as FUNCTION_SYMBOLS
from rh_kernel.session.names import arrow
from rh_kernel.session.sections.lambda_forms import LAMBDA_FORMS, LAMBDA_SIGNS
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION, Kind, Token

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program

_AD = re.compile(r"%[ \t]*ad\b[ \t]*([^\s()#]*)")
_OF_AD = frozenset({"with", "along", "trace", "all"})


def inspect(functions: Functions, position: SectionPosition, cursor: int, lines: int | None) -> Inspection | None:
    """Describe what is at the cursor, which is at ``position``; show at most ``lines`` lines of a declaration."""
    known = declared(functions, position.above)
    ad = _AD.match(position.item.source.text, position.item.start, position.item.end)
    if ad is not None and cursor <= ad.end(1):
        return _system(ad[1]) if ad[1] and cursor >= ad.start(1) else directive("ad", LAMBDA_SECTION)
    for token in tokens_at(tokens(position.item), cursor):
        found = _of_token(known, position, token, lines, in_directive=ad is not None)
        if found is not None:
            return found
    return None


def _system(name: str) -> Inspection | None:
    if not is_system(name):
        return form(LAMBDA_FORMS["all"]) if name == "all" else None
    one = system(name)
    abilities = (
        ("gradients", one.reverse is not None),
        ("tangents, behind `along`", one.forward is not None),
        ("the forms of a program", one.stages is not None),
        ("every step, with `--trace`", one.steps is not None),
    )
    does = ", ".join([what for what, can in abilities if can])
    return Inspection((name,), one.title, (f"gives {does}",), remarks=(one.source,))


def _of_token(
    known: Functions, position: SectionPosition, token: Token, lines: int | None, *, in_directive: bool
) -> Inspection | None:
    match token.kind:
        case Kind.NAME if token.text in LAMBDA_FORMS and (token.text not in _OF_AD or in_directive):
            return form(LAMBDA_FORMS[token.text])
        case Kind.NAME:
            variable = _variable(known, position.item, token)
            if variable is not None:
                return Inspection((variable,), remarks=("a variable",))
            name = token.text
            return _function(known[name], position, lines) if name in known else _symbol(name) if name in SYMBOLS else None
        case Kind.KEYWORD:
            return form(LAMBDA_FORMS.get(token.text))
        case Kind.PROJECTION:
            return form(LAMBDA_SIGNS[".1"])
        case _:
            return form(LAMBDA_SIGNS.get(token.text))


def _function(f: "Program", position: SectionPosition, lines: int | None) -> Inspection:
    written = next((part for part in reversed((*position.above, position.item)) if _declares(part, f.name)), None)
    return Inspection(
        (f"{f.name} : {arrow(f)}",), source=first_lines(written, lines), remarks=("a function of %%lambda cells",)
    )


def _declares(part: Span, name: str) -> bool:
    found = [token.text for token in tokens(part)[:2]]
    return found == ["fun", name]


def _symbol(name: str) -> Inspection:
    row, numbers = FUNCTION_SYMBOLS[name], product(*[SCALAR] * SYMBOLS[name])
    return Inspection(
        (f"{name} : {Function(numbers, SCALAR)}",), row.doc, (row.formula,), remarks=("a function symbol of numbers",)
    )


class _Recording(Elaboration):
    """An elaboration that records the type and the scope of every term."""

    def __init__(self, functions: Functions) -> None:
        super().__init__(functions)
        self.seen: list[tuple[Span, Type, Scope]] = []

    def term(self, expression: s.Expr, scope: Scope, hint: Type | None = None) -> tuple[Term, Type]:
        M, A = super().term(expression, scope, hint)
        self.seen.append((expression.span, A, dict(scope)))
        return M, A


def _variable(known: Functions, part: Span, token: Token) -> str | None:
    """The variable used or bound at a token, with its type."""
    recording = _Recording(known)
    written = read(part)
    try:
        match written:
            case s.FunItem():
                elaborate_function(written, known, recording)
            case s.EvaluationItem(M):
                elaborate_term(M, known, None, recording)
            case s.AdItem() | None:
                return None
    except (Failure, RecursionError, MemoryError):
        pass  # what was recorded up to there is still right
    name, skipped = token.text.removeprefix("λ"), token.text.startswith("λ")
    start = token.start + skipped
    for span, A, scope in recording.seen:
        if (span.start, span.end) == (start, token.end) and name in scope:
            return f"{name} : {recording.unknowns.shown(A)}"
    older = {scope[name][0] for span, _, scope in recording.seen if span.start <= start and name in scope}
    later = [(span.start, scope[name]) for span, _, scope in recording.seen if span.start >= token.end and name in scope]
    bound = [(at, A) for at, (x, A) in later if x not in older]
    return f"{name} : {recording.unknowns.shown(min(bound, key=lambda found: found[0])[1])}" if bound else None
