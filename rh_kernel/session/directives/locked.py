"""``%locked``: names and checks of a cell for courses."""

from dataclasses import replace

from rh_kernel.session.actions import AnalysisContext, ChangeSettings
from rh_kernel.session.directives.arguments import several_choices
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.settings import Lock
from rh_kernel.syntax import surface_items as items


def _analyze(item: items.Directive, context: AnalysisContext) -> ChangeSettings:
    words = several_choices(item, ("empty", "infinite", "off"), alone="off")
    lock = None if "off" in words else Lock("empty" in words, "infinite" in words)
    return ChangeSettings(replace(context.settings, locked=lock), _lock_text(lock))


def _lock_text(lock: Lock | None) -> str:
    if lock is None:
        return "locked is off: names are what was declared last"
    allowed = [what for what, is_allowed in (("empty arrays", lock.empty), ("infinite numbers", lock.infinite)) if is_allowed]
    also = f"; {' and '.join(allowed)} count too" if allowed else ""
    return f"locked: names are the language's and those of locked cells, and a check compares finite numbers{also}"


DIRECTIVE = Directive(
    "locked",
    "[empty|infinite|off] [empty|infinite]",
    "to the end of the cell: names are the language's and those of locked cells",
    _analyze,
    order=310,
    example="""
%locked
const golden : Real(2) = [1, 2]
check dot(golden, golden) == 5
""",
    details="""
For teachers. From this line to the end of the cell, or to `%locked off`, [function symbols](symbols.md) have their built-in
meaning, and what a cell declares below `%locked` keeps its meaning in every later locked cell, whatever other cells
redeclare. A check there fails ([RH217](errors.md#rh217-locked-check-compares-nothing)) if its sides are infinite or have no
entries; `%locked infinite` and `%locked empty` allow that. In a file it holds up to `%locked off` or the end.
[For a course](courses.md#locked-checks) says what it protects against.
""",
)
