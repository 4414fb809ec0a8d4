"""The view of ``%ad SYSTEM f(…)`` and ``%ad all f(…)``: the results of each AD system and their cost."""

from collections.abc import Iterator, Sequence

from rh_kernel.ad.comparison import Refused, Row
from rh_kernel.ad.language.types import product
from rh_kernel.ad.language.unrolling import rounds
from rh_kernel.ad.system import JvpResult, VjpResult
from rh_kernel.display.data import Json, Record, strict_json
from rh_kernel.display.html import escape
from rh_kernel.display.lambda_cells.values import value, value_text
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, details, element, span, table
from rh_kernel.display.palette import COLOURS
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.tables import columns
from rh_kernel.session.results import Differentiated
from rh_kernel.syntax.printing.doc import Role

ROUNDING = "<1e-12"
"""Replaces the distance of gradients that differ only by rounding, which depends on the machine."""

LOOPS = "loops"
"""The heading of a column that a program without loops does not have."""

HEADING = ("system", "value", "gradient", "apart", "operations", "÷ primal", "nodes", "time")

_COLUMNS = "lwwrrrlrr"
_WIDEST = 80
"""The width in pixels of the bar of the system with the most operations."""

_RATIO = HEADING.index("÷ primal")
_BAR = "height:0.6em;margin-top:0.4em;opacity:0.6;border-radius:2px"


def _text(result: Differentiated) -> str:
    if len(result.rows) == 1:
        return "\n".join(_lines(result.rows[0], result))
    answered, refused = _partition(result)
    loops = _loops(result)
    heading = _before_time(HEADING, (LOOPS,) if loops else ())
    found = [heading, *(_before_time(_cells(row, result), _loop_cell(row, loops)) for row in answered)]
    return "\n".join([*columns(found, "l" * len(found[0])), *[f"{names}: {why}" for names, why in _reasons(refused)]])


def _html(result: Differentiated) -> str:
    if len(result.rows) == 1:
        (row,) = result.rows
        return heading(row.system.title, row.system.source) + "".join([box("", code(line)) for line in _lines(row, result)])
    heads = ["tangent" if word == "gradient" and result.along else word for word in HEADING]
    heads.insert(_RATIO + 1, "")
    answered, refused = _partition(result)
    loops = _loops(result)
    most = max(map(_operations, answered), default=1)
    found = [_before_time(_row(row, result, most), [code(cell) for cell in _loop_cell(row, loops)]) for row in answered]
    count = len(refused)
    summary = "1 system does not take this program" if count == 1 else f"{count} systems do not take this program"
    below = details("margin-top:4px", escape(summary), *[_refused(*why) for why in _reasons(refused)]) if refused else ""
    more = (LOOPS,) if loops else ()
    alignment = "".join(_before_time(_COLUMNS, "l" * len(more)))
    return box("overflow-x:auto", table(found, _before_time(heads, more), alignment)) + below


def _before_time(cells: Sequence[str], more: Sequence[str]) -> list[str]:
    """Insert a column before that of the time, which is as wide as the machine is slow."""
    return [*cells[:-1], *more, cells[-1]]


def _partition(result: Differentiated) -> tuple[list[Row], list[Row]]:
    """Split the rows into systems that differentiate the program and systems that refuse it."""
    answered = [row for row in result.rows if not isinstance(row.outcome, Refused)]
    return answered, [row for row in result.rows if isinstance(row.outcome, Refused)]


def _loops(result: Differentiated) -> int:
    """The number of rounds of the loops of the program, as far as a system writes them out."""
    unrolls = any(row.system.unrolls and not isinstance(row.outcome, Refused) for row in result.rows)
    return rounds(result.program) if unrolls else 0


def _loop_cell(row: Row, loops: int) -> tuple[str, ...]:
    """What a system makes of the loops of a program that has some."""
    return ((_unrolled(loops) if row.system.unrolls else "kept"),) if loops else ()


def _unrolled(loops: int) -> str:
    return f"unrolled: {loops:,} round{'' if loops == 1 else 's'}"


def _operations(row: Row) -> int:
    return 0 if isinstance(row.outcome, Refused) else row.outcome.derivative


def heading(title: str, source: str) -> str:
    """The title of a system and its source."""
    return box("margin-bottom:2px", span("font-weight:bold", title), span(f"{FAINT};font-size:85%", f"  {source}"))


