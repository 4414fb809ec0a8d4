"""``%help``: help on directives, syntax, function symbols and declared names."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.schemes import Scheme, instantiate
from rh_kernel.primitives.symbol import FunctionSymbol
from rh_kernel.primitives.table import FAMILIES, SYMBOLS
from rh_kernel.session.actions import AnalysisContext, ShowResult
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.lines import LINES
from rh_kernel.session.directives.registry import all_directives, find
from rh_kernel.session.forms import FORMS, SIGNS
from rh_kernel.session.names import arrow
from rh_kernel.session.results import Notice, Overview
from rh_kernel.session.sections.eff_forms import EFF_FORMS, EFF_SIGNS
from rh_kernel.session.sections.lambda_forms import LAMBDA_FORMS, LAMBDA_SIGNS
from rh_kernel.session.signatures import signature, type_text
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.dimensions import DimVar, dim
from rh_kernel.syntax.parsing.lexer import chunks, tokens
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION, Kind
from rh_kernel.syntax.printing.printer import show
from rh_kernel.typing.definitions import Definitions, kind_of

if TYPE_CHECKING:
    from rh_kernel.ad.language.core import Program
    from rh_kernel.session.sections.eff_names import EffDeclarations

FEW_LINES = 12
"""``%help`` truncates longer declarations."""

FROM_PYTHON = "rh.const"
"""The name of the source of a constant passed from Python, whose text is not a program."""


@frozen
class Known:
    """The help on a name: its kind, signatures and documentation, and the span of its declaration.

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
        """The place of the declaration, in words."""
        if self.written is None:
            return ""
        return f"declared in {self.written.source.name}, line {self.written.position[0]}"

    def source(self, lines: int | None) -> str:
        """Return the text of the declaration, truncated to at most so many lines."""
        written = [] if self.written is None else self.written.text.split("\n")
        if lines is None or len(written) <= lines:
            return "\n".join(written)
        return "\n".join([*written[: lines - 1], f"  … {len(written) - lines + 1} more lines"])


def known(definitions: Definitions, name: str) -> Known | None:
    """Return the help on a declared name or a function symbol of the language, if there is one."""
    declared = definitions.named.get(name)
    if declared is None:
        return _of_symbol(SYMBOLS[name]) if name in SYMBOLS else None
    kind, types = kind_of(declared.definition), (signature(declared.definition),)
    if declared.span is None:
        return Known(name, f"{kind} that comes with the language", types)
    if declared.span.source.name == FROM_PYTHON:
        return Known(name, f"{kind} given from Python", types)
    item = _declaration(declared.span)
    return Known(name, kind, types, _comment_above(item), (), item)


def _of_symbol(row: FunctionSymbol) -> Known:
    facts = [row.formula, f"rd[{row.name}](w, v) = {_derivative(row.name, row.schemes[0])}"]
    if row.nonsmooth is not None:
        facts.append("not smooth at some points, where it is undefined after `%strict on`")
    return Known(row.name, "a function symbol of the language", row.signatures, row.doc, tuple(facts))


def _derivative(name: str, scheme: Scheme) -> str:
    """Return the derivative as a term in the cotangent w and the point v."""
    f = instantiate(name, scheme, tuple([dim(v) if isinstance(v, DimVar) else v for v in scheme.variables]))
    scope = derivative(f)
    return " ".join(show(scope.body, names=scope.hints).split())


def _declaration(name: Span) -> Span:
    """Return the declaration of the name at this span, to the end of its last line."""
    chunk = next(chunk for chunk in chunks(name.source) if chunk.start <= name.start < chunk.end)
    end = max([token.end for token in tokens(chunk) if token.kind is not Kind.COMMENT], default=name.end)
    line_end = name.source.text.find("\n", end)
    return Span(name.source, chunk.start, len(name.source.text) if line_end < 0 else line_end)


def _comment_above(item: Span) -> str:
    """Return the comment directly above a declaration."""
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
    effects: "EffDeclarations | None" = None,
) -> str:
    """Return the help on each word.

    ``functions`` are declared in ``%%lambda`` cells, ``effects`` in ``%%eff`` cells.
    """
    return "\n".join([_help(definitions, word, functions or {}, effects) for word in words])


def _help(definitions: Definitions, word: str, functions: "Mapping[str, Program]", effects: "EffDeclarations | None") -> str:
    """Return the help on a word of the language or of declarations in sections, or else on its meaning in sections."""
    found = [_in_language(definitions, word)]
    if word in functions:
        found.append(f"{word} is a function of %%lambda cells: {arrow(functions[word])}")
    if effects is not None:
        found += [f"{word} is {one.kind} of %%eff cells: {one.type}" for one in effects.about(word)]
    if not any(found):
        found = [_in_lambda_cells(word), _form_in(EFF_SECTION, EFF_FORMS.get(word) or EFF_SIGNS.get(word))]
    return "\n".join([text for text in found if text]) or f"nothing is called `{word.lstrip('%')}`"


def _in_lambda_cells(word: str) -> str:
    from rh_kernel.ad.registry import is_system, system

    if is_system(word):
        one = system(word)
        return f"{word} is a system for %ad: {one.title}\n  {one.source}"
    return _form_in(LAMBDA_SECTION, LAMBDA_FORMS.get(word) or LAMBDA_SIGNS.get(word))


def _form_in(section: str, form: str | None) -> str:
    return "" if form is None else f"{_form_text(form)}, in {section} cells"


def overview() -> Overview:
    """Return the directives, and the function symbols by family."""
    calls = (*[(directive.call, directive.help) for directive in all_directives().values()], *LINES.items())
    width = max([len(directive.call) for directive in all_directives().values()])
    families = [(family.title, [f.name for f in family.symbols]) for family in FAMILIES]
    own = {name for _, names in families for name in names}
    families.append(("Of plug-ins", [name for name in SYMBOLS if name not in own]))
    found = [(title, tuple([(name, SYMBOLS[name].signatures[0]) for name in names])) for title, names in families if names]
    lines = [f"{call:<{width}}  {text}" for call, text in calls]
    symbols = [f"{title}: {', '.join([name for name, _ in names])}" for title, names in found]
    text = "\n".join(["Directives", *lines, "", "Function symbols (`%help softmax` tells more)", *symbols])
    return Overview(text, calls, tuple(found))


def _in_language(definitions: Definitions, word: str) -> str:
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
    found_directives = [d for d in (find(name), find(name, LAMBDA_SECTION), find(name, EFF_SECTION)) if d is not None]
    if found_directives and (word.startswith("%") or name not in FORMS):
        return "\n".join([f"{directive.call}: {directive.help}" for directive in found_directives])
    form = FORMS.get(name) or SIGNS.get(name)
    return "" if form is None else _form_text(form)


def _form_text(form: str) -> str:
    title, meaning = form.split("\n")
    return f"{title}\n  {meaning}"


def explain(item: items.Directive, context: AnalysisContext) -> ShowResult:
    """Return the action of ``%help`` and of ``%lsmagic``."""
    if not item.words:
        return ShowResult(overview())
    return ShowResult(Notice(help_text(context.definitions, item.words, context.functions, context.effects)))


DIRECTIVE = Directive(
    "help",
    "name",
    "what a name stands for; without a name, this list",
    explain,
    order=900,
    example="%help softmax",
    details="""
It explains directives, keywords and symbols of the language, function symbols, and declared names, with the comment above
their declaration.
""",
)
