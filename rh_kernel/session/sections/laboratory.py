"""The items of ``%%lambda`` cells: what they are going to do, and doing it. The systems are in ``ad``."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from rh_kernel.ad.comparison import SHALLOWER, Refused, Row, comparing, distance, pulled
from rh_kernel.ad.errors import CannotDo, NeedsCotangent
from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.diagnostics import wrong_number
from rh_kernel.ad.language.elaboration import Functions, elaborate_function, elaborate_term
from rh_kernel.ad.language.evaluation import Tally, evaluate
from rh_kernel.ad.language.parsing_items import item as read
from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.language.types import SCALAR, Type
from rh_kernel.ad.language.unknown import unknown
from rh_kernel.ad.language.values import Value, components
from rh_kernel.ad.system import Point, Pushed, Rewritten, Stage, System
from rh_kernel.ad.systems import ALL, NAMES, system
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.session.names import FUNCTION, arrow
from rh_kernel.session.plans import Compute, DeclareFunction, Differentiate, ShowForms, Surroundings
from rh_kernel.session.results import (
    Computed,
    DeclarationMade,
    Differentiated,
    Event,
    FormsShown,
    RewritingShown,
    Shown,
    Working,
)
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Diagnostic, Failure, KernelBug, Rejected, Stuck
from rh_kernel.source.span import Span
from rh_kernel.syntax.errors import TooDeep
from rh_kernel.syntax.parsing.cursor import DEEPEST
from rh_kernel.syntax.parsing.tokens import LABORATORY
from rh_kernel.typing.errors import DependsOnError, UnknownName

Plans: TypeAlias = DeclareFunction | Compute | ShowForms | Differentiate

MOST_STEPS = 10_000
"""A trace of more steps is refused."""


def plan(span: Span, around: Surroundings, failed: frozenset[str] = frozenset()) -> Plans:
    """What an item is going to do; ``failed`` notes the names whose declarations have errors. Raises ``Rejected``."""
    try:
        with shallow(span):
            return _plan(span, around.functions)
    except Rejected as rejected:
        raise Rejected(*[_follows(d) if _is_of(d, failed) else d for d in rejected.diagnostics]) from None


def _is_of(d: Diagnostic, failed: frozenset[str]) -> bool:
    return isinstance(d, UnknownName) and f"{LABORATORY} {d.name}" in failed


def _follows(d: Diagnostic) -> Diagnostic:
    """The complaint about a name whose declaration has an error of its own."""
    name = d.name if isinstance(d, UnknownName) else ""
    return DependsOnError(span=d.span, name=name, hint="fix its declaration first")


def _plan(span: Span, functions: Functions) -> Plans:
    found = read(span)
    match found:
        case s.FunItem():
            return DeclareFunction(elaborate_function(found, functions))
        case s.EvaluationItem(M):
            return Compute(*elaborate_term(M, functions), span)
        case s.AdItem():
            return _differentiate(found, functions)
        case None:
            raise KernelBug("an item of comments alone")


def _differentiate(item: s.AdItem, functions: Functions) -> Differentiate | ShowForms:
    wanted = NAMES if item.system.text == ALL else (item.system.text,)
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
        return evaluate(M, {}, Tally())


@contextmanager
def shallow(span: Span) -> Generator[None]:
    """Where a program may be nested too deeply for what is done with it: then it is refused, at this place."""
    try:
        yield
    except RecursionError:
        raise Rejected(TooDeep(span=span, limit=DEEPEST, hint=SHALLOWER)) from None


def perform(number: int, planned: Plans, settings: Settings, functions: Functions) -> Generator[Event, None, Functions]:
    """The events of an item, and the functions that there are after it. Raises ``Failure``."""
    yield Working()
    match planned:
        case DeclareFunction(f):
            yield Shown(number, DeclarationMade(f.name, FUNCTION, arrow(f)))
            return MappingProxyType({**functions, f.name: f})
        case Compute(M, A, span):
            with shallow(span), quietly():
                V = evaluate(M, {}, Tally())
            yield Shown(number, Computed(A, V))
        case ShowForms(systems, f, span):
            several = len(systems) > 1
            for one in systems if not several else [s for s in systems if s.stages is not None]:
                yield Working("transforming", one.name)
                try:
                    yield Shown(number, FormsShown(one, f, _forms(one, f, span)))
                except Rejected:
                    if not several:
                        raise
        case Differentiate(point=point, traces=True):
            yield Shown(number, (yield from _rewriting(planned, point, settings)))
        case Differentiate(systems, f, point, direction, along=False):
            if len(systems) > 1:
                rows = yield from _compared(planned, point)
            else:
                yield Working("differentiating", ", ".join([one.name for one in systems]))
                rows = (_only(planned, point),)
            yield Shown(number, Differentiated(f, point, direction, along=False, rows=rows))
        case Differentiate(systems, f, point, direction):
            yield Shown(number, Differentiated(f, point, direction, along=True, rows=_pushed(planned, point)))
    return functions


def _forms(one: System, f: Program, span: Span) -> tuple[Stage, ...]:
    """The forms of the program in a system."""
    if one.stages is None:
        hint = _able(lambda other: other.stages is not None)
        raise Rejected(CannotDo(span=span, system=one.name, what="does not transform the program", hint=hint))
    try:
        with shallow(span):
            return one.stages(f)
    except Failure as failure:
        raise placed(failure, span) from None


def _compared(planned: Differentiate, point: Point) -> Generator[Event, None, tuple[Row, ...]]:
    """What all systems find, one after the other."""
    rows = comparing(planned.systems, planned.program, point, planned.direction)
    number = 0
    while True:
        try:
            one = next(rows)
        except StopIteration as end:
            return end.value
        number += 1
        yield Working("differentiating", f"{one.name}, {number} of {len(planned.systems)} systems")


def _only(planned: Differentiate, point: Point) -> Row:
    """What the one system finds; what it refuses is the item's failure, at the item's place."""
    one, *_ = planned.systems
    one.ready()
    began = time.perf_counter()
    try:
        with shallow(planned.span):
            found = pulled(one, planned.program, point, planned.direction, planned.span)
    except Failure as failure:
        raise placed(failure, planned.span) from None
    return Row(one, found, time.perf_counter() - began, 0.0)


def _pushed(planned: Differentiate, point: Point) -> tuple[Row, ...]:
    """What the systems that push tangents forward find."""
    rows: list[Row] = []
    alone = len(planned.systems) == 1
    for one in planned.systems:
        one.ready()
        began = time.perf_counter()
        outcome: Pushed | Refused
        try:
            if one.forward is None:
                hint = _able(lambda other: other.forward is not None)
                raise Rejected(CannotDo(span=planned.span, system=one.name, what="has no forward mode", hint=hint))
            with shallow(planned.span):
                outcome = one.forward(planned.program, point, components(planned.direction))
        except Failure as failure:
            if alone:
                raise placed(failure, planned.span) from None
            outcome = Refused(failure.diagnostics)
        reference = next((row.outcome for row in rows if isinstance(row.outcome, Pushed)), outcome)
        apart = None
        if isinstance(outcome, Pushed) and isinstance(reference, Pushed):
            apart = distance(outcome.tangent, reference.tangent)
        rows.append(Row(one, outcome, time.perf_counter() - began, apart))
    return tuple(rows)


def _rewriting(planned: Differentiate, point: Point, settings: Settings) -> Generator[Event, None, RewritingShown]:
    """The steps of the one system that is asked for."""
    if len(planned.systems) > 1:
        what = "cannot be traced: name a single system"
        raise Rejected(CannotDo(span=planned.span, system="all systems at once", what=what, hint=_able(_rewrites)))
    one = next(iter(planned.systems))
    if one.steps is None or (planned.along and one.reverse is not None):
        what = "does not rewrite step by step" if one.steps is None else "is traced at a point, with a cotangent"
        raise Rejected(CannotDo(span=planned.span, system=one.name, what=what, hint=_able(_rewrites)))
    most = MOST_STEPS if settings.bounds.steps is None else min(settings.bounds.steps, MOST_STEPS)
    kept: list[Rewritten] = []
    try:
        for step in one.steps(planned.program, point, planned.direction):
            if len(kept) > most:
                raise Stuck(OutOfFuel(span=planned.span, steps=most, hint="without `--trace` the steps are only counted"))
            kept.append(step)
            yield Working("rewriting", f"{len(kept):,} steps")
    except Failure as failure:
        raise placed(failure, planned.span) from None
    return RewritingShown(one, planned.program, tuple(kept))


def _able(can: Callable[[System], bool]) -> str:
    """Which systems can do what another cannot."""
    return f"these systems can: {', '.join([name for name in NAMES if can(system(name))])}"


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
