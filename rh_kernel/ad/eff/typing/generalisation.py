"""``∀ x… e….``: what is still unknown of a declaration's type when all of it is typed may be anything, and gets a name.

The row that nobody writes is that of the declaration itself; a computation of which nothing is known returns a value.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import count

from rh_kernel.ad.eff.core import IMPLICIT
from rh_kernel.ad.eff.types import (
    ComputationMeta,
    ComputationType,
    HandlerScheme,
    Meta,
    Returner,
    Row,
    RowMeta,
    RowVariable,
    Scheme,
    Thunk,
    Variable,
)
from rh_kernel.ad.eff.typing.free_type_vars import Leaf, leaves, leaves_of_computation
from rh_kernel.ad.eff.typing.unification import Unknowns


def function_scheme(E: Row, C: ComputationType, unknowns: Unknowns) -> Scheme:
    """``∀ x… e…. U_E C``"""

    def parts() -> Iterator[Leaf]:
        yield from leaves_of_computation(unknowns.whole_computation(C))
        yield from leaves(unknowns.whole_row(E))

    _name(parts, E, unknowns)
    types, rows = variables(parts())
    return Scheme(types, rows, Thunk(unknowns.whole_row(E), unknowns.whole_computation(C)))


def handler_scheme(H: HandlerScheme, unknowns: Unknowns) -> HandlerScheme:
    """``∀ x… e…. A → … → (B E⇒E' C)``, where H is generic in nothing yet."""

    def parts() -> Iterator[Leaf]:
        for A in H.parameters:
            yield from leaves(unknowns.whole(A))
        yield from leaves(unknowns.whole_row(H.handled))
        yield from leaves(unknowns.whole(H.domain))
        yield from leaves_of_computation(unknowns.whole_computation(H.codomain))
        yield from leaves(unknowns.whole_row(H.around))

    _name(parts, H.around, unknowns)
    types, rows = variables(parts())
    return HandlerScheme(
        types,
        rows,
        tuple(map(unknowns.whole, H.parameters)),
        unknowns.whole(H.domain),
        unknowns.whole_row(H.handled),
        unknowns.whole_row(H.around),
        unknowns.whole_computation(H.codomain),
    )


def named(E: Row, C: ComputationType) -> tuple[Row, ComputationType]:
    """The row and the type of an expression to be shown: what is still unknown has names, as if it were generic in it.

    A thunk that the expression gives has the row that nobody writes.
    """
    unknowns = Unknowns(1 << 60)
    match E.tail, C:
        case RowMeta(), Returner(Thunk(Row(_, RowMeta() as inner), _)):
            unknowns.rows(Row((), E.tail), Row((), inner))
        case _:
            pass
    found = function_scheme(E, C, unknowns).type
    return found.row, found.computation


def named_result(C: ComputationType) -> ComputationType:
    """The type of what an expression gave, to be shown: what is unknown of it has names, unknown rows are not said."""
    unknowns, around = Unknowns(1 << 60), Row((), RowVariable(IMPLICIT))
    for leaf in leaves_of_computation(C):
        if isinstance(leaf, RowMeta) and isinstance(unknowns.known_row(Row((), leaf)).tail, RowMeta):
            unknowns.rows(Row((), leaf), around)
    return function_scheme(around, C, unknowns).type.computation


def variables(found: Iterable[Leaf]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The type variables and the row variables among leaves, each once."""
    types: dict[str, None] = {}
    rows: dict[str, None] = {}
    for leaf in found:
        match leaf:
            case Variable(name):
                types[name] = None
            case RowVariable(name):
                rows[name] = None
            case Meta() | RowMeta() | ComputationMeta():
                pass
    return tuple(types), tuple(rows)


def _name(parts: Callable[[], Iterator[Leaf]], around: Row, unknowns: Unknowns) -> None:
    """Names for all that is unknown; ``parts`` gives the leaves of the type as far as it is known."""
    for leaf in parts():
        if isinstance(leaf, ComputationMeta) and isinstance(unknowns.known_computation(leaf), ComputationMeta):
            unknowns.returning(leaf)
    for leaf in parts():
        if isinstance(leaf, Meta) and leaf.numeric:
            unknowns.default(leaf)
    taken = {name for names in variables(parts()) for name in names}
    types, rows = _names("abcdxyzuvw", taken), _names("efghr", taken)
    own = unknowns.known_row(around).tail
    if isinstance(own, RowMeta) and IMPLICIT not in taken:
        unknowns.rows(Row((), own), Row((), RowVariable(IMPLICIT)))
    for leaf in list(parts()):
        match leaf:
            case Meta() if isinstance(unknowns.known(leaf), Meta):
                unknowns.types(leaf, Variable(next(types)))
            case RowMeta() if isinstance(unknowns.known_row(Row((), leaf)).tail, RowMeta):
                unknowns.rows(Row((), leaf), Row((), RowVariable(next(rows))))
            case Meta() | RowMeta() | ComputationMeta() | Variable() | RowVariable():
                pass


def _names(letters: str, taken: set[str]) -> Iterator[str]:
    """a, b, …, a1, b1, …, and none that is taken."""
    for n in count():
        for letter in letters:
            name = f"{letter}{n or ''}"
            if name not in taken:
                taken.add(name)
                yield name
