"""``Directive``: the name, usage, help text and analysis of a directive (LANGUAGE §6)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from rh_kernel.source.records import frozen

if TYPE_CHECKING:
    from rh_kernel.session.actions import Analysis, AnalysisContext

Item = TypeVar("Item", contravariant=True)


@frozen
class Directive(Generic[Item]):
    """A line ``%name …``.

    ``usage`` describes the arguments: ``on|off``, ``[location…]``, ``file``. Completion offers the alternatives in it, and the
    existing files, locations and names for ``file``, ``location…`` and ``name``. ``help`` is one line for ``%help``, without a
    capital or a full stop. ``section`` is the first line of the section in which the directive may be used, such as ``%%eff``,
    or empty.

    ``analyze`` takes the item and its context. It returns an action, or a generator that returns one and yields ``Working``
    while it reads files. It raises ``Rejected`` for invalid arguments. With ``checks_live``, it is also called while a cell is
    being edited, so it must be fast and do no more than type checking.
    """

    name: str
    usage: str
    help: str
    analyze: "Callable[[Item, AnalysisContext], Analysis]"
    section: str = ""
    checks_live: bool = True

    @property
    def call(self) -> str:
        """The name and the usage: ``%gradient P [against Q]``"""
        return f"%{self.name} {self.usage}".rstrip()
