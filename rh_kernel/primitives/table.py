"""The table of the function symbols Σ_fun (RH Def. 3.1, LANGUAGE §4)."""

import warnings
from collections.abc import Mapping
from functools import partial
from math import prod
from types import MappingProxyType, ModuleType

import numpy as np

from rh_kernel.primitives.binary import BINARY
from rh_kernel.primitives.completeness import missing
from rh_kernel.primitives.entrywise import ENTRYWISE
from rh_kernel.primitives.images import IMAGES
from rh_kernel.primitives.linear import LINEAR
from rh_kernel.primitives.places import PLACES
from rh_kernel.primitives.probability import PROBABILITY
from rh_kernel.primitives.schemes import Scheme, extent, instantiate, unmet
from rh_kernel.primitives.selection import SELECTION
from rh_kernel.primitives.signals import SIGNALS
from rh_kernel.primitives.slicing import SLICING
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

FAMILIES = (ENTRYWISE, BINARY, LINEAR, SELECTION, STRUCTURAL, SLICING, PLACES, PROBABILITY, SIGNALS, IMAGES)
"""The families of the language, in the order of the reference."""

GROUP = "rh_kernel.operations"
"""The entry-point group in which other distributions register a ``Family``."""


def all_records() -> dict[str, FunctionSymbol]:
    """Collect the records of the language, and those of plug-ins that are complete and whose names are not taken."""
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
    """A violated precondition: ``slice[1, 5]`` needs ``hi ≤ n``, and ``hi = 5 and n = 4``"""

    member: str
    need: str
    facts: str
    signature: str


def scheme_of(f: Primitive) -> Scheme:
    """Return the scheme that f is an instance of: of those with as many variables as f has, the first that gives its types."""
    found = [scheme for scheme in SYMBOLS[f.name].schemes if len(scheme.variables) == len(f.at)]
    for scheme in found:
        if len(found) == 1 or instantiate(f.name, scheme, f.at) == f:
            return scheme
    raise KernelBug(f"no {f.name} is at {len(f.at)} dimensions and shapes")


def failing(f: Primitive) -> Failing | None:
    """Return the first precondition on dimensions that f violates for all values of the variables in them, or ``None``."""
    if not any(scheme.needs for scheme in SYMBOLS[f.name].schemes):
        return None
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
    """Raise ``Stuck``, located at ``span``, if f violates a precondition on its dimensions."""
    found = failing(f)
    if found is not None:
        raise impossible_member(found.member, str(f.domain), f"{found.need}, and here {found.facts}", span)


def kernel(f: Primitive, xp: ModuleType) -> Kernel:
    """Return the ``Kernel`` of a concrete instance over the array module ``xp``; on large arrays, it can be interrupted.

    Raises ``ValueError`` if it needs a shape that is not known, ``Stuck`` if there is no such instance.
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
    """Count the floating point operations of one application of a concrete instance.

    An entrywise function counts one per entry, whatever its formula; a sum counts one per addend, so ``dot`` counts 2n and
    ``matmul`` 2mn (2mkn); symbols that only move entries count 0. Raises ``ValueError`` if a shape is not known.
    """
    return SYMBOLS[f.name].cost(f)
