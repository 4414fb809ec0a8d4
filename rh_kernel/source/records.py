"""Cheap immutable dataclasses: for thousands of tokens, spans, tree nodes and types, and a hundred kinds of diagnostics.

Immutability is checked by the type checker only, since creating an instance of a dataclass with ``frozen=True`` takes three
times as long. All classes share the same methods, since compiling them for each class would take longer at import than the rest
of the library.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, ClassVar, Protocol, TypeVar, dataclass_transform

Record = TypeVar("Record")


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Any]]


_PARAMETERS = "__dataclass_params__"


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[Record]) -> type[Record]:
    """A slotted immutable dataclass; two instances with equal fields are equal and have the same hash."""
    return _made(cls, dataclass(slots=True, repr=False, eq=False))


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen_kw_only(cls: type[Record]) -> type[Record]:
    """The same without slots and with keyword-only fields."""
    return _made(cls, dataclass(kw_only=True, repr=False, eq=False))


def _made(cls: type[Record], decorate: Callable[[type[Record]], type[Record]]) -> type[Record]:
    own = vars(cls)
    bases: list[type[Any]] = [base for base in cls.__mro__[1:] if _PARAMETERS in vars(base)]
    if any("__setattr__" in vars(base) for base in bases):
        raise TypeError(f"{cls.__name__} inherits from a dataclass that Python watches over")
    # A non-frozen dataclass may not inherit from a frozen one; but one with `frozen=True` may inherit from these.
    _declare(bases, is_frozen=False)
    made: Any = decorate(cls)
    _declare([*bases, made], is_frozen=True)
    compared = [f.name for f in fields(made) if f.compare]
    key: Callable[[Any], Any] = attrgetter(*compared) if compared else _empty_key

    def equal(self: object, other: object) -> bool:
        if self is other:
            return True
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    def hashed(self: object) -> int:
        return hash(key(self))

    for name, method in (("__eq__", equal), ("__hash__", hashed), ("__repr__", _repr)):
        if name not in own:
            setattr(made, name, method)
    return made


def _declare(records: list[type[Any]], *, is_frozen: bool) -> None:
    for record in records:
        getattr(record, _PARAMETERS).frozen = is_frozen


def _empty_key(_: object) -> tuple[()]:
    return ()


@recursive_repr()
def _repr(self: _Dataclass) -> str:
    shown = ", ".join([f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr])
    return f"{type(self).__qualname__}({shown})"
