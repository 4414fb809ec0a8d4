"""Definitions as text: the type, such as ``Real(2) ~> Real(1)``, and the signature, ``f[l : Loc(2)] : Real(2) ~> Real(1)``."""

import re
from dataclasses import replace

from rh_kernel.syntax.core import OrdinaryHandler, ReverseHandler
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim
from rh_kernel.syntax.signature import Parameter
from rh_kernel.syntax.types import Real, Shape, ShapeMeta, ShapeVar, Type, TypeMeta, map_type, show_shape
from rh_kernel.typing import definitions as d


def type_text(definition: d.Definition) -> str:
    """Return the type, preceded by the static parameters as they were declared."""
    match definition:
        case d.DimDefinition():
            return "Dim"
        case d.NumberDefinition():
            return "Real(1)"
        case d.ConstDefinition(_, A, _):
            return str(A)
        case d.LocDefinition(_, location, _):
            return f"Loc({show_shape(location.shape)})"
        case d.LocFamilyDefinition(_, family, _):
            return f"Loc({show_shape(family.shape)})[{family.length}]"
        case d.StateDefinition(_, family):
            return f"Loc({show_shape(family.shape)}) beside each Loc({show_shape(family.of)})"
        case d.FunDefinition(domain=A, codomain=B):
            return f"{A} -> {B}"
        case d.OpDefinition(_, family):
            return f"{family.brackets} {family.domain} -> {family.codomain}".lstrip()
        case d.NetDefinition(statics=statics, domain=A, codomain=B):
            return f"{_statics(statics, ' ')}{A} ~> {B}"
        case d.HandlerDefinition(parameters=parameters, handler=H):
            given = ", ".join(f"{name} : {A}" for name, A in parameters)
            return f"({given}) -> {_handler_type(H)}" if parameters else _handler_type(H)


def signature(definition: d.Definition) -> str:
    """Return the head of a declaration, such as ``FC[l : Loc(m, n)] : Real(n) -> Real(m)``."""
    match definition:
        case d.OpDefinition(name, family):
            return f"{name}{family.brackets} : {family.domain} -> {family.codomain}"
        case d.NetDefinition(name=name, statics=statics):
            return f"{name}{_statics(statics)} : {type_text(replace(definition, statics=()))}"
        case d.HandlerDefinition(name=name, parameters=parameters) if parameters:
            given = ", ".join([f"{parameter} : {A}" for parameter, A in parameters])
            return f"{name}({given}) : {type_text(replace(definition, parameters=()))}"
        case (
            d.HandlerDefinition()
            | d.DimDefinition()
            | d.ConstDefinition()
            | d.NumberDefinition()
            | d.LocDefinition()
            | d.LocFamilyDefinition()
            | d.StateDefinition()
            | d.FunDefinition()
        ):
            return f"{definition.name} : {type_text(definition)}"


def _statics(parameters: tuple[Parameter, ...], end: str = "") -> str:
    return f"[{', '.join(map(str, parameters))}]{end}" if parameters else ""


def _handler_type(H: ReverseHandler | OrdinaryHandler) -> str:
    match H:
        case ReverseHandler(C):
            return f"rev handler({generic((C,))[0]})"
        case OrdinaryHandler(C, D):
            source, target = generic((C, D))
            return f"{source} => {target}"


def generic(types: tuple[Type, ...]) -> tuple[str, ...]:
    """Return types as text, with type metavariables named A, B, … and shape metavariables s, s', …"""
    letters: dict[int, str] = {}
    shapes: dict[int, ShapeVar] = {}

    def letter(A: TypeMeta) -> Type:
        name = letters.setdefault(A.number, chr(ord("A") + len(letters) % 26))
        return Real(ShapeVar(f"∀{name}"))

    def shape(s: ShapeVar | ShapeMeta) -> Shape:
        return shapes.setdefault(s.number, ShapeVar("s" + "'" * len(shapes))) if isinstance(s, ShapeMeta) else s

    def size(n: DimVar | DimMeta) -> Dim | None:
        return dim(f"d{n.number}") if isinstance(n, DimMeta) else None

    shown = [str(map_type(A, size, shape, letter)) for A in types]
    return tuple(re.sub(r"Real\(∀(.)…\)", r"\1", text) for text in shown)
