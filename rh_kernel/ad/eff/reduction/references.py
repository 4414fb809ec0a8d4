"""The operations of ``RefState`` and ``Console`` where no handler is left: ``σ, op V… ⇝ σ', return W`` (Sigal 2024, §3.3.1)."""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.eff.core import Literal, Perform, Reference
from rh_kernel.ad.eff.errors import IndexOutside
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.reduction.store import Vector, vector
from rh_kernel.ad.eff.reduction.values import UNIT, Data, Known
from rh_kernel.source.diagnostic import KernelBug, Stuck

Content: TypeAlias = "Known | Vector[Known]"
"""What a cell holds: a value, or those of an array."""

Cells: TypeAlias = "Vector[Content]"
"""The store: contents by the numbers of their references."""


@dataclass(frozen=True, slots=True)
class Change:
    """The cell of this number was made or written; ``entry`` says which of its entries, if it is an array that was there."""

    number: int
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """What an operation came to: its rule, its value, the store behind it, and what it has changed or printed."""

    rule: Rule
    value: Known
    cells: Cells
    change: Change | None = None
    printed: str | None = None


def native(M: Perform, arguments: tuple[Known, ...], cells: Cells) -> Done:
    """An operation that no handler is around for. Raises ``Stuck`` for an index that an array does not have."""
    match M.operation.partition("#")[0], arguments:
        case "new", (V,):
            return _made(Rule.NEW, V, cells)
        case "read", (Reference(r),):
            return Done(Rule.READ, _value(cells[r]), cells)
        case "write", (Reference(r), V):
            return Done(Rule.WRITE, UNIT, cells.with_(r, V), Change(r))
        case "array", (V,):
            return _made(Rule.ARRAY, vector(_listed(V)), cells)
        case "fetch", (Reference(r), Literal(int(i))):
            return Done(Rule.FETCH, _entries(M, cells[r], i)[i], cells)
        case "store", (Reference(r), Literal(int(i)), V):
            return Done(Rule.STORE, UNIT, cells.with_(r, _entries(M, cells[r], i).with_(i, V)), Change(r, i))
        case "size", (Reference(r),):
            return Done(Rule.SIZE, Literal(len(_array(cells[r]))), cells)
        case "print", (Literal(str(text)),):
            return Done(Rule.PRINT, UNIT, cells, printed=text)
        case _:
            raise KernelBug(f"no handler is around for {M.operation}")


def _made(rule: Rule, content: Content, cells: Cells) -> Done:
    return Done(rule, Reference(len(cells)), cells.and_(content), Change(len(cells)))


def _listed(V: Known) -> list[Known]:
    """The elements of a list."""
    found: list[Known] = []
    while isinstance(V, Data) and V.constructor == "Cons":
        head, V = V.fields
        found.append(head)
    return found


def _value(content: Content) -> Known:
    if isinstance(content, Vector):
        raise KernelBug("an array is read as a cell")
    return content


def _array(content: Content) -> Vector[Known]:
    if not isinstance(content, Vector):
        raise KernelBug("a cell is read as an array")
    return content


def _entries(M: Perform, content: Content, i: int) -> Vector[Known]:
    """The array, if it has an entry i."""
    entries = _array(content)
    if not 0 <= i < len(entries):
        hint = f"the entries are 0 to {len(entries) - 1}" if len(entries) else "an empty array has no entries"
        raise Stuck(IndexOutside(span=M.span, index=i, size=len(entries), hint=hint))
    return entries
