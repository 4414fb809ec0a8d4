"""Name resolution in expressions of ``%%eff`` cells: a bound variable, or the latest declaration."""

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from enum import Enum

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.definitions import Definitions, member_key, shown
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.ad.eff.types import Constructor, DataDeclaration, Operation
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.syntax.surface import Name
from rh_kernel.typing.errors import NameTwice, UnknownName, WrongKindOfName

EFFECT = "an effect is declared by effect E = op : A -> B | …"
"""A hint for an unknown effect."""

_FUN = "a function is declared by fun f x = M"
_GROUP = f"{_FUN}, before it is used; those that use each other by fun f x = M and g y = N"
_DATA = "a constructor is declared by data D = K A | …"


class Kind(Enum):
    """What a name refers to."""

    VARIABLE = "a variable"
    FUNCTION = "a function"
    OPERATION = "an operation"
    BUILT_IN = "a built-in function"


@frozen
class Referent:
    """What a name refers to, by its key; for an operation with the key of its effect. ``arity`` is the number of arguments."""

    kind: Kind
    key: str
    effect: str = ""
    arity: int = 0


class Scope:
    """The names in scope; ``own`` are the functions that the item declares, with their keys."""

    def __init__(self, definitions: Definitions, own: Mapping[str, str] | None = None) -> None:
        self.definitions = definitions
        self._own: Mapping[str, str] = {} if own is None else own
        self._bound: Counter[str] = Counter()

    def enter(self, names: Iterable[str]) -> None:
        """Bind names."""
        self._bound.update(names)

    def leave(self, names: Iterable[str]) -> None:
        """Leave the scope of the last binding of each name."""
        self._bound.subtract(names)

    def resolve(self, name: Name) -> Referent:
        """What a name with a lower-case initial refers to. Raises ``Rejected``."""
        x, definitions = name.text, self.definitions
        if self._bound[x] > 0:
            return Referent(Kind.VARIABLE, x)
        if x in self._own:
            return Referent(Kind.FUNCTION, self._own[x])
        if x in definitions.functions:
            return Referent(Kind.FUNCTION, definitions.functions[x])
        if x in definitions.operations:
            effect, declared = self.operation(name)
            return Referent(Kind.OPERATION, declared.name, effect, len(declared.domain))
        if x in BUILT_INS:
            return Referent(Kind.BUILT_IN, x, arity=len(BUILT_INS[x].domain))
        if x in definitions.handlers:
            hint = f"a computation is handled by it with: handle M with {x}"
            raise Rejected(WrongKindOfName(span=name.span, name=x, is_a="a handler", wanted="an expression", hint=hint))
        bound = [y for y, count in self._bound.items() if count > 0]
        hint = _GROUP if self._own else _FUN
        raise undeclared(name, [*bound, *self._own, *definitions.functions, *definitions.operations, *BUILT_INS], hint)

    def operation(self, name: Name) -> tuple[str, Operation]:
        """The key of the effect of an operation, and the operation. Raises ``Rejected``."""
        key = self.definitions.operations.get(name.text)
        if key is None:
            raise undeclared(name, self.definitions.operations, "clauses are for operations of declared effects")
        own = member_key(key, name.text)
        return key, next(o for o in self.definitions.effect(key).operations if o.name == own)

    def constructor(self, name: Name) -> Constructor:
        """The constructor that a name refers to. Raises ``Rejected``."""
        definitions = self.definitions
        key = definitions.constructors.get(name.text)
        if key is None:
            if name.text in definitions.types:
                made = definitions.declared.get(definitions.types[name.text])
                constructors = made.constructors if isinstance(made, DataDeclaration) else ()
                hint = f"its constructors are {', '.join(shown(k.name) for k in constructors)}"
                raise _not_a_constructor(name, "a type", hint)
            if name.text in definitions.effects:
                raise _not_a_constructor(name, "an effect", "its operations are performed by their names")
            raise undeclared(name, definitions.constructors, _DATA)
        own = member_key(key, name.text)
        return next(k for k in definitions.data(key).constructors if k.name == own)

    def effect(self, name: Name) -> str:
        """The key of an effect. Raises ``Rejected``."""
        key = self.definitions.effects.get(name.text)
        if key is None:
            raise undeclared(name, self.definitions.effects, EFFECT)
        return key


def _not_a_constructor(name: Name, is_a: str, hint: str) -> Rejected:
    return Rejected(WrongKindOfName(span=name.span, name=name.text, is_a=is_a, wanted="a constructor", hint=hint))


def unknown(name: Name, names: Iterable[str], hint: str = "") -> Rejected:
    """The diagnostic for an unknown name, which suggests similar ones among ``names``."""
    return Rejected(UnknownName(span=name.span, name=name.text, hint=suggestion(name.text, names) or hint))


def suggestion(name: str, names: Iterable[str]) -> str:
    """A hint with those of ``names`` that are similar, if there are any."""
    close = difflib.get_close_matches(name, sorted(set(names)), n=3)
    return f"did you mean {' or '.join(f'`{x}`' for x in close)}?" if close else ""


def undeclared(name: Name, names: Iterable[str], hint: str) -> Rejected:
    """The diagnostic for a name that is not declared, which suggests a program of the library that declares it."""
    program = library.declaring_programs().get(name.text)
    if program is None:
        return unknown(name, names, hint)
    return Rejected(UnknownName(span=name.span, name=name.text, hint=f"`include {program}` declares it"))


def reject_duplicates(names: Collection[Name], hint: str) -> None:
    """Raise ``Rejected`` if a name occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name.text in seen:
            raise Rejected(NameTwice(span=name.span, name=name.text, hint=hint))
        seen.add(name.text)
