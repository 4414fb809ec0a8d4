"""What the names of a session stand for: one frozen record for each kind of declaration."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from rh_kernel.source.span import Span
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.core import Handler, Scope, Term
from rh_kernel.syntax.signature import Family, Location, Parameter
from rh_kernel.syntax.types import Type


@dataclass(frozen=True, slots=True)
class DimDefinition:
    """``dim n_hid = 3``"""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class ConstDefinition:
    """``const t : A = M``: ``term`` is closed; the session evaluates it before the name can be used."""

    name: str
    type: Type
    term: Term


@dataclass(frozen=True, slots=True)
class Written:
    """A content given by a closed term: mostly a literal."""

    term: Term


@dataclass(frozen=True, slots=True)
class Drawn:
    """``zeros ones eye normal uniform glorot``, with their numbers; ``seed`` for the random ones."""

    how: str
    numbers: tuple[float, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class Loaded:
    """``load("w.npy")``"""

    path: str


Initial: TypeAlias = Written | Drawn | Loaded


@dataclass(frozen=True, slots=True)
class LocDefinition:
    """``loc w0 : Real(3, 2) = normal(0.5, seed=1)``"""

    name: str
    location: Location
    initial: Initial


@dataclass(frozen=True, slots=True)
class FunDefinition:
    """``fun f(x : A) : B = M``: scopes ``x. M`` and ``w, x. N``, generic in ``variables``."""

    name: str
    variables: tuple[str, ...]
    parameters: tuple[tuple[str, Type], ...]
    domain: Type
    codomain: Type
    body: Scope
    own: Scope | None


@dataclass(frozen=True, slots=True)
class OpDefinition:
    """``op FC[l : Loc(m, n)] : A -> B``"""

    name: str
    family: Family


@dataclass(frozen=True, slots=True)
class NetDefinition:
    """``net mlp[l : Loc(m, n), a : C](x : A) : B = R``: the scope ``a…, x. R``, generic in ``variables``."""

    name: str
    variables: tuple[str, ...]
    statics: tuple[Parameter, ...]
    parameters: tuple[tuple[str, Type], ...]
    domain: Type
    codomain: Type
    body: Scope


@dataclass(frozen=True, slots=True)
class HandlerDefinition:
    """``handler sgd(alpha : A, t : B) = { … }``, generic in ``variables``.

    ``handler`` leaves the parameters loose: the last one is index 0. Where the text leaves its type open, unknowns are left in
    it, and each use has its own.
    """

    name: str
    variables: tuple[str, ...]
    parameters: tuple[tuple[str, Type], ...]
    handler: Handler


Definition: TypeAlias = (
    DimDefinition | ConstDefinition | LocDefinition | FunDefinition | OpDefinition | NetDefinition | HandlerDefinition
)


@dataclass(frozen=True, slots=True)
class Declared:
    """A definition and the place of its name, ``None`` for what is built in."""

    definition: Definition
    span: Span | None


@dataclass(frozen=True, slots=True)
class Definitions:
    """All names of a session; adding one gives a new value. ``failed`` are the names whose declaration has an error."""

    named: Mapping[str, Declared]
    failed: frozenset[str] = frozenset()

    def get(self, name: str) -> Definition | None:
        """What ``name`` stands for."""
        declared = self.named.get(name)
        return None if declared is None else declared.definition

    def with_(self, definition: Definition, span: Span | None) -> "Definitions":
        """These and one more; the older meaning of the name is gone for what comes later."""
        named = {**self.named, definition.name: Declared(definition, span)}
        return Definitions(MappingProxyType(named), self.failed - {definition.name})

    def without(self, name: str) -> "Definitions":
        """These, with a note that the declaration of ``name`` has an error."""
        named = {k: v for k, v in self.named.items() if k != name}
        return Definitions(MappingProxyType(named), self.failed | {name})


BUILT_IN = Definitions(
    MappingProxyType(
        {
            "Get": Declared(OpDefinition("Get", GET), None),
            "Put": Declared(OpDefinition("Put", PUT), None),
        }
    )
)


def kind_of(definition: Definition) -> str:
    """The words for this kind of thing, with the article."""
    match definition:
        case DimDefinition():
            return "a dimension"
        case ConstDefinition():
            return "a constant"
        case LocDefinition():
            return "a location"
        case FunDefinition():
            return "a function"
        case OpDefinition():
            return "an operation"
        case NetDefinition():
            return "a net"
        case HandlerDefinition():
            return "a handler"
