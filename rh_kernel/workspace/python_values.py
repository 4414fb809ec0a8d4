"""Turn Python arrays into constants and data sets of a session; whatever does not fit gets a diagnostic of the language."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rh_kernel.cluster.cluster import Cluster, given
from rh_kernel.session.directives.cluster import shown
from rh_kernel.session.limits.budget import check_size
from rh_kernel.session.results import ClusterShown, DeclarationMade
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array, Term
from rh_kernel.syntax.errors import NotAName
from rh_kernel.syntax.parsing.parser import Unparsed, parse
from rh_kernel.syntax.surface_items import ConstDeclaration
from rh_kernel.syntax.types import Type, product, size
from rh_kernel.syntax.values import constant, constant_type, tuple_of
from rh_kernel.training.data import DataSet
from rh_kernel.training.errors import NotFinite, NotNumbers
from rh_kernel.training.samples import data_set, real_array
from rh_kernel.typing.definitions import ConstDefinition
from rh_kernel.typing.elaboration.declarations import declare

ArrayInput: TypeAlias = "npt.ArrayLike | tuple[ArrayInput, ...]"
"""A number, an array or nested lists; a tuple stands for a product."""


def with_constant(session: Session, name: str, value: ArrayInput) -> tuple[Session, DeclarationMade]:
    """Return the session in which ``name`` is the constant ``value``, and the declaration made.

    Raises ``Rejected`` if ``name`` is not a name or ``value`` has entries that are not finite, ``Stuck`` if it is too large.
    """
    item = _parse_declaration(name)
    declare(session.definitions, item)
    V, A = _closed_value(name, value)
    check_size(size(A), f"`{name}` of type {A}", item.name.span, session.settings)
    definition = ConstDefinition(item.name.text, A, V)
    after = replace(session, definitions=session.definitions.with_(definition, item.name.span))
    return after, DeclarationMade(item.name.text, "a constant", str(A))


def with_data(session: Session, name: str, arrays: Mapping[str, npt.ArrayLike]) -> tuple[Session, DataSet]:
    """Return the session in which ``data("name")`` is these arrays (the first axis counts samples), and the data set.

    Arrays that can be written to are copied, and those that are not float64 are converted; a read-only one is taken as it is.
    Raises ``Rejected`` unless they are arrays of finite real numbers of equal length, ``Stuck`` if they are too large.
    """
    if not name or not name.isprintable():
        hint = 'for example rh.data("mine", x=X, t=T)'
        raise Rejected(NotAName(found=repr(name), expected="the name of the data", hint=hint))
    found = {key: real_array(key, array) for key, array in arrays.items()}
    check_size(sum(array.size for array in found.values()), f'the data "{name}"', None, session.settings)
    # The caller may still write to the arrays, so copy them, unless they are read-only.
    data = data_set(name, {key: np.array(array) if array.flags.writeable else array for key, array in found.items()})
    given = MappingProxyType({**session.given, name: data.arrays})
    return replace(session, given=given), data


def with_cluster(session: Session, made: object) -> tuple[Session, ClusterShown]:
    """Return the session that computes pieces on a cluster made in Python, and what shows the cluster.

    Raises ``Rejected`` if it is none, or cannot be used.
    """
    cluster = Cluster(given(made))
    exhaust(cluster.open())
    before = session.settings.cluster
    if before is not None:
        before.close()
    settings = replace(session.settings, cluster=cluster)
    return replace(session, settings=settings), shown(cluster, settings)


def _parse_declaration(name: str) -> ConstDeclaration:
    """Parse ``const name = 0``. Raises ``Rejected`` if it is anything else."""
    match parse(Source("rh.const", f"const {name} = 0")):
        case (ConstDeclaration() as item,) if item.name.span.text == name and item.type is None:
            return item
        case (Unparsed(_, diagnostics),):
            raise Rejected(*diagnostics)
        case _:
            hint = 'a name is made of letters, digits, "_" and "\'", and begins with a letter'
            raise Rejected(NotAName(found=repr(name), expected="the name of a constant", hint=hint))


def _closed_value(name: str, value: ArrayInput) -> tuple[Term, Type]:
    if isinstance(value, tuple):
        parts = [_closed_value(name, part) for part in value]
        return tuple_of(tuple([V for V, _ in parts])), product([A for _, A in parts])
    V = constant(_real_array(name, value))
    return V, constant_type(V)


def _real_array(name: str, value: npt.ArrayLike) -> Array:
    expected = "a number, or an array of numbers"
    try:
        array = np.asarray(value)
    except ValueError:
        found, hint = "rows of different lengths", "give the rows the same number of entries, or give a tuple of arrays"
        raise Rejected(NotNumbers(array=name, found=found, expected=expected, hint=hint)) from None
    if array.dtype.kind not in "fiub":
        hint = "Turn the entries into numbers first, with `array.astype(float)`."
        raise Rejected(NotNumbers(array=name, found=f"entries of type {array.dtype}", expected=expected, hint=hint))
    array = np.asarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        at = np.argwhere(~np.isfinite(array))[0]
        place = f"`{name}`[{', '.join(str(i) for i in at)}]" if array.ndim else f"`{name}`"
        hint = "Replace such entries first, for instance with `np.nan_to_num(array)`."
        raise Rejected(NotFinite(place=place, found=str(array[tuple(at)]), expected="a finite number", hint=hint))
    return array
