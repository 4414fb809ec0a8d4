"""Elaboration of commands: ``Γ ; Δ ⊢ P : A`` (RH Fig. 3).

``handlers`` has the judgment for handlers; the two are mutually recursive, so each is passed what it needs of the other.
"""

from dataclasses import replace

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.diagnostic import Diagnostic, Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import core
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.binding import Static, specialise, specialise_type, supply
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import Family
from rh_kernel.syntax.types import Product, Real, Shape, Type, TypeMeta, product
from rh_kernel.typing.context import REV_HANDLE, Context, Entry, Zone
from rh_kernel.typing.definitions import FunDefinition, NetDefinition, OpDefinition
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.diagnostics.hints import NO_EXPECTATION, Expectation
from rh_kernel.typing.diagnostics.origins import chosen, operand_notes, origins, type_note
from rh_kernel.typing.diagnostics.quick_fixes import inserted, sign
from rh_kernel.typing.diagnostics.shared import no_such_thing, out_of_reach, quoted, types_differ, wrong_kind
from rh_kernel.typing.elaboration.backward import last
from rh_kernel.typing.elaboration.clause_heads import enclosing_variables, shape_variables
from rh_kernel.typing.elaboration.conditionals import elaborate_conditional
from rh_kernel.typing.elaboration.dimensions import elaborate_shape
from rh_kernel.typing.elaboration.error_recovery import ErrorCollector
from rh_kernel.typing.elaboration.functions import argument_of, function_names
from rh_kernel.typing.elaboration.handlers import Handlers
from rh_kernel.typing.elaboration.indices import elaborate_indices, located, values_of
from rh_kernel.typing.elaboration.patterns import Opened, open_patterns, pattern_does_not_fit
from rh_kernel.typing.elaboration.repeats import elaborate_repeat
from rh_kernel.typing.elaboration.sequences import elaborate_scan
from rh_kernel.typing.elaboration.size_constraints import require_sizes
from rh_kernel.typing.elaboration.terms import Terms, open_let_pattern, wrong
from rh_kernel.typing.errors import CommandInTerm, TermInCommand
from rh_kernel.typing.unification.unify import Unifier

_SHORT = 20
_DELTA = frozenset({Zone.DELTA, Zone.CONTINUATION})


