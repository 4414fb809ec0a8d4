"""The terms of the target language (CHAD §4, §10): Cartesian ones ``t s r``, and linear ones in one linear variable v.

``t s ::= x | let x = t in s | op(t, …) | ⟨t, …⟩ | t.i | λx. t | t s | λ̲v. t | t • s | v | Dop(t, …; s) | !t⊗s | 0 | t + s``,
``case t of !x⊗v → s``, sums, and arrays of any type. No two binders of a term have one name.
"""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from rh_kernel.ad.chad.operations import Operation
from rh_kernel.ad.chad.target.types import AnyType, Mode, Product
from rh_kernel.source.children import Children, child


@dataclass(frozen=True, slots=True)
class Scope:
    """``x y. t``: Cartesian or linear variables, and where they are bound"""

    names: tuple[str, ...]
    body: "Term"
    children: ClassVar[Children] = (child("body", binds="names"),)


@dataclass(frozen=True, slots=True)
class Variable:
    """``x``"""

    name: str
    uses: ClassVar[tuple[str, ...]] = ("name",)


@dataclass(frozen=True, slots=True)
class LinearVariable:
    """``v``"""

    name: str
    uses: ClassVar[tuple[str, ...]] = ("name",)


@dataclass(frozen=True, slots=True)
class Let:
    """``let x = t in s``, and ``let ⟨x, y⟩ = t in s`` for two names"""

    bound: "Term"
    scope: Scope


@dataclass(frozen=True, slots=True)
class LetLinear:
    """``let v = t in s``: s has this variable alone; where it ``keeps``, also those that t has, all linear in the one"""

    bound: "Term"
    scope: Scope
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class Apply:
    """``op(t1, …, tk)``"""

    operation: Operation
    arguments: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Differential:
    """``Dop(t1, …, tk; s)`` and ``Dopᵗ(t1, …, tk; s)``, linear in s; k tangents, or k cotangents, are a tuple if k ≠ 1"""

    mode: Mode
    operation: Operation
    arguments: tuple["Term", ...]
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Scale:
    """``t * s`` for a number t, linear in s"""

    factor: "Term"
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Tuple:
    """``⟨t1, …, tn⟩``"""

    components: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Projection:
    """``t.i``, counted from 1"""

    index: int
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Coprojection:
    """``coproj_i(t)``: the tuple of that type with t at place i and zeros elsewhere"""

    index: int
    type: Product
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Initial:
    """``fst t`` for a context t: all but its last entry"""

    operand: "Term"


@dataclass(frozen=True, slots=True)
class Last:
    """``snd t`` for a context t: its last entry"""

    operand: "Term"


@dataclass(frozen=True, slots=True)
class Extend:
    """``⟨t, s⟩`` for a context t: s is its new last entry"""

    initial: "Term"
    last: "Term"


@dataclass(frozen=True, slots=True)
class Lambda:
    """``λx. t``"""

    type: AnyType
    scope: Scope


@dataclass(frozen=True, slots=True)
class Call:
    """``t s``"""

    function: "Term"
    argument: "Term"


@dataclass(frozen=True, slots=True)
class LinearLambda:
    """``λ̲v. t``"""

    type: AnyType
    scope: Scope


@dataclass(frozen=True, slots=True)
class LinearCall:
    """``t • s``"""

    function: "Term"
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Single:
    """``!t⊗s``"""

    key: "Term"
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Fold:
    """``case t of !x⊗v → s : L``: the sum of s over all that t has"""

    type: AnyType
    operand: "Term"
    scope: Scope


@dataclass(frozen=True, slots=True)
class Zero:
    """``0``"""

    type: AnyType


@dataclass(frozen=True, slots=True)
class Plus:
    """``t + s``"""

    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Inject:
    """``inl t`` (``side`` 1) or ``inr t`` (``side`` 2)"""

    side: int
    type: AnyType
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Case:
    """``case t of inl x → s | inr y → r``"""

    operand: "Term"
    left: Scope
    right: Scope


