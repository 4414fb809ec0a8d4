"""The words of ``%%eff`` sections by token class; imported only for a text with such a section."""

from rh_kernel.ad.eff.builtin_effects import BUILT_IN
from rh_kernel.ad.eff.machine.builtins import BUILT_INS

EFF_FUNCTIONS = frozenset([name for name in (*BUILT_INS, *BUILT_IN.operations) if name.isidentifier()])
"""Built-in functions and operations of ``%%eff`` cells."""
