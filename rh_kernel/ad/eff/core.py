"""The core terms of EFF (Sigal 2024, Fig. 7.12): intermediate results are named, and names are resolved.

``V ::= x | f | c | (V, …, V) | K V… | {M}`` and
``M ::= return V | x ← M; N | V! | λx. M | M V | match V | ⟨M, N⟩ | M.i | op V… | handle M with H | ⟨adaptor⟩ M | g V…``.
The thesis' calculus (see ``thesis_fragment``) does not have declared names and recursion, data types, nested patterns,
adaptors, literals and the built-in functions g.
"""

from dataclasses import field
from typing import ClassVar, TypeAlias

from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.types import ComputationType, Row, ValueType
from rh_kernel.source.children import Children, child
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span

SILENT = "%"
"""The first character of a silent name, that of an unnamed intermediate result: used once, and printed where it is used."""


@frozen
class Node:
    """A node, with its source span if it has one."""

    span: Span | None = field(kw_only=True, compare=False, repr=False, default=None)


@frozen
class Variable(Node):
    """``x``, bound by a pattern, a λ or a clause"""

    name: str
    uses: ClassVar[tuple[str, ...]] = ("name",)


@frozen
class Global(Node):
    """``f``: a declared function, which is a thunk, by its key"""

    name: str


@frozen
class Literal(Node):
    """``0.5 : Float``, ``2 : Int`` or ``"text" : Text``. Type checking replaces an int of type ``Float`` by a float.

    Tensors, which have no literals in source text, are results or come from Python.
    """

    value: float | int | str | Tensor


@frozen
class Tuple(Node):
    """``(V, …, V)``, of any number of components other than one"""

    components: tuple["Value", ...]


@frozen
class Constructed(Node):
    """``K V…``, with all its fields"""

    constructor: str
    fields: tuple["Value", ...]


@frozen
class Thunk(Node):
    """``{M}``"""

    body: "Computation"


@frozen
class Reference(Node):
    """``⟨r3⟩``: a cell of the store, a ``Ref`` or an ``Array``; it occurs only in reductions."""

    number: int


Value: TypeAlias = Variable | Global | Literal | Tuple | Constructed | Thunk | Reference


@frozen
class AnyPattern(Node):
    """``_``"""


@frozen
class NamePattern(Node):
    """``x``"""

    name: str
    binders: ClassVar[tuple[str, ...]] = ("name",)


@frozen
class LiteralPattern(Node):
    """``0`` or ``"a"``"""

    value: float | int | str


@frozen
class TuplePattern(Node):
    """``(p, …, p)``"""

    components: tuple["Pattern", ...]
    binders: ClassVar[tuple[str, ...]] = ("components",)


@frozen
class ConstructorPattern(Node):
    """``Paired x dx``"""

    constructor: str
    fields: tuple["Pattern", ...]
    binders: ClassVar[tuple[str, ...]] = ("fields",)


Pattern: TypeAlias = AnyPattern | NamePattern | LiteralPattern | TuplePattern | ConstructorPattern


@frozen
class Return(Node):
    """``return V``"""

    value: Value


@frozen
class Let(Node):
    """``x ← M; N``"""

    name: str
    bound: "Computation"
    body: "Computation"
    children: ClassVar[Children] = child("bound"), child("body", binds="name")


@frozen
class Force(Node):
    """``V!``"""

    value: Value


@frozen
class Lambda(Node):
    """``λx. M``, which is a computation"""

    name: str
    body: "Computation"
    children: ClassVar[Children] = (child("body", binds="name"),)


@frozen
class Apply(Node):
    """``M V``"""

    function: "Computation"
    argument: Value


@frozen
class Branch(Node):
    """``p -> M``"""

    pattern: Pattern
    body: "Computation"
    children: ClassVar[Children] = (child("body", binds="pattern"),)


@frozen
class Match(Node):
    """``match V | p -> M | …``: the first branch whose pattern matches"""

    value: Value
    branches: tuple[Branch, ...]


@frozen
class Pair(Node):
    """``⟨M, N⟩``: a side runs only when it is projected"""

    left: "Computation"
    right: "Computation"


@frozen
class Projection(Node):
    """``M.1`` or ``M.2``"""

    index: int
    operand: "Computation"


@frozen
class Perform(Node):
    """``op V…``, with the key of the effect that declares op"""

    effect: str
    operation: str
    arguments: tuple[Value, ...]


@frozen
class Handle(Node):
    """``handle M with H``"""

    body: "Computation"
    handler: "Handler"
    children: ClassVar[Children] = child("handler"), child("body")


@frozen
class Adaptor(Node):
    """``<Smooth(s a b -> s b)>``: a map from the instances of an effect inside to those around.

    Instances are counted from the innermost one, 0. Instance i inside is instance ``kept[i]`` around, or, beyond ``kept``,
    instance ``i − len(kept) + taken``. ``<Smooth>`` takes 1 and keeps none; the adaptor above takes 2 and keeps ``(0,)``.
    """

    effect: str
    taken: int = 1
    kept: tuple[int, ...] = ()


@frozen
class Adapt(Node):
    """``<L, …> M``; an operation of M passes through the adaptors from the last to the first"""

    adaptors: tuple[Adaptor, ...]
    body: "Computation"


@frozen
class BuiltIn(Node):
    """``g V…``: a built-in function with all its arguments (the thesis' f̄)"""

    name: str
    arguments: tuple[Value, ...]


Computation: TypeAlias = Return | Let | Force | Lambda | Apply | Match | Pair | Projection | Perform | Handle | Adapt | BuiltIn


@frozen
class ReturnClause(Node):
    """``return x -> M``"""

    pattern: Pattern
    body: Computation
    children: ClassVar[Children] = (child("body", binds="pattern"),)


@frozen
class Clause(Node):
    """``<op p… -> k> -> N``; k is a thunk, or ``_``"""

    effect: str
    operation: str
    patterns: tuple[Pattern, ...]
    continuation: str
    body: Computation
    children: ClassVar[Children] = (child("body", binds=("patterns", "continuation")),)


@frozen
class Clauses(Node):
    """``{return x -> M | <op p… -> k> -> N | …}``: one clause for each operation of its ``effects``"""

    returns: ReturnClause
    clauses: tuple[Clause, ...]
    effects: tuple[str, ...]


@frozen
class Named(Node):
    """``h V…``: a declared handler with its arguments"""

    name: str
    arguments: tuple[Value, ...] = ()


Handler: TypeAlias = Clauses | Named


@frozen
class Signature:
    """The type annotations of a function, ``(x : A) … : [E] B``; ``None`` for those that are omitted.

    Rows without a row variable have the variable ``IMPLICIT``, as in Frank.
    """

    domains: tuple[ValueType | None, ...]
    row: Row | None = None
    codomain: ComputationType | None = None


IMPLICIT = "ε"
"""The row variable of signatures that is not written."""


@frozen
class FunctionDefinition(Node):
    """``fun f p… = M``: the thunk ``{λx. … M}``, or ``{M}`` without parameters"""

    name: str
    body: Thunk
    signature: Signature


@frozen
class HandlerDefinition(Node):
    """``handler h x (y : A)… = | return x -> M | <op p… -> k> -> N``; ``domains`` are the type annotations"""

    name: str
    parameters: tuple[str, ...]
    clauses: Clauses
    domains: tuple[ValueType | None, ...]
