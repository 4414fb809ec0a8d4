"""Results of the laboratory for a terminal: values, the table of systems, forms and steps."""

from collections.abc import Sequence
from typing import TypeAlias, cast

from rh_kernel.ad.comparison import Refused, Row
from rh_kernel.ad.language.types import Function, Product, Real, Sum, Type, product
from rh_kernel.ad.language.values import Injection, Value, components, entries
from rh_kernel.ad.system import Pulled, Pushed, Rewritten
from rh_kernel.session.results import Computed, Differentiated, FormsShown, RewritingShown
from rh_kernel.syntax.printing.doc import plain

STEPS = 60
"""The text of a longer trace leaves out steps in the middle."""

ROOM, LEAST = 60_000, 3
"""About so many characters the terms have at either end of a longer trace, and so many steps are shown there at least."""

LINES = 40
"""Of a longer term of a trace the first lines are shown."""

ROUNDING = "<1e-12"
"""How far two gradients are apart that are the same but for rounding, which is another on each machine."""

ENTRIES = 40
"""Of a longer array the entries in the middle are left out."""

HEADING = ("system", "value", "gradient", "apart", "operations", "÷ primal", "nodes", "time")


def laboratory_text(result: Computed | Differentiated | FormsShown | RewritingShown) -> str:
    """The result as text."""
    match result:
        case Computed(A, V):
            return f"{value_text(A, V)} : {A}"
        case Differentiated(rows=(row,)):
            return "\n".join(one(row, result))
        case Differentiated(rows=rows):
            return _table([HEADING, *(cells(row, result) for row in rows)])
        case FormsShown(_, _, stages):
            return "\n\n".join(f"{stage.title}:\n{plain(stage.doc)}" for stage in stages)
        case RewritingShown(_, _, steps):
            return steps_text(steps)


def steps_text(steps: Sequence[Rewritten], numbers: Sequence[int] | None = None) -> str:
    """The steps of a trace, each behind the name of its rule and its number; the first is the start, 0."""
    numbered = list(zip(range(len(steps)) if numbers is None else numbers, steps, strict=True))
    first, left_out, last = both_ends(numbered, STEPS)
    shown = [_step(*step) for step in first]
    if left_out:
        shown += [f"⋮ {left_out:,} steps are left out", *(_step(*step) for step in last)]
    return "\n".join(shown)


Numbered: TypeAlias = tuple[int, Rewritten]


def both_ends(steps: Sequence[Numbered], most: int) -> tuple[Sequence[Numbered], int, Sequence[Numbered]]:
    """The steps that are shown of a trace: all, or the first, how many are left out, and the last; of long terms fewer."""
    if len(steps) <= most:
        return steps, 0, ()
    half = most // 2
    first, last = _fitting(steps[half - 1 : half], half), _fitting([steps[-half], steps[-1]], half)
    return steps[:first], len(steps) - first - last, steps[-last:]


def _fitting(steps: Sequence[Numbered], most: int) -> int:
    """How many steps with terms as long as these have room."""
    longest = max(step.term.flat for _, step in steps)
    return min(most, max(LEAST, int(ROOM / max(longest, 1))))


def _step(number: int, step: Rewritten) -> str:
    lines = plain(step.term).split("\n")
    term = "\n".join(lines if len(lines) <= LINES else [*lines[: LINES - 1], f"⋮ {len(lines) - LINES + 1:,} lines"])
    return f"—{step.rule}→  {number}\n{term}" if step.rule else term


def one(row: Row, result: Differentiated) -> tuple[str, ...]:
    """The lines about the only system that was asked."""
    program = result.program
    match row.outcome:
        case Pulled(V, gradient, primal, derivative, size, counters):
            lines = [f"value: {value_text(program.result, V)}"]
            lines += [f"gradient in {x}: {value_text(A, W)}" for (x, A), W in zip(program.parameters, gradient, strict=True)]
        case Pushed(V, tangent, primal, derivative, size, counters):
            lines = [f"value: {value_text(program.result, V)}", f"tangent: {value_text(program.result, tangent)}"]
        case Refused(diagnostics):
            return (diagnostics[0].message,)
    lines.append(f"operations: {primal:,} of {program.name}, {derivative:,} with the derivative; {size:,} nodes")
    more = [f"{name} {count:,}" for name, count in counters]
    return (*lines, *([f"counted: {', '.join(more)}"] if more else []))


def cells(row: Row, result: Differentiated) -> tuple[str, ...]:
    """What stands in the row of a system: one text for each heading."""
    program, name = result.program, row.system.name
    match row.outcome:
        case Pulled(V, gradient, primal, derivative, size):
            A = product(*(B for _, B in program.parameters))
            slopes = value_text(A, gradient[0] if len(gradient) == 1 else gradient)
        case Pushed(V, tangent, primal, derivative, size):
            slopes = value_text(program.result, tangent)
        case Refused(diagnostics):
            return (name, diagnostics[0].message, *[""] * (len(HEADING) - 2))
    apart = "" if row.apart is None else ROUNDING if row.apart < 1e-12 else f"{row.apart:.0e}"
    ratio = f"{derivative / primal:.1f}" if primal else ""
    time = f"{row.seconds * 1e3:.1f} ms"
    return (name, value_text(program.result, V), slopes, apart, f"{derivative:,}", ratio, f"{size:,}", time)


def _table(rows: list[tuple[str, ...]]) -> str:
    refused = [row for row in rows if not row[2]]
    whole = [row for row in rows if row[2]]
    widths = [max(len(row[i]) for row in whole) for i in range(len(HEADING))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in whole]
    return "\n".join([*lines, *(f"{row[0].ljust(widths[0])}  {row[1]}" for row in refused)])


def _entries(numbers: tuple[float, ...]) -> list[str]:
    """The entries of an array, of a long one the first and the last."""
    if len(numbers) <= ENTRIES:
        return [number_text(x) for x in numbers]
    half = ENTRIES // 2
    return [*map(number_text, numbers[:half]), f"… {len(numbers) - ENTRIES:,} more …", *map(number_text, numbers[-half:])]


def number_text(x: float) -> str:
    """A number with six digits."""
    return f"{x:.6g}"


def value_text(A: Type, V: Value) -> str:
    """A value as it is written, its numbers with six digits."""
    match A:
        case Real(1):
            return number_text(cast(float, V))
        case Real():
            return f"[{', '.join(_entries(entries(V)))}]"
        case Product(factors):
            inside = ", ".join(value_text(B, W) for B, W in zip(factors, components(V), strict=True))
            return f"⟨{inside}⟩" if factors else "()"
        case Sum(B, C):
            injected = cast(Injection, V)
            side, half = ("inl", B) if injected.side == 1 else ("inr", C)
            return f"{side}({value_text(half, injected.value)})"
        case Function():
            return "a function"
