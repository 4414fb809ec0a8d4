"""``%ad``: its analysis, and what it runs: gradients, tangents, forms and steps of a function by the systems of ``ad``."""

import time
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import ClassVar

from rh_kernel.ad.comparison import NESTING_HINT, Refused, Row, compare, distance, vjp
from rh_kernel.ad.errors import CannotDo, NeedsCotangent
from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.diagnostics import wrong_number
from rh_kernel.ad.language.elaboration import Functions, elaborate_term
from rh_kernel.ad.language.evaluation import OpCounter, evaluate
from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.language.types import SCALAR, Type
from rh_kernel.ad.language.unknown import unknown
from rh_kernel.ad.language.values import Value, components
from rh_kernel.ad.registry import ALL, names, system
from rh_kernel.ad.system import JvpResult, Point, Stage, System, TraceStep
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.session.actions import Action, Run, State, typed
from rh_kernel.session.names import arrow
from rh_kernel.session.results import Differentiated, Event, FormsShown, Result, RewritingShown, Shown, Working
from rh_kernel.session.sections.refusals import shallow
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Failure, Rejected, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span

MOST_STEPS = 10_000
"""A trace of more steps is refused."""

_STEERS_TO = "`rh run` shows what a system makes of a function: `%ad SYSTEM f(…) --trace`, step by step if it rewrites"


@frozen
class ShowForms(Action):
    """``%ad SYSTEM f``: the transformed program itself"""

    systems: tuple[System, ...]
    program: Program
    span: Span

    steers_to: ClassVar[str] = _STEERS_TO

    def summary(self, text: str) -> Result:
        """The type of the function."""
        return typed(text, arrow(self.program))

    def run(self, number: int, state: State) -> Run:
        """Shows the forms in each system. Raises ``Failure``; one of several systems that refuses is left out."""
        yield Working()
        several = len(self.systems) > 1
        for one in self.systems if not several else [able for able in self.systems if able.stages is not None]:
            yield Working("transforming", one.name)
            try:
                yield Shown(number, FormsShown(one, self.program, _forms(one, self.program, self.span)))
            except Rejected:
                if not several:
                    raise
        return state


@frozen
class Differentiate(Action):
    """``%ad SYSTEM f(M, …)`` at a point.

    ``direction`` is the cotangent of ``with W``, or with ``along`` the tangents, one for each argument;
    ``traces`` asks for the steps.
    """

    systems: tuple[System, ...]
    program: Program
    point: Point
    direction: Value
    along: bool
    traces: bool
    span: Span

    steers_to: ClassVar[str] = _STEERS_TO

    def summary(self, text: str) -> Result:
        """The type of the function."""
        return typed(text, arrow(self.program))

    def run(self, number: int, state: State) -> Run:
        """Shows what each system computes. Raises ``Failure`` if the only one refuses."""
        yield Working()
        if self.traces:
            yield Shown(number, (yield from _rewriting(self, state.settings)))
            return state
        if self.along:
            rows = _pushed(self)
        elif len(self.systems) > 1:
            rows = yield from _compared(self)
        else:
            yield Working("differentiating", ", ".join([one.name for one in self.systems]))
            rows = (_only(self),)
        yield Shown(number, Differentiated(self.program, self.point, self.direction, along=self.along, rows=rows))
        return state


def analyze(item: s.AdItem, functions: Functions) -> Differentiate | ShowForms:
    """The action of ``%ad``. Raises ``Rejected``."""
    wanted = names() if item.system.text == ALL else (item.system.text,)
    systems = tuple(system(name, item.system.span) for name in wanted)
    f = functions.get(item.function.text)
    if f is None:
        raise unknown(item.function.text, item.function.span, functions)
    if item.arguments is None:
        if item.traces:
            hint = f"a point is needed: %ad {item.system.text} {f.name}(…) --trace"
            raise Rejected(CannotDo(span=item.span, system=item.system.text, what="is traced at a point", hint=hint))
        return ShowForms(systems, f, item.span)
    point = _arguments(item, f, functions)
    if item.tangent is not None:
        tangent = _value(item.tangent, f.domain, functions)
        tangents = (tangent,) if len(f.parameters) == 1 else components(tangent)
        return Differentiate(systems, f, point, tangents, along=True, traces=item.traces, span=item.span)
    if item.cotangent is not None:
        W = _value(item.cotangent, f.result, functions)
    elif f.result == SCALAR:
        W = 1.0
    else:
        hint = f"write it after `with`: %ad {item.system.text} {f.name}(…) with W"
        raise Rejected(NeedsCotangent(span=item.span, name=f.name, type=str(f.result), hint=hint))
    return Differentiate(systems, f, point, W, along=False, traces=item.traces, span=item.span)


def _arguments(item: s.AdItem, f: Program, functions: Functions) -> tuple[Value, ...]:
    """The values of the arguments, one for each parameter."""
    given = item.arguments or ()
    for M in given if len(given) == 1 != len(f.parameters) else ():
        return components(_value(M, f.domain, functions))
    if len(given) != len(f.parameters):
        raise wrong_number(f, given, _brackets(item))
    return tuple(_value(M, A, functions) for M, (_, A) in zip(given, f.parameters, strict=True))


