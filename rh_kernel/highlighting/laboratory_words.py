"""The words of ``%%lambda`` sections by how they look; loaded where a text has such a section."""

from rh_kernel.ad.language.parsing import GIVEN, WORDS
from rh_kernel.ad.language.scalars import SYMBOLS

LABORATORY_WORDS = WORDS - GIVEN.keys()
"""Words of ``%%lambda`` cells that are names elsewhere."""

LABORATORY_FUNCTIONS = frozenset({*SYMBOLS, *GIVEN})
"""What is applied in ``%%lambda`` cells: symbols of numbers, and what makes and takes arrays."""

LABORATORY_TYPES = frozenset({"Real"})
"""Types of ``%%lambda`` cells."""
