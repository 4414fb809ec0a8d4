"""Type schemes ``∀ n s…. A → B`` of the families of Σ_fun, and their instances (RH Def. 3.1, LANGUAGE §4)."""

from collections.abc import Sequence

from rh_kernel.source.records import frozen
from rh_kernel.syntax.binding import Static, specialise_type
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.dimensions import Dim, DimVar, dim, divides_by_zero, impossible, substitute
from rh_kernel.syntax.runtime_errors import impossible_size
from rh_kernel.syntax.types import Product, Real, Shape, ShapeMeta, ShapeVar, Type, TypeMeta, concrete_shape, show_shape

Variable = DimVar | ShapeVar


@frozen
class AtMost:
    """``smaller ≤ larger``, a precondition that types do not express"""

    smaller: Dim
    larger: Dim

    def __str__(self) -> str:
        return f"{self.smaller} ≤ {self.larger}"


@frozen
class Scheme:
    """``f[explicit] : domain → codomain``, for all values of ``variables``.

    The values of ``explicit`` are given in square brackets; a shape variable among them comes last and takes all remaining
    dimensions. ``same_size`` are two shapes that must have equally many entries, ``needs`` further preconditions. The codomain
    is a base type, the domain a base type or a product of base types. With an ``order``, a list of variables, the axes of the
    codomain are those of the domain in the order that the values of these variables give, and ``codomain`` is only shown.
    """

    variables: tuple[Variable, ...]
    explicit: tuple[Variable, ...]
    domain: Type
    codomain: Type
    same_size: tuple[Shape, Shape] | None = None
    needs: tuple[AtMost, ...] = ()
    order: tuple[DimVar, ...] = ()

    def __str__(self) -> str:
        names = [show_shape(v) if isinstance(v, ShapeVar) else v.name for v in self.explicit]
        return (f"[{', '.join(names)}]" if names else "") + f" : {self.domain} → {self.codomain}"


def instantiate(name: str, scheme: Scheme, values: tuple[Shape | Dim, ...]) -> Primitive:
    """Return the member of the family ``name`` at ``values``, one for each variable of the scheme, in its order.

    Raises ``ValueError`` if a value is missing or of the wrong kind, if two sizes that must agree are known and differ, or if
    the values of ``order`` are numbers that are no permutation.
    """
    dims: dict[str, Dim] = {}
    shapes: dict[str, Shape] = {}
    for variable, value in zip(scheme.variables, values, strict=True):
        if isinstance(value, Dim) is not isinstance(variable, DimVar):
            raise ValueError(f"{name}: {value} cannot stand for {variable.name}")
        if isinstance(value, Dim):
            dims[variable.name] = value
        else:
            shapes[variable.name] = value
    static = Static(dims, shapes, {})
    if scheme.same_size is not None:
        s, t = (size_of(shapes.get(x.name, x) if isinstance(x, ShapeVar) else x) for x in scheme.same_size)
        if s is not None and t is not None and (s - t).constant not in (None, 0):
            raise ValueError(f"{name}: {s} entries are not {t}")
    A = specialise_type(scheme.domain, static)
    if scheme.order and isinstance(A, Real) and isinstance(A.shape, tuple):
        order = axis_order([dims[v.name] for v in scheme.order])
        if order is None:
            raise ValueError(f"{name}: {[str(dims[v.name]) for v in scheme.order]} is no permutation")
        return Primitive(name, values, A, Real(tuple([A.shape[i] for i in order])))
    return Primitive(name, values, A, specialise_type(scheme.codomain, static))


def axis_order(listed: Sequence[Dim]) -> tuple[int, ...] | None:
    """Return the permutation that dimensions list, counted from 0, or ``None`` if they are numbers that are no permutation.

    While one of them is not known, as in the generic member of a family, the axes keep their order.
    """
    numbers = [d.constant for d in listed]
    order = tuple([n for n in numbers if n is not None])
    identity = tuple(range(len(listed)))
    if len(order) < len(listed):
        return identity
    return order if tuple(sorted(order)) == identity else None


