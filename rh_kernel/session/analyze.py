"""Analysis of the items of a cell into actions: look up names, infer types, read data, and find the errors of all of this."""

from collections.abc import Generator, Iterator
from dataclasses import replace
from itertools import pairwise
from math import prod
from typing import TypeAlias, cast

from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import run
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.actions import Action, Analysis, AnalysisContext, Refuse, ShowResult
from rh_kernel.session.check import Compare
from rh_kernel.session.declare import Declare
from rh_kernel.session.directives.arguments import unknown_directive
from rh_kernel.session.directives.registry import find
from rh_kernel.session.evaluate import Evaluate
from rh_kernel.session.include import analyze_include
from rh_kernel.session.limits.budget import check_size, limits
from rh_kernel.session.results import CheckPassed, Working
from rh_kernel.session.sweeps.action import analyze_sweep
from rh_kernel.session.train import analyze_training
from rh_kernel.source.diagnostic import Diagnostic, Failure, Rejected
from rh_kernel.source.span import Span
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.parser import Unparsed
from rh_kernel.syntax.parsing.tokens import CHECK, EFF_SECTION, INCLUDE, LAMBDA_SECTION, Kind, Token
from rh_kernel.syntax.runtime_errors import TooLarge, readable
from rh_kernel.syntax.surface_traversal import free_names
from rh_kernel.syntax.types import size
from rh_kernel.typing.definitions import ConstDefinition, Definitions
from rh_kernel.typing.elaboration.checks import elaborate_equality, elaborate_type_check
from rh_kernel.typing.elaboration.declarations import declare
from rh_kernel.typing.elaboration.items import elaborate_evaluation

Item: TypeAlias = items.Item | Unparsed
Analyzed: TypeAlias = Generator[Working, None, tuple[AnalysisContext, Action]]
"""The analysis of an item, which yields while files are read; returns the context of the next item and the action."""


def analyze_at_once(item: Item, context: AnalysisContext) -> tuple[AnalysisContext, Action]:
    """Run ``analyze`` to its end."""
    return exhaust(analyze(item, context))


def analyze(item: Item, context: AnalysisContext) -> Analyzed:
    """Return the context of the next item and the action of this one, which is ``Refuse`` if the item has an error.

    Raises only what is thrown in at a ``yield``.
    """
    definitions = context.definitions
    is_locked = context.settings.locked is not None
    visible = replace(context, definitions=definitions.as_locked(SYMBOLS)) if is_locked else context
    try:
        after, action = yield from _analyze(item, definitions, visible)
    except (Failure, MemoryError) as failure:
        return without(item, context), Refuse(diagnostics_of(failure, item.span))
    return action.after(replace(visible, definitions=after)), action


def without(item: Item, context: AnalysisContext) -> AnalysisContext:
    """Return the context after an item that failed: its names are marked as failed."""
    definitions = context.definitions
    for name in declared_names(item):
        definitions = definitions.without(name)
    return replace(context, definitions=definitions)


