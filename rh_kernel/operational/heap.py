"""Heaps ``hp : Loc → values`` and the rules for ``Get`` and ``Put`` (RH Ex. 5.13).

``(hp, F^c[Get^ℓ()]) → (hp, F^c[⌊hp(ℓ)⌋])`` and ``(hp, F^c[Put^ℓ(V)]) → (hp[ℓ ↦ V], F^c[⌊0⌋])``.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rh_kernel.operational.errors import NoContent
from rh_kernel.paper import Rule
from rh_kernel.primitives.values import to_array
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.core import Array, Command, Const, Perform, Return
from rh_kernel.syntax.runtime_errors import no_such_member
from rh_kernel.syntax.signature import Location, Member
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
        for location, content in contents.items():
            held[location] = content if not content.flags.writeable else _frozen(content)
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
        return Heap({**self._contents, location: content})

    def after(self, change: Change | None) -> "Heap":
        """Return the heap after the change of a step."""
        return self if change is None else self.put(change.location, change.content)


def access(M: Perform, hp: Heap) -> tuple[Rule, Command, Change | None] | None:
    """Return the rule, the contractum and the change for ``Get^ℓ()`` or ``Put^ℓ(V)``; ``None`` for other operations.

    Raises ``Stuck`` if ℓ is not in the heap.
    """
    family, indices = M.operation.family, M.operation.indices
    reads = family is GET or family == GET
    if not reads and family != PUT:
        return None
    (location,) = indices
    if isinstance(location, Member):
        raise no_such_member(location, M.span)
    if not isinstance(location, Location):
        return None
    content = hp.get(location)
    if content is None:
        raise Stuck(NoContent(span=M.span, location=location.name, hint=f"declare it: `loc {location.name} = …`"))
    if reads:
        return Rule.GET, Return(Const(content), span=M.span), None
    return Rule.PUT, Return(UNIT_VALUE, span=M.span), Change(location, to_array(M.argument, content.dtype))


def _frozen(content: Array) -> Array:
    copy = content.copy()
    copy.setflags(write=False)
    return copy
