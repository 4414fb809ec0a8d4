"""The terms of Source and Target (Figs 2, 3, 4, 16), in one union; ``typing`` checks which are terms of Source.

``Plus`` is ``+̂`` and ``Scale`` is ``*̂`` of Notation 1, at any ground type; ``Nabla`` is ``∇_ρ e``, an abbreviation for the
transform of e, applied. No two binders of a term have the same name.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.unary_form.terms.types import Context, Type
from rh_kernel.source.children import Children, child


@dataclass(frozen=True, slots=True)
class Var:
    """``x``"""

    name: str
    uses: ClassVar[tuple[str, ...]] = ("name",)


@dataclass(frozen=True, slots=True)
class Const:
    """``c``"""

    value: float


@dataclass(frozen=True, slots=True)
class Let:
    """``let x = e1 in e2``, or ``let x, Y = e1 in e2`` with a name for each component of a tuple"""

    names: tuple[str, ...]
    bound: "Term"
    body: "Term"
    children: ClassVar[Children] = child("bound"), child("body", binds="names")


@dataclass(frozen=True, slots=True)
class Pack:
    """``⟨e1, …, en⟩``"""

    components: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Proj:
    """``πi e``, from 1"""

    index: int
    operand: "Term"


@dataclass(frozen=True, slots=True)
class Op:
    """``op1 e``, ``e1 op2 e2``: a function symbol of numbers"""

    symbol: str
    arguments: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Map:
    """``map (x. e1) e2``"""

    name: str
    body: "Term"
    array: "Term"
    children: ClassVar[Children] = child("array"), child("body", binds="name")


@dataclass(frozen=True, slots=True)
class Map2:
    """``map2 (x, y. e1) e2 e3``"""

    left_name: str
    right_name: str
    body: "Term"
    left: "Term"
    right: "Term"
    children: ClassVar[Children] = child("left"), child("right"), child("body", binds=("left_name", "right_name"))


@dataclass(frozen=True, slots=True)
class Fold:
    """``reduce (x, y. e1) e2 e3``, and other folds of an array with an accumulator, named by ``form``

    ``reduce`` requires an associative e1 with the unit e2, and its derivative relies on that; ``foldl`` does not. ``scanl``
    and ``scanr`` give an array of n + 1 entries, of which the first (the last) is the start.
    """

    form: str
    accumulator: str
    name: str
    body: "Term"
    start: "Term"
    array: "Term"
    children: ClassVar[Children] = child("start"), child("array"), child("body", binds=("accumulator", "name"))


@dataclass(frozen=True, slots=True)
class Shift:
    """``shift1L e``, without the first entry, or ``shift1R e``, without the last"""

    side: str
    array: "Term"


@dataclass(frozen=True, slots=True)
class Fill:
    """``fill(n, e)``, an array of n equal entries; ``ZerosLike(n)`` and ``OnesLike(n)`` for e = 0 and 1"""

    size: int
    entry: "Term"


@dataclass(frozen=True, slots=True)
class Use:
    """``f(e1, …, en)`` for an added primitive f (§7.3)"""

    primitive: "Primitive"
    arguments: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class If:
    """``if e1 ≤ e2 then e3 else e4`` (§7.2)"""

    smaller: "Term"
    larger: "Term"
    then: "Term"
    otherwise: "Term"


@dataclass(frozen=True, slots=True)
class Plus:
    """``e1 +̂ e2``"""

    left: "Term"
    right: "Term"


@dataclass(frozen=True, slots=True)
class Scale:
    """``e1 *̂ e2``: every number in e1 times the number e2"""

    operand: "Term"
    factor: "Term"


@dataclass(frozen=True, slots=True)
class Fun:
    """``fun (x1, …, xn) → e``"""

    parameters: Context
    body: "Term"
    children: ClassVar[Children] = (child("body", binds="parameters"),)


@dataclass(frozen=True, slots=True)
class App:
    """``e(e1, …, en)``"""

    function: "Term"
    arguments: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class Nabla:
    """``∇_ρ e`` for ``Γ ⊢ e : B``: the components ρ of ``π2(D_{Γ;Id}(e))(0_Γ, w)``, where ``w : B`` is the seed

    A single component is no tuple. ``derive`` is the transformation D.
    """

    derive: "Derive"
    context: Context
    body: "Term"
    wanted: tuple[str, ...]
    seed: "Term"
    children: ClassVar[Children] = child("seed"), child("body")
    uses: ClassVar[tuple[str, ...]] = "context", "wanted"


Term: TypeAlias = (
    Var | Const | Let | Pack | Proj | Op | Map | Map2 | Fold | Shift | Fill | Use | If | Plus | Scale | Fun | App | Nabla
)


ZERO, ONE = Const(0.0), Const(1.0)


@dataclass(frozen=True, slots=True)
class Primitive:
    """A primitive ``f : A → B`` that is added with its transposed Jacobian ``Jᵀf : B → A`` (§7.3)

    ``transposed`` maps the arguments, the cotangent of the result, the types of the arguments and a supply of names to the
    cotangents of the arguments. ``cost`` and ``operations`` are the numbers of moves and of operations on numbers at
    arguments of given types. ``places`` are the static indices of ``index`` and ``units``.
    """

    name: str
    type: Callable[[tuple[Type, ...]], Type | None]
    kernel: Callable[..., Value]
    transposed: Callable[[tuple[Term, ...], Term, tuple[Type, ...], Names], tuple[Term, ...]]
    cost: Callable[[tuple[Type, ...]], int]
    operations: Callable[[tuple[Type, ...]], int] = lambda _: 0
    places: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Transposed:
    """``fun (y1, …, yk, z1, …, zm) → let … in Y(y1 +̂ …, …, yk, e1, …, el)``: a transposed Jacobian, almost the identity

    ``lower`` are the types of y1, …, yk; ``taken`` are the zs; ``added`` are the summands with the indices, from 0, of their
    ys; ``pushed`` are the es. All other ys are passed on unchanged (Insight 2 of §2.4).
    """

    lower: tuple[Type, ...]
    taken: Context
    lets: tuple[tuple[str, Term], ...]
    added: tuple[tuple[int, Term], ...]
    pushed: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Derivation:
    """``let x1, Y1 = … in … let … in ⟨e, fun (…) → …⟩``: the reverse derivative of a term, in a compact form

    ``before`` are the ``x1, Y1``; without a name, only the continuation is new. Without ``transposed``, the last continuation
    is the result.
    """

    before: tuple[tuple[str | None, "Derivation"], ...]
    lets: tuple[tuple[str, Term], ...]
    value: Term | None
    transposed: Transposed | None


Derive: TypeAlias = Callable[[Context, Term, Names], Derivation]
"""``Γ ⊢ e`` to its reverse derivative."""
