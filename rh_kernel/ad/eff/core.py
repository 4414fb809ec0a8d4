"""The terms of EFF (Sigal 2024, Fig. 7.12), elaborated: every intermediate result has a name, and names are resolved.

``V ::= x | f | c | (V, …, V) | K V… | {M}`` and
``M ::= return V | x ← M; N | V! | λx. M | M V | match V | ⟨M, N⟩ | M.i | op V… | handle M with H | ⟨adaptor⟩ M | g V…``.
Beyond the thesis' calculus (its plain part is found by ``plain``): declared names and recursion, data types, nested patterns,
adaptors, literals, the built-in functions g.
"""

from dataclasses import field
from typing import ClassVar, TypeAlias

from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.types import ComputationType, Row, ValueType
from rh_kernel.source.children import Children, child
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span

SILENT = "%"
"""Begins the name of an intermediate result that nobody wrote; it is used once, and printed where it is used."""


@frozen
class Node:
    """What every node has: where it was written, if it was."""

    span: Span | None = field(kw_only=True, compare=False, repr=False, default=None)


@frozen
class Variable(Node):
    """``x``, bound by a pattern, a λ or a clause"""

    name: str
    uses: ClassVar[tuple[str, ...]] = ("name",)


@frozen
class Global(Node):
    """``f``: a declared function, which is a thunk"""

    name: str


@frozen
class Literal(Node):
    """``0.5 : Float``, ``2 : Int`` or ``"text" : Text``. An int that turns out to be a Float is a float after checking.

    A tensor is a result, or comes from outside; it is written nowhere.
    """

    value: float | int | str | Tensor


@frozen
class Tuple(Node):
    """``(V, …, V)``; none is ``()``, and one alone does not occur"""

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
    """``⟨r3⟩``: a cell of the reducer's store; ``Ref`` and ``Array`` alike. It is written nowhere."""

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
    """``λx. M``; it is a computation"""

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
    """``match V | p -> M | …``: the first branch that fits"""

    value: Value
    branches: tuple[Branch, ...]


@frozen
class Pair(Node):
    """``⟨M, N⟩``: neither side runs before it is asked for"""

    left: "Computation"
    right: "Computation"


@frozen
class Projection(Node):
    """``M.1`` or ``M.2``"""

    index: int
    operand: "Computation"


@frozen
class Perform(Node):
    """``op V…``, of the effect that declares op"""

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
    """``<Smooth(s a b -> s b)>``: which instances of an effect around are those inside.

    Instances are counted from the innermost one, 0. Instance i inside is instance ``kept[i]`` around, and one beyond is
    instance ``i − len(kept) + taken``. ``<Smooth>`` has ``taken`` 1 and keeps none; the one above takes 2 and keeps ``(0,)``.
    """

    effect: str
    taken: int = 1
    kept: tuple[int, ...] = ()


@frozen
class Adapt(Node):
    """``<L, …> M``; an operation of M passes the adaptors from the last to the first"""

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
    """``<op p… -> k> -> N``; k is a thunk, and ``_`` if N does not use it"""

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
    """What was written of a type: ``(x : A) … : [E] B``; ``None`` where nothing was.

    Rows in it without a variable of their own have the variable ``IMPLICIT``, as in Frank.
    """

    domains: tuple[ValueType | None, ...]
    row: Row | None = None
    codomain: ComputationType | None = None


IMPLICIT = "ε"
"""The row variable of a signature that nobody writes."""


@frozen
class FunctionDefinition(Node):
    """``fun f p… = M``: the thunk ``{λx. … M}``; without parameters ``{M}``"""

    name: str
    body: Thunk
    signature: Signature


@frozen
class HandlerDefinition(Node):
    """``handler h x (y : A)… = | return x -> M | <op p… -> k> -> N``; ``domains`` are the types that were written"""

    name: str
    parameters: tuple[str, ...]
    clauses: Clauses
    domains: tuple[ValueType | None, ...]
