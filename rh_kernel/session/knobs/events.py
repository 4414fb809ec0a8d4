"""The event that says which item of a cell begins, and in which session."""

from typing import TYPE_CHECKING

from rh_kernel.source.records import frozen

if TYPE_CHECKING:
    from rh_kernel.syntax.surface_items import Item


@frozen
class Begun:
    """An item of a cell that can be run again begins in this ``Session``, which has no past.

    Its class is not named here, since its module needs this one.
    """

    item: "Item"
    session: object
