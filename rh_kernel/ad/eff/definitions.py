"""The declarations of ``%%eff`` cells, by keys, so that a redeclared name does not change earlier declarations that use it.

The key of a declaration is its name, or ``name#2``, …; terms and types refer to keys, and ``shown`` returns the name.
Redeclaring an equal data type or effect keeps its key.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import TypeAlias

from rh_kernel.ad.eff.core import FunctionDefinition, HandlerDefinition
from rh_kernel.ad.eff.types import DataDeclaration, EffectDeclaration, HandlerScheme, Scheme
from rh_kernel.source.records import frozen


@frozen
class Function:
    """A declared function with its type."""

    definition: FunctionDefinition
    scheme: Scheme


@frozen
class Handler:
    """A declared handler with its type."""

    definition: HandlerDefinition
    scheme: HandlerScheme


Declaration: TypeAlias = DataDeclaration | EffectDeclaration | Function | Handler


def _none() -> Mapping[str, str]:
    return MappingProxyType({})


@frozen
class Definitions:
    """Declarations by their keys, and the current key of each name.

    ``types`` are names of data types; ``constructors`` and ``operations`` map to the key of the declaration that contains
    them, and have keys with the same suffix (``member_key``). ``included`` are the programs of the library. Their declarations
    have their names as keys, which no other declaration gets in a session: so they are independent of where they are included.
    """

    declared: Mapping[str, Declaration] = field(default_factory=lambda: MappingProxyType({}))
    types: Mapping[str, str] = field(default_factory=_none)
    constructors: Mapping[str, str] = field(default_factory=_none)
    effects: Mapping[str, str] = field(default_factory=_none)
    operations: Mapping[str, str] = field(default_factory=_none)
    functions: Mapping[str, str] = field(default_factory=_none)
    handlers: Mapping[str, str] = field(default_factory=_none)
    included: frozenset[str] = frozenset()
    is_session: bool = False

    def key(self, name: str, reserved: Container[str] = ()) -> str:
        """A new key for a name, other than the ``reserved`` ones."""
        found, n = name, 1
        while found in self.declared or found in reserved:
            n += 1
            found = f"{name}#{n}"
        return found

    def with_(self, made: Declaration) -> "Definitions":
        """Add a declaration, whose name is its key; returns ``self`` if nothing changes."""
        key = made.definition.name if isinstance(made, Function | Handler) else made.name
        if self.declared.get(key) == made:
            named = self._naming(key, made, self.declared)
            return self if named == self else named
        return self._naming(key, made, {**self.declared, key: made})

    def _naming(self, key: str, made: Declaration, declared: Mapping[str, Declaration]) -> "Definitions":
        """These definitions with the names of a declaration referring to its key."""
        name = shown(key)
        new: dict[str, Mapping[str, str]]
        match made:
            case DataDeclaration(_, _, constructors):
                names = {shown(c.name): key for c in constructors}
                new = {"types": {**self.types, name: key}, "constructors": {**self.constructors, **names}}
            case EffectDeclaration(_, _, operations):
                names = {shown(o.name): key for o in operations}
                new = {
                    "effects": {**self.effects, name: key},
                    "operations": {**self.operations, **names},
                    "functions": _without(self.functions, names),
                }
            case Function():
                new = {
                    "functions": {**self.functions, name: key},
                    "operations": _without(self.operations, {name: key}),
                }
            case Handler():
                new = {"handlers": {**self.handlers, name: key}}
        return replace(self, declared=declared, **new)

    def of_library(self, program: str) -> "Definitions":
        """These definitions for adding a program of the library."""
        return replace(self, included=self.included | {program})

    def of_session(self) -> "Definitions":
        """These definitions for adding the declarations of a session, which do not get the keys of the library."""
        return replace(self, is_session=True)

    def with_program(self, program: "Definitions", shared: "Definitions") -> "Definitions":
        """Add the definitions of a program of the library, which extend those ``shared`` by all programs.

        Names refer to the program's declarations, except to those that are here already.
        """

        def own(names: Mapping[str, str]) -> Mapping[str, str]:
            return {x: key for x, key in names.items() if key not in shared.declared and key not in self.declared}

        functions, operations = own(program.functions), own(program.operations)
        return replace(
            self,
            declared={**self.declared, **program.declared},
            types={**self.types, **own(program.types)},
            constructors={**self.constructors, **own(program.constructors)},
            effects={**self.effects, **own(program.effects)},
            operations=_without({**self.operations, **operations}, functions),
            functions=_without({**self.functions, **functions}, operations),
            handlers={**self.handlers, **own(program.handlers)},
            included=self.included | program.included,
        )

    def keys_of(self, name: str, current: str | None) -> Sequence[str]:
        """The keys of all declarations of a name: first the ``current`` one, then the others from the newest on."""
        keys = [key for key in self.declared if shown(key) == name and key != current]
        return [*([] if current is None else [current]), *reversed(keys)]

    def data(self, key: str) -> DataDeclaration:
        """The data type with a key."""
        found = self.declared[key]
        assert isinstance(found, DataDeclaration)
        return found

    def effect(self, key: str) -> EffectDeclaration:
        """The effect with a key."""
        found = self.declared[key]
        assert isinstance(found, EffectDeclaration)
        return found

    def is_older(self, effect: str) -> bool:
        """Whether an effect, by its key, was redeclared, so that its name refers to a newer one."""
        return self.effects.get(shown(effect), effect) != effect

    def function(self, key: str) -> Function:
        """The function with a key."""
        found = self.declared[key]
        assert isinstance(found, Function)
        return found

    def handler(self, key: str) -> Handler:
        """The handler with a key."""
        found = self.declared[key]
        assert isinstance(found, Handler)
        return found


def _without(names: Mapping[str, str], taken: Mapping[str, str]) -> Mapping[str, str]:
    """``names`` without the ``taken`` ones; functions and operations share a namespace, and the last declaration counts."""
    return names if names.keys().isdisjoint(taken) else {x: key for x, key in names.items() if x not in taken}


def shown(key: str) -> str:
    """The name of a key."""
    return key.partition("#")[0]


def member_key(key: str, name: str) -> str:
    """The key of the constructor or operation ``name`` of the declaration with this key."""
    return name + key[len(shown(key)) :]
