"""``%help`` and ``%lsmagic``: texts about directives, forms, function symbols and what a session has declared."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.schemes import Scheme, instantiate
from rh_kernel.primitives.symbol import FunctionSymbol
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.actions import AnalysisContext, Answer
from rh_kernel.session.describing import type_text
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.lines import LINES
from rh_kernel.session.directives.registry import all_directives, find
from rh_kernel.session.forms import FORMS, SIGNS
from rh_kernel.session.names import arrow
from rh_kernel.session.results import Notice
from rh_kernel.session.sections.eff_forms import EFFECTS_FORMS, EFFECTS_SIGNS
from rh_kernel.session.sections.lambda_forms import LABORATORY_FORMS, LABORATORY_SIGNS
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.dimensions import DimVar, dim
from rh_kernel.syntax.parsing.lexer import chunks, tokens
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION, Kind
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.signature import Parameter
from rh_kernel.typing.definitions import (
    ConstDefinition,
    Definition,
    Definitions,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    NetDefinition,
    OpDefinition,
    kind_of,
)

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program
    from rh_kernel.session.sections.eff_names import Effects

FEW_LINES = 12
"""A longer declaration is cut."""

FROM_PYTHON = "rh.const"
"""What the source of a constant is called that Python gave: what stands there is no program."""


@frozen
class Known:
    """What is known of a name: what kind of thing it is, its types, what was said of it, and where it was declared.

    ``facts`` are the formulas of a function symbol.
    """

    name: str
    kind: str
    signatures: tuple[str, ...]
    documentation: str = ""
    facts: tuple[str, ...] = ()
    written: Span | None = None

    @property
    def place(self) -> str:
        """Where it was declared, in words."""
        if self.written is None:
            return ""
        return f"declared in {self.written.source.name}, line {self.written.position[0]}"

    def source(self, lines: int | None) -> str:
        """Its declaration as it was written, with at most so many lines."""
        written = [] if self.written is None else self.written.text.split("\n")
        if lines is None or len(written) <= lines:
            return "\n".join(written)
        return "\n".join([*written[: lines - 1], f"  … {len(written) - lines + 1} more lines"])


def known(definitions: Definitions, name: str) -> Known | None:
    """What is known of a declared name, or of a function symbol of the language."""
    declared = definitions.named.get(name)
    if declared is None:
        return _of_row(SYMBOLS[name]) if name in SYMBOLS else None
    kind, types = kind_of(declared.definition), (signature(declared.definition),)
    if declared.span is None:
        return Known(name, f"{kind} that comes with the language", types)
    if declared.span.source.name == FROM_PYTHON:
        return Known(name, f"{kind} given from Python", types)
    item = _item(declared.span)
    return Known(name, kind, types, _comment_above(item), (), item)


def _of_row(row: FunctionSymbol) -> Known:
    facts = [row.formula, f"rd[{row.name}](w, v) = {_derivative(row.name, row.schemes[0])}"]
    if row.nonsmooth is not None:
        facts.append("not smooth at some points, where it is undefined after `%strict on`")
    return Known(row.name, "a function symbol of the language", row.signatures, row.doc, tuple(facts))


def _derivative(name: str, scheme: Scheme) -> str:
    """The derivative as a term in the cotangent w and the point v."""
    f = instantiate(name, scheme, tuple([dim(v) if isinstance(v, DimVar) else v for v in scheme.variables]))
    scope = derivative(f)
    return " ".join(show(scope.body, names=scope.hints).split())


def _item(name: Span) -> Span:
    """The declaration whose name stands there, to the end of the line in which it ends."""
    chunk = next(chunk for chunk in chunks(name.source) if chunk.start <= name.start < chunk.end)
    end = max([token.end for token in tokens(chunk) if token.kind is not Kind.COMMENT], default=name.end)
    line_end = name.source.text.find("\n", end)
    return Span(name.source, chunk.start, len(name.source.text) if line_end < 0 else line_end)


def _comment_above(item: Span) -> str:
    """The lines of comments directly above a declaration."""
    found: list[str] = []
    for line in reversed(item.source.text[: item.start].split("\n")[:-1]):
        if not line.lstrip().startswith("#"):
            break
        found.append(line.lstrip().lstrip("#").strip())
    return "\n".join(reversed(found)).strip()


def help_text(
    definitions: Definitions,
    words: tuple[str, ...],
    functions: "Mapping[str, Program] | None" = None,
    effects: "Effects | None" = None,
) -> str:
    """About each word; without words the directives and the function symbols.

    ``functions`` are those of the laboratory, ``effects`` what ``%%eff`` cells have declared.
    """
    return "\n".join([_help(definitions, word, functions or {}, effects) for word in words]) if words else _overview()


def _help(definitions: Definitions, word: str, functions: "Mapping[str, Program]", effects: "Effects | None") -> str:
    """About a word in the language, and what is declared by that name in sections; or else what it means there."""
    found = [_about(definitions, word)]
    if word in functions:
        found.append(f"{word} is a function of the laboratory: {arrow(functions[word])}")
    if effects is not None:
        found += [f"{word} is {one.kind} of %%eff cells: {one.type}" for one in effects.about(word)]
    if not any(found):
        found = [_in_laboratory(word), _with_effects(word)]
    return "\n".join([text for text in found if text]) or f"nothing is called `{word.lstrip('%')}`"


def _with_effects(word: str) -> str:
    form = EFFECTS_FORMS.get(word) or EFFECTS_SIGNS.get(word)
    return "" if form is None else f"{_shown(form)}, in %%eff cells"


def _in_laboratory(word: str) -> str:
    from rh_kernel.ad.registry import is_system, system

    if is_system(word):
        one = system(word)
        return f"{word} is a system of the laboratory: {one.title}\n  {one.source}"
    form = LABORATORY_FORMS.get(word) or LABORATORY_SIGNS.get(word)
    return "" if form is None else f"{_shown(form)}, in %%lambda cells"


def signature(definition: Definition) -> str:
    """How a declaration begins: ``FC[l : Loc(m, n)] : Real(n) -> Real(m)``, ``sgd(alpha : Real(1)) : rev handler(Real(k))``."""
    match definition:
        case OpDefinition(name, family):
            return f"{name}{_listed(family.parameters)} : {family.domain} -> {family.codomain}"
        case NetDefinition(name=name, statics=statics):
            return f"{name}{_listed(statics)} : {type_text(replace(definition, statics=()))}"
        case HandlerDefinition(name=name, parameters=parameters) if parameters:
            given = ", ".join([f"{parameter} : {A}" for parameter, A in parameters])
            return f"{name}({given}) : {type_text(replace(definition, parameters=()))}"
        case HandlerDefinition() | DimDefinition() | ConstDefinition() | LocDefinition() | FunDefinition():
            return f"{definition.name} : {type_text(definition)}"


def _listed(parameters: tuple[Parameter, ...]) -> str:
    return f"[{', '.join(map(str, parameters))}]" if parameters else ""


def _overview() -> str:
    known = all_directives().values()
    width = max(len(directive.call) for directive in known)
    lines = [f"{directive.call:<{width}}  {directive.help}" for directive in known]
    lines += [f"{line:<{width}}  {text}" for line, text in LINES.items()]
    names = ", ".join(SYMBOLS)
    return "\n".join(["Directives", *lines, "", "Function symbols (`%help softmax` tells more)", names])


def _about(definitions: Definitions, word: str) -> str:
    name = word.lstrip("%")
    definition, found = definitions.get(name), known(definitions, name)
    if definition is not None and found is not None:
        lines = [f"{name} is {kind_of(definition)}: {type_text(definition)}", found.documentation]
        lines += [found.source(FEW_LINES), found.place]
        return "\n".join([line for line in lines if line])
    if found is not None:
        return "\n  ".join([found.documentation, *found.signatures, *found.facts])
    if word in LINES:
        return f"{word}: {LINES[word]}"
    there = [d for d in (find(name), find(name, LAMBDA_SECTION), find(name, EFF_SECTION)) if d is not None]
    if there and (word.startswith("%") or name not in FORMS):
        return "\n".join([f"{directive.call}: {directive.help}" for directive in there])
    form = FORMS.get(name) or SIGNS.get(name)
    return "" if form is None else _shown(form)


def _shown(form: str) -> str:
    title, meaning = form.split("\n")
    return f"{title}\n  {meaning}"


def _analyze(item: items.Directive, context: AnalysisContext) -> Answer:
    return Answer(Notice(help_text(context.definitions, item.words, context.functions, context.effects)))


DIRECTIVES = (
    Directive("help", "name", "what a name stands for; without a name, this list", _analyze),
    Directive("lsmagic", "", "this list", _analyze),
)
