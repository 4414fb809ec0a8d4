"""Terms of EFF as they are written: results without a name stand where they are used, as in the text they came from.

What is printed is read back as the same term, up to silent names. Nodes in ``marks``, which are told apart by identity, are
marked. Terms may be of any depth.
"""

from collections.abc import Mapping
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.builtin_effects import READ, REFERENCES, WRITE
from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.machine.builtins import OPERATORS
from rh_kernel.ad.eff.printing.forms import Level, Written, adaptor, keyword, let, lets, statement
from rh_kernel.ad.eff.printing.inlining import can_be_inlined, is_let, popped, silent, strict
from rh_kernel.ad.eff.printing.names import made_up, renamed
from rh_kernel.ad.eff.printing.patterns import bound_names, literal, pattern
from rh_kernel.ad.eff.traversal import Node
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.printing.doc import LINE, SOFT, Annotated, Doc, Mark, Role, Text, concat, group, join, nest, role

Writing: TypeAlias = Descent[Written]
"""A form that is being written; it waits for its parts."""

_Inline: TypeAlias = Mapping[str, Written]
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
    """M; nodes whose ``id`` is among the marks are marked."""
    return descend(Printer(M, marks or {}).block(M)).doc


def value(V: core.Value, marks: Mapping[int, Mark] | None = None) -> Doc:
    """V; nodes whose ``id`` is among the marks are marked."""
    return descend(Printer(V, marks or {}).value(V)).doc


