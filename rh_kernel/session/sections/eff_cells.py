"""Analysis and execution of ``%%eff`` cells, in the language of ``ad.eff``."""

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
from rh_kernel.ad.eff.reduction.traces import tracing
from rh_kernel.ad.eff.types import ComputationType, Returner
from rh_kernel.ad.eff.typing.checking import check_computation, check_item
from rh_kernel.ad.eff.typing.generalisation import named, named_result
from rh_kernel.ad.eff.typing.thesis_fragment import outside
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.session import results as r
from rh_kernel.session.actions import Action, Analysis, AnalysisContext, Run, ShowResult, State, type_summary
from rh_kernel.session.directives.registry import directives
from rh_kernel.session.limits.budget import allowed, check_size
from rh_kernel.session.limits.timing import working
from rh_kernel.session.sections.eff_names import EffDeclarations, arrow, declaration_made
from rh_kernel.session.sections.errors import explain_failed_names, reject_deep_nesting
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.tokens import EFF_SECTION
from rh_kernel.syntax.runtime_errors import BYTES, placed

MAX_STEPS = 100_000
"""The most steps of a trace: the page receives the rule of each."""

REALS_PER_STEP = 60
"""The memory that a step of a trace takes, in reals."""

MACHINE_STEPS_PER_STEP = 10
"""The machine is faster than reduction, so that ``%limit steps`` allows it so many times more steps."""

_DIRECTIVE = re.compile(r"^%\s*\w+\s*")

_SHALLOWER = "name a part of it by `fun` or `let`"

Shows: TypeAlias = Literal["value", "counts", "steps"]
"""What is shown of an expression that is run."""

BUILT_IN_KIND = "a function of the language"
"""The kind of a built-in function."""


def initial_declarations(declarations: EffDeclarations | None) -> EffDeclarations:
    """Return the declarations, or the prelude if there are none yet."""
    return EffDeclarations(prelude().of_session()) if declarations is None else declarations


@frozen
class DeclareEff(Action):
    """A declaration, or ``include``: the declarations after it, and the result to show"""

    effects: EffDeclarations
    made: r.DeclarationMade | r.Notice

    def summary(self, text: str) -> r.Result:
        """Return the type, or the included names."""
        return self.made

    def run(self, number: int, state: State) -> Run:
        """Add the declarations to the state."""
        yield r.Shown(number, self.made)
        return replace(state, effects=self.effects)

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """Add the declarations to the context."""
        return replace(context, effects=self.effects)


@frozen
class RunEff(Action):
    """An expression, alone or after ``%count`` or ``%trace``"""

    computation: Computation
    type: ComputationType
    definitions: Definitions
    span: Span
    shows: Shows

    last_item_hint: ClassVar[str] = (
        "what a %%eff cell runs has steps, which `rh trace` shows, but no straight-line program and no diagram"
    )

    @property
    def traced(self) -> "RunEff":
        """The action that shows the steps."""
        return replace(self, shows="steps")

    def summary(self, text: str) -> r.Result:
        """Return the type of the value, or of the function."""
        C = self.type
        return type_summary(text, cropping.value(C.value) if isinstance(C, Returner) else cropping.computation(C))

    def run(self, number: int, state: State) -> Run:
        """Run the expression on the machine, or reduce it step by step. Raises ``Stuck``."""
        yield r.Working()
        if self.shows == "steps":
            yield from _show_steps(self, number, state.settings)
            return state
        with reject_deep_nesting(self.span, _SHALLOWER):
            outcome = yield from _run(self, number, state.settings)
        returned = r.Returned(self.type, outcome.value, outcome.printed)
        if self.shows == "value":
            yield r.Shown(number, returned)
            return state
        if outcome.counts is None:
            raise KernelBug("the machine returned no counts")
        yield r.Shown(number, r.Counted(returned, outcome.counts))
        return state


def analyze(span: Span, context: AnalysisContext) -> Analysis:
    """Return the action of the item at ``span``. Raises ``Rejected``."""
    with explain_failed_names(EFF_SECTION, context), reject_deep_nesting(span, _SHALLOWER):
        found, effects = read(span), initial_declarations(context.effects)
        match found:
            case None:
                raise KernelBug("an item that consists of comments")
            case DirectiveItem(directive):
                return directives(EFF_SECTION)[directive.text].analyze(found, context)
            case RunItem(M):
                return _run_action(computation(M, effects.definitions), effects.definitions, span, "value")
            case _:
                after = declared(found, effects, span)
                return DeclareEff(after, _declaration_result(found, effects, after))


def analyze_directive(item: DirectiveItem, context: AnalysisContext) -> Action:
    """Return the action of ``%trace M``, ``%count M`` or ``%type M``. Raises ``Rejected``."""
    effects = initial_declarations(context.effects)
    if item.directive.text == "type":
        return ShowResult(_type_shown(item, effects))
    M = computation(item.expression, effects.definitions)
    return _run_action(M, effects.definitions, item.span, "steps" if item.directive.text == "trace" else "counts")


def _run_action(M: Computation, definitions: Definitions, span: Span, shows: Shows) -> RunEff:
    checked = check_item(M, definitions)
    return RunEff(checked.term, named_result(checked.type), definitions, span, shows)