def _brackets(item: s.AdItem) -> Span:
    """Where the arguments stand; where there are none, their brackets."""
    if item.arguments:
        return item.arguments[0].span.to(item.arguments[-1].span)
    source, end = item.span.source, item.function.span.end
    return Span(source, source.text.index("(", end), source.text.index(")", end) + 1)


def _value(expression: s.Expr, A: Type, functions: Functions) -> Value:
    M, _ = elaborate_term(expression, functions, A)
    with quietly():
        return evaluate(M, {}, OpCounter())


def _forms(one: System, f: Program, span: Span) -> tuple[Stage, ...]:
    """The forms of the program in a system."""
    if one.stages is None:
        hint = _able(lambda other: other.stages is not None)
        raise Rejected(CannotDo(span=span, system=one.name, what="does not transform the program", hint=hint))
    try:
        with shallow(span, NESTING_HINT):
            return one.stages(f)
    except Failure as failure:
        raise placed(failure, span) from None


def _compared(asked: Differentiate) -> Generator[Event, None, tuple[Row, ...]]:
    """What all systems find, one after the other."""
    rows = compare(asked.systems, asked.program, asked.point, asked.direction)
    number = 0
    while True:
        try:
            one = next(rows)
        except StopIteration as end:
            return end.value
        number += 1
        yield Working("differentiating", f"{one.name}, {number} of {len(asked.systems)} systems")


def _only(asked: Differentiate) -> Row:
    """What the one system finds; what it refuses is the item's failure, at the item's place."""
    one, *_ = asked.systems
    one.ready()
    began = time.perf_counter()
    try:
        with shallow(asked.span, NESTING_HINT):
            found = vjp(one, asked.program, asked.point, asked.direction, asked.span)
    except Failure as failure:
        raise placed(failure, asked.span) from None
    return Row(one, found, time.perf_counter() - began, 0.0)


def _pushed(asked: Differentiate) -> tuple[Row, ...]:
    """What the systems that push tangents forward find."""
    rows: list[Row] = []
    alone = len(asked.systems) == 1
    for one in asked.systems:
        one.ready()
        began = time.perf_counter()
        outcome: JvpResult | Refused
        try:
            if one.forward is None:
                hint = _able(lambda other: other.forward is not None)
                raise Rejected(CannotDo(span=asked.span, system=one.name, what="has no forward mode", hint=hint))
            with shallow(asked.span, NESTING_HINT):
                outcome = one.forward(asked.program, asked.point, components(asked.direction))
        except Failure as failure:
            if alone:
                raise placed(failure, asked.span) from None
            outcome = Refused(failure.diagnostics)
        reference = next((row.outcome for row in rows if isinstance(row.outcome, JvpResult)), outcome)
        apart = None
        if isinstance(outcome, JvpResult) and isinstance(reference, JvpResult):
            apart = distance(outcome.tangent, reference.tangent)
        rows.append(Row(one, outcome, time.perf_counter() - began, apart))
    return tuple(rows)


def _rewriting(asked: Differentiate, settings: Settings) -> Generator[Event, None, RewritingShown]:
    """The steps of the one system that is asked for."""
    if len(asked.systems) > 1:
        what = "cannot be traced: name a single system"
        raise Rejected(CannotDo(span=asked.span, system="all systems at once", what=what, hint=_able(_rewrites)))
    one = next(iter(asked.systems))
    if one.steps is None or (asked.along and one.reverse is not None):
        what = "does not rewrite step by step" if one.steps is None else "is traced at a point, with a cotangent"
        raise Rejected(CannotDo(span=asked.span, system=one.name, what=what, hint=_able(_rewrites)))
    most = MOST_STEPS if settings.bounds.steps is None else min(settings.bounds.steps, MOST_STEPS)
    kept: list[TraceStep] = []
    try:
        for step in one.steps(asked.program, asked.point, asked.direction):
            if len(kept) > most:
                raise Stuck(OutOfFuel(span=asked.span, steps=most, hint="without `--trace` the steps are only counted"))
            kept.append(step)
            yield Working("rewriting", f"{len(kept):,} steps")
    except Failure as failure:
        raise placed(failure, asked.span) from None
    return RewritingShown(one, asked.program, tuple(kept))


def _able(can: Callable[[System], bool]) -> str:
    """Which systems can do what another cannot."""
    return f"these systems can: {', '.join([name for name in names() if can(system(name))])}"


def _rewrites(one: System) -> bool:
    return one.steps is not None


def placed(failure: Failure, span: Span) -> Failure:
    """The failure, with a place for what has none in the text that was written."""
    written = span.source
    return type(failure)(
        *[
            d if d.span is not None and d.span.source is written else replace(d, span=span, notes=())
            for d in failure.diagnostics
        ]
    )
