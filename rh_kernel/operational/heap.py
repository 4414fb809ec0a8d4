"""Heaps ``hp : Loc → values`` and the rules for ``Get`` and ``Put`` (RH Ex. 5.13), and for draws (LANGUAGE §9).

``(hp, F^c[Get^ℓ()]) → (hp, F^c[⌊hp(ℓ)⌋])`` and ``(hp, F^c[Put^ℓ(V)]) → (hp[ℓ ↦ V], F^c[⌊0⌋])``. The heap also holds the number
of draws made. Draws go by number: one gives the random numbers that have this number, and adds 1 to it. ``BatchMean(V)`` is
here, too, although it leaves the heap as it is: ``F^c[BatchMean(V)] → F^c[⌊V⌋]``, as in a batch of one sample.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rh_kernel.operational.errors import NoContent
from rh_kernel.paper import Rule
from rh_kernel.primitives.contents import content
from rh_kernel.primitives.draws import Stream, count, draws_in, seed_in
from rh_kernel.primitives.schemes import extent
from rh_kernel.primitives.values import to_array
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.builtin import BATCH_MEAN, DRAWS, GET, PUT, is_draw
from rh_kernel.syntax.core import Array, Command, Const, Perform, Return
from rh_kernel.syntax.runtime_errors import no_such_member
from rh_kernel.syntax.signature import Location, Member, StateOf, within
from rh_kernel.syntax.values import UNIT_VALUE


@dataclass(frozen=True, slots=True)
class Change:
    """``[ℓ ↦ v]``, a step's change of the heap"""

    location: Location
    content: Array


class Heap(Mapping[Location, Array]):
    """An immutable mapping from locations to read-only arrays; heaps share their contents."""

    __slots__ = ("_contents",)

    def __init__(self, contents: Mapping[Location, Array] = MappingProxyType({})) -> None:
        held: dict[Location, Array] = {}
        for location, array in contents.items():
            held[location] = array if not array.flags.writeable else _frozen(array)
        self._contents = held

    def __getitem__(self, location: Location) -> Array:
        return self._contents[location]

    def __iter__(self) -> Iterator[Location]:
        return iter(self._contents)

    def __len__(self) -> int:
        return len(self._contents)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Heap):
            return NotImplemented
        return self.keys() == other.keys() and all(np.array_equal(v, other[l], equal_nan=True) for l, v in self.items())

    def __hash__(self) -> int:
        return hash(frozenset(self._contents))

    def __repr__(self) -> str:
        return f"Heap({self._contents!r})"

    def put(self, location: Location, content: Array) -> "Heap":
        """``hp[ℓ ↦ v]``"""
        made = Heap.__new__(Heap)
        _set_contents(made, {**self._contents, location: content if not content.flags.writeable else _frozen(content)})
        return made

    def after(self, change: Change | None) -> "Heap":
        """Return the heap after the change of a step."""
        return self if change is None else self.put(change.location, change.content)


_set_contents: Callable[[Heap, dict[Location, Array]], None] = vars(Heap)["_contents"].__set__
"""Sets the contents of a new heap, all of which are known to be read-only."""


def access(M: Perform, hp: Heap) -> tuple[Rule, Command, Change | None] | None:
    """Return the rule, the contractum and the change for a built-in operation, and ``None`` for other operations.

    Raises ``Stuck`` if ℓ is not in the heap.
    """
    family, indices = M.operation.family, M.operation.indices
    # Comparing families takes longer than all the rest; those of the language are mostly the same objects.
    reads = family is GET or (family is not PUT and family == GET)
    if not reads and family is not PUT and family != PUT:
        if family == BATCH_MEAN:
            return Rule.BATCH_MEAN, Return(M.argument, span=M.span), None
        return _drawn(M, hp) if is_draw(family) else None
    (location,) = indices
    missing = within(location) if isinstance(location, StateOf) else location
    if isinstance(missing, Member):
        raise no_such_member(missing, M.span)
    if not isinstance(location, Location):
        return None
    V = content(hp, location)
    if V is None:
        raise Stuck(NoContent(span=M.span, location=location.name, hint=f"declare it: `loc {location.name} = …`"))
    if reads:
        return Rule.GET, Return(Const(V), span=M.span), None
    return Rule.PUT, Return(UNIT_VALUE, span=M.span), Change(location, to_array(M.argument, V.dtype))


def _drawn(M: Perform, hp: Heap) -> tuple[Rule, Command, Change]:
    number, shape = draws_in(hp), extent(M.operation.codomain)
    numbers = Stream(seed_in(hp)).draw(M.operation.family, shape, number)
    return Rule.DRAW, Return(Const(numbers), span=M.span), Change(DRAWS, count(number + 1))


def _frozen(content: Array) -> Array:
    copy = content.copy()
    copy.setflags(write=False)
    return copy
