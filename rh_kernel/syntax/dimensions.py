"""Dimensions: integer polynomials over dimension variables, with ``ceil(a / b)`` and ``a // b`` as additional atoms.

Two dimensions are equal when their normal forms are, so ``==`` on ``Dim`` is the equality of LANGUAGE §2.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import TypeAlias

from rh_kernel.source.records import frozen


@frozen
class DimVar:
    """``n``: a dimension variable of a declaration."""

    name: str

    def __hash__(self) -> int:
        return hash(self.name)


@frozen
class DimMeta:
    """``?3``: a metavariable of type inference; an elaborated program contains none."""

    number: int

    def __hash__(self) -> int:
        return self.number


@frozen
class Ceil:
    """``ceil(numerator / denominator)``"""

    numerator: "Dim"
    denominator: "Dim"


@frozen
class Floor:
    """``numerator // denominator``"""

    numerator: "Dim"
    denominator: "Dim"


Atom: TypeAlias = DimVar | DimMeta | Ceil | Floor
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]


@frozen
class Dim:
    """A sum of monomials with integer coefficients in normal form: sorted, without zero coefficients.

    ``constant`` is its value as an integer, or ``None`` if it depends on a variable.
    """

    terms: tuple[tuple[Monomial, int], ...]
    constant: int | None = field(init=False, compare=False, repr=False, default=None)

    def __post_init__(self) -> None:
        match self.terms:
            case ():
                object.__setattr__(self, "constant", 0)
            case (((), value),):
                object.__setattr__(self, "constant", value)
            case _:
                pass

    def __hash__(self) -> int:
        return hash(self.terms if self.constant is None else self.constant)

    @property
    def atoms(self) -> frozenset[Atom]:
        """The atoms at the top level of the polynomial, not those inside ``ceil`` and ``//``."""
        return frozenset(atom for monomial, _ in self.terms for atom, _ in monomial)

    def __add__(self, other: "Dim") -> "Dim":
        if self.constant is not None and other.constant is not None:
            return _whole(self.constant + other.constant)
        return _normal(self.terms + other.terms)

    def __neg__(self) -> "Dim":
        return Dim(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: "Dim") -> "Dim":
        return self + -other

    def __mul__(self, other: "Dim") -> "Dim":
        if self.constant is not None and other.constant is not None:
            return _whole(self.constant * other.constant)
        return _normal([(_times(m, n), c * d) for m, c in self.terms for n, d in other.terms])

    def __str__(self) -> str:
        if self.constant is not None:
            return str(self.constant)
        quotient = _quotient(self)
        if quotient is not None:
            return f"{_operand(quotient.numerator)} // {_operand(quotient.denominator)}"
        ordered = sorted(self.terms, key=lambda term: (not term[0], _key(term[0])))
        # Print `n - k` rather than `-k + n`: start with a positive term, if there is one.
        leading = next((i for i, (m, c) in enumerate(ordered) if m and c > 0), 0)
        ordered.insert(0, ordered.pop(leading))
        first, *rest = (_show_term(m, c) for m, c in ordered)
        return first + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in rest)


def dim(value: int | str | Atom) -> Dim:
    """The dimension for an integer, a variable given by name, or an atom."""
    match value:
        case int():
            return _whole(value)
        case str():
            return _of(DimVar(value))
        case DimVar() | DimMeta():
            return _of(value)
        case Ceil() | Floor():
            return Dim(((((value, 1),), 1),))


@lru_cache(maxsize=4096)
def _whole(value: int) -> Dim:
    return Dim((((), value),) if value else ())


@lru_cache(maxsize=4096)
def _of(atom: DimVar | DimMeta) -> Dim:
    return Dim(((((atom, 1),), 1),))


