"""Compilation of built-in functions, and of the operations that the machine handles itself, to functions of ρ."""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn

from rh_kernel.ad.eff.errors import IndexOutside
from rh_kernel.ad.eff.machine.builtins import divide
from rh_kernel.ad.eff.machine.compiler.expressions import Computed, Constant, Expression, Slot, closure, gather
from rh_kernel.ad.eff.machine.counting import OpCounter
from rh_kernel.ad.eff.machine.ir import Compute, Environment
from rh_kernel.ad.eff.machine.values import FALSE, TRUE, UNIT, Value, listed, text
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.span import Span
from rh_kernel.syntax.runtime_errors import placed


def call_builtin(g: str, function: Callable[..., Value], arguments: Sequence[Expression]) -> Computed:
    """``ρ ↦ g(V…)``"""
    if len(arguments) == 2 and (made := _infix(g, *arguments)) is not None:
        return made
    return call(function, arguments)


def call(function: Callable[..., Value], arguments: Sequence[Expression]) -> Computed:
    """``ρ ↦ function(V…)``"""
    match arguments:
        case [Slot(i)]:
            return Computed(lambda e: function(e[i]))
        case [one]:
            f = closure(one)
            return Computed(lambda e: function(f(e)))
        case [Slot(i), Slot(j)]:
            return Computed(lambda e: function(e[i], e[j]))
        case [one, two]:
            f, h = closure(one), closure(two)
            return Computed(lambda e: function(f(e), h(e)))
        case _:
            all_of = gather(arguments)
            return Computed(lambda e: function(*all_of(e)))


def _infix(g: str, one: Expression, two: Expression) -> Computed | None:
    """``ρ ↦ g(V, W)`` with an operator of Python, if g has one and the arguments are of a frequent shape."""
    match g, one, two:
        case "add", Slot(i), Slot(j):
            return Computed(lambda e: e[i] + e[j])
        case "sub", Slot(i), Slot(j):
            return Computed(lambda e: e[i] - e[j])
        case "sub", Slot(i), Constant(k):
            return Computed(lambda e: e[i] - k)
        case "div", Slot(i), Slot(j):
            return Computed(lambda e: divide(e[i], e[j]))
        case "less", _, _:
            return _comparison(operator.lt, one, two)
        case "lesseq", Slot(i), Constant(k):
            return Computed(lambda e: TRUE if e[i] <= k else FALSE, lambda e: e[i] <= k)
        case "lesseq", _, _:
            return _comparison(operator.le, one, two)
        case "equal", _, _:
            return _comparison(operator.eq, one, two)
        case _:
            return None


def _comparison(compare: Callable[[Value, Value], bool], one: Expression, two: Expression) -> Computed:
    match one, two:
        case Slot(i), Slot(j):
            return Computed(lambda e: TRUE if compare(e[i], e[j]) else FALSE, lambda e: compare(e[i], e[j]))
        case _:
            f, h = closure(one), closure(two)
            return Computed(lambda e: TRUE if compare(f(e), h(e)) else FALSE, lambda e: compare(f(e), h(e)))


def native(
    tally: OpCounter | None, output: Callable[[str], None], effect: str, operation: str, span: Span | None
) -> Callable[..., Value]:
    """The implementation of an operation of ``RefState`` or ``Console``; it counts its calls if there is a tally."""
    cell: Callable[[Iterable[Value]], Value] = list[Value] if tally is None else tally.cells.cell

    def new(V: Value) -> Value:
        return cell((V,))

    def array(V: Value) -> Value:
        return cell(listed(V))

    def fetch(a: list[Value], i: int) -> Value:
        return a[i] if 0 <= i < len(a) else _out_of_range(i, a, span)

    def store(a: list[Value], i: int, V: Value) -> Value:
        if not 0 <= i < len(a):
            _out_of_range(i, a, span)
        a[i] = V
        return UNIT

    def print_line(line: str) -> Value:
        output(line)
        return UNIT

    implementations: Mapping[str, Callable[..., Value]] = {
        "new": new,
        "read": operator.itemgetter(0),
        "write": _write,
        "array": array,
        "fetch": fetch,
        "store": store,
        "size": len,
        "print": print_line,
    }
    act = implementations[operation]
    if tally is None:
        return act
    performed, key = tally.performed, (effect, operation)

    def counted(*arguments: Value) -> Value:
        performed[key] += 1
        return act(*arguments)

    return counted


def _write(r: list[Value], V: Value) -> Value:
    r[0] = V
    return UNIT


def _out_of_range(i: int, a: list[Value], span: Span | None) -> NoReturn:
    expected = f"an index from 0 to {len(a) - 1}" if a else "no index: it is empty"
    hint = "entries are numbered from 0; `size` returns their number"
    raise Stuck(IndexOutside(span=span, index=i, size=len(a), found=str(i), expected=expected, hint=hint))


def unmatched(value: Compute, width: int) -> Compute:
    """A function that raises ``KernelBug``: no branch matches the value, which reads the first ``width`` slots of ρ."""

    def fail(e: Environment) -> Value:
        raise KernelBug(f"no pattern fits {text(value(e[:width]))}")

    return fail


def at(function: Compute, span: Span | None) -> Compute:
    """The same function, which adds a span to the diagnostics that it raises."""

    def placed_here(e: Environment) -> Value:
        try:
            return function(e)
        except Stuck as failure:
            raise placed(failure, span) from None

    return placed_here
