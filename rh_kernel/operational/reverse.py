"""``RH_H^V(⟨y1, …, ym⟩. P)``, reverse handling by rewriting (RH Fig. 7).

Each equation is one step, taken when the form reaches an evaluation position. It looks at the head of P only; between the form
and the head there are ``let x ⇐ [-] in Q`` and ordinary handlers that have no clause for the head.

The figure is taken literally: the equation for terms adds ``z.rd(y_i. M)(V_i)`` for every variable y_i, whether or not M
mentions it. A new variable is put in front of the others, so those keep their indices.

The values and the free variables of a form may be variables: a right side that was built once then serves for other values,
too (``operational.right_sides``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import TypeAlias, cast

from rh_kernel.operational.binders import (
    CommandAtDepth,
    TermAtDepth,
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
from rh_kernel.operational.memo import Memo
from rh_kernel.operational.substitution import instantiated
from rh_kernel.operational.telescopes import Telescope, type_of
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax import core
from rh_kernel.syntax.binding import mentions, shift
from rh_kernel.syntax.clauses import reverse_clause
from rh_kernel.syntax.values import UNIT_VALUE, component

Head: TypeAlias = core.Return | core.Perform | core.RevHandle | core.Repeat


@dataclass(frozen=True, slots=True)
class Form:
    """``RH_H^V(⟨y1, …, ym⟩. F[head])``; K is the context of the head, ``at`` the part of K at the form.

    ``gamma`` declares the variables that are free in the form.
    """

    K: Context
    at: Context
    form: core.RH
    gamma: Telescope | None

    @property
    def values(self) -> list[core.Term]:
        """``V1, …, Vm``"""
        n = len(self.hints)
        return [component(self.form.values, i, n) for i in range(n)]

    @property
    def hints(self) -> tuple[str, ...]:
        """The names of ``y1, …, ym``."""
        return self.form.scope.hints

    def index(self, y: core.Term) -> int:
        """Return the i of the variable ``y_i``, counted from 0."""
        if not isinstance(y, core.Bound):
            raise KernelBug("a term was to be unfolded by RH-Term")
        return len(self.hints) - 1 - y.index

    def around(self, head: core.Command, inside: Context | None) -> core.Command:
        """Return ``F'[head]``, where F' is the part of F around ``inside``."""
        return cast(core.Command, plug(inside, head, self.at))

    def with_body(self, head: core.Command, inside: Context | None) -> core.Command:
        """Return the form with the body ``F'[head]``, where F' is the part of F around ``inside``."""
        return self.with_variables(core.Scope(self.hints, self.around(head, inside)))

    def with_variables(self, scope: core.Scope) -> core.Command:
        """Return the form with this scope over the same variables."""
        return core.RH(self.form.values, scope, self.form.handler, span=self.form.span)

    def under(self, hint: str, head: Callable[[core.Term], core.Command]) -> core.Scope:
        """``⟨y, y1, …, ym⟩. F[head(y)]``"""
        return core.Scope((hint, *self.hints), self.around(head(core.Bound(len(self.hints), hint)), self.K))

    def with_variable(self, hint: str, y: TermAtDepth, head: Callable[[core.Term], core.Command]) -> CommandAtDepth:
        """``RH_H^⟨y, V1, …, Vm⟩(⟨y, y1, …, ym⟩. F[head(y)])``"""
        return reverse(tuple_from(y, *map(fixed, self.values)), self.under(hint, head), self.form.handler)


def rh_return(form: Form, y_k: core.Term) -> core.Command:
    """``RH(⟨ys⟩. ⌊y_k⌋) = let y ⇐ P[V_k/x] in ⌊⟨0, …, y, …, 0⟩⌋``"""
    values, k = form.values, form.index(y_k)
    zeros = [fixed(core.Zero(type_of(V, form.gamma))) for V in values]

    def result(y: TermAtDepth) -> CommandAtDepth:
        return returned(tuple_from(*zeros[:k], y, *zeros[k + 1 :]))

    return bind(performed(form.form.handler.returns, fixed(values[k])), form.hints[k] + "'", result)(0)


def rh_let(form: Form, scope: core.Scope, y_j: core.Term) -> core.Command:
    """``RH(⟨ys⟩. F[let x ⇐ ⌊y_j⌋ in R]) = RH(⟨ys⟩. F[R[y_j/x]])``"""
    return form.with_body(cast(core.Command, instantiated(scope, y_j)), form.K.outer)


def rh_op(form: Form, M: core.Perform) -> core.Command:
    """``RH(⟨ys⟩. F[Op(y_i)])``: Q^f, then the form for ``F[⌊y⌋]`` with y its result, then Q^b in the backward pass"""
    forward, backward = _clauses.of(form.form.handler, M.operation)
    hint, hints, i = _result_name(form.K), form.hints, form.index(M.argument)

    def backward_pass(z: TermAtDepth, w: TermAtDepth, *ys: TermAtDepth) -> CommandAtDepth:
        return bind(
            performed(backward, w, z),
            hints[i] + "''",
            lambda v: returned(tuple_from(*ys[:i], plus(ys[i], v), *ys[i + 1 :])),
        )

    def continue_with(y: TermAtDepth, z: TermAtDepth) -> CommandAtDepth:
        rest = form.with_variable(hint, y, core.Return)
        return bind_tuple(rest, _primed(hint, *hints), partial(backward_pass, z))

    return bind_tuple(performed(forward, fixed(form.values[i])), (hint, "z"), continue_with)(0)


def rh_handle(form: Form, M: core.RevHandle) -> core.Command:
    """``RH(⟨ys⟩. F[rev handle (W) ⟨zs⟩. R with H']) = RH(⟨ys⟩. F[RH_H'^W(⟨zs⟩. R)])``"""
    return form.with_body(core.RH(M.argument, M.scope, M.handler, span=M.span), form.K)


def rh_if(form: Form, M: core.IfCommand, is_true: Callable[[core.IfCommand, Telescope | None], bool]) -> core.Command:
    """``RH(⟨ys⟩. F[if B then P else Q]) = RH(⟨ys⟩. F[P])`` if ``B[V1/y1, …, Vm/ym]`` holds, else ``RH(⟨ys⟩. F[Q])``"""
    gamma = form.gamma
    for V in form.values:
        gamma = Telescope(V, form.gamma, gamma)
    return form.with_body(M.then if is_true(M, gamma) else M.otherwise, form.K)


def rh_term(form: Form, head: Head) -> core.Command:
    """``RH(⟨ys⟩. F^t[M])``: M at the values, the form for ``F^t[y]``, and backward ``z.rd(y_i. M)(V_i)`` for every i"""
    M, hint, hints, values = _argument(head), _result_name(form.K), form.hints, form.values
    scope = core.Scope(hints, M)
    at_values = cast(core.Term, instantiated(scope, *values))

    def vjp_of(i: int, z: TermAtDepth) -> TermAtDepth:
        if mentions(scope, i):
            return _vjp(form, scope, i, z)
        return rd(z, hints[i], lambda _: fixed(at_values), fixed(values[i]))

    def backward_pass(z: TermAtDepth, *ys: TermAtDepth) -> CommandAtDepth:
        return returned(tuple_from(*[plus(y, vjp_of(i, z)) for i, y in enumerate(ys)]))

    def continue_with(y: TermAtDepth) -> CommandAtDepth:
        return bind_tuple(form.with_variable(hint, y, lambda y: _with_argument(head, y)), _primed(hint, *hints), backward_pass)

    return bind(returned(fixed(at_values)), hint, continue_with)(0)


def naming(form: Form, named: Sequence[tuple[str, core.Term]], body: core.Command) -> core.Command:
    """``RH(⟨ys⟩. let x1 ⇐ ⌊M1⌋ in … let xn ⇐ ⌊Mn⌋ in P)``: the form for P, over the x and those y that P mentions.

    A round of a loop is unfolded so: P mentions the x as variables in front of the y. A y that P does not mention gets 0 from
    it, and ``xᵢ'.rd(y. Mᵢ)(V)`` from each Mᵢ that mentions it. So the form does not grow from round to round.
    """
    hints, values, n = form.hints, form.values, len(named)
    names, sources = tuple([x for x, _ in named]), [core.Scope(hints, M) for _, M in named]
    scope = core.Scope((*names, *hints), body)
    kept = [i for i in range(len(hints)) if mentions(scope, n + i)]
    if not named and len(kept) == len(hints):
        return form.with_variables(scope)
    at_values = [cast(core.Term, instantiated(M, *values)) for M in sources]

    def given(xs: tuple[TermAtDepth, ...]) -> CommandAtDepth:
        if len(xs) < n:
            V = at_values[len(xs)]
            if core.is_value(V):
                return given((*xs, fixed(V)))
            return bind(returned(fixed(V)), names[len(xs)], lambda x: given((*xs, x)))
        rest = reverse(tuple_from(*xs, *[fixed(values[i]) for i in kept]), _only(scope, n, kept), form.form.handler)
        return bind_tuple(rest, _primed(*names, *[hints[i] for i in kept]), backward_pass)

    def backward_pass(*ys: TermAtDepth) -> CommandAtDepth:
        return returned(tuple_from(*[cotangent(i, ys) for i in range(len(hints))]))

    def cotangent(i: int, ys: Sequence[TermAtDepth]) -> TermAtDepth:
        summands = [ys[n + kept.index(i)]] if i in kept else []
        for M, z in zip(sources, ys, strict=False):
            if mentions(M, i):
                summands.append(z if type(M.body) is core.Bound else _vjp(form, M, i, z))
        return reduce(plus, summands) if summands else fixed(core.Zero(type_of(values[i], form.gamma)))

    return given(())(0)


def _only(scope: core.Scope, n: int, kept: Sequence[int]) -> core.Scope:
    """Return a scope of n variables and others with only the ``kept`` ones of the others, which are all that it mentions."""
    if len(kept) + n == scope.arity:
        return scope
    places = [*range(n), *[n + i for i in kept]]
    variables: list[core.Term] = [UNIT_VALUE] * scope.arity
    for index, place in enumerate(reversed(places)):
        variables[place] = core.Bound(index, scope.hints[place])
    body = cast(core.Command, instantiated(shift(scope, len(places)), *variables))
    return core.Scope(tuple([scope.hints[place] for place in places]), body)


def _vjp(form: Form, M: core.Scope, i: int, z: TermAtDepth) -> TermAtDepth:
    """``z.rd(y_i. M)(V_i)`` with the values of the other variables in M"""
    values = form.values
    point = fixed(values[i])
    return rd(z, form.hints[i], lambda y: opened(M, *[y if j == i else fixed(V) for j, V in enumerate(values)]), point)


def _argument(head: Head) -> core.Term:
    match head:
        case core.Return(M) | core.Perform(_, M) | core.RevHandle(M, _, _) | core.Repeat(start=M):
            return M


def _with_argument(head: Head, y: core.Term) -> core.Command:
    match head:
        case core.Return():
            return core.Return(y, span=head.span)
        case core.Perform(op, _):
            return core.Perform(op, y, span=head.span)
        case core.RevHandle(_, scope, H):
            return core.RevHandle(y, scope, H, span=head.span)
        case core.Repeat(index, first, count, _, scope):
            return core.Repeat(index, first, count, y, scope, span=head.span)


def _result_name(K: Context) -> str:
    """Return the name of the head's result: that of the let around it."""
    if isinstance(K.form, core.Bind):
        (hint,) = K.form.scope.hints
        return "y" if hint == "_" else hint
    return "y"


def _primed(*hints: str) -> tuple[str, ...]:
    """Return names for the cotangents of variables."""
    return tuple([hint + "'" for hint in hints])


_clauses = Memo(reverse_clause, 256)
