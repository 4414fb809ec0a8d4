"""Terms, commands and handlers of the core (RH Def. 3.4), locally nameless.

Metavariables: ``L M N`` terms, ``U V W`` values, ``P Q R`` commands, ``H`` handlers, ``A B C D`` types, ``f`` function symbols.
A bound variable is an index: 0 is the nearest binder. Its name is a hint; ``==`` ignores spans and hints, so it is
α-equivalence. ``loose`` is the set of free indices of a node, as the bits of an integer.

Two intermediate forms, unfolded lazily, are syntax too: ``W.R_V(x. N)`` (Fig. 6), ``RH_H^V(⟨y1, …, ym⟩. P)`` (Fig. 7).
"""

from collections.abc import Callable
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.source.records import frozen
from rh_kernel.syntax.conditions import Condition
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.nodes import Compound, Node, leave_loose, loose_in
from rh_kernel.syntax.primitive import Primitive
from rh_kernel.syntax.signature import Family, Loc, LocFamily, Pattern
from rh_kernel.syntax.types import Product, Shape, Type

Array: TypeAlias = npt.NDArray[Any]


@frozen
class Scope(Node):
    """``x1, …, xn. body``: binds n variables; the last of them is index 0 in the body, the first is index n - 1."""

    hints: tuple[str, ...] = field(compare=False)
    body: "Term | Command"
    # If false, there are no dimension, shape or location variables and no metavariables in it: substitution skips it.
    is_generic: bool = field(compare=False, repr=False, kw_only=True, default=True)

    def __post_init__(self) -> None:
        leave_loose(self, self.body.loose >> len(self.hints))

    @property
    def arity(self) -> int:
        """The number of variables that the scope binds."""
        return len(self.hints)


@frozen
class Defined:
    """A user's function symbol ``x. M``, with ``w, x. N`` if it has its own derivative. ``is_generic`` as in ``Scope``."""

    name: str
    domain: Type
    codomain: Type
    body: Scope
    own: Scope | None
    is_generic: bool = field(compare=False, repr=False, default=True)


@frozen
class RdOf:
    """``rd[f] : B × A → A`` for ``f : A → B``, cotangent first."""

    of: "Function"

    @property
    def domain(self) -> Type:
        """Cotangent and point: ``B × A``."""
        return Product((self.of.codomain, self.of.domain))

    @property
    def codomain(self) -> Type:
        """The cotangent of the input: ``A``."""
        return self.of.domain


Function: TypeAlias = Primitive | Defined | RdOf


@frozen
class Bound(Node):
    """``x``"""

    index: int
    hint: str = field(compare=False, default="x")

    def __post_init__(self) -> None:
        leave_loose(self, 1 << self.index)


@frozen
class Const(Node):
    """``c``: a constant symbol, an array that must not be modified."""

    value: Array

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Const):
            return NotImplemented
        return self.value.shape == other.value.shape and bool(np.array_equal(self.value, other.value, equal_nan=True))

    def __hash__(self) -> int:
        return hash((self.value.shape, self.value.tobytes()))


@frozen
class Zero(Node):
    """``0`` at type A, the zero of the commutative monoid; at a product it is the tuple of zeros."""

    type: Type


@frozen
class Call(Node):
    """``f(M)``"""

    function: Function
    argument: "Term"

    def __post_init__(self) -> None:
        leave_loose(self, self.argument.loose)


@frozen
class Plus(Node):
    """``M + N``; in sums ``of_cotangents``, which derivatives create (RH Fig. 6, 7), ``0`` is a symbolic zero, not 0.0"""

    left: "Term"
    right: "Term"
    of_cotangents: bool = field(compare=False, repr=False, default=False)

    def __post_init__(self) -> None:
        leave_loose(self, self.left.loose | self.right.loose)


@frozen
class Tuple(Node):
    """``⟨M1, …, Mn⟩``, n ≥ 2; ``of_values`` says whether it is a value"""

    items: tuple["Term", ...]
    of_values: bool = field(init=False, compare=False, repr=False, default=False)

    def __post_init__(self) -> None:
        loose, of_values = 0, True
        for M in self.items:
            loose |= M.loose
            if type(M) is not Const and type(M) is not Bound and not is_value(M):
                of_values = False
        leave_loose(self, loose)
        _leave_of_values(self, of_values)


_leave_of_values: Callable[[Tuple, bool], None] = vars(Tuple)["of_values"].__set__


@frozen
class Proj(Node):
    """``proj_i(M)`` of a product of ``arity`` factors, 1 ≤ i ≤ arity"""

    index: int
    arity: int
    of: "Term"

    def __post_init__(self) -> None:
        leave_loose(self, self.of.loose)


@frozen
class Let(Node):
    """``let x ← M in N``"""

    bound: "Term"
    scope: Scope

    def __post_init__(self) -> None:
        leave_loose(self, self.bound.loose | self.scope.loose)


@frozen
class Rd(Node):
    """``W.rd(x. N)(V)``: cotangent, scope, point (all terms)"""

    cotangent: "Term"
    scope: Scope
    point: "Term"

    def __post_init__(self) -> None:
        leave_loose(self, self.cotangent.loose | self.scope.loose | self.point.loose)


