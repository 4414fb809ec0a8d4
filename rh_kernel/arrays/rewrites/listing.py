"""Listings of programs: ``t3 = matmul(w0, x)   # Real(3), 12 flop``, with totals, as lines and as text."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.arrays.planning.notation import free_prefix
from rh_kernel.arrays.program import (
    Alias,
    Equation,
    Loop,
    MeanOverBatch,
    Operator,
    OuterMean,
    Part,
    ProductMean,
    Program,
    Register,
    Registers,
    Smooth,
)
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.printing.terms import function_doc


@dataclass(frozen=True, slots=True)
class Line:
    """``left = right   # note``: an input, a constant, a read, an equation, a write, or the result."""

    left: str
    right: str
    note: str


def lines(program: Program) -> tuple[Line, ...]:
    """List the program line by line, in execution order."""
    names = _Names()
    name = names.of_program(program)

    def show(tree: Registers) -> str:
        return "⟨" + ", ".join(show(branch) for branch in tree) + "⟩" if isinstance(tree, tuple) else name[tree]

    found = [Line(name[r], "input", _type(program, r)) for r in leaves(program.inputs)]
    found += [Line(name[r], _constant(c), _type(program, r)) for r, c in program.constants if name[r].startswith("c")]
    found += [Line(name[r], f"Get[{location.name}]()", _type(program, r)) for r, location in program.reads]
    found += _equations(program, name, names, "")
    found += [Line("", f"Put[{location.name}]({name[r]})", "") for location, r in program.writes]
    found.append(Line("", f"return {show(program.result)}", ""))
    return tuple(found)


def totals(program: Program) -> str:
    """``20 equations, 80 flop``; for a batch of b samples ``12 + 68 b flop``; with checks ``20 equations, 3 checks, …``"""
    once, each = program.cost_of(0), program.cost_of(1) - program.cost_of(0)
    flop = f"{once} + {each} b" if once and each else f"{each} b" if program.is_batched and each else str(once + each)
    checks = f", {program.checks} check{'s' if program.checks > 1 else ''}" if program.checks else ""
    count = program.count
    return f"{count} equation{'' if count == 1 else 's'}{checks}, {flop} flop"


def listing(program: Program) -> str:
    """Format the program as text."""
    shown = lines(program)
    bodies = [f"{line.left} = {line.right}" if line.left else line.right for line in shown]
    width = min(max((len(body) for body in bodies), default=0), 48)
    rows = [f"{body:<{width}}   # {line.note}" if line.note else body for body, line in zip(bodies, shown, strict=True)]
    return "\n".join([*rows, f"# {totals(program)}"])


def _equations(program: Program, name: dict[Register, str], names: "_Names", indent: str) -> list[Line]:
    """List the equations; the body of a loop is indented below it."""
    found: list[Line] = []
    results = {e.result: e.operator for e in program.equations}
    for e in program.equations:
        match e.operator:
            case Loop():
                found += _loop(e, e.operator, name, names, indent)
            case Part(number):
                loop = results[e.arguments[0]]
                kind = "the rows of" if isinstance(loop, Loop) and number >= loop.arity[0] else "the last"
                given = names.results[name[e.arguments[0]]][number]
                found.append(Line(indent + name[e.result], f"{kind} {given}", _type(program, e.result)))
            case _:
                made = _equation(program, e, name)
                found.append(
                    Line(indent + made.left, made.right, made.note) if made.left else Line("", indent + made.right, "")
                )
    return found


def _loop(e: Equation, f: Loop, name: dict[Register, str], names: "_Names", indent: str) -> list[Line]:
    """List a loop: what it carries, which rows it is given, the equations of a round, and what is carried on."""
    carried, _ = f.arity
    inside = names.of_body(f, [name[a] for a in e.arguments])
    inputs, results = leaves(f.body.inputs), leaves(f.body.result)
    names.results[name[e.result]] = [inside[r] for r in (*inputs[:carried], *results[carried:])]
    begins = [f"{inside[r]} = {name[a]}" for r, a in zip(inputs, e.arguments[:carried], strict=False)]
    rows = [f"{inside[r]} = row k of {name[a]}" for r, a in zip(inputs[carried:], e.arguments[carried:], strict=True)]
    rows = rows[: f.arity[1]]
    order = f"k = {f.rounds - 1} … 0" if f.backward else f"k = 0 … {f.rounds - 1}"
    first = f"from {', '.join(begins)}" if begins else ""
    found = [Line("", " ".join([part for part in (f"{indent}for {order}", first) if part]), "")]
    deeper = indent + "    "
    found += [Line("", deeper + row, "") for row in rows]
    found += [
        Line(deeper + inside[r], _constant(c), _type(f.body, r)) for r, c in f.body.constants if inside[r].startswith("c")
    ]
    found += _equations(f.body, inside, names, deeper)
    ends = [f"{inside[r]} = {inside[s]}" for r, s in zip(inputs[:carried], results, strict=False)]
    return [*found, Line("", f"{deeper}next {', '.join(ends)}", "")] if ends else found


