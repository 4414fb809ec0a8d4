"""The diagnostic for an effect that is not handled, at the first operation or the first function that performs it."""

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
from rh_kernel.ad.eff.typing.unification import Unknowns
from rh_kernel.source.span import Span

_Origin: TypeAlias = tuple[Span | None, str | None, str]
"""Where an operation is performed, its name, and the name of the declared function that performs it, or ``""``."""


def unhandled(M: Computation, L: Label, definitions: Definitions) -> UnhandledEffect:
    """The diagnostic that the label L is left in the row of M, which is run."""
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
    candidates = origins.around if names else [*definitions.handlers.values(), *origins.around]
    outdated = [shown(key) for key in candidates if _handles_another(key, L.effect, definitions)]
    if outdated and not definitions.is_older(L.effect):
        what = f"`{outdated[-1]}` handles an older effect `{shown(L.effect)}`: redeclare it"
        hint = f"{what}, or {hint}" if names else what
    if definitions.is_older(L.effect):
        hint = f"{older(L.effect)}; redeclare {f'`{function}`' if function else 'that'} too" + (f", or {hint}" if names else "")
        text = f"{text}, as it was before it was redeclared,"
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
    """How a hint says that an effect was redeclared."""
    return f"there is a newer effect `{shown(effect)}`, and earlier definitions still use the older one"


def _handlers(L: Label, definitions: Definitions) -> Iterator[str]:
    """The declared handlers that handle a label."""
    for name, key in definitions.handlers.items():
        found = definitions.declared[key]
        if isinstance(found, declared.Handler) and any(_is_unifiable(found, M, L) for M in handled(found.scheme)):
            yield name


def _handles_another(handler: str, effect: str, definitions: Definitions) -> bool:
    """Whether a handler, by its key, handles another effect of the same name."""
    found = definitions.declared[handler]
    taken = {M.effect for M in handled(found.scheme)} if isinstance(found, declared.Handler) else set[str]()
    return any(other != effect and shown(other) == shown(effect) for other in taken)


def _is_unifiable(H: declared.Handler, M: Label, L: Label) -> bool:
    """Whether L is an instance of the label M in the type of a handler."""
    unknowns = Unknowns.apart()
    return unknowns.allows(unknowns.instance(H.scheme.variables, H.scheme.rows)(Row((M,))), Row((L,)))


class _Origins:
    """Finds where an effect is performed outside of its handlers, from left to right.

    ``around`` are the declared handlers around the place that was found last.
    """

    def __init__(self, effect: str, definitions: Definitions) -> None:
        self._effect, self._definitions = effect, definitions
        self._visited: set[str] = set()
        self.around: list[str] = []

    def of(self, M: Node, depth: int = 0) -> Iterator[_Origin]:
        """The places in M, which is inside of ``depth`` handlers of the effect."""
        waiting = [(M, depth)]
        while waiting:
            M, depth = waiting.pop()
            match M:
                case Force(Global(name)):
                    if self._instances_of(name) > depth:
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

    def _instances_of(self, name: str) -> int:
        """The number of instances of the effect in the row of a function."""
        return sum(L.effect == self._effect for L in self._definitions.function(name).scheme.type.row.labels)

    def _operation(self, name: str) -> str | None:
        """The first operation of the effect that a function performs, itself or by another function."""
        if name in self._visited:
            return None
        self._visited.add(name)
        body = self._definitions.function(name).definition.body.body
        return next((operation for _, operation, _ in self.of(body) if operation is not None), None)

    def _handled_by(self, H: Handler) -> int:
        """The number of instances of the effect that a handler handles."""
        match H:
            case Clauses(_, _, effects):
                return int(self._effect in effects)
            case Named(name, _):
                return sum(L.effect == self._effect for L in handled(self._definitions.handler(name).scheme))
