"""A record of a function symbol says all that is needed, and those of other distributions are added only if they do."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from rh_kernel import primitives
from rh_kernel.primitives.completeness import missing
from rh_kernel.primitives.symbol import FunctionSymbol
from rh_kernel.primitives.table import FAMILIES, GROUP, SYMBOLS, all_records
from rh_kernel.source.plugins import PluginWarning

Add = Callable[[str], None]

SQUASH = """
squash = entrywise(
    "squash",
    doc="x over 1 plus its absolute value",
    formula="x / (1 + |x|)",
    example="squash([1, -3])",
    value=call(scalars.DIV, 0, call(scalars.ADD, 1.0, call(scalars.ABS, 0))),
    derivative=lambda w, x: w * square(recip(add(fill[x.shape](number(1)), abs_(x)))),
)
"""

HEAD = """
from rh_kernel.loops import scalars
from rh_kernel.loops.builder import call
from rh_kernel.primitives.entrywise import abs_, recip, square
from rh_kernel.primitives.formulas import number
from rh_kernel.primitives.binary import add
from rh_kernel.primitives.structural import fill
from rh_kernel.primitives.symbol import Family, entrywise
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Add:
    """Installs a distribution whose family consists of the symbols that a text defines."""
    monkeypatch.syspath_prepend(tmp_path)

    def installed(text: str) -> None:
        module = f"symbols_{abs(hash(text))}"
        (tmp_path / f"{module}.py").write_text(f"{HEAD}\n{text}\nfamily = Family('Mine', (squash,))\n", encoding="utf-8")
        metadata = tmp_path / "mine-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
        (metadata / "entry_points.txt").write_text(f"[{GROUP}]\nmine = {module}:family\n", encoding="utf-8")

    return installed


@pytest.mark.parametrize("name", sorted(SYMBOLS))
def test_a_record_is_complete(name: str) -> None:
    assert [f"{name}: {what}" for what in missing(SYMBOLS[name])] == []


def test_every_record_of_a_module_is_in_a_family() -> None:
    modules = [import_module(f"{primitives.__name__}.{module.name}") for module in iter_modules(primitives.__path__)]
    records = [f for module in modules for f in vars(module).values() if isinstance(f, FunctionSymbol)]
    assert {f.name for f in records} == {f.name for family in FAMILIES for f in family.symbols}


@pytest.mark.parametrize("name", sorted(f.name for family in FAMILIES for f in family.symbols))
def test_every_symbol_of_the_language_compiles_to_loops(name: str) -> None:
    assert SYMBOLS[name].lowering or SYMBOLS[name].decomposition


def test_the_symbols_of_another_distribution_are_added(install: Add) -> None:
    install(SQUASH)
    records = all_records()
    assert set(records) == {*SYMBOLS, "squash"}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"squash",', '"sin",', "the symbol `sin` of `mine` is skipped: the name is taken"),
        ("x over 1 plus its absolute value", "", "`squash` of `mine` is skipped: no doc"),
        ("lambda w, x: w *", "lambda w, x: number(1) *", "skipped: derivative: of type Real"),
        ("lambda w, x: w", "lambda w: w", "skipped: derivative: TypeError"),
        ("derivative=", "slope=", "cannot be loaded .TypeError: .*slope"),
    ],
)
def test_what_is_not_complete_is_skipped_with_a_warning(install: Add, old: str, new: str, why: str) -> None:
    install(SQUASH.replace(old, new))
    with pytest.warns(PluginWarning, match=why):
        assert set(all_records()) == set(SYMBOLS)