def ceil(numerator: Dim, denominator: Dim) -> Dim:
    """``ceil(numerator / denominator)``; a quotient by 0 is not simplified, and is ``impossible``."""
    n, d = numerator.constant, denominator.constant
    if n is not None and d:
        return dim(-(-n // d))
    return numerator if d == 1 else dim(Ceil(numerator, denominator))


def floor(numerator: Dim, denominator: Dim) -> Dim:
    """``numerator // denominator``; a quotient by 0 is not simplified, and is ``impossible``."""
    n, d = numerator.constant, denominator.constant
    if n is not None and d:
        return dim(n // d)
    return numerator if d == 1 else dim(Floor(numerator, denominator))


def impossible(d: Dim) -> bool:
    """Whether ``d`` is negative or contains a quotient by 0, so that no array can have it."""
    return d.constant < 0 if d.constant is not None else divides_by_zero(d)


def divides_by_zero(d: Dim) -> bool:
    """Whether ``d`` contains a quotient by 0."""
    quotients = [a for a in d.atoms if isinstance(a, Ceil | Floor)]
    return any(q.denominator.constant == 0 or divides_by_zero(q.numerator) or divides_by_zero(q.denominator) for q in quotients)


def replace_atoms(d: Dim, image: Callable[[DimVar | DimMeta], Dim | None]) -> Dim:
    """Replace variables and metavariables by their images, also inside ``ceil`` and ``//``; keep those whose image is ``None``.

    Returns ``d`` itself if nothing is replaced.
    """
    if d.constant is not None:
        return d
    match d.terms:
        case ((((atom, 1),), 1),):
            replaced = image(atom) if isinstance(atom, DimVar | DimMeta) else _replaced(atom, image)
            return d if replaced is None else replaced
        case _:
            pass
    found = {atom: _replaced(atom, image) for monomial, _ in d.terms for atom, _ in monomial}
    if all(replaced is None for replaced in found.values()):
        return d
    images: list[tuple[int, Dim]] = []
    for monomial, coefficient in d.terms:
        product = _whole(1)
        for i, (atom, power) in enumerate(monomial):
            factor = found[atom] or dim(atom)
            for k in range(power):
                product = product * factor if i or k else factor
        images.append((coefficient, product))
    numbers = [coefficient * product.constant for coefficient, product in images if product.constant is not None]
    if len(numbers) == len(images):
        return _whole(sum(numbers))
    return _normal([(m, coefficient * c) for coefficient, product in images for m, c in product.terms])


def substitute(d: Dim, images: Mapping[str, Dim]) -> Dim:
    """Substitute ``images`` for the variables with these names."""
    return replace_atoms(d, lambda a: images.get(a.name) if isinstance(a, DimVar) else None)


def variables(d: Dim) -> frozenset[DimVar | DimMeta]:
    """The variables and metavariables in ``d``, also those inside ``ceil`` and ``//``."""
    if d.constant is not None:
        return frozenset()
    found: set[DimVar | DimMeta] = set()

    def note(atom: DimVar | DimMeta) -> None:
        found.add(atom)

    replace_atoms(d, note)
    return frozenset(found)


def _replaced(atom: Atom, image: Callable[[DimVar | DimMeta], Dim | None]) -> Dim | None:
    """The image of the atom, or ``None`` if it does not change."""
    match atom:
        case DimVar() | DimMeta():
            return image(atom)
        case Ceil(n, d) | Floor(n, d):
            a, b = replace_atoms(n, image), replace_atoms(d, image)
            if a is n and b is d:
                return None
            return ceil(a, b) if isinstance(atom, Ceil) else floor(a, b)


def _normal(terms: Sequence[tuple[Monomial, int]]) -> Dim:
    collected: dict[Monomial, int] = {}
    for monomial, coefficient in terms:
        collected[monomial] = collected.get(monomial, 0) + coefficient
    kept = [(m, c) for m, c in collected.items() if c]
    if len(kept) > 1:
        kept.sort(key=lambda term: _key(term[0]))
    return Dim(tuple(kept))


def _times(m: Monomial, n: Monomial) -> Monomial:
    if not m or not n:
        return m or n
    powers: dict[Atom, int] = dict(m)
    for atom, power in n:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(sorted(powers.items(), key=lambda item: _show_atom(item[0])))


def _key(monomial: Monomial) -> tuple[tuple[str, int], ...]:
    return tuple([(_show_atom(atom), power) for atom, power in monomial])


def _show_term(monomial: Monomial, coefficient: int) -> str:
    if not monomial:
        return str(coefficient)
    factors = "*".join(_show_atom(atom) for atom, power in monomial for _ in range(power))
    match coefficient:
        case 1:
            return factors
        case -1:
            return f"-{factors}"
        case _:
            return f"{coefficient}*{factors}"


def _show_atom(atom: Atom) -> str:
    match atom:
        case DimVar(name):
            return name
        case DimMeta(number):
            return f"?{number}"
        case Ceil(n, d):
            return f"ceil({_operand(n)} / {_operand(d)})"
        case Floor(n, d):
            return f"({_operand(n)} // {_operand(d)})"


def _operand(d: Dim) -> str:
    return f"({d})" if len(d.terms) > 1 or "*" in str(d) or _quotient(d) is not None else str(d)


def _quotient(d: Dim) -> Floor | None:
    """The quotient that ``d`` consists of, or ``None``."""
    match d.terms:
        case ((((Floor() as quotient, 1),), 1),):
            return quotient
        case _:
            return None
