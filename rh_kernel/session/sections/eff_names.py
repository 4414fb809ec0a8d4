"""What ``%%eff`` cells have declared, with its places, and how it is told of: by ``%whos``, ``%help``, ``%type``."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType

from rh_kernel.ad.eff.definitions import Declaration, Definitions, Function, Handler, shown
from rh_kernel.ad.eff.printing import cropping
from rh_kernel.ad.eff.types import (
    ComputationType,
    Data,
    DataDeclaration,
    EffectDeclaration,
    Label,
    Parameter,
    Returner,
    Row,
    RowVariable,
    Scheme,
    ValueType,
    Variable,
)
from rh_kernel.ad.eff.types import Function as Arrow
from rh_kernel.session.results import DeclarationMade, NameShown
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span

_INCLUDE = "include"
_SEVERAL = {"a data type": "types", "an effect": "effects", "a function": "functions", "a handler": "handlers"}


@frozen
class Effects:
    """Declarations, and by their keys the items that made them; what is always there has no place."""

    definitions: Definitions
    places: Mapping[str, Span] = field(default_factory=lambda: MappingProxyType({}))

    def with_(self, definitions: Definitions, span: Span, again: Iterable[str] = ()) -> "Effects":
        """With what the item at this place has declared, also what it has declared ``again`` as it was.

        What was included has the place of its ``include``.
        """
        new = {key: span for key in definitions.declared if key not in self.definitions.declared}
        new.update({key: span for key in again if key not in self.places or not _includes(self.places[key])})
        if not new and definitions is self.definitions:
            return self
        return Effects(definitions, MappingProxyType({**self.places, **new}))

    @property
    def declared(self) -> Mapping[str, Declaration]:
        """What names stand for now, by their keys, in the order of the declarations."""
        now = self.definitions
        keys = {*now.types.values(), *now.effects.values(), *now.functions.values(), *now.handlers.values()}
        return {key: made for key, made in now.declared.items() if key in keys and key in self.places}

    @property
    def items(self) -> Mapping[str, Declaration]:
        """What items have declared, by its name; for an ``include``, by that as it is written, the last of what it declares."""
        return {_name(key, self.places[key]): made for key, made in self.declared.items()}

    @property
    def names(self) -> tuple[NameShown, ...]:
        """Their lines of ``%whos``; what was included is one of them."""
        found: dict[str, NameShown] = {}
        included: dict[str, list[DeclarationMade]] = {}
        for key, made in self.declared.items():
            one, span = said(made), self.places[key]
            place = f"{span.source.name}, line {span.position[0]}"
            if not _includes(span):
                found[key] = NameShown(one.name, one.kind, one.type, place, ())
                continue
            name = span.text.removeprefix(_INCLUDE).strip()
            included.setdefault(span.text, []).append(one)
            found[span.text] = NameShown(name, "a program", numbers(included[span.text]), place, ())
        return tuple(found.values())

    def written(self, key: str) -> Span | None:
        """Where a declaration stands, also within a program that was included; nowhere what is always there."""
        made = self.definitions.declared[key]
        written = made.definition.span if isinstance(made, Function | Handler) else None
        return self.places.get(key) if written is None or key not in self.places else written

    @property
    def every_name(self) -> frozenset[str]:
        """All names that mean something, whatever they mean."""
        d = self.definitions
        tables = (d.functions, d.handlers, d.types, d.effects, d.constructors, d.operations)
        return frozenset([name for table in tables for name in table])

    def about(self, name: str) -> tuple[DeclarationMade, ...]:
        """What a name stands for, which may be several things; also what is always there."""
        return tuple(about(self.definitions, name))


def _name(key: str, span: Span) -> str:
    return span.text if _includes(span) else shown(key)


def _includes(span: Span) -> bool:
    return span.text.startswith(_INCLUDE)


def by_kind(made: Iterable[DeclarationMade]) -> Mapping[str, list[str]]:
    """The names of declarations by what several of a kind are called."""
    found: dict[str, list[str]] = {}
    for one in made:
        found.setdefault(_SEVERAL[one.kind], []).append(one.name)
    return found


def numbers(made: Iterable[DeclarationMade]) -> str:
    """``4 types, 1 effect, …``"""
    return ", ".join([f"{len(names)} {kind if len(names) > 1 else kind[:-1]}" for kind, names in by_kind(made).items()])


def about(now: Definitions, name: str) -> Iterator[DeclarationMade]:
    """What a name stands for: a function, a handler, a data type, an effect, a constructor, an operation."""
    for table in (now.functions, now.handlers, now.types, now.effects):
        if name in table:
            yield said(now.declared[table[name]])
    if name in now.constructors:
        D = now.data(now.constructors[name])
        made = Data(D.name, tuple([_argument(parameter) for parameter in D.parameters]))
        fields = next(K.fields for K in D.constructors if shown(K.name) == name)
        yield DeclarationMade(name, "a constructor", cropping.computation(arrow(fields, made)))
    if name in now.operations:
        E = now.effect(now.operations[name])
        label = Label(E.name, tuple([_argument(parameter) for parameter in E.parameters]))
        operation = next(one for one in E.operations if shown(one.name) == name)
        A = arrow(operation.domain, operation.codomain)
        yield DeclarationMade(name, "an operation", cropping.computation(A, Row((label,))))


def said(made: Declaration) -> DeclarationMade:
    """The answer to a declaration; of data and effects the type is their kind, as in Fig. 7.13."""
    match made:
        case DataDeclaration(key, parameters):
            return DeclarationMade(shown(key), "a data type", _kind(parameters, "Type"))
        case EffectDeclaration(key, parameters):
            return DeclarationMade(shown(key), "an effect", _kind(parameters, "Effect"))
        case Function(definition, scheme):
            return DeclarationMade(shown(definition.name), "a function", function_type(scheme))
        case Handler(definition, scheme):
            return DeclarationMade(shown(definition.name), "a handler", cropping.handler_scheme(scheme))


def function_type(scheme: Scheme) -> str:
    """The type of a function; what takes no argument is shown as the thunk that it is."""
    A = scheme.type
    return cropping.computation(A.computation, A.row) if isinstance(A.computation, Arrow) else cropping.value(A)


def _kind(parameters: tuple[Parameter, ...], result: str) -> str:
    return " -> ".join([*["Row" if parameter.is_row else "Type" for parameter in parameters], result])


def _argument(parameter: Parameter) -> ValueType | Row:
    return Row((), RowVariable(parameter.name)) if parameter.is_row else Variable(parameter.name)


def arrow(domain: tuple[ValueType, ...], codomain: ValueType) -> ComputationType:
    """``A → … → F B``"""
    A: ComputationType = Returner(codomain)
    for B in reversed(domain):
        A = Arrow(B, A)
    return A
