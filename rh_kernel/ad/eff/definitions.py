"""What has been declared in ``%%eff`` cells. A name that is declared anew does not change what was made with the old one.

Each declaration has a key of its own, its name or ``name#2``, …; terms and types refer to keys, and ``shown`` gives the name.
Only a data type or an effect that is declared again in the same words, of the same types and effects, keeps its key.
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
    """A declared function, and what it was found to be."""

    definition: FunctionDefinition
    scheme: Scheme


@frozen
class Handler:
    """A declared handler, and what it was found to be."""

    definition: HandlerDefinition
    scheme: HandlerScheme


Declaration: TypeAlias = DataDeclaration | EffectDeclaration | Function | Handler


def _none() -> Mapping[str, str]:
    return MappingProxyType({})


@frozen
class Definitions:
    """Declarations by their keys, and for each kind of name which key it stands for now.

    ``types`` are names of data types, ``constructors`` and ``operations`` map to the key of what declares them; their own keys
    are their names with what follows the name in that key. ``included`` are the programs of the library that are in them.
    Those have their names as keys, and in a session nothing else has one of these, so that a program never means what is
    declared where it is included.
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
        """A key that nothing has yet, and that is none of the ``reserved`` ones."""
        found, n = name, 1
        while found in self.declared or found in reserved:
            n += 1
            found = f"{name}#{n}"
        return found

    def with_(self, made: Declaration) -> "Definitions":
        """With a declaration, whose name is the key that it was given; itself, where nothing is new."""
        key = made.definition.name if isinstance(made, Function | Handler) else made.name
        if self.declared.get(key) == made:
            named = self._naming(key, made, self.declared)
            return self if named == self else named
        return self._naming(key, made, {**self.declared, key: made})

    def _naming(self, key: str, made: Declaration, declared: Mapping[str, Declaration]) -> "Definitions":
        """The same where the names of a declaration stand for it."""
        name = shown(key)
        match made:
            case DataDeclaration(_, _, constructors):
                names = {shown(c.name): key for c in constructors}
                return replace(
                    self, declared=declared, types={**self.types, name: key}, constructors={**self.constructors, **names}
                )
            case EffectDeclaration(_, _, operations):
                names = {shown(o.name): key for o in operations}
                return replace(
                    self,
                    declared=declared,
                    effects={**self.effects, name: key},
                    operations={**self.operations, **names},
                    functions=_without(self.functions, names),
                )
            case Function():
                return replace(
                    self,
                    declared=declared,
                    functions={**self.functions, name: key},
                    operations=_without(self.operations, {name: key}),
                )
            case Handler():
                return replace(self, declared=declared, handlers={**self.handlers, name: key})

    def of_library(self, program: str) -> "Definitions":
        """The same, to which a program of the library is going to be put."""
        return replace(self, included=self.included | {program})

    def of_session(self) -> "Definitions":
        """The same, to which somebody is going to put what he likes."""
        return replace(self, is_session=True)

    def with_program(self, program: "Definitions", shared: "Definitions") -> "Definitions":
        """With a program of the library, whose names count from now on; it was put to what is ``shared`` by all programs.

        What is here already is not declared anew.
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

    def of_name(self, name: str, now: str | None) -> Sequence[str]:
        """The keys of all declarations that had a name: first the one that has it ``now``, then from the newest one on."""
        keys = [key for key in self.declared if shown(key) == name and key != now]
        return [*([] if now is None else [now]), *reversed(keys)]

    def data(self, key: str) -> DataDeclaration:
        """The data type of a key."""
        found = self.declared[key]
        assert isinstance(found, DataDeclaration)
        return found

    def effect(self, key: str) -> EffectDeclaration:
        """The effect of a key."""
        found = self.declared[key]
        assert isinstance(found, EffectDeclaration)
        return found

    def is_older(self, effect: str) -> bool:
        """Whether an effect, by its key, has lost its name to one that was declared after it."""
        return self.effects.get(shown(effect), effect) != effect

    def function(self, key: str) -> Function:
        """The function of a key."""
        found = self.declared[key]
        assert isinstance(found, Function)
        return found

    def handler(self, key: str) -> Handler:
        """The handler of a key."""
        found = self.declared[key]
        assert isinstance(found, Handler)
        return found


def _without(names: Mapping[str, str], taken: Mapping[str, str]) -> Mapping[str, str]:
    """Functions and operations are named in the same places, so the last declaration of a name counts."""
    return names if names.keys().isdisjoint(taken) else {x: key for x, key in names.items() if x not in taken}


def shown(key: str) -> str:
    """The name that a key was made from."""
    return key.partition("#")[0]


def marked(key: str, name: str) -> str:
    """The key of a constructor or an operation that is declared with what has this key."""
    return name + key[len(shown(key)) :]
