"""Python code for a function of array expressions.

An expression is written where it is used, unless it is used more than once or long: then it gets a line of its own. A comment
says which command of the program the lines below it come from.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from rh_kernel.interchange.functions import ArrayFunction, Computed, Let, Line, Rounds
from rh_kernel.interchange.targets.python_operators import ATOM, Code, PythonOperators, quoted
from rh_kernel.interchange.uses import uses
from rh_kernel.loops.trees import Tree
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.array_operators import Expr
from rh_kernel.source.span import Span

LONG = 70
"""Characters from which on an expression gets a line of its own."""

WIDEST = 100
"""Characters of a line that a comment shows."""


def origin_of(span: Span) -> str:
    """The line where a command begins, as a comment: ``sgd.rh, line 30: return (w @ x + c, (w, x))``."""
    number, _ = span.source.position(span.start)
    file = Path(span.source.name).name
    place = f"{file}, line {number}" if file.endswith(".rh") else f"line {number}"
    text = "".join([c for c in span.source.line(number).strip() if c.isprintable()])
    return f"{place}: {text[:WIDEST]}"


class PythonCode(PythonOperators):
    """The lines of the body of a Python function, and what they need besides: constants and auxiliary functions."""

    functions: Mapping[str, str] = {}
    """Auxiliary functions, by name."""

    def __init__(self, function: ArrayFunction, dtype: str, indent: int = 1) -> None:
        super().__init__(uses(function), dtype)
        self.function = function
        self.lines: list[str] = []
        self._names: dict[int, str] = {}
        self._indent = indent
        self._spans: dict[int, Span | None] = {}
        self._origin = ""
        self._count = 0
        self._loops = 0
        # Expressions that were made here have to stay alive, because they are known by identity.
        self._kept: list[Expr] = []

    def everything(self, names: Mapping[str, str]) -> tuple[list[str], str, list[str]]:
        """Return the lines of the body, the text of the result, and lines with the new weights, called by these ``names``."""
        self._write(self.function.lines)
        result = self.tree(self.function.result)
        texts = [(quoted(names[w.parameter.name]), self.text(e), self._spans.get(id(e))) for w, e in self.function.writes]
        lines, self.lines = self.lines, []
        for name, text, span in texts:
            self._add_origin(span)
            self.add(f"{name}: {text},")
        written, self.lines = self.lines, lines
        return lines, result, [line.strip() for line in written]

    def tree(self, tree: "Tree[Expr]") -> str:
        """The text of a result."""
        if not isinstance(tree, tuple):
            return self.text(tree)
        return f"({''.join([f'{self.tree(each)}, ' for each in tree]).strip()})" if tree else "()"

    def text(self, e: Expr, least: int = 0) -> str:
        """The text of an expression, in parentheses unless it binds as tightly as wanted; may write lines before."""
        text, binds = self._code(e)
        return text if binds >= least else f"({text})"

    # -- lines

    def _write(self, lines: Sequence[Line]) -> None:
        for line in lines:
            match line:
                case Computed(value, span):
                    self._spans.setdefault(id(value), span)
                    if self.uses[id(value)] > 1:
                        self.text(value)
                case Let(variable, value):
                    self.add(f"{self.text(variable)} = {self.text(value)}")
                case Rounds():
                    self.rounds(line)

    def add(self, line: str) -> None:
        """Add a line."""
        self.lines.append("    " * self._indent + line)

    def _code(self, e: Expr) -> Code:
        if id(e) in self._names:
            return self._names[id(e)], ATOM
        text, binds = self.applied(e)
        if isinstance(e.op, ao.Variable) or (e.number is not None and binds == ATOM):
            return text, binds
        if self.uses[id(e)] > 1 or len(text) > LONG:
            return self._new_line(e, text), ATOM
        return text, binds

    def named(self, e: Expr) -> str:
        """The name of an expression, which gets a line of its own if it has none."""
        text, _ = self._code(e)
        return text if text.isidentifier() else self._new_line(e, text)

    def simplified(self, e: Expr, simpler: Expr) -> Code:
        """The code of a new expression for e, in which what is used more than once is counted."""
        todo = [simpler]
        while todo:
            each = todo.pop()
            if each not in e.args:
                if not self.uses[id(each)]:
                    todo += each.args
                self.uses[id(each)] += 1
        self._kept.append(simpler)
        return self.applied(simpler)

    def _new_line(self, e: Expr, text: str) -> str:
        self._count += 1
        name = self._names[id(e)] = f"t{self._count}"
        self._add_origin(self._spans.get(id(e)))
        self.add(f"{name} = {text}")
        return name

    def _add_origin(self, span: Span | None) -> None:
        """Add a comment with the line that what follows comes from, unless the last one says so."""
        origin = "" if span is None else origin_of(span)
        if origin and origin != self._origin:
            self._origin = origin
            self.add(f"# {origin}")

    def rounds(self, loop: Rounds) -> None:
        """Write a loop."""
        states = [self.text(v) for v, _ in loop.carried]
        if states:
            self.add(f"{', '.join(states)} = {', '.join([self.text(first) for _, first in loop.carried])}")
        wholes = [(self.text(v), self.text(whole, ATOM), whole) for v, whole in loop.rows]
        stacked = loop.results[len(states) :]
        names = [self.text(v) for v in stacked]
        for name in names:
            self.add(f"{name} = []")
        index = self._fresh_index()
        indices = f"range({loop.count})"
        self.add(f"for {index} in {f'reversed({indices})' if loop.backward else indices}:")
        self._indent += 1
        for name, text, whole in wholes:
            self.add(f"{name} = {text}[{':, ' if whole.batched else ''}{index}]")
        self._write(loop.body)
        emitted = [self.text(e) for e in loop.emitted]
        following = [self.text(e) for e in loop.following]
        for name, text in zip(names, emitted, strict=True):
            self.add(f"{name}.append({text})")
        if states:
            self.add(f"{', '.join(states)} = {', '.join(following)}")
        self._indent -= 1
        for name, v in zip(names, stacked, strict=True):
            order = f"{name}[::-1]" if loop.backward else name
            self.add(f"{name} = {self.stacked(order, int(v.batched))}")

    def _fresh_index(self) -> str:
        self._loops += 1
        return f"i{self._loops}" if self._loops > 1 else "i"

    @abstractmethod
    def stacked(self, rows: str, axis: int) -> str:
        """A list of arrays stacked along an axis."""
