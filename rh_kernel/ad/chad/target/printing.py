"""Printing of target terms in the notation of the paper: ``λ̲v. t``, ``t • s``, ``coproj₂(v)``, ``case t of !x⊗v → s``.

Linear variables are printed without their numbers, as in the paper, unless several of them are in scope at a time.
"""

from collections.abc import Generator, Sequence
from enum import IntEnum
from typing import cast

from rh_kernel.ad.chad.accumulation import commands as do
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import Mode
from rh_kernel.ad.language.printing import number
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.printing.doc import LINE, Doc, Group, Role, Text, concat, group, join, nest, role

_COMMA = concat(",", LINE)
_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Level(IntEnum):
    """Precedence; a term is bracketed where a higher level is required."""

    OPEN = 0
    SUM = 1
    PRODUCT = 2
    APPLICATION = 3
    ATOM = 4


def document(t: to.Term) -> Doc:
    """Return the document of a term."""
    return descend(_Printer(t).term(t, Level.OPEN))


def level_of(t: to.Term) -> Level:
    """Return the precedence of t as it is printed."""
    match t:
        case to.Let() | to.LetLinear() | to.Lambda() | to.LinearLambda() | to.Case() | to.Fold() | to.Backward():
            return Level.OPEN
        case to.Plus() | to.Sign():
            return Level.SUM
        case to.Apply(operation) if len(operation.domain) == 2 and operation.name in _INFIX:
            return Level.SUM if operation.name in {"add", "sub"} else Level.PRODUCT
        case to.Apply(operation) if operation.name.startswith("-"):
            return Level.SUM
        case to.Scale():
            return Level.PRODUCT
        case to.Call() | to.LinearCall() | to.Initial() | to.Last() | to.Single() | to.LinearReplicate() | to.LinearZip():
            return Level.APPLICATION
        case to.Inject() | to.LinearInject() | to.LinearOut() | to.LinearSum():
            return Level.APPLICATION
        case _:
            return Level.ATOM


