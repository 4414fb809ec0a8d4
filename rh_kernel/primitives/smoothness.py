"""Where a function symbol is smooth (RH Ex. 6.9); elsewhere strict evaluation leaves it undefined, as in PSmooth (Def. E.4)."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.primitives.schemes import arguments, rank
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.primitives.values import to_array
from rh_kernel.source.interruptible import when_large
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array, Function, Primitive, RdOf, Term
from rh_kernel.syntax.printing.constants import array_doc
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.runtime_errors import not_smooth
from rh_kernel.syntax.values import component

ENTRIES = 8
"""A point with more entries is told by its type, and by the entry that is to blame."""


def is_rough(f: Primitive) -> bool:
    """Whether there are points where f is not smooth."""
    return SYMBOLS[f.name].nonsmooth is not None


def base(f: Function) -> tuple[Function, int]:
    """The g of ``f = rd[rd[… g]]``, and how many ``rd`` stand around it; of its points, that of g is the innermost."""
    depth = 0
    while isinstance(f, RdOf):
        f, depth = f.of, depth + 1
    return f, depth


def require_smooth_at(f: Primitive, V: Term, span: Span | None) -> None:
    """Raises ``Stuck``, at the place ``span``, if f is not smooth at the closed value V."""
    n = len(arguments(f))
    require_smooth(f, [to_array(component(V, i, n)) for i in range(n)], span)


def require_smooth(f: Primitive, point: Sequence[Array], span: Span | None) -> None:
    """Raises ``Stuck``, at the place ``span``, if f is not smooth at these arguments, one sample or a batch in front."""
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
    raise not_smooth(f.name, _shown(point), _entry(point, found), span)


def _shown(point: Sequence[Array]) -> str:
    # A zero is a zero: adding 0 takes its sign away.
    texts = [plain(array_doc(x + 0.0, ENTRIES), float("inf")) for x in point]
    return texts[0] if len(texts) == 1 else f"⟨{', '.join(texts)}⟩"


def _entry(point: Sequence[Array], found: Array) -> str:
    """Which entry of a long argument is to blame, if it is one entry."""
    at = tuple(int(i) for i in np.argwhere(found)[0])
    if any(x.shape != found.shape for x in point) or found.size <= ENTRIES:
        return ""
    where = ", ".join(str(i + 1) for i in at)
    return f"{' and '.join(str(float(x[at] + 0.0)) for x in point)} in entry {where}"
