"""Checks at a point: of row numbers in every program, of smoothness (RH Ex. 6.9) in strict ones, as in PSmooth (Def. E.4)."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.primitives.places import number_check
from rh_kernel.primitives.schemes import arguments, rank
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.primitives.values import to_array
from rh_kernel.source.interruptible import when_large
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Function, Primitive, RdOf, Term
from rh_kernel.syntax.printing.constants import array_doc
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.runtime_errors import no_such_row, not_smooth
from rh_kernel.syntax.values import component

ENTRIES = 8
"""A point with more entries is shown by its type and the offending entry."""


def has_nonsmooth_points(f: Primitive) -> bool:
    """Whether there are points where f is not smooth."""
    return SYMBOLS[f.name].nonsmooth is not None


def has_row_numbers(f: Function) -> bool:
    """Whether f, or the symbol of which f is a derivative of some order, is undefined at some numbers of rows."""
    g, _ = base(f)
    return isinstance(g, Primitive) and SYMBOLS[g.name].row_numbers is not None


def row_check(f: Primitive) -> tuple[int, Primitive] | None:
    """Return which argument of f consists of row numbers, and the ``one_hot`` that is defined at the same ones."""
    found = SYMBOLS[f.name].row_numbers
    return None if found is None else (found.argument, number_check(found.count(f), arguments(f)[found.argument]))


def row_count(f: Primitive) -> int | None:
    """Return the number of rows that the row numbers of f, if it has any, choose from."""
    found = SYMBOLS[f.name].row_numbers
    return None if found is None else found.count(f).constant


def require_rows(index: Array, rows: int, span: Span | None) -> None:
    """Raise ``Stuck``, located at ``span``, unless the entries of an array are whole numbers from 0 to rows − 1."""
    wrong = ~((index >= 0) & (index < rows) & (index == np.floor(index)))
    if wrong.any():
        raise no_such_row(float(index[wrong][0]), rows, span)


def base(f: Function) -> tuple[Function, int]:
    """Return the g of ``f = rd[rd[… g]]``, and the number of ``rd``; of the nested points, the innermost is that of g."""
    depth = 0
    while isinstance(f, RdOf):
        f, depth = f.of, depth + 1
    return f, depth


def require_at(f: Primitive, V: Term, span: Span | None, *, strict: bool) -> None:
    """Raise ``Stuck``, located at ``span``, if f is undefined at the closed value V, or, if ``strict``, not smooth."""
    if strict:
        require_smooth_at(f, V, span)
        return
    numbers, rows = SYMBOLS[f.name].row_numbers, row_count(f)
    if numbers is not None and rows is not None:
        require_rows(to_array(component(V, numbers.argument, len(arguments(f)))), rows, span)


def require_smooth_at(f: Primitive, V: Term, span: Span | None) -> None:
    """Raise ``Stuck``, located at ``span``, if f is undefined or not smooth at the closed value V."""
    n = len(arguments(f))
    require_smooth(f, [to_array(component(V, i, n)) for i in range(n)], span)


def require_smooth(f: Primitive, point: Sequence[Array], span: Span | None, shown: str = "") -> None:
    """Raise ``Stuck``, located at ``span``, if f is undefined or not smooth at these arguments, with or without a batch axis.

    ``shown`` is the name in the error, if it is not that of f.
    """
    numbers, rows = SYMBOLS[f.name].row_numbers, row_count(f)
    if numbers is not None and rows is not None:
        require_rows(point[numbers.argument], rows, span)
    nonsmooth = SYMBOLS[f.name].nonsmooth
    if nonsmooth is None:
        return
    with np.errstate(all="ignore"):
        found = when_large(max([x.size for x in point]), lambda: np.asarray(nonsmooth.at(f, np)(*point)))
    if not found.any():
        return
    batched = [x.ndim > rank(A) for x, A in zip(point, arguments(f), strict=True)]
    if any(batched):
        sample = int(np.argmax(found.reshape(len(found), -1).any(axis=1)))
        point = [x[sample] if many else x for x, many in zip(point, batched, strict=True)]
        found = found[sample]
    raise not_smooth(shown or f.name, _shown(point), _entry(point, found), span)


def _shown(point: Sequence[Array]) -> str:
    # Adding 0 removes the sign of a zero.
    texts = [plain(array_doc(x + 0.0, ENTRIES), float("inf")) for x in point]
    return texts[0] if len(texts) == 1 else f"⟨{', '.join(texts)}⟩"


def _entry(point: Sequence[Array], found: Array) -> str:
    """The offending entry of a long argument, if it can be named."""
    at = tuple(int(i) for i in np.argwhere(found)[0])
    if any(x.shape != found.shape for x in point) or found.size <= ENTRIES:
        return ""
    where = ", ".join(str(i + 1) for i in at)
    return f"{' and '.join(str(float(x[at] + 0.0)) for x in point)} in entry {where}"
