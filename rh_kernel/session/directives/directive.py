"""``Directive``: the name, usage, help texts, example and analysis of a directive (LANGUAGE §6)."""

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
    existing files, locations, data sets, names, and nets and functions for ``file``, ``location…``, ``data…``, ``name`` and
    ``net``. With ``suffixes``, a ``file`` is one with these, to be written, and it may have the name of the net before it.
    ``help`` is one line for ``%help``, without a capital or a full stop. ``section`` is the first line of the section in which
    the directive may be used, such as ``%%eff``, or empty.

    ``analyze`` takes the item and its context. It returns an action, or a generator that returns one and yields ``Working``
    while it reads files. It raises ``Rejected`` for invalid arguments. With ``checks_live``, it is also called while a cell is
    being edited, so it must be fast and do no more than type checking.

    ``%help`` lists directives by ``order``, and those with the same one by name: from 100 on those that look at a program, from
    200 on the heap and the session, from 300 on the settings, from 900 on help.

    The reference page shows ``example``, a program; below it what it prints, unless ``runs_example`` is false, because it needs
    a file or prints times; and then ``details``, in Markdown whose links are relative to that page.
    """

    name: str
    usage: str
    help: str
    analyze: "Callable[[Item, AnalysisContext], Analysis]"
    section: str = ""
    checks_live: bool = True
    order: int = 500
    example: str = ""
    runs_example: bool = True
    details: str = ""
    suffixes: tuple[str, ...] = ()

    @property
    def call(self) -> str:
        """The name and the usage: ``%gradient P [against Q]``"""
        return f"%{self.name} {self.usage}".rstrip()
