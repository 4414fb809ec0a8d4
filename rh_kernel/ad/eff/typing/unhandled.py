"""Where an effect comes from that nothing handles: the first operation of it, or the first function that does it."""

from collections.abc import Iterator
from typing import TypeAlias

from rh_kernel.ad.eff import definitions as declared
from rh_kernel.ad.eff.builtin_effects import CONSOLE, REFERENCES
from rh_kernel.ad.eff.core import Adapt, Clauses, Computation, Force, Global, Handle, Handler, Named, Perform
from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.errors import UnhandledEffect
from rh_kernel.ad.eff.printing.cropping import label, row
from rh_kernel.ad.eff.printing.types import handled
from rh_kernel.ad.eff.traversal import Node, parts
from rh_kernel.ad.eff.types import Label, Row
from rh_kernel.ad.eff.typing.instantiation import Instance
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns
from rh_kernel.source.span import Span

_ELSEWHERE = 1 << 60

_Origin: TypeAlias = tuple[Span | None, str | None, str]
"""Where an operation is performed, its name, and the declared function that performs it, if it is one."""


def unhandled(M: Computation, L: Label, definitions: Definitions) -> UnhandledEffect:
    """The complaint about an item in whose row a label is left."""
    origins = _Origins(L.effect, definitions)
    span, operation, function = next(origins.of(M), (M.span, None, ""))
    effect = definitions.effect(L.effect)
    several = "` or `".join(shown(o.name) for o in effect.operations)
    operation, where = operation or several, f"by `{function}`" if function else "here"
    names = list(_handlers(L, definitions))
    text = f"`{label(L)}`"
    if names:
        several = " or ".join(f"`{name}`" for name in names[-3:])
        hint = f"`handle … with` {several} handles {text}"
    else:
        hint = f"handle it with a handler that has clauses for {text}: `handle … with …`"
    asked = origins.around if names else [*definitions.handlers.values(), *origins.around]
    outdated = [shown(key) for key in asked if _handles_another(key, L.effect, definitions)]
    if outdated and not definitions.is_older(L.effect):
        what = f"`{outdated[-1]}` handles an older effect `{shown(L.effect)}`: redeclare it"
        hint = f"{what}, or {hint}" if names else what
    if definitions.is_older(L.effect):
        hint = f"{older(L.effect)}; redeclare {f'`{function}`' if function else 'that'} too" + (f", or {hint}" if names else "")
        text = f"{text}, as it was before it was declared anew,"
    return UnhandledEffect(
        span=span,
        operation=operation,
        effect=text,
        where=where,
        found=row(Row((L,))),
        expected=f"a row with {REFERENCES} and {CONSOLE} at most",
        hint=hint,
    )


def older(effect: str) -> str:
    """What is said of an effect that has lost its name."""
    return f"there is a newer effect `{shown(effect)}`, and earlier definitions still use the older one"


def _handlers(L: Label, definitions: Definitions) -> Iterator[str]:
    """Declared handlers that take a label."""
    for name, key in definitions.handlers.items():
        found = definitions.declared[key]
        if isinstance(found, declared.Handler) and any(_fits(found, M, L) for M in handled(found.scheme)):
            yield name


def _handles_another(handler: str, effect: str, definitions: Definitions) -> bool:
    """Whether a handler, by its key, takes labels of another effect of the same name."""
    found = definitions.declared[handler]
    taken = {M.effect for M in handled(found.scheme)} if isinstance(found, declared.Handler) else set[str]()
    return any(other != effect and shown(other) == shown(effect) for other in taken)


def _fits(H: declared.Handler, M: Label, L: Label) -> bool:
    unknowns = Unknowns(_ELSEWHERE)
    new = Instance({x: unknowns.type() for x in H.scheme.variables}, {e: unknowns.row() for e in H.scheme.rows})
    try:
        unknowns.rows(Row((new.label(M),)), Row((L,)))
    except Mismatch:
        return False
    return True


class _Origins:
    """Places that do an effect, from left to right, while no handler for it is around them.

    ``around`` are the declared handlers that are around the place that was found last.
    """

    def __init__(self, effect: str, definitions: Definitions) -> None:
        self._effect, self._definitions = effect, definitions
        self._asked: set[str] = set()
        self.around: list[str] = []

    def of(self, M: Node, depth: int = 0) -> Iterator[_Origin]:
        """Places in M and the names of what is done there; ``depth`` handlers of the effect are around M."""
        waiting = [(M, depth)]
        while waiting:
            M, depth = waiting.pop()
            match M:
                case Force(Global(name)):
                    if self._done_by(name) > depth:
                        yield M.value.span or M.span, self._operation(name), shown(name)
                case Perform(effect, operation, arguments):
                    for V in arguments:
                        yield from self.of(V, depth)
                    if effect == self._effect and depth <= 0:
                        yield M.span, shown(operation), ""
                case Handle(body, handler):
                    named = [handler.name] if isinstance(handler, Named) else []
                    self.around += named
                    yield from self.of(body, depth + self._handled_by(handler))
                    del self.around[len(self.around) - len(named) :]
                    waiting.append((handler, depth))
                case Adapt(adaptors, body):
                    taken = sum(a.taken - len(a.kept) for a in adaptors if a.effect == self._effect)
                    waiting.append((body, depth - taken))
                case _:
                    waiting += [(N, depth) for _, N in reversed(parts(M))]

    def _done_by(self, name: str) -> int:
        """How many instances of the effect a function needs around it."""
        return sum(L.effect == self._effect for L in self._definitions.function(name).scheme.type.row.labels)

    def _operation(self, name: str) -> str | None:
        """The first operation of the effect that a function performs itself, or by another function."""
        if name in self._asked:
            return None
        self._asked.add(name)
        body = self._definitions.function(name).definition.body.body
        return next((operation for _, operation, _ in self.of(body) if operation is not None), None)

    def _handled_by(self, H: Handler) -> int:
        match H:
            case Clauses(_, _, effects):
                return int(self._effect in effects)
            case Named(name, _):
                return sum(L.effect == self._effect for L in handled(self._definitions.handler(name).scheme))
