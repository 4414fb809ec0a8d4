"""Programs of ``%%lambda`` cells for tests: from text, or random, well typed and smooth.

``programs(fragment)`` draws a program whose parameters and result are arrays and tuples of them, with a point and a cotangent.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from rh_kernel.ad.language import core as c
from rh_kernel.ad.language import surface as s
from rh_kernel.ad.language.elaboration import elaborate_function
from rh_kernel.ad.language.evaluation import run
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.parsing_items import item
from rh_kernel.ad.language.types import SCALAR, Function, Product, Real, Sum, Type
from rh_kernel.ad.language.values import Value, numbers, of_numbers, size
from rh_kernel.ad.system import Point
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.lexer import chunks


def functions(text: str) -> dict[str, c.Program]:
    """Return the functions that a ``%%lambda`` cell declares."""
    found: dict[str, c.Program] = {}
    for chunk in chunks(Source("test", text)):
        parsed = item(chunk)
        if isinstance(parsed, s.FunItem):
            found[parsed.name.text] = elaborate_function(parsed, found)
    return found


def program(text: str) -> c.Program:
    """Return the last function that a ``%%lambda`` cell declares."""
    return list(functions(text).values())[-1]


def flat(value: Value) -> tuple[float, ...]:
    """Return all numbers in a value."""
    return tuple(numbers(value))


def finite_differences(f: c.Program, point: Point, cotangent: Value, h: float = 1e-6) -> tuple[float, ...]:
    """Return the gradient by central differences, flat."""
    A = Product(tuple(B for _, B in f.parameters))
    where, w = flat(point), flat(cotangent)

    def at(numbers_: list[float]) -> float:
        V = of_numbers(A, iter(numbers_))
        assert isinstance(V, tuple)
        return sum(a * b for a, b in zip(flat(run(f, V)), w, strict=True))

    slopes: list[float] = []
    for i in range(len(where)):
        up, down = list(where), list(where)
        up[i] += h
        down[i] -= h
        slopes.append((at(up) - at(down)) / (2 * h))
    return tuple(slopes)


@dataclass(frozen=True, slots=True)
class Fragment:
    """The constructs of random programs, beside numbers, lets and smooth function symbols."""

    tuples: bool = True
    functions: bool = False
    sums: bool = False
    conditionals: bool = False
    arrays: bool = False
    folds: bool = False
    fuel: int = 12


FIRST_ORDER = Fragment()
"""Numbers, tuples and lets."""
HIGHER_ORDER = Fragment(functions=True)
"""With function values."""
ARRAYS = Fragment(arrays=True)
"""With arrays, without folds."""
LOOPS = Fragment(arrays=True, folds=True)
"""With arrays and folds."""
BRANCHES = Fragment(arrays=True, folds=True, conditionals=True)
"""With arrays, folds and conditionals."""
EVERYTHING = Fragment(functions=True, sums=True, conditionals=True, arrays=True, folds=True, fuel=16)
"""The whole language."""

_UNARY = ("sin", "cos", "tanh", "sigmoid", "neg", "swish", "softplus")
_BINARY = ("add", "sub", "mul")
_SIZES = (0, 2, 3)


@dataclass(frozen=True, slots=True)
class Sample:
    """A program, a point for it, and a cotangent of its result."""

    program: c.Program
    point: Point
    cotangent: Value


@st.composite
def programs(draw: st.DrawFn, fragment: Fragment = FIRST_ORDER, *, scalar: bool = False) -> Sample:
    """Draw a well-typed program with a point and a cotangent; with ``scalar``, its result has type Real."""
    writer = _Writer(draw, fragment, Names())
    parameters: list[tuple[str, Type]] = []
    for i in range(draw(st.integers(1, 3))):
        A = writer.ground(1) if i else (Real(draw(st.sampled_from(_SIZES))) if fragment.arrays else SCALAR)
        parameters.append((writer.names.fresh("xyz"[i]), A))
    result = SCALAR if scalar else writer.ground(1)
    body = writer.term(result, dict(parameters), fragment.fuel)
    point = tuple(writer.value(A) for _, A in parameters)
    return Sample(c.Program("f", tuple(parameters), result, body), point, writer.value(result))


class _Writer:
    """Draws terms of given types; no two binders have the same name."""

    def __init__(self, draw: st.DrawFn, fragment: Fragment, names: Names) -> None:
        self.draw, self.fragment, self.names = draw, fragment, names

    def value(self, A: Type) -> Value:
        """Draw a value with numbers of three digits from −1.5 to 1.5."""
        each = st.integers(-1500, 1500).map(lambda k: k / 1000)
        return of_numbers(A, iter(self.draw(st.lists(each, min_size=size(A), max_size=size(A)))))

    def ground(self, depth: int) -> Type:
        """Draw a type of numbers, arrays and pairs, if the fragment has them."""
        kinds = [0, 0]
        if self.fragment.arrays:
            kinds.append(1)
        if self.fragment.tuples and depth:
            kinds.append(2)
        match self.draw(st.sampled_from(kinds)):
            case 1:
                return Real(self.draw(st.sampled_from(_SIZES)))
            case 2:
                return Product((self.ground(depth - 1), self.ground(depth - 1)))
            case _:
                return SCALAR

    def any_type(self) -> Type:
        """Draw a type for a bound variable."""
        kinds = [0, 0]
        if self.fragment.functions:
            kinds.append(1)
        if self.fragment.sums:
            kinds.append(2)
        match self.draw(st.sampled_from(kinds)):
            case 1:
                return Function(self.ground(0), self.ground(0))
            case 2:
                return Sum(self.ground(0), self.ground(0))
            case _:
                return self.ground(1)

    def term(self, A: Type, gamma: dict[str, Type], fuel: int) -> c.Term:
        """``Γ ⊢ M : A``"""
        known = [x for x, B in gamma.items() if B == A]
        ways: list[Callable[[], c.Term]] = [lambda: self._made(A, gamma, fuel)]
        if known:
            ways += [lambda: c.Variable(self.draw(st.sampled_from(known)))] * (1 if fuel > 0 else 4)
        if fuel > 1:
            ways += [lambda: self._let(A, gamma, fuel)] * 2
            if self.fragment.tuples:
                ways.append(lambda: self._projection(A, gamma, fuel))
            if self.fragment.functions:
                ways.append(lambda: self._call(A, gamma, fuel))
            if self.fragment.sums:
                ways.append(lambda: self._case(A, gamma, fuel))
            if self.fragment.conditionals:
                ways.append(lambda: self._if(A, gamma, fuel))
            if self.fragment.folds:
                ways.append(lambda: self._foldl(A, gamma, fuel))
        return self.draw(st.sampled_from(ways))()

    def _made(self, A: Type, gamma: dict[str, Type], fuel: int) -> c.Term:
        """Draw a term of type A that begins with a constructor of A."""
        match A:
            case Real(1):
                return self._number(gamma, fuel)
            case Real(n):
                return self._array(n, gamma, fuel)
            case Product(factors):
                share = (fuel - 1) // max(len(factors), 1)
                return c.Tuple(tuple(self.term(B, gamma, share) for B in factors))
            case Sum(B, C):
                left = c.Inject(1, A, self.term(B, gamma, fuel // 2))
                right = c.Inject(2, A, self.term(C, gamma, fuel // 2))
                return c.If(self.term(SCALAR, gamma, 1), self.term(SCALAR, gamma, 0), left, right)
            case Function(B, C):
                x = self.names.fresh("u")
                return c.Lambda(x, B, self.term(C, {**gamma, x: B}, fuel - 1))

    def _number(self, gamma: dict[str, Type], fuel: int) -> c.Term:
        if fuel <= 0:
            return c.Constant(self.draw(st.integers(-8, 8)) / 4)
        ways: list[Callable[[], c.Term]] = [
            lambda: c.Apply(self.draw(st.sampled_from(_UNARY)), (self.term(SCALAR, gamma, fuel - 1),)),
            lambda: self._pair(gamma, fuel),
        ]
        if self.fragment.arrays:
            ways.append(lambda: c.Total(self.term(self._size(), gamma, fuel - 1)))
            ways.append(lambda: self._dot(gamma, fuel))
            ways.append(lambda: self._index(gamma, fuel))
        return self.draw(st.sampled_from(ways))()

    def _size(self) -> Real:
        return Real(self.draw(st.sampled_from(_SIZES)))

    def _pair(self, gamma: dict[str, Type], fuel: int) -> c.Term:
        symbol = self.draw(st.sampled_from(_BINARY))
        return c.Apply(symbol, (self.term(SCALAR, gamma, (fuel - 1) // 2), self.term(SCALAR, gamma, (fuel - 1) // 2)))

    def _dot(self, gamma: dict[str, Type], fuel: int) -> c.Term:
        A = self._size()
        return c.Dot(self.term(A, gamma, (fuel - 1) // 2), self.term(A, gamma, (fuel - 1) // 2))

    def _index(self, gamma: dict[str, Type], fuel: int) -> c.Term:
        n = self.draw(st.sampled_from((2, 3)))
        return c.Index(self.term(Real(n), gamma, fuel - 1), self.draw(st.integers(0, n - 1)))

    def _array(self, n: int, gamma: dict[str, Type], fuel: int) -> c.Term:
        x, y = self.names.fresh("a"), self.names.fresh("b")
        half = (fuel - 1) // 2
        ways: list[Callable[[], c.Term]] = [
            lambda: c.Replicate(n, self.term(SCALAR, gamma, fuel - 1)),
            lambda: c.Array(tuple(self.term(SCALAR, gamma, (fuel - 1) // max(n, 1)) for _ in range(n))),
        ]
        if fuel > 0:
            ways += [
                lambda: c.Map(x, self.term(SCALAR, {**gamma, x: SCALAR}, half), self.term(Real(n), gamma, half)),
                lambda: c.Map2(
                    x,
                    y,
                    self.term(SCALAR, {**gamma, x: SCALAR, y: SCALAR}, half),
                    self.term(Real(n), gamma, half // 2),
                    self.term(Real(n), gamma, half // 2),
                ),
                lambda: c.Generate(n, x, self.term(SCALAR, {**gamma, x: SCALAR}, fuel - 1)),
            ]
            if self.fragment.folds and n == 3:
                ways.append(lambda: self._scanl(x, y, gamma, fuel))
        return self.draw(st.sampled_from(ways))()

    def _scanl(self, a: str, x: str, gamma: dict[str, Type], fuel: int) -> c.Term:
        body = self.term(SCALAR, {**gamma, a: SCALAR, x: SCALAR}, (fuel - 1) // 2)
        return c.Scanl(a, x, body, self.term(SCALAR, gamma, 1), self.term(Real(2), gamma, (fuel - 1) // 2))

    def _foldl(self, A: Type, gamma: dict[str, Type], fuel: int) -> c.Term:
        a, x = self.names.fresh("s"), self.names.fresh("e")
        body = self.term(A, {**gamma, a: A, x: SCALAR}, (fuel - 1) // 2)
        return c.Foldl(a, x, body, self.term(A, gamma, 1), self.term(self._size(), gamma, (fuel - 1) // 2))

    def _let(self, A: Type, gamma: dict[str, Type], fuel: int) -> c.Term:
        B = self.any_type()
        x = self.names.fresh("v")
        return c.Let(x, self.term(B, gamma, fuel // 2), self.term(A, {**gamma, x: B}, fuel - fuel // 2))

    def _projection(self, A: Type, gamma: dict[str, Type], fuel: int) -> c.Term:
        known = [(x, i) for x, B in gamma.items() if isinstance(B, Product) for i, C in enumerate(B.factors, 1) if C == A]
        if known:
            x, i = self.draw(st.sampled_from(known))
            return c.Projection(i, c.Variable(x))
        i = self.draw(st.sampled_from((1, 2)))
        B = self.ground(0)
        return c.Projection(i, self.term(Product((A, B) if i == 1 else (B, A)), gamma, fuel - 1))

    def _call(self, A: Type, gamma: dict[str, Type], fuel: int) -> c.Term:
        known = [(x, B) for x, B in gamma.items() if isinstance(B, Function) and B.codomain == A]
        if known:
            x, B = self.draw(st.sampled_from(known))
            return c.Call(c.Variable(x), self.term(B.domain, gamma, fuel - 1))
        C = self.ground(0)
        return c.Call(self.term(Function(C, A), gamma, fuel // 2), self.term(C, gamma, fuel // 2))

    def _case(self, A: Type, gamma: dict[str, Type], fuel: int) -> c.Term:
        B, C = self.ground(0), self.ground(0)
        x, y = self.names.fresh("l"), self.names.fresh("r")
        third = fuel // 3
        left, right = self.term(A, {**gamma, x: B}, third), self.term(A, {**gamma, y: C}, third)
        return c.Case(self.term(Sum(B, C), gamma, third), x, left, y, right)

    def _if(self, A: Type, gamma: dict[str, Type], fuel: int) -> c.Term:
        third = fuel // 3
        smaller, larger = self.term(SCALAR, gamma, 1), self.term(SCALAR, gamma, 0)
        return c.If(smaller, larger, self.term(A, gamma, third), self.term(A, gamma, third))
