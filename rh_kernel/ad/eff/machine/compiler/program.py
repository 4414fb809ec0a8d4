"""A program of the machine: what has been declared, and what of it has been compiled so far."""

from collections.abc import Callable, Mapping

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions, Handler
from rh_kernel.ad.eff.machine.builtins import BUILT_INS, BuiltInFunction
from rh_kernel.ad.eff.machine.compiler.decision_trees import Matching
from rh_kernel.ad.eff.machine.counting import OpCounter
from rh_kernel.ad.eff.machine.ir import Code, Handling
from rh_kernel.ad.eff.machine.tensor_memory import Alive, watched
from rh_kernel.ad.eff.traversal import Node as Term
from rh_kernel.ad.eff.traversal import free, parts
from rh_kernel.ad.eff.types import DataDeclaration

NATIVE = frozenset({"RefState", "Console"})
"""The effects that the machine handles itself."""

MEMORY = 1 << 34
"""A run that nobody has bounded otherwise may take so many bytes."""


class Program:
    """Declarations, compiled as far as they have been used.

    It may be used again with more declarations, or without some of them. With a ``tally`` it counts what it does. ``printed``
    is what has been printed since a machine was made for it last, and ``tensors`` are what it then has made.
    """

    __slots__ = (
        "_codes",
        "_handlings",
        "_small",
        "built_ins",
        "definitions",
        "is_native",
        "matching",
        "printed",
        "tally",
        "tensors",
    )

    definitions: Definitions
    matching: Matching
    is_native: bool
    """Whether nothing but the machine handles ``RefState`` and ``Console``: then nobody looks for a handler of theirs."""

    def __init__(
        self,
        definitions: Definitions,
        built_ins: Mapping[str, BuiltInFunction] = BUILT_INS,
        tally: OpCounter | None = None,
    ) -> None:
        self.tensors = Alive(MEMORY)
        self.built_ins = watched(built_ins, self.tensors)
        self.tally = tally
        self.printed: list[str] = []
        self._codes: dict[str, Code] = {}
        self._handlings: dict[str, Handling] = {}
        self._small: dict[Code, bool] = {}
        self.is_native = True
        self.use(definitions)

    def use(self, definitions: Definitions) -> None:
        """Go on with these declarations. What is declared anew under an old key is compiled anew."""
        declared = definitions.declared.values()
        self.definitions = definitions
        self.matching = Matching([D for D in declared if isinstance(D, DataDeclaration)])
        handled = [effect for D in declared if isinstance(D, Handler) for effect in D.definition.clauses.effects]
        is_native = NATIVE.isdisjoint(handled)
        if is_native is not self.is_native:
            self._codes, self._handlings, self._small = {}, {}, {}
        self.is_native = is_native

    def print(self, line: str) -> None:
        """Print a line."""
        self.printed.append(line)

    def function(self, key: str) -> Code:
        """The code of a declared function."""
        body = self.definitions.function(key).definition.body
        code = self._codes.get(key)
        if code is None or code.thunk is not body:
            self._codes[key] = code = Code(body, (), key)
        return code

    def handling(self, key: str, fill: Callable[[Handling, core.HandlerDefinition], None]) -> Handling:
        """The clauses of a declared handler; ``fill`` compiles them."""
        definition = self.definitions.handler(key).definition
        found = self._handlings.get(key)
        if found is None or found.written is not definition.clauses:
            self._handlings[key] = found = Handling(key)
            found.written = definition.clauses
            fill(found, definition)
        return found

    def small(self, key: str, count: int) -> tuple[tuple[str, ...], core.Computation] | None:
        """A declared function of ``count`` parameters that is an operation or a calculation, to stand where it is called."""
        code = self.function(key)
        is_small = self._small.get(code)
        if is_small is None:
            is_small = self._small[code] = size(code.term, SMALL) <= SMALL and is_simple(code.term)
        return (code.parameters, code.term) if is_small and code.arity == count else None


SMALL = 16


def size(M: Term, limit: int) -> int:
    """How many nodes M has, or more than ``limit`` if it has more."""
    found = 0
    pending: list[Term] = [M]
    while pending and found <= limit:
        found += 1
        pending += [N for _, N in parts(pending.pop())]
    return found


def is_simple(M: core.Computation) -> bool:
    """Whether M only calculates, or is one operation."""
    if isinstance(M, core.Adapt):
        M = M.body
    return isinstance(M, core.Perform) or is_calculation(M)


def is_calculation(M: core.Computation, *, with_operations: bool = False) -> bool:
    """Whether M is made of built-in functions, results and their names, and matches alone; and operations and calls."""
    match M:
        case core.Return() | core.BuiltIn():
            return True
        case core.Perform(effect):
            return effect in NATIVE or with_operations
        case core.Let(_, N, L):
            return all(is_calculation(part, with_operations=with_operations) for part in (N, L))
        case core.Match(_, branches):
            return all(is_calculation(branch.body, with_operations=with_operations) for branch in branches)
        case core.Apply(function):
            return with_operations and is_calculation(function, with_operations=True)
        case core.Force(core.Global()):
            return with_operations
        case _:
            return False


def order(*terms: Term) -> tuple[str, ...]:
    """The free variables, in an order that is always the same."""
    return tuple(sorted(frozenset[str]().union(*map(free, terms))))
