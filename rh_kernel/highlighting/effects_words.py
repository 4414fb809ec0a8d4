"""The words of ``%%eff`` sections by how they look; loaded where a text has such a section."""

from rh_kernel.ad.eff.builtin_effects import BUILT_IN
from rh_kernel.ad.eff.machine.builtins import BUILT_INS

EFFECTS_FUNCTIONS = frozenset([name for name in (*BUILT_INS, *BUILT_IN.operations) if name.isidentifier()])
"""What is applied in ``%%eff`` cells without having been declared."""