def _lines(row: Row, result: Differentiated) -> Iterator[str]:
    """Yield the lines of a result of a single system."""
    program = result.program
    match row.outcome:
        case VjpResult(V, gradient, primal, derivative, size, counters):
            yield f"value: {value_text(program.result, V)}"
            for (x, A), W in zip(program.parameters, gradient, strict=True):
                yield f"gradient in {x}: {value_text(A, W)}"
        case JvpResult(V, tangent, primal, derivative, size, counters):
            yield f"value: {value_text(program.result, V)}"
            yield f"tangent: {value_text(program.result, tangent)}"
        case Refused():
            yield _reason(row)
            return
    yield f"operations: {primal:,} of {program.name}, {derivative:,} with the derivative; {size:,} nodes"
    if counters:
        yield f"counted: {', '.join([f'{name} {count:,}' for name, count in counters])}"
    if loops := _loops(result):
        yield f"loops {_unrolled(loops)}"


def _cells(row: Row, result: Differentiated) -> tuple[str, ...]:
    """Return a text for each heading."""
    program, name = result.program, row.system.name
    match row.outcome:
        case VjpResult(V, gradient, primal, derivative, size):
            A = product(*(B for _, B in program.parameters))
            slopes = value_text(A, gradient[0] if len(gradient) == 1 else gradient)
        case JvpResult(V, tangent, primal, derivative, size):
            slopes = value_text(program.result, tangent)
        case Refused():
            return name, _reason(row)
    apart = "" if row.difference is None else ROUNDING if row.difference < 1e-12 else f"{row.difference:.0e}"
    ratio = f"{derivative / primal:.1f}" if primal else ""
    time = f"{row.seconds * 1e3:.1f} ms"
    return name, value_text(program.result, V), slopes, apart, f"{derivative:,}", ratio, f"{size:,}", time


def _row(row: Row, result: Differentiated, most: int) -> list[str]:
    """Return the cells of a system, with a bar for its number of operations after the ratio; ``most`` has the longest bar."""
    name, *others = _cells(row, result)
    first = element("span", f"{MONOSPACE};font-weight:bold", escape(name), title=f"{row.system.title}: {row.system.source}")
    shown = [first, *map(code, others)]
    width = max(1, round(_WIDEST * _operations(row) / max(most, 1)))
    shown.insert(_RATIO + 1, box(f"{_BAR};width:{width}px;background:{COLOURS[Role.FUNCTION]}"))
    return shown


def _refused(names: str, why: str) -> str:
    return box("margin-left:1em", code(names, style="font-weight:bold"), span(FAINT, f"  {why}"))


def _reasons(refused: list[Row]) -> list[tuple[str, str]]:
    """The names of the systems that refuse for the same reason, and the reason."""
    found: dict[str, list[str]] = {}
    for row in refused:
        found.setdefault(_reason(row).removeprefix(f"{row.system.name} "), []).append(row.system.name)
    several = "does not ", "do not "
    return [(", ".join(names), why.replace(*several, 1) if len(names) > 1 else why) for why, names in found.items()]


def _reason(row: Row) -> str:
    """Return why a system refuses the program: what it does not do, and the reason if the hint gives one."""
    if not isinstance(row.outcome, Refused):
        return ""
    why = row.outcome.diagnostics[0]
    return f"{why.message}: {why.hint}" if why.hint else why.message


def _records(result: Differentiated) -> list[Record]:
    return [{"kind": "ad", "system": row.system.name, **_found(row, result)} for row in result.rows]


def _found(row: Row, result: Differentiated) -> Record:
    program = result.program
    match row.outcome:
        case VjpResult(V, gradient, primal, derivative, size, counters):
            slopes: list[Json] = [value(A, W) for (_, A), W in zip(program.parameters, gradient, strict=True)]
            found: Record = {"value": value(program.result, V), "gradient": slopes}
        case JvpResult(V, tangent, primal, derivative, size, counters):
            found = {"value": value(program.result, V), "tangent": value(program.result, tangent)}
        case Refused(diagnostics):
            return {"refused": diagnostics[0].message, "code": diagnostics[0].code}
    counted: Record = {"primal": primal, "derivative": derivative}
    more: Record = {"counters": dict(counters)} if counters else {}
    return {
        **found,
        "operations": counted,
        "size": size,
        **more,
        **({"unrolled": loops} if row.system.unrolls and (loops := _loops(result)) else {}),
        "apart": None if row.difference is None else strict_json(row.difference),
        "seconds": row.seconds,
    }


COMPARISON = ResultView(Differentiated, text=_text, rich=as_html(_html), records=_records)
