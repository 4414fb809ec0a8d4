"""What a directive is (LANGUAGE §6): its name, its usage and help text, and how it is analyzed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from rh_kernel.source.records import frozen

if TYPE_CHECKING:
    from rh_kernel.session.actions import Analysis, AnalysisContext

Item = TypeVar("Item", contravariant=True)


@frozen
class Directive(Generic[Item]):
    """A line ``%name …``.

    ``usage`` is what follows the name: ``on|off``, ``[location…]``, ``file``. Completion offers the alternatives in it, and for
    ``file``, ``location…`` and ``name`` those that exist. ``help`` is one line for ``%help``, without a capital or a full
    stop. ``section`` is the line that begins the section in which the directive is used, such as ``%%eff``, or empty.

    ``analyze`` takes the item, and the context with what is declared before it. It returns an action, or is a generator that
    returns one and yields ``Working`` while it reads files. It raises ``Rejected`` for arguments that are wrong. Unless
    ``checks_live`` is off, it is also called while a cell is being written; then it is quick, and does no more than types need.
    """

    name: str
    usage: str
    help: str
    analyze: "Callable[[Item, AnalysisContext], Analysis]"
    section: str = ""
    checks_live: bool = True

    @property
    def call(self) -> str:
        """The name with the usage: ``%gradient P [against Q]``"""
        return f"%{self.name} {self.usage}".rstrip()
