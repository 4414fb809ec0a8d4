"""``%ad``: gradients, tangents, forms and rewriting steps of a function by the systems of ``ad``."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import count
from typing import ClassVar

from rh_kernel.ad.comparison import NESTING_HINT, Refused, Row, compare, distance, vjp
from rh_kernel.ad.errors import CannotDo, NeedsCotangent
from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.diagnostics import unknown_name, wrong_number
from rh_kernel.ad.language.elaboration import Functions, elaborate_term
from rh_kernel.ad.language.evaluation import OpCounter, evaluate
from rh_kernel.ad.language.scalars import quietly
from rh_kernel.ad.language.types import SCALAR, Type
from rh_kernel.ad.language.values import Value, components
from rh_kernel.ad.registry import ALL, names, system
from rh_kernel.ad.system import JvpResult, Point, Stage, System, TraceStep
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.session.actions import Action, Run, State, type_summary
from rh_kernel.session.limits.timing import working
from rh_kernel.session.names import arrow
from rh_kernel.session.results import Differentiated, Event, FormsShown, Result, RewritingShown, Shown, Working
from rh_kernel.session.sections.errors import reject_deep_nesting
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Diagnostic, Failure, Rejected, Stuck
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span

MAX_STEPS = 10_000
"""The most steps of a trace."""


@frozen
class _OfFunction(Action):
    """An action of some systems on a function; its summary is the type of the function."""

    systems: tuple[System, ...]
    program: Program
    span: Span

    last_item_hint: ClassVar[str] = (
        "`rh run` shows what a system makes of a function: `%ad SYSTEM f(…) --trace`, step by step if it rewrites"
    )

    def summary(self, text: str) -> Result:
        """Return the type of the function."""
        return type_summary(text, arrow(self.program))


@frozen
class ShowForms(_OfFunction):
    """``%ad SYSTEM f``: the transformed program itself"""

    def run(self, number: int, state: State) -> Run:
        """Show the forms in each system. Raises ``Failure``; of several systems, those that refuse are left out."""
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
class Differentiate(_OfFunction):
    """``%ad SYSTEM f(M, …)`` at a point.

    ``direction`` is the cotangent of ``with W``, or with ``along`` the tangents, one for each argument; ``traces`` requests
    the steps.
    """

    point: Point
    direction: Value
    along: bool
    traces: bool

    def run(self, number: int, state: State) -> Run:
        """Show the result of each system. Raises ``Failure`` if the only one refuses."""
        yield Working()
        if self.traces:
            yield Shown(number, (yield from _rewriting(self, state.settings)))
            return state
        if self.along:
            rows = _pushed(self)
        elif len(self.systems) > 1:
            done, total = count(1), len(self.systems)
            slices = compare(self.systems, self.program, self.point, self.direction)
            rows = yield from working(slices, "differentiating", lambda s: f"{s.name}, {next(done)} of {total} systems")
        else:
            yield Working("differentiating", ", ".join([one.name for one in self.systems]))
            rows = (_only(self),)
        yield Shown(number, Differentiated(self.program, self.point, self.direction, along=self.along, rows=rows))
        return state


def analyze(item: s.AdItem, functions: Functions) -> Differentiate | ShowForms:
    """Return the action of ``%ad``. Raises ``Rejected``."""
    wanted = names() if item.system.text == ALL else (item.system.text,)
    systems = tuple(system(name, item.system.span) for name in wanted)
    f = functions.get(item.function.text)
    if f is None:
        raise unknown_name(item.function.text, item.function.span, functions)
    if item.arguments is None:
        if item.traces:
            hint = f"a point is needed: %ad {item.system.text} {f.name}(…) --trace"
            raise Rejected(CannotDo(span=item.span, system=item.system.text, what="is traced at a point", hint=hint))
        return ShowForms(systems, f, item.span)
    point = _arguments(item, f, functions)
    if item.tangent is not None:
        tangent = _value(item.tangent, f.domain, functions)
        tangents = (tangent,) if len(f.parameters) == 1 else components(tangent)
        return Differentiate(systems, f, item.span, point, tangents, along=True, traces=item.traces)
    if item.cotangent is not None:
        W = _value(item.cotangent, f.result, functions)
    elif f.result == SCALAR:
        W = 1.0
    else:
        hint = f"write it after `with`: %ad {item.system.text} {f.name}(…) with W"
        raise Rejected(NeedsCotangent(span=item.span, name=f.name, type=str(f.result), hint=hint))
    return Differentiate(systems, f, item.span, point, W, along=False, traces=item.traces)


def _arguments(item: s.AdItem, f: Program, functions: Functions) -> tuple[Value, ...]:
    """Return the values of the arguments, one for each parameter."""
    given = item.arguments or ()
    for M in given if len(given) == 1 != len(f.parameters) else ():
        return components(_value(M, f.domain, functions))
    if len(given) != len(f.parameters):
        raise wrong_number(f, given, _argument_span(item))
    return tuple(_value(M, A, functions) for M, (_, A) in zip(given, f.parameters, strict=True))


def _argument_span(item: s.AdItem) -> Span:
    """Return the span of the arguments, or of the empty parentheses."""
    if item.arguments:
        return item.arguments[0].span.to(item.arguments[-1].span)
    source, end = item.span.source, item.function.span.end
    return Span(source, source.text.index("(", end), source.text.index(")", end) + 1)


def _value(expression: s.Expr, A: Type, functions: Functions) -> Value:
    M, _ = elaborate_term(expression, functions, A)
    with quietly():
        return evaluate(M, {}, OpCounter())


def _forms(one: System, f: Program, span: Span) -> tuple[Stage, ...]:
    """Return the forms of the program in a system. Raises ``Failure``."""
    if one.stages is None:
        hint = _able(lambda other: other.stages is not None)
        raise Rejected(CannotDo(span=span, system=one.name, what="does not transform the program", hint=hint))
    with _failures_at(span), reject_deep_nesting(span, NESTING_HINT):
        return one.stages(f)


def _only(asked: Differentiate) -> Row:
    """Return the result of the only system. Raises ``Failure`` if it refuses."""
    one, *_ = asked.systems
    one.ready()
    began = time.perf_counter()
    with _failures_at(asked.span), reject_deep_nesting(asked.span, NESTING_HINT):
        found = vjp(one, asked.program, asked.point, asked.direction, asked.span)
    return Row(one, found, time.perf_counter() - began, 0.0)


def _pushed(asked: Differentiate) -> tuple[Row, ...]:
    """Return the tangents by the systems with a forward mode. Raises ``Failure`` if the only one refuses."""
    rows: list[Row] = []
    reference: JvpResult | None = None
    is_only = len(asked.systems) == 1
    for one in asked.systems:
        one.ready()
        began = time.perf_counter()
        outcome: JvpResult | Refused
        apart = None
        try:
            with _failures_at(asked.span) if is_only else nullcontext(), reject_deep_nesting(asked.span, NESTING_HINT):
                if one.forward is None:
                    hint = _able(lambda other: other.forward is not None)
                    raise Rejected(CannotDo(span=asked.span, system=one.name, what="has no forward mode", hint=hint))
                outcome = one.forward(asked.program, asked.point, components(asked.direction))
        except Failure as failure:
            if is_only:
                raise
            outcome = Refused(failure.diagnostics)
        else:
            reference = reference or outcome
            apart = distance(outcome.tangent, reference.tangent)
        rows.append(Row(one, outcome, time.perf_counter() - began, apart))
    return tuple(rows)


def _rewriting(asked: Differentiate, settings: Settings) -> Generator[Event, None, RewritingShown]:
    """Return the steps of the only system. Raises ``Failure``."""
    if len(asked.systems) > 1:
        what = "cannot be traced: name a single system"
        raise Rejected(CannotDo(span=asked.span, system="all systems at once", what=what, hint=_able(_rewrites)))
    one = next(iter(asked.systems))
    if one.steps is None or (asked.along and one.reverse is not None):
        what = "does not rewrite step by step" if one.steps is None else "is traced at a point, with a cotangent"
        raise Rejected(CannotDo(span=asked.span, system=one.name, what=what, hint=_able(_rewrites)))
    most = MAX_STEPS if settings.bounds.steps is None else min(settings.bounds.steps, MAX_STEPS)
    kept: list[TraceStep] = []
    with _failures_at(asked.span):
        for step in one.steps(asked.program, asked.point, asked.direction):
            if len(kept) > most:
                raise Stuck(OutOfFuel(span=asked.span, steps=most, hint="without `--trace` the steps are only counted"))
            kept.append(step)
            yield Working("rewriting", f"{len(kept):,} steps")
    return RewritingShown(one, asked.program, tuple(kept))


def _able(can: Callable[[System], bool]) -> str:
    """Return a hint that lists the systems with some ability."""
    return f"these systems can: {', '.join([name for name in names() if can(system(name))])}"


def _rewrites(one: System) -> bool:
    return one.steps is not None


@contextmanager
def _failures_at(span: Span) -> Generator[None]:
    """Place the diagnostics of failures within the block at ``span``, unless they have a span in the same text."""
    try:
        yield
    except Failure as failure:
        raise type(failure)(*[_placed(d, span) for d in failure.diagnostics]) from None


def _placed(d: Diagnostic, span: Span) -> Diagnostic:
    return d if d.span is not None and d.span.source is span.source else replace(d, span=span, notes=())
