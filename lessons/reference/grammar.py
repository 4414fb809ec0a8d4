"""Grammars as the reference writes them (EBNF), and whether a text follows one: what is printed is tried on programs.

A rule is ``name = …``, to the next line that begins with a name. ``"let"`` stands for itself, a name in capitals for a kind of
token; ``|`` separates alternatives, ``[ … ]`` may be left out, ``{ … }`` may come any number of times, ``( … )`` groups.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.ad.eff.frontend.lexing import tokens as tokens_of_effects
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.items import words_of_directive
from rh_kernel.syntax.parsing.lexer import chunks, section, tokens
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION, SPELLINGS, Kind, Token


@dataclass(frozen=True, slots=True)
class Sign:
    """A word or a sign that stands for itself, in its canonical spelling."""

    text: str


@dataclass(frozen=True, slots=True)
class OfKind:
    """Any token of a kind; ``WORD`` is any token, ``UPPER`` and ``LOWER`` are names by their first letter."""

    kind: str


@dataclass(frozen=True, slots=True)
class Ref:
    """What another rule says."""

    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """One after the other."""

    parts: "tuple[Form, ...]"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    forms: "tuple[Form, ...]"


@dataclass(frozen=True, slots=True)
class Many:
    """Any number of times, or at most once."""

    form: "Form"
    once: bool


Form: TypeAlias = Sign | OfKind | Ref | Row | Choice | Many
Grammar: TypeAlias = Mapping[str, Form]

_SYMBOLS = re.compile(r'"[^"]+"|[A-Za-z][A-Za-z-]*|[|()\[\]{}]|\S')
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def read(text: str, spellings: Mapping[str, str] = SPELLINGS) -> Grammar:
    """The grammar that a text writes, with signs in canonical spelling. Raises ``KernelBug`` where it does not."""
    rules = re.split(r"^(?=[a-z][a-z-]* +=)", text, flags=re.MULTILINE)
    found: dict[str, Form] = {}
    for rule in rules:
        name, equals, body = rule.partition("=")
        if not equals:
            continue
        symbols = _SYMBOLS.findall(body)
        form, at = _choice([_canonical(symbol, spellings) for symbol in symbols], 0)
        if at != len(symbols):
            raise KernelBug(f"the grammar of {name.strip()} ends at {symbols[at]}")
        found[name.strip()] = form
    missing = {ref for form in found.values() for ref in _refs(form)} - found.keys()
    if missing:
        raise KernelBug(f"the grammar has no rule for {', '.join(sorted(missing))}")
    return found


def _canonical(symbol: str, spellings: Mapping[str, str]) -> str:
    return f'"{spellings.get(symbol[1:-1], symbol[1:-1])}"' if symbol.startswith('"') else symbol


def _choice(symbols: Sequence[str], at: int) -> tuple[Form, int]:
    forms: list[Form] = []
    while True:
        form, at = _row(symbols, at)
        forms.append(form)
        if at == len(symbols) or symbols[at] != "|":
            return (forms[0] if len(forms) == 1 else Choice(tuple(forms))), at
        at += 1


def _row(symbols: Sequence[str], at: int) -> tuple[Form, int]:
    parts: list[Form] = []
    while at < len(symbols) and symbols[at] not in {"|", ")", "]", "}"}:
        symbol = symbols[at]
        if symbol in _CLOSING:
            form, at = _choice(symbols, at + 1)
            if at == len(symbols) or symbols[at] != _CLOSING[symbol]:
                raise KernelBug(f"a bracket {symbol} of the grammar is not closed")
            parts.append(form if symbol == "(" else Many(form, once=symbol == "["))
        elif symbol.startswith('"'):
            parts.append(Sign(symbol[1:-1]))
        else:
            parts.append(OfKind(symbol) if symbol.isupper() else Ref(symbol))
        at += 1
    return Row(tuple(parts)), at


def _refs(form: Form) -> set[str]:
    match form:
        case Ref(name):
            return {name}
        case Row(forms) | Choice(forms):
            return {ref for one in forms for ref in _refs(one)}
        case Many(one):
            return _refs(one)
        case Sign() | OfKind():
            return set()


def signs(form: Form) -> set[str]:
    """The words and signs that stand for themselves in a form."""
    match form:
        case Sign(text):
            return {text}
        case Row(forms) | Choice(forms):
            return {sign for one in forms for sign in signs(one)}
        case Many(one):
            return signs(one)
        case Ref() | OfKind():
            return set()


@dataclass(slots=True)
class Reading:
    """Where what begins at a place of a list of tokens may end; each question is answered once."""

    grammar: Grammar
    tokens: Sequence[Token]
    known: dict[tuple[str, int], frozenset[int]] = field(default_factory=dict[tuple[str, int], frozenset[int]])

    def ends(self, form: Form, at: int) -> frozenset[int]:
        """The places after what follows ``form`` from ``at`` on."""
        match form:
            case Sign(text):
                there = at < len(self.tokens) and self.tokens[at].text == text and self.tokens[at].kind is not Kind.STRING
                return frozenset({at + 1}) if there else frozenset()
            case OfKind(kind):
                there = at < len(self.tokens) and _is_of(self.tokens[at], kind)
                return frozenset({at + 1}) if there else frozenset()
            case Ref(name):
                if (name, at) not in self.known:
                    self.known[name, at] = self.ends(self.grammar[name], at)
                return self.known[name, at]
            case Row(parts):
                places = frozenset({at})
                for part in parts:
                    places = frozenset({end for place in places for end in self.ends(part, place)})
                return places
            case Choice(forms):
                return frozenset({end for one in forms for end in self.ends(one, at)})
            case Many(one, once):
                places = new = frozenset({at})
                while new:
                    new = frozenset({end for place in new for end in self.ends(one, place)}) - places
                    places |= new
                    if once:
                        break
                return places


def _is_of(token: Token, kind: str) -> bool:
    match kind:
        case "WORD":
            return True
        case "UPPER" | "LOWER":
            return token.kind is Kind.NAME and token.text[0].isupper() is (kind == "UPPER")
        case _:
            return token.kind.name == kind


def strays(grammar: Grammar, effects: Grammar, text: str) -> list[str]:
    """The items of a text that are none by the grammar, or in ``%%eff`` sections by that of ``effects``."""
    found: list[str] = []
    for chunk in chunks(Source("text", text)):
        inner = section(chunk)
        if inner is None:
            of_words = words_of_directive(chunk)
            found += [chunk.text] if not follows(grammar, "item", tokens(chunk) if of_words is None else of_words) else []
            continue
        found += [part.text for part in inner.strays if any(t.kind is not Kind.COMMENT for t in tokens(part))]
        if inner.line == LAMBDA_SECTION:
            found += [part.text for part in inner.items if not follows(grammar, "laboratory-item", tokens(part))]
        else:
            found += [part.text for part in inner.items if not follows(effects, "item", tokens_of_effects(part))]
    return found


def follows(grammar: Grammar, rule: str, read_tokens: Sequence[Token]) -> bool:
    """Whether the tokens are what a rule says, or none at all."""
    written = [t for t in read_tokens if t.kind is not Kind.COMMENT]
    return not written or len(written) in Reading(grammar, written).ends(Ref(rule), 0)
