"""Elaboration of checks: ``check M == N`` needs ``M : A`` and ``N : A``, ``check E ⊢ A`` needs ``E : A``."""

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.types import Type
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.definitions import Definitions, FunDefinition, NetDefinition, OpDefinition, kind_of
from rh_kernel.typing.diagnostics.hints import Expectation
from rh_kernel.typing.diagnostics.shared import quoted, types_differ, wrong_kind
from rh_kernel.typing.elaboration.arrays import number
from rh_kernel.typing.elaboration.commands import Commands
from rh_kernel.typing.elaboration.dimensions import elaborate_type
from rh_kernel.typing.elaboration.error_recovery import ErrorCollector
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm, elaborate_evaluation
from rh_kernel.typing.elaboration.zonking import completed
from rh_kernel.typing.errors import BadCheck
from rh_kernel.typing.unification.unify import Unifier

TOLERANCE = 1e-6
"""The default tolerance: absolute, or relative to the second number if that is larger than 1."""

_INPUT = "⊢"
"""The name of a function's input; it cannot be written in a program."""


@frozen
class Equation:
    """``check M == N within ε``: two closed terms or commands of one type."""

    left: ClosedTerm | ClosedCommand
    right: ClosedTerm | ClosedCommand
    within: float


def elaborate_equality(definitions: Definitions, item: items.EqualityCheck) -> Equation:
    """Elaborate both sides and the tolerance. Raises ``Rejected``, also if the types of the sides differ."""
    siblings, sides = ErrorCollector(Unifier()), list[ClosedTerm | ClosedCommand]()
    for side in (item.left, item.right):
        with siblings:
            sides.append(elaborate_evaluation(definitions, side))
    siblings.raise_errors()
    left, right = sides
    if left.type != right.type:
        # `0` is the zero of the type that the other side has.
        left = _at(definitions, item.left, right.type) or left
        right = _at(definitions, item.right, left.type) or right
    if left.type != right.type:
        asked = Expectation("the type of the right-hand side of `==`")
        story = (Note(span=item.right.span, text=f"this has type {right.type}"),)
        raise types_differ(Unifier(), item.left.span, quoted(item.left.span), left.type, right.type, asked, story)
    return Equation(left, right, TOLERANCE if item.within is None else _tolerance(item.within))


def _at(definitions: Definitions, e: s.Expr, A: Type) -> ClosedTerm | ClosedCommand | None:
    try:
        return elaborate_evaluation(definitions, e, A)
    except Rejected:
        return None


def elaborate_type_check(definitions: Definitions, item: items.TypeCheck) -> str:
    """Return the type of the subject as text. Raises ``Rejected`` if it is another one."""
    cx = Context(definitions)
    match item.type:
        case items.ArrowType() as A:
            return _arrow(cx, item, A)
        case items.HandlerType(C, None):
            commands = Commands(Unifier())
            A = elaborate_type(cx, C)
            H = commands.handlers.reverse(cx, _handler(cx, item), A)
            completed(commands.unifier, H, item.subject.span)
            return f"rev handler({A})"
        case items.HandlerType(C, D):
            commands = Commands(Unifier())
            A, B = elaborate_type(cx, C), elaborate_type(cx, C if D is None else D)
            H = commands.handlers.ordinary(cx, _handler(cx, item), A, B)
            completed(commands.unifier, H, item.subject.span)
            return f"{A} => {B}"
        case s.RealType() | s.UnitType() | s.ProductType() as written:
            A = elaborate_type(cx, written)
            subject = _at(definitions, item.subject, A) or elaborate_evaluation(definitions, item.subject)
            _same(item, subject.type, A)
            return str(A)


def _arrow(cx: Context, item: items.TypeCheck, written: items.ArrowType) -> str:
    """``x : A ⊢ f(x) : B``"""
    match item.subject:
        case s.Var(name):
            head, indices = s.Name(name, span=item.subject.span), ()
        case s.Family(head, indices):
            pass
        case e:
            raise _no_name(e, "the name of a function, an operation or a net")
    definition = cx.definitions.get(head.text)
    wanted = (FunDefinition, OpDefinition) if written.is_pure else (NetDefinition, OpDefinition)
    if definition is not None and not isinstance(definition, wanted):
        raise wrong_kind(cx, head.text, head.span, kind_of(definition), "a function" if written.is_pure else "a net")
    A, B = elaborate_type(cx, written.domain), elaborate_type(cx, written.codomain)
    inside = cx.bind(Entry(_INPUT, A, Zone.DELTA))
    applied = s.Apply(head, indices, (s.Var(_INPUT, span=written.domain.span),), span=item.subject.span)
    commands = Commands(Unifier())
    asked = Expectation("the type that is checked")
    if isinstance(definition, OpDefinition) or not written.is_pure:
        node, _ = commands.elaborate(inside, applied, B, asked)
    else:
        node = commands.terms.check(inside, applied, B, asked)
    completed(commands.unifier, node, item.subject.span)
    return f"{A} {'->' if written.is_pure else '~>'} {B}"


def _handler(cx: Context, item: items.TypeCheck) -> s.HandlerName:
    match item.subject:
        case s.Var(name):
            return s.HandlerName(s.Name(name, span=item.subject.span), (), span=item.subject.span)
        case s.Apply(head, (), arguments):
            return s.HandlerName(head, arguments, span=item.subject.span)
        case e:
            raise _no_name(e, "the name of a handler, with its arguments")


def _no_name(e: s.Expr, wanted: str) -> Rejected:
    why = "only names have a type with an arrow"
    hint = "declare it and check its name; the value of a term has a type without an arrow"
    return Rejected(BadCheck(span=e.span, why=why, found=quoted(e.span), expected=wanted, hint=hint))


def _tolerance(e: s.Expr) -> float:
    if not isinstance(e, s.Number):
        why = "the tolerance of a check must be a number"
        expected, hint = "for example `within 0.01`", "without `within` the tolerance is one millionth"
        raise Rejected(BadCheck(span=e.span, why=why, found=quoted(e.span), expected=expected, hint=hint))
    return float(number(e).value[0])


def _same(item: items.TypeCheck, found: Type, expected: Type) -> None:
    if found != expected:
        what = quoted(item.subject.span)
        raise types_differ(Unifier(), item.subject.span, what, found, expected, Expectation("the type that is checked"))
