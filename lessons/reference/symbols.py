"""``symbols.md``: every function symbol with its types, value, derivative and cost, and where it is not smooth."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from lessons.reference.markdown import code, link, table
from lessons.reference.running import run
from rh_kernel.display.values import value_text
from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.entrywise import ENTRYWISE_ROWS
from rh_kernel.primitives.images import IMAGE_ROWS
from rh_kernel.primitives.linear import LINEAR_ROWS
from rh_kernel.primitives.pairs import PAIR_ROWS
from rh_kernel.primitives.pieces import PIECE_ROWS
from rh_kernel.primitives.probability import PROBABILITY_ROWS
from rh_kernel.primitives.row import Row
from rh_kernel.primitives.schemes import Scheme, instantiate
from rh_kernel.primitives.signals import SIGNAL_ROWS
from rh_kernel.primitives.structural import STRUCTURAL_ROWS
from rh_kernel.session.results import ValueFound
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.dimensions import DimVar, dim
from rh_kernel.syntax.printing.printer import show

_WORDS = Path(__file__).with_name("symbols.toml")

KINDS: Mapping[str, tuple[Row, ...]] = {
    "Entry by entry": ENTRYWISE_ROWS,
    "Two arrays of one shape": PAIR_ROWS,
    "Linear algebra": LINEAR_ROWS,
    "Whole arrays": STRUCTURAL_ROWS,
    "Putting together and taking apart": PIECE_ROWS,
    "Scores and probabilities": PROBABILITY_ROWS,
    "Signals": SIGNAL_ROWS,
    "Images": IMAGE_ROWS,
}


@cache
def words() -> Mapping[str, Mapping[str, Any]]:
    """What is written by hand about each symbol."""
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))


def symbols_page() -> str:
    """The part of the page that follows from the table of symbols."""
    return "\n\n".join([_contents(), *_sections()])


def _contents() -> str:
    rows = [(link(kind), " ".join([link(row.name) for row in rows])) for kind, rows in KINDS.items()]
    return table(("kind", "symbols"), rows)


def _sections() -> Iterator[str]:
    for kind, rows in KINDS.items():
        yield f"## {kind}"
        for row in rows:
            yield f"### {row.name}"
            yield _sentence(row)
            yield "\n".join([f"- **{name}** {fact}" for name, fact in _facts(row)])


def _sentence(row: Row) -> str:
    use, colon, rest = row.doc.partition("): ")
    if colon and use.startswith(row.name):
        return f"`{use})`: {rest}."
    return f"{row.doc if re.match('[^aA] ', row.doc) else row.doc[0].upper() + row.doc[1:]}."


def _facts(row: Row) -> Iterator[tuple[str, str]]:
    said = words()[row.name]
    yield "type", " or ".join([code(signature) for signature in row.signatures])
    yield "value", row.formula
    program = str(said["example"])
    yield "example", f"{code(program)} is {code(example_value(program))}"
    yield "derivative", " or ".join([code(f"rd[{row.name}](w, v) = {text}") for text in derivatives(row)])
    if row.rough is not None:
        yield "not smooth", f"{said['rough']}; for example {code(str(said['point']))}"
    costs = dict.fromkeys(said["cost"])
    yield "cost", ", ".join([shown_cost(c) for c in costs])


def example_value(program: str) -> str:
    """What an example gives."""
    match run(program).results:
        case (ValueFound(value=V),):
            return " ".join(rounded(value_text(V)).split())
        case _:
            raise KernelBug(f"{program} gives no value")


def rounded(text: str) -> str:
    """Long numbers to six digits: their last ones are not the same on every machine."""
    return re.sub(r"\d+\.\d{7,}", lambda number: f"{float(number[0]):.6g}", text)


def derivatives(row: Row) -> list[str]:
    """The derivative as a term in the cotangent w and the point v, for each scheme; those that are written alike once."""
    return list(dict.fromkeys([_derivative(row.name, scheme) for scheme in row.schemes]))


def _derivative(name: str, scheme: Scheme) -> str:
    scope = derivative(instantiate(name, scheme, tuple([dim(v) if isinstance(v, DimVar) else v for v in scheme.variables])))
    return " ".join(show(scope.body, names=scope.hints).split())


def shown_cost(cost: str) -> str:
    """``2*m*n`` as it is read: ``2 m n``."""
    return f"`{cost.replace('*', ' ')}`"
