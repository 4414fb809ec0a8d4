"""What of the laboratory's language the library has a word for: the symbols of ``Smooth``; what it has none for is refused."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.library import included
from rh_kernel.ad.language.binding import subterms
from rh_kernel.ad.language.core import Apply, If, Program
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import is_ground
from rh_kernel.ad.language.unrolling import LONGEST, longest
from rh_kernel.ad.system import refuse

_OTHER_NAMES = {"n": "neg", "p": "add", "t": "mul", "divide": "div"}
"""The symbols whose functions have a name of their own; that of ``sin`` is ``sin_`` or ``sin``."""


def _functions() -> Mapping[str, str]:
    symbols: dict[str, str] = {}
    for program in ("smooth", "drivers"):
        for found in re.finditer(r"^fun (\w+)", included(program).text, re.MULTILINE):
            symbols[_OTHER_NAMES.get(found[1], found[1].removesuffix("_"))] = found[1]
    return MappingProxyType({symbol: name for symbol, name in symbols.items() if symbol in SYMBOLS})


FUNCTIONS = _functions()
"""The function of the library that performs what a symbol stands for; what is not smooth has none."""

CONSTANT = "c"
"""The function that makes a number of a Float."""


def outside(system: str, program: Program) -> None:
    """Refuse what no handler of ``Smooth`` gets to see. Raises ``Rejected``."""
    if not all(is_ground(A) for A in (program.result, *(A for _, A in program.parameters))):
        refuse(system, "functions or sums as arguments or results")
    for M in subterms(program.body):
        if isinstance(M, If):
            refuse(system, "conditionals (if)", "the effect Smooth has no comparison of numbers")
        if isinstance(M, Apply) and M.symbol not in FUNCTIONS:
            refuse(system, f"the symbol {M.symbol}", f"the effect Smooth has {', '.join(FUNCTIONS)}")
    if longest(program) > LONGEST:
        refuse(system, f"arrays of more than {LONGEST} entries", "they are unrolled to tuples")


def applied(function: str, *arguments: core.Value) -> core.Computation:
    """``f V…`` for a declared function"""
    M: core.Computation = core.Force(core.Global(function))
    for V in arguments:
        M = core.Apply(M, V)
    return M
