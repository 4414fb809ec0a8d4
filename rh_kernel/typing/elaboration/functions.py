"""Resolution of function symbols: the member of the family that ``f``, ``reshape[3, 2]`` or ``rd[rd[f]]`` is (RH Def. 3.2)."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from rh_kernel.primitives.schemes import Scheme, axis_order, instantiate, size_of
from rh_kernel.primitives.symbol import FunctionSymbol
from rh_kernel.primitives.table import SYMBOLS, failing
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.binding import Static, specialise, specialise_shape, specialise_type
from rh_kernel.syntax.core import Defined, Function, Primitive, RdOf, Term
from rh_kernel.syntax.dimensions import Dim, DimVar
from rh_kernel.syntax.types import Product, Real, Shape, ShapeVar, Type
from rh_kernel.typing.context import Context
from rh_kernel.typing.definitions import FunDefinition, NetDefinition, OpDefinition, kind_of
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.diagnostics.hints import counterexample
from rh_kernel.typing.diagnostics.origins import chosen, operand_notes, origins
from rh_kernel.typing.diagnostics.quick_fixes import Advice, matmul_advice
from rh_kernel.typing.diagnostics.shared import count_of, no_such_member, unknown_name, wrong_indices, wrong_kind
from rh_kernel.typing.elaboration.dimensions import elaborate_dim, elaborate_shape
from rh_kernel.typing.elaboration.size_constraints import require_sizes
from rh_kernel.typing.errors import NotDifferentiated, OperandsDiffer, SizesDiffer, WrongIndex
from rh_kernel.typing.unification.unify import Unifier


@frozen
class Candidate:
    """A member of a family, with metavariables, and two shapes that must have equally many entries, if any."""

    function: Function
    same_size: tuple[Shape, Shape] | None


def function_names(cx: Context) -> list[str]:
    """The names of all function symbols, built-in and declared."""
    return [*SYMBOLS, *cx.declared(FunDefinition)]


_JOINED = {
    name: f"arrays are joined along their {axis} axis; their other axes must agree"
    for name, axis in (("concat", "first"), ("concat_last", "last"))
}


@lru_cache(maxsize=4096)
def member(name: str, number: int, at: tuple[Shape | Dim, ...]) -> Primitive:
    """The instance of the type scheme ``number`` of family ``name`` at ``at``."""
    return instantiate(name, SYMBOLS[name].schemes[number], at)


def resolve_function(
    cx: Context, unifier: Unifier, e: s.Apply, argument: Callable[[], tuple[Term, Type]]
) -> tuple[Candidate, Term | None]:
    """Return the symbol that ``e`` applies, and its argument if that was elaborated to select one of several schemes."""
    candidates = _candidates(cx, unifier, e.head, e.indices)
    if len(candidates) == 1:
        return candidates[0], None
    M, A = argument()
    fitting = [c for c in candidates if unifier.is_unifiable(A, c.function.domain)]
    if fitting:
        unifier.unify_types(A, fitting[0].function.domain)
        return fitting[0], M
    near = [c for c in candidates if unifier.is_unifiable(_first(A), _first(c.function.domain))] or candidates
    wanted = " or ".join(unifier.show(c.function.domain)[0] for c in near)
    advice = Advice(_JOINED.get(e.head.text, ""))
    if e.head.text == "matmul" and len(e.arguments) == 2 and isinstance(A, Product) and len(A.factors) == 2:
        left, right = (unifier.type(B) for B in A.factors)
        advice = matmul_advice(e.span, *e.arguments, left, right, "matmul({}, {})".format)
    (found,) = unifier.show(A)
    why = f"the arguments of `{e.head.text}` are incompatible"
    stories = [origins(cx, unifier, written) for written in e.arguments]
    if isinstance(A, Product) and len(A.factors) == len(e.arguments):
        stories = [operand_notes(cx, unifier, written, B) for written, B in zip(e.arguments, A.factors, strict=True)]
    notes = chosen(e.span, *stories)
    raise Rejected(
        OperandsDiffer(
            span=e.span,
            why=why,
            found=found,
            expected=wanted,
            hint=advice.hint,
            fix=advice.fix,
            notes=notes,
            rule=TypingRule.T_FUNC.cited,
        )
    )


def _first(A: Type) -> Type:
    return A.factors[0] if isinstance(A, Product) else A


def check_size(cx: Context, unifier: Unifier, candidate: Candidate, e: s.Apply) -> None:
    """Check conditions that types do not express, such as that ``reshape`` keeps the number of entries. Raises ``Rejected``."""
    check_needs(cx, unifier, candidate.function, e)
    if candidate.same_size is None:
        return
    after, before = (size_of(unifier.shape(shape)) for shape in candidate.same_size)
    if after is not None and before is not None and not unifier.unify_dims(after, before):
        A, B = unifier.show(*(Real(shape) for shape in reversed(candidate.same_size)))
        found, wanted = unifier.dim(before), unifier.dim(after)
        hint = counterexample(found, wanted) or "reshape keeps the number of entries"
        notes = chosen(e.span, origins(cx, unifier, e))
        before, after = f"{A}, {found} entries", f"{wanted} entries, for {B}"
        raise Rejected(SizesDiffer(span=e.span, found=before, expected=after, hint=hint, notes=notes))


def check_needs(cx: Context, unifier: Unifier, f: Function, e: s.Apply) -> None:
    """Check the preconditions of ``f`` for the dimensions solved so far; ``zonking.check_dimensions`` checks the others.

    Raises ``Rejected``.
    """
    while isinstance(f, RdOf):
        f = f.of
    if isinstance(f, Primitive) and any(scheme.needs for scheme in SYMBOLS[f.name].schemes):
        found = failing(Primitive(f.name, unifier.at(f.at), f.domain, f.codomain))
        if found is not None:
            (domain,) = unifier.show(f.domain)
            raise no_such_member(e.span, found, domain, chosen(e.span, origins(cx, unifier, e)))


def instance(unifier: Unifier, d: FunDefinition, span: Span) -> Defined:
    """Instantiate a user-defined function at fresh dimension metavariables; ``span`` is the place of use."""
    if not d.variables:
        return Defined(d.name, d.domain, d.codomain, d.body, d.own, is_generic=False)
    static = Static({v: unifier.fresh_dim(v) for v in d.variables}, {}, {})
    require_sizes(unifier, span, d.name, static.dims, d.needs)
    own = None if d.own is None else specialise(d.own, static)
    A, B = specialise_type(d.domain, static), specialise_type(d.codomain, static)
    return Defined(d.name, A, B, specialise(d.body, static), own)


def _candidates(cx: Context, unifier: Unifier, head: s.Name, indices: tuple[s.Expr, ...]) -> list[Candidate]:
    name = head.text
    definition = cx.definitions.get(name)
    if isinstance(definition, FunDefinition):
        if indices:
            hint = "its dimensions are inferred from the argument"
            raise wrong_indices(cx, head, indices, "nothing", f"`{name}(…)`", hint)
        return [Candidate(instance(unifier, definition, head.span), None)]
    if definition is not None:
        raise wrong_kind(cx, name, head.span, kind_of(definition), "a function")
    if name == "rd":
        return _derivative(cx, unifier, head, indices)
    row = SYMBOLS.get(name)
    if row is None or name in cx.definitions.failed:
        names = [*function_names(cx), *cx.declared(OpDefinition, NetDefinition)]
        raise unknown_name(cx, name, head.span, names, "`%help` lists the functions of the language")
    return [_at(cx, unifier, head, scheme, indices) for scheme in _fitting(cx, head, row, indices)]


def _fitting(cx: Context, head: s.Name, row: FunctionSymbol, indices: tuple[s.Expr, ...]) -> tuple[Scheme, ...]:
    """The schemes that can have so many indices: all, unless their numbers differ, as those of ``permute`` do."""
    counts = [len(scheme.explicit) for scheme in row.schemes]
    if len(set(counts)) == 1:
        return row.schemes
    found = tuple([scheme for scheme, count in zip(row.schemes, counts, strict=True) if count == len(indices)])
    if not found:
        longest = row.schemes[counts.index(max(counts))]
        names = ", ".join(v.name for v in longest.explicit)
        hint = "list each axis of the array once, counted from 0" if longest.order else "they are the shape of the result"
        wanted = f"{min(counts)} to {max(counts)} {'axes' if longest.order else 'dimensions'}"
        raise wrong_indices(cx, head, indices, wanted, f"`{row.name}[{names}](…)`, or fewer", hint)
    return found


def _require_order(head: s.Name, indices: tuple[s.Expr, ...], listed: Sequence[Dim]) -> None:
    """Raise ``Rejected`` unless the indices are numbers that list each axis once."""
    span = indices[0].span.to(indices[-1].span)
    shown = f"`{head.text}[{', '.join(map(str, listed))}]`"
    axes = "0" if len(listed) == 1 else f"0 and {len(listed) - 1}" if len(listed) == 2 else f"0 to {len(listed) - 1}"
    expected = f"the axes {axes}, each once, in any order"
    if any(d.constant is None for d in listed):
        why = f"{shown} has an axis that is no number, but the type of the result depends on it"
        raise Rejected(WrongIndex(span=span, why=why, expected=expected, hint="write the axes as numbers"))
    if axis_order(listed) is None:
        why = f"{shown} lists no permutation of the axes"
        raise Rejected(WrongIndex(span=span, why=why, expected=expected, hint="axes are counted from 0"))


def _derivative(cx: Context, unifier: Unifier, head: s.Name, indices: tuple[s.Expr, ...]) -> list[Candidate]:
    match indices:
        case (s.Var(name),):
            inner = _candidates(cx, unifier, s.Name(name, span=indices[0].span), ())
        case (s.Family(family, further),):
            inner = _candidates(cx, unifier, family, further)
        case (other,):
            found, hint = (
                f"`{other.span.text}`",
                "the derivative of a term M in x at V is `W.rd(x. M)(V)`, with cotangent W",
            )
            raise Rejected(NotDifferentiated(span=other.span, found=found, expected="a function's name", hint=hint))
        case _:
            raise wrong_indices(cx, head, indices, "a function", "`rd[f](w, v)`", "the cotangent comes first, the point second")
    return [Candidate(RdOf(c.function), c.same_size) for c in inner]


def _at(cx: Context, unifier: Unifier, head: s.Name, scheme: Scheme, indices: tuple[s.Expr, ...]) -> Candidate:
    name = head.text
    given: dict[str, Shape | Dim] = {}
    match scheme.explicit:
        case (ShapeVar(variable),) if indices:
            given[variable] = elaborate_shape(cx, indices)
        case explicit if len(explicit) == len(indices) and not any(isinstance(v, ShapeVar) for v in explicit):
            given = {v.name: elaborate_dim(cx, i) for v, i in zip(explicit, indices, strict=True)}
        case explicit:
            names = ", ".join("m, n, …" if isinstance(v, ShapeVar) else v.name for v in explicit)
            wanted = "a shape" if names == "m, n, …" else count_of(len(explicit), "dimension") if explicit else "nothing"
            hint = f"for example `{name}[2, 3](…)`" if names == "m, n, …" else ""
            raise wrong_indices(cx, head, indices, wanted, f"`{name}{f'[{names}]' if names else ''}(…)`", hint)
    if scheme.order:
        _require_order(head, indices, [d for d in (given[v.name] for v in scheme.order) if isinstance(d, Dim)])
    at = tuple(given.get(v.name) or _unknown(unifier, v) for v in scheme.variables)
    found = {v.name: a for v, a in zip(scheme.variables, at, strict=True)}
    condition = None
    if scheme.same_size is not None:
        static = Static(
            {k: a for k, a in found.items() if isinstance(a, Dim)},
            {k: a for k, a in found.items() if not isinstance(a, Dim)},
            {},
        )
        left, right = (specialise_shape(shape, static) for shape in scheme.same_size)
        condition = (left, right)
    return Candidate(instantiate(name, scheme, at), condition)


def _unknown(unifier: Unifier, v: DimVar | ShapeVar) -> Dim | Shape:
    match v:
        case DimVar():
            return unifier.fresh_dim(v.name)
        case ShapeVar():
            return unifier.fresh_shape()


def arguments_span(e: s.Apply) -> Span:
    """The span of the arguments, of which there must be one."""
    return e.arguments[0].span.to(e.arguments[-1].span)


def argument_of(e: s.Apply) -> s.Expr:
    """The arguments as one expression."""
    match e.arguments:
        case ():
            return s.Unit(span=e.span)
        case (argument,):
            return argument
        case many:
            return s.TupleExpr(many, span=arguments_span(e))
