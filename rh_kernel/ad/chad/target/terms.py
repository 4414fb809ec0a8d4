"""The terms of the target language (CHAD §4, §10): Cartesian terms ``t s r``, and linear terms in one linear variable v.

``t s ::= x | let x = t in s | op(t, …) | ⟨t, …⟩ | t.i | λx. t | t s | λ̲v. t | t • s | v | Dop(t, …; s) | !t⊗s | 0 | t + s``,
``case t of !x⊗v → s``, sums, and arrays of any type. No two binders of a term have the same name.
"""

from typing import ClassVar, TypeAlias

from rh_kernel.ad.chad.operations import Operation
from rh_kernel.ad.chad.target.types import AnyType, Mode, Product
from rh_kernel.source.children import Children, child
from rh_kernel.source.records import frozen


@frozen
class Scope:
    """``x y. t``: Cartesian or linear variables, and the term in which they are bound"""

    names: tuple[str, ...]
    body: "Term"
    children: ClassVar[Children] = (child("body", binds="names"),)


@frozen
class Variable:
    """``x``"""

    name: str
    uses: ClassVar[tuple[str, ...]] = ("name",)


@frozen
class LinearVariable:
    """``v``"""

    name: str
    uses: ClassVar[tuple[str, ...]] = ("name",)


@frozen
class Let:
    """``let x = t in s``, and ``let ⟨x, y⟩ = t in s`` for two names"""

    bound: "Term"
    scope: Scope


@frozen
class LetLinear:
    """``let v = t in s``: s is linear in v; if ``keeps``, in ``⟨u, v⟩`` for the linear variable u of t"""

    bound: "Term"
    scope: Scope
    keeps: bool = False


@frozen
class Apply:
    """``op(t1, …, tk)``"""

    operation: Operation
    arguments: tuple["Term", ...]


@frozen
class Differential:
    """``Dop(t1, …, tk; s)`` and ``Dopᵗ(t1, …, tk; s)``, linear in s; the k (co)tangents are a tuple if k ≠ 1"""

    mode: Mode
    operation: Operation
    arguments: tuple["Term", ...]
    operand: "Term"


@frozen
class Scale:
    """``t * s`` for a number t, linear in s"""

    factor: "Term"
    operand: "Term"


@frozen
class Tuple:
    """``⟨t1, …, tn⟩``"""

    components: tuple["Term", ...]


@frozen
class Projection:
    """``t.i``, counted from 1"""

    index: int
    operand: "Term"


@frozen
class Coprojection:
    """``coproj_i(t)``: the tuple of this type with t at place i and zeros elsewhere"""

    index: int
    type: Product
    operand: "Term"


@frozen
class Initial:
    """``fst t`` for a context t: all but its last entry"""

    operand: "Term"


@frozen
class Last:
    """``snd t`` for a context t: its last entry"""

    operand: "Term"


@frozen
class Extend:
    """``⟨t, s⟩`` for a context t, with s as its new last entry"""

    initial: "Term"
    last: "Term"


@frozen
class Lambda:
    """``λx. t``"""

    type: AnyType
    scope: Scope


@frozen
class Call:
    """``t s``"""

    function: "Term"
    argument: "Term"


@frozen
class LinearLambda:
    """``λ̲v. t``"""

    type: AnyType
    scope: Scope


@frozen
class LinearCall:
    """``t • s``"""

    function: "Term"
    operand: "Term"


@frozen
class Single:
    """``!t⊗s``"""

    key: "Term"
    operand: "Term"


@frozen
class Fold:
    """``case t of !x⊗v → s : L``: the sum of s over the summands of t"""

    type: AnyType
    operand: "Term"
    scope: Scope


@frozen
class Zero:
    """``0``"""

    type: AnyType


@frozen
class Plus:
    """``t + s``"""

    left: "Term"
    right: "Term"


@frozen
class Inject:
    """``inl t`` (``side`` 1) or ``inr t`` (``side`` 2)"""

    side: int
    type: AnyType
    operand: "Term"


@frozen
class Case:
    """``case t of inl x → s | inr y → r``"""

    operand: "Term"
    left: Scope
    right: Scope


@frozen
class Sign:
    """``t ≤ s : 1 + 1``, the sign of ``s − t``: left if ``t ≤ s``"""

    smaller: "Term"
    larger: "Term"


@frozen
class LinearInject:
    """``linl t`` or ``linr t``"""

    side: int
    other: AnyType
    operand: "Term"


@frozen
class LinearOut:
    """``lout_l t`` or ``lout_r t``: the cotangent on that side; zero if t is zero, an error if t is on the other side"""

    side: int
    type: AnyType
    operand: "Term"


@frozen
class Map:
    """``map(x … . t, s, …) : τ^n`` for one array or several"""

    size: int
    scope: Scope
    arrays: tuple["Term", ...]


@frozen
class Indices:
    """``[0, …, n − 1]``"""

    size: int


@frozen
class Prepend:
    """``[t, …s]`` for an array s of n entries"""

    size: int
    first: "Term"
    rest: "Term"


@frozen
class Accumulate:
    """``mapAccumL(a x. t, s, r) : τ × σ^n``, where t is the pair of the next a and an entry"""

    size: int
    start: "Term"
    array: "Term"
    scope: Scope


@frozen
class MapDifferential:
    """``Dmap(x v. t, s, r)`` and ``Dmapᵗ(x v. t, s, r)``, linear functions, for a linear function r (§10)"""

    mode: Mode
    size: int
    array: "Term"
    scope: Scope
    rest: "Term"
    context: AnyType


@frozen
class LinearZipWith:
    """``zipWith(x … v. t, s, …, r) : M^n`` for Cartesian arrays ``s …`` and ``r : L^n`` linear; t is linear in v"""

    size: int
    arrays: tuple["Term", ...]
    operand: "Term"
    scope: Scope


@frozen
class LinearSum:
    """``sum t : L`` for ``t : L^n``"""

    size: int
    type: AnyType
    operand: "Term"


@frozen
class LinearReplicate:
    """``replicate t : L^n``"""

    size: int
    operand: "Term"


@frozen
class LinearZip:
    """``zip t : (L × M)^n`` for ``t : L^n × M^n``"""

    size: int
    operand: "Term"


@frozen
class Slice:
    """``t[i : j] : L^(j − i)`` for ``t : L^n``"""

    start: int
    stop: int
    size: int
    operand: "Term"


@frozen
class Place:
    """``place t : L^n`` for ``t : L^(j − i)``: the array with t at i, …, j − 1 and zeros elsewhere"""

    start: int
    stop: int
    size: int
    type: AnyType
    operand: "Term"


@frozen
class LinearAccumulate:
    """``mapAccum(b v. t, s, r) : L × M^n`` for ``r : L × K^n``, from the left in forward, from the right in reverse mode"""

    mode: Mode
    size: int
    array: "Term"
    operand: "Term"
    scope: Scope


class Effect:
    """The base class of the commands of backpropagators, in ``accumulation.commands``"""


@frozen
class Backward:
    """``λ̲v. C``, a backpropagator that adds to accumulators; it has its own ones for the variables ``names``"""

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
