"""Locations at a use: ``w``, a parameter, a member ``ws[i]`` of a family, and ``velocity[w]``, state beside a location."""

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.signature import Loc, Location, StateOf, state_of
from rh_kernel.syntax.types import show_shape
from rh_kernel.typing.context import Context
from rh_kernel.typing.definitions import LocDefinition, StateDefinition, kind_of
from rh_kernel.typing.diagnostics.origins import chosen, where
from rh_kernel.typing.diagnostics.shared import unknown_name
from rh_kernel.typing.elaboration.location_families import elaborate_member, family_named, no_single_location
from rh_kernel.typing.errors import WrongIndex


def elaborate_location(cx: Context, head: str, written: s.Expr) -> Loc:
    """The location that is an index of ``head``. Raises ``Rejected`` if it is anything else."""
    match written:
        case s.Var(name) if cx.locations and name in cx.locations:
            return cx.locations[name]
        case s.Family():
            return _state(cx, written) or elaborate_member(cx, head, written)
        case s.Var(name) if family_named(cx, name) is not None:
            raise no_single_location(cx, head, written)
        case s.Var(name):
            match cx.definitions.get(name):
                case LocDefinition(_, location):
                    return location
                case None:
                    if cx.look_up(name) is None:
                        names = [*(cx.locations or {}), *cx.declared(LocDefinition)]
                        known = ", ".join(f"`{n}`" for n in names)
                        hint = (
                            f"locations here: {known}"
                            if 0 < len(names) <= 6
                            else f"declare it: `loc {name} : Real(3, 2) = zeros`"
                        )
                        raise unknown_name(cx, name, written.span, names, hint)
                    found = "a variable"
                case StateDefinition():
                    why = f"`{name}` is state beside locations, and `{head}` needs one location here"
                    hint = f"write whose state it is: `{head}[{name}[w]](…)`"
                    raise Rejected(
                        WrongIndex(span=written.span, why=why, hint=hint, notes=chosen(written.span, where(cx, name)))
                    )
                case other:
                    found = kind_of(other)
            raise _no_location(cx, head, written, f"`{name}`, {found}")
        case _:
            raise _no_location(cx, head, written, f"`{written.span.text}`")


def _no_location(cx: Context, head: str, written: s.Expr, found: str) -> Rejected:
    hint = f"`loc w : Real(3, 2) = zeros` declares one; then write `{head}[w](…)`"
    why = f"this index of `{head}` must be a location"
    notes = chosen(written.span, where(cx, *([written.name] if isinstance(written, s.Var) else []), head))
    return Rejected(WrongIndex(span=written.span, why=why, found=found, hint=hint, notes=notes))


def _state(cx: Context, written: s.Family) -> Location | StateOf | None:
    """``velocity[l]``, or ``None`` if velocity is no state. Raises ``Rejected`` if l is not a location that it is beside."""
    name = written.head.text
    definition = cx.definitions.get(name)
    if not isinstance(definition, StateDefinition) or name in (cx.families or ()):
        return None
    if len(written.indices) != 1:
        why = f"`{name}` has one index, but this has {len(written.indices)}"
        raise Rejected(WrongIndex(span=written.span, why=why, expected=f"`{name}[l]`", hint="the index is a location"))
    (index,) = written.indices
    base = elaborate_location(cx, name, index)
    if not definition.family.fits(base.shape):
        why = f"`{name}` is beside locations of another shape"
        found, expected = f"Loc({show_shape(base.shape)})", f"Loc({show_shape(definition.family.of)})"
        notes = chosen(index.span, where(cx, name))
        hint = "declared with `l : Loc(s…)`, state is beside every location"
        raise Rejected(WrongIndex(span=index.span, why=why, found=found, expected=expected, hint=hint, notes=notes))
    return state_of(definition.family, base)
