"""From the items of a cell to plans: names are looked up, types found, data read; what is wrong is said here."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from math import prod
from typing import TypeAlias, cast

from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import run
from rh_kernel.primitives.table import ROWS
from rh_kernel.session.describing import type_text
from rh_kernel.session.directives.drawing import denoted
from rh_kernel.session.directives.table import (
    chosen,
    chosen_words,
    expect_no_words,
    file_name,
    named_locations,
    needs_expression,
    unknown_directive,
)
from rh_kernel.session.limits.bounds import changed_bounds
from rh_kernel.session.limits.budget import byte_limit, check_size, limits
from rh_kernel.session.limits.timing import working
from rh_kernel.session.names import names_shown
from rh_kernel.session.plans import (
    Answer,
    Compare,
    Compile,
    Declare,
    Derive,
    Draw,
    Evaluate,
    Gradient,
    Load,
    Plan,
    Refuse,
    Reset,
    Save,
    Set,
    SetDevice,
    ShowHeap,
    Shows,
    ShowType,
    Surroundings,
    Trace,
    Train,
    Undo,
)
from rh_kernel.session.results import CheckPassed, NamesShown, Notice, Working
from rh_kernel.session.settings import (
    LOCKED_WORDS,
    Evaluator,
    Settings,
    dtype_text,
    evaluator_text,
    lock_text,
    strict_text,
    with_device,
    with_dtype,
    with_lock,
)
from rh_kernel.session.written import written
from rh_kernel.source.diagnostic import Diagnostic, Failure, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.free_names import free_names
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.parser import Unparsed
from rh_kernel.syntax.parsing.tokens import CHECK, EFFECTS, LABORATORY, Kind, Token
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.stuck import TooLarge, readable
from rh_kernel.syntax.types import Type, size
from rh_kernel.training.data import DataSet, loading
from rh_kernel.training.reading.reader import at_once
from rh_kernel.typing.definitions import ConstDefinition, Definitions, LocDefinition
from rh_kernel.typing.elaboration.checks import elaborate_equality, elaborate_type_check
from rh_kernel.typing.elaboration.declarations import declare
from rh_kernel.typing.elaboration.items import (
    elaborate_evaluation,
    elaborate_training,
)

Planned: TypeAlias = Generator[Working, None, tuple[Definitions, Plan]]
"""Planning an item: it pauses while the data of a training run is read."""


def plan(definitions: Definitions, item: items.Item | Unparsed, around: Surroundings) -> tuple[Definitions, Plan]:
    """The plan of an item and the definitions after it, made in one go. Raises nothing."""
    return at_once(planning(definitions, item, around))


def planning(definitions: Definitions, item: items.Item | Unparsed, around: Surroundings) -> Planned:
    """The plan of an item and the definitions after it; an item with an error is ``Refuse``.

    Raises nothing of its own; what is thrown in at a pause passes through.
    """
    try:
        return (yield from _plan(definitions, item, around))
    except (Failure, MemoryError) as failure:
        return without(definitions, item), Refuse(complaints(failure, item.span))


def without(definitions: Definitions, item: items.Item | Unparsed) -> Definitions:
    """The definitions after an item that failed: the names that it would have declared are known to be missing."""
    for name in declared_names(item):
        definitions = definitions.without(name)
    return definitions


def complaints(failure: Failure | MemoryError, span: Span) -> tuple[Diagnostic, ...]:
    """What to say about a failure of the item at ``span``."""
    if isinstance(failure, Failure):
        return failure.diagnostics
    hint = "make one of the dimensions smaller"
    return (TooLarge(span=span, what="this", needed=_needed(failure), hint=hint),)


def _needed(failure: MemoryError) -> str:
    """How much memory there was not, if NumPy has told of which array."""
    shape: object = getattr(failure, "shape", None)
    item: object = getattr(getattr(failure, "dtype", None), "itemsize", None)
    if not isinstance(shape, tuple) or not isinstance(item, int):
        return "more than there is"
    return readable(prod(cast(tuple[int, ...], shape)) * item)


def _plan(definitions: Definitions, item: items.Item | Unparsed, around: Surroundings) -> Planned:
    if around.settings.locked is None:
        return (yield from _plan_with(definitions, definitions, item, around))
    return (yield from _plan_with(definitions, definitions.as_locked(ROWS), item, around))


def _plan_with(
    all_definitions: Definitions, definitions: Definitions, item: items.Item | Unparsed, around: Surroundings
) -> Planned:
    """The plan of an item in which names mean what they do in ``definitions``, and all definitions after it."""
    match item:
        case Unparsed(_, diagnostics):
            raise Rejected(*diagnostics)
        case items.Evaluation(e):
            return all_definitions, Evaluate(elaborate_evaluation(definitions, e))
        case items.TrainItem():
            return all_definitions, (yield from _train(definitions, item, around))
        case items.EqualityCheck(M, N):
            remarks = _declared_anew(all_definitions, item, around)
            return all_definitions, Compare(elaborate_equality(definitions, item), M.span.to(N.span), remarks)
        case items.TypeCheck():
            text, remarks = item.span.text.removeprefix(CHECK).strip(), _declared_anew(all_definitions, item, around)
            return all_definitions, Answer(CheckPassed(text, elaborate_type_check(definitions, item), remarks))
        case items.Directive():
            return all_definitions, (yield from _directive(definitions, item, around))
        case items.SectionItem(section=section):
            if section == LABORATORY:
                from rh_kernel.session.sections.laboratory import plan as of_section
            else:
                from rh_kernel.session.sections.effects import plan as of_section

            planned = of_section(item.span, around, definitions.failed)
            return replace(all_definitions, failed=definitions.failed - declared_names(item)), planned
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
                check_size(
                    size(definition.type), f"`{definition.name}` of type {definition.type}", _sides(item)[0], around.settings
                )
                V = run(definition.term, Heap(), limits(around.settings)).value
                definition = ConstDefinition(definition.name, definition.type, V)
            is_locked, text = around.settings.locked is not None, item.span.text
            after = all_definitions.with_(definition, item.name.span, around.cell, free_names(item), text, is_locked=is_locked)
            return after, Declare(definition, *_sides(item))


def _declared_anew(definitions: Definitions, item: items.Check, around: Surroundings) -> tuple[str, ...]:
    """What a check has to say of its names that are declared, and are also the language's or those of a locked cell."""
    said: list[str] = []
    for name in sorted(free_names(item)):
        declared, locked = definitions.named.get(name), definitions.locked.get(name)
        if declared is None or declared.span is None or declared is locked or (locked is None and name not in ROWS):
            continue
        other, place = "the locked one" if locked is not None else "the language's", declared.span.source.name
        if around.settings.locked is None:
            said.append(f"`{name}` is what {place} declares here, and not {other}")
        else:
            said.append(f"`{name}` is {other} here, and not what {place} declares")
    return tuple(said)


