"""F3: derivatives are printed in the notation of the paper, before and after simplification."""

import pytest

from rh_kernel.ad.chad.systems import SYSTEMS
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.system import System
from rh_kernel.syntax.printing.doc import plain
from tests.ad.chad.growing import chain
from tests.ad.chad.oracles import ORACLES, Oracle
from tests.ad.programs import program

_BY_NAME = {system.name: system for system in SYSTEMS}
CALLED = program("fun f(c : Real, x : Real) : Real = let f <- λy : Real. c * y in f(x)")


def stages(system: System, f: Program) -> dict[str, str]:
    """Return the stages by their titles, each on one line."""
    assert system.stages is not None
    return {stage.title: " ".join(plain(stage.doc).split()) for stage in system.stages(f)}


TITLES = {
    "chad": ["source", "transformed", "simplified"],
    "chad-forward": ["source", "transformed", "simplified"],
    "chad-combinators": ["source", "combinators", "transformed", "simplified"],
    "chad-accumulated": ["source", "transformed"],
}


@pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: o.name)
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_every_system_shows_its_stages(system: System, oracle: Oracle) -> None:
    """The source comes first; derivatives have a linear function, and simplified ones are not longer."""
    found = stages(system, oracle.program)
    assert list(found) == TITLES[system.name]
    assert found["source"].startswith("fun f(")
    assert "λ̲v" in found["transformed"]
    assert len(found.get("simplified", "")) <= len(found["transformed"]) + 8 * len(oracle.program.parameters)


def test_the_square_before_simplification() -> None:
    """§3.6: copying becomes addition."""
    found = stages(_BY_NAME["chad"], program("fun f(x : Real) : Real = x * x"))
    assert found["transformed"] == (
        "let ⟨x1, x1'⟩ = ⟨x, λ̲v. coproj₁(v)⟩ in let ⟨x2, x2'⟩ = ⟨x, λ̲v. coproj₁(v)⟩ in"
        " ⟨x1 * x2, λ̲v. let v = Dmulᵗ(x1, x2; v) in x1' • v.1 + x2' • v.2⟩"
    )


def test_a_function_before_simplification() -> None:
    """§3.4, λ and application: the derivative of the body splits into those for the argument and for captured variables."""
    assert stages(_BY_NAME["chad"], CALLED)["transformed"] == (
        "let ⟨f, f'⟩ = let y1 = λy. let ⟨x1, x1'⟩ = ⟨c, λ̲v. coproj₁(v)⟩ in"
        " let ⟨x2, x2'⟩ = ⟨y, λ̲v. coproj₃(v)⟩ in"
        " ⟨x1 * x2, λ̲v. let v = Dmulᵗ(x1, x2; v) in x1' • v.1 + x2' • v.2⟩ in"
        " ⟨λy2. let ⟨z, z'⟩ = y1 y2 in ⟨z, λ̲v. snd (z' • v)⟩, λ̲v. case v of !y3⊗v → fst ((y1 y3).2 • v)⟩ in"
        " let ⟨y5, y5'⟩ = let ⟨x3, x3'⟩ = ⟨f, λ̲v. coproj₃(v)⟩ in let ⟨y4, y4'⟩ = ⟨x, λ̲v. coproj₂(v)⟩ in"
        " let ⟨z1, z1'⟩ = x3 y4 in ⟨z1, λ̲v. x3' • (!y4⊗v) + y4' • (z1' • v)⟩ in"
        " ⟨y5, λ̲v. let v = y5' • v in fst v + f' • (snd v)⟩"
    )


def test_combinators() -> None:
    """§3.2: a variable is a chain of projections, an application a pair with ``ev``."""
    found = stages(_BY_NAME["chad-combinators"], CALLED)
    assert found["combinators"] == "⟨id, Λ(⟨fst; fst; snd, snd⟩; mul)⟩; ⟨snd, fst; snd⟩; ev"
    assert found["simplified"] == "⟨c * x, λ̲v. ⟨x * v, c * v⟩⟩"


def test_accumulators() -> None:
    """§5: ``add`` replaces one-hot vectors, and a call returns the cotangents of argument and captured variables."""
    assert stages(_BY_NAME["chad-accumulated"], CALLED)["transformed"] == (
        "let ⟨f, f'⟩ = ⟨λy. let ⟨y1, y1'⟩ = let ⟨x1, x1'⟩ = ⟨c, λ̲v. add c v⟩ in"
        " let ⟨x2, x2'⟩ = ⟨y, λ̲v. add y v⟩ in"
        " ⟨x1 * x2, λ̲v. v ← Dmulᵗ(x1, x2; v) >> x1' • v.1 >> x2' • v.2⟩ in"
        " ⟨y1, λ̲v[c, y]. y1' • v⟩, λ̲v. add ⟨c⟩ v⟩ in"
        " let ⟨y3, y3'⟩ = let ⟨x3, x3'⟩ = ⟨f, λ̲v. add f v⟩ in let ⟨y2, y2'⟩ = ⟨x, λ̲v. add x v⟩ in"
        " let ⟨z, z'⟩ = x3 y2 in ⟨z, λ̲v. ⟨e, v⟩ ← z' • v >> x3' • e >> y2' • v⟩ in"
        " ⟨y3, λ̲v. v ← scope f (y3' • v) >> f' • v⟩"
    )


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_long_programs_can_be_read(system: System) -> None:
    """Sixty lets: the simplified derivative has one cosine for each."""
    found = stages(system, chain(60))
    assert found.get("simplified", "cos(" * 60).count("cos(") == 60
