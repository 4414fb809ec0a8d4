"""``Target``: an array language, and how a function is written as files of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rh_kernel.interchange.functions import ArrayFunction, Weight
from rh_kernel.loops.ir import Precision
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array


@dataclass(frozen=True, slots=True, eq=False)
class Exported:
    """A function with the contents of its weights, in one precision; ``signature`` is that of the net in RH."""

    function: ArrayFunction
    contents: Mapping[Weight, Array]
    precision: Precision
    signature: str


@frozen
class Target:
    """An array language.

    ``name`` chooses it, ``title`` is for sentences, ``suffix`` that of its file. ``write`` returns the contents of one or more
    files by their suffixes; it raises ``Rejected`` if the language cannot express the function. ``requires`` are the modules
    that it imports, and ``install`` is what a user installs to have them. ``remark`` is what to know about the result.
    ``tolerance`` is the absolute or relative difference that rounding may make in the value of a function symbol.
    """

    name: str
    title: str
    suffix: str
    write: Callable[[Exported], Mapping[str, bytes]]
    requires: tuple[str, ...] = ()
    install: str = ""
    remark: str = ""
    tolerance: float = 1e-12
