"""Unification: finding the unknown dimensions, shapes and types of a program (LANGUAGE §2).

Equations between dimensions are solved as soon as they are linear in an unknown that can be isolated, and put off till then.
"""

from dataclasses import dataclass
from typing import Any, cast

from rh_kernel.source.span import Span
from rh_kernel.syntax.binding import AnyNode, solutions
from rh_kernel.syntax.core import Defined, Function, Node, Primitive, RdOf
from rh_kernel.syntax.dimensions import Dim, DimMeta, DimVar, dim, replace_atoms, variables
from rh_kernel.syntax.rebuild import Walk, rebuild
from rh_kernel.syntax.settled import is_settled
from rh_kernel.syntax.stuck import too_many_nodes
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
    """What has to be 0 or more where ``name`` is used: ``what``, as its declaration writes it, and its value there."""

    span: Span
    name: str
    what: str
    value: Dim


@dataclass(slots=True)
class Mark:
    """What was known at some point: how many unknowns of each kind, for what is found is never changed, and what waited."""

    dims: int
    shapes: int
    types: int
    waiting: tuple[tuple[Dim, Dim], ...]
    uses: int
    sizes: int


class Unifier:
    """The unknowns of one item and what has been found for them.

    ``uses`` collects where generic things are used, and what became of them there, and ``sizes`` what has to be 0 or more,
    both for ``finishing.check_dimensions``; ``nodes`` counts those of the nets and handlers that were unfolded.
    """

    def __init__(self) -> None:
        self._dims: dict[int, Dim] = {}
        self._shapes: dict[int, Shape] = {}
        self._types: dict[int, Type] = {}
        self._waiting: list[tuple[Dim, Dim]] = []
        self._names: list[str] = []
        self._kept: set[int] = set()
        self._poisoned: set[int] = set()
        self.undetermined = False
        self.uses: list[tuple[Span, Node]] = []
        self.sizes: list[Size] = []
        self.nodes = 0

    def unfold(self, nodes: int, limit: int, span: Span) -> None:
        """Something of so many nodes is put in the place of its name. Raises ``Stuck`` if they get too many."""
        self.nodes += nodes
        if self.nodes > limit:
            raise too_many_nodes(limit, span)

    def fresh_dim(self, name: str = "n") -> Dim:
        """An unknown dimension; messages call it ``name``."""
        return dim(DimMeta(self._number(name)))

    def fresh_shape(self) -> ShapeMeta:
        """An unknown shape."""
        return ShapeMeta(self._number(""))

    def fresh_type(self, name: str = "_") -> TypeMeta:
        """An unknown type; messages call it ``name``."""
        return TypeMeta(self._number(name))

    def poison(self) -> TypeMeta:
        """The type of something with an error: nothing is said about it, or about what depends on it."""
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
        """``d`` with what has been found put in."""
        return replace_atoms(d, self._atom)

    def shape(self, s: Shape) -> Shape:
        """``s`` with what has been found put in."""
        return s if is_known(s) else map_shape(s, self._atom, self._shape_image)

    def type(self, A: Type) -> Type:
        """``A`` with what has been found put in."""
        return map_type(A, self._atom, self._shape_image, self._type_image)

    def at(self, values: tuple[Shape | Dim, ...]) -> tuple[Shape | Dim, ...]:
        """Dimensions and shapes with what has been found put in."""
        return tuple([self.dim(a) if isinstance(a, Dim) else self.shape(a) for a in values])

    def function(self, f: Function) -> Function:
        """``f`` with what has been found put into its types; the body of a definition is left to ``finish``."""
        match f:
            case Primitive(name, values, A, B):
                at = self.at(values)
                return f if at == values else Primitive(name, at, self.type(A), self.type(B))
            case RdOf(g):
                return RdOf(self.function(g))
            case Defined():
                return f

    def head(self, A: Type) -> Type:
        """``A`` itself, or what an unknown type is known to be."""
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

    def same_type(self, A: Type, B: Type) -> bool:
        """Make A and B equal; where they cannot be, ``False``, and the equations that wait do so as before."""
        A, B = self.head(A), self.head(B)
        if A.is_concrete and B.is_concrete:
            return A == B
        if not self._waiting:
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
                return self.same_shape(s, t)
            case Product(many), Product(others):
                return len(many) == len(others) and all(self._same_type(C, D) for C, D in zip(many, others, strict=True))
            case (Real(), Product()) | (Product(), Real()):
                return False

    def same_shape(self, s: Shape, t: Shape) -> bool:
        """Make two shapes equal."""
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
                return len(s) == len(t) and all(self.same_dim(c, d) for c, d in zip(s, t, strict=True))

    def same_dim(self, c: Dim, d: Dim) -> bool:
        """Make two dimensions equal; an equation that cannot be solved yet waits."""
        c, d = self.dim(c), self.dim(d)
        match c, d:
            case Dim(constant=int() as m), Dim(constant=int() as n):
                return m == n
            case (Dim(terms=((((DimMeta(number), 1),), 1),)), Dim(constant=int()) as value) | (
                Dim(constant=int()) as value,
                Dim(terms=((((DimMeta(number), 1),), 1),)),
            ):
                self._dims[number] = value
                return self._reconsider()
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
                    return self._reconsider()
                case _, ():
                    return False
                case _:
                    pass
            self._waiting.append((c, d))
            return True
        number, value = solved
        self._dims[number] = value
        return self._reconsider()

    def settle(self) -> tuple[Dim, Dim] | None:
        """An equation between dimensions that is still open, if there is one."""
        self._reconsider()
        return next(((self.dim(c), self.dim(d)) for c, d in self._waiting), None)

    def _reconsider(self) -> bool:
        """Whether the equations that wait can hold with what has been found; one that cannot goes on waiting, to be told of."""
        waiting, self._waiting = self._waiting, []
        refuted = [(c, d) for c, d in waiting if not self.same_dim(c, d)]
        self._waiting += refuted
        return not refuted

    def _define_type(self, number: int, A: Type) -> bool:
        A = self.type(A)
        if occurs(number, A):
            return TypeMeta(number) == A
        self._types[number] = A
        return True

    def mark(self) -> Mark:
        """What is known now, to go ``back`` to."""
        return Mark(len(self._dims), len(self._shapes), len(self._types), tuple(self._waiting), len(self.uses), len(self.sizes))

    def back(self, mark: Mark) -> None:
        """Forget what was found since the mark was made."""
        _forget(self._dims, mark.dims)
        _forget(self._shapes, mark.shapes)
        _forget(self._types, mark.types)
        self._waiting = list(mark.waiting)
        del self.uses[mark.uses :]
        del self.sizes[mark.sizes :]

    def would_fit(self, A: Type, B: Type) -> bool:
        """Whether A and B could be made equal; nothing is changed."""
        mark = self.mark()
        fits = self.same_type(A, B)
        self.back(mark)
        return fits

    def refuted(self, A: Type, B: Type) -> tuple[Type, Type, Type] | None:
        """Where A and B cannot be equal for some ``c = d`` that waits: ``Real(c)``, what it would be, and ``Real(d)``."""
        mark, waiting, self._waiting = self.mark(), self._waiting, []
        sides = [sides for c, d in waiting for sides in ((c, d), (d, c))] if self._same_type(A, B) else []
        found = next(((c, self.dim(c), d) for c, d in sides if self.dim(c) != c and not self.same_dim(c, d)), None)
        self.back(mark)
        return None if found is None else (Real((found[0],)), Real((found[1],)), Real((found[2],)))

    # -- showing ---------------------------------------------------------------------------------------------------------------

    def show(self, *types: Type) -> tuple[str, ...]:
        """The types as text, with the unknowns that are left by their names, primed where another thing has that name."""
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
        """The name of a dimension in A that was not found, if there is one that should have been."""
        for leaf in leaves(self.type(A)):
            if isinstance(leaf, Real) and isinstance(leaf.shape, tuple):
                for v in (v for d in leaf.shape for v in variables(d)):
                    if isinstance(v, DimMeta) and v.number not in self._kept:
                        return self._names[v.number - 1]
        return None

    def keep(self, *types: Type) -> None:
        """Leave the unknowns of these types open: each use of the declaration is to have its own."""
        for A in types:
            map_type(self.type(A), self._keep_atom, self._keep_shape, self._keep_type)

    def finish(self, node: AnyNode) -> AnyNode:
        """``node`` with every unknown replaced by what was found.

        A type nobody asked about is ``Real(1)`` (LANGUAGE §1); ``undetermined`` tells whether a dimension was not found.
        """
        return node if is_settled(node) else cast(AnyNode, rebuild(node, 0, self.solutions))

    @property
    def solutions(self) -> Walk:
        """The walk by which ``finish`` goes through a node."""
        return solutions(self._final_dim, self._final_shape, self._final_type)

    def finish_type(self, A: Type) -> Type:
        """``finish`` for a type."""
        return map_type(
            self.type(A),
            lambda a: self._final_dim(a) if isinstance(a, DimMeta) else None,
            lambda s: self._final_shape(s) if isinstance(s, ShapeMeta) else s,
            self._final_type,
        )

    def _final_dim(self, meta: DimMeta) -> Dim:
        found = self.dim(dim(meta))
        self.undetermined |= any(isinstance(v, DimMeta) and v.number not in self._kept for v in variables(found))
        return found

    def _final_shape(self, meta: ShapeMeta) -> Shape:
        found = self.shape(meta)
        return (dim(1),) if isinstance(found, ShapeMeta) and found.number not in self._kept else found

    def _final_type(self, meta: TypeMeta) -> Type:
        found = self.type(meta)
        if isinstance(found, TypeMeta):
            return found if found.number in self._kept else SCALAR
        return self.finish_type(found)

    def _keep_atom(self, atom: DimVar | DimMeta) -> None:
        if isinstance(atom, DimMeta):
            self._kept.add(atom.number)

    def _keep_shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        if isinstance(s, ShapeMeta):
            self._kept.add(s.number)
        return s

    def _keep_type(self, A: TypeMeta) -> Type:
        self._kept.add(A.number)
        return A


def _forget(found: dict[int, Any], known: int) -> None:
    """All but the first ``known`` entries; a dict keeps the order in which they came."""
    while len(found) > known:
        found.popitem()