def _sides(item: items.Declaration) -> tuple[Span, Span]:
    """Where the type and the content of what is declared stand, as far as they are written."""
    match item:
        case items.ConstDeclaration(_, A, M):
            return (M if A is None else A).span, M.span
        case items.LocDeclaration(_, A, initial):
            return (initial if A is None else A).span, initial.span
        case _:
            return item.span, item.span


def _train(definitions: Definitions, item: items.TrainItem, around: Surroundings) -> Generator[Working, None, Train]:
    sets: dict[str, DataSet] = {}
    failed: dict[str, Failure] = {}
    for data in (item.data, *[measure.data for measure in item.measures if measure.data is not None]):
        if data.name in sets or data.name in failed:
            continue
        try:
            reading = loading(data.name, around.folder, around.given, data.span, byte_limit(around.settings))
            sets[data.name] = yield from working(reading, "reading data")
        except Failure as failure:
            # It is told in its place among what else is wrong with the item.
            failed[data.name] = failure

    def sample_types(name: str, _: Span) -> Mapping[str, Type]:
        if name in failed:
            raise failed[name]
        return sets[name].types

    run = elaborate_training(definitions, item, sample_types)
    return Train(run, sets, item.span)


def _directive(definitions: Definitions, item: items.Directive, around: Surroundings) -> Generator[Working, None, Plan]:
    match item.name.text:
        case "trace":
            return Trace(elaborate_evaluation(definitions, needs_expression(item)), written(definitions))
        case "compile":
            run = item.training
            if run is None:
                return Compile(elaborate_evaluation(definitions, needs_expression(item)), _option(item))
            return Compile((yield from _train(definitions, run, around)), _option(item))
        case "type":
            return _type(definitions, needs_expression(item))
        case "derivation":
            return _derive(definitions, needs_expression(item))
        case "diagram":
            return Draw(denoted(definitions, needs_expression(item)))
        case "gradient":
            e = needs_expression(item)
            other = None if item.against is None else (elaborate_evaluation(definitions, item.against), item.against.span.text)
            return Gradient(elaborate_evaluation(definitions, e), e.span.text, other)
        case "heap":
            return ShowHeap(named_locations(item, _locations(definitions)))
        case "reset":
            expect_no_words(item)
            return Reset()
        case "save":
            return Save(around.folder / file_name(item), _locations(definitions), item.span)
        case "load":
            return Load(around.folder / file_name(item), _locations(definitions), item.span)
        case "whos":
            expect_no_words(item)
            return Answer(NamesShown(names_shown(definitions, around.functions, around.effects)))
        case "undo":
            expect_no_words(item)
            return Undo(item.span)
        case "limit" | "locked" | "strict" | "evaluator" | "device" | "dtype":
            return _setting(around.settings, item)
        case "help" | "lsmagic":
            from rh_kernel.session.directives.helping import help_text

            return Answer(Notice(help_text(definitions, item.words, around.functions, around.effects)))
        case _:
            raise unknown_directive(item)


