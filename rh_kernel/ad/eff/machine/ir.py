"""The intermediate representation: nodes, which the machine executes, with closures for the calculations in them.

An environment ρ is a tuple whose layout the compiler knows. A frame is ``(node, ρ, frames)``: the node goes on when a result is
appended to ρ, which has only what it needs. A segment is ``(handling, ρ, frames, segments)``: a handler or adaptor, the frames
outside of it, and the segments outside.
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.values import Head, Value

Environment: TypeAlias = tuple[Value, ...]
Field: TypeAlias = Any
"""A field of a node, whose type depends on the opcode."""

Frames: TypeAlias = tuple[Any, Any, Any]
Segments: TypeAlias = tuple[Any, Any, Any, Any]
State: TypeAlias = "tuple[Node, Environment, Frames, Segments]"
Compute: TypeAlias = Callable[[Environment], Any]

(
    PERFORM,
    RETURN,
    EXTEND,
    APPLY,
    RESUME,
    CALL,
    ENUMERATION,
    SWITCH,
    BRANCH,
    LEAVE,
    HANDLE,
    TAKE,
    LET,
    PUSH,
    ENTER,
    RESUME_ALL,
    SEEK,
    PAIR,
    READAPT,
    FAIL,
    LINK,
    END,
    MISPLACED,
) = range(23)
"""The opcodes; the machine tests the frequent ones first."""


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """An instruction and its successor ``then``, which is ``None`` in tail position; ``op`` says which fields it has."""

    op: int
    _: KW_ONLY
    value: Field = None
    """ρ ↦ the value that is returned, tested or applied; of EXTEND, the next ρ."""
    args: Field = None
    """ρ ↦ the arguments, or the values of a handler."""
    save: Field = None
    """ρ ↦ the part of ρ that ``then`` needs; ``None`` if it needs all."""
    then: Field = None
    """The next node, or the default of a ``table``."""
    table: Field = None
    """The nodes of the constructors; the sides of a pair; the handling of a handler; of LET, the bound computation."""
    code: Field = None
    key: str = ""
    """The operation (``operation_key``)."""
    instance: int = 0
    count: int = 0


class Code(Head):
    """``λx…. M`` with its free variables ``names`` in front; it is compiled when it runs for the first time.

    ``key`` is that of the declared function that it is, or empty. ``bodies`` are the compiled bodies by the innermost handler
    where it runs (``Handling.within``); ``body`` compiles it for another one. ``specializations`` are direct functions by that
    handler and the known arguments, ``None`` where direct compilation is impossible.
    """

    __slots__ = (
        "arity",
        "bodies",
        "body",
        "key",
        "names",
        "parameters",
        "partials",
        "specializations",
        "term",
        "thunk",
        "whole",
    )

    def __init__(self, thunk: core.Thunk, names: tuple[str, ...], key: str = "") -> None:
        self.key = key
        parameters, term = uncurried(thunk.body)
        self.thunk, self.names, self.parameters, self.term = thunk, names, parameters, term
        self.arity = len(parameters)
        self.body = Node(LINK, code=self)
        self.bodies: dict[Handling | None, Node] = {}
        self.specializations: dict[tuple[Handling, Environment], Specialization | None] = {}
        self.partials: dict[int, Code] = {}
        self.whole = self

    def partial(self, count: int) -> "Code":
        """The code after a partial application to ``count`` arguments, which follow the captured values."""
        whole = self.whole
        done = whole.arity - self.arity + count
        if done not in whole.partials:
            rest = Code(whole.thunk, whole.names)
            rest.whole, rest.arity, rest.bodies = whole, whole.arity - done, whole.bodies
            whole.partials[done] = rest
        return whole.partials[done]


@dataclass(frozen=True, slots=True)
class Specialization:
    """A function of the tuple of its arguments; ``deep`` is the depth of other specialised functions that it calls."""

    function: Compute
    is_constant: bool
    is_total: bool
    deep: int


class InternalCode(Head):
    """The code of a thunk that the machine makes: a continuation, or a function that has passed an adaptor."""

    __slots__ = ("arity", "bodies", "body")

    def __init__(self, op: int, arity: int = 1) -> None:
        self.arity, self.body = arity, Node(op)
        self.bodies: Mapping[Handling | None, Node] = {}

    def partial(self, count: int) -> "InternalCode":
        """A partial application to no arguments; it has one parameter, so there is no other."""
        assert count == 0
        return self


CONTINUATION: Final = InternalCode(RESUME)
"""A continuation of one segment, ``(frames, handling, ρ)``."""
CONTINUATIONS: Final = InternalCode(RESUME_ALL)
"""A continuation of several segments: ``(segments,)``, the innermost first, each ``(frames, handling, ρ)``."""


ARGUMENTS: Final = Node(MISPLACED)
"""The frame ``[] V…``"""
SIDE: Final = Node(MISPLACED)
"""The frame ``[].i``"""


def adapted(arity: int) -> InternalCode:
    """The code of ``{λx…. <L> f x…}``, whose ρ is ``(f, handling)``."""
    return InternalCode(READAPT, arity)


UNUSED: Final = Node(MISPLACED)
"""The node of a direct clause."""


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class ClauseCode:
    """A compiled clause: ``direct`` if it is tail-resumptive and compiles directly, or else a node.

    ``direct`` is a function of the values of the handler and the arguments, whose result the operation returns. The node gets
    the same values, and the continuation if the clause ``resumes``.
    """

    direct: Compute | None = None
    node: Node = UNUSED
    resumes: bool = True


@dataclass(frozen=True, slots=True)
class InlinedClause:
    """The computation that a tail-resumptive clause resumes with; ``counted`` wraps a function to count it as the clause."""

    parameters: tuple[str, ...]
    body: core.Computation
    counted: Callable[[Compute], Compute]


class Clause(ClauseCode):
    """``<op p… -> k> -> N`` with its compiled versions by the handler outside of its own (``Handling.within``).

    If the clause compiles directly for any handler outside, it is its own version, and may be ``inlined`` at operations.
    """

    __slots__ = ("_compile", "inlined", "versions")

    def __init__(
        self,
        compile_within: "Callable[[Handling | None], ClauseCode]",
        direct: Compute | None = None,
        inlined: InlinedClause | None = None,
    ) -> None:
        super().__init__(direct=direct)
        self._compile, self.inlined = compile_within, inlined
        self.versions: dict[Handling | None, ClauseCode] = {}

    def version(self, within: "Handling | None") -> ClauseCode:
        """The clause compiled for this handler outside."""
        found = self.versions.get(within)
        if found is None:
            found = self.versions[within] = self._compile(within)
        return found


class Handling:
    """The compiled clauses of a handler by operation, or an adaptor; ``returns`` is ``None`` if it is the identity.

    ``within`` is the handler that code inside is specialised to: this one if a clause can be inlined, or ``None``.
    """

    __slots__ = ("adaptors", "clauses", "effects", "name", "returns", "within", "written")

    def __init__(self, name: str = "", adaptors: tuple[core.Adaptor, ...] = ()) -> None:
        self.name, self.adaptors = name, adaptors
        self.clauses: Mapping[str, Clause] = {}
        self.effects = frozenset(adaptor.effect for adaptor in adaptors)
        self.returns: Node | None = None
        self.written: core.Clauses | None = None
        self.within: Handling | None = None


def around(adaptors: tuple[core.Adaptor, ...], effect: str, instance: int) -> int:
    """The instance outside of the adaptors that an instance inside stands for (``core.Adaptor``)."""
    for adaptor in reversed(adaptors):
        if adaptor.effect == effect:
            kept = adaptor.kept
            instance = kept[instance] if instance < len(kept) else instance - len(kept) + adaptor.taken
    return instance


def uncurried(M: core.Computation) -> tuple[tuple[str, ...], core.Computation]:
    """``λx. λy. M`` as ``x, y`` and M"""
    names: list[str] = []
    while isinstance(M, core.Lambda):
        names.append(M.name)
        M = M.body
    return tuple(names), M


def operation_key(effect: str, operation: str) -> str:
    """The key of an operation in ``Handling.clauses``."""
    return f"{effect}.{operation}"
