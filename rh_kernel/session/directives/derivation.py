"""``%derivation E``: the typing derivations (RH Fig. 2, 3) of a term, a command, or a declared name."""

from typing import cast

from rh_kernel.session.actions import Action, AnalysisContext, Run, State, type_summary
from rh_kernel.session.directives.arguments import needs_expression
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.type import type_shown
from rh_kernel.session.results import DerivationMade, Result, Shown
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Command, Term
from rh_kernel.syntax.signature import ValueKind
from rh_kernel.typing import definitions as d
from rh_kernel.typing.derivation.derivations import Derivation
from rh_kernel.typing.derivation.derive import derive_command, derive_handler, derive_term
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm, elaborate_evaluation


def derivations(definitions: d.Definitions, e: s.Expr) -> tuple[Derivation, ...]:
    """Return the derivation, or two for a function with its own derivative. Raises ``Rejected``.

    The derivation of a declared net, handler or function is that of its declaration, in its dimension variables.
    """
    declared = _of_name(definitions, e.name) if isinstance(e, s.Var) else ()
    return declared or (_closed(definitions, e),)


def _of_name(definitions: d.Definitions, name: str) -> tuple[Derivation, ...]:
    match definitions.get(name):
        case d.NetDefinition(statics=statics, domain=A, body=body):
            gamma = tuple([p.kind.type for p in statics if isinstance(p.kind, ValueKind)])
            return (derive_command(gamma, (A,), cast(Command, body.body), body.hints),)
        case d.HandlerDefinition(_, _, parameters, H):
            return (derive_handler(tuple([A for _, A in parameters]), H, tuple([name for name, _ in parameters])),)
        case d.FunDefinition(domain=A, codomain=B, body=body, own=own):
            of_body = derive_term((A,), cast(Term, body.body), body.hints)
            if own is None:
                return (of_body,)
            return of_body, derive_term((B, A), cast(Term, own.body), own.hints)
        case d.DimDefinition() | d.ConstDefinition() | d.NumberDefinition() | d.OpDefinition() | None:
            return ()
        case d.LocDefinition() | d.LocFamilyDefinition() | d.StateDefinition():
            return ()


def _closed(definitions: d.Definitions, e: s.Expr) -> Derivation:
    match elaborate_evaluation(definitions, e):
        case ClosedTerm(M):
            return derive_term((), M)
        case ClosedCommand(P):
            return derive_command((), (), P)


@frozen
class Derive(Action):
    """``%derivation E``; ``type`` is the answer of ``%type``"""

    text: str
    type: str
    derivations: tuple[Derivation, ...]

    def summary(self, text: str) -> Result:
        """Return the type."""
        return type_summary(self.text, self.type)

    def run(self, number: int, state: State) -> Run:
        """Show the derivations."""
        yield Shown(number, DerivationMade(self.text, self.derivations))
        return state


def _analyze(item: items.Directive, context: AnalysisContext) -> Derive:
    definitions, e = context.definitions, needs_expression(item)
    found = derivations(definitions, e)
    is_name = isinstance(e, s.Var) and definitions.get(e.name) is not None
    return Derive(e.span.text, type_shown(definitions, e).type if is_name else str(found[0].type), found)


DIRECTIVE = Directive(
    "derivation",
    "E",
    "the typing derivation of a term, a command or a name, as a proof tree",
    _analyze,
    checks_live=False,
    order=120,
    example="%derivation return 1 + 2",
    details="""
Fig. 2 and 3 of the paper. It is the derivation of the program after names and sugar are resolved: a net is its body,
`f(M, N)` has the rule `T-TUPLE` above it, and a pattern is a `let` for the whole and one for each component. A declared net,
handler or function has one too, with its dimension variables. Shadowed variables are omitted from the context. Long contexts
get names, `Γ₁` `Δ₁`, and large derivations are split into pieces, `𝒟₁` `𝒟₂`. Depth and size (Fig. 4, 5) are shown below it.
""",
)
