"""The words of ``%%lambda`` sections by token class; imported only for a text with such a section."""

from rh_kernel.ad.language.parsing import GIVEN, WORDS
from rh_kernel.ad.language.scalars import SYMBOLS

LAMBDA_WORDS = WORDS - GIVEN.keys()
"""Keywords of ``%%lambda`` cells that are ordinary names elsewhere."""

LAMBDA_FUNCTIONS = frozenset({*SYMBOLS, *GIVEN})
"""Built-in functions of ``%%lambda`` cells, on numbers and on arrays."""

LAMBDA_TYPES = frozenset({"Real"})
"""Types of ``%%lambda`` cells."""
