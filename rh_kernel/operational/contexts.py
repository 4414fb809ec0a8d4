"""Evaluation contexts ``E``, ``F^c`` and ``F^t`` (RH Def. 5.1, 5.5) as stacks of frames, innermost first.

A frame is a form and the position of its hole. Two kinds of frame enter bodies that are not yet unfolded:
``RH_H^V(⟨y1, …, ym⟩. [-])``, down to the head of its body, and ``W.R_V(x. [-])``, down to the first derivative in its body.
Tuples are evaluated from left to right, which the paper's grammar omits. Stacks are persistent: the steps of a trace share
them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from rh_kernel.operational.environments import Environment
from rh_kernel.operational.substitution import substituted
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Handle,
    If,
    IfCommand,
    Let,
    Map,
    Node,
    Perform,
    Plus,
    R,
    Rd,
    Repeat,
    Resume,
    Return,
    RevHandle,
    Scan,
    Scope,
    Term,
    Tuple,
    Unary,
    Zero,
)

Subject: TypeAlias = Term | Command

Values: TypeAlias = "tuple[Term, Values] | None"
"""The evaluated components of a tuple, last one first."""


@dataclass(slots=True, eq=False)
class Context:
    """A non-empty stack of frames; ``None`` is the empty context. Immutable except for the caches ``beside`` and ``frames``.

    The innermost frame is ``form[ρ]`` with its hole at the child ``position``; ``before`` holds the evaluated children to the
    left of it: one term, or those of a tuple. ``handling`` is the innermost enclosing context whose frame is a ``handle`` or
    an ``RH``; it is only set for frames around commands. ``opens`` says whether any frame is an ``RH``: if not, the term in
    the hole is closed. ``inside`` says whether the form itself is in the body of an ``R``.
    """

    form: Subject
    position: int
    rho: Environment
    before: Any
    outer: "Context | None"
    handling: "Context | None" = None
    opens: bool = False
    inside: bool = False
    beside: tuple[Any, ...] | None = None
    """The cached result of ``siblings``."""
    frames: int | None = None
    """The cached result of ``depth``."""


@dataclass(frozen=True, slots=True)
class Closure:
    """``K[M[ρ]]`` as reduction represents it: neither ρ nor the environments in the frames of K are substituted."""

    subject: Subject
    rho: Environment
    context: Context | None


def around(K: Context | None, form: Subject, position: int = 0, rho: Environment = None) -> Context:
    """Return ``K[form]`` with the hole at the command that is the child ``position`` of the form."""
    if K is None:
        return Context(form, position, rho, None, None, None, type(form) is RH)
    handler = type(K.form)
    handling = K if handler is Handle or handler is RH else K.handling
    return Context(form, position, rho, None, K, handling, K.opens or type(form) is RH)


def handles(K: Context) -> bool:
    """Whether the innermost frame of K is a handler."""
    return type(K.form) is Handle or type(K.form) is RH


def handlers(K: Context | None) -> Iterator[Context]:
    """Yield the parts of K (a context of a command) whose innermost frames are handlers, innermost first."""
    if K is not None and not handles(K):
        K = K.handling
    while K is not None:
        yield K
        K = K.handling


def up_to(K: Context | None, end: Context | None) -> Iterator[Context]:
    """Yield the parts of K inside ``end``, innermost first."""
    while K is not None and K is not end:
        yield K
        K = K.outer


def plug(K: Context | None, M: Subject, end: Context | None = None) -> Subject:
    """Return ``K[M]``, or only the part of it inside ``end``."""
    while K is not None and K is not end:
        M = fill(K, M, siblings(K))
        K = K.outer
    return M


def outline(closure: Closure, end: Context | None = None) -> Subject:
    """Return ``K[M]`` for a closure ``K[M[ρ]]``, or the part inside ``end``, without substituting environments."""
    M, K = closure.subject, closure.context
    while K is not None and K is not end:
        M = fill(K, M, _unevaluated(K.form, K.position))
        K = K.outer
    return M


def depth(K: Context | None) -> int:
    """Return the number of frames of K. It is cached, since contexts share their outer parts."""
    uncounted: list[Context] = []
    while K is not None and K.frames is None:
        uncounted.append(K)
        K = K.outer
    count = 0 if K is None or K.frames is None else K.frames
    for part in reversed(uncounted):
        count += 1
        part.frames = count
    return count


def path(K: Context | None, end: Context | None = None) -> tuple[int, ...]:
    """Return the child positions on the path from the root, or from the hole of ``end`` (a part of K), to the hole of K."""
    inwards: list[int] = []
    while K is not None and K is not end:
        inwards.append(K.position)
        K = K.outer
    inwards.reverse()
    return tuple(inwards)


def binders(K: Context | None) -> tuple[str, ...]:
    """Return the variables bound by K around its hole; the last one has index 0."""
    inwards: list[str] = []
    for part in binding(K):
        if (isinstance(part.form, Let) and part.position) or isinstance(part.form, R | RH):
            inwards += reversed(part.form.scope.hints)
    inwards.reverse()
    return tuple(inwards)


def binding(K: Context | None) -> Iterator[Context]:
    """Yield the parts of K, innermost first, as far out as one may bind variables around the hole.

    Those that do are an ``R``, an ``RH``, or in the body of an ``R`` a ``let`` with the hole after its ``in``.
    """
    while K is not None and (K.opens or is_in_derivative(K)):
        yield K
        K = K.outer


def is_in_derivative(K: Context) -> bool:
    """Whether the hole of K is in the body of an ``R``."""
    return K.inside or type(K.form) is R


def within(K: Context | None, form: Subject, position: int, before: "Term | Values" = None) -> Context:
    """Return ``K[form]`` with the hole at this child, for an ``R`` or a term in the body of one, which has no environment."""
    return Context(form, position, None, before, K, inside=K is not None and is_in_derivative(K))


def fill(K: Context, hole: Subject, beside: tuple[Any, ...]) -> Subject:
    """Return the innermost form of K with this hole and these siblings; the form decides whether a term or a command fits."""
    M, P = cast(Term, hole), cast(Command, hole)
    form, before = K.form, K.before
    if isinstance(form, Unary):
        return replace(form, of=M)
    span = form.span
    match form:
        case Call(f):
            return Call(f, M, span=span)
        case Plus(of_cotangents=flag):
            return Plus(before, M, flag, span=span) if K.position else Plus(M, beside[0], flag, span=span)
        case Tuple():
            return Tuple((*listed(before), M, *beside), span=span)
        case Let(_, scope):
            return Let(before, Scope(scope.hints, M), span=span) if K.position else Let(M, beside[0], span=span)
        case Rd():
            scope, *point = beside
            return Rd(before, scope, M, span=span) if K.position else Rd(M, scope, point[0], span=span)
        case R(W, scope, V, known):
            return R(W, Scope(scope.hints, M), V, known, span=span)
        case Return():
            return Return(M, span=span)
        case Perform():
            return Perform(beside[0], M, span=span)
        case RevHandle():
            return RevHandle(M, *beside, span=span)
        case Map(_, _, source, target) | Scan(_, _, source, target):
            return type(form)(M, beside[0], source, target, span=span)
        case Bind():
            return Bind(P, beside[0], span=span)
        case Handle():
            return Handle(P, beside[0], span=span)
        case RH(V, scope, H):
            return RH(V, Scope(scope.hints, P), H, span=span)
        case Repeat(index, first, count):
            return Repeat(index, first, count, M, beside[0], span=span)
        case If(condition):
            return If(condition, M, *beside, span=span)
        case IfCommand(condition):
            return IfCommand(condition, M, *beside, span=span)
        case Bound() | Const() | Zero() | Resume():
            raise KernelBug(f"nothing is evaluated inside of {type(K.form).__name__}")


def siblings(K: Context) -> tuple[Any, ...]:
    """Return the unevaluated children of the innermost form of K beside its hole, with ρ substituted."""
    if K.rho is None:
        return _unevaluated(K.form, K.position)
    if K.beside is None:
        K.beside = tuple([substituted(node, K.rho) for node in _unevaluated(K.form, K.position)])
    return K.beside


def _unevaluated(form: Subject, position: int) -> tuple[Node, ...]:
    if isinstance(form, Unary):
        return ()
    match form:
        case Plus(_, N):
            return () if position else (N,)
        case Tuple(items):
            return items[position + 1 :]
        case Let(_, scope):
            return () if position else (scope,)
        case Bind(_, scope) | Map(_, scope) | Scan(_, scope) | Repeat(scope=scope):
            return (scope,)
        case Rd(_, scope, V):
            return (scope,) if position else (scope, V)
        case Perform(op):
            return (op,)
        case RevHandle(_, scope, H):
            return scope, H
        case Handle(_, H):
            return (H,)
        case If(_, _, N, L) | IfCommand(_, _, N, L):
            return N, L
        case Bound() | Const() | Zero() | Call() | R() | Return() | RH() | Resume():
            return ()


def listed(values: Values) -> list[Term]:
    """Return the components in source order."""
    backwards: list[Term] = []
    while values is not None:
        V, values = values
        backwards.append(V)
    backwards.reverse()
    return backwards
