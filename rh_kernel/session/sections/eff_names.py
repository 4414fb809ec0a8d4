"""The declarations of ``%%eff`` cells with their spans, and their kinds and types for ``%whos``, ``%help``, ``%type``."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType

from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.definitions import Declaration, Definitions, Function, Handler, shown
from rh_kernel.ad.eff.printing import cropping
from rh_kernel.session.results import DeclarationMade, NameShown
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span

_INCLUDE = "include"
_PLURALS = {"a data type": "types", "an effect": "effects", "a function": "functions", "a handler": "handlers"}


@frozen
class EffDeclarations:
    """The declarations so far, and the spans of their items by key; the prelude has no spans."""

    definitions: Definitions
    places: Mapping[str, Span] = field(default_factory=lambda: MappingProxyType({}))

    def with_(self, definitions: Definitions, span: Span, again: Iterable[str] = ()) -> "EffDeclarations":
        """Return the declarations after the item at ``span``, which may have declared unchanged ones ``again``.

        Included declarations have the span of their ``include``.
        """
        new = {key: span for key in definitions.declared if key not in self.definitions.declared}
        new.update({key: span for key in again if key not in self.places or not _includes(self.places[key])})
        if not new and definitions is self.definitions:
            return self
        return EffDeclarations(definitions, MappingProxyType({**self.places, **new}))

    @property
    def declared(self) -> Mapping[str, Declaration]:
        """The current meanings of names by key, without the prelude, in the order of the declarations."""
        now = self.definitions
        keys = {*now.types.values(), *now.effects.values(), *now.functions.values(), *now.handlers.values()}
        return {key: made for key, made in now.declared.items() if key in keys and key in self.places}

    @property
    def items(self) -> Mapping[str, Declaration]:
        """The declarations by name; an ``include`` counts as one, by its text, with the last declaration that it includes."""
        return {_name(key, self.places[key]): made for key, made in self.declared.items()}

    @property
    def names(self) -> tuple[NameShown, ...]:
        """The lines of ``%whos``, one for each ``include``."""
        found: dict[str, NameShown] = {}
        included: dict[str, list[DeclarationMade]] = {}
        for key, made in self.declared.items():
            one, span = declaration_made(made), self.places[key]
            place = f"{span.source.name}, line {span.position[0]}"
            if not _includes(span):
                found[key] = NameShown(one.name, one.kind, one.type, place, ())
                continue
            name = span.text.removeprefix(_INCLUDE).strip()
            included.setdefault(span.text, []).append(one)
            found[span.text] = NameShown(name, "a program", _counts(included[span.text]), place, ())
        return tuple(found.values())

    def written(self, key: str) -> Span | None:
        """Return the span of a declaration, which may be in an included program; ``None`` for the prelude."""
        made = self.definitions.declared[key]
        written = made.definition.span if isinstance(made, Function | Handler) else None
        return self.places.get(key) if written is None or key not in self.places else written

    @property
    def every_name(self) -> frozenset[str]:
        """The names of declarations of every kind."""
        d = self.definitions
        tables = (d.functions, d.handlers, d.types, d.effects, d.constructors, d.operations)
        return frozenset([name for table in tables for name in table])

    def about(self, name: str) -> tuple[DeclarationMade, ...]:
        """Return the meanings of a name, including those of the prelude; there may be several."""
        return tuple(about(self.definitions, name))


def _name(key: str, span: Span) -> str:
    return span.text if _includes(span) else shown(key)


def _includes(span: Span) -> bool:
    return span.text.startswith(_INCLUDE)


def _counts(made: Iterable[DeclarationMade]) -> str:
    """``4 types, 1 effect, …``"""
    found = Counter(_PLURALS[one.kind] for one in made)
    return ", ".join([f"{n} {kind if n > 1 else kind[:-1]}" for kind, n in found.items()])


def about(now: Definitions, name: str) -> Iterator[DeclarationMade]:
    """Yield the meanings of a name: a function, a handler, a data type, an effect, a constructor, an operation."""
    for table in (now.functions, now.handlers, now.types, now.effects):
        if name in table:
            yield declaration_made(now.declared[table[name]])
    if name in now.constructors:
        D = now.data(now.constructors[name])
        made = t.Data(D.name, tuple([_argument(parameter) for parameter in D.parameters]))
        fields = next(K.fields for K in D.constructors if shown(K.name) == name)
        yield DeclarationMade(name, "a constructor", cropping.computation(arrow(fields, made)))
    if name in now.operations:
        E = now.effect(now.operations[name])
        label = t.Label(E.name, tuple([_argument(parameter) for parameter in E.parameters]))
        operation = next(one for one in E.operations if shown(one.name) == name)
        A = arrow(operation.domain, operation.codomain)
        yield DeclarationMade(name, "an operation", cropping.computation(A, t.Row((label,))))


def declaration_made(made: Declaration) -> DeclarationMade:
    """Return the result of a declaration; the type of a data type or effect is its kind, as in Fig. 7.13."""
    match made:
        case t.DataDeclaration(key, parameters):
            return DeclarationMade(shown(key), "a data type", _kind(parameters, "Type"))
        case t.EffectDeclaration(key, parameters):
            return DeclarationMade(shown(key), "an effect", _kind(parameters, "Effect"))
        case Function(definition, scheme):
            return DeclarationMade(shown(definition.name), "a function", function_type(scheme))
        case Handler(definition, scheme):
            return DeclarationMade(shown(definition.name), "a handler", cropping.handler_scheme(scheme))


def function_type(scheme: t.Scheme) -> str:
    """Return the type of a function; one without arguments is a thunk."""
    A = scheme.type
    return cropping.computation(A.computation, A.row) if isinstance(A.computation, t.Function) else cropping.value(A)


def _kind(parameters: tuple[t.Parameter, ...], result: str) -> str:
    return " -> ".join([*["Row" if parameter.is_row else "Type" for parameter in parameters], result])


def _argument(parameter: t.Parameter) -> t.ValueType | t.Row:
    return t.Row((), t.RowVariable(parameter.name)) if parameter.is_row else t.Variable(parameter.name)


def arrow(domain: tuple[t.ValueType, ...], codomain: t.ValueType) -> t.ComputationType:
    """``A → … → F B``"""
    A: t.ComputationType = t.Returner(codomain)
    for B in reversed(domain):
        A = t.Function(B, A)
    return A
