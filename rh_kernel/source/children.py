"""Declarations of the children and binders of classes of nodes, from which ``traversal`` derives generic traversals.

A class declares what its fields do not show: the order of evaluation, and which names are bound in which children.

    class Reduce:
        accumulator: str
        name: str
        body: "Term"
        start: "Term"
        array: "Term"
        children = child("start"), child("array"), child("body", binds=("accumulator", "name"))

Without ``children``, the fields that hold nodes are the children, in order, and bind no names. A variable has ``uses =
("name",)``, the fields with the names that it refers to. A node that is not a term, such as a pattern or a clause, is a record;
``binders`` are the fields with the names that a record binds in the node around it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Any, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from rh_kernel.source.records import frozen

T = TypeVar("T")

Names: TypeAlias = tuple[str, ...]

Part: TypeAlias = tuple[Names, T]
"""A subterm, with the names that the node around it binds in it."""


@frozen
class Child:
    """A field that holds a node or a tuple of nodes, and the fields with the names bound in it."""

    field: str
    binds: Names = ()
    then: str = ""


Children: TypeAlias = tuple[Child, ...]


def child(field: str, *, binds: str | Names = ()) -> Child:
    """Declare the nodes in ``field`` as children in which the names in the fields ``binds`` are bound."""
    return Child(field, (binds,) if isinstance(binds, str) else binds)


def telescope(field: str, then: str) -> Child:
    """Declare the records in ``field``, each of which binds its names in those after it and in the term ``then``."""
    return Child(field, (), then)


class Form:
    """A class of nodes, analyzed. ``terms`` are the classes of terms, ``nodes`` all classes of nodes and their bases."""

    def __init__(
        self,
        kind: type[Any],
        terms: frozenset[type],
        nodes: frozenset[type],
        forms: "Mapping[type, Form]",
        make: Callable[..., object],
    ) -> None:
        hints = get_type_hints(kind, include_extras=True)
        initial = [f for f in fields(kind) if f.init]
        self.fields = tuple(f.name for f in initial)
        self.holds = {f: classes(hints[f]) for f in self.fields}
        self.nodes = tuple(f for f in self.fields if self.holds[f] & nodes)
        self.single = frozenset(f for f in self.nodes if get_origin(hints[f]) is not tuple and type(None) not in self.holds[f])
        self.binders: Names = getattr(kind, "binders", ())
        self.uses: Names = getattr(kind, "uses", ())
        declared: Children | None = getattr(kind, "children", None)
        self.children = tuple(map(child, (f for f in self.nodes if f not in self.binders))) if declared is None else declared
        self.is_term = kind in terms
        self.is_telescope = any(c.then for c in self.children)
        placed = [f for c in self.children for f in (*c.binds, c.field, c.then)]
        self.order = tuple(f for f in (*placed, *self.binders) if f in self.nodes)
        held = [f for c in self.children for f in (c.field, c.then) if f]
        named = [*self.binders, *self.uses, *(f for c in self.children for f in c.binds)]
        for f in self.nodes:
            if f not in held and f not in named:
                raise TypeError(f"{kind.__name__}.{f} holds terms, and is not among the children of {kind.__name__}")
        for f in (*held, *named):
            if f not in self.fields or (f in held and f not in self.nodes):
                raise TypeError(f"{kind.__name__} declares {f}, which is no field of it that holds terms or names")
        self.kept = tuple(f.name for f in initial if f.compare and f.name not in held and f.name not in named)
        self._forms, self._make, self._by_name = forms, make, any(f.kw_only for f in initial)
        self._readers = [
            (c, attrgetter(c.field), self._names_of(c, hints), _holds(hints[c.field], terms)) for c in self.children
        ]

        is_fixed = self.single.issuperset(self.nodes) and all(self.holds[f] <= nodes for f in self.nodes)
        self.inside = getter(self.nodes) if is_fixed and self.nodes else self._inside

    def _inside(self, node: object) -> tuple[Any, ...]:
        found = [item for f in self.nodes for item in items(getattr(node, f))]
        return tuple([item for item in found if type(item) in self._forms])

    def _names_of(self, c: Child, hints: Mapping[str, object]) -> Callable[[object], Names]:
        """Return a function that reads the names bound in a child."""
        if not c.binds or any(hints[f] is not str for f in c.binds):
            return lambda node: tuple([x for f in c.binds for x in self.names_in(getattr(node, f))])
        return getter(c.binds)

    def parts(self, node: object) -> list[Part[Any]]:
        """Return the subterms of a node and its records in the order of evaluation, with the names bound in each."""
        found: list[Part[Any]] = []
        for c, get, names_of, holds in self._readers:
            value = get(node)
            names = names_of(node) if c.binds else ()
            if holds == "term":
                found.append((names, value))
            elif holds == "terms":
                found += [(names, N) for N in value]
            else:
                for item in items(value):
                    form = self._forms.get(type(item))
                    if form is not None:
                        found += [(names, item)] if form.is_term else form.parts(item)
                    if c.then:
                        found[-1] = (names, found[-1][1])
                        names = tuple(self.names_in(item))
                if c.then:
                    found.append((names, getattr(node, c.then)))
        return found

    def rebuilt(self, node: object, parts: Iterator[Part[Any]]) -> object:
        """Return the node with other subterms and other bound names, in the order of ``parts``."""
        values = {f: getattr(node, f) for f in self.fields}
        for c, _, _, holds in self._readers:
            value = values[c.field]
            if holds == "term":
                names, values[c.field] = next(parts)
                if names:
                    self._bind(c, names, values)
            elif c.then:
                values[c.field], values[c.then] = self._telescope(value, parts)
            else:
                made: list[object] = []
                for item in items(value):
                    form = self._forms.get(type(item))
                    if form is None:
                        made.append(item)
                    elif form.is_term:
                        names, N = next(parts)
                        made.append(N)
                        if names:
                            self._bind(c, names, values)
                    else:
                        made.append(form.rebuilt(item, parts))
                values[c.field] = tuple(made) if isinstance(value, tuple) else made[0] if made else None
        return self._make(**values) if self._by_name else self._make(*values.values())

    def _bind(self, c: Child, names: Names, values: dict[str, Any]) -> None:
        rest = iter(names)
        for f in c.binds:
            values[f] = next(rest) if isinstance(values[f], str) else self.renamed(values[f], lambda _: next(rest))

    def _telescope(self, records: tuple[object, ...], parts: Iterator[Part[Any]]) -> tuple[tuple[object, ...], object]:
        made: list[object] = []
        _, N = next(parts)
        for record in records:
            bound = self._forms[type(record)].rebuilt(record, iter((((), N),)))
            names, N = next(parts)
            rest = iter(names)
            made.append(self.renamed(bound, lambda _, rest=rest: next(rest)))
        return tuple(made), N

    def replaced(self, node: object, new: Mapping[str, object]) -> object:
        """Return the node with other values in some fields."""
        values = {f: new[f] if f in new else getattr(node, f) for f in self.fields}
        return self._make(**values) if self._by_name else self._make(*values.values())

    def with_names(self, node: object, names: Names, called: Callable[[str], str]) -> object:
        """Return the node with the names in some of its fields renamed."""
        return self.replaced(node, {f: self.renamed(getattr(node, f), called) for f in names})

    def names_in(self, value: object) -> Iterator[str]:
        """Yield the names in the value of a field: a name, a record that binds names, or a tuple of these."""
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            for item in items(cast(object, value)):
                yield from self.names_in(item)
        elif (form := self._forms.get(type(value))) is not None:
            for f in form.binders:
                yield from self.names_in(getattr(value, f))

    def renamed(self, value: object, called: Callable[[str], str]) -> object:
        """Return the value of a field with its names renamed, from left to right."""
        if isinstance(value, str):
            return called(value)
        if isinstance(value, tuple):
            return tuple([self.renamed(item, called) for item in items(cast(object, value))])
        form = self._forms.get(type(value))
        return form.with_names(value, form.binders, called) if form is not None and form.binders else value


def getter(names: Names) -> Callable[[object], tuple[Any, ...]]:
    """Return a function that reads these fields of a node as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    get: Callable[[object], object] = attrgetter(*names)
    return lambda node: (get(node),)


@cache
def classes(hint: object) -> frozenset[type]:
    """Return the classes in a type annotation: a class, or a union or tuple of annotations."""
    if get_origin(hint) in (Union, UnionType, tuple):
        return frozenset[type]().union(*map(classes, get_args(hint)))
    return frozenset((hint,)) if isinstance(hint, type) else frozenset()


def items(value: object) -> tuple[object, ...]:
    """Return the value of a field, a node, a tuple of nodes or ``None``, as a tuple."""
    if isinstance(value, tuple):
        return cast(tuple[object, ...], value)
    return () if value is None else (value,)


def _holds(hint: object, terms: frozenset[type]) -> str:
    if not classes(hint) <= terms:
        return "records"
    return "terms" if get_origin(hint) is tuple else "term"
