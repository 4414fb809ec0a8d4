"""Unification of dimensions, shapes and types (LANGUAGE §2).

Equations between dimensions are solved once they are linear in a metavariable that can be isolated, and postponed until then.
"""

from dataclasses import dataclass
from typing import Any, cast

from rh_kernel.source.span import Span
from rh_kernel.syntax.binding import AnyNode, solutions
from rh_kernel.syntax.core import Defined, Function, Node, Primitive, RdOf
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim, replace_atoms, variables
from rh_kernel.syntax.groundness import is_ground
from rh_kernel.syntax.rebuild import Transform, rebuild
from rh_kernel.syntax.runtime_errors import too_many_nodes
from rh_kernel.syntax.types import (
    SCALAR,
    Product,
    Real,
    Shape,
    ShapeMeta,
    ShapeVar,
    Type,
    TypeMeta,
    is_known,
    leaves,
    map_shape,
    map_type,
)
from rh_kernel.typing.unification.atoms import dimension_names, occurs
from rh_kernel.typing.unification.solving import isolate, roots, solvable


@dataclass(slots=True)
class Size:
    """The constraint that ``value`` is 0 or more at a use of ``name``; ``what`` is the expression in its declaration."""

    span: Span
    name: str
    what: str
    value: Dim


@dataclass(slots=True)
class Mark:
    """A state to return to: the number of solutions of each kind, which are never changed, and the postponed equations."""

    dims: int
    shapes: int
    types: int
    waiting: tuple[tuple[Dim, Dim], ...]
    uses: int
    sizes: int


