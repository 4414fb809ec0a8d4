"""The end of elaboration: unknowns are replaced by what was found, and what is left over or impossible is complained about."""

from rh_kernel.primitives.schemes import keeps_entries
from rh_kernel.primitives.table import ROWS, failing
from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.binding import AnyNode, types_and_primitives_within, types_within
from rh_kernel.syntax.core import Bound, Call, Function, Node, Operation, Primitive, RdOf
from rh_kernel.syntax.dimensions import Dim, divides_by_zero, impossible
from rh_kernel.syntax.rebuild import Walk, function_image
from rh_kernel.syntax.types import Real, Type, leaves
from rh_kernel.typing.elaboration.sizes import check_sizes
from rh_kernel.typing.errors import BadDimension, SizesDiffer, Undetermined
from rh_kernel.typing.explaining.complaints import no_such_member
from rh_kernel.typing.unification.atoms import unknowns
from rh_kernel.typing.unification.unify import Unifier


def finished(unifier: Unifier, node: AnyNode, span: Span) -> AnyNode:
    """``node`` without unknowns. Raises ``Rejected`` if an equation is left open, or a dimension was not found."""
    open_equation = unifier.settle()
    if open_equation is not None:
        c, d = open_equation
        left, right = unifier.show(Real((c,)), Real((d,)))
        equation = f"{left[5:-1]} = {right[5:-1]}"
        hint = "state the sizes, for example in the type of a parameter or constant"
        place = _first_open(unifier, (Real((c,)), Real((d,)))) or span
        raise Rejected(Undetermined(span=place, what=f"the solution of {equation}", hint=hint))
    result = unifier.finish(node)
    if unifier.undetermined:
        place, name = _undetermined(unifier)
        hint = "state the size, for example in the type of a parameter, constant or location that it depends on"
        what = f"the dimension `{name}`" if name else "the size of an array"
        raise Rejected(Undetermined(span=place or span, what=what, hint=hint))
    return result


def finished_type(unifier: Unifier, A: Type) -> Type:
    """``A`` without unknowns."""
    return unifier.finish_type(A)


def _undetermined(unifier: Unifier) -> tuple[Span | None, str]:
    """The innermost use of something generic that leaves a dimension open, and what that is called."""
    found: list[tuple[Span, str]] = []
    for span, node in unifier.uses:
        names = [name for _, A in types_within(unifier.finish(node)) if (name := unifier.open_name(A))]
        found += [(span, names[0])] if names else []
    return min(found, key=lambda use: use[0].end - use[0].start, default=(None, ""))


def _first_open(unifier: Unifier, types: tuple[Real, ...]) -> Span | None:
    """The use whose types hold an unknown of these."""
    open_now = {v for A in types for v in unknowns(unifier.type(A))}
    for span, node in unifier.uses:
        if any(open_now & unknowns(unifier.type(A)) for _, A in types_within(node)):
            return span
    return None


def check_dimensions(unifier: Unifier) -> tuple[Dim, ...]:
    """Where something generic is used, no dimension is negative, and functions have what they need. Raises ``Rejected``.

    Returns what has to be 0 or more at each use of what is declared.
    """
    fine: set[Primitive] = set()
    # By identity, what nothing is wrong with: what one use holds, those around it hold too.
    checked: dict[int, Type | Primitive] = {}
    walk = unifier.solutions
    for span, node in unifier.uses:
        if _is_plain(node, fine):
            continue
        if isinstance(node, Call):
            _check_entries(span, node.function, walk)
        types, primitives = types_and_primitives_within(node)
        for inner, f in primitives:
            if id(f) not in checked:
                _check_needs(span, inner, function_image(f, walk))
                checked[id(f)] = f
        for inner, A in types:
            if id(A) not in checked:
                for leaf in leaves(walk.type(A)):
                    if isinstance(leaf, Real) and isinstance(leaf.shape, tuple):
                        _check(span, inner, leaf, leaf.shape)
                checked[id(A)] = A
    return check_sizes(unifier)


def _is_plain(use: Node, fine: set[Primitive]) -> bool:
    """Whether it is seen at a glance that nothing is wrong with a use; ``fine`` are the symbols of which that is known."""
    match use:
        case Operation(_, _, _, A, B):
            return use.loose == 0 and not any(isinstance(i, Node) for i in use.indices) and _is_possible(A) and _is_possible(B)
        case Call(Primitive() as f, Bound()):
            keeps = f in fine or any(keeps_entries(scheme, f.at) for scheme in ROWS[f.name].schemes)
            if f not in fine and keeps and failing(f) is None and _is_possible(f.domain) and _is_possible(f.codomain):
                fine.add(f)
            return f in fine
        case Node():
            return False


def _is_possible(A: Type) -> bool:
    """Whether the type's dimensions are numbers from 0 on."""
    return A.is_concrete and not any(impossible(d) for leaf in leaves(A) if isinstance(leaf, Real) for d in _axes(leaf))


def _axes(A: Real) -> tuple[Dim, ...]:
    return A.shape if isinstance(A.shape, tuple) else ()


def _check_entries(span: Span, f: Function, walk: Walk) -> None:
    """Once more for what was not known yet when the use was met, and for the whole shapes that clauses of ``Get`` have."""
    while isinstance(f, RdOf):
        f = f.of
    f = function_image(f, walk) if isinstance(f, Primitive) else f
    if isinstance(f, Primitive) and not any(keeps_entries(scheme, f.at) for scheme in ROWS[f.name].schemes):
        hint = "reshape keeps the number of entries"
        raise Rejected(SizesDiffer(span=span, found=str(f.domain), expected=f"as many entries as {f.codomain} has", hint=hint))


def _check_needs(span: Span, inner: Span | None, f: Function) -> None:
    """What the types of f do not show, such as ``hi ≤ n`` for ``slice[lo, hi]``."""
    found = failing(f) if isinstance(f, Primitive) else None
    if found is not None:
        raise no_such_member(span, found, str(f.domain), _needed_at(span, inner))


def _needed_at(span: Span, inner: Span | None) -> tuple[Note, ...]:
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
                notes=_needed_at(span, inner),
                hint=hint,
            )
        )
