"""Unification: finding the unknown dimensions, shapes and types of a program (LANGUAGE §2).

Equations between dimensions are solved as soon as they are linear in an unknown that can be isolated, and put off till then.
"""

from rh_kernel.source.span import Span
from rh_kernel.syntax.binding import AnyNode, replace_unknowns
from rh_kernel.syntax.core import Node
from rh_kernel.syntax.dimensions import Atom, Dim, DimMeta, DimVar, Monomial, dim, replace_atoms, variables
from rh_kernel.syntax.types import (
    SCALAR,
    Product,
    Real,
    Shape,
    ShapeMeta,
    ShapeVar,
    Type,
    TypeMeta,
    map_shape,
    map_type,
)


class Unifier:
    """The unknowns of one item and what has been found for them.

    ``uses`` collects where generic things are used, and what became of them there, for ``sizes.check_dimensions``.
    """

    def __init__(self) -> None:
        self._dims: dict[int, Dim] = {}
        self._shapes: dict[int, Shape] = {}
        self._types: dict[int, Type] = {}
        self._waiting: list[tuple[Dim, Dim]] = []
        self._next = 0
        self._kept: set[int] = set()
        self.undetermined = False
        self.uses: list[tuple[Span, Node]] = []

    def fresh_dim(self) -> Dim:
        """An unknown dimension."""
        return dim(DimMeta(self._number()))

    def fresh_shape(self) -> ShapeMeta:
        """An unknown shape."""
        return ShapeMeta(self._number())

    def fresh_type(self) -> TypeMeta:
        """An unknown type."""
        return TypeMeta(self._number())

    def _number(self) -> int:
        self._next += 1
        return self._next

    def dim(self, d: Dim) -> Dim:
        """``d`` with what has been found put in."""
        return replace_atoms(d, self._atom)

    def shape(self, s: Shape) -> Shape:
        """``s`` with what has been found put in."""
        return map_shape(s, self._atom, self._shape_image)

    def type(self, A: Type) -> Type:
        """``A`` with what has been found put in."""
        return map_type(A, self._atom, self._shape_image, self._type_image)

    def head(self, A: Type) -> Type:
        """``A`` itself, or what an unknown type is known to be."""
        while isinstance(A, TypeMeta) and A.number in self._types:
            A = self._types[A.number]
        return A

    def _atom(self, atom: DimVar | DimMeta) -> Dim:
        if isinstance(atom, DimMeta) and atom.number in self._dims:
            return self.dim(self._dims[atom.number])
        return dim(atom)

    def _shape_image(self, s: ShapeVar | ShapeMeta) -> Shape:
        if isinstance(s, ShapeMeta) and s.number in self._shapes:
            return self.shape(self._shapes[s.number])
        return s

    def _type_image(self, A: TypeMeta) -> Type:
        found = self._types.get(A.number)
        return A if found is None else self.type(found)

    def same_type(self, A: Type, B: Type) -> bool:
        """Make A and B equal; ``False`` (and nothing else changed that matters) where they cannot be."""
        A, B = self.head(A), self.head(B)
        match A, B:
            case TypeMeta(m), TypeMeta(n) if m == n:
                return True
            case TypeMeta(m), _:
                return self._define_type(m, B)
            case _, TypeMeta(n):
                return self._define_type(n, A)
            case Real(s), Real(t):
                return self.same_shape(s, t)
            case Product(many), Product(others):
                return len(many) == len(others) and all(
                    self.same_type(C, D) for C, D in zip(many, others, strict=True)
                )
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
        difference = self.dim(c - d)
        if not difference.terms:
            return True
        if not any(isinstance(v, DimMeta) for v in variables(difference)):
            return False
        solved = _isolate(difference)
        if solved is None:
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
        waiting, self._waiting = self._waiting, []
        return all([self.same_dim(c, d) for c, d in waiting])

    def _define_type(self, number: int, A: Type) -> bool:
        A = self.type(A)
        if _occurs(number, A):
            return A == TypeMeta(number)
        self._types[number] = A
        return True

    def would_fit(self, A: Type, B: Type) -> bool:
        """Whether A and B could be made equal; nothing is changed."""
        kept = dict(self._dims), dict(self._shapes), dict(self._types), list(self._waiting)
        fits = self.same_type(A, B)
        self._dims, self._shapes, self._types, self._waiting = kept
        return fits

    def keep(self, *types: Type) -> None:
        """Leave the unknowns of these types open: each use of the declaration is to have its own."""
        for A in types:
            map_type(self.type(A), self._keep_atom, self._keep_shape, self._keep_type)

    def finish(self, node: AnyNode) -> AnyNode:
        """``node`` with every unknown replaced by what was found.

        A type nobody asked about is ``Real(1)`` (LANGUAGE §1); ``undetermined`` tells whether a dimension was not found.
        """
        return replace_unknowns(node, self._final_dim, self._final_shape, self._final_type)

    def finish_type(self, A: Type) -> Type:
        """``finish`` for a type."""
        return map_type(
            self.type(A),
            lambda a: self._final_dim(a) if isinstance(a, DimMeta) else dim(a),
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

    def _keep_atom(self, atom: DimVar | DimMeta) -> Dim:
        if isinstance(atom, DimMeta):
            self._kept.add(atom.number)
        return dim(atom)

    def _keep_shape(self, s: ShapeVar | ShapeMeta) -> Shape:
        if isinstance(s, ShapeMeta):
            self._kept.add(s.number)
        return s

    def _keep_type(self, A: TypeMeta) -> Type:
        self._kept.add(A.number)
        return A


def unsolved(A: Type) -> bool:
    """Whether an unknown is left in A."""
    match A:
        case TypeMeta():
            return True
        case Product(many):
            return any(unsolved(B) for B in many)
        case Real(shape):
            match shape:
                case ShapeMeta():
                    return True
                case ShapeVar():
                    return False
                case dims:
                    return any(isinstance(v, DimMeta) for d in dims for v in variables(d))


def _occurs(number: int, A: Type) -> bool:
    match A:
        case TypeMeta(n):
            return n == number
        case Product(many):
            return any(_occurs(number, B) for B in many)
        case Real():
            return False


def _isolate(difference: Dim) -> tuple[int, Dim] | None:
    """From ``difference = 0`` an unknown and its value, if one occurs linearly and its coefficient divides the rest."""
    for monomial, coefficient in difference.terms:
        match monomial:
            case ((DimMeta(number), 1),):
                rest = Dim(tuple((m, c) for m, c in difference.terms if m != monomial))
                if not _inside(number, rest) and all(c % coefficient == 0 for _, c in rest.terms):
                    return number, Dim(tuple((m, -c // coefficient) for m, c in rest.terms))
            case _:
                continue
    return _quotient(difference)


def _quotient(difference: Dim) -> tuple[int, Dim] | None:
    """The same for ``?n * k = rest``: an unknown that occurs in one product only, of whose other factors the rest is a multiple."""
    for monomial, coefficient in difference.terms:
        unknown = [a for a, power in monomial if isinstance(a, DimMeta) and power == 1]
        if len(unknown) != 1 or len(monomial) < 2:
            continue
        meta = unknown[0]
        factor: dict[Atom, int] = {a: p for a, p in monomial if a != meta}
        rest = [(m, c) for m, c in difference.terms if m != monomial]
        if any(_inside(meta.number, Dim(((m, c),))) for m, c in rest):
            continue
        quotients = [_divide(m, factor) for m, _ in rest]
        if all(c % coefficient == 0 for _, c in rest) and all(q is not None for q in quotients):
            terms = tuple((q, -c // coefficient) for q, (_, c) in zip(quotients, rest, strict=True) if q is not None)
            return meta.number, sum((Dim((t,)) for t in terms), dim(0))
    return None


def _divide(m: Monomial, factor: dict[Atom, int]) -> Monomial | None:
    powers = dict(m)
    for atom, power in factor.items():
        if powers.get(atom, 0) < power:
            return None
        powers[atom] -= power
    return tuple((a, p) for a, p in powers.items() if p)


def _inside(number: int, d: Dim) -> bool:
    return DimMeta(number) in variables(d)
