"""The items of ``%%eff`` cells: what they are going to do, and doing it. The language is in ``ad.eff``."""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import lru_cache

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.core import Computation, Global, Return
from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.loading import declare, prelude
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.ad.eff.machine.compilation_program import Program
from rh_kernel.ad.eff.machine.counting import Tally
from rh_kernel.ad.eff.machine.running import LIMIT, Outcome, proceeding
from rh_kernel.ad.eff.printing import cropping
from rh_kernel.ad.eff.reading.elaboration_items import Asked, Run, elaborate
from rh_kernel.ad.eff.reading.parsing_items import item as read
from rh_kernel.ad.eff.reading.surface import Var
from rh_kernel.ad.eff.reading.surface_items import DataItem, DirectiveItem, EffectItem, FunItems, IncludeItem, Item
from rh_kernel.ad.eff.reduction.traces import Trace, tracing
from rh_kernel.ad.eff.typing.checking import check_computation, check_item
from rh_kernel.ad.eff.typing.generalisation import named, named_result
from rh_kernel.ad.eff.typing.plain import outside
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.session.limits.budget import allowed, check_size
from rh_kernel.session.plans import DeclareEffects, RunEffects, ShowsOfRun, ShowType, Surroundings
from rh_kernel.session.results import Counted, DeclarationMade, Event, Notice, Printed, ReductionShown, Returned, Shown, Working
from rh_kernel.session.sections.effects_names import Effects, arrow, said
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Diagnostic, KernelBug, Rejected, Stuck
from rh_kernel.source.span import Span
from rh_kernel.syntax.errors import TooDeep
from rh_kernel.syntax.parsing.cursor import DEEPEST
from rh_kernel.syntax.parsing.tokens import EFFECTS
from rh_kernel.syntax.stuck import BYTES, placed
from rh_kernel.typing.errors import DependsOnError, UnknownName

MOST_STEPS = 100_000
"""A trace has no more steps: a page is told the rule of each of them."""

REALS_OF_STEP = 60
"""As much memory as so many reals take a step of a trace keeps."""

_DIRECTIVE = re.compile(r"^%\s*\w+\s*")

_SHOWS: Mapping[str, ShowsOfRun] = {"": "value", "count": "counts", "trace": "steps"}

LANGUAGE = "a function of the language"
"""What is said of a function that nobody has declared."""

QUICKER = 10
"""A step of the machine takes so much less time than one of a reduction: as often as that more are allowed."""


def started(effects: Effects | None) -> Effects:
    """What there is: before anything is declared, what always is."""
    return Effects(prelude().of_session()) if effects is None else effects


def plan(span: Span, around: Surroundings, failed: frozenset[str] = frozenset()) -> DeclareEffects | RunEffects | ShowType:
    """What an item is going to do; ``failed`` notes the names whose declarations have errors. Raises ``Rejected``."""
    try:
        with _shallow(span):
            return _plan(span, started(around.effects))
    except Rejected as rejected:
        raise Rejected(*[_follows(d) if _is_of(d, failed) else d for d in rejected.diagnostics]) from None


def _is_of(d: Diagnostic, failed: frozenset[str]) -> bool:
    return isinstance(d, UnknownName) and f"{EFFECTS} {d.name}" in failed


def _follows(d: Diagnostic) -> Diagnostic:
    """The complaint about a name whose declaration has an error of its own."""
    name = d.name if isinstance(d, UnknownName) else ""
    return DependsOnError(span=d.span, name=name, hint="fix its declaration first")


@contextmanager
def _shallow(span: Span) -> Generator[None]:
    """Where a program may be nested too deeply for what is done with it: then it is refused, at this place."""
    try:
        yield
    except RecursionError:
        raise Rejected(TooDeep(span=span, limit=DEEPEST, hint="name a part of it by `fun` or `let`")) from None


def _plan(span: Span, effects: Effects) -> DeclareEffects | RunEffects | ShowType:
    found = read(span)
    if found is None:
        raise KernelBug("an item of comments alone")
    definitions = effects.definitions
    if isinstance(found, DirectiveItem) and isinstance(found.expression, Var) and found.directive.text == "type":
        name = found.expression.name
        if name in BUILT_INS and not effects.about(name):
            return ShowType(name, built_in_type(name), (LANGUAGE,))
    asked = elaborate(found, definitions)
    match asked:
        case Asked(kind, key):
            told = next(one for one in effects.about(shown(key)) if one.kind.endswith(kind))
            return ShowType(told.name, told.type, (told.kind,))
        case Run("type", Return(Global(key)) as M):
            told = said(definitions.function(key))
            return ShowType(told.name, told.type, (told.kind, *_features(definitions, M)))
        case Run("type", M):
            checked = check_computation(M, definitions)
            subject = _DIRECTIVE.sub("", asked.span.text).strip()
            row, type = named(checked.row, checked.type)
            return ShowType(subject, cropping.computation(type, row), _features(definitions, M))
        case Run(directive, M):
            checked = check_item(M, definitions)
            return RunEffects(checked.term, named_result(checked.type), definitions, span, _SHOWS[directive])
        case _:
            after = declared(found, effects, span)
            return DeclareEffects(after, _answer(found, effects, after))


