"""The type of a definition as text: ``Real(2) ~> Real(1)`` for a net, ``rev handler(Real(k))`` for a handler."""

import re

from rh_kernel.syntax.core import OrdinaryHandler, ReverseHandler
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim
from rh_kernel.syntax.signature import Parameter
from rh_kernel.syntax.types import Real, Shape, ShapeMeta, ShapeVar, Type, TypeMeta, map_type, show_shape
from rh_kernel.typing.definitions import (
    ConstDefinition,
    Definition,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    NetDefinition,
    OpDefinition,
)


def type_text(definition: Definition) -> str:
    """The type; static parameters stand in front of it, as they were declared."""
    match definition:
        case DimDefinition():
            return "Dim"
        case ConstDefinition(_, A, _):
            return str(A)
        case LocDefinition(_, location, _):
            return f"Loc({show_shape(location.shape)})"
        case FunDefinition(domain=A, codomain=B):
            return f"{A} -> {B}"
        case OpDefinition(_, family):
            return f"{_statics(family.parameters)}{family.domain} -> {family.codomain}"
        case NetDefinition(statics=statics, domain=A, codomain=B):
            return f"{_statics(statics)}{A} ~> {B}"
        case HandlerDefinition(parameters=parameters, handler=H):
            given = ", ".join(f"{name} : {A}" for name, A in parameters)
            return f"({given}) -> {_handler(H)}" if parameters else _handler(H)


def _handler(H: ReverseHandler | OrdinaryHandler) -> str:
    match H:
        case ReverseHandler(C):
            return f"rev handler({generic((C,))[0]})"
        case OrdinaryHandler(C, D):
            source, target = generic((C, D))
            return f"{source} => {target}"


def generic(types: tuple[Type, ...]) -> tuple[str, ...]:
    """Types as text; what each use may choose for itself is called A, B, …, and a shape s, s', …"""
    letters: dict[int, str] = {}
    shapes: dict[int, ShapeVar] = {}

    def letter(A: TypeMeta) -> Type:
        name = letters.setdefault(A.number, chr(ord("A") + len(letters) % 26))
        return Real(ShapeVar(f"∀{name}"))

    def shape(s: ShapeVar | ShapeMeta) -> Shape:
        return shapes.setdefault(s.number, ShapeVar("s" + "'" * len(shapes))) if isinstance(s, ShapeMeta) else s

    def size(d: DimVar | DimMeta) -> Dim | None:
        return dim(f"d{d.number}") if isinstance(d, DimMeta) else None

    shown = [str(map_type(A, size, shape, letter)) for A in types]
    return tuple(re.sub(r"Real\(∀(.)…\)", r"\1", text) for text in shown)


def _statics(parameters: tuple[Parameter, ...]) -> str:
    return f"[{', '.join(map(str, parameters))}] " if parameters else ""
