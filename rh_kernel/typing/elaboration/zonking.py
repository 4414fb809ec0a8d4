"""The end of elaboration: replace metavariables by their solutions, and report unsolved and impossible dimensions."""

from rh_kernel.primitives.schemes import keeps_entries
from rh_kernel.primitives.table import SYMBOLS, failing
from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.binding import AnyNode
from rh_kernel.syntax.census import types_and_primitives_within, types_within
from rh_kernel.syntax.core import Bound, Call, Function, Node, Operation, Primitive, RdOf
from rh_kernel.syntax.dimensions import Dim, divides_by_zero, impossible
from rh_kernel.syntax.rebuild import Transform, function_image
from rh_kernel.syntax.signature import Member, StateOf
from rh_kernel.syntax.traversal import nodes
from rh_kernel.syntax.types import Real, Type, leaves
from rh_kernel.typing.diagnostics.shared import no_such_member
from rh_kernel.typing.elaboration.members import check_members
from rh_kernel.typing.elaboration.size_constraints import check_sizes
from rh_kernel.typing.errors import BadDimension, SizesDiffer, Undetermined
from rh_kernel.typing.unification.atoms import unknowns
from rh_kernel.typing.unification.unify import Unifier


def finished(unifier: Unifier, node: AnyNode, span: Span) -> AnyNode:
    """Replace the metavariables in ``node``. Raises ``Rejected`` if an equation or a dimension is unsolved."""
    open_equation = unifier.unsolved_equation()
    if open_equation is not None:
        c, d = open_equation
        left, right = unifier.show(Real((c,)), Real((d,)))
        equation = f"{left[5:-1]} = {right[5:-1]}"
        hint = "state the sizes, for example in the type of a parameter or constant"
        place = _unsolved_use(unifier, (Real((c,)), Real((d,)))) or span
        raise Rejected(Undetermined(span=place, what=f"the solution of {equation}", hint=hint))
    result = unifier.finish(node)
    if unifier.undetermined:
        place, name = _unsolved_dimension(unifier)
        hint = "state the size, for example in the type of a parameter, constant or location that it depends on"
        what = f"the dimension `{name}`" if name else "the size of an array"
        raise Rejected(Undetermined(span=place or span, what=what, hint=hint))
    return result


def completed(unifier: Unifier, node: AnyNode, span: Span) -> AnyNode:
    """``finished``, for a node that is no generic declaration: also check its dimensions."""
    result = finished(unifier, node, span)
    check_dimensions(unifier)
    return result


def zonk_type(unifier: Unifier, A: Type) -> Type:
    """Replace the metavariables in ``A``."""
    return unifier.finish_type(A)


def _unsolved_dimension(unifier: Unifier) -> tuple[Span | None, str]:
    """The innermost use of a generic definition that leaves a dimension unsolved, and the name of that dimension."""
    found: list[tuple[Span, str]] = []
    for span, node in unifier.uses:
        names = [name for _, A in types_within(unifier.finish(node)) if (name := unifier.open_name(A))]
        found += [(span, names[0])] if names else []
    return min(found, key=lambda use: use[0].end - use[0].start, default=(None, ""))


def _unsolved_use(unifier: Unifier, types: tuple[Real, ...]) -> Span | None:
    """The first use with one of the unsolved metavariables of these types."""
    open_now = {v for A in types for v in unknowns(unifier.type(A))}
    for span, node in unifier.uses:
        if any(open_now & unknowns(unifier.type(A)) for _, A in types_within(node)):
            return span
    return None


def check_dimensions(unifier: Unifier) -> tuple[Dim, ...]:
    """Check at all uses of generic definitions that dimensions are not negative and symbols are defined. Raises ``Rejected``.

    Returns the dimensions that must be 0 or more at each use of the current declaration.
    """
    fine: set[Primitive] = set()
    # Types and symbols already found to be correct, by identity: nested uses share them.
    checked: dict[int, Type | Primitive] = {}
    solve = unifier.solutions
    for span, node in unifier.uses:
        if _is_correct(node, fine):
            continue
        if isinstance(node, Call):
            _check_entries(span, node.function, solve)
        if _has_members(node):
            check_members(unifier, span, node)
        types, primitives = types_and_primitives_within(node)
        for inner, f in primitives:
            if id(f) not in checked:
                _check_needs(span, inner, function_image(f, solve))
                checked[id(f)] = f
        for inner, A in types:
            if id(A) not in checked:
                for leaf in leaves(solve.type(A)):
                    if isinstance(leaf, Real) and isinstance(leaf.shape, tuple):
                        _check(span, inner, leaf, leaf.shape)
                checked[id(A)] = A
    return check_sizes(unifier)


def _has_members(node: Node) -> bool:
    operations = (n for n in nodes(node) if isinstance(n, Operation))
    return any(isinstance(i, Member | StateOf) for op in operations for i in op.indices)


def _is_correct(use: Node, fine: set[Primitive]) -> bool:
    """A quick test that a use is correct; ``fine`` caches the symbols that passed it."""
    match use:
        case Operation(_, _, _, A, B):
            return use.loose == 0 and not any(isinstance(i, Node) for i in use.indices) and _is_possible(A) and _is_possible(B)
        case Call(Primitive() as f, Bound()):
            keeps = f in fine or any(keeps_entries(scheme, f.at) for scheme in SYMBOLS[f.name].schemes)
            if f not in fine and keeps and failing(f) is None and _is_possible(f.domain) and _is_possible(f.codomain):
                fine.add(f)
            return f in fine
        case Node():
            return False


def _is_possible(A: Type) -> bool:
    """Whether all dimensions of the type are numbers ≥ 0."""
    return A.is_concrete and not any(impossible(d) for leaf in leaves(A) if isinstance(leaf, Real) for d in _axes(leaf))


def _axes(A: Real) -> tuple[Dim, ...]:
    return A.shape if isinstance(A.shape, tuple) else ()


def _check_entries(span: Span, f: Function, solve: Transform) -> None:
    """Repeat ``check_size`` now that dimensions are solved, and for the shape variables of ``Get`` clauses."""
    while isinstance(f, RdOf):
        f = f.of
    f = function_image(f, solve) if isinstance(f, Primitive) else f
    if isinstance(f, Primitive) and not any(keeps_entries(scheme, f.at) for scheme in SYMBOLS[f.name].schemes):
        hint = "reshape keeps the number of entries"
        raise Rejected(SizesDiffer(span=span, found=str(f.domain), expected=f"as many entries as {f.codomain} has", hint=hint))


def _check_needs(span: Span, inner: Span | None, f: Function) -> None:
    """Check conditions that the types of f do not express, such as ``hi ≤ n`` for ``slice[lo, hi]``."""
    found = failing(f) if isinstance(f, Primitive) else None
    if found is not None:
        raise no_such_member(span, found, str(f.domain), _requirement(span, inner))


def _requirement(span: Span, inner: Span | None) -> tuple[Note, ...]:
    return () if inner is None or inner == span else (Note(span=inner, text="it is needed here"),)


def _check(span: Span, inner: Span | None, A: Real, shape: tuple[Dim, ...]) -> None:
    if any(impossible(d) for d in shape):
        zero = any(divides_by_zero(d) for d in shape)
        hint = "a size is divided by 0 here" if zero else "more is taken from the array than it has"
        raise Rejected(
            BadDimension(
                span=span,
                what=f"this needs an array of type {A}",
                expected="dimensions that are whole numbers from 0 on",
                notes=_requirement(span, inner),
                hint=hint,
            )
        )
