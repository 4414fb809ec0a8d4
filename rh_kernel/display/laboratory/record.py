"""Results of the laboratory as plain data: for ``%ad`` an object for each system, numbers nested as they are in the values."""

import math
from typing import cast

from rh_kernel.ad.comparison import Refused, Row
from rh_kernel.ad.language.types import Function, Product, Real, Sum, Type
from rh_kernel.ad.language.values import Injection, Value, components, entries
from rh_kernel.ad.system import Pulled, Pushed
from rh_kernel.display.data import Json, Record
from rh_kernel.session.results import Computed, Differentiated, FormsShown, RewritingShown
from rh_kernel.syntax.printing.doc import plain


def laboratory_records(item: int, result: Computed | Differentiated | FormsShown | RewritingShown) -> tuple[Record, ...]:
    """The objects for item ``item``: one for each system that was asked, and for each form or step that was asked for."""
    match result:
        case Computed(A, V):
            return ({"item": item, "kind": "value", "type": str(A), "value": value(A, V), "heap": {}},)
        case Differentiated(program, _, _, _, rows):
            types = tuple(A for _, A in program.parameters)
            return tuple(
                {"item": item, "kind": "ad", "system": row.system.name, **_found(row, types, program.result)} for row in rows
            )
        case FormsShown(system, program, stages):
            forms: list[Json] = [{"title": stage.title, "text": plain(stage.doc)} for stage in stages]
            return ({"item": item, "kind": "ad", "system": system.name, "name": program.name, "forms": forms},)
        case RewritingShown(system, program, steps):
            shown: list[Json] = [
                {"step": i, "rule": step.rule, "term": " ".join(plain(step.term, math.inf).split())}
                for i, step in enumerate(steps)
            ]
            return ({"item": item, "kind": "ad", "system": system.name, "name": program.name, "steps": shown},)


def _found(row: Row, types: tuple[Type, ...], result: Type) -> Record:
    match row.outcome:
        case Pulled(V, gradient, primal, derivative, size, counters):
            slopes: list[Json] = [value(A, W) for A, W in zip(types, gradient, strict=True)]
            found: Record = {"value": value(result, V), "gradient": slopes}
        case Pushed(V, tangent, primal, derivative, size, counters):
            found = {"value": value(result, V), "tangent": value(result, tangent)}
        case Refused(diagnostics):
            return {"refused": diagnostics[0].message, "code": diagnostics[0].code}
    counted: Record = {"primal": primal, "derivative": derivative}
    more: Record = {"counters": dict(counters)} if counters else {}
    return {
        **found,
        "operations": counted,
        "size": size,
        **more,
        "apart": None if row.apart is None else _number(row.apart),
        "seconds": row.seconds,
    }


def value(A: Type, V: Value) -> Json:
    """A value: nested lists for arrays, ``{"tuple": […]}``, ``{"inl": …}``; a function is its type."""
    match A:
        case Real(1):
            return _number(cast(float, V))
        case Real():
            return [_number(x) for x in entries(V)]
        case Product(factors):
            return {"tuple": [value(B, W) for B, W in zip(factors, components(V), strict=True)]}
        case Sum(B, C):
            injected = cast(Injection, V)
            return {"inl": value(B, injected.value)} if injected.side == 1 else {"inr": value(C, injected.value)}
        case Function():
            return str(A)


def _number(x: float) -> float | str:
    return x if math.isfinite(x) else str(x)