class Unifier:
    """The metavariables of one item and their solutions.

    ``uses`` collects the uses of generic definitions with their instances, and ``sizes`` the constraints that something is 0 or
    more, both for ``zonking.check_dimensions``; ``nodes`` counts the nodes of the nets and handlers unfolded so far.
    """

    def __init__(self) -> None:
        self._dims: dict[int, Dim] = {}
        self._shapes: dict[int, Shape] = {}
        self._types: dict[int, Type] = {}
        self._pending: list[tuple[Dim, Dim]] = []
        self._names: list[str] = []
        self._generalised: set[int] = set()
        self._poisoned: set[int] = set()
        self.undetermined = False
        self.uses: list[tuple[Span, Node]] = []
        self.sizes: list[Size] = []
        self.nodes = 0

    def unfold(self, nodes: int, limit: int, span: Span) -> None:
        """Count ``nodes`` for a definition that is unfolded. Raises ``Stuck`` beyond ``limit``."""
        self.nodes += nodes
        if self.nodes > limit:
            raise too_many_nodes(limit, span)

    def fresh_dim(self, name: str = "n") -> Dim:
        """A dimension metavariable; messages call it ``name``."""
        return dim(DimMeta(self._number(name)))

    def fresh_shape(self) -> ShapeMeta:
        """A shape metavariable."""
        return ShapeMeta(self._number(""))

    def fresh_type(self, name: str = "_") -> TypeMeta:
        """A type metavariable; messages call it ``name``."""
        return TypeMeta(self._number(name))

    def poison(self) -> TypeMeta:
        """The type of something with an error: it unifies with every type, so that no further errors are reported about it."""
        A = self.fresh_type()
        self._poisoned.add(A.number)
        return A

    def is_poison(self, A: Type) -> bool:
        """Whether A is the type of something with an error."""
        return isinstance(A, TypeMeta) and A.number in self._poisoned

    def _number(self, name: str) -> int:
        self._names.append(name)
        return len(self._names)

    def dim(self, d: Dim) -> Dim:
        """Apply the current solutions to ``d``."""
        return replace_atoms(d, self._atom)

    def shape(self, s: Shape) -> Shape:
        """Apply the current solutions to ``s``."""
        return s if is_known(s) else map_shape(s, self._atom, self._shape_image)

    def type(self, A: Type) -> Type:
        """Apply the current solutions to ``A``."""
        return map_type(A, self._atom, self._shape_image, self._type_image)

    def at(self, values: tuple[Shape | Dim, ...]) -> tuple[Shape | Dim, ...]:
        """Apply the current solutions to dimensions and shapes."""
        return tuple([self.dim(a) if isinstance(a, Dim) else self.shape(a) for a in values])

    def function(self, f: Function) -> Function:
        """Apply the current solutions to the types of ``f``; the body of a definition is left to ``finish``."""
        match f:
            case Primitive(name, values, A, B):
                at = self.at(values)
                return f if at == values else Primitive(name, at, self.type(A), self.type(B))
            case RdOf(g):
                return RdOf(self.function(g))
            case Defined():
                return f

    def head(self, A: Type) -> Type:
        """Resolve ``A`` at its root, if it is a metavariable with a solution."""
        while isinstance(A, TypeMeta) and A.number in self._types:
            A = self._types[A.number]
        return A

    def _atom(self, atom: DimVar | DimMeta) -> Dim | None:
        found = self._dims.get(atom.number) if isinstance(atom, DimMeta) else None
        return None if found is None else self.dim(found)

    def _shape_image(self, s: ShapeVar | ShapeMeta) -> Shape:
        if isinstance(s, ShapeMeta) and s.number in self._shapes:
            return self.shape(self._shapes[s.number])
        return s

    def _type_image(self, A: TypeMeta) -> Type:
        found = self._types.get(A.number)
        return A if found is None else self.type(found)

    def unify_types(self, A: Type, B: Type) -> bool:
        """Unify A and B. On failure return ``False`` and restore the postponed equations."""
        A, B = self.head(A), self.head(B)
        if A.is_concrete and B.is_concrete:
            return A == B
        if not self._pending:
            return self._same_type(A, B)
        mark = self.mark()
        if self._same_type(A, B):
            return True
        self.back(mark)
        return False

    def _same_type(self, A: Type, B: Type) -> bool:
        A, B = self.head(A), self.head(B)
        match A, B:
            case TypeMeta(m), TypeMeta(n) if m == n:
                return True
            case _ if self.is_poison(A) or self.is_poison(B):
                return True
            case TypeMeta(m), _:
                return self._define_type(m, B)
            case _, TypeMeta(n):
                return self._define_type(n, A)
            case Real(s), Real(t):
                return self.unify_shapes(s, t)
            case Product(many), Product(others):
                return len(many) == len(others) and all(self._same_type(C, D) for C, D in zip(many, others, strict=True))
            case (Real(), Product()) | (Product(), Real()):
                return False

    def unify_shapes(self, s: Shape, t: Shape) -> bool:
        """Unify two shapes."""
        s, t = self.shape(s), self.shape(t)
        match s, t:
            case ShapeMeta(m), ShapeMeta(n) if m == n:
                return True
            case ShapeMeta(m), _:
                self._shapes[m] = t
                return True
            case _, ShapeMeta(n):
                self._shapes[n] = s
                return True
            case ShapeVar(a), ShapeVar(b):
                return a == b
            case (ShapeVar(), tuple()) | (tuple(), ShapeVar()):
                return False
            case tuple(), tuple():
                return len(s) == len(t) and all(self.unify_dims(c, d) for c, d in zip(s, t, strict=True))

    def unify_dims(self, c: Dim, d: Dim) -> bool:
        """Unify two dimensions; an equation that cannot be solved yet is postponed."""
        c, d = self.dim(c), self.dim(d)
        match c, d:
            case Dim(constant=int() as m), Dim(constant=int() as n):
                return m == n
            case (Dim(terms=((((DimMeta(number), 1),), 1),)), Dim(constant=int()) as value) | (
                Dim(constant=int()) as value,
                Dim(terms=((((DimMeta(number), 1),), 1),)),
            ):
                self._dims[number] = value
                return self._retry_postponed()
            case _:
                return self._same_polynomial(c, d)

    def _same_polynomial(self, c: Dim, d: Dim) -> bool:
        difference = c - d
        if not difference.terms:
            return True
        if not any(isinstance(v, DimMeta) for v in variables(difference)):
            return False
        solved = isolate(difference)
        if solved is None:
            if not solvable(difference):
                return False
            match roots(difference):
                case number, (value,):
                    self._dims[number] = dim(value)
                    return self._retry_postponed()
                case _, ():
                    return False
                case _:
                    pass
            self._pending.append((c, d))
            return True
        number, value = solved
        self._dims[number] = value
        return self._retry_postponed()

    def unsolved_equation(self) -> tuple[Dim, Dim] | None:
        """Retry the postponed equations; return one that is still unsolved, or ``None``."""
        self._retry_postponed()
        return next(((self.dim(c), self.dim(d)) for c, d in self._pending), None)

    def _retry_postponed(self) -> bool:
        """Retry the postponed equations. ``False`` if one is refuted; it stays postponed, to be reported later."""
        waiting, self._pending = self._pending, []
        refuted = [(c, d) for c, d in waiting if not self.unify_dims(c, d)]
        self._pending += refuted
        return not refuted

    def _define_type(self, number: int, A: Type) -> bool:
        A = self.type(A)
        if occurs(number, A):
            return TypeMeta(number) == A
        self._types[number] = A
        return True

    def mark(self) -> Mark:
        """The current state, to return to with ``back``."""
        return Mark(len(self._dims), len(self._shapes), len(self._types), tuple(self._pending), len(self.uses), len(self.sizes))

    def back(self, mark: Mark) -> None:
        """Undo everything since ``mark``."""
        _forget(self._dims, mark.dims)
        _forget(self._shapes, mark.shapes)
        _forget(self._types, mark.types)
        self._pending = list(mark.waiting)
        del self.uses[mark.uses :]
        del self.sizes[mark.sizes :]

    def is_unifiable(self, A: Type, B: Type) -> bool:
        """Whether A and B are unifiable; the state is restored."""
        mark = self.mark()
        fits = self.unify_types(A, B)
        self.back(mark)
        return fits

    def refuted(self, A: Type, B: Type) -> tuple[Type, Type, Type] | None:
        """The postponed ``c = d`` refuted by unifying A and B: ``Real(c)``, its value then, and ``Real(d)``; else ``None``."""
        mark, waiting, self._pending = self.mark(), self._pending, []
        sides = [sides for c, d in waiting for sides in ((c, d), (d, c))] if self._same_type(A, B) else []
        found = next(((c, self.dim(c), d) for c, d in sides if self.dim(c) != c and not self.unify_dims(c, d)), None)
        self.back(mark)
        return None if found is None else (Real((found[0],)), Real((found[1],)), Real((found[2],)))

    # -- printing --------------------------------------------------------------------------------------------------------------

    def show(self, *types: Type) -> tuple[str, ...]:
        """Print the types; unsolved metavariables are shown by their names, primed where these clash."""
        found = [self.type(A) for A in types]
        taken = {name for A in found for name in dimension_names(A)}
        names: dict[int, str] = {}

        def name(number: int) -> str:
            if number not in names:
                chosen = self._names[number - 1]
                while chosen in taken:
                    chosen += "'"
                taken.add(chosen)
                names[number] = chosen
            return names[number]

        def on_dim(a: DimVar | DimMeta) -> Dim:
            return dim(a if isinstance(a, DimVar) else name(a.number))

        def on_shape(s: ShapeVar | ShapeMeta) -> Shape:
            return s if isinstance(s, ShapeVar) else ShapeVar("")

        def on_type(A: TypeMeta) -> Type:
            return Real(ShapeVar(f"∀{self._names[A.number - 1]}∀"))

        texts = [str(map_type(A, on_dim, on_shape, on_type)) for A in found]
        return tuple(text.replace("Real(∀", "").replace("∀…)", "") for text in texts)

    def open_name(self, A: Type) -> str | None:
        """The name of a dimension in A that should have a solution but has none, or ``None``."""
        for leaf in leaves(self.type(A)):
            if isinstance(leaf, Real) and isinstance(leaf.shape, tuple):
                for v in (v for d in leaf.shape for v in variables(d)):
                    if isinstance(v, DimMeta) and v.number not in self._generalised:
                        return self._names[v.number - 1]
        return None

    def keep(self, *types: Type) -> None:
        """Generalise over the metavariables in these types: they may stay unsolved, and each use renews them."""
        for A in types:
            map_type(self.type(A), self._keep_atom, self._keep_shape, self._keep_type)

    def finish(self, node: AnyNode) -> AnyNode:
        """Replace every metavariable in ``node`` by its solution (zonking).

        An unconstrained type is ``Real(1)`` (LANGUAGE §1); ``undetermined`` is set if a dimension has no solution.
        """
        return node if is_ground(node) else cast(AnyNode, rebuild(node, 0, self.solutions))

    @property
    def solutions(self) -> Transform:
        """The transform of ``finish``."""
        return solutions(self._final_dim, self._final_shape, self._final_type)

    def finish_type(self, A: Type) -> Type:
        """``finish`` for a type."""
        return self.solutions.type(self.type(A))

    def _final_dim(self, meta: DimMeta) -> Dim:
        found = self.dim(dim(meta))
        self.undetermined |= any(isinstance(v, DimMeta) and v.number not in self._generalised for v in variables(found))
        return found

    def _final_shape(self, meta: ShapeMeta) -> Shape:
        found = self.shape(meta)
        return (dim(1),) if isinstance(found, ShapeMeta) and found.number not in self._generalised else found

    def _final_type(self, meta: TypeMeta) -> Type:
        found = self.type(meta)
        if isinstance(found, TypeMeta):
            return found if found.number in self._generalised else SCALAR
        return self.finish_type(found)

    def _keep_atom(self, atom: DimVar | DimMeta) -> None:
        if isinstance(atom, DimMeta):
            self._generalised.add(atom.number)

    def _keep_shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        if isinstance(s, ShapeMeta):
            self._generalised.add(s.number)
        return s

    def _keep_type(self, A: TypeMeta) -> Type:
        self._generalised.add(A.number)
        return A


def _forget(found: dict[int, Any], known: int) -> None:
    """Keep the first ``known`` entries; a dict preserves insertion order."""
    while len(found) > known:
        found.popitem()
