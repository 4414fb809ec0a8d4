"""The lines that begin another language: ``%%python``, ``%%lambda``, ``%%eff``, and ``%%rh``, which returns from a section."""

from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION, PYTHON, RETURN

LABORATORY_CELL = "from this line on: the laboratory, one language for several systems of automatic differentiation"
EFFECTS_CELL = "from this line on: EFF, a language of effects and handlers in which differentiation is a handler"
SECTION_LINES = {LAMBDA_SECTION: LABORATORY_CELL, EFF_SECTION: EFFECTS_CELL}
"""The lines from which on a text is in another language, and what follows them."""

RETURN_LINE = "ends what a line like `%%lambda` began, so that the language of reverse handlers follows"

PYTHON_CELL = "as the first line of a cell: ordinary IPython in the same process; `rh` there is the session"

LINES = {PYTHON: PYTHON_CELL, **SECTION_LINES, RETURN: RETURN_LINE}
"""All of them, with what they mean."""
