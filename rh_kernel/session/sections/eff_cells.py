"""The items of ``%%eff`` cells: what they are going to do, and doing it. The language is in ``ad.eff``."""

import re
from collections.abc import Generator
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Literal, TypeAlias

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.core import Computation, Global, Return
from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.frontend.elaboration_items import Run as Elaborated
from rh_kernel.ad.eff.frontend.elaboration_items import TypeQuery, computation, elaborate
from rh_kernel.ad.eff.frontend.parsing_items import item as read
from rh_kernel.ad.eff.frontend.surface import Var
from rh_kernel.ad.eff.frontend.surface_items import DataItem, DirectiveItem, EffectItem, FunItems, IncludeItem, Item, RunItem
from rh_kernel.ad.eff.loading import declare, prelude
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.ad.eff.machine.compiler.program import Program
from rh_kernel.ad.eff.machine.counting import OpCounter
from rh_kernel.ad.eff.machine.running import LIMIT, Outcome, run_in_slices
from rh_kernel.ad.eff.printing import cropping
from rh_kernel.ad.eff.reduction.traces import Trace, tracing
from rh_kernel.ad.eff.types import ComputationType, Returner
from rh_kernel.ad.eff.typing.checking import check_computation, check_item
from rh_kernel.ad.eff.typing.generalisation import named, named_result
from rh_kernel.ad.eff.typing.thesis_fragment import outside
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.session.actions import Action, Analysis, AnalysisContext, Answer, Run, State, typed
from rh_kernel.session.directives.registry import directives
from rh_kernel.session.limits.budget import allowed, check_size
from rh_kernel.session.results import (
    Counted,
    DeclarationMade,
    Event,
    Notice,
    Printed,
    ReductionShown,
    Result,
    Returned,
    Shown,
    TypeShown,
    Working,
)
from rh_kernel.session.sections.eff_names import Effects, arrow, said
from rh_kernel.session.sections.refusals import failed_names, shallow
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.tokens import EFF_SECTION
from rh_kernel.syntax.runtime_errors import BYTES, placed

MOST_STEPS = 100_000
"""A trace has no more steps: a page is told the rule of each of them."""

REALS_OF_STEP = 60
"""As much memory as so many reals take a step of a trace keeps."""

_DIRECTIVE = re.compile(r"^%\s*\w+\s*")

_SHALLOWER = "name a part of it by `fun` or `let`"

Shows: TypeAlias = Literal["value", "counts", "steps"]
"""What is shown of an expression that is run."""

LANGUAGE = "a function of the language"
"""What is said of a function that nobody has declared."""

QUICKER = 10
"""A step of the machine takes so much less time than one of a reduction: as often as that more are allowed."""


def started(effects: Effects | None) -> Effects:
    """What there is: before anything is declared, what always is."""
    return Effects(prelude().of_session()) if effects is None else effects


@frozen
class DeclareEffects(Action):
    """A declaration, or ``include``: what is declared from here on, and what is shown of what is new"""

    effects: Effects
    made: DeclarationMade | Notice

    def summary(self, text: str) -> Result:
        """The type, or the names that are included."""
        return self.made

    def run(self, number: int, state: State) -> Run:
        """Nothing is left to do."""
        yield Shown(number, self.made)
        return replace(state, effects=self.effects)

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """With the declarations."""
        return replace(context, effects=self.effects)


@frozen
class RunEffects(Action):
    """An expression, or one behind ``%count`` or ``%trace``"""

    computation: Computation
    type: ComputationType
    definitions: Definitions
    span: Span
    shows: Shows

    steers_to: ClassVar[str] = (
        "what a %%eff cell runs has steps, which `rh trace` shows, but no straight-line program and no diagram"
    )

    @property
    def traced(self) -> "RunEffects":
        """With its steps."""
        return replace(self, shows="steps")

    def summary(self, text: str) -> Result:
        """The type of what is returned, or of the function."""
        C = self.type
        return typed(text, cropping.value(C.value) if isinstance(C, Returner) else cropping.computation(C))

    def run(self, number: int, state: State) -> Run:
        """Runs it on the machine, or reduces it step by step. Raises ``Stuck``."""
        yield Working()
        if self.shows == "steps":
            yield from _show_steps(self, number, state.settings)
            return state
        with shallow(self.span, _SHALLOWER):
            outcome = yield from _run(self, number, state.settings)
        returned = Returned(self.type, outcome.value, outcome.printed)
        if self.shows == "value":
            yield Shown(number, returned)
            return state
        if outcome.counts is None:
            raise KernelBug("the machine has not counted")
        yield Shown(number, Counted(returned, outcome.counts))
        return state


