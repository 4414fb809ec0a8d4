"""Families of locations, ``ws[0]``, …, ``ws[n - 1]``: their declaration, members and use as an index (LANGUAGE §9)."""

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.signature import Location, LocationFamily, LocFamily, Member, member
from rh_kernel.syntax.types import Real
from rh_kernel.typing.context import Context
from rh_kernel.typing.definitions import Initial, LocDefinition, LocFamilyDefinition, kind_of
from rh_kernel.typing.diagnostics.origins import chosen, where
from rh_kernel.typing.diagnostics.shared import unknown_name
from rh_kernel.typing.elaboration.dimensions import elaborate_dim, elaborate_number
from rh_kernel.typing.errors import BadDimension, IndexOutOfRange, NotADimension, WrongIndex

MOST = 100_000
"""The maximum number of locations of a family."""


def declared_family(cx: Context, item: items.LocDeclaration, length: s.Expr, initial: Initial, A: Real) -> LocFamilyDefinition:
    """``loc ws[n] : A = …``. Raises ``Rejected`` if n is not a number, or is too large."""
    n = elaborate_dim(cx, length)
    if n.constant is None:
        why, hint = f"`{length.span.text}` has no value here", "write a number, or a name declared by `dim`"
        raise Rejected(NotADimension(span=length.span, why=why, expected="a whole number", hint=hint))
    if n.constant > MOST:
        hint = "for many small arrays use one location with one axis more"
        what = f"this family has {n.constant:,} locations"
        raise Rejected(BadDimension(span=length.span, what=what, expected=f"at most {MOST:,}", hint=hint))
    name = item.name.text
    version = cx.definitions.versions.get(name, 0)
    return LocFamilyDefinition(name, LocationFamily(name, A.shape, n, version), initial)


def family_named(cx: Context, name: str) -> LocFamily | None:
    """The family that a name stands for, a parameter or a declared one, or ``None``."""
    if cx.families and name in cx.families:
        return cx.families[name]
    match cx.definitions.get(name):
        case LocFamilyDefinition(_, family) if name not in (cx.locations or ()):
            return family
        case _:
            return None


def elaborate_family(cx: Context, head: str, written: s.Expr) -> LocFamily:
    """The family of locations that is an index of ``head``. Raises ``Rejected`` if it is anything else."""
    found = f"`{written.span.text}`"
    match written:
        case s.Var(name) if (family := family_named(cx, name)) is not None:
            return family
        case s.Var(name):
            definition = cx.definitions.get(name)
            if definition is None and name not in (cx.locations or ()) and cx.look_up(name) is None:
                names = [*(cx.families or {}), *cx.declared(LocFamilyDefinition)]
                raise unknown_name(cx, name, written.span, names, f"declare it: `loc {name}[3] : Real(2, 2) = zeros`")
            if name in (cx.locations or ()):
                found = f"`{name}`, a location"
            elif definition is not None:
                found = f"`{name}`, {kind_of(definition)}"
        case _:
            pass
    why = f"this index of `{head}` must be a family of locations"
    hint = f"`loc ws[3] : Real(2, 2) = zeros` declares one; then write `{head}[ws](…)`"
    raise Rejected(WrongIndex(span=written.span, why=why, found=found, hint=hint, notes=_notes(cx, written, head)))


def elaborate_member(cx: Context, head: str, written: s.Family) -> Location | Member:
    """``ws[i]`` as an index of ``head``. Raises ``Rejected`` if ws is not a family of locations, or i not in it."""
    name = written.head.text
    family = family_named(cx, name)
    if family is None:
        is_location = name in (cx.locations or ()) or isinstance(cx.definitions.get(name), LocDefinition)
        if cx.definitions.get(name) is None and not is_location and cx.look_up(name) is None:
            names = [*(cx.families or {}), *cx.declared(LocFamilyDefinition)]
            hint = f"declare it: `loc {name}[3] : Real(2, 2) = zeros`"
            raise unknown_name(cx, name, written.head.span, names, hint)
        definition = cx.definitions.get(name)
        is_a = "a location" if is_location else "a variable" if definition is None else kind_of(definition)
        why = f"`{name}` is {is_a}, and only a family of locations has an index"
        hint = f"write `{head}[{name}](…)`" if is_location else "`loc ws[3] : Real(2, 2) = zeros` declares a family"
        raise Rejected(WrongIndex(span=written.span, why=why, hint=hint, notes=_notes(cx, written, name)))
    if len(written.indices) != 1:
        why = f"a family has one index, but this has {len(written.indices)}"
        hint = "the shape of its locations has no part in the index"
        raise Rejected(WrongIndex(span=written.span, why=why, expected=f"`{name}[i]`", hint=hint))
    (index,) = written.indices
    i = elaborate_number(cx, index)
    if is_outside(i, family.length):
        raise out_of_range(index.span, Member(family, i), notes=_notes(cx, index, name))
    return member(family, i)


def is_outside(i: Dim, n: Dim) -> bool:
    """Whether i is certainly none of 0, …, n - 1."""
    last = (n - i).constant
    return (i.constant is not None and i.constant < 0) or (last is not None and last <= 0)


def out_of_range(span: Span, loc: Member, where: str = "", notes: tuple[Note, ...] = ()) -> Rejected:
    """The diagnostic for ``ws[i]`` that does not exist; ``where`` says in which round."""
    family, n = loc.family, loc.family.length
    expected = "no index: it has no locations" if n.constant == 0 else f"an index from 0 to {n - dim(1)}"
    hint = f"`{family.name}` has {n} location{'' if n.constant == 1 else 's'}, numbered from 0"
    found = f"`{loc.name}`{where}"
    return Rejected(IndexOutOfRange(span=span, found=found, expected=expected, hint=hint, family=family.name, notes=notes))


def no_single_location(cx: Context, head: str, written: s.Var) -> Rejected:
    """The diagnostic for a family where one location is needed."""
    why = f"`{written.name}` is a family of locations, but `{head}` needs one location here"
    hint = f"write the index of one of them: `{head}[{written.name}[0]](…)`"
    return Rejected(WrongIndex(span=written.span, why=why, hint=hint, notes=_notes(cx, written, written.name)))


def other_length(cx: Context, head: str, written: s.Expr, family: LocFamily, wanted: Dim) -> Rejected:
    """The diagnostic for a family with another number of locations than ``head`` needs."""
    why = f"`{family.name}` has {family.length} locations"
    hint = f"`{head}` needs a family of another length here"
    notes = _notes(cx, written, family.name, head)
    expected = f"{wanted} locations"
    return Rejected(WrongIndex(span=written.span, why=why, expected=expected, hint=hint, notes=notes))


def _notes(cx: Context, written: s.Expr, *names: str) -> tuple[Note, ...]:
    named = [written.name] if isinstance(written, s.Var) else []
    return tuple(chosen(written.span, where(cx, *dict.fromkeys([*named, *names]))))
