"""Listings of programs: ``t3 = matmul(w0, x)   # Real(3), 12 flop``, with totals, as lines and as text."""

from dataclasses import dataclass

from rh_kernel.arrays.planning.notation import free_prefix
from rh_kernel.arrays.program import (
    Alias,
    Equation,
    MeanOverBatch,
    Operator,
    OuterMean,
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
    name = _names(program)

    def show(tree: Registers) -> str:
        return "⟨" + ", ".join(show(branch) for branch in tree) + "⟩" if isinstance(tree, tuple) else name[tree]

    found = [Line(name[r], "input", _type(program, r)) for r in leaves(program.inputs)]
    found += [Line(name[r], _constant(c), _type(program, r)) for r, c in program.constants if name[r].startswith("c")]
    found += [Line(name[r], f"Get[{location.name}]()", _type(program, r)) for r, location in program.reads]
    found += [_equation(program, e, name) for e in program.equations]
    found += [Line("", f"Put[{location.name}]({name[r]})", "") for location, r in program.writes]
    found.append(Line("", f"return {show(program.result)}", ""))
    return tuple(found)


def totals(program: Program) -> str:
    """``20 equations, 80 flop``; for a batch of b samples ``12 + 68 b flop``; with checks ``20 equations, 3 checks, …``"""
    once, each = program.cost_of(0), program.cost_of(1) - program.cost_of(0)
    flop = f"{once} + {each} b" if once and each else f"{each} b" if program.is_batched and each else str(once + each)
    checks = f", {program.checks} check{'s' if program.checks > 1 else ''}" if program.checks else ""
    count = len(program.equations) - program.checks
    return f"{count} equation{'' if count == 1 else 's'}{checks}, {flop} flop"


def listing(program: Program) -> str:
    """Format the program as text."""
    shown = lines(program)
    bodies = [f"{line.left} = {line.right}" if line.left else line.right for line in shown]
    width = min(max((len(body) for body in bodies), default=0), 48)
    rows = [f"{body:<{width}}   # {line.note}" if line.note else body for body, line in zip(bodies, shown, strict=True)]
    return "\n".join([*rows, f"# {totals(program)}"])


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
            return f"check {shown or g.name}"


def _type(program: Program, r: Register) -> str:
    shown = f"Real({', '.join(str(n) for n in program.shapes[r])})"
    return f"b × {shown}" if program.batched[r] else shown


def _constant(array: Array) -> str:
    return "[" + ", ".join(f"{x:.6g}" for x in array.ravel()) + "]" if array.size <= 4 else "constant"


def _names(program: Program) -> dict[Register, str]:
    """A unique name for each register; inputs and locations keep theirs."""
    name: dict[Register, str] = {}
    taken: set[str] = set()

    def give(r: Register, wanted: str) -> None:
        while wanted in taken:
            wanted += "'"
        taken.add(wanted)
        name[r] = wanted

    for r, label in program.named_inputs:
        give(r, label)
    for r, location in program.reads:
        give(r, location.name)
    c, t = free_prefix("c", taken), free_prefix("t", taken)
    for i, (r, array) in enumerate(program.constants):
        give(r, _number(array) or f"{c}{i + 1}")
    computed = [equation.result for equation in program.equations if not isinstance(equation.operator, Smooth)]
    for i, r in enumerate(computed):
        give(r, f"{t}{i + 1}")
    return name


def _number(array: Array) -> str | None:
    return f"{array.item(0):.6g}" if array.shape == (1,) else None
