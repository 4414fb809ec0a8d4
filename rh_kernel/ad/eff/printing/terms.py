"""Printing of the terms of EFF: intermediate results without a name are printed at their use, as in the source text.

The printed text parses as the same term, up to silent names. Nodes whose identity is in ``marks`` are annotated. Terms may have
any depth.
"""

from collections.abc import Mapping
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.builtin_effects import READ, REFERENCES, WRITE
from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.machine.builtins import OPERATORS
from rh_kernel.ad.eff.printing.forms import Level, Printed, adaptor, keyword, let, lets, statement
from rh_kernel.ad.eff.printing.inlining import can_be_inlined, is_let, popped, silent, strict
from rh_kernel.ad.eff.printing.names import fresh_name, renamed
from rh_kernel.ad.eff.printing.patterns import literal, pattern
from rh_kernel.ad.eff.traversal import Node, bound
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.printing.doc import LINE, SOFT, Annotated, Doc, Mark, Role, Text, concat, group, join, nest, role

Printing: TypeAlias = Descent[Printed]
"""The printing of a form, which yields that of its parts."""

_Inline: TypeAlias = Mapping[str, Printed]
_NOTHING: _Inline = {}
_COMMA = concat(",", LINE)
_SIGNS = {name: sign for sign, name in OPERATORS.items()}
_LEVELS = {
    "lesseq": Level.COMPARISON,
    "less": Level.COMPARISON,
    "equal": Level.COMPARISON,
    "append": Level.APPEND,
    "add": Level.SUM,
    "sub": Level.SUM,
    "mul": Level.PRODUCT,
    "div": Level.PRODUCT,
}


def computation(M: core.Computation, marks: Mapping[int, Mark] | None = None) -> Doc:
    """M, with the marks of nodes by their ``id``."""
    return descend(Printer(M, marks or {}).block(M)).doc


def value(V: core.Value, marks: Mapping[int, Mark] | None = None) -> Doc:
    """V, with the marks of nodes by their ``id``."""
    return descend(Printer(V, marks or {}).value(V)).doc