def match(scheme: Scheme, explicit: tuple[Shape | Dim, ...], types: tuple[Type, ...]) -> tuple[Shape | Dim, ...] | None:
    """Return the values of the variables of ``scheme`` at which its arguments have these types, or ``None``.

    ``explicit`` are the values in square brackets: a shape variable takes all remaining dimensions, or one shape. A dimension
    of an argument determines the value of a variable; it is not compared with a value that is already known.
    """
    patterns = scheme.domain.factors if isinstance(scheme.domain, Product) else (scheme.domain,)
    if len(patterns) != len(types):
        return None
    values: dict[Variable, Shape | Dim] = {}
    for i, v in enumerate(scheme.explicit):
        if isinstance(v, DimVar):
            values[v] = explicit[i]
        else:
            rest = tuple([d for d in explicit[i:] if isinstance(d, Dim)])
            values[v] = rest if len(rest) == len(explicit[i:]) else explicit[i]
    of = {dim(v): v for v in scheme.variables if isinstance(v, DimVar)}
    for pattern, A in zip(patterns, types, strict=True):
        if not isinstance(pattern, Real) or not isinstance(A, Real):
            return None
        if isinstance(pattern.shape, ShapeVar):
            values.setdefault(pattern.shape, A.shape)
        elif isinstance(pattern.shape, tuple) and isinstance(A.shape, tuple) and len(pattern.shape) == len(A.shape):
            for d, n in zip(pattern.shape, A.shape, strict=True):
                if d in of:
                    values.setdefault(of[d], n)
        else:
            return None
    return tuple([values[v] for v in scheme.variables]) if len(values) == len(scheme.variables) else None


def keeps_entries(scheme: Scheme, at: tuple[Shape | Dim, ...]) -> bool:
    """Whether, at ``at``, the two shapes of ``same_size`` have equally many entries for all values of the variables."""
    if scheme.same_size is None:
        return True
    values = {v.name: a for v, a in zip(scheme.variables, at, strict=True) if not isinstance(a, Dim)}
    one, other = (values.get(s.name, s) if isinstance(s, ShapeVar) else s for s in scheme.same_size)
    size = size_of(one)
    return one == other or (size is not None and size == size_of(other))


def unmet(scheme: Scheme, at: tuple[Shape | Dim, ...]) -> tuple[AtMost, AtMost] | None:
    """Return the first of the ``needs`` that fails at ``at`` for all values of the variables: as declared, and instantiated."""
    images = {v.name: a for v, a in zip(scheme.variables, at, strict=True) if isinstance(a, Dim)}
    for stated in scheme.needs:
        there = AtMost(substitute(stated.smaller, images), substitute(stated.larger, images))
        if impossible(there.larger - there.smaller):
            return stated, there
    return None


def size_of(shape: Shape) -> Dim | None:
    """Return the number of entries of an array of that shape, or ``None`` while its axes are not known."""
    match shape:
        case ShapeVar() | ShapeMeta():
            return None
        case dims:
            entries = dim(1)
            for d in dims:
                entries = entries * d
            return entries


def arguments(f: Primitive) -> tuple[Type, ...]:
    """Return the types of the arguments of ``f``: the factors of its domain."""
    match f.domain:
        case Product(factors):
            return factors
        case Real() | TypeMeta():
            return (f.domain,)


def extent(A: Type) -> tuple[int, ...]:
    """Return the shape of the arrays of the base type ``A``.

    Raises ``ValueError`` if it depends on a variable, ``Stuck`` if a dimension is negative or a quotient by 0.
    """
    shape = concrete_shape(A) if isinstance(A, Real) else None
    if shape is None:
        if isinstance(A, Real) and isinstance(A.shape, tuple) and any(divides_by_zero(d) for d in A.shape):
            raise impossible_size(A)
        raise ValueError(f"the shape of {A} is not known")
    if any(n < 0 for n in shape):
        raise impossible_size(A)
    return shape


def index(f: Primitive, i: int) -> int:
    """Return the number at position ``i``, from 0, in the brackets of ``f``. Raises ``ValueError`` if it is not known."""
    match f.at[i]:
        case Dim() as d if d.constant is not None:
            return d.constant
        case a:
            raise ValueError(f"the index {a} of {f.name} is not known")


def rank(A: Type) -> int:
    """Return the number of axes of the arrays of the base type ``A``. Raises ``ValueError`` if it is not known."""
    if isinstance(A, Real) and isinstance(A.shape, tuple):
        return len(A.shape)
    raise ValueError(f"the axes of {A} are not known")