class Commands:
    """The judgment for commands, over one set of metavariables."""

    def __init__(self, unifier: Unifier) -> None:
        self.unifier = unifier
        self.terms = Terms(unifier)
        self.handlers = Handlers(unifier, self.terms, self.elaborate)
        # Cache of the members at locations whose shapes determine them, so that each is inferred once per shape.
        self._members: dict[tuple[Family, tuple[Shape, ...]], tuple[tuple[Dim | Shape, ...], Type, Type]] = {}

    def elaborate(
        self, cx: Context, e: s.Expr, A: Type | None, asked: Expectation = NO_EXPECTATION
    ) -> tuple[core.Command, Type]:
        """Return P and its type; if A is given, check P against A, where ``asked`` explains A. Raises ``Rejected``.

        A spine of lets is processed in a loop.
        """
        spine: list[tuple[s.LetExpr, core.Command, Opened]] = []
        siblings = ErrorCollector(self.unifier)
        while isinstance(e, s.LetExpr):
            found: tuple[core.Command, Type] | None = None
            with siblings:
                found = self._bound(cx, e)
            P, B = found or self._placeholder()
            opened = open_let_pattern(cx, self.unifier, siblings, e, B)
            spine.append((e, P, opened))
            cx, e = opened.context, e.body
        head: list[tuple[core.Command, Type]] = []
        with siblings:
            head.append(self._head(cx, e, A, asked))
        siblings.raise_errors()
        ((Q, C),) = head
        for written, P, opened in reversed(spine):
            Q = core.Bind(P, opened.command_scope(Q), span=written.span)
        return Q, C

    def _placeholder(self) -> tuple[core.Command, Type]:
        """A placeholder for a command with an error, until all errors are collected."""
        M, A = wrong(self.unifier)
        return core.Return(M), A

    def _bound(self, cx: Context, e: s.LetExpr) -> tuple[core.Command, Type]:
        try:
            if e.arrow is s.Arrow.COMMAND:
                return self.elaborate(cx, e.bound, None)
            M, B = self.terms.infer(cx, e.bound)
        except Rejected as failure:
            raise blame_arrow(failure, e) from None
        return core.Return(M, span=e.bound.span), B

    def _head(self, cx: Context, e: s.Expr, A: Type | None, asked: Expectation) -> tuple[core.Command, Type]:
        if isinstance(e, s.TermExpr):
            raise self._term_in_command(cx, e)
        match e:
            case s.ReturnExpr(term):
                M, B = self.terms.infer(cx, term) if A is None else (self.terms.check(cx, term, A, asked), A)
                return core.Return(M, span=e.span), B
            case s.Apply():
                P, B = self._apply(cx, e)
            case s.RevHandleExpr():
                P, B = self._rev_handle(cx, e)
            case s.HandleExpr():
                P, B = self._handle(cx, e, A, asked)
            case s.ResumeExpr(continuation, argument):
                P, B = self._resume(cx, e, continuation, argument)
            case s.ScanExpr():
                P, B = elaborate_scan(cx, self.unifier, e, self.terms.infer, lambda cx, body: self.elaborate(cx, body, None))
            case s.Family(head):
                hint = f"give it an argument: `{head.text}[…](x)`"
                raise no_such_thing(cx, head.text, e.span, "a command", cx.declared(OpDefinition, NetDefinition), hint)
            case s.LetExpr():
                return self.elaborate(cx, e, A, asked)
            case s.RepeatExpr():
                P, B = elaborate_repeat(cx, self.unifier, self.terms, self.elaborate, e)
            case s.IfExpr():
                return self._conditional(cx, e, A, asked)
        if A is not None and not self.unifier.unify_types(B, A):
            if isinstance(e, s.RevHandleExpr):
                hint = "`rev handle (M) …` gives the cotangent of M, which has the type of M"
                asked = replace(asked, hint=hint, rule=TypingRule.T_RHANDLE.cited)
                story = operand_notes(cx, self.unifier, e.argument, B)
                raise types_differ(self.unifier, e.span, "the result of `rev handle`", B, A, asked, story)
            raise types_differ(self.unifier, e.span, quoted(e.span), B, A, asked, origins(cx, self.unifier, e))
        return P, B

    def _conditional(self, cx: Context, e: s.IfExpr, A: Type | None, asked: Expectation) -> tuple[core.Command, Type]:
        def branch(e: s.Expr, A: Type | None, asked: Expectation) -> tuple[core.Command, Type]:
            return self.elaborate(cx, e, A, asked)

        found = elaborate_conditional(self.unifier, cx, e, A, asked, self.terms.check, branch)
        return core.IfCommand(found.condition, found.operands, found.then, found.otherwise, span=e.span), found.type

    def _apply(self, cx: Context, e: s.Apply) -> tuple[core.Command, Type]:
        name = e.head.text
        local = cx.look_up(name)
        if local is not None:
            if local[1].zone is Zone.CONTINUATION:
                return self._resume(cx, e, e.head, argument_of(e))
            raise wrong_kind(cx, name, e.head.span, "a variable", "an operation or a net")
        match cx.definitions.get(name):
            case OpDefinition(_, family):
                return self._perform(cx, e, family)
            case NetDefinition() as net:
                return self._net(cx, e, net)
            case FunDefinition():
                raise self._term_in_command(cx, e)
            case None if name in SYMBOLS or name == "rd":
                raise self._term_in_command(cx, e)
            case _:
                names = [*cx.declared(OpDefinition, NetDefinition), *function_names(cx)]
                raise no_such_thing(cx, name, e.head.span, "an operation or a net", names)

    def _perform(self, cx: Context, e: s.Apply, family: Family) -> tuple[core.Command, Type]:
        op = self.operation(cx, e, family)
        M = self.terms.arguments(cx, e, op.domain)
        return core.Perform(op, M, span=e.span), op.codomain

    def operation(self, cx: Context, e: s.Apply, family: Family) -> core.Operation:
        """``Op[i, …]``: the member of the family at the given indices, with metavariables for everything else."""
        locations = located(cx, e, family.parameters)
        key = (family, tuple([location.shape for location in locations]))
        found = self._members.get(key) if locations else None
        indices: tuple[core.Index, ...] = locations
        if found is None:
            static = self._fresh(family)
            if family.shape:
                static = replace(static, shapes={**static.shapes, family.shape: elaborate_shape(cx, e.indices)})
            else:
                indices, static = elaborate_indices(cx, self.unifier, self.terms, e, family.parameters, static)
            static = Static(
                {v: self.unifier.dim(d) for v, d in static.dims.items()},
                {v: self.unifier.shape(s) for v, s in static.shapes.items()},
                static.locations,
                static.families,
            )
            require_sizes(self.unifier, e.span, family.name, static.dims)
            at = tuple([static.dims[v] if v in static.dims else static.shapes[v] for v in family.variables])
            found = at, specialise_type(family.domain, static), specialise_type(family.codomain, static)
            if locations and found[1].is_concrete and found[2].is_concrete:
                self._members[key] = found
        op = core.Operation(family, indices, *found, span=e.span)
        self.unifier.uses.append((e.span, op))
        return op

    def _net(self, cx: Context, e: s.Apply, net: NetDefinition) -> tuple[core.Command, Type]:
        self.unifier.unfold(net.nodes, cx.definitions.nodes, e.span)
        avoid = frozenset(enclosing_variables(cx))
        static = Static({v: self.unifier.fresh_dim(v) for v in net.variables}, {}, {}, avoid=avoid)
        indices, static = elaborate_indices(cx, self.unifier, self.terms, e, net.statics, static)
        require_sizes(self.unifier, e.span, net.name, static.dims, net.needs)
        M = self.terms.arguments(cx, e, specialise_type(net.domain, static))
        body = net.body
        # A net without parameters was checked when it was declared.
        if net.variables or net.statics:
            body = supply(specialise(body, static), values_of(indices, net.statics))
            self.unifier.uses.append((e.span, body))
        return core.Bind(core.Return(M, span=e.span), body, span=e.span), specialise_type(net.codomain, static)

    def _resume(self, cx: Context, e: s.Expr, k: s.Name, argument: s.Expr) -> tuple[core.Command, Type]:
        found = cx.look_up(k.text)
        if found is None:
            raise no_such_thing(cx, k.text, k.span, "a continuation", cx.continuations())
        index, entry = found
        if entry.barred:
            raise out_of_reach(entry, k.span)
        if entry.answer is None:
            raise wrong_kind(cx, k.text, k.span, "a variable", "a continuation")
        by = f"what the continuation `{k.text}` takes: the operation's result"
        M = self.terms.check(
            cx,
            argument,
            entry.type,
            Expectation(by, story=lambda: self._continuation_note(entry), rule=TypingRule.T_RESUME.cited),
        )
        return core.Resume(index, k.text, M, span=e.span), entry.answer

    def _continuation_note(self, k: Entry) -> tuple[Note, ...]:
        (taken,) = self.unifier.show(k.type)
        return () if k.span is None else (Note(span=k.span, text=f"`{k.name}` takes {taken}"),)

    def _rev_handle(self, cx: Context, e: s.RevHandleExpr) -> tuple[core.Command, Type]:
        siblings = ErrorCollector(self.unifier)
        M, A = wrong(self.unifier)
        with siblings:
            M, A = self.terms.infer(cx, e.argument)
        variables = [(x, self.unifier.poison()) for x in e.variables]
        with siblings:
            variables = list(zip(e.variables, self._variable_types(cx, A, e), strict=True))
        opened = open_patterns(self._handled_context(cx, e), self.unifier, tuple(variables), Zone.DELTA)
        R, C = self._placeholder()
        with siblings:
            R, C = self.elaborate(opened.context, e.body, None)
        handlers: list[core.ReverseHandler] = []
        with siblings:
            handlers.append(self.handlers.reverse(cx, e.handler, C, self._handled(e.body, C, is_ordinary=False)))
        siblings.raise_errors()
        return core.RevHandle(M, opened.command_scope(R), handlers[0], span=e.span), A

    def _handled_context(self, cx: Context, e: s.RevHandleExpr) -> Context:
        """The context of the command under ``rev handle``."""
        words = Span(e.span.source, e.span.start, e.argument.span.start)
        span = replace(words, end=words.start + len(words.text.rstrip("(⟨ \n")))
        given = (
            e.argument.span.text.removeprefix("(").removesuffix(")")
            if isinstance(e.argument, s.TupleExpr)
            else e.argument.span.text
        )
        names = ", ".join(x.span.text for x in e.variables)
        way_in = f"`rev handle ({_abbreviate(given)}, {{name}}) <{_abbreviate(names)}, {{name}}>. …`"
        way_in = f"pass it in: {way_in} binds it inside, and also returns its cotangent"
        return cx.bar(_DELTA, replace(REV_HANDLE, span=span, way_in=way_in))

    def _handled(self, e: s.Expr, C: Type, *, is_ordinary: bool) -> Expectation:
        """Why the handler of ``e`` is checked at C: it is the result type of the handled command."""
        end = last(e)
        end = end.term if isinstance(end, s.ReturnExpr) else end
        rule = (TypingRule.T_HANDLE if is_ordinary else TypingRule.T_RHANDLE).cited
        return Expectation("the result of the handled command", story=lambda: [type_note(self.unifier, end.span, C)], rule=rule)

    def _variable_types(self, cx: Context, A: Type, e: s.RevHandleExpr) -> tuple[Type, ...]:
        n = len(e.variables)
        head = self.unifier.head(A)
        match head:
            case _ if self.unifier.is_poison(head):
                return (head,) * n
            case _ if n == 1:
                return (head,)
            case Product(factors) if len(factors) == n:
                return factors
            case TypeMeta() if n > 1:
                unknown: tuple[Type, ...] = tuple(self.unifier.fresh_type() for _ in range(n))
                self.unifier.unify_types(head, product(unknown))
                return unknown
            case _ if n == 0 and self.unifier.unify_types(head, product(())):
                return ()
            case Real() | Product() | TypeMeta():
                span = e.variables[0].span.to(e.variables[-1].span) if e.variables else e.argument.span
                notes = chosen(span, operand_notes(cx, self.unifier, e.argument, head))
                raise pattern_does_not_fit(self.unifier, span, n, head, notes)

    def _handle(self, cx: Context, e: s.HandleExpr, A: Type | None, asked: Expectation) -> tuple[core.Command, Type]:
        siblings = ErrorCollector(self.unifier)
        P, C = self._placeholder()
        with siblings:
            P, C = self.elaborate(cx, e.command, None)
        handlers: list[core.OrdinaryHandler] = []
        with siblings:
            handlers.append(self.handlers.ordinary(cx, e.handler, C, A, asked, self._handled(e.command, C, is_ordinary=True)))
        siblings.raise_errors()
        return core.Handle(P, handlers[0], span=e.span), handlers[0].target

    def _term_in_command(self, cx: Context, e: s.Expr) -> Rejected:
        """The diagnostic for a term in the place of a command. Raises ``Rejected`` if the term itself has an error."""
        self.terms.infer(cx, e)
        return Rejected(TermInCommand(span=e.span, what=quoted(e.span), fix=inserted(e.span, "return ")))

    def _fresh(self, family: Family) -> Static:
        shapes = shape_variables(family)
        return Static(
            {v: self.unifier.fresh_dim(v) for v in family.variables if v not in shapes},
            {v: self.unifier.fresh_shape() for v in family.variables if v in shapes},
            {},
        )


def _abbreviate(text: str) -> str:
    return text if len(text) <= _SHORT and "\n" not in text else "…"


def blame_arrow(failure: Rejected, e: s.LetExpr) -> Rejected:
    """Change a diagnostic about the whole bound expression of ``let``, that it is in the wrong layer, to blame the arrow."""
    return Rejected(*(_other_arrow(d, e) if d.span == e.bound.span else d for d in failure.diagnostics))


def _other_arrow(d: Diagnostic, e: s.LetExpr) -> Diagnostic:
    match d:
        case CommandInTerm():
            fix = sign(e.pattern.span, e.bound.span, "<-|←", "<=")
            return replace(d, hint="use `<=` (⇐) for the result of a command", fix=fix)
        case TermInCommand():
            fix = sign(e.pattern.span, e.bound.span, "<=|⇐", "<-")
            return replace(d, hint="use `<-` (←) for the value of a term", fix=fix)
        case _:
            return d
