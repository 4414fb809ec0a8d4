"""The table of Σ_fun (RH Def. 3.1, LANGUAGE §4): the records of all function symbols."""

import warnings
from collections.abc import Mapping
from functools import partial
from math import prod
from types import MappingProxyType, ModuleType

import numpy as np

from rh_kernel.primitives.binary import PAIRS
from rh_kernel.primitives.completeness import missing
from rh_kernel.primitives.entrywise import ENTRYWISE
from rh_kernel.primitives.images import IMAGES
from rh_kernel.primitives.linear import LINEAR
from rh_kernel.primitives.probability import PROBABILITY
from rh_kernel.primitives.schemes import Scheme, extent, unmet
from rh_kernel.primitives.signals import SIGNALS
from rh_kernel.primitives.slicing import PIECES
from rh_kernel.primitives.structural import STRUCTURAL
from rh_kernel.primitives.symbol import Family, FunctionSymbol, Kernel
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.interruptible import LARGE, interruptible
from rh_kernel.source.plugins import PluginWarning, plugins
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.runtime_errors import impossible_member
from rh_kernel.syntax.types import leaves

FAMILIES = (ENTRYWISE, PAIRS, LINEAR, STRUCTURAL, PIECES, PROBABILITY, SIGNALS, IMAGES)
"""The families of the language, in the order of the reference."""

GROUP = "rh_kernel.operations"
"""The entry points of other distributions in this group name a ``Family`` each."""


def all_records() -> dict[str, FunctionSymbol]:
    """The records of the language, and those of other distributions that are complete and have a name of their own."""
    records = {f.name: f for family in FAMILIES for f in family.symbols}
    for name, family in plugins(GROUP, Family).items():
        for f in family.symbols:
            why = "the name is taken" if f.name in records else next(missing(f), None)
            if why is None:
                records[f.name] = f
            else:
                warnings.warn(f"{GROUP}: the symbol `{f.name}` of `{name}` is skipped: {why}", PluginWarning, stacklevel=2)
    return records


SYMBOLS: Mapping[str, FunctionSymbol] = MappingProxyType(all_records())
"""The record of each function symbol, by its name."""


@frozen
class Failing:
    """``slice[1, 5]`` needs ``hi ≤ n``, and ``hi = 5 and n = 4``"""

    member: str
    need: str
    facts: str
    signature: str


def scheme_of(f: Primitive) -> Scheme:
    """The scheme that f is an instance of: no two schemes of a symbol have equally many variables."""
    for scheme in SYMBOLS[f.name].schemes:
        if len(scheme.variables) == len(f.at):
            return scheme
    raise KernelBug(f"no {f.name} is at {len(f.at)} dimensions and shapes")


def failing(f: Primitive) -> Failing | None:
    """What f needs of its dimensions and has not got, whatever the variables in them are."""
    scheme = scheme_of(f)
    found = unmet(scheme, f.at)
    if found is None:
        return None
    indices = ", ".join(str(a) for a in f.at[: len(scheme.explicit)])
    stated, there = found
    sides = ((stated.smaller, there.smaller), (stated.larger, there.larger))
    facts = " and ".join(f"{name} = {value}" for name, value in sides if name.constant is None and name != value)
    return Failing(f"{f.name}[{indices}]" if indices else f.name, str(stated), facts, f"{f.name}{scheme}")


def require(f: Primitive, span: Span | None = None) -> None:
    """Raises ``Stuck``, at the place ``span``, if f needs something of its dimensions that it has not got."""
    found = failing(f)
    if found is not None:
        raise impossible_member(found.member, str(f.domain), f"{found.need}, and here {found.facts}", span)


def kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """The array function of a concrete instance over the array module ``xp``, batched as ``Kernel`` says.

    One of large arrays can be interrupted. Raises ``ValueError`` if it needs a shape that is not known, ``Stuck`` if there is
    no such instance.
    """
    require(f)
    found = SYMBOLS[f.name].kernel(f, xp)
    if xp is np and _is_large(f):
        return lambda *arguments: interruptible(partial(found, *arguments))
    return found


def _is_large(f: Primitive) -> bool:
    """Whether an argument or the result of f has more than ``LARGE`` entries, as far as their shapes are known."""
    try:
        return any(prod(extent(A)) > LARGE for A in (f.codomain, *leaves(f.domain)))
    except ValueError:
        return False


def cost(f: Primitive) -> int:
    """The floating point operations of one application of a concrete instance.

    One for each entry of an entrywise function, whatever its inner formula; one for each addend of a sum,
    so that ``dot`` counts 2n and ``matmul`` 2mn (2mkn); what only moves entries counts 0. Raises
    ``ValueError`` if a shape is not known.
    """
    return SYMBOLS[f.name].cost(f)