class Printer:
    """Writes the parts of one term, in which some are marked."""

    def __init__(self, start: Node, marks: Mapping[int, Mark]) -> None:
        self._start = start
        self._marks = marks
        self._renamed = renamed(start)

    def local(self, x: str) -> str:
        """How a name that is bound in the term is written."""
        if x not in self._renamed and x.startswith(core.SILENT):
            self._renamed[x] = made_up(x, self._start)
        return self._renamed.get(x, x)

    def _marked(self, node: object, written: Written) -> Written:
        mark = self._marks.get(id(node))
        if mark is None:
            return written
        row = None if written.row is None else Annotated(mark, written.row)
        return Written(Annotated(mark, written.doc), written.level, written.is_open, row)

    # Lets and what follows them.

    def block(self, M: core.Computation) -> Writing:
        """``let x = M in …``, ``M; …`` and the last of them."""
        inlines = can_be_inlined(M)
        lines: list[tuple[Doc | None, Mark | None]] = []
        pending: list[tuple[str, Written]] = []
        is_row = True
        while True:
            mark = self._marks.get(id(M)) if not pending else None
            match M:
                case core.Let(x, bound, rest):
                    written = yield self._bound(bound, pending if inlines else [])
                    if inlines and x.startswith(core.SILENT):
                        pending.append((x, written))
                        lines.append((None, mark))
                    elif x == "_":
                        lines.append((statement(written), mark))
                    else:
                        lines.append((let(self.local(x), written, in_brackets=isinstance(bound, core.Let)), mark))
                        is_row = False
                    M = rest
                case core.Match(V, (core.Branch(p, rest),)) if is_let(p):
                    written = yield self.value(V, self._taken(V, pending if inlines else []))
                    lines.append((let(pattern(p, self._renamed), written), mark))
                    is_row = False
                    M = rest
                case _:
                    break
        last = yield self._bound(M, pending if inlines else [])
        if not lines:
            return last
        return lets(lines, last, is_row=is_row)

    def _bound(self, M: core.Computation, pending: list[tuple[str, Written]]) -> Writing:
        """What is bound by a let, or stands behind all of them, with what is pending in its places."""
        if isinstance(M, core.Let):
            return (yield self.block(M))
        inline = popped(strict(M), pending)
        return self._marked(M, (yield self._plain(M, inline)))

    def _taken(self, V: core.Value, pending: list[tuple[str, Written]]) -> _Inline:
        return popped(silent(V), pending)

    # Computations that are no lets; ``inline`` is what stands in the place of names in their values.

    def _plain(self, M: core.Computation, inline: _Inline) -> Writing:
        match M:
            case core.Return(V):
                return (yield self.value(V, inline))
            case core.Force(V):
                written = yield self.value(V, inline)
                return Written(concat(written.at(Level.POSTFIX), "!"), Level.POSTFIX)
            case core.Apply():
                return (yield self._application(M, inline))
            case core.Lambda():
                names, body = self.parameters(M)
                written = yield self.block(body)
                head = concat(f"\\{' '.join(names)} ->")
                return Written(group(head, nest(LINE, written.doc)), Level.OPEN, written.is_open)
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
                return Written(group("<| ", nest(one.doc, _COMMA, other.doc, indent=3), " |>"))
            case core.Projection(index, core.Force(V) as forced):
                head = yield self._head(forced, V, inline)
                return Written(concat(head.at(Level.POSTFIX), f".{index}"), Level.POSTFIX)
            case core.Projection(index, N):
                written = yield self.block(N)
                return Written(concat(written.at(Level.POSTFIX), f".{index}"), Level.POSTFIX)
            case core.Perform(effect, op, (V,)) if (effect, op) == (REFERENCES, READ):
                written = yield self.value(V, inline)
                return Written(concat("@", written.at(Level.ATOM)))
            case core.Perform(effect, op, (r, V)) if (effect, op) == (REFERENCES, WRITE):
                cell, written = (yield self.value(r, inline)), (yield self.value(V, inline))
                doc = group(cell.at(Level.LIST), " :=", nest(LINE, written.at(Level.LIST)))
                return Written(doc, Level.ASSIGNMENT)
            case core.Perform(_, op, ()):
                return Written(concat(role(Role.OPERATION, shown(op)), "!"), Level.POSTFIX)
            case core.Perform(_, op, arguments):
                return (yield self._applied(Written(role(Role.OPERATION, shown(op))), arguments, inline))
            case core.BuiltIn(g, arguments):
                return (yield self._built_in(g, arguments, inline))
            case core.Handle(N, H):
                return (yield self._handle(N, H, inline))
            case core.Adapt(adaptors, N):
                written = yield self.block(N)
                head = f"<{', '.join(map(adaptor, adaptors))}> "
                return Written(concat(head, nest(written.at(Level.ADAPTED))), Level.ADAPTED)
            case core.Let():
                return (yield self.block(M))

    def _application(self, M: core.Computation, inline: _Inline) -> Writing:
        """``M V…``: nodes on the way to the head may be marked too."""
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
            written = yield self.value(node.argument, inline)
            doc = concat(doc, nest(LINE, written.at(Level.POSTFIX)))
            if node is not spine[0] and (mark := self._marks.get(id(node))):
                doc = Annotated(mark, doc)
        return Written(group(doc), Level.APPLICATION)

    def _head(self, M: core.Force, V: core.Value, inline: _Inline) -> Writing:
        """``V!`` where it is applied: of what is called by a name, or is a thunk, the ``!`` goes without saying."""
        written = yield self.value(V, inline)
        is_function = isinstance(V, core.Global | core.Thunk) or (isinstance(V, core.Variable) and V.name not in inline)
        if not is_function:
            written = Written(concat(written.at(Level.POSTFIX), "!"), Level.POSTFIX)
        return self._marked(M, written)

    def _applied(self, head: Written, arguments: tuple[core.Value, ...], inline: _Inline) -> Writing:
        parts: list[Doc | str] = [head.at(Level.POSTFIX)]
        for V in arguments:
            written = yield self.value(V, inline)
            parts.append(nest(LINE, written.at(Level.POSTFIX)))
        return Written(group(*parts), Level.APPLICATION) if arguments else head

    def _built_in(self, g: str, arguments: tuple[core.Value, ...], inline: _Inline) -> Writing:
        if g in _SIGNS and len(arguments) == 2:
            level = _LEVELS[g]
            tighter = Level(level + 1)
            left, right = (yield self.value(arguments[0], inline)), (yield self.value(arguments[1], inline))
            first = left.at(tighter if level is Level.COMPARISON else level)
            return Written(group(first, f" {_SIGNS[g]}", LINE, right.at(tighter)), level)
        if g == "negate" and len(arguments) == 1:
            written = yield self.value(arguments[0], inline)
            # Without brackets it would be a negative number, or two signs next to each other.
            is_number = isinstance(arguments[0], core.Literal) or written.level is Level.UNARY
            operand = concat("(", written.doc, ")") if is_number else written.at(Level.UNARY)
            return Written(concat("-", operand), Level.UNARY)
        return (yield self._applied(Written(role(Role.FUNCTION, g)), arguments, inline))

    def _if(self, V: core.Value, then: core.Computation, otherwise: core.Computation, inline: _Inline) -> Writing:
        written = yield self.value(V, inline)
        one, other = (yield self.block(then)), (yield self.block(otherwise))
        doc = group(
            concat(keyword("if "), written.doc),
            nest(LINE, keyword("then "), nest(one.doc)),
            nest(LINE, keyword("else "), nest(other.at(Level.ASSIGNMENT))),
        )
        return Written(doc, Level.OPEN)

    def _match(self, V: core.Value, branches: tuple[core.Branch, ...], inline: _Inline) -> Writing:
        written = yield self.value(V, inline)
        parts: list[Doc | str] = [keyword("match "), written.at(Level.FORM) if written.is_open else written.doc]
        for branch in branches:
            body = yield self.block(branch.body)
            doc = body.at(Level.FORM) if body.is_open and branch is not branches[-1] else body.doc
            parts.append(nest(LINE, group("| ", pattern(branch.pattern, self._renamed), " ->", nest(LINE, doc, indent=4))))
        return Written(group(*parts), Level.OPEN, is_open=True)

    def _handle(self, M: core.Computation, H: core.Handler, inline: _Inline) -> Writing:
        body = yield self.block(M)
        handler = yield self.handler(H, inline)
        doc = group(keyword("handle"), nest(LINE, body.doc), LINE, keyword("with "), handler.doc)
        return Written(doc, Level.FORM)

    def handler(self, H: core.Handler, inline: _Inline = _NOTHING) -> Writing:
        """``h V…``, or clauses between braces."""
        match H:
            case core.Named(h, arguments):
                return (yield self._applied(Written(role(Role.HANDLER, shown(h))), arguments, inline))
            case core.Clauses():
                clauses: Doc = (yield self.clauses(H)).doc
                return Written(group("{ ", nest(clauses), " }"))

    def clauses(self, H: core.Clauses) -> Writing:
        """``return p -> M | <op p… -> k> -> N | …``; the identity is left out."""
        found: list[Doc] = []
        if not _is_identity(H.returns) or not H.clauses:
            body = yield self.block(H.returns.body)
            head = concat(keyword("return "), pattern(H.returns.pattern, self._renamed), " ->")
            found.append(group(head, nest(LINE, body.doc)))
        for clause in H.clauses:
            body = yield self.block(clause.body)
            patterns = "".join([f" {pattern(p, self._renamed, closed=True)}" for p in clause.patterns])
            head = concat(
                "<", role(Role.OPERATION, shown(clause.operation)), f"{patterns} -> {self.local(clause.continuation)}>"
            )
            found.append(group(head, " ->", nest(LINE, body.doc)))
        return Written(concat(join(concat(LINE, "| "), found)), Level.OPEN)

    def parameters(self, M: core.Computation) -> tuple[list[str], core.Computation]:
        """The parameters of a λ, as they are written, and its body; patterns take apart those without a name.

        No name is bound twice among them: a λ that binds one again stands in the body.
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
                    x == y and x.startswith(core.SILENT) and seen.isdisjoint(bound_names(p))
                ):
                    seen.update(bound_names(p))
                    names[i] = pattern(p, self._renamed, closed=True)
                    M = body
                case _:
                    names[i] = self.local(x)
        return names, M

    # Values.

    def value(self, V: core.Value, inline: _Inline = _NOTHING) -> Writing:
        """V, with what stands in the place of names in it."""
        match V:
            case core.Variable(x):
                written = inline[x] if x in inline else Written(Text(self.local(x)))
            case core.Global(f):
                written = Written(role(Role.FUNCTION, shown(f)))
            case core.Literal(number):
                text = literal(number)
                written = Written(role(Role.CONSTANT, text), Level.UNARY if text.startswith("-") else Level.ATOM)
            case core.Reference(number):
                written = Written(role(Role.LOCATION, f"⟨r{number}⟩"))
            case core.Tuple(components):
                docs: list[Doc] = []
                for W in components:
                    written = yield self.value(W, inline)
                    docs.append(written.doc)
                written = Written(group("(", nest(join(_COMMA, docs), indent=1), ")"))
            case core.Constructed("Nil", ()):
                written = Written(Text("[]"))
            case core.Constructed("Cons", (_, _)):
                written = yield self._list(V, inline)
            case core.Constructed(name, fields):
                written = yield self._applied(Written(role(Role.CONSTANT, shown(name))), fields, inline)
            case core.Thunk(core.Lambda() as M) if id(M) not in self._marks:
                names, body = self.parameters(M)
                inner = yield self.block(body)
                written = Written(group("{", " ".join(names), " ->", nest(LINE, inner.doc), SOFT, "}"))
            case core.Thunk(M):
                inner = yield self.block(M)
                written = Written(group("{", nest(inner.doc, indent=1), "}"))
        return self._marked(V, written)

    def _list(self, V: core.Value, inline: _Inline) -> Writing:
        """``[V, …]``, or ``V :: … :: W`` if the end is not known."""
        firsts: list[Written] = []
        while isinstance(V, core.Constructed) and V.constructor == "Cons" and (not firsts or id(V) not in self._marks):
            firsts.append((yield self.value(V.fields[0], inline)))
            V = V.fields[1]
        if isinstance(V, core.Constructed) and not V.fields and V.constructor == "Nil":
            return Written(group("[", nest(join(_COMMA, [written.doc for written in firsts]), indent=1), "]"))
        end = yield self.value(V, inline)
        docs = [*[written.at(Level.COMPARISON) for written in firsts], end.at(Level.LIST)]
        return Written(group(join(concat(" ::", LINE), docs)), Level.LIST)


def _is_identity(clause: core.ReturnClause) -> bool:
    match clause:
        case core.ReturnClause(core.NamePattern(x), core.Return(core.Variable(y))):
            return x == y and x.startswith(core.SILENT)
        case _:
            return False