class _Printer:
    """Prints one term; ``cartesian`` are the names of its Cartesian variables, and ``is_numbered`` says to keep numbers."""

    def __init__(self, t: to.Term) -> None:
        forms = tuple(do.all_terms(t))
        self.cartesian = {s.name for s in forms if isinstance(s, to.Variable)}
        self.is_numbered = any(isinstance(s, to.LetLinear) and s.keeps for s in forms)

    def term(self, t: to.Term, level: Level) -> Descent[Doc]:
        """Return the document of t, in brackets if its precedence is lower than ``level``."""
        doc = yield self._form(t)
        return concat("(", nest(doc, indent=1), ")") if level_of(t) < level else doc

    def linear(self, name: str) -> str:
        """Return the name with which a linear variable is printed."""
        stem = name.rstrip("0123456789")
        return name if self.is_numbered or stem in self.cartesian else stem

    def _form(self, t: to.Term) -> Descent[Doc]:
        match t:
            case to.Variable(x):
                return Text(x)
            case to.LinearVariable(x):
                return Text(self.linear(x))
            case to.Let() | to.LetLinear():
                return (yield self._lets(t))
            case to.Apply(operation, arguments):
                return (yield self._operation(operation.name, arguments))
            case to.Differential(mode, operation, arguments, s):
                sign = "" if mode is Mode.FORWARD else "ᵗ"
                docs = yield from self._all(arguments)
                operand = yield self.term(s, Level.OPEN)
                return group(f"D{operation.name}{sign}(", nest(join(_COMMA, docs), ";", LINE, operand), ")")
            case to.Scale(factor, s):
                left, right = yield from self._all((factor, s), Level.PRODUCT)
                return group(left, " *", LINE, right)
            case to.Plus(s, r):
                left = yield self.term(s, Level.SUM)
                right = yield self.term(r, Level.PRODUCT)
                return group(left, " +", LINE, right)
            case to.Sign(s, r):
                left, right = yield from self._all((s, r), Level.PRODUCT)
                return group(left, " ≤ ", right)
            case to.Tuple(components):
                docs = yield from self._all(components)
                return _listed("⟨", docs, "⟩")
            case to.Extend(s, r):
                docs = yield from self._all((s, r))
                return _listed("⟨", docs, "⟩")
            case to.Projection(i, s):
                doc = yield self.term(s, Level.ATOM)
                return concat(doc, f".{i}")
            case to.Coprojection(i, _, s):
                doc = yield self.term(s, Level.OPEN)
                return concat(f"coproj{str(i).translate(_SUBSCRIPTS)}(", doc, ")")
            case to.Lambda(_, scope):
                doc = yield self.term(scope.body, Level.OPEN)
                return group(f"λ{scope.names[0]}.", nest(LINE, doc))
            case to.LinearLambda(_, scope):
                doc = yield self.term(scope.body, Level.OPEN)
                return group(f"λ̲{self.linear(scope.names[0])}.", nest(LINE, doc))
            case to.Call(s, r):
                left = yield self.term(s, Level.ATOM if isinstance(s, to.LinearCall) else Level.APPLICATION)
                right = yield self.term(r, Level.ATOM)
                return group(left, nest(LINE, right))
            case to.LinearCall(s, r):
                left = yield self.term(s, Level.APPLICATION)
                right = yield self.term(r, Level.ATOM)
                return group(left, " •", nest(LINE, right))
            case to.Zero():
                return role(Role.CONSTANT, "0")
            case to.Backward(v, C, names):
                lines = yield from self._command(cast(do.Command, C))
                state = f"[{', '.join(names)}]" if names else ""
                return group(f"λ̲{self.linear(v)}{state}.", nest(LINE, join(concat(" >>", LINE), lines)))
            case _:
                return (yield self._other(t))

    def _other(self, t: to.Term) -> Descent[Doc]:
        match t:
            case to.Initial(s):
                return (yield self._prefix("fst", s))
            case to.Last(s):
                return (yield self._prefix("snd", s))
            case to.Inject(side, _, s):
                return (yield self._prefix("inl" if side == 1 else "inr", s))
            case to.LinearInject(side, _, s):
                return (yield self._prefix("linl" if side == 1 else "linr", s))
            case to.LinearOut(side, _, s):
                return (yield self._prefix("lout_l" if side == 1 else "lout_r", s))
            case to.Single(s, r):
                left, right = yield from self._all((s, r), Level.ATOM)
                return group("!", left, "⊗", right)
            case to.Fold(_, s, scope):
                operand = yield self.term(s, Level.SUM)
                body = yield self.term(scope.body, Level.OPEN)
                x, v = scope.names
                head = concat(role(Role.KEYWORD, "case "), operand, role(Role.KEYWORD, " of "), f"!{x}⊗{self.linear(v)} →")
                return group(head, nest(LINE, body))
            case to.Case(s, left, right):
                operand = yield self.term(s, Level.SUM)
                one = yield self.term(left.body, Level.SUM)
                other = yield self.term(right.body, Level.OPEN)
                return group(
                    concat(role(Role.KEYWORD, "case "), operand, role(Role.KEYWORD, " of")),
                    nest(LINE, role(Role.KEYWORD, "inl"), f" {left.names[0]} → ", nest(one)),
                    nest(LINE, "| ", role(Role.KEYWORD, "inr"), f" {right.names[0]} → ", nest(other)),
                )
            case _:
                return (yield self._array(t))

    def _array(self, t: to.Term) -> Descent[Doc]:
        match t:
            case to.Map(_, scope, arrays):
                return (yield self._former("map", scope, arrays, linear=False))
            case to.Indices(n):
                return Text(f"[0, …, {n - 1}]" if n else "[]")
            case to.Prepend(_, s, r):
                first, rest = yield from self._all((s, r))
                return _listed("[", [first, concat("…", rest)], "]")
            case to.Accumulate(_, s, r, scope):
                return (yield self._former("mapAccumL", scope, (s, r), linear=False))
            case to.MapDifferential(mode, _, s, scope, r):
                return (yield self._former("Dmap" if mode is Mode.FORWARD else "Dmapᵗ", scope, (s, r), linear=True))
            case to.LinearZipWith(_, arrays, s, scope):
                return (yield self._former("zipWith" if arrays else "map", scope, (*arrays, s), linear=True))
            case to.LinearAccumulate(mode, _, s, r, scope):
                return (yield self._former("mapAccumL" if mode is Mode.FORWARD else "mapAccumR", scope, (s, r), linear=True))
            case to.LinearSum(_, _, s):
                return (yield self._prefix("sum", s))
            case to.LinearReplicate(n, s):
                return (yield self._prefix(f"replicate_{n}", s))
            case to.LinearZip(_, s):
                return (yield self._prefix("zip", s))
            case to.Slice(i, j, _, s):
                doc = yield self.term(s, Level.ATOM)
                return concat(doc, f"[{i} : {j}]")
            case to.Place(i, j, n, _, s):
                doc = yield self.term(s, Level.OPEN)
                return concat(f"place[{i} : {j} of {n}](", doc, ")")
            case _:
                return Text(type(t).__name__)

    def _operation(self, name: str, arguments: tuple[to.Term, ...]) -> Descent[Doc]:
        if not arguments and not name.startswith("array"):
            return Text(number(float(name)))
        if len(arguments) == 2 and name in _INFIX:
            own = Level.SUM if name in {"add", "sub"} else Level.PRODUCT
            left = yield self.term(arguments[0], own)
            right = yield self.term(arguments[1], Level(own + 1))
            return group(left, f" {_INFIX[name]}", LINE, right)
        if name.startswith("["):
            doc = yield self.term(arguments[0], Level.ATOM)
            return concat(doc, name)
        docs = yield from self._all(arguments)
        return _listed("[", docs, "]") if name.startswith("array") else concat(name, _listed("(", docs, ")"))

    def _command(self, C: do.Command) -> "Generator[Descent[Doc], Doc, list[Doc]]":
        """Return the lines of a command."""
        lines: list[Doc] = []
        pending = [C]
        while pending:
            match pending.pop():
                case do.Pure():
                    pass
                case do.Sequence(first, second):
                    pending += (second, first)
                case do.Add(x, t):
                    operand = yield self.term(t, Level.ATOM)
                    lines.append(concat(role(Role.KEYWORD, "add "), f"{x} ", operand))
                case do.AddCaptured(names, t):
                    operand = yield self.term(t, Level.ATOM)
                    lines.append(concat(role(Role.KEYWORD, "add "), f"⟨{', '.join(names)}⟩ ", operand))
                case do.Backpropagate(f, t):
                    doc = yield self.term(to.LinearCall(f, t), Level.OPEN)
                    lines.append(doc)
                case do.LetCotangent(v, t, rest):
                    doc = yield self.term(t, Level.OPEN)
                    lines.append(concat(f"{self.linear(v)} ← ", doc))
                    pending.append(rest)
                case do.WithAccumulator(x, inner, v, rest):
                    docs = yield from self._command(inner)
                    lines.append(concat(f"{self.linear(v)} ← ", role(Role.KEYWORD, "scope "), f"{x} ", _bracketed(docs)))
                    pending.append(rest)
                case do.BackpropagateCall(f, t, e, v, rest):
                    doc = yield self.term(to.LinearCall(f, t), Level.OPEN)
                    lines.append(concat(f"⟨{self.linear(e)}, {self.linear(v)}⟩ ← ", doc))
                    pending.append(rest)
                case do.ForEach(_, array, t, names, results, rest):
                    loop = yield self._loop("each", (array, t), names, results)
                    lines.append(loop)
                    pending.append(rest)
                case do.FoldRight(_, array, start, outputs, names, results, rest):
                    loop = yield self._loop("mapAccumR", [t for t in (array, start, outputs) if t is not None], names, results)
                    lines.append(loop)
                    pending.append(rest)
        return lines or [Text("pure")]

    def _loop(self, word: str, operands: Sequence[to.Term], names: Sequence[str], results: Sequence[str]) -> Descent[Doc]:
        """``⟨d, …⟩ ← word(b v. scope x … (b • v), t, …)``"""
        docs = yield from self._all(operands)
        body = concat("b v. ", role(Role.KEYWORD, "scope "), f"{' '.join(names)} (b • v)")
        return concat(f"{_tuple([*map(self.linear, results)])} ← ", _listed(f"{word}(", [body, *docs], ")"))

    def _prefix(self, word: str, s: to.Term) -> Descent[Doc]:
        doc = yield self.term(s, Level.ATOM)
        return concat(f"{word} ", doc)

    def _former(self, head: str, scope: to.Scope, arguments: Sequence[to.Term], *, linear: bool) -> Descent[Doc]:
        names = [self.linear(x) if linear and x == scope.names[-1] else x for x in scope.names]
        body = yield self.term(scope.body, Level.OPEN)
        docs = yield from self._all(arguments)
        return _listed(f"{head}(", [concat(f"{' '.join(names)}. ", nest(body)), *docs], ")")

    def _all(self, terms: Sequence[to.Term], level: Level = Level.OPEN) -> "Generator[Descent[Doc], Doc, list[Doc]]":
        docs: list[Doc] = []
        for t in terms:
            doc = yield self.term(t, level)
            docs.append(doc)
        return docs

    def _lets(self, t: to.Term) -> Descent[Doc]:
        """Print ``let x = t in … s`` with a line for each ``let``."""
        lines: list[Doc | str] = []
        while isinstance(t, to.Let | to.LetLinear):
            bound = yield self.term(t.bound, Level.OPEN)
            names = t.scope.names if isinstance(t, to.Let) else tuple(map(self.linear, t.scope.names))
            left = _tuple(names)
            bound = nest(LINE, bound) if isinstance(t.bound, to.Let | to.LetLinear) else concat(" ", nest(bound))
            lines += [role(Role.KEYWORD, "let"), f" {left} =", Group(bound), role(Role.KEYWORD, " in"), LINE]
            t = t.scope.body
        body = yield self.term(t, Level.OPEN)
        return group(*lines, body)


def _tuple(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"⟨{', '.join(names)}⟩"


def _bracketed(docs: Sequence[Doc]) -> Doc:
    return group("(", nest(join(concat(" >>", LINE), docs), indent=1), ")")


def _listed(opening: str, docs: Sequence[Doc], closing: str) -> Doc:
    return group(opening, nest(join(_COMMA, docs), indent=1), closing)
