"""The lines that switch the language: ``%%python``, ``%%lambda``, ``%%eff``, and ``%%rh``, which switches back."""

from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION, PYTHON, RETURN

SECTION_LINES = {
    LAMBDA_SECTION: "from this line on: a λ-calculus, one language for several systems of automatic differentiation",
    EFF_SECTION: "from this line on: EFF, a language of effects and handlers in which differentiation is a handler",
}
"""The first lines of sections, with their help texts."""

RETURN_LINE = "ends what a line like `%%lambda` began, so that the language of reverse handlers follows"

PYTHON_CELL = "as the first line of a cell: ordinary IPython in the same process; `rh` there is the session"

LINES = {PYTHON: PYTHON_CELL, **SECTION_LINES, RETURN: RETURN_LINE}
"""All such lines, with their help texts."""
