"""Solving equations ``d = 0`` between dimensions for a metavariable (LANGUAGE §2).

It solves linear equations, monomials with one metavariable, and polynomials in a single metavariable, by trying divisors.
"""

from math import gcd, isqrt

from rh_kernel.syntax.dimensions import Atom, Dim, DimMeta, Monomial, dim, variables

MAX_CONSTANT = 10**12
"""Only constants up to this size are searched for divisors, which takes at most a million divisions."""


def isolate(difference: Dim) -> tuple[int, Dim] | None:
    """Solve ``difference = 0`` for a linear metavariable whose coefficient divides the rest; ``None`` if there is none."""
    for monomial, coefficient in difference.terms:
        match monomial:
            case ((DimMeta(number), 1),):
                rest = Dim(tuple((m, c) for m, c in difference.terms if m != monomial))
                if not _occurs_in(number, rest) and all(c % coefficient == 0 for _, c in rest.terms):
                    return number, Dim(tuple((m, -c // coefficient) for m, c in rest.terms))
            case _:
                continue
    return _quotient(difference)


def roots(difference: Dim) -> tuple[int, tuple[int, ...]] | None:
    """The metavariable of a polynomial in a single one, and its roots that are whole numbers from 0 on."""
    unknown: int | None = None
    coefficients: dict[int, int] = {}
    for monomial, coefficient in difference.terms:
        match monomial:
            case ():
                coefficients[0] = coefficient
            case ((DimMeta(number), power),) if unknown in (None, number):
                unknown = number
                coefficients[power] = coefficient
            case _:
                return None
    lowest = min(coefficients, default=0)
    constant = abs(coefficients.get(lowest, 0))
    if unknown is None or constant > MAX_CONSTANT:
        return None
    divisors = {d for n in range(1, isqrt(constant) + 1) if constant % n == 0 for d in (n, constant // n)}
    found = {0} if lowest else set[int]()
    found |= {d for d in divisors if not sum(c * d**power for power, c in coefficients.items())}
    return unknown, tuple(sorted(found))


def solvable(difference: Dim) -> bool:
    """``False`` if ``difference = 0`` has no integer solution: the gcd of the coefficients does not divide the constant."""
    factor = gcd(*(c for m, c in difference.terms if m))
    constant = sum(c for m, c in difference.terms if not m)
    return constant == 0 if factor == 0 else constant % factor == 0


def _quotient(difference: Dim) -> tuple[int, Dim] | None:
    """Solve ``?n * k = rest``: a metavariable that occurs in a single monomial whose other factors divide the rest."""
    for monomial, coefficient in difference.terms:
        unknown = [a for a, power in monomial if isinstance(a, DimMeta) and power == 1]
        if len(unknown) != 1 or len(monomial) < 2:
            continue
        meta = unknown[0]
        factor: dict[Atom, int] = {a: p for a, p in monomial if a != meta}
        rest = [(m, c) for m, c in difference.terms if m != monomial]
        if any(_occurs_in(meta.number, Dim(((m, c),))) for m, c in rest):
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


def _occurs_in(number: int, d: Dim) -> bool:
    return DimMeta(number) in variables(d)
