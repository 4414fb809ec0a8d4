"""Generalisation, ``∀ x… e….``: the unknown types that remain in the type of a declaration become its bound variables.

The row of the declaration itself gets the implicit row variable; an unknown computation type returns a value.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import count

from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.core import IMPLICIT
from rh_kernel.ad.eff.typing.type_traversal import Leaf, TypeNode, leaves
from rh_kernel.ad.eff.typing.unification import Unknowns


def function_scheme(E: t.Row, C: t.ComputationType, unknowns: Unknowns) -> t.Scheme:
    """``∀ x… e…. U_E C``"""

    def types() -> Iterator[TypeNode]:
        yield unknowns.whole(C)
        yield unknowns.whole(E)

    _name(types, E, unknowns)
    return t.Scheme(*variables(*types()), t.Thunk(unknowns.whole(E), unknowns.whole(C)))


def handler_scheme(H: t.HandlerScheme, unknowns: Unknowns) -> t.HandlerScheme:
    """``∀ x… e…. A → … → (B E⇒E' C)``, where H has no bound variables yet."""

    def types() -> Iterator[TypeNode]:
        yield from map(unknowns.whole, H.parameters)
        yield unknowns.whole(H.handled)
        yield unknowns.whole(H.domain)
        yield unknowns.whole(H.codomain)
        yield unknowns.whole(H.around)

    _name(types, H.around, unknowns)
    return t.HandlerScheme(
        *variables(*types()),
        tuple(map(unknowns.whole, H.parameters)),
        unknowns.whole(H.domain),
        unknowns.whole(H.handled),
        unknowns.whole(H.around),
        unknowns.whole(H.codomain),
    )


def named(E: t.Row, C: t.ComputationType) -> tuple[t.Row, t.ComputationType]:
    """The row and the type of an expression for display, with names for what is unknown.

    The row of a thunk that the expression returns becomes the implicit one.
    """
    unknowns = Unknowns.apart()
    match E.tail, C:
        case t.RowMeta(), t.Returner(t.Thunk(t.Row(_, t.RowMeta() as inner), _)):
            unknowns.unify(t.Row((), E.tail), t.Row((), inner))
        case _:
            pass
    found = function_scheme(E, C, unknowns).type
    return found.row, found.computation


def named_result(C: t.ComputationType) -> t.ComputationType:
    """The type of a result for display: unknown types get names, and unknown rows are implicit."""
    unknowns, around = Unknowns.apart(), t.Row((), t.RowVariable(IMPLICIT))
    for leaf in leaves(C):
        if isinstance(leaf, t.RowMeta) and isinstance(unknowns.known_row(t.Row((), leaf)).tail, t.RowMeta):
            unknowns.unify(t.Row((), leaf), around)
    return function_scheme(around, C, unknowns).type.computation


def variables(*types: TypeNode) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The type variables and the row variables in types, each once, from left to right."""
    found = [leaf for A in types for leaf in leaves(A)]
    return _names_of(t.Variable, found), _names_of(t.RowVariable, found)


def _names_of(kind: type[t.Variable | t.RowVariable], found: Iterable[Leaf]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(leaf.name for leaf in found if isinstance(leaf, kind)))


def _name(types: Callable[[], Iterator[TypeNode]], around: t.Row, unknowns: Unknowns) -> None:
    """Give names to all that is unknown in ``types()``, which is the type of a declaration as far as it is known."""

    def unknown() -> list[Leaf]:
        return [leaf for A in types() for leaf in leaves(A)]

    for leaf in unknown():
        if isinstance(leaf, t.ComputationMeta) and isinstance(unknowns.known(leaf), t.ComputationMeta):
            unknowns.returning(leaf)
    for leaf in unknown():
        if isinstance(leaf, t.Meta):
            unknowns.default(leaf)
    taken = {name for names in variables(*types()) for name in names}
    type_names, row_names = _fresh_names("abcdxyzuvw", taken), _fresh_names("efghr", taken)
    own = unknowns.known_row(around).tail
    if isinstance(own, t.RowMeta) and IMPLICIT not in taken:
        unknowns.unify(t.Row((), own), t.Row((), t.RowVariable(IMPLICIT)))
    for leaf in unknown():
        match leaf:
            case t.Meta() if isinstance(unknowns.known(leaf), t.Meta):
                unknowns.unify(leaf, t.Variable(next(type_names)))
            case t.RowMeta() if isinstance(unknowns.known_row(t.Row((), leaf)).tail, t.RowMeta):
                unknowns.unify(t.Row((), leaf), t.Row((), t.RowVariable(next(row_names))))
            case _:
                pass


def _fresh_names(letters: str, taken: set[str]) -> Iterator[str]:
    """a, b, …, a1, b1, …, without those that are taken."""
    for n in count():
        for letter in letters:
            name = f"{letter}{n or ''}"
            if name not in taken:
                taken.add(name)
                yield name
