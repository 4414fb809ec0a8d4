"""Inspection in a ``%%eff`` section: declared names with their types, keywords and signs."""

import re

from rh_kernel.ad.eff.frontend.lexing import tokens
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.kernel.inspection.content import Inspection, directive, touched
from rh_kernel.kernel.inspection.types import variable
from rh_kernel.kernel.sections.eff_cells import known
from rh_kernel.kernel.sections.place import Place
from rh_kernel.session.sections.eff_cells import BUILT_IN_KIND, built_in_type, initial_declarations
from rh_kernel.session.sections.eff_forms import EFF_FORMS, EFF_SIGNS
from rh_kernel.session.sections.eff_names import EffDeclarations
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, Kind, Token

_DIRECTIVE = re.compile(r"%[ \t]*(\w+)")


def about(effects: EffDeclarations | None, place: Place, cursor: int, lines: int | None) -> Inspection | None:
    """Describe what is at the cursor, which is at ``place``; a declaration is cut off after ``lines`` lines."""
    begins = _DIRECTIVE.match(place.item.source.text, place.item.start, place.item.end)
    if begins is not None and cursor <= begins.end() and (said := directive(begins[1], EFF_SECTION)) is not None:
        return said
    above = known(initial_declarations(effects), place.above)
    now = known(above, (place.item,))
    found = tokens(place.item)
    for n in touched(found, cursor):
        local = variable(above.definitions, place.item, found[n]) if found[n].kind is Kind.NAME else None
        said = _of_token(now, found[n], lines) if local is None else Inspection((local,), remarks=("a variable",))
        if said is not None:
            return said
    return None


def _of_token(now: EffDeclarations, token: Token, lines: int | None) -> Inspection | None:
    match token.kind:
        case Kind.KEYWORD:
            return _form(EFF_FORMS.get(token.text))
        case Kind.NAME:
            return _of_name(now, token.text, lines)
        case Kind.PROJECTION:
            return _form(EFF_SIGNS[".1"])
        case _:
            return _form(EFF_SIGNS.get(token.text))


def _form(form: str | None) -> Inspection | None:
    if form is None:
        return None
    title, text = form.split("\n")
    return Inspection((title,), text)


def _of_name(now: EffDeclarations, name: str, lines: int | None) -> Inspection | None:
    found = now.about(name)
    if not found:
        return Inspection((f"{name} : {built_in_type(name)}",), remarks=(BUILT_IN_KIND,)) if name in BUILT_INS else None
    span = next((span for key in _keys(now, name) if (span := now.written(key)) is not None), None)
    written = [] if span is None else span.text.rstrip().split("\n")
    if lines is not None and len(written) > lines:
        written = [*written[: lines - 1], f"  … {len(written) - lines + 1} more lines"]
    place = () if span is None else (f"declared in {span.source.name}, line {span.position[0]}",)
    return Inspection(
        tuple([f"{name} : {one.type}" for one in found]),
        source="\n".join(written),
        remarks=(", ".join([one.kind for one in found]), *place),
    )


def _keys(now: EffDeclarations, name: str) -> list[str]:
    d = now.definitions
    return [t[name] for t in (d.functions, d.handlers, d.types, d.effects, d.constructors, d.operations) if name in t]
