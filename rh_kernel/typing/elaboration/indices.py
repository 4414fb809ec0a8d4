"""Static indices at a use: ``FC[w0]``, ``MaxPool1D[2]``, ``dense[w0, 0.1]`` (LANGUAGE §3, square brackets)."""

from rh_kernel.syntax import surface as s
from rh_kernel.syntax.binding import Static, specialise_shape, specialise_type
from rh_kernel.syntax.core import Index, Term
from rh_kernel.syntax.dimensions import Dim, substitute
from rh_kernel.syntax.signature import (
    DimKind,
    Loc,
    Location,
    LocFamily,
    LocFamilyKind,
    LocKind,
    Parameter,
    ValueKind,
)
from rh_kernel.syntax.types import Real
from rh_kernel.typing.context import INDEX, Context, Zone
from rh_kernel.typing.definitions import LocDefinition
from rh_kernel.typing.diagnostics.hints import Expectation
from rh_kernel.typing.diagnostics.origins import origins
from rh_kernel.typing.diagnostics.shared import count_of, signature, types_differ, wrong_indices
from rh_kernel.typing.elaboration.dimensions import elaborate_dim
from rh_kernel.typing.elaboration.location_families import (
    elaborate_family,
    other_length,
)
from rh_kernel.typing.elaboration.locations import elaborate_location
from rh_kernel.typing.elaboration.terms import Terms
from rh_kernel.typing.unification.unify import Unifier

CLOSED = frozenset({Zone.DELTA, Zone.CONTINUATION})


def elaborate_indices(
    cx: Context, unifier: Unifier, terms: Terms, e: s.Apply, parameters: tuple[Parameter, ...], static: Static
) -> tuple[tuple[Index, ...], Static]:
    """Elaborate the indices of ``e``; return them, and ``static`` extended by the location and dimension parameters.

    Raises ``Rejected`` if an index is of the wrong kind, or a location of the wrong shape.
    """
    if len(e.indices) != len(parameters):
        named = any(isinstance(p.kind, LocKind) for p in parameters)
        hint = f"the location goes in square brackets: `{e.head.text}[w](…)`" if named and not e.indices else ""
        raise wrong_indices(cx, e.head, e.indices, count_of(len(parameters), "index"), signature(e.head.text, parameters), hint)
    indices: list[Index] = []
    given = list(zip(parameters, e.indices, strict=True))
    dims = {**static.dims, **{p.name: elaborate_dim(cx, written) for p, written in given if isinstance(p.kind, DimKind)}}
    locations, families = dict(static.locations), dict(static.families)
    for parameter, written in given:
        match parameter.kind:
            case DimKind():
                indices.append(dims[parameter.name])
            case LocKind(shape):
                loc = elaborate_location(cx, e.head.text, written)
                wanted = unifier.shape(specialise_shape(shape, Static(dims, static.shapes, {})))
                if not unifier.unify_shapes(loc.shape, wanted):
                    asked = _asked(cx, unifier, e, parameter)
                    what = f"the content of `{loc.name}`"
                    story = origins(cx, unifier, written)
                    raise types_differ(unifier, written.span, what, Real(loc.shape), Real(wanted), asked, story)
                locations[parameter.name] = loc
                indices.append(loc)
            case ValueKind(A):
                asked = _asked(cx, unifier, e, parameter)
                B = specialise_type(A, Static(dims, static.shapes, {}))
                indices.append(terms.check(cx.bar(CLOSED, INDEX), written, B, asked))
            case LocFamilyKind():
                family = _family(cx, unifier, e, parameter, parameter.kind, written, Static(dims, static.shapes, {}))
                families[parameter.name] = family
                indices.append(family)
    return tuple(indices), Static(dims, static.shapes, locations, families, static.avoid)


def _family(
    cx: Context, unifier: Unifier, e: s.Apply, parameter: Parameter, kind: LocFamilyKind, written: s.Expr, static: Static
) -> LocFamily:
    """The family of locations at this index. Raises ``Rejected`` if its locations or their number do not fit."""
    family = elaborate_family(cx, e.head.text, written)
    wanted, length = unifier.shape(specialise_shape(kind.shape, static)), unifier.dim(substitute(kind.length, static.dims))
    if not unifier.unify_shapes(family.shape, wanted):
        what, story = f"the content of a location of `{family.name}`", origins(cx, unifier, written)
        asked = _asked(cx, unifier, e, parameter)
        raise types_differ(unifier, written.span, what, Real(family.shape), Real(wanted), asked, story)
    if not unifier.unify_dims(family.length, length):
        raise other_length(cx, e.head.text, written, family, length)
    return family


def located(cx: Context, e: s.Apply, parameters: tuple[Parameter, ...]) -> tuple[Location, ...]:
    """The declared locations of ``e``, if its indices are nothing else and need no elaboration; otherwise an empty tuple."""
    if len(e.indices) != len(parameters):
        return ()
    found: list[Location] = []
    for parameter, written in zip(parameters, e.indices, strict=True):
        if not isinstance(parameter.kind, LocKind) or not isinstance(written, s.Var) or written.name in (cx.locations or ()):
            return ()
        definition = cx.definitions.get(written.name)
        if not isinstance(definition, LocDefinition):
            return ()
        found.append(definition.location)
    return tuple(found)


def _asked(cx: Context, unifier: Unifier, e: s.Apply, parameter: Parameter) -> Expectation:
    head = s.Apply(e.head, (), (), span=e.head.span)
    return Expectation(f"the index `{parameter.name}` of `{e.head.text}`", story=lambda: origins(cx, unifier, head))


def values_of(indices: tuple[Index, ...], parameters: tuple[Parameter, ...]) -> tuple[Term, ...]:
    """The indices that are closed values."""
    return tuple(
        i
        for i, p in zip(indices, parameters, strict=True)
        if isinstance(p.kind, ValueKind) and not isinstance(i, Loc | LocFamily | Dim)
    )
