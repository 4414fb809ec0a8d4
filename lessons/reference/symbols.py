"""``symbols.md``: every function symbol with its types, value, derivative and cost, and where it is not smooth."""

import re
from collections.abc import Iterator

from lessons.reference.markdown import code, link, table
from lessons.reference.running import run
from rh_kernel.display.values import value_text
from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.schemes import Scheme, instantiate
from rh_kernel.primitives.symbol import FunctionSymbol
from rh_kernel.primitives.table import FAMILIES
from rh_kernel.session.results import ValueFound
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.dimensions import DimVar, dim
from rh_kernel.syntax.printing.printer import show


def symbols_page() -> str:
    """The part of the page that follows from the table of symbols."""
    return "\n\n".join([_contents(), *_sections()])


def _contents() -> str:
    rows = [(link(family.title), " ".join([link(f.name) for f in family.symbols])) for family in FAMILIES]
    return table(("kind", "symbols"), rows)


def _sections() -> Iterator[str]:
    for family in FAMILIES:
        yield f"## {family.title}"
        for row in family.symbols:
            yield f"### {row.name}"
            yield _sentence(row)
            yield "\n".join([f"- **{name}** {fact}" for name, fact in _facts(row)])


def _sentence(row: FunctionSymbol) -> str:
    use, colon, rest = row.doc.partition("): ")
    if colon and use.startswith(row.name):
        return f"`{use})`: {rest}."
    return f"{row.doc if re.match('[^aA] ', row.doc) else row.doc[0].upper() + row.doc[1:]}."


def _facts(row: FunctionSymbol) -> Iterator[tuple[str, str]]:
    yield "type", " or ".join([code(signature) for signature in row.signatures])
    yield "value", row.formula
    yield "example", f"{code(row.example)} is {code(example_value(row.example))}"
    yield "derivative", " or ".join([code(f"rd[{row.name}](w, v) = {text}") for text in derivatives(row)])
    if row.nonsmooth is not None:
        yield "not smooth", f"{row.nonsmooth.where}; for example {code(row.nonsmooth.example)}"
    yield "cost", ", ".join([shown_cost(c) for c in row.costs])


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


def derivatives(row: FunctionSymbol) -> list[str]:
    """The derivative as a term in the cotangent w and the point v, for each scheme; those that are written alike once."""
    return list(dict.fromkeys([_derivative(row.name, scheme) for scheme in row.schemes]))


def _derivative(name: str, scheme: Scheme) -> str:
    scope = derivative(instantiate(name, scheme, tuple([dim(v) if isinstance(v, DimVar) else v for v in scheme.variables])))
    return " ".join(show(scope.body, names=scope.hints).split())


def shown_cost(cost: str) -> str:
    """``2*m*n`` as it is read: ``2 m n``."""
    return f"`{cost.replace('*', ' ')}`"
