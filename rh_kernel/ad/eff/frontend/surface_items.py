"""Surface syntax of the items of ``%%eff`` cells."""

from typing import TypeAlias

from rh_kernel.ad.eff.frontend.surface import Clauses, ComputationType, Expr, Pattern, Type
from rh_kernel.source.records import frozen
from rh_kernel.syntax.surface import Name, Written


@frozen
class Parameter(Written):
    """``x``, or a row ``[e]``, of a data type or an effect"""

    name: Name
    is_row: bool


@frozen
class Constructor(Written):
    """``Paired x x``"""

    name: Name
    fields: tuple[Type, ...]


@frozen
class DataItem(Written):
    """``data Paired x = Paired x x``"""

    name: Name
    parameters: tuple[Parameter, ...]
    constructors: tuple[Constructor, ...]


@frozen
class Operation(Written):
    """``ap1 : Unary -> x -> x``"""

    name: Name
    domain: tuple[Type, ...]
    codomain: Type


@frozen
class EffectItem(Written):
    """``effect Smooth x = ap0 : … | …``"""

    name: Name
    parameters: tuple[Parameter, ...]
    operations: tuple[Operation, ...]


@frozen
class FunItem(Written):
    """``fun f x (p : A) : [E] B = M``"""

    name: Name
    parameters: tuple[tuple[Pattern, Type | None], ...]
    result: ComputationType | None
    body: Expr


@frozen
class FunItems(Written):
    """``fun f x = M and g y = N …``: functions that use each other"""

    functions: tuple[FunItem, ...]


@frozen
class HandlerItem(Written):
    """``handler h x (y : A)… = return p -> M | <op p… -> k> -> N | …``"""

    name: Name
    parameters: tuple[tuple[Name, Type | None], ...]
    clauses: Clauses


@frozen
class IncludeItem(Written):
    """``include smooth``"""

    name: Name


@frozen
class RunItem(Written):
    """An expression to run"""

    expression: Expr


@frozen
class DirectiveItem(Written):
    """``%trace M``, ``%count M`` or ``%type M``"""

    directive: Name
    expression: Expr


Item: TypeAlias = DataItem | EffectItem | FunItem | FunItems | HandlerItem | IncludeItem | RunItem | DirectiveItem
