"""``%lsmagic``: the overview of ``%help`` under IPython's name for it."""

from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.help import explain

DIRECTIVE = Directive(
    "lsmagic",
    "",
    "this list",
    explain,
    order=910,
    example="%lsmagic",
    runs_example=False,
    details="The same list as `%help` alone, under IPython's name for it.",
)
