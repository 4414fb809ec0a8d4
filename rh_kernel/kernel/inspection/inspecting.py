"""Inspection (Shift-Tab): describe the name, keyword or operator at the cursor, as text and as HTML."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from rh_kernel.display.html import escape, to_html
from rh_kernel.display.markup import FAINT, MONOSPACE, box
from rh_kernel.display.text import visible
from rh_kernel.highlighting.token_classes import TokenClass, classify
from rh_kernel.kernel.completion.words import declared_in, written_types
from rh_kernel.kernel.inspection.content import Inspection, directive, form, tokens_at
from rh_kernel.kernel.inspection.rules import rule_of, rules_of
from rh_kernel.kernel.inspection.term_at_cursor import term_at
from rh_kernel.kernel.sections.position import section_at
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.help import FEW_LINES, Known, known
from rh_kernel.session.forms import FORMS, RULES, SIGNS
from rh_kernel.session.session import Session
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import chunks, tokens
from rh_kernel.syntax.parsing.tokens import DIRECTIVE_NAME, LAMBDA_SECTION, SECTIONS, Kind, Token
from rh_kernel.syntax.printing.doc import HARD, Doc, Role, Text, concat, role
from rh_kernel.syntax.types import Product
from rh_kernel.typing.definitions import BUILT_IN, Definitions, FunDefinition
from rh_kernel.typing.derivation.rules import TypingRule

_DIRECTIVE = re.compile(rf"%({DIRECTIVE_NAME})")
_OPERATORS = {"@": "matmul", "ᵀ": "transpose", "/": "div", "-": "sub"}
"""Operators that abbreviate a function symbol; its documentation is appended."""

_ROLES = {
    TokenClass.KEYWORD: Role.KEYWORD,
    TokenClass.DECLARATION: Role.KEYWORD,
    TokenClass.TYPE: Role.TYPE,
    TokenClass.FUNCTION: Role.FUNCTION,
    TokenClass.NUMBER: Role.CONSTANT,
    TokenClass.STRING: Role.CONSTANT,
    TokenClass.COMMENT: Role.FADED,
}


def inspection(session: Session, text: str, cursor: int, detail: int = 0) -> Mapping[str, str] | None:
    """Describe what is at ``cursor``, by MIME type; ``None`` if nothing is known. ``detail`` shows declarations in full.

    A name has the meaning it has after the declarations of the text.
    """
    source = Source("this cell", text)
    name, lines = _directive_at(text, cursor), None if detail else FEW_LINES
    position = section_at(source, cursor) if any(line in text for line in SECTIONS) else None
    if position is not None and position.section == LAMBDA_SECTION:
        from rh_kernel.kernel.inspection import lambda_cells

        about = lambda_cells.inspect(session.functions, position, cursor, lines)
    elif position is not None:
        from rh_kernel.kernel.inspection import eff_cells

        about = eff_cells.inspect(session.effects, position, cursor, lines)
    elif name is not None:
        about = directive(name)
    else:
        definitions = declared_in(session.definitions, text, source.name, session.folder)
        about = _at(definitions, source, cursor, lines)
    return None if about is None else {"text/plain": _plain(about), "text/html": _html(about)}


def _directive_at(text: str, cursor: int) -> str | None:
    """The name of the directive whose name is at the cursor."""
    for chunk in chunks(Source("cell", text)):
        m = _DIRECTIVE.match(text, chunk.start, chunk.end)
        if m is not None and m.start() <= cursor <= m.end():
            return m[1]
    return None


def _at(definitions: Definitions, source: Source, cursor: int, lines: int | None) -> Inspection | None:
    read = tokens(Span(source, 0, len(source.text)))
    for token in tokens_at(read, cursor):
        about, found = _of_token(definitions, source, read, token, lines), term_at(definitions, source, token)
        if found is not None and found.is_variable:
            return Inspection((str(found),), remarks=("a variable",), rules=(rule_of(TypingRule.T_VAR),))
        if about is not None:
            return about if found is None else replace(about, facts=(*about.facts, f"here {found}"))
    return None


def _of_token(
    definitions: Definitions, source: Source, read: list[Token], token: Token, lines: int | None
) -> Inspection | None:
    match token:
        case Token(Kind.NAME, name):
            return _name(definitions, source.text, name, lines)
        case Token(Kind.KEYWORD, "rd"):
            match [following.text for following in read if following.start >= token.end][:2]:
                case ["[", name] if (derivative := _reverse(definitions, name)) is not None:
                    return derivative
                case _:
                    return _form("rd")
        case Token(Kind.KEYWORD | Kind.FOREIGN, word):
            return _form(word)
        case Token(Kind.PROJECTION):
            return _form(".1")
        case Token(Kind.SYMBOL, sign):
            return _sign(sign)
        case _:
            return None


def _name(definitions: Definitions, text: str, name: str, lines: int | None) -> Inspection | None:
    declared = definitions.get(name)
    if declared is None and name not in SYMBOLS:
        types = dict(written_types(text))
        if name in FORMS and name not in types:
            return _form(name)
        return Inspection((types[name],), "as it is written in this cell") if name in types else None
    found = known(definitions, name)
    return None if found is None else _known(found, rules_of(name, declared), lines)


def _known(found: Known, rules: tuple[str, ...], lines: int | None) -> Inspection:
    remarks = tuple([remark for remark in (found.kind, found.place) if remark])
    return Inspection(found.signatures, found.documentation, found.facts, found.source(lines), remarks, rules)


def _reverse(definitions: Definitions, name: str) -> Inspection | None:
    """``rd[f]``"""
    match definitions.get(name):
        case FunDefinition(domain=A, codomain=B):
            types = [f"{Product((B, A))} -> {A}"]
        case None if name in SYMBOLS:
            types = [f"{Product((s.codomain, s.domain))} → {s.domain}" for s in SYMBOLS[name].schemes]
        case _:
            return None
    found = known(definitions, name)
    facts = [fact for fact in (() if found is None else found.facts) if fact.startswith("rd[")]
    text = f"the reverse derivative of {name}: rd[{name}](w, v), the cotangent first, the point second"
    return Inspection(tuple([f"rd[{name}] : {A}" for A in types]), text, tuple(facts), "", ("a function symbol",))


def _form(word: str) -> Inspection | None:
    about = form(FORMS.get(word) or SIGNS.get(word))
    return None if about is None else replace(about, rules=tuple([rule_of(rule) for rule in RULES.get(word, ())]))


def _sign(sign: str) -> Inspection | None:
    about = _form(sign)
    if about is None or sign not in _OPERATORS:
        return about
    more = known(BUILT_IN, _OPERATORS[sign])
    return about if more is None else Inspection((*about.title, *more.signatures), about.text, more.facts)


def _plain(about: Inspection) -> str:
    parts = [*about.title, "", about.text, *[f"  {fact}" for fact in about.facts]]
    if about.source:
        parts += ["", about.source, ""]
    parts += [", ".join(about.remarks), *about.rules]
    text = "\n".join([part for n, part in enumerate(parts) if part or (n and parts[n - 1])])
    return visible(text.strip("\n"))


def _html(about: Inspection) -> str:
    pieces = [_block(f"{MONOSPACE};font-weight:bold;white-space:pre-wrap", title) for title in about.title]
    pieces += [_block("white-space:pre-wrap", about.text)] if about.text else []
    pieces += [_block(f"{MONOSPACE};white-space:pre-wrap", fact) for fact in about.facts]
    pieces += [box("margin:6px 0", to_html(highlighted(about.source), math.inf))] if about.source else []
    pieces += [_block(FAINT, ", ".join(about.remarks))] if about.remarks else []
    pieces += [_block("", rule) for rule in about.rules]
    return box("", *pieces)


def _block(style: str, text: str) -> str:
    return box(style, escape(text))


def highlighted(text: str) -> Doc:
    """A program as written, in the colours of the printer."""
    pieces: list[Doc] = []
    end = 0
    for marked in classify(text):
        pieces += _lines(text[end : marked.start])
        shown, colour = text[marked.start : marked.end], _ROLES.get(marked.kind)
        pieces += _lines(shown) if colour is None else [role(colour, shown)]
        end = marked.end
    return concat(*pieces, *_lines(text[end:]))


def _lines(text: str) -> list[Doc]:
    first, *others = text.split("\n")
    return [Text(first), *[piece for line in others for piece in (HARD, Text(line))]]
