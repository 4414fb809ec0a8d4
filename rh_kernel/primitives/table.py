"""The table of Σ_fun (RH Def. 3.1, LANGUAGE §4), a row for each name: a new symbol is a new row in a part."""

from collections.abc import Mapping
from types import MappingProxyType, ModuleType

from rh_kernel.primitives.entrywise import ENTRYWISE_ROWS
from rh_kernel.primitives.linear import LINEAR_ROWS
from rh_kernel.primitives.pairs import PAIR_ROWS
from rh_kernel.primitives.probability import PROBABILITY_ROWS
from rh_kernel.primitives.row import Kernel, Row
from rh_kernel.primitives.structural import STRUCTURAL_ROWS
from rh_kernel.syntax.core import Primitive

ROWS: Mapping[str, Row] = MappingProxyType(
    {row.name: row for part in (ENTRYWISE_ROWS, PAIR_ROWS, LINEAR_ROWS, STRUCTURAL_ROWS, PROBABILITY_ROWS) for row in part}
)


def kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """The array function of a concrete instance over the array module ``xp``, batched as ``Kernel`` says.

    Raises ``ValueError`` if it needs a shape that is not known.
    """
    return ROWS[f.name].kernel(f, xp)


def cost(f: Primitive) -> int:
    """The floating point operations of one application of a concrete instance.

    One for each entry of an entrywise function, whatever its inner formula; one for each addend of a sum,
    so that ``dot`` counts 2n and ``matmul`` 2mn (2mkn); what only moves entries counts 0. Raises
    ``ValueError`` if a shape is not known.
    """
    return ROWS[f.name].cost(f)