class Printer:
    """Prints the parts of one term, ``start``, with marks."""

    def __init__(self, start: Node, marks: Mapping[int, Mark]) -> None:
        self._start = start
        self._marks = marks
        self._renamed = renamed(start)

    def local(self, x: str) -> str:
        """The printed form of a local name."""
        if x not in self._renamed and x.startswith(core.SILENT):
            self._renamed[x] = fresh_name(x, self._start)
        return self._renamed.get(x, x)

    def _marked(self, node: object, printed: Printed) -> Printed:
        mark = self._marks.get(id(node))
        if mark is None:
            return printed
        sequence = None if printed.sequence is None else Annotated(mark, printed.sequence)
        return Printed(Annotated(mark, printed.doc), printed.level, printed.is_open, sequence)

    # Lets.

    def block(self, M: core.Computation) -> Printing:
        """``let x = M in …``, ``M; …`` and the computation after them."""
        inlines = can_be_inlined(M)
        lines: list[tuple[Doc | None, Mark | None]] = []
        pending: list[tuple[str, Printed]] = []
        is_sequence = True
        while True:
            mark = self._marks.get(id(M)) if not pending else None
            match M:
                case core.Let(x, bound, rest):
                    printed = yield self._bound(bound, pending if inlines else [])
                    if inlines and x.startswith(core.SILENT):
                        pending.append((x, printed))
                        lines.append((None, mark))
                    elif x == "_":
                        lines.append((statement(printed), mark))
                    else:
                        lines.append((let(self.local(x), printed, in_parentheses=isinstance(bound, core.Let)), mark))
                        is_sequence = False
                    M = rest
                case core.Match(V, (core.Branch(p, rest),)) if is_let(p):
                    printed = yield self.value(V, popped(silent(V), pending if inlines else []))
                    lines.append((let(pattern(p, self._renamed), printed), mark))
                    is_sequence = False
                    M = rest
                case _:
                    break
        last = yield self._bound(M, pending if inlines else [])
        if not lines:
            return last
        return lets(lines, last, is_sequence=is_sequence)

    def _bound(self, M: core.Computation, pending: list[tuple[str, Printed]]) -> Printing:
        """A computation that is bound by a let or follows all of them, with the pending forms at their uses."""
        if isinstance(M, core.Let):
            return (yield self.block(M))
        inline = popped(strict(M), pending)
        return self._marked(M, (yield self._plain(M, inline)))

    # Other computations; ``inline`` are the forms that replace names in their values.

    def _plain(self, M: core.Computation, inline: _Inline) -> Printing:
        match M:
            case core.Return(V):
                return (yield self.value(V, inline))
            case core.Force(V):
                printed = yield self.value(V, inline)
                return Printed(concat(printed.at(Level.POSTFIX), "!"), Level.POSTFIX)
            case core.Apply():
                return (yield self._application(M, inline))
            case core.Lambda():
                names, body = self.parameters(M)
                printed = yield self.block(body)
                head = concat(f"\\{' '.join(names)} ->")
                return Printed(group(head, nest(LINE, printed.doc)), Level.OPEN, printed.is_open)
            case core.Match(
                V,
                (
                    core.Branch(core.ConstructorPattern("True", ()), then),
                    core.Branch(core.ConstructorPattern("False", ()), otherwise),
                ),
            ):
                return (yield self._if(V, then, otherwise, inline))
            case core.Match(V, branches):
                return (yield self._match(V, branches, inline))
            case core.Pair(left, right):
                one, other = (yield self.block(left)), (yield self.block(right))
                return Printed(group("<| ", nest(one.doc, _COMMA, other.doc, indent=3), " |>"))
            case core.Projection(index, core.Force(V) as forced):
                head = yield self._head(forced, V, inline)
                return Printed(concat(head.at(Level.POSTFIX), f".{index}"), Level.POSTFIX)
            case core.Projection(index, N):
                printed = yield self.block(N)
                return Printed(concat(printed.at(Level.POSTFIX), f".{index}"), Level.POSTFIX)
            case core.Perform(effect, op, (V,)) if (effect, op) == (REFERENCES, READ):
                printed = yield self.value(V, inline)
                return Printed(concat("@", printed.at(Level.ATOM)))
            case core.Perform(effect, op, (r, V)) if (effect, op) == (REFERENCES, WRITE):
                cell, printed = (yield self.value(r, inline)), (yield self.value(V, inline))
                doc = group(cell.at(Level.LIST), " :=", nest(LINE, printed.at(Level.LIST)))
                return Printed(doc, Level.ASSIGNMENT)
            case core.Perform(_, op, ()):
                return Printed(concat(role(Role.OPERATION, shown(op)), "!"), Level.POSTFIX)
            case core.Perform(_, op, arguments):
                return (yield self._applied(Printed(role(Role.OPERATION, shown(op))), arguments, inline))
            case core.BuiltIn(g, arguments):
                return (yield self._built_in(g, arguments, inline))
            case core.Handle(N, H):
                return (yield self._handle(N, H, inline))
            case core.Adapt(adaptors, N):
                printed = yield self.block(N)
                head = f"<{', '.join(map(adaptor, adaptors))}> "
                return Printed(concat(head, nest(printed.at(Level.ADAPTED))), Level.ADAPTED)
            case core.Let():
                return (yield self.block(M))

    def _application(self, M: core.Computation, inline: _Inline) -> Printing:
        """``M V…``; the inner applications may have marks, too."""
        spine: list[core.Apply] = []
        while isinstance(M, core.Apply):
            spine.append(M)
            M = M.function
        if isinstance(M, core.Force):
            found = yield self._head(M, M.value, inline)
        else:
            found = yield self.block(M)
        doc = found.at(Level.POSTFIX)
        for node in reversed(spine):
            printed = yield self.value(node.argument, inline)
            doc = concat(doc, nest(LINE, printed.at(Level.POSTFIX)))
            if node is not spine[0] and (mark := self._marks.get(id(node))):
                doc = Annotated(mark, doc)
        return Printed(group(doc), Level.APPLICATION)

    def _head(self, M: core.Force, V: core.Value, inline: _Inline) -> Printing:
        """``V!`` where it is applied; a name or a thunk is printed without ``!``."""
        printed = yield self.value(V, inline)
        is_function = isinstance(V, core.Global | core.Thunk) or (isinstance(V, core.Variable) and V.name not in inline)
        if not is_function:
            printed = Printed(concat(printed.at(Level.POSTFIX), "!"), Level.POSTFIX)
        return self._marked(M, printed)

    def _applied(self, head: Printed, arguments: tuple[core.Value, ...], inline: _Inline) -> Printing:
        parts: list[Doc | str] = [head.at(Level.POSTFIX)]
        for V in arguments:
            printed = yield self.value(V, inline)
            parts.append(nest(LINE, printed.at(Level.POSTFIX)))
        return Printed(group(*parts), Level.APPLICATION) if arguments else head

    def _built_in(self, g: str, arguments: tuple[core.Value, ...], inline: _Inline) -> Printing:
        if g in _SIGNS and len(arguments) == 2:
            level = _LEVELS[g]
            tighter = Level(level + 1)
            left, right = (yield self.value(arguments[0], inline)), (yield self.value(arguments[1], inline))
            first = left.at(tighter if level is Level.COMPARISON else level)
            return Printed(group(first, f" {_SIGNS[g]}", LINE, right.at(tighter)), level)
        if g == "negate" and len(arguments) == 1:
            printed = yield self.value(arguments[0], inline)
            # Without parentheses it would parse as a negative number, or start with two signs.
            is_number = isinstance(arguments[0], core.Literal) or printed.level is Level.UNARY
            operand = concat("(", printed.doc, ")") if is_number else printed.at(Level.UNARY)
            return Printed(concat("-", operand), Level.UNARY)
        return (yield self._applied(Printed(role(Role.FUNCTION, g)), arguments, inline))

    def _if(self, V: core.Value, then: core.Computation, otherwise: core.Computation, inline: _Inline) -> Printing:
        printed = yield self.value(V, inline)
        one, other = (yield self.block(then)), (yield self.block(otherwise))
        doc = group(
            concat(keyword("if "), printed.doc),
            nest(LINE, keyword("then "), nest(one.doc)),
            nest(LINE, keyword("else "), nest(other.at(Level.ASSIGNMENT))),
        )
        return Printed(doc, Level.OPEN)

    def _match(self, V: core.Value, branches: tuple[core.Branch, ...], inline: _Inline) -> Printing:
        printed = yield self.value(V, inline)
        parts: list[Doc | str] = [keyword("match "), printed.at(Level.FORM) if printed.is_open else printed.doc]
        for branch in branches:
            body = yield self.block(branch.body)
            doc = body.at(Level.FORM) if body.is_open and branch is not branches[-1] else body.doc
            parts.append(nest(LINE, group("| ", pattern(branch.pattern, self._renamed), " ->", nest(LINE, doc, indent=4))))
        return Printed(group(*parts), Level.OPEN, is_open=True)

    def _handle(self, M: core.Computation, H: core.Handler, inline: _Inline) -> Printing:
        body = yield self.block(M)
        handler = yield self.handler(H, inline)
        doc = group(keyword("handle"), nest(LINE, body.doc), LINE, keyword("with "), handler.doc)
        return Printed(doc, Level.FORM)

    def handler(self, H: core.Handler, inline: _Inline = _NOTHING) -> Printing:
        """``h V…``, or clauses in braces."""
        match H:
            case core.Named(h, arguments):
                return (yield self._applied(Printed(role(Role.HANDLER, shown(h))), arguments, inline))
            case core.Clauses():
                clauses: Doc = (yield self.clauses(H)).doc
                return Printed(group("{ ", nest(clauses), " }"))

    def clauses(self, H: core.Clauses) -> Printing:
        """``return p -> M | <op p… -> k> -> N | …``; a return clause that is the identity is left out."""
        found: list[Doc] = []
        if not _is_identity(H.returns) or not H.clauses:
            body = yield self.block(H.returns.body)
            head = concat(keyword("return "), pattern(H.returns.pattern, self._renamed), " ->")
            found.append(group(head, nest(LINE, body.doc)))
        for clause in H.clauses:
            body = yield self.block(clause.body)
            patterns = "".join([f" {pattern(p, self._renamed, atomic=True)}" for p in clause.patterns])
            head = concat(
                "<", role(Role.OPERATION, shown(clause.operation)), f"{patterns} -> {self.local(clause.continuation)}>"
            )
            found.append(group(head, " ->", nest(LINE, body.doc)))
        return Printed(concat(join(concat(LINE, "| "), found)), Level.OPEN)

    def parameters(self, M: core.Computation) -> tuple[list[str], core.Computation]:
        """The printed parameters of a λ and its body. A parameter without a name that the body matches at once is its pattern.

        The names are distinct: a λ that binds one of them again is part of the body.
        """
        names: list[str] = []
        while isinstance(M, core.Lambda) and (
            not names or (id(M) not in self._marks and (M.name == "_" or M.name not in names))
        ):
            names.append(M.name)
            M = M.body
        seen = set(names)
        for i, x in enumerate(names):
            match M:
                case core.Match(core.Variable(y), (core.Branch(p, body),)) if (
                    x == y and x.startswith(core.SILENT) and seen.isdisjoint(bound(p))
                ):
                    seen.update(bound(p))
                    names[i] = pattern(p, self._renamed, atomic=True)
                    M = body
                case _:
                    names[i] = self.local(x)
        return names, M

    # Values.

    def value(self, V: core.Value, inline: _Inline = _NOTHING) -> Printing:
        """V, with the forms that replace names in it."""
        match V:
            case core.Variable(x):
                printed = inline[x] if x in inline else Printed(Text(self.local(x)))
            case core.Global(f):
                printed = Printed(role(Role.FUNCTION, shown(f)))
            case core.Literal(number):
                text = literal(number)
                printed = Printed(role(Role.CONSTANT, text), Level.UNARY if text.startswith("-") else Level.ATOM)
            case core.Reference(number):
                printed = Printed(role(Role.LOCATION, f"⟨r{number}⟩"))
            case core.Tuple(components):
                docs: list[Doc] = []
                for W in components:
                    printed = yield self.value(W, inline)
                    docs.append(printed.doc)
                printed = Printed(group("(", nest(join(_COMMA, docs), indent=1), ")"))
            case core.Constructed("Nil", ()):
                printed = Printed(Text("[]"))
            case core.Constructed("Cons", (_, _)):
                printed = yield self._list(V, inline)
            case core.Constructed(name, fields):
                printed = yield self._applied(Printed(role(Role.CONSTANT, shown(name))), fields, inline)
            case core.Thunk(core.Lambda() as M) if id(M) not in self._marks:
                names, body = self.parameters(M)
                inner = yield self.block(body)
                printed = Printed(group("{", " ".join(names), " ->", nest(LINE, inner.doc), SOFT, "}"))
            case core.Thunk(M):
                inner = yield self.block(M)
                printed = Printed(group("{", nest(inner.doc, indent=1), "}"))
        return self._marked(V, printed)

    def _list(self, V: core.Value, inline: _Inline) -> Printing:
        """``[V, …]``, or ``V :: … :: W`` if the end is not ``[]``."""
        firsts: list[Printed] = []
        while isinstance(V, core.Constructed) and V.constructor == "Cons" and (not firsts or id(V) not in self._marks):
            firsts.append((yield self.value(V.fields[0], inline)))
            V = V.fields[1]
        if isinstance(V, core.Constructed) and not V.fields and V.constructor == "Nil":
            return Printed(group("[", nest(join(_COMMA, [printed.doc for printed in firsts]), indent=1), "]"))
        end = yield self.value(V, inline)
        docs = [*[printed.at(Level.COMPARISON) for printed in firsts], end.at(Level.LIST)]
        return Printed(group(join(concat(" ::", LINE), docs)), Level.LIST)


def _is_identity(clause: core.ReturnClause) -> bool:
    match clause:
        case core.ReturnClause(core.NamePattern(x), core.Return(core.Variable(y))):
            return x == y and x.startswith(core.SILENT)
        case _:
            return False