def _type_shown(item: DirectiveItem, effects: EffDeclarations) -> r.TypeShown:
    """Return the result of ``%type M``, where M may be a name that is not an expression. Raises ``Rejected``."""
    definitions, e = effects.definitions, item.expression
    if isinstance(e, Var) and e.name in BUILT_INS and not effects.about(e.name):
        return r.TypeShown(e.name, built_in_type(e.name), (BUILT_IN_KIND,))
    match elaborate(item, definitions):
        case TypeQuery(kind, key):
            made = next(one for one in effects.about(shown(key)) if one.kind.endswith(kind))
            return r.TypeShown(made.name, made.type, (made.kind,))
        case Elaborated(computation=Return(Global(key)) as M):
            made = declaration_made(definitions.function(key))
            return r.TypeShown(made.name, made.type, (made.kind, *_extensions(definitions, M)))
        case Elaborated(computation=M, span=span):
            checked = check_computation(M, definitions)
            row, type = named(checked.row, checked.type)
            return r.TypeShown(_subject(span), cropping.computation(type, row), _extensions(definitions, M))
        case _:
            raise KernelBug("`%type` was elaborated to a declaration")


def _subject(span: Span) -> str:
    """Return the text of an item without its directive."""
    return _DIRECTIVE.sub("", span.text).strip()


def declared(found: Item, effects: EffDeclarations, span: Span) -> EffDeclarations:
    """Return the declarations after an item at ``span``. Raises ``Rejected``."""
    after = declare(found, effects.definitions)
    return effects.with_(after, span, _type_key(found, after))


def _type_key(found: Item, after: Definitions) -> tuple[str, ...]:
    """Return the key of a declared data type or effect, which may be that of an earlier declaration, or nothing."""
    match found:
        case DataItem(name):
            return (after.types[name.text],)
        case EffectItem(name):
            return (after.effects[name.text],)
        case _:
            return ()


def _declaration_result(found: Item, before: EffDeclarations, after: EffDeclarations) -> r.DeclarationMade | r.Notice:
    known, now = before.definitions.declared, after.definitions.declared
    new = [declaration_made(made) for key, made in now.items() if key not in known]
    if isinstance(found, FunItems):
        return r.Notice("\n".join([f"{made.name} : {made.type}" for made in new]))
    if not isinstance(found, IncludeItem):
        keys = _type_key(found, after.definitions)
        return declaration_made(now[keys[0]]) if keys else new[0]
    program = found.name.text
    names = ", ".join(made.name for made in new if library.declaring_programs().get(made.name) == program)
    return r.Notice(f"{program}: {names}" if names else f"{program} is included already")


def built_in_type(name: str) -> str:
    """Return the type of a built-in function."""
    g = BUILT_INS[name]
    type = cropping.computation(arrow(g.domain, g.codomain))
    return f"{type}, where {' and '.join(g.numeric)} is Float or Int" if g.numeric else type


def _extensions(definitions: Definitions, M: Computation) -> tuple[str, ...]:
    """Return a remark on the features of a computation that the calculus of the thesis lacks."""
    found = outside(definitions, M)
    return (f"outside of plain EFF: {', '.join(found)}",) if found else ()


def _show_steps(asked: RunEff, number: int, settings: Settings) -> Generator[r.Event, None, None]:
    """Show the steps. Raises ``Stuck`` after them if they do not end in a value, or before if they need too much memory."""
    most = MAX_STEPS if settings.bounds.steps is None else min(settings.bounds.steps, MAX_STEPS)

    def progress(count: int) -> str:
        check_size(count * REALS_PER_STEP, f"a trace of {count:,} steps", asked.span, settings)
        return f"{count:,} steps"

    with reject_deep_nesting(asked.span, _SHALLOWER):
        found = yield from working(tracing(asked.computation, asked.definitions, most), "reducing", progress)
    yield r.Shown(number, r.ReductionShown(_subject(asked.span), asked.type, found))
    if found.is_cut:
        hint = "`%count` runs up to `%limit steps` steps without showing them"
        raise Stuck(OutOfFuel(span=asked.span, steps=most, hint=hint))
    if found.stuck:
        raise placed(Stuck(*found.stuck), asked.span)


@lru_cache(maxsize=1)
def _program() -> Program:
    """Return the compiled program of all cells, which each of them extends."""
    return Program(prelude())


def _run(asked: RunEff, number: int, settings: Settings) -> Generator[r.Event, None, Outcome]:
    """Run the machine slice by slice, yielding printed lines as they come, even if it then fails or is interrupted."""
    steps = settings.bounds.steps
    limit = LIMIT if steps is None else steps * MACHINE_STEPS_PER_STEP
    if asked.shows == "counts":
        program = Program(asked.definitions, tally=OpCounter())
    else:
        program = _program()
        program.use(asked.definitions)
    slices = run_in_slices(asked.computation, program, limit=limit, memory=allowed(settings) * BYTES)
    reported = 0
    while True:
        outcome: Outcome | None = None
        stuck: Stuck | None = None
        try:
            next(slices)
        except StopIteration as end:
            outcome = end.value
        except Stuck as failure:
            stuck = failure
        if lines := tuple(program.printed[reported:]):
            reported += len(lines)
            yield r.Printed(number, lines)
        if stuck is not None:
            raise placed(stuck, asked.span) from None
        if outcome is not None:
            return outcome
        yield r.Working("running")
