"""The operations of ``RefState`` and ``Console`` outside of all handlers: ``σ, op V… ⇝ σ', return W`` (Sigal 2024, §3.3.1)."""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.eff.core import Literal, Perform, Reference
from rh_kernel.ad.eff.errors import IndexOutside
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.reduction.store import Vector, vector
from rh_kernel.ad.eff.reduction.values import UNIT, DataValue, RuntimeValue
from rh_kernel.source.diagnostic import KernelBug, Stuck

Content: TypeAlias = "RuntimeValue | Vector[RuntimeValue]"
"""The content of a cell: a value, or the values of an array."""

Cells: TypeAlias = "Vector[Content]"
"""The store: contents by the numbers of their references."""


@dataclass(frozen=True, slots=True)
class StoreChange:
    """The number of a cell that was made or written, and the index of the entry if an array was written."""

    number: int
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class NativeResult:
    """The result of a native operation: its rule, its value, the store after it, and the change or the line printed."""

    rule: Rule
    value: RuntimeValue
    cells: Cells
    change: StoreChange | None = None
    printed: str | None = None


def native(M: Perform, arguments: tuple[RuntimeValue, ...], cells: Cells) -> NativeResult:
    """Perform an operation that no handler handles. Raises ``Stuck`` for an array index that is out of range."""
    match M.operation.partition("#")[0], arguments:
        case "new", (V,):
            return _made(Rule.NEW, V, cells)
        case "read", (Reference(r),):
            return NativeResult(Rule.READ, _value(cells[r]), cells)
        case "write", (Reference(r), V):
            return NativeResult(Rule.WRITE, UNIT, cells.with_item(r, V), StoreChange(r))
        case "array", (V,):
            return _made(Rule.ARRAY, vector(_listed(V)), cells)
        case "fetch", (Reference(r), Literal(int(i))):
            return NativeResult(Rule.FETCH, _entries(M, cells[r], i)[i], cells)
        case "store", (Reference(r), Literal(int(i)), V):
            entries = _entries(M, cells[r], i).with_item(i, V)
            return NativeResult(Rule.STORE, UNIT, cells.with_item(r, entries), StoreChange(r, i))
        case "size", (Reference(r),):
            return NativeResult(Rule.SIZE, Literal(len(_array(cells[r]))), cells)
        case "print", (Literal(str(text)),):
            return NativeResult(Rule.PRINT, UNIT, cells, printed=text)
        case _:
            raise KernelBug(f"no handler is around for {M.operation}")


def _made(rule: Rule, content: Content, cells: Cells) -> NativeResult:
    return NativeResult(rule, Reference(len(cells)), cells.appended(content), StoreChange(len(cells)))


def _listed(V: RuntimeValue) -> list[RuntimeValue]:
    """The elements of a list."""
    found: list[RuntimeValue] = []
    while isinstance(V, DataValue) and V.constructor == "Cons":
        head, V = V.fields
        found.append(head)
    return found


def _value(content: Content) -> RuntimeValue:
    if isinstance(content, Vector):
        raise KernelBug("an array is read as a cell")
    return content


def _array(content: Content) -> Vector[RuntimeValue]:
    if not isinstance(content, Vector):
        raise KernelBug("a cell is read as an array")
    return content


def _entries(M: Perform, content: Content, i: int) -> Vector[RuntimeValue]:
    """The array of a cell. Raises ``Stuck`` if it has no entry i."""
    entries = _array(content)
    if not 0 <= i < len(entries):
        hint = f"the entries are 0 to {len(entries) - 1}" if len(entries) else "an empty array has no entries"
        raise Stuck(IndexOutside(span=M.span, index=i, size=len(entries), hint=hint))
    return entries
