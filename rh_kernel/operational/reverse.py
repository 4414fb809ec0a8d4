"""``RH_H^V(⟨y1, …, ym⟩. P)``, reverse handling by rewriting (RH Fig. 7).

Each equation is one step, taken when the form reaches an evaluation position. It looks at the head of P only; between
the form and the head there are ``let x ⇐ [-] in Q`` and ordinary handlers that have no clause for the head.

The figure is read literally: the equation for terms adds ``z.rd(y_i. M)(V_i)`` for every variable y_i, whether M mentions
it or not. A new variable stands in front of the others, so those keep their indices.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.operational.binders import (
    Place,
    Plan,
    bind,
    bind_tuple,
    fixed,
    opened,
    performed,
    plus,
    rd,
    returned,
    reverse,
    tuple_from,
)
from rh_kernel.operational.contexts import Context, plug
from rh_kernel.operational.known import Known
from rh_kernel.operational.substitution import instantiated
from rh_kernel.operational.telescopes import telescope, type_of
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.binding import mentions
from rh_kernel.syntax.clauses import reverse_clause
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Let,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Return,
    RevHandle,
    Scope,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.values import component

Head: TypeAlias = Return | Perform | RevHandle


@dataclass(frozen=True, slots=True)
class Form:
    """``RH_H^V(⟨y1, …, ym⟩. F[head])`` in the context ``outer``; K is the context of the head, ``at`` the form's part of it."""

    K: Context
    at: Context
    form: RH

    @property
    def values(self) -> list[Term]:
        """``V1, …, Vm``"""
        n = len(self.hints)
        return [component(self.form.values, i, n) for i in range(n)]

    @property
    def hints(self) -> tuple[str, ...]:
        """``y1, …, ym``, as they are called."""
        return self.form.scope.hints

    def index(self, y: Term) -> int:
        """The i of the variable ``y_i``, counted from 0."""
        match y:
            case Bound(index):
                return len(self.hints) - 1 - index
            case Const() | Zero() | Call() | Plus() | Tuple() | Proj() | Let() | Rd() | R():
                raise KernelBug("a term was to be unfolded by RH-Term")

    def with_body(self, head: Command, inside: Context | None) -> Command:
        """The form with ``F'[head]`` for its body, where F' is what of F lies around ``inside``."""
        f = self.form
        return RH(f.values, Scope(self.hints, cast(Command, plug(inside, head, self.at))), f.handler, span=f.span)

    def with_variable(self, hint: str, y: Place, head: Callable[[Term], Command]) -> Plan:
        """``RH_H^⟨y, V1, …, Vm⟩(⟨y, y1, …, ym⟩. F[head(y)])``"""
        P = cast(Command, plug(self.K, head(Bound(len(self.hints), hint)), self.at))
        return reverse(tuple_from(y, *map(fixed, self.values)), Scope((hint, *self.hints), P), self.form.handler)


def rh_return(form: Form, y_k: Term) -> Command:
    """``RH(⟨ys⟩. ⌊y_k⌋) = let y ⇐ P[V_k/x] in ⌊⟨0, …, y, …, 0⟩⌋``"""
    values, k, gamma = form.values, form.index(y_k), telescope(form.at.outer)

    def result(y: Place) -> Plan:
        return returned(tuple_from(*[y if i == k else fixed(Zero(type_of(V, gamma))) for i, V in enumerate(values)]))

    return bind(performed(form.form.handler.returns, fixed(values[k])), form.hints[k] + "'", result)(0)


def rh_let(form: Form, scope: Scope, y_j: Term) -> Command:
    """``RH(⟨ys⟩. F[let x ⇐ ⌊y_j⌋ in R]) = RH(⟨ys⟩. F[R[y_j/x]])``"""
    return form.with_body(cast(Command, instantiated(scope, y_j)), form.K.outer)


def rh_op(form: Form, M: Perform) -> Command:
    """``RH(⟨ys⟩. F[Op(y_i)])``: Q^f, then the form for ``F[⌊y⌋]`` with y its result, and Q^b on the way back"""
    forward, backward = _clauses.of(form.form.handler, M.operation)
    hint, hints, i = _name(form.K), form.hints, form.index(M.argument)

    def onwards(y: Place, z: Place) -> Plan:
        def back(w: Place, *ys: Place) -> Plan:
            return bind(
                performed(backward, w, z),
                hints[i] + "''",
                lambda v: returned(tuple_from(*ys[:i], plus(ys[i], v), *ys[i + 1 :])),
            )

        return bind_tuple(form.with_variable(hint, y, Return), _primed(hint, *hints), back)

    return bind_tuple(performed(forward, fixed(form.values[i])), (hint, "z"), onwards)(0)


def rh_handle(form: Form, M: RevHandle) -> Command:
    """``RH(⟨ys⟩. F[rev handle (W) ⟨zs⟩. R with H']) = RH(⟨ys⟩. F[RH_H'^W(⟨zs⟩. R)])``"""
    return form.with_body(RH(M.argument, M.scope, M.handler, span=M.span), form.K)


def rh_term(form: Form, head: Head) -> Command:
    """``RH(⟨ys⟩. F^t[M])``: M at the values, the form for ``F^t[y]``, and ``z.rd(y_i. M)(V_i)`` for every i on the way back"""
    M, hint, hints, values = _argument(head), _name(form.K), form.hints, form.values
    scope = Scope(hints, M)
    at_values = cast(Term, instantiated(scope, *values))

    def along(i: int, z: Place) -> Place:
        def body(y_i: Place) -> Place:
            if not mentions(scope, i):
                return fixed(at_values)
            return opened(scope, *[y_i if j == i else fixed(V) for j, V in enumerate(values)])

        return rd(z, hints[i], body, fixed(values[i]))

    def back(z: Place, *ys: Place) -> Plan:
        return returned(tuple_from(*[plus(y, along(i, z)) for i, y in enumerate(ys)]))

    def onwards(y: Place) -> Plan:
        return bind_tuple(form.with_variable(hint, y, lambda y: _at(head, y)), _primed(hint, *hints), back)

    return bind(returned(fixed(at_values)), hint, onwards)(0)


def _argument(head: Head) -> Term:
    match head:
        case Return(M) | Perform(_, M) | RevHandle(M, _, _):
            return M


def _at(head: Head, y: Term) -> Command:
    match head:
        case Return():
            return Return(y, span=head.span)
        case Perform(op, _):
            return Perform(op, y, span=head.span)
        case RevHandle(_, scope, H):
            return RevHandle(y, scope, H, span=head.span)


def _name(K: Context) -> str:
    """What the result of the head is called: as the let around it says."""
    if isinstance(K.form, Bind):
        (hint,) = K.form.scope.hints
        return "y" if hint == "_" else hint
    return "y"


def _primed(*hints: str) -> tuple[str, ...]:
    """The names of the cotangents of variables."""
    return tuple([hint + "'" for hint in hints])


_clauses = Known(reverse_clause, 16)
