"""Right sides of the equations of RH Fig. 6 and 7, each built once: for a form ``M[ρ]``, what M unfolds to.

Whatever is unfolded again and again is the same M with other values: the same net is trained on the next sample. So M, whose
free variables are numbered from 0 here, is unfolded as an open form, and the values of these variables are put into an
environment. The parts of a right side are forms in their turn, so that a whole pass is built the first time only.

That is done only where the equation is the same for any values, so that the steps are those of the paper: where it depends on
the form of a value, as for ``W.R_V(x. y)`` with another y, the value is substituted first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.environments import Environment, extended, value_at
from rh_kernel.operational.memo import Memo
from rh_kernel.operational.substitution import free_variables, renumbered, substituted
from rh_kernel.operational.telescopes import Telescope, type_of
from rh_kernel.paper import Rule
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.core import RH, Bound, Call, Const, Let, Plus, Proj, R, Rd, RevHandle, Term, Tuple, Zero
from rh_kernel.syntax.types import Shape, Type
from rh_kernel.syntax.values import component, tuple_of

Equation: TypeAlias = Callable[[R | RH, Telescope | None], tuple[Rule, Subject] | None]
"""The rule and the right side for an open form whose variables Γ declares; ``None`` if the step is inside of the form."""

TYPED = frozenset({Rule.R_VAR, Rule.R_CONST, Rule.R_PROJ, Rule.R_MAP, Rule.RH_RETURN, Rule.RH_REPEAT, Rule.RH_SCAN})
"""The rules whose right sides contain zeros, of the types of values."""

UNIFORM = frozenset({Call, Plus, Let, Tuple, Proj, Const, Zero})
"""The bodies of an ``R`` whose equations are the same for any values of the variables, as is that for its own variable."""

BRANCHING = (Rule.R_IF, Rule.RH_IF)
"""The rules whose right sides depend on the values."""

MOST, WIDEST = 10_000, 100
"""The number of forms whose right sides are kept, and of the variables of each: a right side names them all."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What the form unfolds to where its variables have values of these types; any, if ``types`` is ``None``."""

    form: R | RH
    captured: tuple[int, ...]
    types: list[Type | Shape] | None
    found: tuple[Rule, Subject] | None


_known: dict[int, _Known] = {}


def right_side(form: R | RH, rho: Environment, equation: Equation) -> tuple[Rule, Subject, Environment] | None:
    """Return the rule and the right side ``N[ρ']`` for ``form[ρ]``; ``None`` if the step is inside of the form."""
    known = _known.get(id(form))
    if known is not None:
        values = _values(rho, known.captured)
        if known.types is None or known.types == _types(values):
            return None if known.found is None else (*known.found, _environment(values))
    captured = free_variables(form.loose)
    values = _values(rho, captured)
    gamma: Telescope | None = None
    for V in values:
        gamma = Telescope(V, None, gamma)
    found = equation(renumbered(form, _numbers(captured)), gamma)
    if (found is None or found[0] not in BRANCHING) and len(captured) <= WIDEST:
        if len(_known) >= MOST:
            _known.clear()
        types = _types(values) if found is not None and found[0] in TYPED else None
        _known[id(form)] = _Known(form, captured, types, found)
    return None if found is None else (*found, _environment(values))


def is_uniform(form: R, rho: Environment) -> bool:
    """Whether ``right_side`` serves for this form in ρ, or ``constant_side``."""
    N = form.scope.body
    if form.known is not None:
        return False
    return type(N) in UNIFORM or (type(N) is Bound and (not N.index or type(value_at(rho, N.index - 1)) is not Tuple))


def constant_side(form: R, rho: Environment) -> Term | None:
    """The right side of R-Const for ``W.R_V(x. y)[ρ]``, where y has a constant as its value; ``None`` for another form."""
    N = form.scope.body
    return Zero(type_of(substituted(form.point, rho), None)) if type(N) is Bound and N.index else None


def derivative_of(form: Rd, V: Term, W: Term, rho: Environment) -> tuple[R, Environment]:
    """``V.R_W(x. N)``, for ``V.rd(x. N[ρ])(W)``"""
    captured, M = _derivatives.of(form)
    return M, extended(extended(_environment(_values(rho, captured)), V), W)


def reverse_of(form: RevHandle, V: Term, rho: Environment) -> tuple[RH, Environment]:
    """``RH_H[ρ]^V(⟨y1, …, ym⟩. P[ρ])``, for ``rev handle (V) ⟨y1, …, ym⟩. P[ρ] with H[ρ]``"""
    if form.scope.loose:
        # The equation for a head depends on whether its term is a variable of the form.
        form = RevHandle(form.argument, substituted(form.scope, rho), form.handler, span=form.span)
    captured, M = _reverses.of(form)
    environment, n = _environment(_values(rho, captured)), form.scope.arity
    for i in range(n):
        environment = extended(environment, component(V, i, n))
    return M, environment


def _derivative(form: Rd) -> tuple[tuple[int, ...], R]:
    captured = free_variables(form.scope.loose)
    (x,) = form.scope.hints
    N = shift(renumbered(form.scope, _numbers(captured)), 2)
    return captured, R(Bound(1, x + "'"), N, Bound(0, x), span=form.span)


def _reverse(form: RevHandle) -> tuple[tuple[int, ...], RH]:
    captured, hints = free_variables(form.handler.loose), form.scope.hints
    n = len(hints)
    values = tuple_of(tuple([Bound(n - 1 - i, y) for i, y in enumerate(hints)]))
    return captured, RH(values, form.scope, shift(renumbered(form.handler, _numbers(captured)), n), span=form.span)


def _numbers(captured: tuple[int, ...]) -> dict[int, int]:
    """The numbers of variables from 0 on, which the last one gets."""
    return {index: len(captured) - 1 - i for i, index in enumerate(captured)}


def _values(rho: Environment, captured: tuple[int, ...]) -> list[Term]:
    return [value_at(rho, i) for i in captured]


def _environment(values: list[Term]) -> Environment:
    rho: Environment = None
    for V in values:
        rho = extended(rho, V)
    return rho


def _types(values: list[Term]) -> list[Type | Shape]:
    return [V.value.shape if type(V) is Const else type_of(V, None) for V in values]


_derivatives = Memo(_derivative, 1_000)
_reverses = Memo(_reverse, 1_000)
