"""``%diagram E``: the denotation of a term, a command, or a declared net or function (RH Def. 7.12, 7.13) as a diagram."""

from rh_kernel.session.actions import Action, AnalysisContext, Closed, Run, State, type_summary
from rh_kernel.session.directives.arguments import invalid_arguments, needs_expression
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import DiagramMade, Result, Shown, Working
from rh_kernel.session.rounds_shown import RoundsShown
from rh_kernel.session.signatures import type_text
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface as s
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Scope
from rh_kernel.syntax.runtime_errors import placed
from rh_kernel.syntax.signature import ValueKind
from rh_kernel.syntax.types import UNIT, Type
from rh_kernel.typing import definitions as d
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm, elaborate_evaluation


@frozen
class Denoted:
    """``◇ ; Δ ⊢ P : A`` or ``Δ ⊢ M : A`` as a closed scope of Δ, with its ``text`` and ``type`` as shown."""

    text: str
    type: str
    delta: tuple[Type, ...]
    scope: Scope
    is_command: bool

    def made(self, rounds: RoundsShown = RoundsShown.ONCE) -> DiagramMade:
        """Return ``⟦P⟧`` or ``⟦M⟧``. Raises ``Stuck``, with a span, if it has too many boxes."""
        from rh_kernel.denotational.commands import interpret
        from rh_kernel.denotational.rounds import Rounds, has_rounds
        from rh_kernel.denotational.terms import interpret_term

        try:
            if not self.is_command:
                return DiagramMade(self.text, self.type, interpret_term(self.delta, self.scope), rounds=rounds)
            once = interpret(self.delta, self.scope, Rounds.ONCE)
            unrolled = interpret(self.delta, self.scope, Rounds.ENDS) if has_rounds(once) else None
        except Stuck as failure:
            raise placed(failure, self.scope.body.span) from None
        return DiagramMade(self.text, self.type, once, unrolled, rounds)


def denoted(definitions: d.Definitions, e: s.Expr) -> Denoted:
    """Elaborate ``e``. Raises ``Rejected``.

    The diagram of a declared net or function is that of its declaration, in its dimension variables; static values are inputs.
    """
    declared = _of_name(definitions, e) if isinstance(e, s.Var) else None
    return closed(e.span.text, elaborate_evaluation(definitions, e)) if declared is None else declared


def closed(text: str, subject: Closed) -> Denoted:
    """Return a closed term or command as a scope without inputs."""
    A = f"{UNIT} ~> {subject.type}" if isinstance(subject, ClosedCommand) else str(subject.type)
    match subject:
        case ClosedTerm(M):
            return Denoted(text, A, (), Scope((), M), is_command=False)
        case ClosedCommand(P):
            return Denoted(text, A, (), Scope((), P), is_command=True)


def _of_name(definitions: d.Definitions, e: s.Var) -> Denoted | None:
    definition = definitions.get(e.name)
    match definition:
        case d.NetDefinition(statics=statics, domain=A, body=body):
            gamma = [p.kind.type for p in statics if isinstance(p.kind, ValueKind)]
            return Denoted(e.name, type_text(definition), (*gamma, A), body, is_command=True)
        case d.FunDefinition(domain=A, body=body):
            return Denoted(e.name, type_text(definition), (A,), body, is_command=False)
        case d.HandlerDefinition():
            hint = f"draw a command that it handles, as in `%diagram rev handle (…) <x>. … with {e.name}`"
            raise invalid_arguments("diagram", e.span, "a term, a command or a net", "a handler", hint)
        case d.DimDefinition() | d.ConstDefinition() | d.NumberDefinition() | d.OpDefinition() | None:
            return None
        case d.LocDefinition() | d.LocFamilyDefinition() | d.StateDefinition():
            return None


@frozen
class Draw(Action):
    """``%diagram E``, with the rounds drawn in one of several ways"""

    denoted: Denoted
    rounds: RoundsShown = RoundsShown.ONCE

    def summary(self, text: str) -> Result:
        """Return the type."""
        return type_summary(self.denoted.text, self.denoted.type)

    def run(self, number: int, state: State) -> Run:
        """Show the diagram. Raises ``Stuck`` if it has too many boxes."""
        yield Working("making the string diagram")
        yield Shown(number, self.denoted.made(self.rounds))
        return state


def _analyze(item: items.Directive, context: AnalysisContext) -> Draw:
    (word,) = item.words or (RoundsShown.ONCE.value,)
    return Draw(denoted(context.definitions, needs_expression(item)), RoundsShown(word))


DIRECTIVE = Directive(
    "diagram",
    "[--folded|--unrolled] E",
    "the string diagram of a term, a command or a net, handlers unfolded",
    _analyze,
    checks_live=False,
    order=130,
    example="""
net double(x : Real) : Real = let y <= return x + x in return y
%diagram double
%diagram repeat i < 1000 from x = 1 do double(x)
""",
    details="""
§6.1 and 7.4 of the paper. In a terminal it is a list of boxes, in the page a picture. Read it from left to right: pure maps
have round corners, operations have sharp corners and keep their order, ⊕ is a sum, a dot is where a wire is copied or
dropped. Wires of the unit type are not drawn, nor the boxes that only produce them. The interpretation of a reverse handler
(Def. 7.13) is a U: forward parts go down, the return clause is at the bottom, backward parts come up, each level with its
forward part, with the saved data going straight across; cotangents are ochre. A clause is a frame around its boxes, or one
box `⟦Qᶠ FC[w0]⟧` as in Example 7.17, which is the default with more than 40 boxes. With more than 500 boxes only the folded
form is drawn, and with more than 1500 only the list of boxes is shown.

`repeat` and `scan` are drawn once, whatever the number of rounds, as a frame with one round in it. The state leaves the round
on the right and comes round above it to where the next round begins, as in the trace of a traced monoidal category. A sequence
enters a `scan` by the box `row`, which takes the next row in each round, and what the rounds emit leaves by the box `stack`.
Under a reverse handler there is a frame for the rounds forward and one for the rounds back, in which the cotangents of the
state and of what the rounds share come round; what each round keeps for its way back is stacked. `--folded` draws all rounds
as one box, and each clause; `--unrolled` draws the first two rounds and the last one, and a box for those between. In the page
one can switch between the three. Each round is drawn where the types in it depend on its number, and where an ordinary handler
has a clause for an operation in it that does not just end with its continuation, as the other rounds are part of that. Of a
choice both branches are drawn, and behind them a box with the condition, which decides whose results go on. A `map` is drawn as
one row for all of them.

`rh diagram FILE -o OUT.svg` (or `OUT.tex`, in TikZ, or `OUT.dot`, for Graphviz) writes a file.
""",
)
