"""``W.R_V(x. N)`` for N a let chain ``let y1 ← M1 in … let yn ← Mn in U``: ANF conversion, then one let at a time, backward.

Each M_i is a function of a value, a sum of two values or a component of one, and U is a value. Values built by an equation are
paired with the number of the equation's lets around them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import TypeAlias, cast

from rh_kernel.operational.substitution import renamed
from rh_kernel.operational.telescopes import Telescope, type_of
from rh_kernel.paper import Rule
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.core import Bound, Call, Const, If, Let, Map, Plus, Proj, R, Rd, RdOf, Scope, Term, Tuple, Zero
from rh_kernel.syntax.types import factors
from rh_kernel.syntax.values import component, tuple_of

Value: TypeAlias = tuple[Term, int]
"""A value, and the number of the equation's lets around it."""


@dataclass(frozen=True, slots=True)
class Lets:
    """The lets of an equation, outermost first: the name and the bound term of each."""

    bound: list[tuple[str, Term]] = field(default_factory=list[tuple[str, Term]])

    @property
    def depth(self) -> int:
        """The number of lets."""
        return len(self.bound)

    def add(self, hint: str, M: Term) -> Value:
        """Add ``let hint ← M in …`` innermost and return its variable; M is in the scope of all earlier lets."""
        self.bound.append((hint, M))
        return Bound(0, hint), self.depth

    def here(self, value: Value) -> Term:
        """Return the value, shifted under all lets."""
        V, depth = value
        return shift(V, self.depth - depth)

    def component(self, value: Value, i: int, n: int) -> Value:
        """Return the i-th of n components, counted from 0; a projection is bound by a new let."""
        V, depth = value
        M = component(V, i, n)
        return self.add("y", shift(M, self.depth - depth)) if type(M) is Proj else (M, depth)

    def around(self, N: Term) -> Term:
        """``let y1 ← M1 in … N``"""
        for hint, M in reversed(self.bound):
            N = Let(M, Scope((hint,), N))
        return N


# -- conversion to a let chain -------------------------------------------------------------------------------------------------


def straightened(form: R) -> Term:
    """``let y1 ← M1[V/x] in … let yn ← Mn[V/x] in W.R_V(x. let y1 ← M1 in … U)``, with N in A-normal form and ``known`` set.

    Lets that do not depend on x are not repeated in the R.
    """
    line = Lets()
    U = descend(_value(cast(Term, form.scope.body), (), line, "y"))
    # M_k mentions x as index k, and y1, …, yk-1 as the indices below. `depending` is the bit set of those that depend on x:
    depending, numbers, lets, count = 1, list[int | None](), Lets(), 0
    for k, (hint, M) in enumerate(line.bound):
        depends = bool(M.loose & depending)
        numbers.append(count if depends else None)
        count, depending = count + depends, depending << 1 | depends
        lets.add(hint, renamed(M, _before(form.point, k)))
    parts = _parts(lets, (form.cotangent, 0), U, depending)
    kept: list[tuple[str, Term]] = []
    for k, (hint, M) in enumerate(line.bound):
        if numbers[k] is not None:
            kept.append((hint, renamed(M, _within(k, len(kept), numbers, lets.depth))))
    tail = [(W, cast(Bound, renamed(y, _within(line.depth, count, numbers, lets.depth)))) for W, y in parts]
    known = [(Bound(0, hint), k + 1) for k, (hint, _) in enumerate(line.bound) if numbers[k] is not None]
    return lets.around(_line(form, lets, kept, tail, known))


def _value(M: Term, rho: tuple[Value, ...], line: Lets, hint: str) -> Descent[Term]:
    """Append the lets of M to the line and return the value of M; ρ holds the values of the variables bound in M."""
    match M:
        case Bound(index):
            return line.here(rho[-1 - index]) if index < len(rho) else Bound(index - len(rho) + line.depth, M.hint, span=M.span)
        case Const() | Zero():
            return M
        case Call(f, N):
            U = yield _value(N, rho, line, "y")
            return line.add(hint, Call(f, U, span=M.span))[0]
        case Proj(i, n, N):
            U = yield _value(N, rho, line, "y")
            part = component(U, i - 1, n)
            return line.add(hint, part)[0] if type(part) is Proj else part
        case Plus(L, N):
            first = (yield _value(L, rho, line, "y")), line.depth
            U, W = (yield _value(N, rho, line, "y")), line.here(first)
            if M.of_cotangents and (type(U) is Zero or type(W) is Zero):
                return W if type(U) is Zero else U
            return line.add(hint, Plus(W, U, M.of_cotangents, span=M.span))[0]
        case Tuple(items):
            parts: list[Value] = []
            for N in items:
                parts += (((yield _value(N, rho, line, "y")), line.depth),)
            return Tuple(tuple([line.here(part) for part in parts]), span=M.span)
        case Let(N, scope):
            bound = (yield _value(N, rho, line, scope.hints[0])), line.depth
            return (yield _value(cast(Term, scope.body), (*rho, bound), line, hint))
        case Rd() | R() | Map() | If():
            raise KernelBug("a derivative or a conditional is not unfolded yet")


def _before(V: Term, k: int) -> Callable[[Bound], Term]:
    """Map the variables of ``Γ, x, y1, …, yk`` to ``Γ, y1, …, yk``, with V for x."""
    return lambda y: y if y.index < k else shift(V, k) if y.index == k else Bound(y.index - 1, y.hint)