@dataclass(frozen=True, slots=True)
class Sign:
    """``t ≤ s : 1 + 1``, the sign of ``s − t``: left if it holds"""

    smaller: "Term"
    larger: "Term"


@dataclass(frozen=True, slots=True)
class LinearInject:
    """``linl t`` or ``linr t``"""

    side: int
    other: AnyType
    operand: "Term"


@dataclass(frozen=True, slots=True)
class LinearOut:
    """``lout_l t`` or ``lout_r t``: what is on that side, zero if t is; the other side is a mistake"""

    side: int
    type: AnyType
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Map:
    """``map(x … . t, s, …) : τ^n`` for one array or several"""

    size: int
    scope: Scope
    arrays: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Indices:
    """``[0, …, n − 1]``"""

    size: int


@dataclass(frozen=True, slots=True)
class Prepend:
    """``[t, …s]`` for an array s of n entries"""

    size: int
    first: "Term"
    rest: "Term"


@dataclass(frozen=True, slots=True)
class Accumulate:
    """``mapAccumL(a x. t, s, r) : τ × σ^n``, where t gives the next a and an entry"""

    size: int
    start: "Term"
    array: "Term"
    scope: Scope


@dataclass(frozen=True, slots=True)
class MapDifferential:
    """``Dmap(x v. t, s, r)`` and ``Dmapᵗ(x v. t, s, r)``, both linear functions, as r is (§10)"""

    mode: Mode
    size: int
    array: "Term"
    scope: Scope
    rest: "Term"
    context: AnyType


@dataclass(frozen=True, slots=True)
class LinearZipWith:
    """``zipWith(x … v. t, s, …, r) : M^n`` for Cartesian arrays ``s …`` and ``r : L^n`` linear; t is linear in v"""

    size: int
    arrays: tuple["Term", ...]
    operand: "Term"
    scope: Scope


@dataclass(frozen=True, slots=True)
class LinearSum:
    """``sum t : L`` for ``t : L^n``"""

    size: int
    type: AnyType
    operand: "Term"


@dataclass(frozen=True, slots=True)
class LinearReplicate:
    """``replicate t : L^n``"""

    size: int
    operand: "Term"


@dataclass(frozen=True, slots=True)
class LinearZip:
    """``zip t : (L × M)^n`` for ``t : L^n × M^n``"""

    size: int
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Slice:
    """``t[i : j] : L^(j − i)`` for ``t : L^n``"""

    start: int
    stop: int
    size: int
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Place:
    """``place t : L^n`` for ``t : L^(j − i)``: zeros but at i, …, j − 1"""

    start: int
    stop: int
    size: int
    type: AnyType
    operand: "Term"


@dataclass(frozen=True, slots=True)
class LinearAccumulate:
    """``mapAccum(b v. t, s, r) : L × M^n`` for ``r : L × K^n``, from the left forward, from the right in reverse mode"""

    mode: Mode
    size: int
    array: "Term"
    operand: "Term"
    scope: Scope


class Effect:
    """What a backpropagator does to accumulators: one of ``commands``"""


@dataclass(frozen=True, slots=True)
class Backward:
    """``λ̲v. C``: it adds to accumulators; with ``names``, to its own ones for these variables"""

    variable: str
    command: Effect
    names: tuple[str, ...] = ()


Basic: TypeAlias = Variable | LinearVariable | Let | LetLinear | Apply | Differential | Scale | Zero | Plus | Backward
Products: TypeAlias = Tuple | Projection | Coprojection | Initial | Last | Extend
Functions: TypeAlias = Lambda | Call | LinearLambda | LinearCall | Single | Fold
Sums: TypeAlias = Inject | Case | Sign | LinearInject | LinearOut
Arrays: TypeAlias = Map | Indices | Prepend | Accumulate
LinearMaps: TypeAlias = MapDifferential | LinearZipWith | LinearSum | LinearReplicate | LinearZip
LinearArrays: TypeAlias = LinearMaps | Slice | Place | LinearAccumulate

Term: TypeAlias = Basic | Products | Functions | Sums | Arrays | LinearArrays