def diagnostics_of(failure: Failure | MemoryError, span: Span) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a failure of the item at ``span``, which is also the span of those that have none."""
    if isinstance(failure, Failure):
        return tuple([replace(d, span=d.span or span) for d in failure.diagnostics])
    hint = "make one of the dimensions smaller"
    return (TooLarge(span=span, what="this", needed=_requested(failure), hint=hint),)


def _requested(failure: MemoryError) -> str:
    """Return how much memory an allocation requested, if NumPy reports it."""
    shape: object = getattr(failure, "shape", None)
    item: object = getattr(getattr(failure, "dtype", None), "itemsize", None)
    if not isinstance(shape, tuple) or not isinstance(item, int):
        return "more than there is"
    return readable(prod(cast(tuple[int, ...], shape)) * item)


def _analyze(
    item: Item, everything: Definitions, context: AnalysisContext
) -> Generator[Working, None, tuple[Definitions, Action]]:
    """Return all definitions after the item, and its action; names are looked up in ``context``."""
    definitions = context.definitions
    match item:
        case Unparsed(_, diagnostics):
            raise Rejected(*diagnostics)
        case items.Evaluation(e):
            return everything, Evaluate(elaborate_evaluation(definitions, e))
        case items.TrainItem():
            return everything, (yield from analyze_training(item, context))
        case items.SweepItem():
            return everything, (yield from analyze_sweep(item, context, analyze))
        case items.IncludeItem():
            return (yield from analyze_include(item, everything, context, analyze))
        case items.EqualityCheck(M, N):
            remarks = _shadowing_remarks(item, everything, context)
            return everything, Compare(elaborate_equality(definitions, item), M.span.to(N.span), remarks)
        case items.TypeCheck():
            text, remarks = item.span.text.removeprefix(CHECK).strip(), _shadowing_remarks(item, everything, context)
            return everything, ShowResult(CheckPassed(text, elaborate_type_check(definitions, item), remarks))
        case items.Directive():
            directive = find(item.name.text)
            if directive is None:
                raise unknown_directive(item)
            return everything, (yield from _run(directive.analyze(item, context)))
        case items.SectionItem(section=section):
            if section == LAMBDA_SECTION:
                from rh_kernel.session.sections.lambda_cells import analyze as analyze_in_section
            else:
                from rh_kernel.session.sections.eff_cells import analyze as analyze_in_section

            action = yield from _run(analyze_in_section(item.span, context))
            return replace(everything, failed=definitions.failed - declared_names(item)), action
        case (
            items.DimDeclaration()
            | items.ConstDeclaration()
            | items.LocDeclaration()
            | items.FunDeclaration()
            | items.OpDeclaration()
            | items.NetDeclaration()
            | items.HandlerDeclaration()
        ):
            definition = declare(definitions, item)
            if isinstance(definition, ConstDefinition):
                what = f"`{definition.name}` of type {definition.type}"
                check_size(size(definition.type), what, _spans(item)[0], context.settings)
                V = run(definition.term, Heap(), limits(context.settings)).value
                definition = ConstDefinition(definition.name, definition.type, V)
            is_locked, text = context.settings.locked is not None, item.span.text
            after = everything.with_(definition, item.name.span, context.cell, free_names(item), text, is_locked=is_locked)
            return after, Declare(definition, *_spans(item))


def _run(analysis: Analysis) -> Generator[Working, None, Action]:
    return analysis if isinstance(analysis, Action) else (yield from analysis)


def _shadowing_remarks(item: items.Check, definitions: Definitions, context: AnalysisContext) -> tuple[str, ...]:
    """Return remarks about names in a check that shadow names of the language or of a locked cell, or are shadowed by them."""
    remarks: list[str] = []
    for name in sorted(free_names(item)):
        declared, locked = definitions.named.get(name), definitions.locked.get(name)
        if declared is None or declared.span is None or declared is locked or (locked is None and name not in SYMBOLS):
            continue
        other, place = "the locked one" if locked is not None else "the language's", declared.span.source.name
        if context.settings.locked is None:
            remarks.append(f"`{name}` is what {place} declares here, and not {other}")
        else:
            remarks.append(f"`{name}` is {other} here, and not what {place} declares")
    return tuple(remarks)


def _spans(item: items.Declaration) -> tuple[Span, Span]:
    """Return the spans of the type and the content of a declaration; an omitted type has the span of the content."""
    match item:
        case items.ConstDeclaration(_, A, M):
            return (M if A is None else A).span, M.span
        case items.LocDeclaration(_, A, initial):
            return (initial if A is None else A).span, initial.span
        case _:
            return item.span, item.span


def declared_names(item: items.Item | Unparsed) -> frozenset[str]:
    """Return the names that an item declares, or would declare if it could be parsed.

    Names in a section have a scope of their own, and are prefixed by its first line: ``%%eff f``. Those of an included file are
    not known here; ``include`` stands for them.
    """
    match item:
        case Unparsed(declares=name):
            return frozenset() if name is None else frozenset({name})
        case (
            items.Evaluation()
            | items.EqualityCheck()
            | items.TypeCheck()
            | items.TrainItem()
            | items.Directive()
            | items.SweepItem()
        ):
            return frozenset()
        case items.IncludeItem():
            return frozenset({INCLUDE})
        case items.SectionItem(section=section, span=span):
            return frozenset([f"{section} {name}" for name in _names_of_section(section, tokens(span))])
        case _:
            return frozenset({item.name.text})


def _names_of_section(section: str, found: list[Token]) -> Iterator[str]:
    """Yield the name declared by an item of a section; for data types and effects also the constructors and operations."""
    words = [token for token in found if token.kind is not Kind.COMMENT]
    match words:
        case [Token(text="fun"), Token(Kind.NAME | Kind.KEYWORD, name), *_]:
            yield name
        case [Token(text="handler"), Token(Kind.NAME | Kind.KEYWORD, name), *_] if section == EFF_SECTION:
            yield name
        case [Token(text="data" | "effect"), Token(Kind.NAME, name), *_] if section == EFF_SECTION:
            yield name
            pairs = pairwise(words)
            kinds = {Kind.NAME, Kind.KEYWORD}
            yield from [after.text for before, after in pairs if before.text in {"=", "|"} and after.kind in kinds]
        case _:
            pass
