"""The types of EFF (Sigal 2024, Fig. 7.13), with rows in which one effect may occur several times (§3.3.1).

``A ::= α | Float | Int | Text | A × … × A | D A… E… | U_E C``, ``C ::= F A | A → C | C & C`` and
``E ::= [e | L A…, …, L A…]``: the last label of a row belongs to the innermost handler. Two rows are equal if for each effect
they have the same labels in the same order; labels of different effects may be exchanged.
"""

from typing import TypeAlias

from rh_kernel.source.records import frozen


@frozen
class Variable:
    """``x``: a type that a scheme, a declaration or an annotation is generic in"""

    name: str


@frozen
class RowVariable:
    """``e``: a row that a scheme, a declaration or an annotation is generic in"""

    name: str


@frozen
class Base:
    """``Float``, ``Int``, ``Text`` or ``Tensor``"""

    name: str


@frozen
class Product:
    """``(A, B)``; of no component it is ``Unit``, and one alone does not occur"""

    components: tuple["ValueType", ...]


@frozen
class Data:
    """``Paired x``, ``List Int``, ``Ref x``, ``Cont x [e]``: a declared type, or a type of the machine, with its arguments"""

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
    """``[e | L, …, L]``; the last label is the innermost one. Without a tail the row is closed."""

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
    """``C & D``: one computation of which either side may be asked for"""

    left: "ComputationType"
    right: "ComputationType"


@frozen
class Meta:
    """A value type that is not known yet; ``numeric`` if it can only be ``Float`` or ``Int``"""

    number: int
    numeric: bool = False


@frozen
class ComputationMeta:
    """A computation type that is not known yet"""

    number: int


@frozen
class RowMeta:
    """What is not known yet of a row"""

    number: int


ValueType: TypeAlias = Variable | Base | Product | Data | Thunk | Meta

ComputationType: TypeAlias = Returner | Function | With | ComputationMeta

FLOAT, INT, TEXT, TENSOR, UNIT = Base("Float"), Base("Int"), Base("Text"), Base("Tensor"), Product(())
BOOL = Data("Bool")


@frozen
class Scheme:
    """``∀ x… e…. U_E C``: the type of a declared function. A function is a thunk; its row is that of its body."""

    variables: tuple[str, ...]
    rows: tuple[str, ...]
    type: Thunk


@frozen
class HandlerScheme:
    """``∀ x… e…. A → … → (B E⇒E' C)``: handles a computation of type F B and row E; what it gives has type C and row E'"""

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
    """``ap1 : Unary -> x -> x``; the operation is generic in ``variables``, which are no parameters of the effect"""

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
