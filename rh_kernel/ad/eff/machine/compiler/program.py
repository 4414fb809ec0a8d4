"""Programs of the machine: declarations, and the code that has been compiled for them so far."""

from collections.abc import Callable, Mapping
from itertools import islice

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions, Handler
from rh_kernel.ad.eff.machine.builtins import BUILT_INS, BuiltInFunction
from rh_kernel.ad.eff.machine.counting import OpCounter
from rh_kernel.ad.eff.machine.ir import Code, Handling
from rh_kernel.ad.eff.machine.tensor_memory import TensorMemory, metered
from rh_kernel.ad.eff.traversal import TERMS, free
from rh_kernel.ad.eff.traversal import Node as Term
from rh_kernel.ad.eff.types import DataDeclaration

NATIVE = frozenset({"RefState", "Console"})
"""The effects that the machine handles itself."""

MEMORY = 1 << 34
"""The default limit of a run, in bytes."""

SMALL = 16
"""The most nodes of a function that is inlined."""

SHARED = 6
"""The most nodes of a branch body that is compiled once for each leaf of a decision tree, and not shared."""


class Program:
    """Declarations with the code of those that have been used.

    A program may be used again with other declarations. With a ``tally`` it counts operations, clauses, cells and frames.
    ``printed`` are the lines and ``tensors`` the tensor memory of the run of the last ``Machine`` that was made for it.
    """

    definitions: Definitions
    siblings: Mapping[str, DataDeclaration]
    """The data type of each constructor."""
    is_native: bool
    """Whether no declared handler handles an effect of ``NATIVE``, so that their operations need no search for a handler."""

    def __init__(
        self,
        definitions: Definitions,
        built_ins: Mapping[str, BuiltInFunction] = BUILT_INS,
        tally: OpCounter | None = None,
    ) -> None:
        self.tensors = TensorMemory(MEMORY)
        self.built_ins = metered(built_ins, self.tensors)
        self.tally = tally
        self.printed: list[str] = []
        self._codes: dict[str, Code] = {}
        self._handlings: dict[str, Handling] = {}
        self._small: dict[Code, bool] = {}
        self.is_native = True
        self.use(definitions)

    def use(self, definitions: Definitions) -> None:
        """Go on with these declarations. A key whose declaration has changed is compiled again."""
        declared = definitions.declared.values()
        self.definitions = definitions
        self.siblings = {K.name: D for D in declared if isinstance(D, DataDeclaration) for K in D.constructors}
        handled = [effect for D in declared if isinstance(D, Handler) for effect in D.definition.clauses.effects]
        is_native = NATIVE.isdisjoint(handled)
        if is_native is not self.is_native:
            self._codes, self._handlings, self._small = {}, {}, {}
        self.is_native = is_native

    def print(self, line: str) -> None:
        """Append a line to ``printed``, which a new machine replaces."""
        self.printed.append(line)

    def function(self, key: str) -> Code:
        """The code of a declared function."""
        body = self.definitions.function(key).definition.body
        code = self._codes.get(key)
        if code is None or code.thunk is not body:
            self._codes[key] = code = Code(body, (), key)
        return code

    def handling(self, key: str, fill: Callable[[Handling, core.HandlerDefinition], None]) -> Handling:
        """The compiled clauses of a declared handler; ``fill`` compiles them into an object that recursive uses find."""
        definition = self.definitions.handler(key).definition
        found = self._handlings.get(key)
        if found is None or found.written is not definition.clauses:
            self._handlings[key] = found = Handling(key)
            found.written = definition.clauses
            fill(found, definition)
        return found

    def small(self, key: str, count: int) -> tuple[tuple[str, ...], core.Computation] | None:
        """The parameters and the body of a declared function that is inlined in calls with ``count`` arguments, or ``None``."""
        code = self.function(key)
        is_small = self._small.get(code)
        if is_small is None:
            is_small = self._small[code] = size(code.term, SMALL) <= SMALL and _is_inlinable(code.term)
        return (code.parameters, code.term) if is_small and code.arity == count else None


def size(M: Term, limit: int) -> int:
    """The number of nodes of M; a number beyond ``limit`` if there are more than that."""
    return sum(1 for _ in islice(TERMS.subterms(M), limit + 1))


def _is_inlinable(M: core.Computation) -> bool:
    """Whether M is a calculation, or one operation, perhaps below an adaptor."""
    if isinstance(M, core.Adapt):
        M = M.body
    return isinstance(M, core.Perform) or is_calculation(M)


def is_calculation(M: core.Computation, *, with_operations: bool = False) -> bool:
    """Whether M consists of results, built-in functions, native operations, lets and matches, or other operations and calls."""
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


def free_variables(M: Term) -> tuple[str, ...]:
    """The free variables in a fixed order."""
    return tuple(sorted(free(M)))