def analyze(span: Span, context: AnalysisContext) -> Analysis:
    """The action of the item at ``span``. Raises ``Rejected``."""
    with failed_names(EFF_SECTION, context), shallow(span, _SHALLOWER):
        found, effects = read(span), started(context.effects)
        match found:
            case None:
                raise KernelBug("an item of comments alone")
            case DirectiveItem(directive):
                return directives(EFF_SECTION)[directive.text].analyze(found, context)
            case RunItem(M):
                return _run_of(computation(M, effects.definitions), effects.definitions, span, "value")
            case _:
                after = declared(found, effects, span)
                return DeclareEffects(after, _answer(found, effects, after))


def run_of(item: DirectiveItem, context: AnalysisContext, shows: Shows) -> RunEffects:
    """The action of ``%trace M`` or ``%count M``. Raises ``Rejected``."""
    definitions = started(context.effects).definitions
    return _run_of(computation(item.expression, definitions), definitions, item.span, shows)


def _run_of(M: Computation, definitions: Definitions, span: Span, shows: Shows) -> RunEffects:
    checked = check_item(M, definitions)
    return RunEffects(checked.term, named_result(checked.type), definitions, span, shows)


def type_of(item: DirectiveItem, context: AnalysisContext) -> Answer:
    """The action of ``%type M``, where M may also be a name that is no expression. Raises ``Rejected``."""
    effects = started(context.effects)
    definitions, e = effects.definitions, item.expression
    if isinstance(e, Var) and e.name in BUILT_INS and not effects.about(e.name):
        return Answer(TypeShown(e.name, built_in_type(e.name), (LANGUAGE,)))
    match elaborate(item, definitions):
        case TypeQuery(kind, key):
            told = next(one for one in effects.about(shown(key)) if one.kind.endswith(kind))
            return Answer(TypeShown(told.name, told.type, (told.kind,)))
        case Elaborated(computation=Return(Global(key)) as M):
            told = said(definitions.function(key))
            return Answer(TypeShown(told.name, told.type, (told.kind, *_features(definitions, M))))
        case Elaborated(computation=M, span=span):
            checked = check_computation(M, definitions)
            subject = _DIRECTIVE.sub("", span.text).strip()
            row, type = named(checked.row, checked.type)
            return Answer(TypeShown(subject, cropping.computation(type, row), _features(definitions, M)))
        case _:
            raise KernelBug("`%type` has elaborated to a declaration")


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
    own = [made for made in map(said, new) if library.declaring_programs().get(made.name) == program]
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


def _show_steps(asked: RunEffects, number: int, settings: Settings) -> Generator[Event, None, None]:
    """Shows the steps. Raises ``Stuck`` after them if they do not end in a value."""
    with shallow(asked.span, _SHALLOWER):
        found = yield from _traced(asked, settings)
    subject = _DIRECTIVE.sub("", asked.span.text).strip()
    yield Shown(number, ReductionShown(subject, asked.type, found))
    if found.is_cut:
        hint = "`%count` runs up to `%limit steps` steps without showing them"
        raise Stuck(OutOfFuel(span=asked.span, steps=_most(settings), hint=hint))
    if found.stuck:
        raise placed(Stuck(*found.stuck), asked.span)


def _most(settings: Settings) -> int:
    """How many steps a trace may have."""
    return MOST_STEPS if settings.bounds.steps is None else min(settings.bounds.steps, MOST_STEPS)


def _traced(asked: RunEffects, settings: Settings) -> Generator[Event, None, Trace]:
    """The trace, slice by slice, of as many steps as the bounds allow. Raises ``Stuck`` if there is no room for them."""
    slices = tracing(asked.computation, asked.definitions, _most(settings))
    while True:
        try:
            count = next(slices)
        except StopIteration as end:
            return end.value
        check_size(count * REALS_OF_STEP, f"a trace of {count:,} steps", asked.span, settings)
        yield Working("reducing", f"{count:,} steps")


@lru_cache(maxsize=1)
def _compiled() -> Program:
    """What cells have used so far, compiled, so that the next one does not wait for that again."""
    return Program(prelude())


def _run(asked: RunEffects, number: int, settings: Settings) -> Generator[Event, None, Outcome]:
    """What the machine gives, slice by slice; what it prints is told while it runs, so also where it fails or is stopped."""
    steps = settings.bounds.steps
    limit = LIMIT if steps is None else steps * QUICKER
    if asked.shows == "counts":
        program = Program(asked.definitions, tally=OpCounter())
    else:
        program = _compiled()
        program.use(asked.definitions)
    slices = run_in_slices(asked.computation, program, limit=limit, memory=allowed(settings) * BYTES)
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
            raise placed(stuck, asked.span) from None
        if outcome is not None:
            return outcome
        yield Working("running")