def _equation(program: Program, equation: Equation, name: dict[Register, str]) -> Line:
    arguments = ", ".join(name[r] for r in equation.arguments)
    if isinstance(equation.operator, Smooth):
        return Line("", f"{_operator(equation.operator)}({arguments})", "")
    once, twice = program.equation_cost(equation, 1), program.equation_cost(equation, 2)
    flop = f"{once} b flop" if twice != once else f"{once} flop"
    right = f"{_operator(equation.operator)}({arguments})"
    return Line(name[equation.result], right, f"{_type(program, equation.result)}, {flop}")


def _operator(f: Operator) -> str:
    match f:
        case Primitive():
            return plain(function_doc(f))
        case Alias():
            return "alias"
        case MeanOverBatch():
            return "mean_over_batch"
        case OuterMean():
            return "mean_outer"
        case ProductMean():
            return "mean_matmul"
        case Smooth(g, _, shown):
            return f"check {shown or plain(function_doc(g))}"
        case Loop(rounds):
            return f"{rounds} rounds"
        case Part(number):
            return f"result {number + 1}"


def _type(program: Program, r: Register) -> str:
    shown = f"Real({', '.join(str(n) for n in program.shapes[r])})"
    return f"b × {shown}" if program.batched[r] else shown


def _constant(array: Array) -> str:
    return "[" + ", ".join(f"{x:.6g}" for x in array.ravel()) + "]" if array.size <= 4 else "constant"


class _Names:
    """A unique name for each register; inputs and locations keep theirs.

    ``results`` has the names of a loop's results in its rounds, by the name of the loop.
    """

    def __init__(self) -> None:
        self.results: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        self._prefix: dict[str, str] = {}
        self._count: Counter[str] = Counter()

    def of_program(self, program: Program) -> dict[Register, str]:
        """Name the registers of the program."""
        name: dict[Register, str] = {}
        for r, label in program.named_inputs:
            name[r] = self._given(label)
        for r, location in program.reads:
            name[r] = self._given(location.name)
        self._prefix = {letter: free_prefix(letter, self._taken) for letter in "catr"}
        self._name_rest(program, name, is_body=False)
        return name

    def of_body(self, f: Loop, given: Sequence[str]) -> dict[Register, str]:
        """Name the registers of a loop's body, given the names of the arguments."""
        carried, rows = f.arity
        name: dict[Register, str] = {}
        for i, (r, label) in enumerate(zip(leaves(f.body.inputs), given, strict=True)):
            name[r] = label if i >= carried + rows else self._next("a" if i < carried else "r")
        self._name_rest(f.body, name, is_body=True)
        return name

    def _name_rest(self, program: Program, name: dict[Register, str], *, is_body: bool) -> None:
        for i, (r, array) in enumerate(program.constants, start=self._count["c"] + 1):
            text = _number(array)
            name[r] = text if text and is_body else self._given(text or f"{self._prefix['c']}{i}")
        self._count["c"] += len(program.constants)
        for equation in program.equations:
            match equation.operator:
                case Smooth():
                    pass
                case Loop():
                    name[equation.result] = self._next("loop")
                case _:
                    name[equation.result] = self._next("t")

    def _next(self, letter: str) -> str:
        self._count[letter] += 1
        return self._given(f"{self._prefix.get(letter, letter)}{self._count[letter]}")

    def _given(self, wanted: str) -> str:
        while wanted in self._taken:
            wanted += "'"
        self._taken.add(wanted)
        return wanted


def _number(array: Array) -> str | None:
    return f"{array.item(0):.6g}" if array.shape == (1,) else None
