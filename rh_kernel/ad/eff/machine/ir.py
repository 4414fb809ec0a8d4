"""What programs are compiled to: nodes, which the machine walks through, and closures for what is done within one of them.

An environment ρ is a tuple, and the compiler knows what is where in it. A frame is ``(node, ρ, frames)``: what goes on with
a result, put at the end of ρ; ρ has only what the node still needs. A segment is ``(handling, ρ, frames, segments)``: a handler
or adaptor, the frames outside of it, and the segments outside.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.values import Head, Value

Environment: TypeAlias = tuple[Value, ...]
Field: TypeAlias = Any
"""What a node has depends on what it does."""

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
"""What a node does; the machine asks for the frequent ones first."""


class Node:
    """One thing to do, and what to do then; which fields it has depends on ``op``, and ``then`` is ``None`` in a tail."""

    __slots__ = ("args", "code", "count", "instance", "key", "op", "save", "table", "then", "value")

    op: int
    value: Field
    """ρ ↦ what is returned, asked or applied; of EXTEND, the next ρ."""
    args: Field
    """ρ ↦ the arguments, or the values of a handler."""
    save: Field
    """ρ ↦ what ``then`` needs of ρ; ``None`` if it needs all."""
    then: Field
    """The next node, or the one for what is in no ``table``."""
    table: Field
    """The nodes for the constructors; the sides of a pair; the handling of a handler; of LET, the node that comes first."""
    code: Any
    key: Field
    """Which operation."""
    instance: int
    count: int

    def __init__(
        self,
        op: int,
        *,
        value: Field = None,
        args: Field = None,
        save: Field = None,
        then: Field = None,
        table: Field = None,
        code: "Code | None" = None,
        key: str = "",
        instance: int = 0,
        count: int = 0,
    ) -> None:
        self.op, self.value, self.args, self.save, self.then = op, value, args, save, then
        self.table, self.code, self.key, self.instance, self.count = table, code, key, instance, count


class Code(Head):
    """``λx…. M`` with its free variables ``names`` in front; it is compiled when it is run for the first time.

    ``key`` is that of the function, if it is the whole of a declared one. ``bodies`` are what it has been compiled to, by the
    handler that is innermost where it runs (``Handling.within``); ``body`` compiles it for one more. ``calculations`` are
    functions of Python for it, by that handler and the arguments that are known, or ``None`` where there can be none.
    """

    __slots__ = ("arity", "bodies", "body", "calculations", "key", "names", "parameters", "partials", "term", "thunk", "whole")

    def __init__(self, thunk: core.Thunk, names: tuple[str, ...], key: str = "") -> None:
        self.key = key
        parameters, term = uncurried(thunk.body)
        self.thunk, self.names, self.parameters, self.term = thunk, names, parameters, term
        self.arity = len(parameters)
        self.body = Node(LINK, code=self)
        self.bodies: dict[Handling | None, Node] = {}
        self.calculations: dict[tuple[Handling, Environment], Calculation | None] = {}
        self.partials: dict[int, Code] = {}
        self.whole = self

    def partial(self, count: int) -> "Code":
        """The code of what is left when it has been given some of its arguments, which stand behind what is captured."""
        whole = self.whole
        done = whole.arity - self.arity + count
        if done not in whole.partials:
            rest = Code(whole.thunk, whole.names)
            rest.whole, rest.arity, rest.bodies = whole, whole.arity - done, whole.bodies
            whole.partials[done] = rest
        return whole.partials[done]


@dataclass(frozen=True, slots=True)
class Calculation:
    """A function of the tuple of its arguments, or the same whatever they are; what it calls calls ``deep`` others."""

    function: Compute
    is_constant: bool
    is_total: bool
    deep: int


class Machinery(Head):
    """The code of what is a thunk by the machine's own doing: a continuation, or a function that has passed an adaptor."""

    __slots__ = ("arity", "bodies", "body", "name")

    def __init__(self, name: str, op: int, arity: int = 1) -> None:
        self.name, self.arity, self.body = name, arity, Node(op)
        self.bodies: Mapping[Handling | None, Node] = {}

    def partial(self, count: int) -> "Machinery":
        """It takes one argument, so it is never given fewer but none."""
        assert count == 0
        return self


CONTINUATION: Final = Machinery("continuation", RESUME)
"""``(frames, handling, ρ)``: of one segment"""
CONTINUATIONS: Final = Machinery("continuation", RESUME_ALL)
"""``(segments,)``, the innermost first, each ``(frames, handling, ρ)``"""


ARGUMENTS: Final = Node(MISPLACED)
"""The frame ``[] V…``"""
SIDE: Final = Node(MISPLACED)
"""The frame ``[].i``"""


def adapted(arity: int) -> Machinery:
    """``{λx…. <L> f x…}`` of ``(f, handling)``"""
    return Machinery("adapted", READAPT, arity)


UNUSED: Final = Node(MISPLACED)
"""The node of a clause that is a function."""


class Version:
    """A clause compiled: a node for the values of the handler, the arguments and k if it ``resumes``; or ``direct``.

    A clause that calculates something and resumes with it is a function of the values and the arguments, run in its place.
    """

    __slots__ = ("direct", "node", "resumes")

    def __init__(self, *, direct: Compute | None = None, node: Node = UNUSED, resumes: bool = True) -> None:
        self.direct, self.node, self.resumes = direct, node, resumes


@dataclass(frozen=True, slots=True)
class Result:
    """What a clause resumes with, as a function of the arguments; ``noted`` counts it as a run of the clause."""

    parameters: tuple[str, ...]
    body: core.Computation
    noted: Callable[[Compute], Compute]


class Clause(Version):
    """``<op p… -> k> -> N``, and what it has been compiled to, by the handler around (``Handling.within``).

    It is a version itself if it is ``direct`` whatever is around; then it may have a ``result``, to stand where operations are.
    """

    __slots__ = ("_compile", "result", "under")

    def __init__(
        self,
        compile_within: "Callable[[Handling | None], Version]",
        direct: Compute | None = None,
        result: Result | None = None,
    ) -> None:
        super().__init__(direct=direct)
        self._compile, self.result = compile_within, result
        self.under: dict[Handling | None, Version] = {}

    def version(self, within: "Handling | None") -> Version:
        """The clause inside of this handler."""
        found = self.under.get(within)
        if found is None:
            found = self.under[within] = self._compile(within)
        return found


class Handling:
    """A handler's clauses by operation, or an adaptor; ``returns`` is ``None`` where it is the identity.

    ``within`` says for whom code is compiled that runs inside: for this handler if some clauses are direct, and for any if not.
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
    """Which instance around the adaptors is this one inside of them (``core.Adaptor``)."""
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
    """A name for the operation that no other has."""
    return f"{effect}.{operation}"
