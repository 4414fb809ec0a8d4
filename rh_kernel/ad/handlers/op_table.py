"""The function symbols that the effect ``Smooth`` supports, with the functions of the library that perform them."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from rh_kernel.ad.eff import core, library
from rh_kernel.ad.language.binding import subterms
from rh_kernel.ad.language.core import Apply, If, Program
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import is_ground
from rh_kernel.ad.language.unrolling import LONGEST, longest
from rh_kernel.ad.system import refuse

_OTHER_NAMES = {"n": "neg", "p": "add", "t": "mul", "divide": "div"}
"""The symbols of the functions that are named otherwise; the function of ``sin`` is named ``sin_`` or ``sin``."""


def _functions() -> Mapping[str, str]:
    symbols: dict[str, str] = {}
    for program in ("smooth", "drivers"):
        for found in re.finditer(r"^fun (\w+)", library.source(program).text, re.MULTILINE):
            symbols[_OTHER_NAMES.get(found[1], found[1].removesuffix("_"))] = found[1]
    return MappingProxyType({symbol: name for symbol, name in symbols.items() if symbol in SYMBOLS})


FUNCTIONS = _functions()
"""The function of the library for each smooth symbol."""

CONSTANT = "c"
"""The function that makes a number from a Float."""


def reject_unsupported(system: str, program: Program) -> None:
    """Raise ``Rejected`` if a program has a construct that ``Smooth`` cannot express."""
    if not all(is_ground(A) for A in (program.result, *(A for _, A in program.parameters))):
        refuse(system, "functions or sums as arguments or results")
    for M in subterms(program.body):
        if isinstance(M, If):
            refuse(system, "conditionals (if)", "the effect Smooth of the thesis has no operation that compares numbers")
        if isinstance(M, Apply) and M.symbol not in FUNCTIONS:
            refuse(system, f"the symbol {M.symbol}", f"the effect Smooth has {', '.join(FUNCTIONS)}")
    if longest(program) > LONGEST:
        refuse(system, f"arrays of more than {LONGEST} entries", "they are unrolled to tuples")


def call(function: str, *arguments: core.Value) -> core.Computation:
    """``f V…`` for a declared function"""
    M: core.Computation = core.Force(core.Global(function))
    for V in arguments:
        M = core.Apply(M, V)
    return M
