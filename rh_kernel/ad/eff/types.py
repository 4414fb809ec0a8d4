"""The types of EFF (Sigal 2024, Fig. 7.13), with rows in which one effect may occur several times (§3.3.1).

``A ::= α | Float | Int | Text | A × … × A | D A… E… | U_E C``, ``C ::= F A | A → C | C & C`` and
``E ::= [e | L A…, …, L A…]``: the last label of a row belongs to the innermost handler. Two rows are equal if for each effect
they have the same labels in the same order; labels of different effects may be exchanged.
"""

from collections.abc import Sequence
from typing import TypeAlias

from rh_kernel.source.records import frozen


@frozen
class Variable:
    """``x``: a type variable of a scheme, a declaration or an annotation"""

    name: str


@frozen
class RowVariable:
    """``e``: a row variable of a scheme, a declaration or an annotation"""

    name: str


@frozen
class Base:
    """``Float``, ``Int``, ``Text`` or ``Tensor``"""

    name: str


@frozen
class Product:
    """``(A, B)``, or ``Unit`` without components; there is no product of one component"""

    components: tuple["ValueType", ...]


@frozen
class Data:
    """``Paired x``, ``List Int``, ``Ref x``, ``Cont x [e]``: a declared type or a type of cells, with its arguments"""

    name: str
    arguments: tuple["ValueType | Row", ...] = ()


@frozen
class Thunk:
    """``U_E C``, written ``{A -> [E] B}``"""

    row: "Row"
    computation: "ComputationType"


@frozen
class Label:
    """``Smooth (Paired x)``: one occurrence of an effect in a row"""

    effect: str
    arguments: tuple["ValueType | Row", ...] = ()


@frozen
class Row:
    """``[e | L, …, L]``; the last label is the innermost one. A row without a tail is closed."""

    labels: tuple[Label, ...] = ()
    tail: "RowVariable | RowMeta | None" = None


@frozen
class Returner:
    """``F A``: a computation that returns a value"""

    value: "ValueType"


@frozen
class Function:
    """``A → C``"""

    domain: "ValueType"
    codomain: "ComputationType"


@frozen
class With:
    """``C & D``: the type of a computation pair"""

    left: "ComputationType"
    right: "ComputationType"


@frozen
class Meta:
    """An unknown value type; ``numeric`` if it can only be ``Float`` or ``Int``"""

    number: int
    numeric: bool = False


@frozen
class ComputationMeta:
    """An unknown computation type"""

    number: int


@frozen
class RowMeta:
    """The unknown outer part of a row"""

    number: int


ValueType: TypeAlias = Variable | Base | Product | Data | Thunk | Meta

ComputationType: TypeAlias = Returner | Function | With | ComputationMeta


def curried(domains: Sequence[ValueType], C: ComputationType) -> ComputationType:
    """``A → … → C``"""
    for A in reversed(domains):
        C = Function(A, C)
    return C


FLOAT, INT, TEXT, TENSOR, UNIT = Base("Float"), Base("Int"), Base("Text"), Base("Tensor"), Product(())
BOOL = Data("Bool")


@frozen
class Scheme:
    """``∀ x… e…. U_E C``: the type of a declared function, which is a thunk with the row of its body"""

    variables: tuple[str, ...]
    rows: tuple[str, ...]
    type: Thunk


@frozen
class HandlerScheme:
    """``∀ x… e…. A → … → (B E⇒E' C)``: the type of a handler from computations of type F B in row E to C in row E'"""

    variables: tuple[str, ...]
    rows: tuple[str, ...]
    parameters: tuple[ValueType, ...]
    domain: ValueType
    handled: Row
    around: Row
    codomain: ComputationType


@frozen
class Parameter:
    """A parameter of a data type or an effect: ``x``, or a row ``[e]``"""

    name: str
    is_row: bool = False


@frozen
class Constructor:
    """``Paired x x``"""

    name: str
    fields: tuple[ValueType, ...]


@frozen
class DataDeclaration:
    """``data Paired x = Paired x x``"""

    name: str
    parameters: tuple[Parameter, ...]
    constructors: tuple[Constructor, ...]


@frozen
class Operation:
    """``ap1 : Unary -> x -> x``, generic in ``variables``, which are not parameters of the effect"""

    name: str
    domain: tuple[ValueType, ...]
    codomain: ValueType
    variables: tuple[str, ...] = ()


@frozen
class EffectDeclaration:
    """``effect Smooth x = ap0 : … | …``"""

    name: str
    parameters: tuple[Parameter, ...]
    operations: tuple[Operation, ...]