@frozen
class R(Node):
    """``W.R_V(x. N)``, a form of Fig. 6 not yet unfolded; W, V are values. ``known``: ``operational.nested_derivatives``"""

    cotangent: "Term"
    scope: Scope
    point: "Term"
    known: "tuple[Term, ...] | None" = None

    def __post_init__(self) -> None:
        leave_loose(self, loose_in(self.cotangent, self.scope, self.point, *(self.known or ())))


@frozen
class Map(Compound):
    """``map (x in M) do N``: M has the type ``source`` of sequences, and N stacks to ``target`` (``syntax.sequences``)"""

    of: "Term"
    scope: Scope
    source: Type
    target: Type


@frozen
class If(Compound):
    """``if B then M else N``; ``operands`` is the tuple of the terms that B compares"""

    condition: Condition
    operands: "Term"
    then: "Term"
    otherwise: "Term"


Unary: TypeAlias = Proj
Term: TypeAlias = Bound | Const | Zero | Call | Plus | Tuple | Unary | Let | Rd | R | Map | If


def is_value(M: Term) -> bool:
    """Whether M is a value ``V ::= x | c | ⟨V1, …, Vn⟩``."""
    return M.of_values if type(M) is Tuple else type(M) is Const or type(M) is Bound or type(M) is Zero


Index: TypeAlias = "Loc | LocFamily | Dim | Term"


@frozen
class Operation(Compound):
    """``Op[i, …] : A → B``: one member of a family. ``at`` has the values of the family's ``variables``."""

    family: Family
    indices: tuple[Index, ...]
    at: tuple[Dim | Shape, ...]
    domain: Type
    codomain: Type


@frozen
class Return(Node):
    """``⌊M⌋``"""

    term: Term

    def __post_init__(self) -> None:
        leave_loose(self, self.term.loose)


@frozen
class Perform(Node):
    """``Op(M)``"""

    operation: Operation
    argument: Term

    def __post_init__(self) -> None:
        leave_loose(self, self.operation.loose | self.argument.loose)


@frozen
class Bind(Node):
    """``let x ⇐ P in Q``"""

    bound: "Command"
    scope: Scope

    def __post_init__(self) -> None:
        leave_loose(self, self.bound.loose | self.scope.loose)


@frozen
class RevHandle(Compound):
    """``rev handle (M) ⟨x1, …, xn⟩. R with H``; the type of M is the product of n types"""

    argument: Term
    scope: Scope
    handler: "ReverseHandler"


@frozen
class RH(Node):
    """``RH_H^V(⟨y1, …, ym⟩. P)``: the form of Fig. 7, not yet unfolded; V is the ``tuple_of`` of the values"""

    values: Term
    scope: Scope
    handler: "ReverseHandler"

    def __post_init__(self) -> None:
        leave_loose(self, self.values.loose | self.scope.loose | self.handler.loose)


@frozen
class Handle(Compound):
    """``handle P with H``: ordinary handling, RH §2.2.1"""

    command: "Command"
    handler: "OrdinaryHandler"


@frozen
class Resume(Node):
    """``k • M``: the continuation is the bound variable ``index``; it occurs in clauses of ordinary handlers only"""

    index: int
    hint: str = field(compare=False)
    argument: Term

    def __post_init__(self) -> None:
        leave_loose(self, 1 << self.index | self.argument.loose)


@frozen
class Scan(Compound):
    """``scan (x in M) from s = N do P``: a term for ``⟨M, N⟩``, and ``x, s. P``, where ``M : source``, ``P : B × S``.

    ``target`` is the type of the stacked B.
    """

    argument: Term
    scope: Scope
    source: Type
    target: Type


@frozen
class Repeat(Compound):
    """``repeat i < n from s = M do P``: the scope ``s. P`` for ``i = first, …, count - 1``, beginning with the value of M.

    ``index`` is a dimension variable, bound by name in the scope only. A program begins with ``first = 0``.
    """

    index: str
    first: int
    count: Dim
    start: Term
    scope: Scope


@frozen
class IfCommand(Compound):
    """``if B then P else Q``, the same for commands"""

    condition: Condition
    operands: Term
    then: "Command"
    otherwise: "Command"


Command: TypeAlias = Return | Perform | Bind | RevHandle | RH | Handle | Resume | Scan | Repeat | IfCommand


@frozen
class ReverseClause(Compound):
    """``Op(x ↦ Q^f | y, z ↦ Q^b)``: scopes ``a…, x. Q^f`` and ``a…, y, z. Q^b``, with D_Op the type of the auxiliary data"""

    pattern: Pattern
    forward: Scope
    auxiliary: Type
    backward: Scope


@frozen
class ReverseHandler(Compound):
    """``{x ↦ P} ∪ {(x ↦ Q^f | y, z ↦ Q^b)_Op} : rev handler(C)``"""

    type: Type
    returns: Scope
    clauses: tuple[ReverseClause, ...]
    name: str = field(compare=False, default="")


@frozen
class OrdinaryClause(Compound):
    """``Op, k ; x ↦ Q``: scope ``a…, x, k. Q``"""

    pattern: Pattern
    scope: Scope


@frozen
class OrdinaryHandler(Compound):
    """``{x ↦ P} ∪ {Op, k ; x ↦ Q}_Op : C ⇒ D``"""

    source: Type
    target: Type
    returns: Scope
    clauses: tuple[OrdinaryClause, ...]
    name: str = field(compare=False, default="")


Handler: TypeAlias = ReverseHandler | OrdinaryHandler
