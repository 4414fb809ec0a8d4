"""Inspection in a ``%%eff`` section: declared names with their types, keywords and operators."""

import re

from rh_kernel.ad.eff.frontend.lexing import tokens
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.kernel.inspection.content import Inspection, directive, first_lines, form, tokens_at
from rh_kernel.kernel.inspection.eff_variables import variable
from rh_kernel.kernel.sections.eff_cells import known
from rh_kernel.kernel.sections.position import SectionPosition
from rh_kernel.session.sections.eff_cells import BUILT_IN_KIND, built_in_type, initial_declarations
from rh_kernel.session.sections.eff_forms import EFF_FORMS, EFF_SIGNS
from rh_kernel.session.sections.eff_names import EffDeclarations
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, Kind, Token

_DIRECTIVE = re.compile(r"%[ \t]*(\w+)")


def inspect(effects: EffDeclarations | None, position: SectionPosition, cursor: int, lines: int | None) -> Inspection | None:
    """Describe what is at the cursor, which is at ``position``; show at most ``lines`` lines of a declaration."""
    begins = _DIRECTIVE.match(position.item.source.text, position.item.start, position.item.end)
    if begins is not None and cursor <= begins.end() and (found := directive(begins[1], EFF_SECTION)) is not None:
        return found
    above = known(initial_declarations(effects), position.above)
    now = known(above, (position.item,))
    for token in tokens_at(tokens(position.item), cursor):
        local = variable(above.definitions, position.item, token) if token.kind is Kind.NAME else None
        found = _of_token(now, token, lines) if local is None else Inspection((local,), remarks=("a variable",))
        if found is not None:
            return found
    return None


def _of_token(now: EffDeclarations, token: Token, lines: int | None) -> Inspection | None:
    match token.kind:
        case Kind.KEYWORD:
            return form(EFF_FORMS.get(token.text))
        case Kind.NAME:
            return _of_name(now, token.text, lines)
        case Kind.PROJECTION:
            return form(EFF_SIGNS[".1"])
        case _:
            return form(EFF_SIGNS.get(token.text))


def _of_name(now: EffDeclarations, name: str, lines: int | None) -> Inspection | None:
    found = now.about(name)
    if not found:
        return Inspection((f"{name} : {built_in_type(name)}",), remarks=(BUILT_IN_KIND,)) if name in BUILT_INS else None
    span = next((span for key in _keys(now, name) if (span := now.written(key)) is not None), None)
    place = () if span is None else (f"declared in {span.source.name}, line {span.position[0]}",)
    return Inspection(
        tuple([f"{name} : {one.type}" for one in found]),
        source=first_lines(span, lines),
        remarks=(", ".join([one.kind for one in found]), *place),
    )


def _keys(now: EffDeclarations, name: str) -> list[str]:
    d = now.definitions
    return [t[name] for t in (d.functions, d.handlers, d.types, d.effects, d.constructors, d.operations) if name in t]
