"""Inspection in a ``%%eff`` section: declared names with their types, keywords and signs."""

import re

from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.ad.eff.reading.lexing import tokens
from rh_kernel.kernel.inspection.about import About, directive, touched
from rh_kernel.kernel.inspection.types import variable
from rh_kernel.kernel.sections.effects import known
from rh_kernel.kernel.sections.place import Place
from rh_kernel.session.sections.effects import LANGUAGE, built_in_type, started
from rh_kernel.session.sections.effects_forms import EFFECTS_FORMS, EFFECTS_SIGNS
from rh_kernel.session.sections.effects_names import Effects
from rh_kernel.syntax.parsing.tokens import EFFECTS, Kind, Token

_DIRECTIVE = re.compile(r"%[ \t]*(\w+)")


def about(effects: Effects | None, place: Place, cursor: int, lines: int | None) -> About | None:
    """Describe what is at the cursor, which is at ``place``; a declaration is cut off after ``lines`` lines."""
    begins = _DIRECTIVE.match(place.item.source.text, place.item.start, place.item.end)
    if begins is not None and cursor <= begins.end() and (said := directive(begins[1], EFFECTS)) is not None:
        return said
    above = known(started(effects), place.above)
    now = known(above, (place.item,))
    found = tokens(place.item)
    for n in touched(found, cursor):
        local = variable(above.definitions, place.item, found[n]) if found[n].kind is Kind.NAME else None
        said = _of_token(now, found[n], lines) if local is None else About((local,), remarks=("a variable",))
        if said is not None:
            return said
    return None


def _of_token(now: Effects, token: Token, lines: int | None) -> About | None:
    match token.kind:
        case Kind.KEYWORD:
            return _form(EFFECTS_FORMS.get(token.text))
        case Kind.NAME:
            return _of_name(now, token.text, lines)
        case Kind.PROJECTION:
            return _form(EFFECTS_SIGNS[".1"])
        case _:
            return _form(EFFECTS_SIGNS.get(token.text))


def _form(form: str | None) -> About | None:
    if form is None:
        return None
    title, text = form.split("\n")
    return About((title,), text)


def _of_name(now: Effects, name: str, lines: int | None) -> About | None:
    found = now.about(name)
    if not found:
        return About((f"{name} : {built_in_type(name)}",), remarks=(LANGUAGE,)) if name in BUILT_INS else None
    span = next((span for key in _keys(now, name) if (span := now.written(key)) is not None), None)
    written = [] if span is None else span.text.rstrip().split("\n")
    if lines is not None and len(written) > lines:
        written = [*written[: lines - 1], f"  … {len(written) - lines + 1} more lines"]
    place = () if span is None else (f"declared in {span.source.name}, line {span.position[0]}",)
    return About(
        tuple([f"{name} : {one.type}" for one in found]),
        source="\n".join(written),
        remarks=(", ".join([one.kind for one in found]), *place),
    )


def _keys(now: Effects, name: str) -> list[str]:
    d = now.definitions
    return [t[name] for t in (d.functions, d.handlers, d.types, d.effects, d.constructors, d.operations) if name in t]