def _setting(settings: Settings, item: items.Directive) -> Set | SetDevice:
    """What a directive does that changes a setting, or tells it where no word follows."""
    match item.name.text:
        case "limit":
            bounds, text = changed_bounds(settings.bounds, item)
            return Set(replace(settings, bounds=bounds), text)
        case "locked":
            settings = with_lock(settings, chosen_words(item, LOCKED_WORDS, alone="off"))
            return Set(settings, lock_text(settings))
        case "strict":
            word = chosen(item, "on", "off")
            settings = settings if word is None else replace(settings, strict=word == "on")
            return Set(settings, strict_text(settings))
        case "evaluator":
            word = chosen(item, *(evaluator.value for evaluator in Evaluator))
            settings = settings if word is None else replace(settings, evaluator=Evaluator(word))
            return Set(settings, evaluator_text(settings))
        case "device":
            return SetDevice(with_device(settings, chosen(item, "cpu", "gpu")))
        case "dtype":
            settings = with_dtype(settings, chosen(item, "float64", "float32"))
            return Set(settings, dtype_text(settings))
        case _:
            raise unknown_directive(item)


def _option(item: items.Directive) -> Shows:
    """What stands behind ``--``."""
    match item.words:
        case ("passes" | "profile" as option,):
            return option
        case _:
            return ""


def _locations(definitions: Definitions) -> Mapping[str, Location]:
    """The locations that names stand for."""
    declared = [d.definition for d in definitions.named.values()]
    return {d.name: d.location for d in declared if isinstance(d, LocDefinition)}


def _type(definitions: Definitions, e: s.Expr) -> ShowType:
    if isinstance(e, s.Var):
        definition = definitions.get(e.name)
        if definition is not None:
            return ShowType(e.name, type_text(definition))
        if e.name in ROWS:
            return ShowType(e.name, " or ".join(f"{scheme.domain} -> {scheme.codomain}" for scheme in ROWS[e.name].schemes))
    return ShowType(e.span.text, str(elaborate_evaluation(definitions, e).type))


def _derive(definitions: Definitions, e: s.Expr) -> Derive:
    from rh_kernel.session.directives.deriving import derivations

    found = derivations(definitions, e)
    declared = isinstance(e, s.Var) and definitions.get(e.name) is not None
    return Derive(e.span.text, _type(definitions, e).type if declared else str(found[0].type), found)


def declared_names(item: items.Item | Unparsed) -> frozenset[str]:
    """The names that an item declares, or would declare if it could be read.

    A name of a section is no name of the language around, and is noted with the line of its section before it.
    """
    match item:
        case Unparsed(declares=name):
            return frozenset() if name is None else frozenset({name})
        case items.Evaluation() | items.EqualityCheck() | items.TypeCheck() | items.TrainItem() | items.Directive():
            return frozenset()
        case items.SectionItem(section=section, span=span):
            return frozenset([f"{section} {name}" for name in _names_of_section(section, tokens(span))])
        case _:
            return frozenset({item.name.text})


def _names_of_section(section: str, read: list[Token]) -> Iterator[str]:
    """What an item of a section begins with the declaration of; of data and effects also constructors and operations."""
    words = [token for token in read if token.kind is not Kind.COMMENT]
    match words:
        case [Token(text="fun"), Token(Kind.NAME | Kind.KEYWORD, name), *_]:
            yield name
        case [Token(text="handler"), Token(Kind.NAME | Kind.KEYWORD, name), *_] if section == EFFECTS:
            yield name
        case [Token(text="data" | "effect"), Token(Kind.NAME, name), *_] if section == EFFECTS:
            yield name
            pairs = pairwise(words)
            kinds = {Kind.NAME, Kind.KEYWORD}
            yield from [after.text for before, after in pairs if before.text in {"=", "|"} and after.kind in kinds]
        case _:
            pass