def declared(found: Item, effects: Effects, span: Span) -> Effects:
    """What there is after an item, which stands there. Raises ``Rejected``."""
    after = declare(found, effects.definitions)
    return effects.with_(after, span, _kept(found, after))


def _kept(found: Item, after: Definitions) -> tuple[str, ...]:
    """The key of a data type or an effect, which may be an earlier one's."""
    match found:
        case DataItem(name):
            return (after.types[name.text],)
        case EffectItem(name):
            return (after.effects[name.text],)
        case _:
            return ()


def _answer(found: Item, before: Effects, after: Effects) -> DeclarationMade | Notice:
    new = [made for key, made in after.definitions.declared.items() if key not in before.definitions.declared]
    if isinstance(found, FunItems):
        return Notice("\n".join([f"{made.name} : {made.type}" for made in map(said, new)]))
    if not isinstance(found, IncludeItem):
        kept = _kept(found, after.definitions)
        return said(after.definitions.declared[kept[0]] if kept else new[0])
    program = found.name.text
    own = [made for made in map(said, new) if library.homes().get(made.name) == program]
    names = ", ".join(made.name for made in own)
    return Notice(f"{program}: {names}" if names else f"{program} is included already")


def built_in_type(name: str) -> str:
    """The type of a built-in function."""
    g = BUILT_INS[name]
    type = cropping.computation(arrow(g.domain, g.codomain))
    return f"{type}, where {' and '.join(g.numeric)} is Float or Int" if g.numeric else type


def _features(definitions: Definitions, M: Computation) -> tuple[str, ...]:
    """What of a computation lies outside of the thesis' calculus."""
    found = outside(definitions, M)
    return (f"outside of plain EFF: {', '.join(found)}",) if found else ()


def perform(number: int, planned: RunEffects, settings: Settings) -> Generator[Event, None, None]:
    """The events of an item that is run. Raises ``Stuck``."""
    yield Working()
    match planned.shows:
        case "value":
            with _shallow(planned.span):
                outcome = yield from _run(number, planned, settings)
            yield Shown(number, Returned(planned.type, outcome.value, outcome.printed))
        case "counts":
            with _shallow(planned.span):
                outcome = yield from _run(number, planned, settings)
            if outcome.counts is None:
                raise KernelBug("the machine has not counted")
            yield Shown(number, Counted(Returned(planned.type, outcome.value, outcome.printed), outcome.counts))
        case "steps":
            with _shallow(planned.span):
                found = yield from _traced(planned, settings)
            subject = _DIRECTIVE.sub("", planned.span.text).strip()
            yield Shown(number, ReductionShown(subject, planned.type, found))
            if found.is_cut:
                hint = "`%count` runs up to `%limit steps` steps without showing them"
                raise Stuck(OutOfFuel(span=planned.span, steps=_most(settings), hint=hint))
            if found.stuck:
                raise placed(Stuck(*found.stuck), planned.span)


def _most(settings: Settings) -> int:
    """How many steps a trace may have."""
    return MOST_STEPS if settings.bounds.steps is None else min(settings.bounds.steps, MOST_STEPS)


def _traced(planned: RunEffects, settings: Settings) -> Generator[Event, None, Trace]:
    """The trace, slice by slice, of as many steps as the bounds allow. Raises ``Stuck`` if there is no room for them."""
    slices = tracing(planned.computation, planned.definitions, _most(settings))
    while True:
        try:
            count = next(slices)
        except StopIteration as end:
            return end.value
        check_size(count * REALS_OF_STEP, f"a trace of {count:,} steps", planned.span, settings)
        yield Working("reducing", f"{count:,} steps")


@lru_cache(maxsize=1)
def _compiled() -> Program:
    """What cells have used so far, compiled, so that the next one does not wait for that again."""
    return Program(prelude())


def _run(number: int, planned: RunEffects, settings: Settings) -> Generator[Event, None, Outcome]:
    """What the machine gives, slice by slice; what it prints is told while it runs, so also where it fails or is stopped."""
    steps = settings.bounds.steps
    limit = LIMIT if steps is None else steps * QUICKER
    if planned.shows == "counts":
        program = Program(planned.definitions, tally=Tally())
    else:
        program = _compiled()
        program.use(planned.definitions)
    slices = proceeding(planned.computation, program, limit=limit, memory=allowed(settings) * BYTES)
    told = 0
    while True:
        outcome: Outcome | None = None
        stuck: Stuck | None = None
        try:
            next(slices)
        except StopIteration as end:
            outcome = end.value
        except Stuck as failure:
            stuck = failure
        if lines := tuple(program.printed[told:]):
            told += len(lines)
            yield Printed(number, lines)
        if stuck is not None:
            raise placed(stuck, planned.span) from None
        if outcome is not None:
            return outcome
        yield Working("running")