def _within(k: int, i: int, numbers: Sequence[int | None], n: int) -> Callable[[Bound], Term]:
    """Map the variables of ``Γ, x, y1, …, yk`` under n lets, in the body of the R, under i more lets.

    A y with a number is also bound in the body of the R, and refers to that binder.
    """

    def image(y: Bound) -> Term:
        if y.index >= k:
            return Bound(y.index - k + i + (n if y.index > k else 0), y.hint)
        number = numbers[k - 1 - y.index]
        return Bound(n + i + y.index + 1 - k if number is None else i - 1 - number, y.hint)

    return image


def _parts(lets: Lets, W: Value, U: Term, depending: int) -> list[tuple[Value, Bound]]:
    """Split a cotangent W of the value U into those of its variables whose bit is set; each is paired with its variable."""
    found: list[tuple[Value, Bound]] = []
    todo = [(W, U)]
    while todo:
        W, U = todo.pop()
        if not U.loose & depending or type(W[0]) is Zero:
            continue
        if type(U) is Bound:
            found.append((W, U))
        elif type(U) is Tuple:
            n = len(U.items)
            parts = [(lets.component(W, i, n), V) for i, V in enumerate(U.items) if V.loose & depending]
            todo += reversed(parts)
    return found


def _line(
    form: R, lets: Lets, kept: Sequence[tuple[str, Term]], tail: Sequence[tuple[Value, Bound]], known: Sequence[Value]
) -> Term:
    """``⟨W1, …, Wk⟩.R_V(x. let y1 ← M1 in … ⟨U1, …, Uk⟩)`` under the lets"""
    N = tuple_of(tuple([y for _, y in tail]))
    for hint, M in reversed(kept):
        N = Let(M, Scope((hint,), N))
    W = tuple_of(tuple([lets.here(W) for W, _ in tail]))
    return R(W, Scope(form.scope.hints, N), lets.here((form.point, 0)), tuple([lets.here(V) for V in known]), span=form.span)


# -- the backward pass along a let chain ---------------------------------------------------------------------------------------


def pull_back_last_let(form: R, gamma: Telescope | None) -> tuple[Rule, Term]:
    """``⟨W1, …, Wk⟩.R_V(x. D[let y ← M in ⟨U1, …, Uk⟩])`` without the last let whose variable has a cotangent.

    The rule is the one for M: the cotangents of y are added and pulled back through M. Lets without cotangents are dropped.
    """
    N, kept = cast(Term, form.scope.body), list[tuple[str, Term]]()
    for _ in form.known or ():
        if not isinstance(N, Let):
            raise KernelBug("more is known than there are lets")
        kept.append((N.scope.hints[0], N.bound))
        N = cast(Term, N.scope.body)
    lets, tail, known = Lets(), _tail(form, N), [(V, 0) for V in form.known or ()]
    rule = Rule.R_LET
    while kept and rule is Rule.R_LET:
        (hint, M), _ = kept.pop(), known.pop()
        incoming = [W for W, y in tail if not y.index]
        tail = [(W, Bound(y.index - 1, y.hint)) for W, y in tail if y.index]
        if incoming:
            W = incoming[0] if len(incoming) == 1 else lets.add(hint + "'", reduce(_sum, [lets.here(V) for V in incoming]))
            rule, parts = _pull_back(form, lets, W, M, known, gamma)
            tail += parts
    body = [(hint, shift(M, lets.depth, above=k + 1)) for k, (hint, M) in enumerate(kept)]
    return rule, lets.around(_line(form, lets, body, tail, known))


_sum = partial(Plus, of_cotangents=True)


def _tail(form: R, U: Term) -> list[tuple[Value, Bound]]:
    """Pair ``W1, …, Wk`` with the variables ``U1, …, Uk``."""
    W = form.cotangent
    pairs = zip(W.items, U.items, strict=True) if isinstance(W, Tuple) and isinstance(U, Tuple) else ((W, U),)
    return [((V, 0), y) for V, y in pairs if isinstance(y, Bound)]


def _value_of(y: Bound, form: R, known: Sequence[Value]) -> Term:
    """Return the value of x or of a let variable, outside the equation's lets; variables of Γ are unchanged."""
    n = len(known)
    if y.index > n:
        return Bound(y.index - n - 1, y.hint)
    return form.point if y.index == n else known[n - 1 - y.index][0]


def _pull_back(
    form: R, lets: Lets, W: Value, M: Term, known: Sequence[Value], gamma: Telescope | None
) -> tuple[Rule, list[tuple[Value, Bound]]]:
    """Pull the cotangent W back through M, whose children are values, to the variables of M."""
    local_variables = (1 << len(known) + 1) - 1
    match M:
        case Call(f, U):
            V = renamed(U, lambda y: _value_of(y, form, known))
            u = lets.add("y", Call(RdOf(f), Tuple((lets.here(W), lets.here((V, 0)))), span=M.span))
            return Rule.R_FUN, _parts(lets, u, U, local_variables)
        case Plus(L, N):
            return Rule.R_PLUS, [*_parts(lets, W, L, local_variables), *_parts(lets, W, N, local_variables)]
        case Proj(i, m, U):
            types = factors(type_of(renamed(U, lambda y: _value_of(y, form, known)), gamma), m)
            parts = [lets.here(W) if k == i else Zero(A) for k, A in enumerate(types, start=1)]
            return Rule.R_PROJ, _parts(lets, (Tuple(tuple(parts)), lets.depth), U, local_variables)
        case _:
            raise KernelBug(f"a {type(M).__name__} is not allowed in a let chain")
